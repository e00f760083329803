/** Why a history was not opened, or not continued. */
export type HistoryRefusal =
  /** There is no history yet. */
  | 'missing'
  /** It belongs to another venue, or is not a history at all. */
  | 'foreign'
  /** A newer program wrote it. */
  | 'newer'
  /** Its tables are not those of its version: another program wrote it. */
  | 'unknown'
  /** Its bytes are not what was written. */
  | 'damaged'
  /** The event log does not continue where history stopped. */
  | 'gap'
  /** Somebody else moved its cursor. */
  | 'taken';

/** The disk or the database fails for now: full, gone, locked, unreachable. Committed data stays. */
export class HistoryFailed extends Error {
  override readonly name = 'HistoryFailed';
}

/** The operator must decide; nothing is repaired silently. */
export class HistoryRefused extends Error {
  readonly reason: HistoryRefusal;

  constructor(reason: HistoryRefusal, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'HistoryRefused';
    this.reason = reason;
  }
}
