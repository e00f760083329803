/** How long the journal's last groups took to become durable, for operators. */
export type SyncSummary = { readonly medianMs: number; readonly p99Ms: number };

const KEPT = 512;

export class SyncTimes {
  readonly #monotonicMs: () => number;
  readonly #lastMs = new Float64Array(KEPT);
  #count = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** When a group begins; for `end`, because several may be in flight. */
  begin(): number {
    return this.#monotonicMs();
  }

  end(beganMs: number): void {
    this.#lastMs[this.#count++ % KEPT] = this.#monotonicMs() - beganMs;
  }

  /** Undefined before the first group. */
  summary(): SyncSummary | undefined {
    const count = Math.min(this.#count, KEPT);
    if (count === 0) return undefined;
    const sorted = this.#lastMs.slice(0, count).sort();
    const at = (part: number): number => sorted[Math.floor(part * (count - 1))] as number;
    return { medianMs: at(0.5), p99Ms: at(0.99) };
  }
}
