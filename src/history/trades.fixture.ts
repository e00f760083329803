import fc from 'fast-check';
import type {
  AssetDefined,
  Event,
  MarketDefined,
  OrderClosed,
  OrderMatched,
} from '../domain/events.ts';
import type { MarketSpec, PriceGrid } from '../domain/market.ts';
import type { MatchSide, OrderRecord } from '../domain/orders.ts';
import type { MarketType, Side } from '../domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  lots,
  type MarketIndex,
  ticks,
} from '../domain/units.ts';
import { ACCOUNTS, familyOf } from './outcomes.fixture.ts';

/** Markets, matches and closed orders of made-up venues, for the tests in this directory. */
export const NATIVE = 0 as AssetIndex;
export const USDT = 1 as AssetIndex;
export const BTC = 2 as AssetIndex;
export const SPOT = 0 as MarketIndex;
export const PERPETUAL = 1 as MarketIndex;

const assetDefined = (asset: AssetIndex, code: string): AssetDefined => ({
  kind: 'asset-defined',
  asset,
  spec: { code, scale: 8, loanToValue: 0n },
});

export const marketDefined = (
  market: MarketIndex,
  { version = 1, ...changes }: Partial<MarketSpec> & { readonly version?: number } = {},
): MarketDefined => ({
  kind: 'market-defined',
  market,
  version,
  spec: { ...specOf(market === SPOT ? 'SPOT' : 'FUTURE'), ...changes },
});

/** The price grid unless a test changes it. */
export const GRID: PriceGrid = { priceScale: 2, tickParts: 1n };

const specOf = (type: MarketType): MarketSpec => ({
  code: type === 'SPOT' ? 'BTC-USDT' : 'BTC-USD-SWAP-LIN',
  name: '',
  referencePair: 'BTC/USDT',
  type,
  base: 'BTC',
  counter: type === 'SPOT' ? 'USDT' : 'USD',
  ...GRID,
  quantityScale: 5,
  lotParts: 1n,
  maxOrderLots: 1_000_000,
  band: 0n,
  impactNotional: 0n,
  tiers: [],
  state: 'OPEN',
});

export const catalogue: readonly Event[] = [
  assetDefined(NATIVE, 'OX'),
  assetDefined(USDT, 'USDT'),
  assetDefined(BTC, 'BTC'),
  marketDefined(SPOT),
  marketDefined(PERPETUAL),
];

export type Sides = { readonly taker: Partial<MatchSide>; readonly maker: Partial<MatchSide> };

export const matchOf = (
  changes: Partial<Omit<OrderMatched, 'kind' | 'taker' | 'maker'>>,
  { taker, maker }: Sides,
): OrderMatched => ({
  kind: 'order-matched',
  market: SPOT,
  match: 1,
  priceTicks: ticks(100),
  lots: lots(3),
  value: amount(300n),
  takerSide: 'BUY',
  ...changes,
  taker: { ...SIDE, ...taker },
  maker: { ...SIDE, ...maker },
});

const SIDE: MatchSide = {
  orderId: 1_000_200_000_001,
  clientOrderId: 0n,
  account: 0 as AccountIndex,
  source: 11,
  openLots: lots(0),
  feeAsset: NATIVE,
  fee: amount(0n),
  realised: amount(0n),
};

export const closedOf = (
  changes: Partial<OrderRecord>,
  ending: Partial<Pick<OrderClosed, 'state' | 'reason'>> = {},
): OrderClosed => {
  const order = { ...ORDER, ...changes };
  const filledLots = lots(order.totalLots - order.openLots);
  return {
    kind: 'order-closed',
    element: 255,
    state: 'FILLED',
    reason: undefined,
    ...ending,
    order: { ...order, filledLots },
  };
};

const ORDER: OrderRecord = {
  orderId: 1_000_200_000_001,
  clientOrderId: 0n,
  account: 0 as AccountIndex,
  family: familyOf(0 as AccountIndex),
  market: SPOT,
  side: 'SELL',
  orderType: 'STOP_LIMIT',
  timeInForce: 'MAKER_ONLY',
  stpMode: 'EXPIRE_BOTH',
  triggerType: 'LAST_PRICE',
  source: 13,
  isStop: true,
  isTriggered: true,
  reduceOnly: true,
  priceTicks: ticks(6_000_000),
  stopTicks: ticks(5_900_000),
  totalLots: lots(1_000_000),
  openLots: lots(400),
  filledLots: lots(999_600),
  displayLots: lots(10),
  amountParts: amount(2n ** 61n),
  filledCost: amount(77n),
  fees: { native: amount(5n), usdt: amount(6n), other: amount(7n), otherAsset: BTC },
  createdAtMs: 1_717_000_000_000,
  lastModifiedAtMs: 1_717_000_000_001,
  lastMatchedAtMs: 1_717_000_000_002,
};

/** A match of any two accounts, possibly of one with itself, and possibly without effect. */
export const anyMatch: fc.Arbitrary<(match: number) => OrderMatched> = fc
  .record({
    market: fc.constantFrom(SPOT, PERPETUAL),
    takerSide: fc.constantFrom<Side[]>('BUY', 'SELL'),
    price: fc.integer({ min: 1, max: 20 }),
    size: fc.integer({ min: 1, max: 9 }),
    value: fc.bigInt({ min: 1n, max: 2n ** 62n - 1n }),
    accounts: fc.tuple(fc.constantFrom(...ACCOUNTS), fc.constantFrom(...ACCOUNTS)),
    fees: fc.tuple(fc.constantFrom(0n, 0n, 4n), fc.constantFrom(0n, 0n, 5n)),
    feeAsset: fc.constantFrom(NATIVE, USDT),
    realised: fc.tuple(fc.constantFrom(0n, -9n), fc.constantFrom(0n, 8n)),
    labels: fc.tuple(fc.constantFrom('', '', 'a label'), fc.constantFrom('', '', '~'.repeat(36))),
  })
  .map(({ market, takerSide, price, size, value, accounts, fees, feeAsset, realised, labels }) => {
    const sideOf = (n: 0 | 1): Partial<MatchSide> => ({
      orderId: 1_000_200_000_000 + n,
      clientOrderId: BigInt(n) * (2n ** 63n - 1n),
      account: accounts[n],
      feeAsset,
      fee: amount(fees[n]),
      realised: amount(market === SPOT ? 0n : realised[n]),
      ...(labels[n] === '' ? {} : { texts: { label: labels[n] } }),
    });
    const terms = { market, takerSide, priceTicks: ticks(price), lots: lots(size) };
    return (match) =>
      matchOf({ ...terms, match, value: amount(value) }, { taker: sideOf(0), maker: sideOf(1) });
  });
