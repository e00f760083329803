import { wholeFromText } from '../../domain/decimal.ts';
import type { DeadlineSet } from '../../domain/events.ts';
import { CLIENT_ORDER_ID_MAX } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { CANCEL_ALL_NOTICES, SOURCES } from '../../domain/terms.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { Directory, Views } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { getClosedOrders } from '../../wire/closed-orders.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { NamesSent } from '../../wire/order-texts.ts';
import {
  cancelAllAfter,
  cancelAllOrders,
  cancelOrders,
  getOrderStatus,
  getWorkingOrders,
  MEMBERS,
  modifyOrders,
  placeOrders,
} from '../../wire/orders.ts';
import { pageOf } from '../../wire/scalars.ts';
import { type HandlerResult, type Route, route } from '../http/mount.ts';
import type { OnRefusedOrder } from '../http/observe.ts';
import { Rows } from '../http/printed-body.ts';
import { awaitHistory } from '../request/await-history.ts';
import { cancelLatenessOf, latenessOf, timesRefusal } from '../request/lateness.ts';
import type { LongReads } from '../request/long-reads.ts';
import { marketFilter } from '../request/names.ts';
import { firstOf, type OrderResult, refusalOf } from '../request/outcome.ts';
import type { MemberCheck } from '../request/strict-members.ts';
import { signedOnce, submitElements } from '../request/submit-elements.ts';
import { NO_SUCH_ORDER, readAmendment, readOrderId, readRef } from './amend-intake.ts';
import { readOrder } from './intake.ts';
import { placeText } from './place-text.ts';
import {
  ackShape,
  cancelAckShape,
  cancelRefusedShape,
  cancelShape,
  closedOrderRowShape,
  closedOrderShape,
  openOrderShape,
  type RefusedOrderFor,
  refusedShape,
  workingShape,
} from './shapes.ts';
import { readName } from './text-intake.ts';

export type OrderRouteParts = {
  readonly checkMembers: MemberCheck;
  readonly onRefused: OnRefusedOrder;
  readonly longRead: LongReads;
};

export const orderRoutes = (
  engine: Engine,
  history: History,
  { checkMembers, onRefused, longRead }: OrderRouteParts,
): Route[] => [
  route(placeOrders, ({ request, caller }) => {
    const { directory } = engine;
    const { account } = caller;
    const refusal = timesRefusal(request);
    if (refusal !== undefined) return refusal;
    return submitElements(engine, {
      read: request.orders.map(
        (sent) => checkMembers(sent, MEMBERS.order) ?? readOrder(directory, sent),
      ),
      command: (orders) => ({
        kind: 'place-orders',
        by: signedOnce(caller),
        source: caller.isSession ? SOURCES.GUI : SOURCES.REST,
        ...latenessOf(request),
        orders,
      }),
      print: counted(onRefused, placePrinter(directory, request, { account, isNew: true })),
    });
  }),

  route(modifyOrders, ({ request, caller }) => {
    const { directory } = engine;
    const refusal = timesRefusal(request);
    if (refusal !== undefined) return refusal;
    const about = { account: caller.account, isNew: false };
    return submitElements(engine, {
      read: request.orders.map(
        (sent) => checkMembers(sent, MEMBERS.amendment) ?? readAmendment(directory, sent),
      ),
      command: (orders) => ({
        kind: 'modify-orders',
        by: signedOnce(caller),
        ...latenessOf(request),
        orders,
      }),
      print: counted(onRefused, placePrinter(directory, request, about)),
    });
  }),

  route(cancelOrders, ({ request, caller }) => {
    const { directory } = engine;
    const refusal = timesRefusal(request);
    if (refusal !== undefined) return refusal;
    const { account } = caller;
    const isAck = request.responseType === 'ACK';
    return submitElements(engine, {
      read: request.orders.map(
        (sent) => checkMembers(sent, MEMBERS.ref) ?? readRef(directory, sent),
      ),
      command: (orders) => ({
        kind: 'cancel-orders',
        by: { key: caller.key },
        ...cancelLatenessOf(request),
        orders,
      }),
      print: counted(onRefused, (result, at, timeMs) => {
        if (isRefusal(result)) {
          return JSON.stringify(
            cancelRefusedShape(result, request.orders[at], { account, timeMs }),
          );
        }
        if (isAck) return JSON.stringify(cancelAckShape(directory, result.order, timeMs));
        return JSON.stringify(cancelShape(directory, result, timeMs));
      }),
    });
  }),

  route(cancelAllOrders, async ({ request, caller }) => {
    const market = marketFilter(engine.directory, request.marketCode);
    if (typeof market === 'object') return market;
    const submitted = await engine.submit({
      kind: 'cancel-all',
      by: { key: caller.key },
      ...(market === undefined ? {} : { market }),
    });
    const first = firstOf(submitted, ['refused', 'order-closed']);
    if (first?.kind === 'refused') return { rejected: first.reason, message: first.message };
    if (first !== undefined) return { data: { notice: CANCEL_ALL_NOTICES.queued } };
    const kept = await keptByHalt(engine, caller.account, market);
    return kept ?? { data: { notice: CANCEL_ALL_NOTICES.none } };
  }),

  route(getOrderStatus, ({ request, caller }) => {
    const ids = readIds(request);
    if (isRefusal(ids)) return ids;
    if (Object.keys(ids).length === 0) return refuse('ORDER_ID_REQUIRED');
    return orderStatus(engine, history, { account: caller.account, ...ids });
  }),

  route(getWorkingOrders, async ({ request, caller }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const ids = readIds(request);
    if (isRefusal(ids)) return ids;
    const beforeId = readOrderId(request.beforeId);
    if (typeof beforeId === 'object') return beforeId;
    const { account, family } = caller;
    const query = {
      account,
      ...(market === undefined ? {} : { market }),
      ...ids,
      ...(request.limit === undefined ? {} : { limit: Number.parseInt(request.limit, 10) }),
      ...(request.beforeId === undefined ? {} : { beforeId }),
    };
    const orders = await longRead(family, directory.openOrders(account), () =>
      engine.view('orders', query),
    );
    // Lists of thousands are common: printed while they are sent, so that nobody waits for it.
    const row = (at: number) => workingShape(directory, orders[at] as OrderRecord);
    return { data: new Rows(orders.length, row) };
  }),

  closedOrdersRoute(engine, history),
  cancelAllAfterRoute(engine),
];

/** Closed orders as rows of history; open ones are in /v3/orders/working. */
const closedOrdersRoute = (engine: Engine, history: History): Route =>
  route(getClosedOrders, async ({ request, caller }) => {
    const { directory } = engine;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const page = pageOf(request, getClosedOrders.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const { account } = caller;
    const rows = await history.orders({
      account,
      ...(market === undefined ? {} : { market }),
      ...page,
    });
    return { data: rows.map((row) => closedOrderRowShape(directory, row)) };
  });

const cancelAllAfterRoute = (engine: Engine): Route =>
  route(cancelAllAfter, async ({ request, caller }) => {
    const market = marketFilter(engine.directory, request.marketCode);
    if (typeof market === 'object') return market;
    const timeoutMs = Number(wholeFromText(request.timeout) ?? Number.NaN);
    if (!Number.isSafeInteger(timeoutMs)) {
      return refuse('PARAMETER_INVALID', `timeout ${request.timeout} is no number of milliseconds`);
    }
    const { outcome, isRepeat } = await engine.submit({
      kind: 'cancel-all-after',
      by: signedOnce(caller),
      ...(market === undefined ? {} : { market }),
      timeoutMs,
    });
    const refusal = refusalOf(outcome);
    if (refusal !== undefined) return { ...refusal, isRepeat };
    const set = outcome.events.find(({ kind }) => kind === 'deadline-set') as DeadlineSet;
    const data = {
      ...(request.marketCode === undefined ? {} : { marketCode: request.marketCode }),
      timeout: String(timeoutMs),
      ...(set.atMs === undefined ? {} : { cancelAt: String(set.atMs) }),
    };
    return { data, isRepeat };
  });

type Printer = (result: OrderResult, at: number, timeMs: number) => string;

/** A repeated answer counts again: the metric counts what callers are answered. */
const counted =
  (onRefused: OnRefusedOrder, print: Printer): Printer =>
  (result, at, timeMs) => {
    if (isRefusal(result)) onRefused(result.rejected);
    return print(result, at, timeMs);
  };

type ElementsSent = { readonly responseType?: string; readonly orders: readonly unknown[] };

const placePrinter =
  (
    directory: Directory,
    { orders, responseType }: ElementsSent,
    about: Omit<RefusedOrderFor, 'timeMs'>,
  ): Printer =>
  (result, at, timeMs) => {
    if (isRefusal(result)) {
      return JSON.stringify(refusedShape(result, orders[at], { ...about, timeMs }));
    }
    if (responseType === 'ACK') return JSON.stringify(ackShape(directory, result));
    return placeText(directory, result);
  };

type Ids = Pick<Views['orders']['query'], 'orderId' | 'clientOrderId' | 'named'>;

/** Only operators cancel in a halted market: an answer that nothing was found there would be wrong. */
async function keptByHalt(
  engine: Engine,
  account: AccountIndex,
  market: MarketIndex | undefined,
): Promise<Refusal | undefined> {
  const markets = await engine.view('markets', market === undefined ? {} : { market });
  for (const { market: halted, state } of markets) {
    if (state !== 'HALTED') continue;
    const [kept] = await engine.view('orders', { account, market: halted, limit: 1 });
    if (kept === undefined) continue;
    return refuse('MARKET_CLOSED', `${engine.directory.market(halted).code} is HALTED`);
  }
  return undefined;
}

/** Zero identifies no order: answers show it if there is no clientOrderId. */
function readIds(
  sent: NamesSent & { readonly orderId?: string; readonly clientOrderId?: string },
): Ids | Refusal {
  const orderId = readOrderId(sent.orderId);
  if (typeof orderId === 'object') return orderId;
  const clientOrderId = BigInt(sent.clientOrderId ?? '0');
  const named = readName(sent, orderId !== 0 || clientOrderId !== 0n);
  if (named !== undefined) return isRefusal(named) ? named : { named };
  if (clientOrderId > CLIENT_ORDER_ID_MAX) return { orderId: NO_SUCH_ORDER };
  return {
    ...(orderId === 0 ? {} : { orderId }),
    ...(clientOrderId === 0n ? {} : { clientOrderId }),
  };
}

/**
 * Open orders come from the engine, closed ones from history. If both ids are given, the venue's finds the
 * order and the caller's must agree. In this order no order can be missed: what was no longer open when the
 * engine was read is in the history that is waited for.
 */
async function orderStatus(
  engine: Engine,
  history: History,
  ask: Ids & { readonly account: AccountIndex },
): Promise<HandlerResult<ReplyOf<typeof getOrderStatus>>> {
  const { directory } = engine;
  const [open] = await engine.view('orders', { ...ask, limit: 1 });
  // Another order with the caller's id may be newer than the open one, and closed. One with its name is
  // older: the name was free when it was placed.
  if (open !== undefined && (ask.orderId !== undefined || ask.named !== undefined)) {
    return { data: openOrderShape(directory, open) };
  }
  const unavailable = await awaitHistory(engine, history);
  if (unavailable !== undefined) return unavailable;
  const closed = await history.order(ask);
  if (closed !== undefined && closed.order.orderId >= (open?.orderId ?? 0)) {
    return { data: closedOrderShape(directory, closed) };
  }
  return open === undefined
    ? refuse('RESULT_NOT_FOUND')
    : { data: openOrderShape(directory, open) };
}
