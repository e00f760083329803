/** The last day pays funding and costs more. */
export const LATE_MS = 86_400_000;
/** Commands of a second, about: what the past costs. */
const COMMANDS = { early: 0.4, late: 0.85 } as const;
/** A shorter look says nothing of the speed. */
const LOOK_LEAST = { ms: 500, commands: 2_000 } as const;

/**
 * How long the past may take, against how fast this machine plays it. What does not fit is left out
 * evenly, so much after each part that was played: a program is slow when it has just begun, and what
 * the first second says of the rest is mended by the next.
 */
export class PastBudget {
  /** Commands so far. */
  played = 0;
  readonly #clock: () => number;
  readonly #endMs: number;
  #since: { readonly atMs: number; readonly played: number; readonly wallMs: number | undefined };

  constructor({
    monotonicMs,
    mostMs,
  }: { readonly monotonicMs: () => number; readonly mostMs: number }) {
    this.#clock = monotonicMs;
    this.#endMs = monotonicMs() + mostMs;
    this.#since = { atMs: monotonicMs(), played: 0, wallMs: undefined };
  }

  /** What to leave out now, at the speed since the last look; `wallMs` is how far the past has come. */
  skipMs(wallMs: number, leftMs: number): number {
    const nowMs = this.#clock();
    const tookMs = nowMs - this.#since.atMs;
    const played = this.played - this.#since.played;
    if (tookMs < LOOK_LEAST.ms || played < LOOK_LEAST.commands) return 0;
    const passedMs = wallMs - (this.#since.wallMs ?? wallMs);
    const affordable = (Math.max(0, this.#endMs - nowMs) * played) / tookMs;
    const playableMs = playableBy(affordable, leftMs);
    const excessMs = Math.max(0, leftMs - playableMs);
    // With no time left everything is; else as much as lets the rest be as dense as what was played.
    const share = (passedMs * excessMs) / Math.max(1, playableMs);
    const skippedMs = Math.floor(affordable === 0 ? excessMs : Math.min(excessMs, share));
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
