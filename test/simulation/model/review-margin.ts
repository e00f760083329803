import { closeOrder } from './execute.ts';
import { startLiquidation } from './liquidate.ts';
import { isBelow, marginOf } from './margin.ts';
import { availableOf } from './money.ts';
import {
  isPerpetual,
  type Model,
  type ModelAccount,
  type ModelOrder,
  marketAt,
  NO_ELEMENT,
  nativeOf,
  positionOf,
  type Review,
} from './state.ts';

/**
 * Margin reviews of all accounts, from scratch: no account is remembered as safe, so this finds accounts that
 * the venue's watch misses. Returns whether an account had to be handled.
 */
export function reviewMarginNext(model: Model): boolean {
  const accountIndexes = [...model.accounts.values()].flatMap((account) =>
    needsReview(model, account) ? [account.accountIndex] : [],
  );
  const accountIndex = nextToReview(model, accountIndexes);
  if (accountIndex === undefined) return false;
  if (!isBelow(marginOf(model, accountIndex), 100n)) startLiquidation(model, accountIndex);
  else cancelRisky(model, accountIndex);
  return true;
}

function needsReview(model: Model, account: ModelAccount): boolean {
  const { accountIndex, positions, liquidation } = account;
  if (liquidation !== undefined) return false;
  const isFlat = [...positions.values()].every(({ lots }) => lots === 0);
  if (isFlat && availableOf(model, accountIndex, nativeOf(model)) >= 0n) return false;
  const margin = marginOf(model, accountIndex);
  if (!isBelow(margin, 100n)) return true;
  return !isBelow(margin, 50n) && riskiest(model, accountIndex) !== undefined;
}

function nextToReview(model: Model, accountIndexes: readonly number[]): number | undefined {
  if (accountIndexes.length === 0) return undefined;
  const at = model.reviewedByVenue.findIndex((accountIndex) =>
    accountIndexes.includes(accountIndex),
  );
  if (at < 0) return accountIndexes[0];
  model.reviewedByVenue = model.reviewedByVenue.slice(at);
  return model.reviewedByVenue[0];
}

/** Newest first, until the remaining orders only reduce. */
function cancelRisky(model: Model, accountIndex: number): void {
  for (;;) {
    const order = riskiest(model, accountIndex);
    if (order === undefined) return;
    closeOrder(model, order, NO_ELEMENT, 'CANCELED_BY_USER', 'MARGIN_TOO_LOW');
  }
}

function riskiest(model: Model, accountIndex: number): ModelOrder | undefined {
  return model.orders
    .filter((order) => order.account === accountIndex && isRisky(model, order))
    .sort((a, b) => b.orderId - a.orderId)[0];
}

/** A spot order; a perpetual one that, with all on its side, exceeds the opposite position. */
function isRisky(model: Model, order: ModelOrder): boolean {
  if (!isPerpetual(marketAt(model, order.market))) return true;
  if (order.isWaiting || order.reduceOnly) return false;
  const { lots } = positionOf(model, order.account, order.market);
  const open = model.orders
    .filter(({ account, market }) => account === order.account && market === order.market)
    .filter(({ side, isWaiting }) => side === order.side && !isWaiting)
    .reduce((sum, { openLots }) => sum + openLots, 0);
  return open > Math.max(0, order.side === 'BUY' ? -lots : lots);
}

/**
 * Orders on the closing side of a position that has shrunk, if they no longer only reduce it: the newest is
 * cancelled while there is not enough margin for all of them. Returns whether there was such a review.
 */
export function reviewClosingNext(model: Model): boolean {
  for (let review = model.reviews.shift(); review !== undefined; review = model.reviews.shift()) {
    if (testAgain(model, review)) return true;
  }
  return false;
}

function testAgain(model: Model, review: Review): boolean {
  for (let isTested = false; ; isTested = true) {
    const newest = model.orders
      .filter(({ account, market, side }) => {
        return account === review.account && market === review.market && side === review.side;
      })
      .filter((order) => isRisky(model, order))
      .sort((a, b) => b.orderId - a.orderId)[0];
    const margin = marginOf(model, review.account);
    const isCarried = margin.collateral >= margin.initial && isBelow(margin, 50n);
    if (newest === undefined) return isTested;
    if (isCarried) return true;
    closeOrder(model, newest, NO_ELEMENT, 'CANCELED_BY_USER', 'MARGIN_TOO_LOW');
    // Cancelled by this review of closing orders, so it does not indicate a margin review.
    model.reviewedByVenue.splice(model.reviewedByVenue.indexOf(review.account), 1);
  }
}
