import { floorDiv, textFromParts } from '../domain/decimal.ts';
import { accountIdText, entryIdText } from '../domain/ids.ts';
import { quantityText } from '../domain/market.ts';
import { NATIVE_ASSET } from '../domain/terms.ts';
import { type AccountIndex, type AssetIndex, NATIVE_PER_USD, USD_SCALE } from '../domain/units.ts';
import type { AccountView, BalanceView, Directory, PositionView } from '../domain/views.ts';
import type { TransferRow, WalletEntryRow } from '../history/history.ts';
import type { getAccount, getBalances, getPositions } from '../wire/account.ts';
import type { ReplyOf } from '../wire/endpoint.ts';
import type { getTransfers } from '../wire/transfers.ts';
import type { getWallet } from '../wire/wallet.ts';

/** Events, views and rows as the shapes that REST and stream share: numbers become text here. */

type AccountShape = ReplyOf<typeof getAccount>[number];
type BalanceShape = ReplyOf<typeof getBalances>[number]['balances'][number];
type PositionShape = ReplyOf<typeof getPositions>[number]['positions'][number];
type WalletEntryShape = ReplyOf<typeof getWallet>[number]['walletHistory'][number];
type TransferShape = ReplyOf<typeof getTransfers>[number];

const RATIO_SCALE = 6;
const PRICE_DIGITS = 8;

export const amountText = (directory: Directory, asset: AssetIndex, parts: bigint): string =>
  textFromParts(parts, directory.asset(asset).scale);

export const ownerShape = (
  directory: Directory,
  account: AccountIndex,
): { accountId: string; name: string } => ({
  accountId: accountIdText(account),
  name: directory.account(account)?.name ?? '',
});

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

export function accountShape(directory: Directory, view: AccountView): AccountShape {
  const native = (parts: bigint): string => nativeText(directory, parts);
  return {
    ...ownerShape(directory, view.account),
    accountType: view.accountType,
    balances: view.balances.map((balance) => balanceShape(directory, balance)),
    ...(view.positions.length === 0
      ? {}
      : { positions: view.positions.map((position) => accountPosition(directory, position)) }),
    collateral: native(view.collateral),
    notionalPositionSize: native(view.notional),
    portfolioVarMargin: native(view.initialMargin),
    maintenanceMargin: native(view.maintenanceMargin),
    marginRatio: ratioText(view.marginRatio),
    riskRatio: ratioText(view.riskRatio),
    liquidating: view.liquidating,
    feeTier: String(view.feeTier),
    createdAt: String(view.createdAtMs),
  };
}

/** Both names of the time: the interface document has one, clients in the field read the other. */
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

/** No price is below zero: where only such a one would do, 0 says that none does. */
export const liquidationPriceText = ({ liquidationPrice }: PositionView): string =>
  textFromParts(liquidationPrice < 0n ? 0n : liquidationPrice, USD_SCALE);

/** cost / quantity, rounded down to 8 digits. Printed only: nothing is ever computed from it. */
function entryPriceText(directory: Directory, { market, lots, cost }: PositionView): string {
  const spec = directory.market(market);
  const quantityParts = BigInt(lots) * spec.lotParts;
  if (quantityParts === 0n) return '0';
  const dividend = cost * 10n ** BigInt(spec.quantityScale + PRICE_DIGITS);
  const divisor = quantityParts * NATIVE_PER_USD * 10n ** BigInt(nativeScale(directory));
  return textFromParts(floorDiv(dividend, divisor), PRICE_DIGITS, 1);
}

/** Native parts as text: engine figures carry a decimal, nothing is a plain 0. */
export const nativeText = (directory: Directory, parts: bigint): string =>
  parts === 0n ? '0' : textFromParts(parts, nativeScale(directory), 1);

export function nativeScale(directory: Directory): number {
  const native = directory.assetByCode(NATIVE_ASSET);
  return native === undefined ? 0 : directory.asset(native).scale;
}

const ratioText = (millionths: bigint): string =>
  millionths === 0n ? '0' : textFromParts(millionths, RATIO_SCALE, RATIO_SCALE);

export function walletEntryShape(directory: Directory, row: WalletEntryRow): WalletEntryShape {
  const time = String(row.timeMs);
  return {
    id: entryIdText(row.id),
    asset: directory.asset(row.asset).code,
    type: row.type,
    amount: amountText(directory, row.asset, row.amount),
    createdAt: time,
    'createdAt/lastUpdatedAt': time,
  };
}

type Moved = Pick<TransferRow, 'asset' | 'amount' | 'from' | 'to'>;
type MovedShape = Pick<TransferShape, 'asset' | 'quantity' | 'fromAccount' | 'toAccount'>;

/** A transfer as its answer and its history both show it. */
export const movedShape = (directory: Directory, moved: Moved): MovedShape => ({
  asset: directory.asset(moved.asset).code,
  quantity: amountText(directory, moved.asset, moved.amount),
  fromAccount: accountIdText(moved.from),
  toAccount: accountIdText(moved.to),
});

export const transferShape = (directory: Directory, row: TransferRow): TransferShape => ({
  ...movedShape(directory, row),
  id: entryIdText(row.id),
  status: 'COMPLETED',
  transferredAt: String(row.timeMs),
});
