import type { SignedBy } from '../../domain/actors.ts';
import { assert } from '../../domain/assert.ts';
import type { Command } from '../../domain/commands.ts';
import {
  enterRequest,
  findRequest,
  newRequestTable,
  type RequestTable,
  requestsOf,
} from './request-table.ts';

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
  readonly table: RequestTable;
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
export function firstSequenceOf(requests: Requests, by: Signature): number | undefined {
  const { fingerprint } = by;
  if (fingerprint === undefined) return undefined;
  const key = keyOf(by);
  if (!fingerprint.startsWith(NAMED)) {
    const bucket = requests.bySecond.get(secondOf(by));
    return bucket === undefined ? undefined : findRequest(bucket.table, key, fingerprint);
  }
  for (const { table } of requests.bySecond.values()) {
    const sequence = findRequest(table, key, fingerprint);
    if (sequence !== undefined) return sequence;
  }
  return undefined;
}

/** Whether it may have taken effect and been dropped since. */
export const isForgotten = (requests: Requests, by: Signature): boolean =>
  secondOf(by) <= requests.forgottenThrough;

export function remember(requests: Requests, by: Signature, sequence: number): void {
  const second = secondOf(by);
  // To the end of the second: none signed in it may be dropped while another is still valid.
  const expiresAtMs = by.expiresAtMs as number;
  const untilMs = second * 1000 + 999 + expiresAtMs - (by.signedAtMs ?? expiresAtMs);
  let bucket = requests.bySecond.get(second);
  if (bucket === undefined) {
    bucket = { untilMs, table: newRequestTable() };
    requests.bySecond.set(second, bucket);
  }
  const isNew = enterRequest(bucket.table, keyOf(by), by.fingerprint as string, sequence);
  assert(isNew, 'a signed request takes effect at most once');
  if (untilMs > bucket.untilMs) bucket.untilMs = untilMs;
  requests.count++;
}

/** Drops what has expired, once a second: checks each bucket, of which there are a few hundred. */
export function forgetExpired(requests: Requests, timeMs: number): void {
  // Time never runs backwards.
  if (timeMs - requests.sweptAt * 1000 < 1000) return;
  requests.sweptAt = Math.floor(timeMs / 1000);
  for (const [signedSecond, { untilMs, table }] of requests.bySecond) {
    if (untilMs >= timeMs) continue;
    requests.count -= table.count;
    requests.bySecond.delete(signedSecond);
    if (signedSecond > requests.forgottenThrough) requests.forgottenThrough = signedSecond;
  }
}

/** By when it was signed; commands without that time use their expiry. */
const secondOf = (by: Signature): number =>
  Math.floor((by.signedAtMs ?? (by.expiresAtMs as number)) / 1000);

/** Operators share one key in the table. */
const OPERATOR = -1;
const keyOf = ({ key }: Signature): number => (key === 'operator' ? OPERATOR : key);

/** As an older version remembered them: "key:fingerprint" or "operator:fingerprint" -> sequence. */
export type NamedBucket = {
  readonly second: number;
  readonly untilMs: number;
  readonly sequenceByName: ReadonlyMap<string, number>;
};

export const namedBuckets = ({ bySecond }: Requests): NamedBucket[] =>
  [...bySecond].map(([second, { untilMs, table }]) => ({
    second,
    untilMs,
    sequenceByName: new Map(
      requestsOf(table).map(([key, print, sequence]) => [
        `${key === OPERATOR ? 'operator' : key}:${print}`,
        sequence,
      ]),
    ),
  }));

export function addNamedBucket(
  requests: Requests,
  { second, untilMs, sequenceByName }: NamedBucket,
): void {
  const table = newRequestTable();
  for (const [name, sequence] of sequenceByName) {
    const at = name.indexOf(':');
    const key =
      name.slice(0, at) === 'operator' ? OPERATOR : Number.parseInt(name.slice(0, at), 10);
    enterRequest(table, key, name.slice(at + 1), sequence);
  }
  requests.bySecond.set(second, { untilMs, table });
  requests.count += table.count;
}
