import { assert } from '../../domain/assert.ts';
import { floorDiv } from '../../domain/decimal.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type MarketIndex,
  type UsdPrice,
  usdPrice,
} from '../../domain/units.ts';
import type {
  AccountView,
  BalanceView,
  PositionView,
  ValuedBalanceView,
} from '../../domain/views.ts';
import { numberAt, partsAt } from '../memory/columns.ts';
import { feeTierOf } from '../memory/family-columns.ts';
import { availableIn, purseOf, reservedIn } from '../memory/ledger.ts';
import { NO_STANDING, standingOf } from '../memory/standings.ts';
import { collateralIn, indexValue } from '../risk/collateral.ts';
import { liquidationPricesOf } from '../risk/liquidation-price.ts';
import { marginOf, marginRatioOf, RATIO_ONE } from '../risk/margin.ts';
import type { Margin } from '../risk/margin-figures.ts';
import { valueDown } from '../risk/tiers.ts';
import type { Account, Market, State } from '../state.ts';

/** The current view of one account: balances, positions, margin. */
/** Only assets the account ever touched, in the order of the catalogue. */
export function balances(state: State, account: AccountIndex, only?: AssetIndex): BalanceView[] {
  if (only !== undefined) return balanceOf(state, account, only);
  return state.assets.flatMap((_, index) => balanceOf(state, account, index as AssetIndex));
}

function balanceOf({ ledger }: State, account: AccountIndex, asset: AssetIndex): BalanceView[] {
  const purse = purseOf(ledger, account, asset);
  const lastUpdatedAtMs = ledger.touchedAtMs[purse] ?? 0;
  if (lastUpdatedAtMs === 0) return [];
  const available = availableIn(ledger, purse);
  return [{ asset, available, reserved: reservedIn(ledger, purse), lastUpdatedAtMs }];
}

function valued(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
  balance: BalanceView,
): ValuedBalanceView {
  const { asset, available, reserved } = balance;
  return {
    ...balance,
    value: amount(indexValue(state, asset, amount(available + reserved))),
    collateralValue: amount(collateralIn(state, accountIndex, account, asset)),
  };
}

export function accountView(state: State, account: AccountIndex): AccountView {
  const found = existing(state, account);
  const margin = { ...marginOf(state, account, found) };
  return {
    account,
    accountType: found.accountType,
    balances: balances(state, account).map((balance) => valued(state, account, found, balance)),
    positions: allPositions(state, account, margin),
    collateral: amount(margin.collateral),
    notional: amount(margin.notional),
    initialMargin: amount(margin.initial),
    maintenanceMargin: amount(margin.maintenance),
    marginRatio: marginRatioOf(margin),
    riskRatio: margin.initial === 0n ? 0n : floorDiv(margin.collateral * RATIO_ONE, margin.initial),
    liquidating: found.liquidating,
    feeTier: feeTierOf(state.familyColumns, found.family),
    createdAtMs: found.createdAtMs,
  };
}

/** Open positions, in the order of the catalogue. */
export function positions(state: State, account: AccountIndex, only?: MarketIndex): PositionView[] {
  if (only === undefined) return allPositions(state, account);
  const found = existing(state, account);
  const standing = heldIn(state, account, only);
  if (standing === NO_STANDING) return [];
  return [positionView(state, standing, liquidationPricesOf(state, account, found)(standing))];
}

/** `margin` is that of the account, if it is known already. */
function allPositions(state: State, account: AccountIndex, margin?: Margin): PositionView[] {
  const found = existing(state, account);
  const held = state.markets
    .map((_, index) => heldIn(state, account, index as MarketIndex))
    .filter((standing) => standing !== NO_STANDING);
  if (held.length === 0) return [];
  // Once for all of them: it costs a step for each.
  const liquidationPriceOf = liquidationPricesOf(state, account, found, margin);
  return held.map((standing) => positionView(state, standing, liquidationPriceOf(standing)));
}

/** The standing of a position that is open. */
function heldIn({ standings }: State, account: AccountIndex, market: MarketIndex): number {
  const standing = standingOf(standings, account, market);
  return standings.lots[standing] === 0 ? NO_STANDING : standing;
}

function positionView(state: State, standing: number, liquidationPrice: UsdPrice): PositionView {
  const { standings } = state;
  const index = standings.market[standing] as MarketIndex;
  const market = state.markets[index] as Market;
  const lots = numberAt(standings.lots, standing);
  const cost = partsAt(standings.cost, standing);
  return {
    market: index,
    lots,
    cost: amount(cost),
    mark: usdPrice(market.price.mark),
    unrealised: amount(valueDown(market, lots, market.price.mark) - cost),
    liquidationPrice,
    lastUpdatedAtMs: numberAt(standings.updatedAtMs, standing),
  };
}

function existing(state: State, account: AccountIndex): Account {
  const found = state.accounts[account];
  assert(found !== undefined && found !== null, 'an account index names an account');
  return found;
}
