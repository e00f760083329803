import type { Endpoint, ReplyOf, RequestOf } from '../wire/endpoint.ts';
import { queryText } from '../wire/query.ts';
import { messageToSign } from '../wire/signing.ts';
import { getTime } from '../wire/system.ts';
import { timestampText } from '../wire/timestamp.ts';
import { envelopeOf, failure, isRepeat, RialtoError } from './errors.ts';
import {
  RETRY_DEFAULTS,
  type Repeatable,
  type Retrying,
  type RetryOptions,
  retried,
} from './retry.ts';
import { hmacBase64, importSecret } from './secret.ts';

export type RialtoClientOptions = {
  /** "http://localhost:8080"; its host, with the port, is what is signed. */
  readonly baseUrl: string;
  /** Key and secret may be omitted if only public endpoints are called. */
  readonly accessKey?: string;
  readonly secret?: string;
  /** Instead of the secret: an HMAC-SHA-256 key of WebCrypto, which may be non-extractable. */
  readonly signingKey?: CryptoKey;
  /** For the methods of the sandbox: `sandboxToken` of the handout. */
  readonly sandboxToken?: string;
  /** How requests are retried that got no response or a temporary refusal; `false` to disable retries. */
  readonly retry?: RetryOptions | false;
  /** Whether a request refused for its Timestamp is signed again by the venue's clock; the default is true. */
  readonly followClock?: boolean;
  /** Timeout of one attempt; the default is 30 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
  /** Waits between attempts. */
  readonly wait?: (delayMs: number) => Promise<void>;
  readonly random?: () => number;
  readonly nonce?: () => string;
};

/** A signed request. Every retry sends the same bytes, so it takes effect once. */
export type Prepared<E extends Endpoint = Endpoint> = {
  readonly endpoint: E;
  readonly url: string;
  readonly method: Endpoint['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The response, with the relevant HTTP headers. */
export type Reply<E extends Endpoint = Endpoint> = {
  readonly data: ReplyOf<E>;
  readonly status: number;
  /** True if the venue repeated its earlier response to the same bytes. */
  readonly isRepeat: boolean;
  readonly requestId: string | undefined;
};

const TIMEOUT_MS = 30_000;
/** A smaller difference does not explain an empty 401. */
const CLOCKS_DIFFER_MS = 1_000;

/** Signs requests to any endpoint, sends them, retries where that is safe, and follows the venue's clock. */
export class SignedCaller {
  readonly #options: RialtoClientOptions;
  readonly #baseUrl: string;
  readonly #host: string;
  readonly #key: Promise<CryptoKey> | undefined;
  readonly #fetch: typeof fetch;
  readonly #retrying: Retrying | undefined;
  #clockOffsetMs = 0;

  constructor(options: RialtoClientOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/$/, '');
    this.#host = new URL(options.baseUrl).host;
    const { secret, signingKey, retry = {} } = options;
    if (signingKey !== undefined) this.#key = Promise.resolve(signingKey);
    else this.#key = secret === undefined ? undefined : importSecret(secret);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#retrying =
      retry === false
        ? undefined
        : {
            ...{ ...RETRY_DEFAULTS, ...retry },
            nowMs: () => this.#ownMs(),
            wait: options.wait ?? waitRealTime,
            random: options.random ?? Math.random,
          };
  }

  /** How far the venue's clock is ahead of the local one, if it was ever requested. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  /** Calls any endpoint. Throws RialtoError when the venue refuses. */
  async call<E extends Endpoint>(endpoint: E, request: RequestOf<E>): Promise<ReplyOf<E>> {
    try {
      return await this.#callOnce(endpoint, request);
    } catch (error) {
      if (!(await this.#wasTheClock(endpoint, error))) throw error;
      return this.#callOnce(endpoint, request);
    }
  }

  /** Signs a request without sending it. */
  async prepare<E extends Endpoint>(endpoint: E, request: RequestOf<E>): Promise<Prepared<E>> {
    const { method, path, access } = endpoint;
    const isQuery = method === 'GET';
    const query = isQuery ? queryText(request as Record<string, string | undefined>) : '';
    const body = isQuery ? undefined : JSON.stringify(request);
    const url = `${this.#baseUrl}${path}${query === '' ? '' : `?${query}`}`;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (access === 'sandbox') {
      headers['Authorization'] = `Bearer ${this.#options.sandboxToken ?? ''}`;
    } else if (access !== 'public') {
      Object.assign(headers, await this.#signed(method, path, body ?? query));
    }
    return { endpoint, url, method, headers, body };
  }

  /**
   * Sends a prepared request, once; when it is sent again, the venue returns the first response, marked as a
   * repeat.
   */
  async send<E extends Endpoint>(prepared: Prepared<E>): Promise<Reply<E>> {
    const { url, method, headers, body } = prepared;
    const response = await this.#fetch(url, {
      method,
      headers: { ...headers },
      signal: AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    });
    const envelope = envelopeOf(await response.text());
    if (envelope?.success !== true) throw failure(response, envelope);
    return {
      data: envelope.data as ReplyOf<E>,
      status: response.status,
      isRepeat: isRepeat(response),
      requestId: response.headers.get('x-request-id') ?? undefined,
    };
  }

  /** Asks for the venue's time and signs by it from now on; returns how far it is ahead, in milliseconds. */
  async syncClock(): Promise<number> {
    const requestedMs = this.#ownMs();
    const { timestamp } = await this.call(getTime, {});
    const middleMs = Math.round((requestedMs + this.#ownMs()) / 2);
    this.#clockOffsetMs = Number.parseInt(timestamp, 10) - middleMs;
    return this.#clockOffsetMs;
  }

  async #callOnce<E extends Endpoint>(endpoint: E, request: RequestOf<E>): Promise<ReplyOf<E>> {
    const prepared = await this.prepare(endpoint, request);
    const attempt = (): Promise<Reply<E>> => this.send(prepared);
    if (this.#retrying === undefined) return (await attempt()).data;
    return (await retried(attempt, repeatable(endpoint), this.#retrying)).data;
  }

  /** Whether the same request would be accepted if it were signed again by the venue's clock. */
  async #wasTheClock({ access }: Endpoint, error: unknown): Promise<boolean> {
    if (this.#options.followClock === false || access === 'public' || access === 'sandbox') {
      return false;
    }
    // With a new signature it would be another request: not while the first may have taken effect.
    if (!(error instanceof RialtoError) || error.isOutcomeUnknown) return false;
    const isTime = error.hasCode('20024');
    // Some venues send 401 without a body.
    if (!isTime && error.code !== '401') return false;
    const beforeMs = this.#clockOffsetMs;
    try {
      const nowMs = await this.syncClock();
      return isTime || Math.abs(nowMs - beforeMs) > CLOCKS_DIFFER_MS;
    } catch {
      return false;
    }
  }

  #ownMs(): number {
    return this.#options.nowMs?.() ?? Date.now();
  }

  async #signed(method: string, path: string, sixth: string): Promise<Record<string, string>> {
    if (this.#key === undefined) throw new TypeError(`${method} ${path} needs a key and a secret`);
    const timestamp = timestampText(this.#ownMs() + this.#clockOffsetMs);
    const nonce = this.#options.nonce?.() ?? crypto.randomUUID();
    const message = messageToSign({ timestamp, nonce, method, host: this.#host, path, sixth });
    const signature = await hmacBase64(await this.#key, message);
    const accessKey = this.#options.accessKey ?? '';
    return { AccessKey: accessKey, Timestamp: timestamp, Nonce: nonce, Signature: signature };
  }
}

/** The venue executes a signed request once, however often the same bytes arrive. */
function repeatable({ method, access }: Endpoint): Repeatable {
  const isReading = method === 'GET';
  return { isReading, isRepeatable: isReading || (access !== 'public' && access !== 'sandbox') };
}

const waitRealTime = (delayMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, delayMs));
