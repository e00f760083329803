import { floorDiv, textFromParts } from '../../domain/decimal.ts';
import { quantityText } from '../../domain/market.ts';
import { NATIVE_PER_USD, USD_SCALE } from '../../domain/units.ts';
import type { AccountView, BalanceView, Directory, PositionView } from '../../domain/views.ts';
import type { AccountHourRow } from '../../history/history.ts';
import type {
  getAccount,
  getAccountHistory,
  getBalances,
  getPositions,
} from '../../wire/account.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { nativeScale, nativeText, ownerShape } from '../figures.ts';
import { printedMarginRatio, printedRiskRatio, RATIO_SCALE } from '../request/ratios.ts';

type AccountShape = ReplyOf<typeof getAccount>[number];
type BalanceShape = ReplyOf<typeof getBalances>[number]['balances'][number];
type PositionShape = ReplyOf<typeof getPositions>[number]['positions'][number];

type AccountHourShape = ReplyOf<typeof getAccountHistory>[number]['history'][number];

const PRICE_DIGITS = 8;

export function balanceShape(directory: Directory, view: BalanceView): BalanceShape {
  const { code, scale } = directory.asset(view.asset);
  return {
    asset: code,
    total: textFromParts(view.available + view.reserved, scale),
    available: textFromParts(view.available, scale),
    reserved: textFromParts(view.reserved, scale),
    lastUpdatedAt: String(view.lastUpdatedAtMs),
  };
}

export function accountHourShape(directory: Directory, row: AccountHourRow): AccountHourShape {
  const native = (parts: bigint): string => nativeText(directory, parts);
  const { collateral, unrealised } = row;
  return {
    hourAt: String(row.hourMs),
    ...(collateral === undefined ? {} : { collateral: native(collateral) }),
    ...(unrealised === undefined ? {} : { unrealizedPnl: native(unrealised) }),
    realizedPnl: native(row.realised),
    funding: native(row.funding),
  };
}

export function accountShape(directory: Directory, view: AccountView): AccountShape {
  const native = (parts: bigint): string => nativeText(directory, parts);
  return {
    ...ownerShape(directory, view.account),
    accountType: view.accountType,
    balances: view.balances.map((balance) => ({
      ...balanceShape(directory, balance),
      value: native(balance.value),
      collateralValue: native(balance.collateralValue),
    })),
    ...(view.positions.length === 0
      ? {}
      : { positions: view.positions.map((position) => accountPosition(directory, position)) }),
    collateral: native(view.collateral),
    notionalPositionSize: native(view.notional),
    portfolioVarMargin: native(view.initialMargin),
    maintenanceMargin: native(view.maintenanceMargin),
    marginRatio: ratioText(printedMarginRatio(view)),
    riskRatio: ratioText(printedRiskRatio(view)),
    liquidating: view.liquidating,
    feeTier: String(view.feeTier),
    createdAt: String(view.createdAtMs),
  };
}

/** The time has two names: the published interface has one, existing clients read the other. */
export const positionShape = (directory: Directory, view: PositionView): PositionShape => ({
  ...accountPosition(directory, view),
  lastUpdated: String(view.lastUpdatedAtMs),
});

type AccountPositionShape = NonNullable<AccountShape['positions']>[number];

function accountPosition(directory: Directory, view: PositionView): AccountPositionShape {
  const spec = directory.market(view.market);
  return {
    marketCode: spec.code,
    baseAsset: spec.base,
    counterAsset: spec.counter,
    position: quantityText(spec, view.lots, spec.quantityScale),
    entryPrice: entryPriceText(directory, view),
    markPrice: textFromParts(view.mark, USD_SCALE),
    positionPnl: nativeText(directory, view.unrealised),
    estLiquidationPrice: liquidationPriceText(view),
    lastUpdatedAt: String(view.lastUpdatedAtMs),
  };
}

/** "0" when no price above zero would cause a liquidation. */
export const liquidationPriceText = ({ liquidationPrice }: PositionView): string =>
  textFromParts(liquidationPrice < 0n ? 0n : liquidationPrice, USD_SCALE);

/** cost / quantity, rounded down to 8 digits. For display only. */
function entryPriceText(directory: Directory, { market, lots, cost }: PositionView): string {
  const spec = directory.market(market);
  const quantityParts = BigInt(lots) * spec.lotParts;
  if (quantityParts === 0n) return '0';
  const dividend = cost * 10n ** BigInt(spec.quantityScale + PRICE_DIGITS);
  const divisor = quantityParts * NATIVE_PER_USD * 10n ** BigInt(nativeScale(directory));
  return textFromParts(floorDiv(dividend, divisor), PRICE_DIGITS, 1);
}

const ratioText = (millionths: bigint): string =>
  millionths === 0n ? '0' : textFromParts(millionths, RATIO_SCALE, RATIO_SCALE);
