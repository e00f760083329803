import { createHmac } from 'node:crypto';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export type Message = any;

const WAIT_MS = 120_000;

/** A plain websocket client that keeps received messages until a test asks for them. */
export class StreamClient {
  readonly received: Message[] = [];
  readonly socket: WebSocket;
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      this.received.push(text.startsWith('{') ? JSON.parse(text) : text);
      this.#look();
    });
    socket.on('close', (code: number, reason: Buffer) => {
      this.closed = { code, reason: reason.toString() };
      this.#look();
    });
    socket.on('error', () => undefined);
  }

  static async open(port: number, path = '/v2/websocket'): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(`ws://127.0.0.1:${port}${path}`));
    await client.next(({ event }) => event === 'Welcome');
    return client;
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The first matching message that was not taken before; removes it. */
  async next(fits: (message: Message) => boolean): Promise<Message> {
    let found: Message;
    await this.#until(() => {
      const at = this.received.findIndex(fits);
      if (at >= 0) [found] = this.received.splice(at, 1);
      return at >= 0;
    });
    return found;
  }

  /** The answer with a tag. */
  answer(tag: string): Promise<Message> {
    return this.next((message) => message.tag === tag);
  }

  async ask(message: object, tag: string): Promise<Message> {
    this.send({ ...message, tag });
    return this.answer(tag);
  }

  async login(key: Secret, more: object = {}): Promise<Message> {
    this.send(loginOf(key, more));
    return this.next(({ event }) => event === 'login');
  }

  async closing(): Promise<{ readonly code: number; readonly reason: string }> {
    await this.#until(() => this.closed !== undefined);
    return this.closed as { code: number; reason: string };
  }

  close(): void {
    this.socket.terminate();
  }

  #look(): void {
    for (const take of [...this.#waiting]) take();
  }

  #until(isThere: () => boolean): Promise<void> {
    if (isThere()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const take = (): void => {
        // Checking removes what is found.
        const isFound = isThere();
        if (!isFound && this.closed === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(take);
        if (isFound) resolve();
        else reject(new Error(`the connection was closed: ${this.closed?.reason}`));
      };
      const timer = setTimeout(() => {
        const last = JSON.stringify(this.received.slice(-5));
        reject(new Error(`nothing of the kind was heard; closed: ${this.closed?.reason}; ${last}`));
      }, WAIT_MS);
      this.#waiting.add(take);
    });
  }
}

type Secret = { readonly accessKey: string; readonly secret: string };

export function loginOf({ accessKey, secret }: Secret, more: object = {}): object {
  const timestamp = String(Date.now());
  const signature = createHmac('sha256', secret)
    .update(`${timestamp}GET/auth/self/verify`)
    .digest('base64');
  return { op: 'login', data: { apiKey: accessKey, timestamp, signature, ...more } };
}
