import type { IndexPrice } from '../domain/commands.ts';
import { isJump } from '../domain/index-price.ts';
import { likely } from '../domain/likely.ts';
import type { AssetIndex } from '../domain/units.ts';
import type { Engine } from '../engine/engine.ts';
import { type Every, secondOf } from '../engine/ticker.ts';
import { LatestPrices, type SourceReport } from './latest-prices.ts';
import type { PriceSource } from './price-source.ts';

export type IndexOptions = {
  readonly engine: Engine;
  readonly sources: readonly PriceSource[];
  readonly every: Every;
  readonly nowMs: () => number;
  /** Whether nobody needs prices: sources are queried, but nothing is submitted until somebody does. */
  readonly isIdle: () => boolean;
  /** Something for the log: a source is silent, stale or out of range, a round was refused. */
  readonly onTrouble: (trouble: string) => void;
};

export type IndexPrices = {
  /** How many prices were rejected since the start, by source. */
  rejected(): ReadonlyMap<string, number>;
  /** What each source answered last, for operators. */
  reports(): readonly SourceReport[];
  /** Submits the round of this second, unless that was done. Returns whether it did. */
  wake(): boolean;
  /** The second of the last round. */
  readonly second: number;
  /** Rounds submitted since the start. */
  readonly rounds: number;
  stop(): void;
};

const PERIOD_MS = 1_000;
/** The same problem is logged again after this long, not every second. */
const WARN_AGAIN_MS = 60_000;
/** The venue's own check comes last: what it refuses was not a single source's fault. */
const VENUE = 'median';

/**
 * Index prices: once a second every source is queried, and the median of the prices that count
 * (latest-prices.ts) is submitted to the venue as one command. The venue itself holds back jumps and notices
 * missing rounds. A source that hangs delays nobody: its last answer counts while it is fresh.
 *
 * An idle venue gets no commands. Its sources are queried all the same, so that the first request after a pause
 * has prices of the last second (engine/fresh-engine.ts).
 */
export async function startIndexPrices(options: IndexOptions): Promise<IndexPrices> {
  const rounds = new Rounds(options);
  await rounds.fetchAll();
  await rounds.submit();
  const submit = (): void => {
    rounds.submit().catch((cause: unknown) => options.onTrouble(String(cause)));
  };
  const stop = options.every(PERIOD_MS, () => {
    void rounds.fetchAll();
    if (options.isIdle()) rounds.hold();
    else submit();
  });
  return {
    stop,
    rejected: () => rounds.rejected,
    reports: () => rounds.reports(),
    wake: () => {
      if (rounds.second === secondOf(options.nowMs())) return false;
      submit();
      return true;
    },
    get second() {
      return rounds.second;
    },
    get rounds() {
      return rounds.submitted;
    },
  };
}

class Rounds {
  readonly rejected = new Map<string, number>();
  /** By the engine's clock: when a round was last due. */
  second = -1;
  submitted = 0;
  readonly #options: IndexOptions;
  readonly #latest: LatestPrices;
  readonly #fetching = new Set<PriceSource>();
  readonly #warnedAtMs = new Map<string, number>();
  /** The last round of a pause, which was not submitted. */
  #held: readonly IndexPrice[] = [];
  /**
   * Assets whose price has jumped and is not confirmed, with the newest answer that was counted for it: only
   * newer answers confirm it, so that one wrong answer of a source that then hangs does not confirm itself.
   */
  readonly #jumpedUpTo = new Map<string, number>();

  constructor(options: IndexOptions) {
    this.#options = options;
    this.#latest = new LatestPrices(options.sources.length);
  }

  reports(): readonly SourceReport[] {
    return this.#latest.reports(this.#options.nowMs());
  }

  async fetchAll(): Promise<void> {
    await Promise.all(this.#options.sources.map((source) => this.#fetch(source)));
  }

  async #fetch(source: PriceSource): Promise<void> {
    const { name } = source;
    if (this.#fetching.has(source)) return;
    this.#fetching.add(source);
    try {
      const received = await source.prices();
      this.#latest.receive(source, received, this.#options.nowMs());
      this.#warnOfUnknown(name, received.prices);
    } catch (cause) {
      this.#warn(name, `${name} has no prices: ${(cause as Error).message}`);
    } finally {
      this.#fetching.delete(source);
    }
  }

  /** Whoever mistypes an asset would otherwise wait for its price in vain. */
  #warnOfUnknown(source: string, prices: ReadonlyMap<string, string>): void {
    const { engine } = this.#options;
    const codes = engine.indexPrices().map(({ asset }) => codeOf(engine, asset));
    const unknown = [...prices.keys()].filter((asset) => !codes.includes(asset));
    for (const asset of unknown.slice(0, UNKNOWN_MAX)) {
      this.#warn(
        `${source} unknown ${asset}`,
        `${source}: there is no asset ${likely(asset, codes)}`,
      );
    }
  }

  /** Keeps the round of this second instead of submitting it. */
  hold(): void {
    const round = this.#round();
    const isAwaited = ({ asset }: IndexPrice): boolean =>
      this.#jumpedUpTo.has(asset) && round.every((one) => one.asset !== asset);
    this.#held = [...round, ...this.#held.filter(isAwaited)];
  }

  /**
   * Submits the round of this second, synchronously. If a price jumped during a pause, the last round of the
   * pause is submitted first, so that this one confirms it if its answers are newer.
   */
  async submit(): Promise<void> {
    this.second = secondOf(this.#options.nowMs());
    const held = this.#held;
    this.#held = [];
    const prices = this.#round();
    const rounds = this.#jumpedUpTo.size > 0 ? [held, prices] : [prices];
    await Promise.all(rounds.map((round) => this.#submit(round)));
  }

  /** The last accepted price of each asset; 0 if any factor is allowed. */
  #lastAccepted(): ReadonlyMap<string, bigint> {
    const { engine } = this.#options;
    return new Map(
      engine
        .indexPrices()
        .map(({ asset, price, isQuoted }) => [codeOf(engine, asset), isQuoted ? price : 0n]),
    );
  }

  #round(): readonly IndexPrice[] {
    const { nowMs, sources } = this.#options;
    for (const source of sources) {
      if (source.now !== undefined) this.#latest.receive(source, source.now(), nowMs());
    }
    const lastByCode = this.#lastAccepted();
    const last = (asset: string): bigint => lastByCode.get(asset) ?? 0n;
    const codes = [...lastByCode.keys()];
    const { prices, rejected } = this.#latest.round(codes, last, this.#jumpedUpTo, nowMs());
    this.#noteJumps(prices);
    for (const name of this.#latest.stale(nowMs())) {
      this.#warn(`${name} stale`, `${name} is stale: its own time has not moved for a minute`);
    }
    for (const { source, asset, reason } of rejected) this.#refuse(source, asset, reason);
    return prices;
  }

  /** Notes for which prices the venue waits for another round. */
  #noteJumps(prices: readonly IndexPrice[]): void {
    const { engine } = this.#options;
    const indexByCode = new Map(
      engine.indexPrices().map(({ asset, price }) => [codeOf(engine, asset), price]),
    );
    for (const { asset, price } of prices) {
      const index = indexByCode.get(asset) ?? 0n;
      if (index !== 0n && isJump(index, price)) {
        this.#jumpedUpTo.set(asset, this.#latest.received);
      } else this.#jumpedUpTo.delete(asset);
    }
  }

  async #submit(prices: readonly IndexPrice[]): Promise<void> {
    if (prices.length === 0) return;
    const { engine } = this.#options;
    this.submitted++;
    const { outcome } = await engine.submit({ kind: 'set-index-prices', prices });
    for (const event of outcome.events) {
      if (event.kind === 'refused') this.#warn('refused', event.message);
      if (event.kind !== 'index-price-refused') continue;
      this.#refuse(VENUE, codeOf(engine, event.asset), event.message);
    }
  }

  #refuse(source: string, asset: string, reason: string): void {
    this.rejected.set(source, (this.rejected.get(source) ?? 0) + 1);
    this.#warn(`${source} ${asset}`, `${source}: the price of ${asset} is not taken: ${reason}`);
  }

  #warn(about: string, trouble: string): void {
    const nowMs = this.#options.nowMs();
    const warnedAtMs = this.#warnedAtMs.get(about);
    if (warnedAtMs !== undefined && nowMs - warnedAtMs < WARN_AGAIN_MS) return;
    this.#warnedAtMs.set(about, nowMs);
    this.#options.onTrouble(trouble);
  }
}

/** Of a source, in the log: what lists every asset of another venue does not fill it. */
const UNKNOWN_MAX = 10;

const codeOf = (engine: Engine, asset: AssetIndex): string => engine.directory.asset(asset).code;
