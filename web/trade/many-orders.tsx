import type { ReplyOf } from '../../src/wire/endpoint.ts';
import { placeOrders } from '../../src/wire/orders.ts';
import { type Asker, askerNow } from '../shared/asker.ts';
import { confirm } from '../shared/confirm.tsx';
import { notify } from '../shared/messages.tsx';
import { isNegative } from '../shared/number-text.ts';
import { sendSurely } from '../shared/send-surely.ts';
import { clientOf, endedBy, sessions } from '../shared/session.ts';
import { live, termsOf } from './feed.ts';
import type { Position } from './live-state.ts';
import { cancelAll } from './order-acts.ts';
import { orderLine, sizeText } from './order-words.ts';
import { outcomeOf } from './ticket/outcome-words.ts';

/** Acts on many orders or positions at once, confirmed with the list of them. */

const LINES_MAX = 12;

const nameOf = (code: string): string => termsOf(code).name;

export function confirmCancel(marketCode: string | undefined): void {
  const all = [...live.get().orders.values()].filter(
    (order) => marketCode === undefined || order.marketCode === marketCode,
  );
  const where = marketCode === undefined ? '' : ` of ${nameOf(marketCode)}`;
  if (all.length === 0) {
    notify('info', `No open order${where}`);
    return;
  }
  const count = `${all.length} ${all.length === 1 ? 'order' : 'orders'}`;
  confirm({
    title: `Cancel ${count}${where}?`,
    body: (
      <List
        count={all.length}
        lines={all.slice(0, LINES_MAX).map((order) => ({
          key: order.orderId,
          words: orderLine(order, termsOf(order.marketCode)),
          beside: nameOf(order.marketCode),
        }))}
      />
    ),
    act: `Cancel ${count}`,
    run: () => cancelAll(marketCode),
  });
}

const BATCH = 8;

export function confirmCloseAll(positions: readonly Position[]): void {
  const count = `${positions.length} ${positions.length === 1 ? 'position' : 'positions'}`;
  confirm({
    title: `Close ${count} at market?`,
    body: (
      <List
        count={positions.length}
        lines={positions.slice(0, LINES_MAX).map(({ marketCode, quantity }) => ({
          key: marketCode,
          words: `${isNegative(quantity) ? 'Buy' : 'Sell'} ${sizeText(quantity, termsOf(marketCode))}`,
          beside: nameOf(marketCode),
        }))}
      />
    ),
    act: `Close ${count}`,
    run: () => closeAll(positions),
  });
}

/** Reduce-only market orders: they close positions and open none. */
async function closeAll(positions: readonly Position[]): Promise<void> {
  const { session } = sessions.get();
  if (session === undefined) return;
  const asker = askerNow(session);
  const orders = positions.map(({ marketCode, quantity }) => ({
    marketCode,
    side: isNegative(quantity) ? ('BUY' as const) : ('SELL' as const),
    orderType: 'MARKET' as const,
    quantity: quantity.replace('-', ''),
    reduceOnly: true,
  }));
  try {
    // Whoever signs out means no more of them.
    for (let at = 0; at < orders.length && asker.isHere(); at += BATCH) {
      const answers = await sendSurely(clientOf(session), {
        endpoint: placeOrders,
        request: { responseType: 'FULL', orders: orders.slice(at, at + BATCH) },
      });
      for (const answer of answers) sayIfOpen(asker, answer);
    }
  } catch (reason) {
    if (endedBy(reason)) return;
    const doubt = 'Positions may still be open.';
    asker.notifyFailure(reason, { refused: 'Not closed', unknown: 'Close not confirmed', doubt });
  }
}

/** A position may stay open although its order was taken: nobody may have wanted it at market. */
function sayIfOpen(asker: Asker, answer: ReplyOf<typeof placeOrders>[number]): void {
  const market = termsOf(answer.marketCode ?? '');
  if (answer.submitted === false) {
    asker.notify('bad', `Not closed: ${market.name}`, `${answer.code}: ${answer.message}`);
    return;
  }
  const { kind, isPart, text } = outcomeOf(answer, { ...market, words: 'Order taken' });
  if (kind === 'warn')
    asker.notify(kind, `${isPart ? 'Partly' : 'Not'} closed: ${market.name}`, text);
}

const List = (props: {
  readonly count: number;
  /** The first of them. */
  readonly lines: readonly {
    readonly key: string;
    readonly words: string;
    readonly beside: string;
  }[];
}) => (
  <table>
    <tbody>
      {props.lines.map(({ key, words, beside }) => (
        <tr key={key}>
          <td className="num">{words}</td>
          <td className="r t2">{beside}</td>
        </tr>
      ))}
      {props.count > props.lines.length ? (
        <tr>
          <td colSpan={2} className="t2">
            and {props.count - props.lines.length} more
          </td>
        </tr>
      ) : null}
    </tbody>
  </table>
);
