import { crc32 } from 'node:zlib';
import { type MarketSpec, priceText, quantityText } from '../../domain/market.ts';
import type { MarketIndex } from '../../domain/units.ts';
import type { DepthLevelView } from '../../domain/views.ts';
import { BOOK_LEVELS } from '../../wire/stream.ts';
import type { BookKind } from './channel-spec.ts';
import { type Emit, type Feed, HEARTBEAT_MS, Pace, type StreamSource } from './feed.ts';

/**
 * The book of one market as its channels show it: read every 100 ms, printed once for all of them. Each
 * change has a number; the numbers of a market only grow, across restarts too, because they begin with the
 * engine's time.
 */
const BOOK_MS = 100;

/** A price with its quantity, and both as text. */
type Level = DepthLevelView & { readonly price: string; readonly text: string };
type Sides = { readonly asks: readonly Level[]; readonly bids: readonly Level[] };

export class MarketBook {
  spec: MarketSpec;
  readonly #source: StreamSource;
  readonly #market: MarketIndex;
  readonly #pace = new Pace(BOOK_MS);
  #sequence = -1;
  seqNum: number;
  timeMs: number;
  sides: Sides = { asks: [], bids: [] };
  /** The last change: levels with their new quantity, 0 if they are gone. */
  change: Sides = { asks: [], bids: [] };

  constructor(source: StreamSource, market: MarketIndex) {
    this.#source = source;
    this.#market = market;
    this.spec = source.directory.market(market);
    this.timeMs = source.timeMs;
    this.seqNum = source.timeMs * 1_000;
    this.#read();
    this.change = { asks: [], bids: [] };
  }

  /** Reads the book again when it is due. */
  beat(nowMs: number): void {
    if (!this.#pace.isDue(nowMs)) return;
    if (this.#source.sequence !== this.#sequence) this.#read();
  }

  /** For an empty diff: numbers of diffs only grow, so that a repeated one can be recognised. */
  countOn(): void {
    this.seqNum++;
  }

  #read(): void {
    const { asks, bids } = this.#source.view('depth', {
      market: this.#market,
      levels: BOOK_LEVELS,
    });
    this.#sequence = this.#source.sequence;
    const before = this.sides;
    const known = this.#hasNewTerms() ? { asks: [], bids: [] } : before;
    const now = { asks: this.#printed(known.asks, asks), bids: this.#printed(known.bids, bids) };
    const change = {
      asks: this.#changed(before.asks, now.asks, false),
      bids: this.#changed(before.bids, now.bids, true),
    };
    if (change.asks.length === 0 && change.bids.length === 0) return;
    this.sides = now;
    this.change = change;
    this.timeMs = this.#source.timeMs;
    this.seqNum++;
  }

  /** With another tick the same number of ticks is another price. */
  #hasNewTerms(): boolean {
    const spec = this.#source.directory.market(this.#market);
    if (spec === this.spec) return false;
    this.spec = spec;
    return true;
  }

  /** A level that has not changed keeps its text. */
  #printed(before: readonly Level[], now: readonly DepthLevelView[]): Level[] {
    const byTicks = new Map(before.map((level) => [level.priceTicks, level]));
    return now.map(({ priceTicks, lots }) => {
      const known = byTicks.get(priceTicks);
      return known?.lots === lots ? known : this.#level(priceTicks, lots);
    });
  }

  #level(priceTicks: number, lots: number): Level {
    const price = priceText(this.spec, priceTicks, 1);
    return { priceTicks, lots, price, text: this.#text(price, lots) };
  }

  #text(price: string, lots: number): string {
    return `[${price},${quantityText(this.spec, lots, 1)}]`;
  }

  #changed(before: readonly Level[], now: readonly Level[], isFalling: boolean): Level[] {
    const left = new Map(before.map((level) => [level.price, level]));
    const changed = now.filter((level) => {
      const known = left.get(level.price);
      left.delete(level.price);
      return known !== level;
    });
    if (left.size === 0) return changed;
    for (const level of left.values()) {
      changed.push({ ...level, lots: 0, text: this.#text(level.price, 0) });
    }
    const sign = isFalling ? -1 : 1;
    return changed.sort((one, other) => sign * (one.priceTicks - other.priceTicks));
  }
}

const listText = (levels: readonly Level[]): string => `[${levels.map(textOf).join(',')}]`;
const textOf = ({ text }: Level): string => text;

export function bookFeed(
  kind: Exclude<BookKind, 'bestBidAsk'>,
  book: MarketBook,
  emit: Emit,
): Feed {
  switch (kind) {
    case 'depth':
      return snapshots(book, emit, { content: () => levelsText(book.sides), wrap: wholeText });
    case 'depthL5':
      return snapshots(book, emit, cut(book, kind, 5));
    case 'depthL10':
      return snapshots(book, emit, cut(book, kind, 10));
    case 'depthL25':
      return snapshots(book, emit, cut(book, kind, 25));
    case 'depthUpdate':
      return updates(book, emit);
  }
}

/** The levels of a message, and the message around them. */
type Print = {
  readonly content: () => Levels;
  readonly wrap: (book: MarketBook, levels: Levels) => string;
};
type Levels = { readonly asks: string; readonly bids: string };

const levelsText = ({ asks, bids }: Sides): Levels => ({
  asks: listText(asks),
  bids: listText(bids),
});

/** Sends a whole message whenever its levels differ from the last one's, and as a heartbeat. */
function snapshots(book: MarketBook, emit: Emit, { content, wrap }: Print): Feed {
  let seqNum = book.seqNum;
  let lastSent = content();
  const heartbeat = new Pace(HEARTBEAT_MS);
  return {
    first: () => [wrap(book, content())],
    beat: (nowMs) => {
      const isQuiet = heartbeat.isDue(nowMs);
      if (book.seqNum === seqNum && !isQuiet) return;
      seqNum = book.seqNum;
      const now = content();
      // A change deeper down does not change a truncated book.
      if (now.asks === lastSent.asks && now.bids === lastSent.bids && !isQuiet) return;
      lastSent = now;
      emit(wrap(book, now), 'state');
    },
  };
}

const wholeText = ({ spec, seqNum, timeMs }: MarketBook, { asks, bids }: Levels): string =>
  `{"table":"depth","data":{"seqNum":${seqNum},"asks":${asks},"bids":${bids},` +
  `"checksum":${crc32(asks + bids)},"marketCode":"${spec.code}","timestamp":${timeMs}},` +
  '"action":"partial"}';

const cut = (book: MarketBook, table: string, most: number): Print => ({
  content: () =>
    levelsText({ asks: book.sides.asks.slice(0, most), bids: book.sides.bids.slice(0, most) }),
  wrap: ({ spec, seqNum, timeMs }, { asks, bids }) =>
    `{"table":"${table}","data":{"seqNum":${seqNum},"asks":${asks},"bids":${bids},` +
    `"marketCode":"${spec.code}","timestamp":"${timeMs}"},"action":"partial"}`,
});

/** The first diff after a snapshot has the snapshot's number; the following ones increase it. */
function updates(book: MarketBook, emit: Emit): Feed {
  let seqNum = book.seqNum;
  const heartbeat = new Pace(HEARTBEAT_MS);
  return {
    first: () => [
      updateText(book, 'depthUpdate', book.sides),
      updateText(book, 'depthUpdate-diff', { asks: [], bids: [] }),
    ],
    beat: (nowMs) => {
      const isQuiet = heartbeat.isDue(nowMs);
      const isChanged = book.seqNum !== seqNum;
      if (!isChanged && !isQuiet) return;
      if (!isChanged) book.countOn();
      seqNum = book.seqNum;
      emit(updateText(book, 'depthUpdate-diff', isChanged ? book.change : NO_CHANGE), 'delta');
    },
  };
}
const NO_CHANGE: Sides = { asks: [], bids: [] };

function updateText({ spec, seqNum, timeMs }: MarketBook, table: string, sides: Sides): string {
  const asks = listText(sides.asks);
  const bids = listText(sides.bids);
  const action = table === 'depthUpdate' ? 'partial' : 'increment';
  return (
    `{"table":"${table}","data":{"seqNum":${seqNum},"asks":${asks},"bids":${bids},` +
    `"checksum":${crc32(asks + bids)},"marketCode":"${spec.code}","timestamp":"${timeMs}"},` +
    `"action":"${action}"}`
  );
}

/** The best level of either side, as soon as it changes. */
export function bestFeed(source: StreamSource, market: MarketIndex, emit: Emit): Feed {
  const spec = source.directory.market(market);
  const pace = new Pace(BEST_MS);
  const heartbeat = new Pace(HEARTBEAT_MS);
  let sequence = source.sequence;
  const read = (): string => {
    const { asks, bids } = source.view('depth', { market, levels: 1 });
    const level = ([best]: readonly DepthLevelView[]): string =>
      best === undefined
        ? '[0.0,0.0]'
        : `[${priceText(spec, best.priceTicks, 1)},${quantityText(spec, best.lots, 1)}]`;
    const [ask, bid] = [level(asks), level(bids)];
    return `"ask":${ask},"bid":${bid},"checksum":${crc32(ask + bid)}`;
  };
  let lastSent = read();
  const wrap = (best: string): string =>
    `{"table":"bestBidAsk","data":{${best},"marketCode":"${spec.code}",` +
    `"timestamp":"${source.timeMs}"}}`;
  return {
    first: () => [wrap(lastSent)],
    beat: (nowMs) => {
      if (!pace.isDue(nowMs)) return;
      const isQuiet = heartbeat.isDue(nowMs);
      if (source.sequence === sequence && !isQuiet) return;
      sequence = source.sequence;
      const now = read();
      if (now === lastSent && !isQuiet) return;
      lastSent = now;
      emit(wrap(now), 'state');
    },
  };
}
const BEST_MS = 10;
