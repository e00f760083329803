import type { Level } from '../order-book/levels.ts';

/** Positions of line labels, so that none covers another; and what is outside of the range. Pure. */

export type Wanted = { readonly key: string; readonly y: number };

/** From top to bottom; at one price the older first, as in the queue. */
export const byPrice = <Item extends { readonly price: number }>(items: readonly Item[]): Item[] =>
  [...items].sort((one, other) => other.price - one.price);

/** The area available for labels, from top to bottom. */
export type Room = { readonly from: number; readonly to: number };

/**
 * Pushes labels apart to at least this distance, in the order of their lines, within the area; if it is too
 * small, beyond its top.
 */
export function spread(
  wanted: readonly Wanted[],
  distance: number,
  { from, to }: Room,
): ReadonlyMap<string, number> {
  const sorted = [...wanted].sort((one, other) => one.y - other.y);
  const ys: number[] = [];
  for (const { y } of sorted) {
    const before = ys.at(-1);
    ys.push(Math.max(y, before === undefined ? from + distance / 2 : before + distance));
  }
  // Labels pushed out at the bottom move up again, and push their neighbours.
  let limit = to - distance / 2;
  for (let at = ys.length - 1; at >= 0; at--) {
    const y = Math.min(ys[at] ?? 0, limit);
    ys[at] = y;
    limit = y - distance;
  }
  return new Map(sorted.map(({ key }, at) => [key, ys[at] ?? 0]));
}

/** Some items in a row of a list that is sorted by price, the lowest first. */
export type Span = { readonly from: number; readonly to: number };

type Priced = { readonly key: string; readonly price: number };

/** Those from one price to another. A program may have thousands: they are not looked at one by one. */
export function between(sorted: readonly Priced[], lowest: number, highest: number): Span {
  const from = firstAt(sorted, (price) => price >= lowest);
  return {
    from,
    to: Math.max(
      from,
      firstAt(sorted, (price) => price > highest),
    ),
  };
}

function firstAt(sorted: readonly Priced[], isReached: (price: number) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isReached((sorted[middle] as Priced).price)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * At most this many of a span, those nearest to a price, and the one that the user holds, wherever it is; and how
 * many are left out.
 */
export function nearest<Item extends Priced>(
  sorted: readonly Item[],
  { from, to }: Span,
  of: { readonly price: number; readonly held?: string | undefined; readonly max: number },
): { readonly near: readonly Item[]; readonly more: number } {
  const { price, held, max } = of;
  const kept = held === undefined ? -1 : sorted.findIndex(({ key }) => key === held);
  const isKept = kept >= from && kept < to;
  const places = isKept ? [kept] : [];
  let above = Math.min(
    to,
    Math.max(
      from,
      firstAt(sorted, (at) => at >= price),
    ),
  );
  let below = above - 1;
  while (places.length < max && (below >= from || above < to)) {
    const [lower, upper] = [sorted[below], sorted[above]];
    const isLower =
      below >= from && (above >= to || price - (lower?.price ?? 0) <= (upper?.price ?? 0) - price);
    const at = isLower ? below-- : above++;
    if (!(isKept && at === kept)) places.push(at);
  }
  // At one price the older first.
  const near = places.sort((one, other) => one - other).map((at) => sorted[at] as Item);
  return { near, more: to - from - near.length };
}

export type Outside = { readonly key: string; readonly rank: number; readonly distance: number };

/** The most important first, then the nearest; at most this many, and how many more there are. */
export function edgeOf<Item extends Outside>(
  items: readonly Item[],
  max: number,
): { readonly shown: readonly Item[]; readonly more: number } {
  const sorted = [...items].sort(
    (one, other) => one.rank - other.rank || one.distance - other.distance,
  );
  return { shown: sorted.slice(0, max), more: Math.max(0, sorted.length - max) };
}

export type Fill = { readonly id: string; readonly isBuy: boolean; readonly atMs: number };
export type FillMark = { readonly openedAtMs: number; readonly isBuy: boolean };

/** One arrow per interval and side within a time range, oldest first. */
export function marksOf(
  fills: readonly Fill[],
  span: number,
  range: { readonly fromMs: number; readonly toMs: number },
): readonly FillMark[] {
  const found = new Map<string, FillMark>();
  for (const { isBuy, atMs } of fills) {
    const openedAtMs = Math.floor(atMs / span) * span;
    if (openedAtMs < range.fromMs || openedAtMs > range.toMs) continue;
    found.set(`${openedAtMs} ${isBuy}`, { openedAtMs, isBuy });
  }
  return [...found.values()].sort((one, other) => one.openedAtMs - other.openedAtMs);
}

export type Step = { readonly price: number; readonly total: number };

/** Cumulative size at each price, best first. */
export function stepsOf(levels: readonly Level[], isWithin: (price: number) => boolean): Step[] {
  const steps: Step[] = [];
  let total = 0;
  for (const [price, quantity] of levels) {
    if (!isWithin(price)) break;
    total += quantity;
    steps.push({ price, total });
  }
  return steps;
}

/** The prices that the depth chart shows: the middle, and how far to both sides; undefined for an empty book. */
export function depthSpan(
  asks: readonly Level[],
  bids: readonly Level[],
  tick: number,
): { readonly middle: number; readonly reach: number } | undefined {
  // A book of one side begins in the middle.
  const ask = asks[0]?.[0] ?? bids[0]?.[0];
  const bid = bids[0]?.[0] ?? ask;
  if (ask === undefined || bid === undefined) return undefined;
  const middle = (ask + bid) / 2;
  const up = (asks.at(-1)?.[0] ?? middle) - middle;
  const down = middle - (bids.at(-1)?.[0] ?? middle);
  return { middle, reach: Math.max(up, down, tick) };
}
