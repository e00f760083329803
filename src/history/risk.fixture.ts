import fc from 'fast-check';
import type {
  CollateralSold,
  Event,
  FundingPaid,
  FundingSet,
  LiquidationPhase,
  LiquidationStep,
} from '../domain/events.ts';
import { type AccountIndex, amount, usdPrice } from '../domain/units.ts';
import type { LiquidationEvent } from './history.ts';
import { ACCOUNTS } from './outcomes.fixture.ts';
import { BTC, PERPETUAL, SPOT } from './trades.fixture.ts';

/** Funding and liquidations of made-up venues, for the tests in this directory. */
export const fundingSet = (changes: Partial<FundingSet> = {}): FundingSet => ({
  kind: 'funding-set',
  market: PERPETUAL,
  rate: -31_000n,
  index: usdPrice(6_000_000_000_000n),
  atMs: 0,
  seconds: 3_600,
  ...changes,
});

export const fundingPaid = (changes: Partial<FundingPaid> = {}): FundingPaid => ({
  kind: 'funding-paid',
  account: 0 as AccountIndex,
  market: PERPETUAL,
  payment: amount(-21_633_500n),
  rate: 14_000n,
  lots: -50,
  index: usdPrice(309_050_000_000n),
  ...changes,
});

export const stepOf = (changes: Partial<LiquidationStep> = {}): LiquidationStep => ({
  kind: 'liquidation-step',
  account: 0 as AccountIndex,
  market: PERPETUAL,
  phase: 'insured',
  collateral: amount(-5n),
  maintenanceMargin: amount(2n ** 61n),
  lots: -700,
  sliceLots: 140,
  bankruptcyTicks: 61_000,
  mark: usdPrice(6_100_000_000_000n),
  filledLots: 100,
  help: amount(0n),
  fee: amount(0n),
  ...changes,
});

export const soldOf = (changes: Partial<CollateralSold> = {}): CollateralSold => ({
  kind: 'collateral-sold',
  account: 0 as AccountIndex,
  phase: 'fund',
  asset: BTC,
  given: amount(0n),
  repaid: amount(40n),
  debt: amount(2n),
  ...changes,
});

export const isLiquidation = (event: Event): event is LiquidationEvent =>
  /^(liquidation-|collateral-sold)/.test(event.kind);

const anyAccount = fc.constantFrom(...ACCOUNTS);
const anyMarket = fc.constantFrom(SPOT, PERPETUAL);
const anyParts = fc.constantFrom(0n, 0n, 1n, 7n).map(amount);
const anyPhase = fc.constantFrom<LiquidationPhase[]>('nobody', 'book', 'fund', 'paid-out');

/** Any market, although only perpetuals pay funding: history does not check that. */
export const anyRisk: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ market: anyMarket, rate: fc.bigInt(-9n, 9n) }).map(fundingSet),
  fc
    .record({ account: anyAccount, market: anyMarket, payment: fc.bigInt(-2n, 2n).map(amount) })
    .map(fundingPaid),
  fc.record({ account: anyAccount, help: anyParts, fee: anyParts }).map(stepOf),
  fc.record({ account: anyAccount, phase: anyPhase, repaid: anyParts }).map(soldOf),
  fc.record({
    kind: fc.constantFrom('liquidation-started' as const, 'liquidation-ended' as const),
    account: anyAccount,
    collateral: anyParts,
    maintenanceMargin: anyParts,
  }),
);
