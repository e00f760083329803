import type { Mutation } from './mutation.ts';

/** Fees. */
export const FEE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a maker pays the rate of a taker',
    rule: '4 rates and rounding',
    file: 'trading/fees.ts',
    find: 'slot === match.maker ? tier.maker : tier.taker',
    replace: 'tier.taker',
  },
  {
    name: 'the fee of a perpetual is rounded down',
    rule: '4 rates and rounding',
    file: 'trading/fees.ts',
    find: 'putTimesRatioUp(amounts, FEE, valueTimesRate, PERPETUAL_FEE)',
    replace: 'putTimesRatioDown(amounts, FEE, valueTimesRate, PERPETUAL_FEE)',
  },
  {
    name: 'a spot fee in native ignores the index of the counter asset',
    rule: '4 rates and rounding',
    file: 'trading/fees.ts',
    find: 'const top = counter.indexPrice * 10n',
    replace: 'const top = 100_000_000n * 10n',
  },
  {
    name: 'USDT is never asked for a fee',
    rule: '4 asset of the fee',
    file: 'trading/fees.ts',
    find: 'if (usdt >= 0) {',
    replace: 'if (usdt < 0) {',
  },
  {
    name: 'a fee that takes all of an asset is not covered by it',
    rule: '4 asset of the fee',
    file: 'trading/fees.ts',
    find: 'purseOf(state.ledger, account, asset)) >= fee',
    replace: 'purseOf(state.ledger, account, asset)) > fee',
  },
  {
    name: 'the fee of a perpetual in USDT is a hundredfold',
    rule: '4 asset of the fee',
    file: 'trading/fees.ts',
    find: 'FEE_ONE * NATIVE_PER_USD * 10n',
    replace: 'FEE_ONE * 10n',
  },
  {
    name: 'matches inside a family count towards its volume',
    rule: '4 tiers and volume',
    file: 'trading/settle-match.ts',
    find: 'if (one === other) return;',
    replace: '',
  },
  {
    name: 'spot volume counts as if its counter asset were a dollar',
    rule: '4 tiers and volume',
    file: 'trading/fees.ts',
    find: 'ratioOf(counter.indexPrice * hundredfold',
    replace: 'ratioOf(100_000_000n * hundredfold',
  },
  {
    name: 'what orders hold does not count for the tier',
    rule: '4 tiers and volume',
    file: 'trading/fees.ts',
    find: ' + reservedIn(state.ledger, purse)',
    replace: '',
  },
  {
    name: 'a tier needs volume and holding',
    rule: '4 tiers and volume',
    file: 'trading/fees.ts',
    find: 'volume >= terms.volume || heldUsd',
    replace: 'volume >= terms.volume && heldUsd',
  },
  {
    name: 'the volume of a day wraps',
    rule: '4 tiers and volume',
    file: 'trading/fees.ts',
    find: 'if (units < room) volumes[family]',
    replace: 'if (units >= 0n) volumes[family]',
  },
  {
    name: 'volume of days without a command is kept for ever',
    rule: '4 tiers and volume',
    file: 'trading/fees.ts',
    find: 'volumeByDay[(day - back) % VOLUME_DAYS]?.fill(0n);',
    replace: '',
  },
];
