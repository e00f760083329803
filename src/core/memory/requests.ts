import type { SignedBy } from '../../domain/actors.ts';
import { assert } from '../../domain/assert.ts';
import type { Command } from '../../domain/commands.ts';

/**
 * Which signed requests have taken effect: (key, fingerprint) -> sequence, until they expire.
 *
 * The same signature means the same Timestamp header, so entries are kept in one bucket per second of it: a
 * lookup needs one bucket, and expiry drops whole buckets, so neither costs more as the venue grows older.
 * The tolerance may change across a restart; what was signed in a second that has been dropped is refused, so
 * that a wider tolerance does not make old requests valid again.
 */
export type Requests = {
  readonly bySecond: Map<number, Bucket>;
  count: number;
  /** The newest second of signing that has been forgotten. */
  forgottenThrough: number;
  /** The second in which expired requests were last dropped. */
  sweptAt: number;
};

type Bucket = {
  /** When the last of them expires. */
  untilMs: number;
  /** "key:fingerprint" or "operator:fingerprint" -> sequence. */
  readonly sequenceByName: Map<string, number>;
};

/** The key of a remembered request. Operators share one: their fingerprints come from their own secrets. */
export type Signature = Omit<SignedBy, 'key'> & { readonly key: SignedBy['key'] | 'operator' };

/** The signed request behind a command, if there is one. */
export function signatureOf(command: Command): Signature | undefined {
  if ('by' in command) return command.by;
  if ('once' in command && command.once !== undefined) return { key: 'operator', ...command.once };
  return undefined;
}

/**
 * Prefix of the fingerprint of a request that its sender has named instead of signed; no base64 begins so. It
 * has no time of signing, so it is looked up in every second within the tolerance.
 */
const NAMED = 'id:';

export const REQUESTS_MAX = 4_000_000;

export const newRequests = (): Requests => ({
  bySecond: new Map(),
  count: 0,
  forgottenThrough: -1,
  sweptAt: 0,
});

/** The sequence at which the request first took effect, if it did. */
export function firstSequenceOf(
  requests: Requests,
  by: Signature,
  name = requestName(by),
): number | undefined {
  if (by.fingerprint === undefined) return undefined;
  if (!by.fingerprint.startsWith(NAMED)) {
    return requests.bySecond.get(secondOf(by))?.sequenceByName.get(name);
  }
  for (const { sequenceByName } of requests.bySecond.values()) {
    const sequence = sequenceByName.get(name);
    if (sequence !== undefined) return sequence;
  }
  return undefined;
}

/** Whether it may have taken effect and been dropped since. */
export const isForgotten = (requests: Requests, by: Signature): boolean =>
  secondOf(by) <= requests.forgottenThrough;

export function remember(
  requests: Requests,
  by: Signature,
  sequence: number,
  name = requestName(by),
): void {
  const second = secondOf(by);
  // To the end of the second: none signed in it may be dropped while another is still valid.
  const expiresAtMs = by.expiresAtMs as number;
  const untilMs = second * 1000 + 999 + expiresAtMs - (by.signedAtMs ?? expiresAtMs);
  let bucket = requests.bySecond.get(second);
  if (bucket === undefined) {
    bucket = { untilMs, sequenceByName: new Map() };
    requests.bySecond.set(second, bucket);
  }
  const { sequenceByName } = bucket;
  const { size } = sequenceByName;
  sequenceByName.set(name, sequence);
  assert(sequenceByName.size > size, 'a signed request takes effect at most once');
  if (untilMs > bucket.untilMs) bucket.untilMs = untilMs;
  requests.count++;
}

/** Drops what has expired, once a second: checks each bucket, of which there are a few hundred. */
export function forgetExpired(requests: Requests, timeMs: number): void {
  // Time never runs backwards.
  if (timeMs - requests.sweptAt * 1000 < 1000) return;
  requests.sweptAt = Math.floor(timeMs / 1000);
  for (const [signedSecond, { untilMs, sequenceByName }] of requests.bySecond) {
    if (untilMs >= timeMs) continue;
    requests.count -= sequenceByName.size;
    requests.bySecond.delete(signedSecond);
    if (signedSecond > requests.forgottenThrough) requests.forgottenThrough = signedSecond;
  }
}

/** By when it was signed; commands without that time use their expiry. */
const secondOf = (by: Signature): number =>
  Math.floor((by.signedAtMs ?? (by.expiresAtMs as number)) / 1000);

/**
 * The key under which a request is remembered. Lookup and insertion pass the same text, which is then hashed
 * once.
 */
export const requestName = (by: Signature): string => `${by.key}:${by.fingerprint}`;
