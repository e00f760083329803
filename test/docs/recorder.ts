import { WebSocket } from 'ws';
import type { RialtoClient } from '../../src/client/index.ts';
import { hmacBase64, importSecret } from '../../src/client/secret.ts';
import type { RecordedCall, StreamTalk } from '../../src/wire/docs/recording.ts';
import type { Endpoint, RequestOf } from '../../src/wire/endpoint.ts';
import { loginMessage, STREAM_PATH } from '../../src/wire/stream.ts';
import type { RecordedVenue } from './recorded-venue.ts';
import { scrubbed } from './scrub.ts';

/** Calls a running venue and records requests and responses. */
export class Recorder {
  readonly calls: RecordedCall[] = [];

  /** Returns `data`, or the whole failure where it is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: the scenario takes ids out of whatever came
  async call(client: RialtoClient, endpoint: Endpoint, request: object): Promise<any> {
    const prepared = await client.prepare(endpoint, request as RequestOf<Endpoint>);
    const { url, method, headers, body } = prepared;
    const sent = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
    const response = await fetch(url, sent);
    const answer = JSON.parse(await response.text());
    this.calls.push({
      endpoint: `${method} ${endpoint.path}`,
      request: scrubbed('code' in request ? { ...request, code: '123456' } : request) as object,
      status: response.status,
      answer: scrubbed(answer, new URL(url).host) as object,
    });
    return answer.success === true ? answer.data : answer;
  }
}

/** One connection, with everything sent and received. */
export class Talk {
  readonly lines: StreamTalk['lines'][number][] = [];
  readonly #venue: RecordedVenue;
  readonly #socket: WebSocket;
  readonly #received: string[] = [];
  #isQuiet = false;

  constructor(venue: RecordedVenue) {
    this.#venue = venue;
    this.#socket = new WebSocket(`ws://127.0.0.1:${venue.port}${STREAM_PATH}`);
    this.#socket.on('message', (data: Buffer) => void this.#received.push(data.toString()));
  }

  /** Waits for the greeting, which is not recorded again. */
  opened(): Promise<void> {
    return this.quietly(async () => void (await this.receive(({ event }) => event === 'Welcome')));
  }

  /** Runs without recording. */
  async quietly(run: () => Promise<void>): Promise<void> {
    this.#isQuiet = true;
    await run();
    this.#isQuiet = false;
  }

  send(message: object): void {
    this.#keep('client', message);
    this.#socket.send(JSON.stringify(message));
  }

  /** The next matching message; earlier ones are dropped. Time passes while it waits. */
  async receive(fits: (message: Received) => boolean): Promise<Received> {
    for (let tries = 0; tries < RECEIVED_WITHIN_SECONDS; ) {
      const text = this.#received.shift();
      if (text === undefined) {
        tries++;
        await this.#venue.second();
        continue;
      }
      const message = text.startsWith('{') ? (JSON.parse(text) as Received) : {};
      if (!fits(message)) continue;
      this.#keep('venue', message);
      return message;
    }
    throw new Error(`nothing of the kind was heard: ${fits.toString()}`);
  }

  async login(venue: RecordedVenue, key: { accessKey: string; secret: string }): Promise<void> {
    const timestamp = String(venue.nowMs());
    const signature = await hmacBase64(await importSecret(key.secret), loginMessage(timestamp));
    this.send({ op: 'login', tag: '1', data: { apiKey: key.accessKey, timestamp, signature } });
    await this.receive(({ event }) => event === 'login');
  }

  close(): void {
    this.#socket.terminate();
  }

  #keep(from: 'client' | 'venue', message: object): void {
    if (!this.#isQuiet) this.lines.push({ from, message: atOnce(scrubbed(message)) as object });
  }
}

/** By the venue's clock. */
const RECEIVED_WITHIN_SECONDS = 2_000;

/** How much time passes until a message arrives differs between runs, so all times are set to one instant. */
const atOnce = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\b17\d{11}\b/g, '1767630000000')
      .replace(/\b17\d{14}\b/g, '1767630000000001'),
  );

// biome-ignore lint/suspicious/noExplicitAny: messages are of many kinds
export type Received = Record<string, any>;
