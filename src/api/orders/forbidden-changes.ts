import { isNamed } from '../../domain/order-texts.ts';
import type { Amendment, OrderRecord } from '../../domain/orders.ts';
import { isRefusal, type Refusal } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import { checkUnchanged, mayForbid } from './amend-intake.ts';

/**
 * Side and type of an order cannot change. Only its record has them, so it is read before the command; they
 * never change, so what was read still holds when the command runs.
 */
export async function forbiddenChanges(
  engine: Engine,
  account: AccountIndex,
  sent: readonly unknown[],
  read: readonly (Amendment | Refusal)[],
): Promise<readonly (Refusal | undefined)[]> {
  if (!sent.some(mayForbid)) return [];
  const orders = await ordersMeant(engine, account, read);
  return read.map((one, at) => {
    const order = isRefusal(one) ? undefined : orderMeant(orders, one);
    return order === undefined ? undefined : checkUnchanged(sent[at], order);
  });
}

/** An order given by the venue's id is found at once; for any other id all are searched. */
async function ordersMeant(
  engine: Engine,
  account: AccountIndex,
  read: readonly (Amendment | Refusal)[],
): Promise<readonly OrderRecord[]> {
  const amendments = read.filter((one): one is Amendment => !isRefusal(one));
  const hasId = ({ orderId, clientOrderId }: Amendment): boolean =>
    orderId !== 0 && clientOrderId === 0n;
  if (!amendments.every(hasId)) return engine.view('orders', { account });
  const found = amendments.map(({ orderId }) => engine.view('orders', { account, orderId }));
  return (await Promise.all(found)).flat();
}

const orderMeant = (
  orders: readonly OrderRecord[],
  { market, orderId, clientOrderId, named }: Amendment,
): OrderRecord | undefined => {
  const ofMarket = orders.filter((order) => order.market === market);
  if (named !== undefined) return ofMarket.find(({ texts }) => isNamed(texts, named));
  return (
    ofMarket.find((order) => order.orderId === orderId) ??
    ofMarket.find((order) => clientOrderId !== 0n && order.clientOrderId === clientOrderId)
  );
};

/**
 * A forbidden change keeps its position in the command, without naming an order. What takes part must follow
 * from the bytes alone: a repeat finds the venue changed, and must read the first outcome in the same way.
 */
export function ofNobody<Read extends Amendment | Refusal>(read: Read): Read {
  if (isRefusal(read)) return read;
  const { named: _, ...rest } = { ...read, orderId: 0, clientOrderId: 0n };
  return rest as Read;
}
