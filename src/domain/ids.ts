/**
 * Public identifiers are numbers printed as text. Internally all of them except the client's own fit into a
 * safe integer; where they differ from an index, the difference is a fixed start, so that no table of ids is
 * needed.
 */

/** The largest id that a client may choose: 2^63 - 1. It does not fit into a double, so it is a bigint. */
export const CLIENT_ORDER_ID_MAX = 9_223_372_036_854_775_807n;

const ACCOUNT_ID_START = 30_000;
const ENTRY_ID_START = 970_000_000_000_000_000n;
const WITHDRAWAL_ID_START = 980_000_000_000_000_000n;
const DEPOSIT_ID_START = 985_000_000_000_000_000n;
/** Order ids have thirteen digits; clients of this interface have never seen others. */
export const ORDER_ID_START = 1_000_200_000_000;

const WHOLE = /^(0|[1-9]\d{0,18})$/;

/** "30007" for the account with index 7. Short enough to read out, and reveals nothing. */
export const accountIdText = (accountIndex: number): string =>
  String(ACCOUNT_ID_START + accountIndex);

export function accountIndexFromText(text: string): number | undefined {
  if (!WHOLE.test(text) || text.length > 12) return undefined;
  const index = Number.parseInt(text, 10) - ACCOUNT_ID_START;
  return index >= 0 ? index : undefined;
}

/** Wallet entries, transfers and funding payments share one counter and so never collide. */
export const entryIdText = (counter: number | bigint): string =>
  (ENTRY_ID_START + BigInt(counter)).toString();

export const entryCounterFromText = (text: string): bigint | undefined =>
  counterFrom(text, ENTRY_ID_START);

export const withdrawalIdText = (counter: number): string =>
  (WITHDRAWAL_ID_START + BigInt(counter)).toString();
export const withdrawalCounterFromText = (text: string): bigint | undefined =>
  counterFrom(text, WITHDRAWAL_ID_START);

export const depositIdText = (counter: number): string =>
  (DEPOSIT_ID_START + BigInt(counter)).toString();
export const depositCounterFromText = (text: string): bigint | undefined =>
  counterFrom(text, DEPOSIT_ID_START);

/** Undefined for a text that was never an id of this kind; the ranges of the kinds are far apart. */
function counterFrom(text: string, start: bigint): bigint | undefined {
  if (!WHOLE.test(text)) return undefined;
  const counter = BigInt(text) - start;
  return counter >= 0n ? counter : undefined;
}

/** A 64-bit id as a client writes it: digits only, at most 2^63 - 1. */
export function idFromText(text: string): bigint | undefined {
  if (!WHOLE.test(text)) return undefined;
  const id = BigInt(text);
  return id <= CLIENT_ORDER_ID_MAX ? id : undefined;
}
