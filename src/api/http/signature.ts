import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { HmacSha256, longestMessage, roomFor } from '../../bytes/sha256.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import {
  candidates,
  hostCandidates,
  likeliestMessage,
  type SignedRequest,
} from '../../wire/signing.ts';
import { loginMessage } from '../../wire/stream.ts';
import { timestampMs, timestampText } from '../../wire/timestamp.ts';
import { dropOldest } from './drop-oldest.ts';
import { hostNames } from './hosts.ts';

/** What a request claims before its signature is checked: everything except the body. */
export type SignedHead = Omit<SignedRequest, 'timestamp' | 'nonce' | 'body'> & {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client's address. */
  readonly address: string;
  /** Our end of the connection. */
  readonly localAddress: string;
};

/** A credential that can sign: a trader's key, an operator. */
export type Credential = { readonly accessKey: string; readonly sealedSecret: Uint8Array };

/** Proved: who signed, and what the engine needs to execute the request only once. */
export type Proved<Entry extends Credential> = {
  readonly entry: Entry;
  readonly nowMs: number;
  /** First 16 bytes of the HMAC as recomputed here, base64. */
  readonly fingerprint: string;
  /** The Timestamp header, and until when it is valid. */
  readonly signedAtMs: number;
  readonly expiresAtMs: number;
  /** False when the sender signed the body alone: the query must then be ignored. */
  readonly coversQuery: boolean;
};

/** The owner of the named key, at a valid time. Nothing is proved yet. */
export type Claimant<Entry extends Credential> = {
  readonly entry: Entry;
  readonly nowMs: number;
  readonly signedAtMs: number;
  readonly head: SignedHead;
  readonly signed: SignedHeaders;
};

export type SignatureOptions<Entry extends Credential> = {
  /** Undefined for an unknown or revoked key. */
  readonly entryOf: (accessKey: string) => Entry | undefined;
  readonly nowMs: () => number;
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly toleranceMs: number;
  readonly hostAliases: readonly string[];
  /** The host that the listener was bound to; also a name of this venue. */
  readonly boundHost?: string;
  readonly trustProxy: boolean;
};

/** In two steps, so that a request can be refused or throttled before its body is read. */
export type SignatureCheck<Entry extends Credential> = {
  identify(head: SignedHead): Claimant<Entry> | Refusal;
  prove(claimant: Claimant<Entry>, body: string): Proved<Entry> | Refusal;
  /** A whole session is signed once, by its time alone. */
  proveLogin(login: LoginSent): Proved<Entry> | Refusal;
};

/** As sent; undefined if it was not. */
export type LoginSent = {
  readonly accessKey: string | undefined;
  /** Milliseconds, as digits. */
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
};

const NONCE_MAX = 128;
/** Base64 of 32 bytes, with its padding. */
const SIGNATURE_LENGTH = 44;

/**
 * Refuses in the order in which a request is read: headers, key, time, signature. An ordinary request costs
 * one HMAC, about 3 us, with a prepared key.
 */
export function createSignatureCheck<Entry extends Credential>(
  options: SignatureOptions<Entry>,
): SignatureCheck<Entry> {
  const { entryOf, toleranceMs, hostAliases, trustProxy } = options;
  const secrets = new SecretCache(options.unseal);
  const isOurs = hostNames(hostAliases, options.boundHost);
  return {
    identify(head) {
      const signed = readHeaders(head.headers);
      if ('rejected' in signed) return signed;
      const entry = entryOf(signed.accessKey);
      if (entry === undefined) return refuse('KEY_UNKNOWN');
      const nowMs = options.nowMs();
      const signedAtMs = checkTime(signed.timestamp, nowMs, toleranceMs);
      if (typeof signedAtMs === 'object') return signedAtMs;
      return { entry, nowMs, signedAtMs, head, signed };
    },
    prove(claimant, body) {
      const { nowMs, signedAtMs, head, signed } = claimant;
      // The body may have taken long to arrive: a key that was revoked meanwhile proves nothing.
      const entry = entryOf(signed.accessKey);
      if (entry === undefined) return refuse('KEY_UNKNOWN');
      const called = headerText(head.headers['host']);
      const host = isOurs(called, head.localAddress) ? called : '';
      const proof = verify(claimant, body, secrets.of(entry), { host, hostAliases, trustProxy });
      if (proof === undefined) return refuse('SIGNATURE_INVALID', hint(called, host !== ''));
      return {
        entry,
        nowMs,
        fingerprint: fingerprintOf(proof.signature),
        signedAtMs,
        expiresAtMs: signedAtMs + toleranceMs,
        coversQuery: proof.coversQuery,
      };
    },
    proveLogin({ accessKey, timestamp, signature }) {
      if (timestamp === undefined) return refuse('TIMESTAMP_REQUIRED');
      const nowMs = options.nowMs();
      const signedAtMs = checkLoginTime(timestamp, nowMs, toleranceMs);
      if (typeof signedAtMs === 'object') return signedAtMs;
      const entry = accessKey === undefined ? undefined : entryOf(accessKey);
      if (entry === undefined) return refuse('KEY_UNKNOWN');
      const expected = signatureBy(secrets.of(entry), loginMessage(timestamp));
      if (!isSame(expected, signature ?? '')) {
        return refuse('SIGNATURE_INVALID', 'sign the timestamp followed by GET/auth/self/verify');
      }
      const fingerprint = fingerprintOf(expected);
      const expiresAtMs = signedAtMs + toleranceMs;
      return { entry, nowMs, fingerprint, signedAtMs, expiresAtMs, coversQuery: true };
    },
  };
}

/** In a time that does not depend on where they differ. */
function isSame(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) {
    difference |= expected.charCodeAt(at) ^ given.charCodeAt(at);
  }
  return difference === 0;
}

const LOGIN_TIME = /^\d{1,15}$/;

function checkLoginTime(timestamp: string, nowMs: number, toleranceMs: number): number | Refusal {
  const sentAtMs = LOGIN_TIME.test(timestamp) ? Number.parseInt(timestamp, 10) : Number.NaN;
  if (Math.abs(sentAtMs - nowMs) <= toleranceMs) return sentAtMs;
  const what = Number.isNaN(sentAtMs)
    ? `${shortened(timestamp)} is no number of milliseconds`
    : `timestamp ${timestamp} is ${Math.abs(sentAtMs - nowMs)} ms ` +
      `${sentAtMs > nowMs ? 'ahead' : 'behind'}, at most ${toleranceMs} ms`;
  return refuse('TIMESTAMP_OUT_OF_RANGE', `${what}; the venue's clock is ${nowMs}`);
}

const SIGNATURE_HINT =
  'sign timestamp, nonce, method, host, path and query (GET) or body (else), joined by line feeds';

/** The Host is named because it is the most frequent difference between what was signed and what arrived. */
function hint(called: string, isOurs: boolean): string {
  const host = `Host ${JSON.stringify(shortened(called))}`;
  return isOurs
    ? `${SIGNATURE_HINT}; the request came with ${host}; more names: setting hostAliases`
    : `${host} is no name of this venue (setting hostAliases); ${SIGNATURE_HINT}`;
}

type SignedHeaders = {
  readonly accessKey: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
};

function readHeaders(headers: SignedHead['headers']): SignedHeaders | Refusal {
  const accessKey = headers['accesskey'];
  const timestamp = headers['timestamp'];
  const nonce = headers['nonce'];
  const signature = headers['signature'];
  if (!isText(accessKey)) return refuse('HEADER_MISSING', 'AccessKey');
  if (!isText(timestamp)) return refuse('HEADER_MISSING', 'Timestamp');
  if (!isText(nonce)) return refuse('HEADER_MISSING', 'Nonce');
  if (!isText(signature)) return refuse('HEADER_MISSING', 'Signature');
  if (nonce.length > NONCE_MAX) {
    return refuse(
      'PARAMETER_INVALID',
      `Nonce has ${nonce.length} characters, at most ${NONCE_MAX}`,
    );
  }
  return { accessKey, timestamp, nonce, signature };
}

const isText = (header: string | string[] | undefined): header is string =>
  typeof header === 'string' && header !== '';

function checkTime(timestamp: string, now: number, toleranceMs: number): number | Refusal {
  const sentAtMs = timestampMs(timestamp);
  const aheadMs = (sentAtMs ?? Number.NaN) - now;
  if (sentAtMs !== undefined && Math.abs(aheadMs) <= toleranceMs) return sentAtMs;
  const clock = `the venue's clock is ${timestampText(now)}`;
  const what = Number.isNaN(aheadMs)
    ? `${JSON.stringify(timestamp)} is no UTC time such as 2025-03-04T05:06:07.123Z`
    : `Timestamp ${timestamp} is ${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead' : 'behind'}, ` +
      `at most ${toleranceMs} ms`;
  return refuse('TIMESTAMP_OUT_OF_RANGE', `${what}; ${clock}`);
}

/** `signature`: as recomputed here. */
type Proof = { readonly signature: string; readonly coversQuery: boolean };
type Secret = {
  readonly sealed: Uint8Array;
  readonly short: HmacSha256;
  readonly long: KeyObject;
  /** The alias for which this key's owner last signed; tried first the next time. */
  alias: string | undefined;
};

type Hosts = {
  /** The Host header, or nothing if it does not name this venue. */
  readonly host: string;
  readonly hostAliases: readonly string[];
  readonly trustProxy: boolean;
};

function verify(
  { head, signed }: Claimant<Credential>,
  body: string,
  secret: Secret,
  { host: called, hostAliases, trustProxy }: Hosts,
): Proof | undefined {
  const given = signed.signature;
  if (given.length !== SIGNATURE_LENGTH) return undefined;
  const { method, path, query } = head;
  const { timestamp, nonce } = signed;
  const request: SignedRequest = { timestamp, nonce, method, path, query, body };
  const likeliest = secret.alias ?? called;
  if (likeliest !== '') {
    const signature = signatureBy(secret, likeliestMessage(request, likeliest));
    if (isSame(signature, given)) return { signature, coversQuery: true };
  }
  const forwarded = trustProxy ? headerText(head.headers['x-forwarded-host']) : undefined;
  const hosts = hostCandidates(called, hostAliases, forwarded);
  for (const { message, host, coversQuery } of candidates(request, hosts)) {
    const signature = signatureBy(secret, message);
    if (!isSame(signature, given)) continue;
    secret.alias = hostAliases.includes(host) ? host : undefined;
    return { signature, coversQuery };
  }
  return undefined;
}

/**
 * Node's HMAC is faster per byte, ours per call: for what most signed requests have to say, ours takes less time in
 * all.
 */
const SHORT_BYTES_MAX = longestMessage(640);
/** A text of so many characters fits in UTF-8, whatever they are. */
const shortMessage = Buffer.alloc(3 * SHORT_BYTES_MAX);
const shortRoom = roomFor(shortMessage);

/** Reused, for one message at a time. */
const shortHmac = Buffer.alloc(32);

/** The HMAC in base64. */
function signatureBy({ short, long }: Secret, message: string): string {
  const length = message.length <= SHORT_BYTES_MAX ? shortMessage.write(message) : message.length;
  if (length > SHORT_BYTES_MAX) return createHmac('sha256', long).update(message).digest('base64');
  short.write(shortRoom, length, shortHmac);
  return shortHmac.toString('base64');
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Base64 of the first 16 bytes of an HMAC, from base64 of all of it: of the last digit the upper two of six bits
 * belong to them. Encoding twice would cost as much as the rest of the check but the hash.
 */
function fingerprintOf(signature: string): string {
  const last = BASE64[BASE64.indexOf(signature.charAt(21)) & 0b110000] as string;
  return `${signature.slice(0, 21)}${last}==`;
}

const headerText = (header: string | string[] | undefined): string =>
  typeof header === 'string' ? header : '';

/**
 * A family has at most 500 live keys, but sign-ins and revoked keys make new ones all the time. Some 20 MB;
 * the oldest are unsealed again when they are used, which takes microseconds.
 */
const SECRETS_MAX = 20_000;

/** Unsealed once per key while it is here, and prepared for both kinds of message. */
class SecretCache {
  readonly #unseal: (sealed: Uint8Array) => Uint8Array;
  readonly #byAccessKey = new Map<string, Secret>();

  constructor(unseal: (sealed: Uint8Array) => Uint8Array) {
    this.#unseal = unseal;
  }

  of(entry: Credential): Secret {
    const known = this.#byAccessKey.get(entry.accessKey);
    if (known !== undefined && known.sealed === entry.sealedSecret) return known;
    const sealed = entry.sealedSecret;
    const bytes = this.#unseal(sealed);
    const [short, long] = [new HmacSha256(bytes), createSecretKey(bytes)];
    const secret = { sealed, short, long, alias: undefined };
    if (this.#byAccessKey.size >= SECRETS_MAX) dropOldest(this.#byAccessKey);
    this.#byAccessKey.set(entry.accessKey, secret);
    return secret;
  }
}
