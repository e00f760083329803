/**
 * The amounts of a match while it is settled, by their place in `Match.amounts`, in parts.
 *
 * They are in memory because a bigint is allocated on the heap when it is passed to a function that the compiler
 * does not inline, stored in a record, or assigned in two branches: two dozen times per match.
 */

/** Price x quantity, in the settlement asset. */
export const VALUE = 0;
/** The quantity in the base asset: spot only. */
export const BASE = 1;
/** What the buyer held beyond the value, for a worse price: spot only. */
export const SPARE = 2;
/** What the position that was filled last has realised, and its share of the cost. */
export const REALISED = 2;
export const SHARE = 1;
/** What each side has realised. */
export const TAKER_REALISED = 3;
export const MAKER_REALISED = 4;
/** The fee of one side, in native. */
export const FEE = 5;
/** What the match adds to a family's volume. */
export const VOLUME = 6;
/** Lots at the price of the match, or at the mark if that is higher; below 0 if it is too large to count. */
export const SIZE = 7;
