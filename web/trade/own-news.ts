import { forgetMessages, notify, retell, unsay } from '../shared/messages.tsx';
import { grouped } from '../shared/number-text.ts';
import { accountsInUse, sessions } from '../shared/session.ts';
import { live, termsOf } from './feed.ts';
import { ALONE_MAX, type EndedOrders, type FilledTogether } from './live-orders.ts';
import type { LiquidationNote } from './live-state.ts';
import { orderLine, priceText, sizeText } from './order-words.ts';

/** What happens to the account is said once, on whatever route the page is. */

let toldFilled: readonly FilledTogether[] = [];
/** By the command: the messages that tell it. */
let fillMessages = new Map<string, readonly number[]>();

const commandOf = ({ marketCode, side, atMs }: FilledTogether): string =>
  `${atMs} ${side} ${marketCode}`;

/**
 * The newest is the first; they are told in the order in which they happened. What one order buys of thousands is
 * one message, which is told again with all: the others would push out everything else that was said.
 */
function tellFilled(filled: readonly FilledTogether[]): void {
  if (filled === toldFilled) return;
  const before = new Set(toldFilled);
  toldFilled = filled;
  const messages = new Map<string, readonly number[]>();
  for (const one of filled.toReversed()) {
    const key = commandOf(one);
    const told = fillMessages.get(key) ?? [];
    messages.set(key, before.has(one) ? told : tellFills(one, told));
  }
  fillMessages = messages;
}

function tellFills(filled: FilledTogether, told: readonly number[]): readonly number[] {
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

let toldEnded: readonly EndedOrders[] = [];
/** By the command and the rule: the message that says it. */
let endMessages = new Map<string, number>();

const keyOf = ({ at, why }: EndedOrders): string => `${at} ${why}`;

/** One rule may end hundreds at once, over several frames: that is one message, which is told again with all. */
function tellEnded(ended: readonly EndedOrders[]): void {
  if (ended === toldEnded) return;
  const before = new Set(toldEnded);
  toldEnded = ended;
  const messages = new Map<string, number>();
  for (const ends of ended.toReversed()) {
    const key = keyOf(ends);
    const told = endMessages.get(key);
    messages.set(key, told !== undefined && before.has(ends) ? told : tellEnds(ends, told));
  }
  endMessages = messages;
}

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

let toldOf: readonly LiquidationNote[] = [];

/** Its fills look like any other: without this nobody would know why the venue has traded. */
function tellLiquidations(notes: readonly LiquidationNote[]): void {
  if (notes === toldOf) return;
  const before = new Set(toldOf);
  toldOf = notes;
  for (const note of notes.toReversed()) {
    if (!before.has(note)) tellLiquidation(note);
  }
}

function tellLiquidation({ hasBegun, name }: LiquidationNote): void {
  if (hasBegun) {
    notify('bad', 'Liquidation has begun', `The venue is closing positions of ${name}.`);
  } else {
    const where = 'Each step is in History, Liquidations.';
    notify('bad', 'Liquidation has ended', `The venue closed positions of ${name}. ${where}`);
  }
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
