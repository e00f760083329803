/**
 * How much work one request, and one command, may make the venue do. Without these bounds a single
 * request could hold up everybody else, and write more events than a log entry can hold.
 *
 * Work is counted in orders that a taker meets: each match is one, and so is each resting order that
 * ends without a match because the taker met it (self-trade prevention, reduce-only without a
 * position). An iceberg is met once for each slice.
 */
export const WORK_BOUNDS = {
  /** Fills that all elements of one request together may plan. */
  planPerRequest: 10_000,
  /** Matches that all elements of one request together may make. */
  matchesPerRequest: 10_000,
  /** Consequences (margin reviews, fired stops, liquidation steps) that one command does. */
  consequencesPerCommand: 1_000,
  /** Matches, closed orders and ranked opponents (ADL) of consequences after which none is begun. */
  fillsOfConsequences: 10_000,
  /** Payments of funding that one command makes. */
  fundingPerCommand: 10_000,
  /** Orders that one act of an operator cancels. */
  cancelsPerAct: 1_000,
  /** Slices an iceberg may be cut into. */
  slicesPerIceberg: 1_000,
  /** How long a dead-man switch may wait, in milliseconds. */
  deadlineMinMs: 1_000,
  deadlineMaxMs: 86_400_000,
} as const;
