import type { ByteWriter } from '../../bytes/pack.ts';
import { ceilDiv, floorDiv } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { LiquidationPhase } from '../../domain/events.ts';
import { BUY, SELL, type SideCode } from '../../domain/order-codes.ts';
import { SOURCES } from '../../domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  exactNumber,
  type MarketIndex,
} from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { isDone, isTradable } from '../risk/liquidation-plan.ts';
import { collateralValue, indexValue, marginOf } from '../risk/margin.ts';
import { type Account, holderRow, type Market, type State } from '../state.ts';
import { takeNow } from '../trading/system-order.ts';
import { insuranceHolds, payFromDeficit, payFromInsurance, payShortfall } from './insurance.ts';

/** After so many steps in which nothing was sold, the fund takes what is there. */
const UNSOLD_STEPS_MAX = 5;

/**
 * An account without positions that still owes native: its other holdings are turned into native,
 * counted as collateral or not, the largest first. By the books, inside the band; what they do not
 * take the fund buys at index x loan-to-value while it can; after five steps without a sale the fund
 * takes the rest, paid by the deficit. When nothing is left, the fund and then the deficit pay.
 */
export function sellCollateral(
  state: State,
  row: AccountIndex,
  account: Account,
  out: ByteWriter,
): void {
  const debt = debtOf(state, row);
  if (debt === 0n) return;
  const asset = largestHolding(state, row);
  if (asset === undefined) {
    const paid = payShortfall(state, row, debt);
    tell(state, row, 'paid-out', undefined, 0n, paid, out);
    return;
  }
  const isSold = sellByBooks(state, row, asset, debt, out);
  const isOver = isSold && isDone(marginOf(state, row, account));
  const isBought = !isOver && sellToFund(state, row, asset, out);
  account.unsoldSteps = isSold || isBought ? 0 : account.unsoldSteps + 1;
  if (isSold || isBought) return;
  if (account.unsoldSteps < UNSOLD_STEPS_MAX) {
    tell(state, row, 'nobody', asset, 0n, 0n, out);
    return;
  }
  account.unsoldSteps = 0;
  takeOver(state, row, out);
}

/** Largest first, until nothing is owed or nothing is left. */
function takeOver(state: State, row: AccountIndex, out: ByteWriter): void {
  for (;;) {
    const debt = debtOf(state, row);
    const asset = largestHolding(state, row);
    if (debt === 0n || asset === undefined) return;
    const value = collateralValue(state, asset, held(state, row, asset));
    const due = value < debt ? value : debt;
    const paid = payFromDeficit(state, row, due);
    const given = giveToFund(state, row, asset, paid, value);
    tell(state, row, 'taken-over', asset, given, paid, out);
  }
}

const debtOf = (state: State, row: AccountIndex): bigint => {
  const native = held(state, row, state.native);
  return native < 0n ? -native : 0n;
};

const held = (state: State, row: AccountIndex, asset: AssetIndex) =>
  availableIn(state.ledger, purseOf(state.ledger, row, asset));

/** By what it is worth at index, loan-to-value left out; dust that is worth nothing is none. */
function largestHolding(state: State, row: AccountIndex): AssetIndex | undefined {
  let largest: AssetIndex | undefined;
  let most = 0n;
  state.assets.forEach((_, index) => {
    const asset = index as AssetIndex;
    if (asset === state.native) return;
    const value = indexValue(state, asset, held(state, row, asset));
    if (value > most) {
      most = value;
      largest = asset;
    }
  });
  return largest;
}

/** Asset -> USDT -> native, immediate or cancel inside the band. Answers whether native came in. */
function sellByBooks(
  state: State,
  row: AccountIndex,
  asset: AssetIndex,
  debt: bigint,
  out: ByteWriter,
): boolean {
  let isSold = false;
  if (asset !== state.usdt) {
    const market = spotMarket(state, asset, state.usdt);
    if (market !== undefined) isSold = sell(state, row, market, asset, debt, out) > 0;
  }
  const market = spotMarket(state, state.native, state.usdt);
  const bought = market === undefined ? 0 : buyNative(state, row, market, debtOf(state, row), out);
  if (isSold || bought > 0) tell(state, row, 'book', asset, 0n, debt - debtOf(state, row), out);
  return isSold || bought > 0;
}

/** As many lots as the debt could need at the worst price of the band, and as there are. */
function sell(
  state: State,
  row: AccountIndex,
  index: MarketIndex,
  asset: AssetIndex,
  debt: bigint,
  out: ByteWriter,
): number {
  const market = state.markets[index] as Market;
  const { lowerTicks } = market.price;
  const there = floorDiv(held(state, row, asset), market.perLot);
  const all = indexValue(state, asset, held(state, row, asset));
  // Twice the share of the holding that the debt is worth leaves room for fees of price and rounding.
  const needed = all === 0n ? there : ceilDiv(there * 2n * debt, all);
  const lots = exactNumber(least(needed, there, BigInt(market.spec.maxOrderLots)));
  if (lots < 1 || lowerTicks < 1) return 0;
  return order(state, row, index, SELL, lots, lowerTicks, out);
}

function buyNative(
  state: State,
  row: AccountIndex,
  index: MarketIndex,
  debt: bigint,
  out: ByteWriter,
): number {
  const market = state.markets[index] as Market;
  const { upperTicks } = market.price;
  const affordable = floorDiv(held(state, row, state.usdt), BigInt(upperTicks) * market.perTickLot);
  const needed = ceilDiv(debt, market.perLot);
  const lots = exactNumber(least(affordable, needed, BigInt(market.spec.maxOrderLots)));
  return lots < 1 ? 0 : order(state, row, index, BUY, lots, upperTicks, out);
}

function order(
  state: State,
  row: AccountIndex,
  market: MarketIndex,
  side: SideCode,
  lots: number,
  priceTicks: number,
  out: ByteWriter,
): number {
  const source = SOURCES.POSITION_LIQUIDATION;
  return takeNow(state, { row, market, side, lots, priceTicks, source }, out);
}

/** The fund buys at index x loan-to-value what it can pay for. */
function sellToFund(state: State, row: AccountIndex, asset: AssetIndex, out: ByteWriter): boolean {
  const value = collateralValue(state, asset, held(state, row, asset));
  const paid = least(value, debtOf(state, row), insuranceHolds(state));
  if (paid <= 0n) return false;
  const given = giveToFund(state, row, asset, paid, value);
  payFromInsurance(state, row, paid);
  tell(state, row, 'fund', asset, given, paid, out);
  return true;
}

/** The part of the holding that a price pays for, rounded up: in the favour of the fund. */
function giveToFund(
  state: State,
  row: AccountIndex,
  asset: AssetIndex,
  price: bigint,
  value: bigint,
): bigint {
  const { ledger } = state;
  const all = held(state, row, asset);
  const parts = value === 0n ? all : ceilDiv(all * price, value);
  const to = purseOf(ledger, holderRow('insurance'), asset);
  const given = amount(parts < all ? parts : all);
  move(ledger, purseOf(ledger, row, asset), to, given, state.timeMs);
  return given;
}

function spotMarket(state: State, base: AssetIndex, counter: AssetIndex): MarketIndex | undefined {
  const index = state.markets.findIndex(
    (market) =>
      market.spec.type === 'SPOT' && market.baseAsset === base && market.settleAsset === counter,
  );
  const market = state.markets[index];
  return market !== undefined && isTradable(state, market) ? (index as MarketIndex) : undefined;
}

const least = (...values: bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));

function tell(
  state: State,
  row: AccountIndex,
  phase: LiquidationPhase,
  asset: AssetIndex | undefined,
  given: bigint,
  repaid: bigint,
  out: ByteWriter,
): void {
  encodeEvent(out, {
    kind: 'collateral-sold',
    account: row,
    phase,
    ...(asset === undefined ? {} : { asset }),
    given: amount(given),
    repaid: amount(repaid),
    debt: amount(debtOf(state, row)),
  });
}
