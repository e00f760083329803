import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { Deadline } from './deadlines.ts';

/**
 * Work that commands have caused and that is not done yet; consequences.ts drains it in a fixed order.
 * While any is left, Continue commands come before anybody else's.
 */
export type Pending = {
  /** Positions that have shrunk, as standing x 2 + side: their closing orders are reviewed. */
  readonly closingReviews: number[];
  /** Accounts whose margin may have crossed a threshold. */
  readonly marginReviews: MarginReviews;
  /** Markets whose stops may have fired. */
  readonly stopSweeps: MarketIndex[];
  /** Dead-man switches that have fired, and what waited for a market to open: these orders are to be cancelled. */
  readonly deadlines: Deadline[];
  /** Accounts in liquidation whose next step is due. */
  readonly liquidationSteps: AccountIndex[];
  /** Funding payments of the last full hour; they come before everything else. */
  readonly fundingPayments: FundingPayments[];
  /** The largest relative move of a price in this command, in 10^-9. */
  priceMove: number;
};

/** Accounts in the order in which they were marked, each at most once. */
export type MarginReviews = {
  /** Those before `from` have been taken. */
  readonly accounts: number[];
  from: number;
  /** By account: 1 while it is in the list. */
  isMarked: Uint8Array;
};

/** One side of a market that pays, or receives, funding: from which standing on. */
export type FundingPayments = {
  readonly market: MarketIndex;
  /** In 10^-9. */
  readonly rate: bigint;
  readonly isPaying: boolean;
  next: number;
};

export const newPending = (): Pending => ({
  closingReviews: [],
  marginReviews: { accounts: [], from: 0, isMarked: new Uint8Array(64) },
  stopSweeps: [],
  deadlines: [],
  liquidationSteps: [],
  fundingPayments: [],
  priceMove: 0,
});

export const hasPending = (pending: Pending): boolean =>
  pending.fundingPayments.length > 0 ||
  pending.stopSweeps.length > 0 ||
  pending.deadlines.length > 0 ||
  pending.closingReviews.length > 0 ||
  pending.marginReviews.accounts.length > 0 ||
  pending.liquidationSteps.length > 0;

/** Makes room for an account in the marks. */
export function ensureReviewable({ marginReviews }: Pending, account: number): void {
  const { isMarked } = marginReviews;
  if (account < isMarked.length) return;
  marginReviews.isMarked = new Uint8Array(Math.max(account + 1, isMarked.length * 2));
  marginReviews.isMarked.set(isMarked);
}

/** Marks the account for a margin review on the next drain. */
export function markForReview({ marginReviews }: Pending, account: number): void {
  if (marginReviews.isMarked[account] === 1) return;
  marginReviews.isMarked[account] = 1;
  marginReviews.accounts.push(account);
}

/** The next account to review, which is then no longer marked. */
export function takeMarginReview({ marginReviews }: Pending): number | undefined {
  const { accounts } = marginReviews;
  const account = accounts[marginReviews.from];
  if (account === undefined) return undefined;
  marginReviews.isMarked[account] = 0;
  // Not shifted: with all accounts due after a price crash each shift would move the whole list.
  if (++marginReviews.from === accounts.length) {
    dropFirst(accounts, accounts.length);
    marginReviews.from = 0;
  }
  return account;
}

/**
 * Removes the first elements of a list, one by one: setting its length, or splicing it, leaves compiled code.
 */
export function dropFirst(list: number[], count: number): void {
  const left = list.length - count;
  for (let at = 0; at < left; at++) list[at] = list[at + count] as number;
  while (list.length > left) list.pop();
}

/** The prices of a market have changed: its stops are checked on the next drain. */
export function sweepStops({ stopSweeps }: Pending, market: MarketIndex): void {
  if (!stopSweeps.includes(market)) stopSweeps.push(market);
}
