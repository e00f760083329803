import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type Refusal, refuse } from '../domain/rejections.ts';
import type { Permission } from '../domain/terms.ts';
import type { AccountIndex, FamilyIndex, KeyIndex } from '../domain/units.ts';
import type { Directory, KeyEntry } from '../domain/views.ts';
import { ACCESS_NEEDS, type Access } from '../wire/endpoint.ts';
import {
  candidates,
  hostCandidates,
  likeliestMessage,
  type SignedRequest,
} from '../wire/signing.ts';
import { timestampMs, timestampText } from '../wire/timestamp.ts';

/** Who signed, and what the engine needs in order to let the request take effect only once. */
export type Caller = {
  readonly key: KeyIndex;
  readonly accessKey: string;
  readonly account: AccountIndex;
  readonly family: FamilyIndex;
  readonly isMain: boolean;
  readonly permissions: readonly Permission[];
  /** First 16 bytes of the HMAC as recomputed here, base64. */
  readonly fingerprint: string;
  /** Timestamp + tolerance: later the same bytes are refused anyway. */
  /** The Timestamp header, and until when it counts. */
  readonly signedAtMs: number;
  readonly expiresAtMs: number;
  /** False when the sender signed the body alone: the query must then be ignored. */
  readonly coversQuery: boolean;
};

export type Claim = Omit<SignedRequest, 'timestamp' | 'nonce'> & {
  readonly access: Access;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
};

export type Authenticator = (claim: Claim) => Caller | Refusal;

export type AuthenticatorOptions = {
  readonly directory: Directory;
  readonly nowMs: () => number;
  readonly unseal: (sealed: Uint8Array) => Uint8Array;
  readonly toleranceMs: number;
  readonly hostAliases: readonly string[];
  readonly trustProxy: boolean;
};

const NONCE_MAX = 128;
/** Base64 of 32 bytes, with its padding. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Refuses in the order in which a request is read: headers, key, time, signature, then what the key
 * may do. Only who has proved to hold the secret hears that the key has expired or is bound to
 * other addresses. An ordinary request costs one HMAC, about 3 us, with a key prepared once.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { directory, nowMs, toleranceMs } = options;
  const secrets = new SecretCache(options.unseal);
  return (claim) => {
    const headers = readHeaders(claim.headers);
    if ('rejected' in headers) return headers;
    const entry = directory.keyByAccess(headers.accessKey);
    if (entry === undefined || entry.isRevoked) return refuse('KEY_UNKNOWN');
    const now = nowMs();
    const sentAtMs = checkTime(headers.timestamp, now, toleranceMs);
    if (typeof sentAtMs === 'object') return sentAtMs;
    const proof = verify(claim, headers, secrets.of(entry), options);
    if (proof === undefined) return refuse('SIGNATURE_INVALID', SIGNATURE_HINT);
    return callerOf({ entry, claim, proof, now, signedAtMs: sentAtMs, toleranceMs, directory });
  };
}

const SIGNATURE_HINT =
  'sign timestamp, nonce, method, host, path and query (GET) or body (else), joined by line feeds';

type SignedHeaders = {
  readonly accessKey: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
};

function readHeaders(headers: Claim['headers']): SignedHeaders | Refusal {
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

type Proof = { readonly hmac: Buffer; readonly coversQuery: boolean };
type Secret = {
  readonly sealed: Uint8Array;
  readonly key: KeyObject;
  /** The alias this key's owner last signed for; tried first the next time. */
  alias: string | undefined;
};

function verify(
  claim: Claim,
  headers: SignedHeaders,
  secret: Secret,
  options: AuthenticatorOptions,
): Proof | undefined {
  if (!SIGNATURE.test(headers.signature)) return undefined;
  const given = Buffer.from(headers.signature, 'base64');
  const { method, path, query, body } = claim;
  const { timestamp, nonce } = headers;
  const request: SignedRequest = { timestamp, nonce, method, path, query, body };
  const hostHeader = headerText(claim.headers['host']);
  const first = hmacOf(secret.key, likeliestMessage(request, secret.alias ?? hostHeader));
  if (timingSafeEqual(first, given)) return { hmac: first, coversQuery: true };
  const forwarded = options.trustProxy ? headerText(claim.headers['x-forwarded-host']) : undefined;
  const hosts = hostCandidates(hostHeader, options.hostAliases, forwarded);
  for (const { message, host, coversQuery } of candidates(request, hosts)) {
    const hmac = hmacOf(secret.key, message);
    if (!timingSafeEqual(hmac, given)) continue;
    secret.alias = options.hostAliases.includes(host) ? host : undefined;
    return { hmac, coversQuery };
  }
  return undefined;
}

const hmacOf = (key: KeyObject, message: string): Buffer =>
  createHmac('sha256', key).update(message).digest();

const headerText = (header: string | string[] | undefined): string =>
  typeof header === 'string' ? header : '';

type Proved = {
  readonly entry: KeyEntry;
  readonly claim: Claim;
  readonly proof: Proof;
  readonly now: number;
  readonly signedAtMs: number;
  readonly toleranceMs: number;
  readonly directory: Directory;
};

function callerOf({
  entry,
  claim,
  proof,
  now,
  signedAtMs,
  toleranceMs,
  directory,
}: Proved): Caller | Refusal {
  if (entry.expiresAtMs !== undefined && now > entry.expiresAtMs) {
    return refuse('KEY_UNKNOWN', 'the key has expired');
  }
  if (entry.addresses !== undefined && !entry.addresses.includes(claim.address)) {
    return refuse('ADDRESS_NOT_ALLOWED', claim.address);
  }
  const account = directory.account(entry.account);
  if (account === undefined) return refuse('KEY_UNKNOWN');
  const needs = ACCESS_NEEDS[claim.access];
  if (needs !== undefined && !mayDo(entry.permissions, needs.permission)) {
    return refuse('PERMISSION_MISSING', `the key may not ${needs.permission}`);
  }
  if (needs?.parentOnly === true && !account.isMain) {
    return refuse('PERMISSION_MISSING', 'only a key of the main account may do this');
  }
  return {
    key: entry.key,
    accessKey: entry.accessKey,
    account: entry.account,
    family: account.family,
    isMain: account.isMain,
    permissions: entry.permissions,
    fingerprint: proof.hmac.toString('base64', 0, 16),
    signedAtMs,
    expiresAtMs: signedAtMs + toleranceMs,
    coversQuery: proof.coversQuery,
  };
}

/** Every key may read, and one that may withdraw may trade. */
const mayDo = (permissions: readonly Permission[], needed: Permission): boolean =>
  needed === 'read' ||
  permissions.includes(needed) ||
  (needed === 'trade' && permissions.includes('withdraw'));

/** Unsealed once per key: a KeyObject makes an HMAC twice as fast as a secret given as text. */
class SecretCache {
  readonly #unseal: (sealed: Uint8Array) => Uint8Array;
  readonly #byAccessKey = new Map<string, Secret>();

  constructor(unseal: (sealed: Uint8Array) => Uint8Array) {
    this.#unseal = unseal;
  }

  of(entry: KeyEntry): Secret {
    const known = this.#byAccessKey.get(entry.accessKey);
    if (known !== undefined && known.sealed === entry.sealedSecret) return known;
    const sealed = entry.sealedSecret;
    const secret = { sealed, key: createSecretKey(this.#unseal(sealed)), alias: undefined };
    this.#byAccessKey.set(entry.accessKey, secret);
    return secret;
  }
}
