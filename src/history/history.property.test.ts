import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WalletType } from '../domain/terms.ts';
import type { AccountIndex, FamilyIndex } from '../domain/units.ts';
import { type OpenHistory, openHistory, type TransferRow, type WalletEntryRow } from './history.ts';
import {
  ACCOUNTS,
  ASSETS,
  anyHappenings,
  FAMILIES,
  type Happened,
  logged,
  newFile,
  STAMP,
} from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';

test('any page of any list is what a plain filter over everything gives', () => {
  fc.assert(
    fc.property(
      anyHappenings(60),
      fc.array(anyAsk, { minLength: 40, maxLength: 40 }),
      (all, asks) => {
        const history = historyOf(all);
        const oracle = plainly(all);
        for (const ask of asks) {
          const { account, type, family, asset, isOfAccount } = ask;
          const page = pageOf(ask, all, oracle.wallet);
          const entries = oracle.wallet
            .filter((row) => row.account === account && (type ?? row.type) === row.type)
            .map(({ account: _, ...row }) => row);
          expect(history.walletEntries({ account, type, ...page })).toEqual(paged(entries, page));
          const owner = isOfAccount ? account : undefined;
          const transfers = oracle.transfers
            .filter((row) => row.family === family && (asset ?? row.asset) === row.asset)
            .filter((row) => owner === undefined || row.from === owner || row.to === owner)
            .map(({ family: _, ...row }) => row);
          expect(history.transfers({ family, account: owner, asset, ...page })).toEqual(
            paged(transfers, page),
          );
        }
        history.close();
      },
    ),
    { numRuns: 30, interruptAfterTimeLimit: 30_000 },
  );
}, 60_000);

/** Ends of windows and ids lie on, just before and just after what happened. */
const anyEdge = fc.record({ pick: fc.nat(10_000), beside: fc.constantFrom(-1, 0, 0, 1) });
const anyAsk = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  type: fc.constantFrom<(WalletType | undefined)[]>(undefined, 'INTERNAL', 'DEPOSIT', 'FUNDING'),
  family: fc.constantFrom(...FAMILIES),
  asset: fc.constantFrom(undefined, ...ASSETS),
  isOfAccount: fc.boolean(),
  from: fc.option(anyEdge, { freq: 2 }),
  to: fc.option(anyEdge, { freq: 2 }),
  before: fc.option(anyEdge, { freq: 2 }),
  limit: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(500)),
});
type Ask = typeof anyAsk extends fc.Arbitrary<infer Value> ? Value : never;

function pageOf(ask: Ask, all: readonly Happened[], entries: readonly WalletEntryRow[]): Page {
  const { from, to, before, limit } = ask;
  const timeAt = (edge: NonNullable<Ask['from']>): number =>
    (all[edge.pick % all.length]?.timeMs ?? 1_000) + edge.beside;
  const idAt = (edge: NonNullable<Ask['from']>): bigint =>
    (entries[edge.pick % entries.length]?.id ?? 300n) + BigInt(edge.beside);
  return {
    fromMs: from === null ? 0 : timeAt(from),
    toMs: to === null ? 1_000_000 : timeAt(to),
    beforeId: before === null ? undefined : idAt(before),
    limit,
  };
}

type Page = { fromMs: number; toMs: number; limit: number; beforeId?: bigint | undefined };

function paged<Row extends { id: bigint; timeMs: number }>(
  rows: readonly Row[],
  page: Page,
): Row[] {
  return rows
    .filter(({ timeMs }) => timeMs >= page.fromMs && timeMs <= page.toMs)
    .filter(({ id }) => page.beforeId === undefined || id < page.beforeId)
    .toSorted((a, b) => b.timeMs - a.timeMs || Number(b.id - a.id))
    .slice(0, page.limit);
}

/** The same history in two arrays, by the words of the rules. */
function plainly(all: readonly Happened[]) {
  const wallet: (WalletEntryRow & { account: AccountIndex })[] = [];
  const transfers: (TransferRow & { family: FamilyIndex })[] = [];
  for (const { timeMs, events } of all) {
    for (const event of events) {
      if (event.kind === 'genesis-credited') {
        const { account, asset, amount } = event;
        wallet.push({ id: BigInt(event.entry), account, asset, type: 'DEPOSIT', amount, timeMs });
      }
      if (event.kind === 'transferred') {
        const { family, asset, amount, from, to } = event;
        const id = BigInt(event.entry);
        const given = -amount as typeof amount;
        const entry = { asset, type: 'INTERNAL', timeMs } as const;
        transfers.push({ id, family, asset, amount, from, to, timeMs });
        wallet.push({ ...entry, id: id + 1n, account: from, amount: given });
        wallet.push({ ...entry, id: id + 2n, account: to, amount });
      }
    }
  }
  return { wallet, transfers };
}

function historyOf(all: readonly Happened[]): OpenHistory {
  const file = newFile();
  const projector = openProjector({ file, stamp: STAMP });
  projector.project(logged(all));
  projector.close();
  return openHistory({ file, stamp: STAMP, after: () => () => {} });
}
