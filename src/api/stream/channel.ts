import type { BatchWriter } from './batch.ts';
import type { Delivery, Feed } from './feed.ts';

/** How much of a channel is kept for listeners that resume; and of all channels together. */
const KEPT_MESSAGES = 1_000;
const KEPT_CHARACTERS = 262_144;

/** The total that all channels keep. */
export type Kept = { characters: number; readonly charactersMax: number };

/** Shared by all channels. */
export type ChannelParts = {
  readonly kept: Kept;
  /** The channel has something to send. */
  readonly onPending: (channel: Channel) => void;
};

type Message = { readonly text: string; readonly delivery: Delivery };

/**
 * One channel: numbers its messages, keeps the last of them for listeners that resume, and emits them.
 * Messages that cannot be sent yet are held here; a state message replaces the one before it.
 */
export class Channel {
  id: number;
  readonly #name: string;
  readonly #kept: Kept;
  readonly #onPending: (channel: Channel) => void;
  readonly #past: string[] = [];
  #pastCharacters = 0;
  #pending: Message[] = [];
  feed!: Feed;
  plain = 0;
  counted = 0;
  /** A listener with numbered messages is, or was, subscribed. */
  isCounted = false;
  /** The number of the last message, and of the last one when the channel was opened. */
  seq: number;
  readonly #openedAt: number;
  /** When its last listener left; it is kept for resuming. Undefined while it has listeners. */
  leftAtMs: number | undefined;

  constructor(id: number, name: string, seq: number, { kept, onPending }: ChannelParts) {
    this.id = id;
    this.#name = name;
    this.seq = seq;
    this.#openedAt = seq;
    this.#kept = kept;
    this.#onPending = onPending;
  }

  readonly emit = (text: string, delivery: Delivery): void => {
    if (delivery === 'state')
      this.#pending = this.#pending.filter((message) => message.delivery !== 'state');
    this.#pending.push({ text, delivery });
    this.#onPending(this);
  };

  get hasListeners(): boolean {
    return this.plain + this.counted > 0;
  }

  /** Moves pending messages into the batch; consecutive messages of the same kind are joined. */
  flush(batch: BatchWriter): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    for (let from = 0; from < pending.length; ) {
      const { delivery } = pending[from] as Message;
      let to = from + 1;
      while (to < pending.length && pending[to]?.delivery === delivery) to++;
      const texts = pending.slice(from, to).map(({ text }) => text);
      const numbered = texts.map((text) => this.#numbered(text, ++this.seq));
      if (this.isCounted && delivery !== 'state') this.#keep(numbered);
      if (this.plain > 0) batch.add('plain', this.id, delivery, texts);
      if (this.counted > 0) batch.add('counted', this.id, delivery, numbered);
      from = to;
    }
  }

  /** The messages after a number; undefined if they are no longer kept. */
  since(seq: number): readonly string[] | undefined {
    if (seq === this.seq) return [];
    const missed = this.seq - seq;
    if (missed < 0 || missed > this.#past.length) return undefined;
    return this.#past.slice(this.#past.length - missed);
  }

  /**
   * How many messages there were after a number; undefined if it is older than this channel, or was never
   * sent.
   */
  countSince(seq: number): number | undefined {
    return seq < this.#openedAt || seq > this.seq ? undefined : this.seq - seq;
  }

  forget(): void {
    this.#kept.characters -= this.#pastCharacters;
    this.#pastCharacters = 0;
    this.#past.length = 0;
  }

  #keep(texts: readonly string[]): void {
    for (const text of texts) {
      this.#past.push(text);
      this.#pastCharacters += text.length;
      this.#kept.characters += text.length;
    }
    while (this.#past.length > KEPT_MESSAGES || this.#pastCharacters > KEPT_CHARACTERS) {
      const length = this.#past.shift()?.length ?? 0;
      this.#pastCharacters -= length;
      this.#kept.characters -= length;
    }
    // If all channels together keep too much, the one that adds to it drops its own: its listeners start from
    // a snapshot.
    if (this.#kept.characters > this.#kept.charactersMax) this.forget();
  }

  /** Marks a numbered message as a snapshot: it replaces what the listener knew of the channel. */
  asSnapshot(text: string): string {
    return this.#numbered(text, this.seq, ',"snapshot":true');
  }

  /** Numbered messages also name their channel. Each is a complete JSON object. */
  #numbered(text: string, seq: number, more = ''): string {
    return `${text.slice(0, -1)},"channel":"${this.#name}","seq":${seq}${more}}`;
  }
}
