import { notify } from '../shared/messages.tsx';
import { live, termsOf } from './feed.ts';
import type { LiquidationNote, OwnFill } from './live-state.ts';
import { priceText, sizeText } from './order-words.ts';

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

export function startOwnNews(): void {
  live.subscribe(() => {
    const { fills, liquidations } = live.get();
    if (fills.length > 0) tellFills(fills);
    tellLiquidations(liquidations);
  });
}
