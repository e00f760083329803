import { ByteWriter } from '../bytes/pack.ts';
import type { Command, SetupCommand } from '../domain/commands.ts';
import type { MarketSpec, NetworkSpec } from '../domain/market.ts';
import { sampleTexts } from '../domain/order-texts.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type KeyIndex,
  type MarketIndex,
  type NetworkIndex,
  sequence,
  timeMs,
  usdPrice,
} from '../domain/units.ts';
import { keepTexts } from './memory/order-texts.ts';
import { newState, type State } from './state.ts';
import { apply } from './venue.ts';

const PERPETUAL = 'BTC-USD-SWAP-LIN';

/** A venue with one of everything that a state can contain. A test looks for what it lacks. */
export function sampleState(): State {
  const state = newState();
  const out = new ByteWriter();
  const now = timeMs(1_750_000_000_000);
  const submit = (command: Command): void => {
    out.clear();
    apply(state, { sequence: sequence(state.sequence + 1), timeMs: now, command }, out);
  };
  const actor = 'sample';
  const account = { family: 'sample', name: 'main' };
  const key = { kind: 'create-key', actor, account, sealedSecret: new Uint8Array(1) } as const;
  submit({
    kind: 'genesis',
    steps: [
      ...sampleCatalogue(actor),
      { kind: 'create-account', actor, account, accountType: 'PORTFOLIO' },
      { kind: 'waive-delays', family: 'sample' },
      { kind: 'credit-genesis', account, asset: 'OX', amount: amount(10n ** 16n) },
      {
        ...key,
        accessKey: 'sample',
        permissions: ['read', 'trade', 'withdraw'],
        expiresAtMs: now + 1,
        addresses: ['::1'],
      },
    ],
  });
  const holder = state.families[0]?.accounts[0] as AccountIndex;
  useWallet(submit, holder);
  useAccess(submit, now);
  submit({ kind: 'set-restrictions', actor, family: 'sample', restrictions: ['no-withdraw'] });
  const market = PERPETUAL;
  submit({ kind: 'set-backstop', actor, account, market, maxLots: 1 });
  submit({
    kind: 'cancel-all',
    by: { key: 0 as KeyIndex, fingerprint: 'sample', signedAtMs: now, expiresAtMs: now + 1 },
  });
  submit({ kind: 'cancel-all-after', by: { key: 0 as KeyIndex }, timeoutMs: 1_000 });
  // What only a liquidation creates.
  state.liquidating.push(holder);
  const market0 = 0 as MarketIndex;
  state.pending.liquidationSteps.push(holder);
  state.pending.stopSweeps.push(market0);
  state.pending.deadlines.push({ account: holder, market: market0, atMs: now });
  state.pending.closingReviews.push(0);
  state.pending.fundingPayments.push({ market: market0, rate: 1n, isPaying: true, next: 0 });
  state.pending.marginReviews.accounts.push(holder);
  // What only few orders have.
  keepTexts(state.orders, 0, holder, sampleTexts());
  return state;
}

/** A deposit and a withdrawal, with every member that a record can have. */
function useWallet(submit: (command: Command) => void, account: AccountIndex): void {
  const by = { key: 0 as KeyIndex };
  const network = 0 as NetworkIndex;
  const asset = 0 as AssetIndex;
  const place = { network, address: `0x${'2'.repeat(40)}`, memo: 'memo' };
  submit({ kind: 'save-address', by, ...place, asset, label: '', whitelisted: true });
  const quantity = amount(10n);
  const withdrawal = { ...place, asset, quantity, externalFee: false };
  submit({ kind: 'request-withdrawal', by, ...withdrawal });
  submit({ kind: 'request-withdrawal', by, ...withdrawal, address: `0x${'1'.repeat(40)}` });
  submit({ kind: 'take-withdrawal', id: 1, nonce: 0 });
  const rawBytes = new Uint8Array(1);
  submit({ kind: 'record-transaction', id: 1, txId: 'tx', nonce: 0, rawBytes });
  const sweep = { network, account, asset, step: 'sweep', chainAmount: 1n, nonce: 0 } as const;
  submit({ kind: 'record-sweep', ...sweep, txId: 'tx', rawBytes });
  const limit = amount(0n);
  submit({ kind: 'set-withdrawal-limits', actor: '', daily: amount(10n ** 17n), automatic: limit });
  submit({ kind: 'request-withdrawal', by, ...withdrawal });
  submit({ kind: 'operate-withdrawal', actor: 'a', id: 3, act: 'release', reason: '' });
  const seen = { network, txId: 'tx', output: 0 };
  const sight = { ...place, ...seen, account, asset, height: 1, chainAmount: 10n };
  submit({ kind: 'see-deposit', ...sight });
  submit({ kind: 'credit-deposit', ...seen });
  submit({ kind: 'see-deposit', ...sight, output: 1, chainAmount: 10n ** 30n });
  submit({ kind: 'credit-deposit', ...seen, output: 1 });
  submit({ kind: 'lose-deposit', ...seen });
  submit({ kind: 'operate-deposit', actor: 'a', id: 1, act: 'reverse', reason: '' });
  const house = { family: 'sample', name: 'main' };
  const coin = {
    kind: 'move-funds',
    actor: 'a',
    asset: 'OX',
    amount: amount(1n),
    reason: '',
  } as const;
  submit({ ...coin, from: house, to: 'fees' });
  submit({ ...coin, from: 'fees', to: house });
  const sealedSecret = new Uint8Array(1);
  submit({ kind: 'enrol-factor', by, factor: 'GOOGLE', sealedSecret, step: 1 });
  submit({ kind: 'note-wrong-code', by });
}

/** A password, and an invitation to set another. */
function useAccess(submit: (command: Command) => void, now: number): void {
  const invitation = { kind: 'invite-user', actor: '', family: 'sample' } as const;
  const sealedPassword = new Uint8Array(1);
  submit({ ...invitation, tokenHash: 'first', expiresAtMs: now + 1 });
  submit({ kind: 'accept-invitation', tokenHash: 'first', sealedPassword });
  submit({ ...invitation, tokenHash: 'second', expiresAtMs: now + 1 });
}

function sampleCatalogue(actor: string): SetupCommand[] {
  const assetOf = (code: string) =>
    ({ kind: 'define-asset', actor, asset: { code, scale: 8, loanToValue: 1n } }) as const;
  const grid = {
    base: 'BTC',
    referencePair: 'BTC/USDT',
    priceScale: 0,
    tickParts: 1n,
    quantityScale: 4,
    lotParts: 1n,
    maxOrderLots: 1_000,
    band: 100_000_000n,
    state: 'OPEN',
  } as const;
  const perpetual: MarketSpec = {
    ...grid,
    code: PERPETUAL,
    name: PERPETUAL,
    type: 'FUTURE',
    counter: 'USD',
    impactNotional: 1n,
    tiers: [{ leverage: 2, notionalCap: 10n ** 16n }],
  };
  const spot: MarketSpec = {
    ...grid,
    code: 'BTC-USDT',
    name: 'BTC-USDT',
    type: 'SPOT',
    counter: 'USDT',
    impactNotional: 0n,
    tiers: [],
  };
  const network: NetworkSpec = {
    name: 'Ethereum',
    chain: 'simulated',
    confirmations: 1,
    needsMemo: true,
    addressFormat: 'evm',
    coin: 'OX',
    assets: [
      {
        asset: 'OX',
        tokenId: undefined,
        transactionPrecision: 8,
        minDeposit: 1n,
        minWithdrawal: 1n,
        burnFee: 1n,
        isFeeFree: true,
      },
    ],
  };
  return [
    assetOf('OX'),
    assetOf('USDT'),
    assetOf('BTC'),
    { kind: 'define-network', actor, network },
    { kind: 'define-market', actor, market: perpetual },
    { kind: 'define-market', actor, market: spot },
    {
      kind: 'set-index-prices',
      prices: [
        { asset: 'OX', price: usdPrice(1_000_000n) },
        { asset: 'USDT', price: usdPrice(100_000_000n) },
        { asset: 'BTC', price: usdPrice(6_000_000_000_000n) },
      ],
    },
  ];
}
