import { assert } from '../domain/assert.ts';
import type { SignedBy } from '../domain/commands.ts';

/**
 * Which signed requests have taken effect: (key, fingerprint) -> sequence, until they expire.
 *
 * The same signature means the same Timestamp header and so the same expiry, hence entries live in
 * one bucket per expiry second: looking up needs one bucket, and forgetting drops whole buckets, so
 * neither costs more as the venue grows older.
 */
export type Requests = {
  /** Expiry second -> "key:fingerprint" -> sequence. */
  readonly bySecond: Map<number, Map<string, number>>;
  count: number;
  /** Everything that expires before this second has been forgotten. */
  forgottenBefore: number;
};

export const REQUESTS_MAX = 4_000_000;

export const newRequests = (): Requests => ({
  bySecond: new Map(),
  count: 0,
  forgottenBefore: 0,
});

/** The sequence at which the request first took effect, if it did. */
export function firstSequenceOf(requests: Requests, by: SignedBy): number | undefined {
  if (by.fingerprint === undefined) return undefined;
  return requests.bySecond.get(secondOf(by))?.get(nameOf(by));
}

export function remember(requests: Requests, by: SignedBy, sequence: number): void {
  const second = secondOf(by);
  let bucket = requests.bySecond.get(second);
  if (bucket === undefined) {
    bucket = new Map();
    requests.bySecond.set(second, bucket);
  }
  assert(!bucket.has(nameOf(by)), 'a signed request takes effect at most once');
  bucket.set(nameOf(by), sequence);
  requests.count++;
}

/**
 * Drops what has expired. The seconds in between are walked one by one, which after a long pause
 * would be many; so then the (few, at most tolerance x 2) buckets are walked instead.
 */
export function forgetExpired(requests: Requests, timeMs: number): void {
  const before = Math.floor(timeMs / 1000);
  if (before <= requests.forgottenBefore) return;
  if (before - requests.forgottenBefore <= requests.bySecond.size) {
    for (let s = requests.forgottenBefore; s < before; s++) drop(requests, s);
  } else {
    for (const second of [...requests.bySecond.keys()]) {
      if (second < before) drop(requests, second);
    }
  }
  requests.forgottenBefore = before;
}

function drop(requests: Requests, second: number): void {
  const bucket = requests.bySecond.get(second);
  if (bucket === undefined) return;
  requests.count -= bucket.size;
  requests.bySecond.delete(second);
}

const secondOf = (by: SignedBy): number => Math.floor((by.expiresAtMs as number) / 1000);
const nameOf = (by: SignedBy): string => `${by.key}:${by.fingerprint}`;
