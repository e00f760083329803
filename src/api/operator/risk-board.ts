import type { RankedPosition, RiskView } from '../../domain/operator-views.ts';
import type { AccountIndex, MarketIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';

/** Bounds of the histogram in percent; the last row is open above. */
export const RATIO_BOUNDS = [0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 80, 100] as const;
const RATIO_ONE = 1_000_000n;
const TOP_MAX = 200;
/** Accounts with margin that one pass covers: each pass delays trading by about a millisecond. */
const PAGE = 200;
const KEPT_MS = 1_000;

export type Board = {
  readonly atMs: number;
  /** By RATIO_BOUNDS. */
  readonly counts: readonly number[];
  /** The highest ratios, highest first. */
  readonly top: readonly RiskView[];
  readonly atRisk: number;
  readonly liquidating: number;
  /** Per market and side, the positions that ADL would close, in order. */
  readonly adl: readonly AdlQueue[];
};

export type AdlQueue = {
  readonly market: MarketIndex;
  readonly isLong: boolean;
  readonly positions: readonly QueuedPosition[];
};
type QueuedPosition = RankedPosition & {
  readonly account: AccountIndex;
  readonly liquidating: boolean;
};
/** Of each side of a market. */
const QUEUE_MAX = 10;

/**
 * Margin ratios of all accounts, computed in many short passes between which trading continues, and cached
 * for a second: however many operators ask, the venue does the work once.
 */
export class RiskBoard {
  readonly #engine: Engine;
  #kept: Board | undefined;
  #running: Promise<Board> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  now(): Promise<Board> {
    const kept = this.#kept;
    if (kept !== undefined && this.#engine.nowMs() - kept.atMs < KEPT_MS) {
      return Promise.resolve(kept);
    }
    this.#running ??= this.#take().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #take(): Promise<Board> {
    const counts = RATIO_BOUNDS.map(() => 0);
    let top: RiskView[] = [];
    let liquidating = 0;
    const queues = new Map<string, AdlQueue>();
    let after: number | undefined = -1;
    while (after !== undefined) {
      const page: { accounts: readonly RiskView[]; next: number | undefined } =
        await this.#engine.view('riskPage', { after, limit: PAGE });
      for (const one of page.accounts) {
        const at = RATIO_BOUNDS.findLastIndex(
          (bound) => one.marginRatio >= BigInt(bound) * RATIO_ONE,
        );
        counts[at] = (counts[at] ?? 0) + 1;
        if (one.liquidating) liquidating++;
        for (const position of one.positions) enqueue(queues, one, position);
      }
      top = [...top, ...page.accounts].sort(byRatio).slice(0, TOP_MAX);
      after = page.next;
    }
    const first50 = RATIO_BOUNDS.indexOf(50);
    const atRisk = counts.slice(first50).reduce((sum, count) => sum + count, 0);
    const adl = [...queues.values()].sort(byMarket);
    this.#kept = { atMs: this.#engine.nowMs(), counts, top, atRisk, liquidating, adl };
    return this.#kept;
  }
}

const byRatio = (a: RiskView, b: RiskView): number =>
  a.marginRatio === b.marginRatio ? a.account - b.account : a.marginRatio < b.marginRatio ? 1 : -1;

function enqueue(queues: Map<string, AdlQueue>, of: RiskView, position: RankedPosition): void {
  const { market, lots } = position;
  const isLong = lots > 0;
  const { account, liquidating } = of;
  const queued = queues.get(`${market} ${isLong}`)?.positions ?? [];
  const positions = [...queued, { ...position, account, liquidating }].sort(byRank);
  queues.set(`${market} ${isLong}`, { market, isLong, positions: positions.slice(0, QUEUE_MAX) });
}

/** As the core ranks them: nothing is rounded. */
function byRank(a: QueuedPosition, b: QueuedPosition): number {
  if (a.liquidating !== b.liquidating) return a.liquidating ? -1 : 1;
  const difference = b.top * a.bottom - a.top * b.bottom;
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return a.account - b.account;
}

const byMarket = (a: AdlQueue, b: AdlQueue): number =>
  a.market - b.market || Number(b.isLong) - Number(a.isLong);
