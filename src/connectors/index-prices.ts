import type { AssetIndex } from '../domain/units.ts';
import type { Engine } from '../engine/engine.ts';
import type { Every } from '../engine/ticker.ts';
import { HeardPrices } from './heard-prices.ts';
import type { PriceSource } from './price-source.ts';

export type IndexOptions = {
  readonly engine: Engine;
  readonly sources: readonly PriceSource[];
  readonly every: Every;
  readonly nowMs: () => number;
  /** Something a person should know: a source is silent, stale or out of range, a round was not taken. */
  readonly onTrouble: (trouble: string) => void;
};

export type IndexPrices = {
  /** How many prices were not taken since the start, by their source. */
  notTaken(): ReadonlyMap<string, number>;
  stop(): void;
};

const PERIOD_MS = 1_000;
/** The same problem is logged again after this long, not every second. */
const TELL_AGAIN_MS = 60_000;
/** The venue's own test comes last: what it refuses was no single source's fault. */
const VENUE = 'median';

/**
 * Index prices: once a second every source is asked, and the median of what counts of their answers
 * (heard-prices.ts) goes into the venue as one command. The venue itself holds back jumps and notices
 * when no round comes. A source that hangs delays nobody: its last word counts while fresh.
 */
export async function startIndexPrices(options: IndexOptions): Promise<IndexPrices> {
  const round = new Rounds(options);
  await round.askAll();
  await round.submit();
  const stop = options.every(PERIOD_MS, () => {
    void round.askAll();
    round.submit().catch((cause: unknown) => options.onTrouble(String(cause)));
  });
  return { stop, notTaken: () => round.notTaken };
}

class Rounds {
  readonly notTaken = new Map<string, number>();
  readonly #options: IndexOptions;
  readonly #heard: HeardPrices;
  readonly #asking = new Set<PriceSource>();
  readonly #toldAtMs = new Map<string, number>();

  constructor(options: IndexOptions) {
    this.#options = options;
    this.#heard = new HeardPrices(options.sources.length);
  }

  async askAll(): Promise<void> {
    await Promise.all(this.#options.sources.map((source) => this.#ask(source)));
  }

  async #ask(source: PriceSource): Promise<void> {
    const { name } = source;
    if (this.#asking.has(source)) return;
    this.#asking.add(source);
    try {
      this.#heard.receive(source, await source.prices(), this.#options.nowMs());
    } catch (cause) {
      this.#warn(name, `${name} has no prices: ${(cause as Error).message}`);
    } finally {
      this.#asking.delete(source);
    }
  }

  async submit(): Promise<void> {
    const { engine, nowMs } = this.#options;
    const known = await engine.view('indexPrices', {});
    const lastByCode = new Map(
      known.map(({ asset, price, isQuoted }) => [codeOf(engine, asset), isQuoted ? price : 0n]),
    );
    const last = (asset: string): bigint => lastByCode.get(asset) ?? 0n;
    const { prices, notTaken } = this.#heard.round([...lastByCode.keys()], last, nowMs());
    for (const name of this.#heard.stale(nowMs())) {
      this.#warn(`${name} stale`, `${name} is stale: its own time has not moved for a minute`);
    }
    for (const { source, asset, reason } of notTaken) this.#refuse(source, asset, reason);
    if (prices.length === 0) return;
    const { outcome } = await engine.submit({ kind: 'set-index-prices', prices });
    for (const event of outcome.events) {
      if (event.kind === 'refused') this.#warn('refused', event.message);
      if (event.kind !== 'index-price-refused') continue;
      this.#refuse(VENUE, codeOf(engine, event.asset), event.message);
    }
  }

  #refuse(source: string, asset: string, reason: string): void {
    this.notTaken.set(source, (this.notTaken.get(source) ?? 0) + 1);
    this.#warn(`${source} ${asset}`, `${source}: the price of ${asset} is not taken: ${reason}`);
  }

  #warn(about: string, trouble: string): void {
    const nowMs = this.#options.nowMs();
    const toldAtMs = this.#toldAtMs.get(about);
    if (toldAtMs !== undefined && nowMs - toldAtMs < TELL_AGAIN_MS) return;
    this.#toldAtMs.set(about, nowMs);
    this.#options.onTrouble(trouble);
  }
}

const codeOf = (engine: Engine, asset: AssetIndex): string => engine.directory.asset(asset).code;
