import { forgetMessages, notify, retell, unsay } from '../shared/messages.tsx';
import { grouped } from '../shared/number-text.ts';
import { accountsInUse, sessions } from '../shared/session.ts';
import { live, termsOf } from './feed.ts';
import { ALONE_MAX, type EndedOrders, type FilledTogether } from './live-orders.ts';
import type { LiquidationNote } from './live-state.ts';
import { orderLine, priceText, sizeText } from './order-words.ts';

/** What happens to the account is said once, on whatever route the page is. */

/**
 * Tells each of a list once; the newest is its first, and they are told in the order in which they happened. One that
 * has grown is told again: `told` is what its telling returned before.
 */
function teller<One, Told>(
  keyOf: (one: One) => unknown,
  tell: (one: One, told: Told | undefined) => Told,
): (all: readonly One[]) => void {
  let before: readonly One[] = [];
  let toldByKey = new Map<unknown, Told>();
  return (all) => {
    if (all === before) return;
    const known = new Set(before);
    before = all;
    const telling = new Map<unknown, Told>();
    for (const one of all.toReversed()) {
      const key = keyOf(one);
      const told = toldByKey.get(key);
      telling.set(key, told !== undefined && known.has(one) ? told : tell(one, told));
    }
    toldByKey = telling;
  };
}

/**
 * What one order buys of thousands is one message, which is told again with all: the others would push out everything
 * else that was said.
 */
const tellFilled = teller(
  ({ atMs, side, marketCode }: FilledTogether) => `${atMs} ${side} ${marketCode}`,
  tellFills,
);

function tellFills(filled: FilledTogether, told: readonly number[] = []): readonly number[] {
  const { side, marketCode, count, first } = filled;
  const words = side === 'BUY' ? 'Bought' : 'Sold';
  const terms = termsOf(marketCode);
  if (count <= ALONE_MAX) {
    const more = first.slice(told.length).map(({ quantity, price }) => {
      const title = `${words} ${sizeText(quantity, terms)} at ${priceText(price, terms)}`;
      return notify('good', title, terms.name).id;
    });
    return [...told, ...more];
  }
  const { quantity, lowest, highest } = filled;
  const [from, to] = [priceText(lowest, terms), priceText(highest, terms)];
  const title = `${words} ${sizeText(quantity, terms)} at ${from === to ? from : `${from} to ${to}`}`;
  const text = `${terms.name}. ${grouped(String(count))} fills`;
  const [one, ...others] = told;
  for (const other of others) unsay(other);
  if (one === undefined) return [notify('good', title, text).id];
  retell(one, title, text);
  return [one];
}

/** One rule may end hundreds at once, over several frames: that is one message, which is told again with all. */
const tellEnded = teller(({ at, why }: EndedOrders) => `${at} ${why}`, tellEnds);

function tellEnds({ why, count, first }: EndedOrders, told: number | undefined): number {
  const terms = termsOf(first.marketCode);
  const line = orderLine(first, terms);
  const [title, text] =
    count === 1
      ? [`Ended by the venue: ${line}`, `${terms.name}. ${why}`]
      : [`${count} orders ended by the venue`, `${why}. The first: ${line}`];
  if (told === undefined) return notify('warn', title, text).id;
  retell(told, title, text);
  return told;
}

/** Its fills look like any other: without this nobody would know why the venue has traded. */
const tellLiquidations = teller((note: LiquidationNote) => note, tellLiquidation);

function tellLiquidation({ hasBegun, name }: LiquidationNote): number {
  if (hasBegun) {
    return notify('bad', 'Liquidation has begun', `The venue is closing positions of ${name}.`).id;
  }
  const where = 'Each step is in History, Liquidations.';
  const text = `The venue closed positions of ${name}. ${where}`;
  return notify('bad', 'Liquidation has ended', text).id;
}

/** Whose messages they are: those of the last one who was signed in, as what they had sent may still be answered. */
let told: readonly string[] = [];

function forgetThoseOfOthers(): void {
  const accounts = accountsInUse();
  if (told.length > 0 && !accounts.some((id) => told.includes(id))) forgetMessages();
  if (accounts.length > 0) told = accounts;
}

export function startOwnNews(): void {
  sessions.subscribe(forgetThoseOfOthers);
  live.subscribe(() => {
    const { filled, ended, liquidations } = live.get();
    tellFilled(filled);
    tellEnded(ended);
    tellLiquidations(liquidations);
  });
}
