import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event } from '../domain/events.ts';
import { type AccountIndex, type AssetIndex, amount, type NetworkIndex } from '../domain/units.ts';
import type { DepositRecord, WithdrawalRecord } from '../domain/wallet.ts';
import { openHistory } from './history.ts';
import { logged, STAMP } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';

export function describeWalletRecords({ name, newPlace, runs }: Store): void {
  describe(`${name}: deposits and withdrawals`, () => {
    const PLACE = { network: 0 as NetworkIndex, address: '0xb0b' };

    const withdrawalOf = (
      id: number,
      changes: Partial<WithdrawalRecord> = {},
    ): WithdrawalRecord => ({
      ...PLACE,
      id,
      account: 0 as AccountIndex,
      asset: 0 as AssetIndex,
      quantity: amount(10n),
      externalFee: true,
      fee: amount(1n),
      burnFee: amount(0n),
      debited: amount(11n),
      requestedAtMs: 1_000 + id,
      status: 'PENDING',
      holds: [],
      ...changes,
    });

    const depositOf = (id: number, changes: Partial<DepositRecord> = {}): DepositRecord => ({
      ...PLACE,
      id,
      account: 0 as AccountIndex,
      asset: 0 as AssetIndex,
      txId: `tx${id}`,
      output: 0,
      height: 5,
      quantity: amount(7n),
      dust: 0n,
      status: 'PENDING',
      isVanished: false,
      seenAtMs: 1_000 + id,
      ...changes,
    });

    const withdrawalChanged = (withdrawal: WithdrawalRecord): Event => ({
      kind: 'withdrawal-changed',
      withdrawal,
    });
    const depositChanged = (deposit: DepositRecord, credited = 0n): Event => ({
      kind: 'deposit-changed',
      deposit,
      credited: amount(credited),
    });

    async function historyOf(events: readonly Event[]) {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP });
      await projector.project(
        logged(events.map((event, at) => ({ timeMs: 5_000 + at, events: [event] }))),
      );
      await projector.close();
      return openHistory({ ...place, stamp: STAMP, after: () => () => {} });
    }

    const ALL = { account: 0 as AccountIndex, fromMs: 0, toMs: 100_000, limit: 200 };

    test('a record is shown as it stands now, and the wallet moves when the balance does', async () => {
      const sent = withdrawalOf(1);
      const done = { ...sent, status: 'COMPLETED', txId: 'a', completedAtMs: 5_001 } as const;
      const seen = depositOf(1, { memo: '7' });
      const credited = { ...seen, status: 'COMPLETED', creditedAtMs: 5_003 } as const;
      const reversed = { ...credited, status: 'FAILED' } as const;
      const history = await historyOf([
        withdrawalChanged(sent),
        withdrawalChanged(done),
        depositChanged(seen),
        depositChanged(credited, 7n),
        withdrawalChanged(withdrawalOf(2, { status: 'CANCELED' })),
        depositChanged(reversed, -4n),
      ]);
      expect(await history.withdrawals(ALL)).toEqual([
        withdrawalOf(2, { status: 'CANCELED' }),
        done,
      ]);
      expect(await history.withdrawal(ALL.account, 1)).toEqual(done);
      expect(await history.withdrawal(1 as AccountIndex, 1)).toBeUndefined();
      expect(await history.withdrawal(ALL.account, 3)).toBeUndefined();
      expect(await history.deposits(ALL)).toEqual([reversed]);
      const listed = await history.walletEntries(ALL);
      const entries = listed.map(({ type, amount: parts }) => [type, parts]);
      expect(entries).toEqual([
        ['DEPOSIT', -4n],
        ['DEPOSIT', 7n],
        ['WITHDRAWAL', -11n],
      ]);
      const onlyOut = await history.walletEntries({ ...ALL, type: 'WITHDRAWAL' });
      expect(onlyOut.map(({ timeMs }) => timeMs)).toEqual([5_001]);
      await history.close();
    });

    /** Some times repeat; some deposits are credited much later than they were seen. */
    const anyRecord = fc.record({
      account: fc.constantFrom(0, 1) as fc.Arbitrary<AccountIndex>,
      asset: fc.constantFrom(0, 1) as fc.Arbitrary<AssetIndex>,
      passedMs: fc.nat(2),
      creditedAfterMs: fc.option(fc.nat(30), { nil: undefined }),
    });
    const anyQuery = fc.record({
      account: fc.constantFrom(0, 1) as fc.Arbitrary<AccountIndex>,
      asset: fc.option(fc.constantFrom(0, 1), { nil: undefined }) as fc.Arbitrary<
        AssetIndex | undefined
      >,
      fromMs: fc.nat(60),
      toMs: fc.integer({ min: 20, max: 120 }),
      limit: fc.nat(6),
      beforeId: fc.option(fc.nat(45), { nil: undefined }),
    });

    test('any page is what a plain filter over everything gives', async () => {
      const lists = fc.array(anyRecord, { maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(
          lists,
          fc.array(anyQuery, { minLength: 20, maxLength: 20 }),
          async (records, queries) => {
            let timeMs = 0;
            const deposits = records.map(({ account, asset, passedMs, creditedAfterMs }, at) => {
              timeMs += passedMs;
              const seenAtMs = timeMs;
              return depositOf(at + 1, {
                ...{ account, asset, seenAtMs },
                ...(creditedAfterMs === undefined
                  ? {}
                  : { creditedAtMs: seenAtMs + creditedAfterMs }),
              });
            });
            const seen = deposits.map(({ creditedAtMs, ...deposit }) => depositChanged(deposit));
            const history = await historyOf([
              ...seen,
              ...deposits.map((deposit) => depositChanged(deposit)),
            ]);
            for (const query of queries) {
              expect([query, await history.deposits(query)]).toEqual([
                query,
                plainPage(deposits, query),
              ]);
            }
            await history.close();
          },
        ),
        { numRuns: Math.ceil(40 * runs), interruptAfterTimeLimit: 20_000 },
      );
    });

    type Query = typeof anyQuery extends fc.Arbitrary<infer Value> ? Value : never;

    function plainPage(deposits: readonly DepositRecord[], query: Query): DepositRecord[] {
      const timeOf = (one: DepositRecord): number => one.creditedAtMs ?? one.seenAtMs;
      const own = deposits
        .filter(({ account }) => account === query.account)
        .toSorted((a, b) => timeOf(b) - timeOf(a) || b.id - a.id);
      const below = own.map(({ id }) => id).filter((id) => id <= (query.beforeId ?? 0));
      const nearest = Math.max(0, ...below);
      const place = own.findIndex(({ id }) => id === nearest);
      const isLeft = (one: DepositRecord, at: number): boolean =>
        query.beforeId === undefined ||
        (place >= 0 && (at > place || (at === place && one.id !== query.beforeId)));
      return own
        .filter(isLeft)
        .filter((one) => timeOf(one) >= query.fromMs && timeOf(one) <= query.toMs)
        .filter(({ asset }) => asset === (query.asset ?? asset))
        .slice(0, query.limit);
    }

    test('walking page by page meets every record once, also where a millisecond holds many', async () => {
      const many = Array.from({ length: 300 }, (_, at) =>
        withdrawalOf(at + 1, { requestedAtMs: 1_000 + Math.floor(at / 100) }),
      );
      const history = await historyOf(many.map(withdrawalChanged));
      const met: number[] = [];
      for (let page = await history.withdrawals({ ...ALL, limit: 7 }); page.length > 0; ) {
        met.push(...page.map(({ id }) => id));
        page = await history.withdrawals({ ...ALL, limit: 7, beforeId: met.at(-1) });
      }
      expect(met).toEqual(many.map(({ id }) => id).reverse());
      await history.close();
    });

    test('records of all accounts are found by number, address and transaction, once each', async () => {
      const [mine, yours] = [0 as AccountIndex, 1 as AccountIndex];
      const address = '0xAbC0';
      const history = await historyOf([
        withdrawalChanged(withdrawalOf(1, { account: mine, address })),
        withdrawalChanged(
          withdrawalOf(2, { account: yours, address, status: 'PROCESSING', txId: 'old' }),
        ),
        withdrawalChanged(
          withdrawalOf(2, { account: yours, address, status: 'COMPLETED', txId: '0xT2' }),
        ),
        withdrawalChanged(withdrawalOf(3, { account: mine })),
        depositChanged(depositOf(1, { account: yours, address })),
        depositChanged(depositOf(2, { account: mine, txId: 'tx1', output: 1 })),
      ]);
      const idsOf = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id);
      const out = async (named: string, number?: number, limit = 10) =>
        idsOf(await history.withdrawalsNamed({ name: named, number, limit }));
      const into = async (named: string) =>
        idsOf(await history.depositsNamed({ name: named, limit: 10 }));
      expect(await out('0xabc0')).toEqual([2, 1]);
      expect(await out('0xABC0', 3)).toEqual([3, 2, 1]);
      expect(await out('0xabc0', 2, 1)).toEqual([2]);
      expect(await Promise.all([out('0xt2'), out('old'), out(''), out('%')])).toEqual([
        [2],
        [],
        [],
        [],
      ]);
      expect(await Promise.all([into('tx1'), into(address)])).toEqual([[2, 1], [1]]);
      expect(await history.newestWithdrawals(2)).toMatchObject([
        { id: 3, account: mine },
        { id: 2, account: yours, status: 'COMPLETED' },
      ]);
      await history.close();
    });
  });
}
