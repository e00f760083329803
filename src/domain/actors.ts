import type { KeyIndex } from './units.ts';

/** Who is behind a command. */

/**
 * The signed request behind a command. The core checks the key again, because it may have been revoked
 * between the edge and the engine, and it lets the same signed POST take effect only once.
 */
export type SignedBy = {
  readonly key: KeyIndex;
  /**
   * First 16 bytes of the recomputed HMAC, as base64; for a stream command that its sender has named, `id:`
   * and a hash of the name. Absent where repeats are harmless.
   */
  readonly fingerprint?: string;
  /** The Timestamp header: requests are remembered by it, whatever the tolerance is or was. */
  readonly signedAtMs?: number;
  /** Timestamp header + tolerance: until then the fingerprint is remembered, after that the request is refused. */
  readonly expiresAtMs?: number;
};

/** The signed request of an operator: it takes effect at most once, like a trader's. */
export type SignedOnce = {
  readonly fingerprint: string;
  readonly signedAtMs: number;
  readonly expiresAtMs: number;
};

/** The operator, as recorded in the journal; and the signed request, unless it was done on the machine itself. */
export type ByOperator = { readonly actor: string; readonly once?: SignedOnce };

/** Operators name accounts by family and name; traders' commands contain indexes. */
export type AccountName = { readonly family: string; readonly name: string };
