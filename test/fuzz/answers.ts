import { connect, type Socket } from 'node:net';

/** One HTTP response as received. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * A client that sends bytes as they are and reads responses one by one. It trusts nothing: invalid data ends
 * the reading.
 */
export class ByteClient {
  readonly #port: number;
  #socket: Socket | undefined;
  #buffer = Buffer.alloc(0);
  #isClosed = true;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async #open(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#isClosed) return this.#socket;
    this.#socket?.destroy();
    this.#buffer = Buffer.alloc(0);
    this.#isClosed = false;
    const socket = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
    this.#socket = socket;
    const closed = (): void => {
      if (this.#socket !== socket) return;
      this.#isClosed = true;
      this.#wake();
    };
    socket.on('data', (bytes: Buffer) => {
      if (this.#socket !== socket) return;
      this.#buffer = Buffer.concat([this.#buffer, bytes]);
      this.#wake();
    });
    socket.on('end', closed);
    socket.on('close', closed);
    socket.on('error', closed);
    await new Promise((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', resolve);
    });
    return socket;
  }

  /** Sends, optionally in two parts, and waits for `count` responses; fewer if the connection ends. */
  async ask(bytes: Buffer, count: number, cutAt = 0): Promise<HttpAnswer[]> {
    const socket = await this.#open();
    if (cutAt > 0) {
      socket.write(bytes.subarray(0, cutAt));
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.write(bytes.subarray(cutAt));
    const answers: HttpAnswer[] = [];
    while (answers.length < count) {
      const answer = await this.#next();
      if (answer === undefined) break;
      // An interim response is not the response.
      if (answer.status >= 200) answers.push(answer);
      if (answer.headers['connection'] === 'close') this.drop();
    }
    return answers;
  }

  /** Sends everything and closes its own end; returns everything received until the other end closes. */
  async askAndEnd(bytes: Buffer): Promise<HttpAnswer[]> {
    this.drop();
    const socket = await this.#open();
    socket.end(bytes);
    const answers: HttpAnswer[] = [];
    for (;;) {
      const answer = await this.#next();
      if (answer === undefined) break;
      if (answer.status >= 200) answers.push(answer);
    }
    this.drop();
    return answers;
  }

  drop(): void {
    this.#socket?.destroy();
    this.#isClosed = true;
  }

  async #next(): Promise<HttpAnswer | undefined> {
    for (;;) {
      const taken = takeAnswer(this.#buffer, this.#isClosed);
      if (taken !== undefined) {
        this.#buffer = this.#buffer.subarray(taken.length);
        return taken.answer;
      }
      if (this.#isClosed) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(() => this.drop(), HUNG_MS);
      const woken = setTimeout(resolve, HUNG_MS + 1);
      await promise;
      clearTimeout(timer);
      clearTimeout(woken);
    }
  }
}

/** Longer than anything takes except the request timeout: a server that does not answer has hung. */
const HUNG_MS = 20_000;

function takeAnswer(
  buffer: Buffer,
  isClosed: boolean,
): { answer: HttpAnswer; length: number } | undefined {
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = buffer.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1] ?? Number.NaN);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const start = end + 4;
  if (status < 200) return { answer: { status, headers, body: '' }, length: start };
  if (headers['transfer-encoding'] === 'chunked')
    return takeChunks(buffer, start, { status, headers });
  const declared = headers['content-length'];
  const bodyEnd = declared === undefined ? buffer.length : start + Number(declared);
  if (declared === undefined && !isClosed) return undefined;
  if (buffer.length < bodyEnd && !isClosed) return undefined;
  const body = buffer.subarray(start, bodyEnd).toString('utf8');
  return { answer: { status, headers, body }, length: bodyEnd };
}

function takeChunks(buffer: Buffer, from: number, head: Omit<HttpAnswer, 'body'>) {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = buffer.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(buffer.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (buffer.length < next) return undefined;
    if (size === 0) {
      const body = Buffer.concat(parts).toString('utf8');
      return { answer: { ...head, body }, length: next };
    }
    parts.push(buffer.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
