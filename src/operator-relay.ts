import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { type Plain, pack, unpack } from './bytes/pack.ts';
import type { Transport } from './replication/log.ts';

/**
 * A standby has no engine that accepts commands, so it passes the requests of operators to the leader, over the connection
 * to the log servers: the leader's management listener is usually on its loopback address. The leader sends each request to
 * its own listener as it came, signature and Host header included, so it is authenticated there like any other.
 */
export type RelayedRequest = {
  readonly method: string;
  readonly path: string;
  /** Names and values, one after the other, as Node lists raw headers. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
};
export type RelayedResponse = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
};

type RequestMessage = RelayedRequest & { readonly inbox: string; readonly id: number };
type ResponseMessage = RelayedResponse & { readonly id: number };

/** What one request may take to the leader and back. */
const ANSWER_WITHIN_MS = 15_000;
/** The most requests that a standby has under way, and that a leader serves at a time. */
const WAITING_MAX = 64;
/** Leaves room for headers below the smallest max_payload that nodes accept. */
export const RELAYED_BYTES_MAX = 1_024 * 1_024;

/** Named after its takeover: a leader that was replaced receives nothing that is meant for the next. */
const topicOf = (writer: string): string => `operators.${writer}`;

export type RelayParts = {
  readonly transport: Transport;
  /** The writer id of the leader's takeover; undefined while no leader is known. */
  readonly leadingWriter: () => string | undefined;
  readonly after: (delayMs: number, call: () => void) => () => void;
};

/** Of a standby. */
export class OperatorRelay {
  readonly #parts: RelayParts;
  readonly #inbox = `operator-answers.${randomBytes(16).toString('hex')}`;
  readonly #waiting = new Map<number, (response: RelayedResponse | undefined) => void>();
  readonly #stop: () => void;
  #lastId = 0;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#stop = parts.transport.receive(this.#inbox, (bytes) => {
      const message = readPacked<ResponseMessage>(bytes);
      if (message !== undefined) this.#waiting.get(message.id)?.(message);
    });
  }

  /** The leader's response; why there is none otherwise. */
  async pass(request: RelayedRequest): Promise<RelayedResponse | { readonly none: string }> {
    const { transport, leadingWriter, after } = this.#parts;
    const writer = leadingWriter();
    if (writer === undefined) return { none: 'no leader is known yet' };
    if (this.#waiting.size >= WAITING_MAX) return { none: `${WAITING_MAX} requests are waiting` };
    const id = ++this.#lastId;
    const message: RequestMessage = { ...request, inbox: this.#inbox, id };
    const response = await new Promise<RelayedResponse | undefined>((resolve) => {
      const stop = after(ANSWER_WITHIN_MS, () => resolve(undefined));
      this.#waiting.set(id, (answered) => {
        stop();
        resolve(answered);
      });
      if (!transport.post(topicOf(writer), pack(message as unknown as Plain))) {
        this.#waiting.get(id)?.(undefined);
      }
    });
    this.#waiting.delete(id);
    return response ?? { none: 'the leader has not answered: whether it acted is not known' };
  }

  close(): void {
    this.#stop();
    for (const end of this.#waiting.values()) end(undefined);
  }
}

/** Of the leader: answers what standbys pass on, by its own management listener. The returned function ends it. */
export function serveRelayed(
  transport: Transport,
  writer: string,
  managementUrl: string,
): () => void {
  let serving = 0;
  return transport.receive(topicOf(writer), (bytes) => {
    const message = readPacked<RequestMessage>(bytes);
    // What is dropped here is answered by the standby after its time.
    if (message === undefined || serving >= WAITING_MAX) return;
    serving++;
    ask(managementUrl, message)
      .then((response) => {
        const answer: ResponseMessage = { ...response, id: message.id };
        transport.post(message.inbox, pack(answer as unknown as Plain));
      })
      // A request that cannot be sent, a listener that is closing: as if it were lost.
      .catch(() => undefined)
      .finally(() => serving--);
  });
}

function ask(
  managementUrl: string,
  { method, path, headers, body }: RelayedRequest,
): Promise<RelayedResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(managementUrl);
    const sent = httpRequest(
      {
        ...{ hostname: hostname.replace(/^\[|\]$/g, ''), port, method, path },
        headers: [...ownHeaders(headers), 'Connection', 'close'],
        timeout: ANSWER_WITHIN_MS,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= RELAYED_BYTES_MAX) chunks.push(chunk);
          else {
            resolve(TOO_LONG);
            sent.destroy();
          }
        });
        response.on('end', () => {
          const { statusCode = 502, rawHeaders } = response;
          const body = new Uint8Array(Buffer.concat(chunks));
          resolve({ status: statusCode, headers: ownHeaders(rawHeaders), body });
        });
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Without those that are about one connection; each of the two has its own. */
function ownHeaders(raw: readonly string[]): string[] {
  const own: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (!OF_CONNECTION.has(name.toLowerCase())) own.push(name, value);
  }
  return own;
}
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'],
]);

const TOO_LONG: RelayedResponse = {
  status: 502,
  headers: ['Content-Type', 'application/json'],
  body: new TextEncoder().encode(
    JSON.stringify({
      success: false,
      code: '000101',
      message: `this answer has more than ${RELAYED_BYTES_MAX} bytes: ask the leader or a gateway for it`,
    }),
  ),
};

/**
 * A copy. Anybody on the log servers may send anything: what is not packed, or no message, is ignored. What the
 * members of a request are is found out when it is sent, and then it is as if it were lost.
 */
function readPacked<Message extends object>(bytes: Uint8Array): Message | undefined {
  try {
    const message = unpack(bytes);
    return typeof message === 'object' && message !== null ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}
