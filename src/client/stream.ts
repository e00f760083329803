import { loginMessage, type OrderOp, STREAM_PATH } from '../wire/stream.ts';
import { type HandoutChoice, type HandoutRead, readHandout } from './handout.ts';
import { hmacBase64, importSecret } from './secret.ts';
import { StreamChannels } from './stream-channels.ts';
import { type StreamAnswer, StreamCommands } from './stream-commands.ts';

/** A message of a channel, as received. `seq` numbers them; a snapshot replaces all earlier messages. */
export type StreamMessage = {
  readonly table?: string;
  readonly event?: string;
  readonly action?: string;
  readonly channel: string;
  readonly seq: number;
  readonly snapshot?: boolean;
  readonly data?: unknown;
};

export type RialtoStreamOptions = {
  /** "http://localhost:8080", as for REST. */
  readonly baseUrl: string;
  /** May be omitted if only public channels are used. */
  readonly accessKey?: string;
  readonly secret?: string;
  /** Instead of the secret: an HMAC-SHA-256 key of WebCrypto, which may be non-extractable. */
  readonly signingKey?: CryptoKey;
  /** Cancels all orders of the account when a connection ends. */
  readonly cancelOnDisconnect?: boolean;
  /** Replaces the global one; if there is none (Node 20), the ws library is loaded. */
  readonly WebSocket?: typeof WebSocket;
  readonly nowMs?: () => number;
  /** Runs a function later; returns a function that cancels it. */
  readonly after?: (delayMs: number, run: () => void) => () => void;
  /** From 0 to 1, for the delay between two attempts. */
  readonly random?: () => number;
  /** Something went wrong and the stream continues: a lost connection, a refused channel. */
  readonly onTrouble?: (words: string) => void;
  /**
   * The venue no longer has the messages that a channel sent while the connection was lost, so the channel
   * starts over. `missed` is undefined if the venue does not know how many there were.
   */
  readonly onAnew?: (channel: string, missed: number | undefined) => void;
  /** A new channel of events delivers from now on: what happened before has to be read by REST. */
  readonly onBegun?: (channel: string) => void;
  /** Commands and channels are available from now on, or no longer. */
  readonly onReady?: (isReady: boolean) => void;
  /** The venue refuses the login, and with it the connection: the key may have ended. It is tried again. */
  readonly onLoginRefused?: () => void;
  /** The connection is lost; the next attempt is after this delay, or when `retry` is called. */
  readonly onWaiting?: (delayMs: number) => void;
  /** The interval of pings on an idle connection; 25 s by default. */
  readonly pingMs?: number;
  /** The round-trip time of a ping. */
  readonly onPong?: (roundTripMs: number) => void;
};

type Subscription = {
  readonly channel: string;
  readonly onMessage: (message: StreamMessage) => void;
  /** The last message received. */
  seq: number | undefined;
};

type Resumed = {
  readonly channel: string;
  readonly resumed: boolean;
  readonly seq: number;
  readonly missed?: number;
};

const RECONNECT_MS = 200;
const RECONNECT_MAX_MS = 5_000;
const PING_MS = 25_000;
/**
 * A connection whose other end has gone without a word (a cable, a sleeping computer, a forgetful router)
 * never closes by itself: it counts as lost after two pings in a row, and this long, without an answer.
 */
const SILENCE_MS = 10_000;
/** One that is not open for commands by then is given up, too. */
const OPEN_WITHIN_MS = 15_000;

/**
 * A stream that reconnects by itself: after a lost connection it logs in again, requests the messages it has
 * missed, and repeats unanswered commands; each command has a name, so it takes effect once.
 */
export class RialtoStream {
  readonly #options: RialtoStreamOptions;
  readonly #key: Promise<CryptoKey> | undefined;
  readonly #subscriptions = new Map<string, Subscription>();
  /** By the name that messages have. */
  readonly #byName = new Map<string, Set<Subscription>>();
  readonly #channels: StreamChannels;
  readonly #commands: StreamCommands;
  #socket: WebSocket | undefined;
  #isReady = false;
  #isClosed = false;
  #failures = 0;
  /** For the next connection attempt, the end of one that takes too long, or the next ping: only one. */
  #stopTimer = (): void => undefined;
  #pingedAtMs = 0;
  /** Pings since anything was received. */
  #unanswered = 0;

  /** For an account of a handout: the file that `dev` writes, or its content. */
  static async fromHandout(
    source: string | URL | HandoutRead,
    options: HandoutChoice & Partial<RialtoStreamOptions> = {},
  ): Promise<RialtoStream> {
    return new RialtoStream({ ...(await readHandout(source, options)), ...options });
  }

  constructor(options: RialtoStreamOptions) {
    this.#options = options;
    const { secret, signingKey } = options;
    if (signingKey !== undefined) this.#key = Promise.resolve(signingKey);
    else this.#key = secret === undefined ? undefined : importSecret(secret);
    const nowMs = (): number => this.#nowMs();
    const after = (delayMs: number, run: () => void) => this.#timer(delayMs, run);
    const request = (channel: string): void => this.#requestChannel(channel);
    this.#channels = new StreamChannels({ nowMs, after, request });
    const send = (message: object): void => this.#send(message);
    this.#commands = new StreamCommands({ nowMs, after, send });
    this.#connect();
  }

  /** Whether commands and channels are available now. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Listens to a channel until the returned function is called; one listener per channel. */
  subscribe(channel: string, onMessage: (message: StreamMessage) => void): () => void {
    const subscription = { channel, onMessage, seq: undefined };
    this.#forget(channel);
    this.#subscriptions.set(channel, subscription);
    const listeners = this.#byName.get(nameOf(channel)) ?? new Set();
    this.#byName.set(nameOf(channel), listeners.add(subscription));
    if (this.#isReady) this.#channels.request(channel);
    return () => {
      // A later listener of the channel has taken its place.
      if (this.#subscriptions.get(channel) !== subscription) return;
      this.#forget(channel);
      if (!this.#isReady || !this.#channels.drop(channel)) return;
      this.#send({ op: 'unsubscribe', args: [channel] });
    };
  }

  /** Sends a command, one element or a batch; resolves with an answer for each. */
  command(op: OrderOp, data: object | readonly object[]): Promise<readonly StreamAnswer[]> {
    return this.#commands.command(op, data);
  }

  /** Ends the connection as if it had been lost. */
  drop(): void {
    this.#giveUp('the connection was dropped');
  }

  /** Connects now instead of waiting; does nothing if there is a connection or one is being opened. */
  retry(): void {
    if (this.#socket !== undefined || this.#isClosed) return;
    this.#stopTimer();
    this.#connect();
  }

  /** Ends the connection for good; commands without an answer are rejected. */
  close(): void {
    this.#isClosed = true;
    this.#isReady = false;
    this.#stopTimer();
    end(this.#socket);
    this.#socket = undefined;
    this.#channels.lost();
    this.#commands.close();
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? Date.now();
  }

  #after(delayMs: number, run: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.#timer(delayMs, run);
  }

  #timer(delayMs: number, run: () => void): () => void {
    if (this.#options.after !== undefined) return this.#options.after(delayMs, run);
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  }

  #connect(): void {
    const Socket = this.#options.WebSocket ?? globalThis.WebSocket;
    if (Socket !== undefined) this.#open(Socket);
    else void this.#openByLibrary();
  }

  /** Node 20 has no WebSocket of its own. */
  async #openByLibrary(): Promise<void> {
    try {
      const { WebSocket } = await import('ws');
      if (!this.#isClosed) this.#open(WebSocket as never);
    } catch {
      this.#options.onTrouble?.('there is no WebSocket here: install ws, or pass one');
    }
  }

  #open(Socket: typeof WebSocket): void {
    const base = this.#options.baseUrl.replace(/^http/, 'ws').replace(/\/$/, '');
    const url = `${base}${STREAM_PATH}`;
    const socket = new Socket(url);
    this.#socket = socket;
    this.#unanswered = 0;
    this.#after(OPEN_WITHIN_MS, () => this.#giveUp(`no answer from ${url}`));
    let trouble = `no connection to ${url}`;
    socket.addEventListener('message', ({ data }) => {
      trouble = `the connection to ${url} was lost`;
      if (this.#socket === socket) this.#onMessage(String(data));
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#lost(trouble);
    });
    // A close event follows.
    socket.addEventListener('error', () => undefined);
  }

  #giveUp(trouble: string): void {
    end(this.#socket);
    this.#lost(trouble);
  }

  #lost(trouble: string): void {
    this.#socket = undefined;
    if (this.#isReady) this.#options.onReady?.(false);
    this.#isReady = false;
    this.#stopTimer();
    this.#channels.lost();
    this.#commands.lost();
    if (this.#isClosed) return;
    this.#options.onTrouble?.(trouble);
    const wholeMs = Math.min(RECONNECT_MS * 2 ** this.#failures++, RECONNECT_MAX_MS);
    // Up to a quarter more or less, so that clients cut off together do not reconnect together.
    const delayMs = Math.round(wholeMs * (0.75 + (this.#options.random ?? Math.random)() / 2));
    this.#after(delayMs, () => this.#connect());
    this.#options.onWaiting?.(delayMs);
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #onMessage(text: string): void {
    this.#unanswered = 0;
    if (text === 'pong') {
      this.#options.onPong?.(this.#nowMs() - this.#pingedAtMs);
      return;
    }
    const message = JSON.parse(text);
    if (message.event === 'subscribe') this.#channels.answered(message);
    if (message.event === 'Welcome') void this.#login(this.#socket, message.timestamp);
    else if (message.event === 'login') this.#loggedIn(message);
    else if ('submitted' in message && 'tag' in message) this.#commands.answered(message);
    else if (message.event === 'resume') this.#resumed(message);
    else if (typeof message.seq === 'number') this.#deliver(message);
    else if (message.success === false) {
      this.#options.onTrouble?.(`${message.channel ?? message.event}: ${message.message}`);
    }
  }

  async #login(socket: WebSocket | undefined, venueTime: unknown): Promise<void> {
    const { accessKey, cancelOnDisconnect = false } = this.#options;
    if (this.#key === undefined || accessKey === undefined) {
      this.#begin();
      return;
    }
    const timestamp = String(loginMs(this.#nowMs(), venueTime));
    const signature = await hmacBase64(await this.#key, loginMessage(timestamp));
    const data = { apiKey: accessKey, timestamp, signature, seq: true, cancelOnDisconnect };
    // The connection may have been lost during signing: the next one has its own greeting.
    if (this.#socket === socket) this.#send({ op: 'login', data });
  }

  #loggedIn({ success, message }: { readonly success: boolean; readonly message?: string }): void {
    if (success) this.#begin();
    else {
      this.#options.onTrouble?.(`login: ${message}`);
      this.#options.onLoginRefused?.();
      this.#socket?.close();
    }
  }

  #begin(): void {
    this.#isReady = true;
    this.#options.onReady?.(true);
    this.#failures = 0;
    this.#ping();
    for (const subscription of this.#subscriptions.values()) {
      const { channel, seq } = subscription;
      this.#channels.request(channel);
      if (seq !== undefined && this.#receivedOf(channel) === undefined) this.#startedOver(channel);
    }
    this.#commands.begin();
  }

  #ping(): void {
    const { pingMs = PING_MS } = this.#options;
    const run = (): void => {
      // Counted, not timed: a busy or sleeping client has not waited for an answer.
      if (this.#unanswered >= Math.max(2, SILENCE_MS / pingMs)) {
        this.#giveUp('the connection was silent');
        return;
      }
      this.#pingedAtMs = this.#nowMs();
      this.#unanswered++;
      this.#socket?.send('ping');
      this.#ping();
    };
    this.#after(pingMs, run);
  }

  #requestChannel(channel: string): void {
    const fromSeq = this.#receivedOf(channel);
    const from = fromSeq === undefined ? {} : { fromSeq };
    this.#send({ op: 'subscribe', seq: true, args: [channel], ...from });
  }

  #forget(channel: string): void {
    const subscription = this.#subscriptions.get(channel);
    if (subscription === undefined) return;
    this.#subscriptions.delete(channel);
    this.#byName.get(nameOf(channel))?.delete(subscription);
  }

  /** A copy: a listener may subscribe or leave while it is called. */
  #listenersOf(channel: string): readonly Subscription[] {
    return [...(this.#byName.get(nameOf(channel)) ?? [])];
  }

  /** What all listeners of a channel have received; undefined if one of them needs its beginning. */
  #receivedOf(channel: string): number | undefined {
    const received = this.#listenersOf(channel).map(({ seq }) => seq);
    return received.reduce((a, b) =>
      a === undefined || b === undefined ? undefined : Math.min(a, b),
    );
  }

  #startedOver(channel: string, missed?: number): void {
    this.#options.onTrouble?.(`${channel}: what was missed is not kept any more`);
    this.#options.onAnew?.(channel, missed);
  }

  /** If the venue no longer has all messages, a snapshot follows, or the count continues from the next event. */
  #resumed({ channel, resumed, seq, missed }: Resumed): void {
    if (resumed) return;
    for (const subscription of this.#listenersOf(channel)) {
      // The same channel under another name was answered before.
      if (subscription.seq === seq) continue;
      const isFirst = subscription.seq === undefined;
      subscription.seq = seq;
      if (isFirst) this.#options.onBegun?.(subscription.channel);
      else this.#startedOver(subscription.channel, missed);
    }
  }

  /** Drops messages that were received before; after a gap, requests everything since. */
  #deliver(message: StreamMessage): void {
    for (const subscription of this.#listenersOf(message.channel)) {
      const { seq } = subscription;
      if (message.snapshot !== true) {
        // Meant for a listener before this one: every channel begins with a snapshot or with its number.
        if (seq === undefined || message.seq <= seq) continue;
        if (message.seq > seq + 1) {
          this.#options.onTrouble?.(`${message.channel}: messages ${seq + 1} on are missing`);
          this.#channels.request(subscription.channel);
          continue;
        }
      }
      subscription.seq = message.seq;
      subscription.onMessage(message);
    }
  }
}

/** Messages about orders have the name of all of them, whichever market was asked for. */
const nameOf = (channel: string): string => (channel.startsWith('order:') ? 'order:all' : channel);

/** If the clocks differ by more than this, the venue's is used; its greeting contains the time. */
const CLOCKS_DIFFER_MS = 5_000;

function loginMs(ownMs: number, venueTime: unknown): number {
  const venueMs = typeof venueTime === 'string' ? Number.parseInt(venueTime, 10) : Number.NaN;
  return Math.abs(venueMs - ownMs) > CLOCKS_DIFFER_MS ? venueMs : ownMs;
}

/** A browser warns when a connection is closed while it is being opened, so it is closed once it is open. */
function end(socket: WebSocket | undefined): void {
  if (socket?.readyState === CONNECTING) socket.addEventListener('open', () => socket.close());
  else socket?.close();
}
const CONNECTING = 0;
