import type { BatchWriter } from './batch.ts';
import type { Feed, How } from './feed.ts';

/** How much of a channel is kept for listeners that come back; and of all channels together. */
const KEPT_MESSAGES = 1_000;
const KEPT_CHARACTERS = 262_144;

/** What all channels keep, together. */
export type Kept = { characters: number; readonly charactersMax: number };

/** What channels share. */
export type ChannelParts = {
  readonly kept: Kept;
  /** It has something to be sent. */
  readonly onPending: (channel: Channel) => void;
};

type Message = { readonly text: string; readonly how: How };

/**
 * One channel: numbers its messages, keeps the last of them for listeners that come back, and hands them
 * out. Messages that nobody could send yet are held here; a state replaces the one before it.
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
  /** Somebody counts its messages, or did. */
  isCounted = false;
  /** The number of the last message, and the one that was the last when the channel was opened. */
  seq: number;
  readonly #openedAt: number;
  /** Without listeners, but kept for those that may come back; undefined while it has some. */
  leftAtMs: number | undefined;

  constructor(id: number, name: string, seq: number, { kept, onPending }: ChannelParts) {
    this.id = id;
    this.#name = name;
    this.seq = seq;
    this.#openedAt = seq;
    this.#kept = kept;
    this.#onPending = onPending;
  }

  readonly emit = (text: string, how: How): void => {
    if (how === 'state') this.#pending = this.#pending.filter((message) => message.how !== 'state');
    this.#pending.push({ text, how });
    this.#onPending(this);
  };

  get hasListeners(): boolean {
    return this.plain + this.counted > 0;
  }

  /** Puts what is pending into the batch, messages of the same kind in a row together. */
  flush(batch: BatchWriter): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    for (let from = 0; from < pending.length; ) {
      const { how } = pending[from] as Message;
      let to = from + 1;
      while (to < pending.length && pending[to]?.how === how) to++;
      const texts = pending.slice(from, to).map(({ text }) => text);
      const numbered = texts.map((text) => this.#numbered(text, ++this.seq));
      if (this.isCounted && how !== 'state') this.#keep(numbered);
      if (this.plain > 0) batch.add('plain', this.id, how, texts);
      if (this.counted > 0) batch.add('counted', this.id, how, numbered);
      from = to;
    }
  }

  /** What was told after a number; undefined where that is not kept any more. */
  since(seq: number): readonly string[] | undefined {
    if (seq === this.seq) return [];
    const missed = this.seq - seq;
    if (missed < 0 || missed > this.#past.length) return undefined;
    return this.#past.slice(this.#past.length - missed);
  }

  /** How many messages there were after a number; undefined where it is older than this channel, or was never told. */
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
    // Where all together keep too much, who adds to it keeps nothing: its listeners begin anew.
    if (this.#kept.characters > this.#kept.charactersMax) this.forget();
  }

  /** Said to who counts: what it knew of the channel is replaced by this. */
  asSnapshot(text: string): string {
    return this.#numbered(text, this.seq, ',"snapshot":true');
  }

  /** Who counts messages also hears which channel they belong to. Each is a whole JSON object. */
  #numbered(text: string, seq: number, more = ''): string {
    return `${text.slice(0, -1)},"channel":"${this.#name}","seq":${seq}${more}}`;
  }
}
