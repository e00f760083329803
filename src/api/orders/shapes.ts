import { floorDiv, textFromParts } from '../../domain/decimal.ts';
import { accountIdText, entryIdText } from '../../domain/ids.ts';
import {
  type MarketSpec,
  type PriceGrid,
  priceText,
  quantityText,
  withGrid,
} from '../../domain/market.ts';
import type { OrderTexts, TextName } from '../../domain/order-layout.ts';
import { NAME_LIST, TEXT_LIST } from '../../domain/order-texts.ts';
import { matchIdText, type OrderFees, type OrderRecord, openState } from '../../domain/orders.ts';
import { REJECTIONS, type Refusal } from '../../domain/rejections.ts';
import { NATIVE_ASSET, type Notice, type OrderState, SOURCES } from '../../domain/terms.ts';
import { type AccountIndex, type AssetIndex, NATIVE_PER_USD } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { ClosedOrderRow, ListedOrderRow } from '../../history/history.ts';
import type { getClosedOrders } from '../../wire/closed-orders.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type {
  cancelOrders,
  getOrderStatus,
  getWorkingOrders,
  placeOrders,
} from '../../wire/orders.ts';
import { type Members, membersOf, textOf } from '../request/members.ts';
import type { OrderEnd, OrderStanding } from '../request/outcome.ts';

/**
 * Orders in the shapes of the interface. Quantities of the engine have at least one decimal, prices those of
 * their tick; members that do not apply are left out.
 */
export type PlaceShape = ReplyOf<typeof placeOrders>[number];
export type CancelShape = ReplyOf<typeof cancelOrders>[number];
type OrderShape = ReplyOf<typeof getOrderStatus>;
type ClosedShape = ReplyOf<typeof getClosedOrders>[number];
type WorkingShape = ReplyOf<typeof getWorkingOrders>[number];

/** The state of an order after everything its request caused. */
export function placeShape(directory: Directory, standing: OrderStanding): PlaceShape {
  const { order, state } = standing;
  const text = textsOf(directory, order);
  return {
    notice: noticeOf(standing),
    accountId: accountIdText(order.account),
    ...closedByRule(standing),
    orderId: String(order.orderId),
    submitted: true,
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    marketCode: text.spec.code,
    status: state,
    side: order.side,
    ...text.prices,
    isTriggered: order.isTriggered,
    quantity: isByAmount(order) ? '0.0' : text.quantity(order.totalLots),
    amount: text.amount,
    displayQuantity: text.quantity(order.displayLots),
    remainQuantity: text.quantity(order.openLots),
    ...matchShape(directory, standing),
    orderType: order.orderType,
    ...text.conditions,
    timeInForce: order.timeInForce,
    source: String(order.source),
    createdAt: String(order.createdAtMs),
    lastModifiedAt: String(order.lastModifiedAtMs),
    ...timeIf('lastMatchedAt', order.lastMatchedAtMs),
  };
}

/** A smaller answer, not an earlier one. A MARKET order shows its protective price. */
export function ackShape(directory: Directory, { order }: OrderStanding): PlaceShape {
  const text = textsOf(directory, order);
  return {
    accountId: accountIdText(order.account),
    orderId: String(order.orderId),
    submitted: true,
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    marketCode: text.spec.code,
    side: order.side,
    price: text.price(order.priceTicks),
    ...(order.isStop ? { stopPrice: text.price(order.stopTicks) } : {}),
    isTriggered: order.isTriggered,
    ...(order.amountParts > 0n
      ? { amount: text.amount }
      : { quantity: quantityText(text.spec, order.totalLots) }),
    orderType: order.orderType,
    ...text.conditions,
    timeInForce: order.timeInForce,
    createdAt: String(order.createdAtMs),
    selfTradePreventionMode: order.stpMode,
    source: String(order.source),
  };
}

/** Whose order was refused, and when. */
export type RefusedFor = { readonly account: AccountIndex; readonly timeMs: number };
/** A new order has values by default; a change leaves what it does not name as it is. */
export type RefusedOrderFor = RefusedFor & { readonly isNew: boolean };

/** The first members of every refused element. */
const refusedHead = ({ rejected, message }: Refusal, account: AccountIndex) =>
  ({
    accountId: accountIdText(account),
    code: REJECTIONS[rejected].code,
    message,
    submitted: false,
  }) as const;

/** A refused order is repeated as it was sent, because there is no order to show. */
export function refusedShape(refusal: Refusal, sent: unknown, about: RefusedOrderFor): PlaceShape {
  const { account, timeMs, isNew } = about;
  const members = membersOf(sent);
  const isMarket = textOf(members, 'orderType')?.endsWith('MARKET') === true;
  const echo = <Name extends keyof PlaceShape>(name: Name, ...aliases: string[]) => {
    const found = [name, ...aliases].find((alias) => textOf(members, alias) !== undefined);
    return found === undefined ? {} : { [name]: textOf(members, found) as string };
  };
  return {
    ...refusedHead(refusal, account),
    ...echo('orderId'),
    ...echo('clientOrderId'),
    ...echoed(members, TEXT_LIST),
    ...echo('marketCode'),
    ...echo('side'),
    ...echo('price', 'limitPrice'),
    ...echo('stopPrice', 'triggerPrice'),
    ...echo('quantity'),
    ...echo('amount'),
    ...echo('displayQuantity'),
    ...echo('orderType'),
    ...echo('triggerType'),
    ...(isNew ? { timeInForce: isMarket ? ('IOC' as const) : ('GTC' as const) } : {}),
    ...echo('timeInForce'),
    createdAt: String(timeMs),
    source: String(SOURCES.REST),
    ...(isNew ? { selfTradePreventionMode: 'NONE' as const } : {}),
    ...echo('selfTradePreventionMode'),
  };
}

/** Texts of a refused order, as they were sent. */
function echoed(members: Members, list: readonly { readonly name: TextName }[]): OrderTexts {
  const sent = list.flatMap(({ name }) => {
    const value = textOf(members, name);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(sent) as OrderTexts;
}

export function cancelShape(
  directory: Directory,
  { order, state }: OrderStanding,
  timeMs: number,
): CancelShape {
  const text = textsOf(directory, order);
  const { orderType } = order;
  return {
    notice: 'OrderClosed',
    ...cancelAckShape(directory, order, timeMs),
    status: state,
    side: order.side,
    ...text.prices,
    isTriggered: order.isTriggered,
    quantity: text.quantity(order.totalLots),
    amount: text.amount,
    displayQuantity: text.quantity(order.displayLots),
    remainQuantity: text.quantity(order.openLots),
    orderType: orderType === 'STOP_LIMIT' ? 'STOP' : orderType,
    ...text.conditions,
    timeInForce: order.timeInForce,
  };
}

export const cancelAckShape = (
  directory: Directory,
  order: OrderRecord,
  timeMs: number,
): CancelShape => ({
  accountId: accountIdText(order.account),
  orderId: String(order.orderId),
  submitted: true,
  clientOrderId: String(order.clientOrderId),
  ...order.texts,
  marketCode: directory.market(order.market).code,
  closedAt: String(timeMs),
});

export function cancelRefusedShape(
  refusal: Refusal,
  sent: unknown,
  { account, timeMs }: RefusedFor,
): CancelShape {
  const members = membersOf(sent);
  const echo = (name: 'orderId' | 'clientOrderId' | 'marketCode') => {
    const value = textOf(members, name);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...refusedHead(refusal, account),
    ...echo('orderId'),
    ...echo('clientOrderId'),
    ...echoed(members, NAME_LIST),
    ...echo('marketCode'),
    closedAt: String(timeMs),
  };
}

export function openOrderShape(directory: Directory, order: OrderRecord): OrderShape {
  const status = order.filledLots > 0 ? 'PARTIAL_FILL' : 'OPEN';
  return orderShape(directory, order, status);
}

export function closedOrderShape(directory: Directory, row: ClosedOrderRow): OrderShape {
  if (row.state === 'FILLED') return orderShape(directory, row.order, 'FILLED', row.grid);
  const shape = orderShape(directory, row.order, 'CANCELED', row.grid);
  return { ...shape, canceledAt: String(row.closedAtMs) };
}

/** The same with how and why it ended. */
export const closedOrderRowShape = (directory: Directory, row: ListedOrderRow): ClosedShape => ({
  id: entryIdText(row.id),
  ...closedOrderShape(directory, row),
  closeStatus: row.state,
  ...(row.reason === undefined
    ? {}
    : { code: REJECTIONS[row.reason].code, message: REJECTIONS[row.reason].message }),
  closedAt: String(row.closedAtMs),
});

function orderShape(
  directory: Directory,
  order: OrderRecord,
  status: OrderShape['status'],
  grid?: PriceGrid,
): OrderShape {
  const text = textsOf(directory, order, grid);
  const fees = feesShape(directory, order.fees);
  return {
    orderId: String(order.orderId),
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    marketCode: text.spec.code,
    status,
    side: order.side,
    ...text.prices,
    isTriggered: order.isTriggered,
    remainQuantity: text.quantity(order.openLots),
    totalQuantity: text.quantity(order.totalLots),
    // Clients take an amount other than "0" for the cost of the order.
    amount: order.amountParts === 0n ? '0' : text.amount,
    displayQuantity: text.quantity(order.displayLots),
    cumulativeMatchedQuantity: order.filledLots === 0 ? '0' : text.quantity(order.filledLots),
    ...(order.filledLots === 0 ? {} : { avgFillPrice: averageText(directory, order) }),
    ...(fees.length === 0 ? {} : { fees }),
    orderType: order.orderType,
    ...text.conditions,
    timeInForce: order.timeInForce,
    source: String(order.source),
    createdAt: String(order.createdAtMs),
    lastModifiedAt: String(order.lastModifiedAtMs),
    ...timeIf('lastMatchedAt', order.lastMatchedAtMs),
  };
}

export function workingShape(directory: Directory, order: OrderRecord): WorkingShape {
  const text = textsOf(directory, order);
  return {
    orderId: String(order.orderId),
    clientOrderId: String(order.clientOrderId),
    ...order.texts,
    marketCode: text.spec.code,
    status: openState(order) === 'OPEN' ? 'OPEN' : 'PARTIALLY_FILLED',
    side: order.side,
    ...text.prices,
    isTriggered: order.isTriggered,
    quantity: text.quantity(order.totalLots),
    remainQuantity: text.quantity(order.openLots),
    matchedQuantity: text.quantity(order.filledLots),
    amount: text.amount,
    displayQuantity: text.quantity(order.displayLots),
    orderType: order.orderType,
    ...text.conditions,
    timeInForce: order.timeInForce,
    source: String(order.source),
    createdAt: String(order.createdAtMs),
    lastModifiedAt: String(order.lastModifiedAtMs),
    ...timeIf('lastMatchedAt', order.lastMatchedAtMs),
  };
}

/** Prices have the decimals of the tick, at least one. */
export const enginePrice = (spec: MarketSpec, priceTicks: number): string =>
  priceText(spec, priceTicks, Math.max(1, spec.priceScale));

/** The asset a market settles in: what values, amounts and costs of its orders are counted in. */
export function settleAssetOf(directory: Directory, spec: MarketSpec): AssetIndex {
  const code = spec.type === 'SPOT' ? spec.counter : NATIVE_ASSET;
  return directory.assetByCode(code) as AssetIndex;
}

/** `grid` is the tick in which the order's prices are counted, if the market may have another by now. */
function textsOf(directory: Directory, order: OrderRecord, grid?: PriceGrid) {
  const market = directory.market(order.market);
  const spec = grid === undefined ? market : withGrid(market, grid);
  const price = (priceTicks: number): string => enginePrice(spec, priceTicks);
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const hasLimit = order.orderType === 'LIMIT' || order.orderType === 'STOP_LIMIT';
  return {
    spec,
    price,
    prices: {
      ...(hasLimit ? { price: price(order.priceTicks) } : {}),
      ...(order.isStop ? { stopPrice: price(order.stopTicks) } : {}),
    },
    conditions: conditionsOf(order),
    amount: textFromParts(order.amountParts, scale, 1),
    quantity: (lots: number): string => quantityText(spec, lots, 1),
  };
}

/** Only an order that was placed with reduceOnly, an extension, shows it. */
export const conditionsOf = ({ isStop, triggerType, reduceOnly }: OrderRecord) => ({
  ...(isStop ? { triggerType } : {}),
  ...(reduceOnly ? { reduceOnly } : {}),
});

/** An order that spends an amount has no quantity of its own. */
export const isByAmount = (order: OrderRecord): boolean =>
  order.orderType === 'MARKET' && order.amountParts > 0n;

export function noticeOf({ state, order, isModified }: OrderStanding): Notice {
  if (isCanceled(state)) return 'OrderClosed';
  if (isModified) return 'OrderModified';
  return order.filledLots > 0 ? 'OrderMatched' : 'OrderOpened';
}

const isCanceled = (state: OrderState): boolean =>
  state !== 'OPEN' && state !== 'PARTIAL_FILL' && state !== 'FILLED';

/** Clients take a code for a rejection, so an order with any fill shows none. */
export function closedByRule({ reason, order }: OrderEnd): Pick<PlaceShape, 'code' | 'message'> {
  if (reason === undefined || order.filledLots > 0) return {};
  const { code, message } = REJECTIONS[reason];
  return { code, message };
}

/** The last match, and the totals of all matches so far. */
function matchShape(directory: Directory, { order, match }: OrderStanding): Partial<PlaceShape> {
  if (match === undefined) return {};
  const { event, side } = match;
  const spec = directory.market(event.market);
  const feeAsset = directory.asset(side.feeAsset);
  return {
    matchId: matchIdText(event.market, event.match),
    matchPrice: enginePrice(spec, event.priceTicks),
    matchQuantity: quantityText(spec, event.lots, 1),
    feeInstrumentId: feeAsset.code,
    fees: textFromParts(side.fee, feeAsset.scale, 1),
    cumulativeMatchedQuantity: quantityText(spec, order.filledLots, 1),
    avgFillPrice: averageText(directory, order),
  };
}

export const AVERAGE_DIGITS = 8;

/** cost / quantity, rounded down to 8 digits. For display: nothing is ever computed from it. */
function averageText(directory: Directory, order: OrderRecord): string {
  const spec = directory.market(order.market);
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const perUnit = spec.type === 'FUTURE' ? NATIVE_PER_USD : 1n;
  const quantityParts = BigInt(order.filledLots) * spec.lotParts;
  const dividend = order.filledCost * 10n ** BigInt(spec.quantityScale + AVERAGE_DIGITS);
  const divisor = quantityParts * perUnit * 10n ** BigInt(scale);
  return textFromParts(floorDiv(dividend, divisor), AVERAGE_DIGITS, 1);
}

const feesShape = (directory: Directory, fees: OrderFees): Record<string, string>[] =>
  feeShapes(directory, [
    [directory.assetByCode(NATIVE_ASSET), fees.native],
    [directory.assetByCode('USDT'), fees.usdt],
    [fees.otherAsset, fees.other],
  ]);

/** One object for each asset that fees were taken in. */
export function feeShapes(
  directory: Directory,
  paid: readonly (readonly [AssetIndex | undefined, bigint])[],
): Record<string, string>[] {
  return paid.flatMap(([index, parts]) => {
    if (index === undefined || parts === 0n) return [];
    const { code, scale } = directory.asset(index);
    return [{ [code]: textFromParts(parts, scale) }];
  });
}

const timeIf = <Name extends string>(name: Name, timeMs: number): { [Key in Name]?: string } =>
  (timeMs === 0 ? {} : { [name]: String(timeMs) }) as { [Key in Name]?: string };
