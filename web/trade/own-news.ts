import { forgetMessages, notify, retell } from '../shared/messages.tsx';
import { accountsInUse, sessions } from '../shared/session.ts';
import { live, termsOf } from './feed.ts';
import type { EndedOrders, OwnFill } from './live-orders.ts';
import type { LiquidationNote } from './live-state.ts';
import { orderLine, priceText, sizeText } from './order-words.ts';

/** What happens to the account is said once, on whatever route the page is. */

let announced = new Set<string>();

const idOf = ({ matchId, side }: OwnFill): string => `${matchId}${side}`;

/** The newest is the first; they are said in the order in which they happened. */
function tellFills(fills: readonly OwnFill[]): void {
  for (const fill of fills.toReversed()) {
    if (announced.has(idOf(fill))) continue;
    const words = fill.side === 'BUY' ? 'Bought' : 'Sold';
    const terms = termsOf(fill.marketCode);
    const size = sizeText(fill.quantity, terms);
    notify('good', `${words} ${size} at ${priceText(fill.price, terms)}`, terms.name);
  }
  announced = new Set(fills.map(idOf));
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
    const { fills, ended, liquidations } = live.get();
    if (fills.length > 0) tellFills(fills);
    tellEnded(ended);
    tellLiquidations(liquidations);
  });
}
