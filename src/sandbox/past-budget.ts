/**
 * The last eight hours pay funding and cost more. A chart shows them first, so as little of them as possible
 * is skipped.
 */
export const LATE_MS = 28_800_000;
/** Approximate commands per second of the past: its cost. */
const COMMANDS = { early: 0.35, late: 0.8 } as const;
/** A shorter measurement says nothing about the speed. */
const MEASURED_MIN = { ms: 500, commands: 2_000 } as const;

/**
 * Weighs how long generating the past may take against how fast this machine plays it. What does not fit is
 * skipped: the early part evenly, a share after each stretch that was played; the late part in one piece, so
 * that the newest hours are complete. A program is slow just after its start, and a machine now and then, so
 * the better of the last measurement and the overall one counts.
 */
export class PastBudget {
  /** Commands played so far. */
  played = 0;
  readonly #clock: () => number;
  readonly #startMs: number;
  readonly #endMs: number;
  #since: { readonly atMs: number; readonly played: number; readonly wallMs: number | undefined };

  constructor({
    monotonicMs,
    mostMs,
  }: { readonly monotonicMs: () => number; readonly mostMs: number }) {
    this.#clock = monotonicMs;
    this.#startMs = monotonicMs();
    this.#endMs = this.#startMs + mostMs;
    this.#since = { atMs: this.#startMs, played: 0, wallMs: undefined };
  }

  /** How much to skip now; `wallMs` is the time that the past has reached. */
  skipMs(wallMs: number, leftMs: number): number {
    const nowMs = this.#clock();
    const tookMs = nowMs - this.#since.atMs;
    const played = this.played - this.#since.played;
    if (tookMs < MEASURED_MIN.ms || played < MEASURED_MIN.commands) return 0;
    const passedMs = wallMs - (this.#since.wallMs ?? wallMs);
    const commandsPerMs = Math.max(played / tookMs, this.played / (nowMs - this.#startMs));
    const affordable = Math.max(0, this.#endMs - nowMs) * commandsPerMs;
    const playableMs = playableBy(affordable, leftMs);
    const excessMs = Math.max(0, leftMs - playableMs);
    const isAtOnce = affordable === 0 || leftMs <= LATE_MS;
    // Keeps the rest as dense as what was played.
    const share = (passedMs * excessMs) / Math.max(1, playableMs);
    const skippedMs = Math.floor(isAtOnce ? excessMs : Math.min(excessMs, share));
    this.#since = { atMs: nowMs, played: this.played, wallMs: wallMs + skippedMs };
    return skippedMs;
  }
}

function playableBy(commands: number, leftMs: number): number {
  const lateMs = Math.min(leftMs, LATE_MS);
  const late = (lateMs / 1_000) * COMMANDS.late;
  if (commands < late) return lateMs * (commands / late);
  return lateMs + ((commands - late) / COMMANDS.early) * 1_000;
}
