import { forgetMessages, notify } from '../shared/messages.tsx';
import { accountsInUse, sessions } from '../shared/session.ts';
import { live, termsOf } from './feed.ts';
import type { EndedOrder, LiquidationNote, OwnFill } from './live-state.ts';
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

let toldEnded: readonly EndedOrder[] = [];

/** One rule may end hundreds at once: that is one message. */
function tellEnded(ended: readonly EndedOrder[]): void {
  if (ended === toldEnded) return;
  const before = new Set(toldEnded);
  toldEnded = ended;
  const byWhy = new Map<string, EndedOrder[]>();
  for (const one of ended.toReversed()) {
    if (!before.has(one)) byWhy.set(one.why, [...(byWhy.get(one.why) ?? []), one]);
  }
  for (const [why, ends] of byWhy) {
    const first = ends[0] as EndedOrder;
    const terms = termsOf(first.order.marketCode);
    const line = orderLine(first.order, terms);
    if (ends.length === 1) notify('warn', `Ended by the venue: ${line}`, `${terms.name}. ${why}`);
    else notify('warn', `${ends.length} orders ended by the venue`, `${why}. The first: ${line}`);
  }
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
