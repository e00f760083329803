/**
 * Entries are numbered by their position in the event log. The n-th event of the venue owns the ids 8n to 8n
 * + 7, and each entry that results from it has a fixed slot among them.
 *
 * So ids are unique across all lists, grow with time, and stay the same when history is rebuilt: they depend
 * only on the log, not on which events a version of this program lists. They stay exact in a double and below
 * eighteen digits for centuries at a million events a second.
 */
export const SLOTS = 8;

export const firstIdOf = (event: number): number => event * SLOTS;

/** A transfer is listed as itself and as a wallet entry of each side. */
export const TRANSFER_SLOT = { transfer: 0, giver: 1, taker: 2 } as const;

/** A funding payment is listed as itself and as a wallet entry. */
export const FUNDING_SLOT = { payment: 0, entry: 1 } as const;

/** An event of a liquidation is listed as itself, and by what the account received and gave. */
export const LIQUIDATION_SLOT = { event: 0, received: 1, fee: 2, given: 3 } as const;

/** Each side of a match is a trade; a trade's own id is that of its first wallet entry. */
export const TAKER_SLOT = 0;
export const MAKER_SLOT = 4;

/** Offsets from the trade's id. On a perpetual `settle` is the realised amount. */
export const TRADE_SLOT = { base: 0, settle: 1, fee: 2 } as const;
