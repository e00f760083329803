import type { CancelAll, CancelAllAfter, CancelOrders } from '../../../src/domain/commands.ts';
import type { OrderRef } from '../../../src/domain/orders.ts';
import { checkLate } from './checks.ts';
import { line } from './event-lines.ts';
import { closeOrder } from './execute.ts';
import {
  type Model,
  type ModelOrder,
  type ModelSwitch,
  marketAt,
  must,
  NO_ELEMENT,
  type Refusal,
} from './state.ts';

export function cancelOrders(model: Model, command: CancelOrders): void {
  const { account } = must(model.keys[command.by.key]);
  command.orders.forEach((ref, element) => {
    const reason = cancel(model, account, ref, element, command);
    if (reason !== undefined) model.emitted.push(line('order-refused', { element, reason }));
  });
}

function cancel(
  model: Model,
  account: number,
  ref: OrderRef,
  element: number,
  { lateAfterMs }: CancelOrders,
): Refusal {
  const order = findOrder(model, account, ref);
  if (order === undefined) return 'ORDER_NOT_FOUND';
  if (marketAt(model, order.market).state === 'HALTED') return 'MARKET_CLOSED';
  const late = checkLate(model, lateAfterMs);
  if (late !== undefined) return late;
  closeOrder(model, order, element, 'CANCELED_BY_USER');
  return undefined;
}

export function cancelAll(model: Model, { by, market, afterDisconnect }: CancelAll): void {
  const { account } = must(model.keys[by.key]);
  if (afterDisconnect) cancelForAbsent(model, account, market);
  else cancelOpen(model, account, market);
}

/**
 * 0 disarms; otherwise from a second to a day, and it replaces the switch of the same market. One that is due fires
 * all the same.
 */
export function cancelAllAfter(model: Model, { by, market, timeoutMs }: CancelAllAfter): Refusal {
  if (timeoutMs !== 0 && (timeoutMs < 1_000 || timeoutMs > 86_400_000)) return 'PARAMETER_INVALID';
  const { account } = must(model.keys[by.key]);
  const same = (one: ModelSwitch): boolean => one.account === account && one.market === market;
  const armed = model.switches.find(same);
  const atMs = timeoutMs === 0 ? undefined : model.timeMs + timeoutMs;
  if (armed !== undefined && armed.atMs <= model.timeMs) model.firedSwitches.push({ ...armed });
  if (atMs === undefined) model.switches = model.switches.filter((one) => !same(one));
  else if (armed === undefined) model.switches.push({ account, market, atMs });
  else armed.atMs = atMs;
  model.emitted.push(line('deadline-set', { account, market, atMs }));
  return undefined;
}

/** Marks due switches as fired; they cancel nothing yet, because they are processed one by one. */
export function fireSwitches(model: Model): void {
  model.firedSwitches.push(...model.switches.filter(({ atMs }) => atMs <= model.timeMs));
  model.switches = model.switches.filter(({ atMs }) => atMs > model.timeMs);
}

export function passSwitchNext(model: Model): boolean {
  const fired = model.firedSwitches.shift();
  if (fired === undefined) return false;
  const { account, market } = fired;
  model.emitted.push(line('deadline-passed', { account, market }));
  const open = model.orders.filter((order) => order.account === account);
  cancelForAbsent(model, account, market);
  // A switch of a market in which the account has no order looks at none.
  if (market !== undefined && open.every((order) => order.market !== market)) return true;
  model.passedOrders += model.orders.filter((order) => order.account === account).length;
  return true;
}

/** Its owner has gone: what a halted market keeps goes when the market opens. */
function cancelForAbsent(model: Model, account: number, market: number | undefined): void {
  for (const order of model.orders) {
    if (order.account !== account || marketAt(model, order.market).state !== 'HALTED') continue;
    if (market !== undefined && order.market !== market) continue;
    const isKnown = model.whenOpen.some(
      (one) => one.account === account && one.market === order.market,
    );
    if (!isKnown) model.whenOpen.push({ account, market: order.market });
  }
  cancelOpen(model, account, market);
}

/** A market is halted no more. */
export function fireWhenOpen(model: Model, market: number): void {
  const isOfMarket = (one: { readonly market: number }): boolean => one.market === market;
  const atMs = model.timeMs;
  model.firedSwitches.push(...model.whenOpen.filter(isOfMarket).map((one) => ({ ...one, atMs })));
  model.whenOpen = model.whenOpen.filter((one) => !isOfMarket(one));
}

/** Oldest first; a halted market keeps its orders. */
function cancelOpen(model: Model, account: number, market: number | undefined): void {
  model.orders
    .filter((order) => order.account === account)
    .filter((order) => market === undefined || order.market === market)
    .filter((order) => marketAt(model, order.market).state !== 'HALTED')
    .sort((a, b) => a.orderId - b.orderId)
    .forEach((order) => {
      closeOrder(model, order, NO_ELEMENT, 'CANCELED_BY_USER');
    });
}

/**
 * By the venue's id; if that is not found, by the client's, the newest. Or by its label alone. In this
 * market, and only own orders.
 */
export function findOrder(model: Model, account: number, ref: OrderRef): ModelOrder | undefined {
  const own = model.orders
    .filter((order) => order.account === account && order.market === ref.market)
    .sort((a, b) => b.orderId - a.orderId);
  const label = ref.named?.label;
  if (label !== undefined) return own.find((order) => order.label === label);
  return (
    own.find((order) => order.orderId === ref.orderId) ??
    own.find((order) => ref.clientOrderId !== 0n && order.clientOrderId === ref.clientOrderId)
  );
}
