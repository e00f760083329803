import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CoreVenue, parts, venueWith } from '../../../test/support/core-venue.ts';
import { audit } from '../../core/audit/audit.ts';
import { view } from '../../core/views/views.ts';
import type { Command } from '../../domain/commands.ts';
import { depositIdText, withdrawalIdText } from '../../domain/ids.ts';
import { FUNDS, MARKET_STATES, OPERATOR_ROLES } from '../../domain/terms.ts';
import type { AccountIndex, AssetIndex, NetworkIndex } from '../../domain/units.ts';
import { SECOND_FACTORS } from '../../domain/wallet.ts';
import { OPERATOR_ENDPOINTS } from '../../wire/operator.ts';
import { operated } from './operated.fixture.ts';

/** The operators of the fixture, by what they may do. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  local: ['admin'],
  guest: [],
  eve: ['viewer'],
  sue: ['support'],
  tom: ['treasury'],
  tim: ['treasury'],
  rob: ['risk'],
};

type Act = { readonly path: string; readonly body: object };
const small = fc.integer({ min: 0, max: 6 });
const reason = 'random';
const market = fc.constantFrom('BTC-USDT', 'BTC-USD-SWAP-LIN', 'NO-SUCH');
const asset = fc.constantFrom('OX', 'USDT', 'BTC', 'NONE');
const quantity = fc.constantFrom('0', '0.5', '1', '100', '99999999999');
const act = (path: string, body: fc.Arbitrary<object>): fc.Arbitrary<Act> =>
  body.map((sent) => ({ path, body: sent }));
const LIMITS = [
  { daily: '1000', automatic: '1' },
  { daily: '1e9', automatic: '1e7' },
  { daily: '1000', automatic: '1e7' },
] as const;
const onWithdrawal = small.map((id) => ({ id: withdrawalIdText(id), reason }));
const onDeposit = small.map((id) => ({ id: depositIdText(id), reason }));

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  act('withdrawals/release', onWithdrawal),
  act('withdrawals/hold', onWithdrawal),
  act('withdrawals/cancel', onWithdrawal),
  act('deposits/complete', onDeposit),
  act('deposits/reverse', onDeposit),
  act(
    'funds/move',
    fc.record({
      from: fc.constantFrom(...FUNDS),
      to: fc.constantFrom(...FUNDS),
      asset,
      quantity,
      reason: fc.constant(reason),
    }),
  ),
  act(
    'prices',
    fc.record({ asset, price: fc.constantFrom('0', '1', '70000'), reason: fc.constant(reason) }),
  ),
  act(
    'markets/state',
    fc.record({
      marketCode: market,
      state: fc.constantFrom(...MARKET_STATES),
      reason: fc.constant(reason),
    }),
  ),
  act(
    'markets/cancel',
    market.map((marketCode) => ({ marketCode, reason })),
  ),
  act('limits/withdrawals', fc.constantFrom(...LIMITS)),
  act(
    'networks/state',
    fc.record({
      network: fc.constant('Ethereum'),
      asset,
      deposits: fc.boolean(),
      withdrawals: fc.boolean(),
    }),
  ),
  act(
    'factors/reset',
    fc.record({
      family: fc.constantFrom('alice', 'bob', 'nobody'),
      factor: fc.constantFrom(...SECOND_FACTORS),
      reason: fc.constant(reason),
    }),
  ),
  act(
    'networks/rescan',
    fc.record({
      network: fc.constantFrom('Ethereum', 'Mars'),
      height: fc.constantFrom('1', '2', '99999'),
      reason: fc.constant(reason),
    }),
  ),
  act('fees', fc.record({ network: fc.constant('Ethereum'), asset, fee: quantity })),
  act('fees/release', fc.record({ network: fc.constant('Ethereum'), asset })),
  act(
    'restrictions',
    fc
      .constantFrom([], ['no-withdraw'], ['inactive'])
      .map((restrictions) => ({ family: 'bob', restrictions })),
  ),
);

const MONEY = [
  ...['see', 'credit', 'lose', 'request', 'take', 'sign', 'confirm', 'fail', 'enrol', 'estimate'],
];

/** Money comes, goes, vanishes and is sent, so that operators have something to decide about. */
const anyMoney = fc.record({
  kind: fc.constantFrom(...MONEY),
  at: small,
});

function moneyOf(
  venue: ReturnType<typeof venueWith>,
  { kind, at }: { kind: string; at: number },
): Command {
  const network = 0 as NetworkIndex;
  const usdt = venue.asset('USDT');
  const name = { network, txId: `in-${at}`, output: 0 };
  const id = at;
  const gas = { asset: venue.asset('ETH') as AssetIndex, amount: parts('0.01') };
  const account = venue.account(at % 2 === 0 ? 'alice' : 'bob', 'main') as AccountIndex;
  switch (kind) {
    case 'see':
      return {
        kind: 'see-deposit',
        ...name,
        ...{
          account,
          asset: usdt,
          address: 'x',
          height: 1,
          chainAmount: parts(at === 0 ? '0.00001' : '7'),
        },
      };
    case 'credit':
      return { kind: 'credit-deposit', ...name };
    case 'lose':
      return { kind: 'lose-deposit', ...name };
    case 'request':
      return {
        kind: 'request-withdrawal',
        by: { key: venue.key('alice', 'main', 'trade', 'withdraw') },
        ...{ network, asset: usdt, address: '0x52908400098527886E0F7030069857D2E4169EE7' },
        ...{ quantity: parts(at % 2 === 0 ? '200000' : '10'), externalFee: false },
      };
    case 'take':
      return { kind: 'take-withdrawal', id, nonce: venue.state.wallet.networks[0]?.nextNonce ?? 0 };
    case 'sign': {
      const nonce = venue.state.wallet.withdrawals.get(id)?.nonce ?? 0;
      const rawBytes = new Uint8Array([1]);
      return { kind: 'record-transaction', id, txId: `out-${id}`, nonce, rawBytes };
    }
    case 'enrol': {
      const by = { key: venue.key('alice', 'main', 'trade', 'withdraw') };
      const sealedSecret = new Uint8Array(4);
      return { kind: 'enrol-factor', by, factor: 'GOOGLE', sealedSecret, step: at };
    }
    case 'estimate':
      return { kind: 'set-withdrawal-fee', network, asset: usdt, fee: parts(String(at)) };
    case 'confirm':
      return { kind: 'confirm-withdrawal', id, txId: `out-${id}`, gas };
    default:
      return { kind: 'fail-withdrawal', id, cause: 'reverted', gas };
  }
}

/** Who releases withdrawals in pairs may lower the limits, but not raise one. */
function raisesLimits({ state }: CoreVenue, { path, body }: Act): boolean {
  if (path !== 'limits/withdrawals') return false;
  const { daily, automatic } = view(state, 'venueLimits', {});
  const sent = body as (typeof LIMITS)[number];
  const inParts = (text: string): bigint => BigInt(Number(text)) * 10n ** 8n;
  return inParts(sent.daily) > daily || inParts(sent.automatic) > automatic;
}

test('whatever operators try, value is neither made nor lost; a wrong role changes nothing', async () => {
  const step = fc.oneof(
    fc.record({ who: fc.constantFrom(...Object.keys(ROLES)), act: anyAct }),
    anyMoney,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const rich = { USDT: '1000000', OX: '1000000', BTC: '10' };
      const core = venueWith({ alice: { main: rich }, bob: { main: rich } });
      const { post, submitted } = operated(core);
      const tried: Record<string, number> = {};
      for (const one of steps) {
        core.nowMs += 60_000;
        if ('kind' in one) {
          core.apply(moneyOf(core, one));
        } else {
          const { path, body } = one.act;
          const needed = OPERATOR_ENDPOINTS.find(
            (each) => each.method === 'POST' && each.path === `/operator/v1/${path}`,
          );
          const roles = ROLES[one.who] ?? [];
          const isOfRole = roles.some(
            (role) => role === 'admin' || needed?.roles?.some((each) => each === role),
          );
          const may = isOfRole && (roles.includes('admin') || !raisesLimits(core, one.act));
          const before = core.state.ledger.available.slice();
          const count = submitted.length;
          const answer = await post(path, body, { accessKey: `op-${one.who}` });
          expect(answer.status === 403).toBe(!may);
          if (!may) {
            expect(answer.message).toContain(
              isOfRole ? 'admin' : OPERATOR_ROLES.find((role) => role === needed?.roles?.[0]),
            );
          }
          // A refused act is in the journal only as a note of it, and ten a minute of one operator at most.
          const kinds = submitted.slice(count).map(({ kind }) => kind);
          if (!may) expect(['', 'note-refusal']).toContain(kinds.join());
          if (!answer.success) expect(core.state.ledger.available).toEqual(before);
          const noted = submitted.filter(
            (each) => each.kind === 'note-refusal' && each.actor === `operator:${one.who}`,
          );
          tried[one.who] = (tried[one.who] ?? 0) + (answer.success ? 0 : 1);
          expect(noted.length).toBe(tried[one.who]);
        }
        expect(audit(core.state).faults).toEqual([]);
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);
