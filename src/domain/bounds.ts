/**
 * How much work one request, and one command, may cause. Without these bounds a single request could delay
 * everybody else, and write more events than a log entry can hold.
 *
 * Work is counted in orders that a taker meets: each match is one, and so is each resting order that ends
 * without a match because the taker met it (self-trade prevention, reduce-only without a position). An
 * iceberg is met once for each slice.
 */
export const WORK_BOUNDS = {
  /** Fills that all elements of one request may plan together. */
  planPerRequest: 10_000,
  /** Matches that all elements of one request may make together. */
  matchesPerRequest: 10_000,
  /** Consequences (margin reviews, triggered stops, liquidation steps) that one command executes. */
  consequencesPerCommand: 1_000,
  /** Matches, closed orders, and orders, opponents and assets looked at, after which no further one is started. */
  fillsOfConsequences: 10_000,
  /** Funding payments per command. */
  fundingPerCommand: 10_000,
  /** Orders that one act of an operator cancels. */
  cancelsPerAct: 1_000,
  /** The maximum number of slices of an iceberg. */
  slicesPerIceberg: 1_000,
  /** How long a dead-man switch may wait, in milliseconds. */
  deadlineMinMs: 1_000,
  deadlineMaxMs: 86_400_000,
} as const;
