import type { Database } from './database.ts';
import { openSessions, type Place } from './place.ts';
import { type After, Progress } from './progress.ts';
import { type Queries, queriesOf, queriesThrough, SCHEMA } from './subjects.ts';

export type { AccountHourRow, AccountHoursQuery } from './account-hours.ts';
export type { ActQuery, ActRow } from './acts.ts';
export type { CandleQuery, CandleRow, DayMarks, DayStats, DayStatsQuery } from './candle-reader.ts';
export type {
  FundingPaymentQuery,
  FundingPaymentRow,
  FundingRateQuery,
  FundingRateRow,
} from './funding.ts';
export type { LiquidationEvent, LiquidationQuery, LiquidationRow } from './liquidations.ts';
export type { ExchangeTradeQuery, ExchangeTradeRow } from './matches.ts';
export type { ClosedOrderRow, ListedOrderRow, OrderQuery, OrdersQuery } from './orders.ts';
export type { Place } from './place.ts';
export { type PostgresPlace, postgresName } from './postgres.ts';
export type { After } from './progress.ts';
export { HistoryFailed, HistoryRefused } from './refused.ts';
export type { TradeQuery, TradeRow } from './trades.ts';
export type { TransferQuery, TransferRow } from './transfers.ts';
export type { WalletQuery } from './wallet.ts';
export type { WalletEntryRow } from './wallet-entry.ts';
export type { WalletRecordQuery } from './wallet-records.ts';

/**
 * Reads of the past. It combines the queries of all subjects: `walletEntries`, `transfers`, `order`,
 * `orders`, `accountHours`, `trades`, `exchangeTrades`, `candles`, `dayStats`, `dayMarks`, `fundingPayments`,
 * `fundingRates`, `liquidations`, `withdrawals`, `deposits`, `acts`. Lists come newest first, the higher id
 * first within a millisecond.
 *
 * History is some milliseconds behind the venue. A caller that must see a write waits first for its sequence
 * with `reached`.
 */
export interface History extends Queries {
  /** Query results include everything up to here, and perhaps more. */
  readonly sequence: number;
  /** Why history does not advance now, for reads that are refused; undefined while it does. */
  readonly trouble: string | undefined;
  /** Waits until results include `sequence`; false if that takes longer, or history does not advance. */
  reached(sequence: number, withinMs: number): Promise<boolean>;
}

/** For its owner, who reports progress to it and closes it. */
export interface OpenHistory extends History {
  advanced(sequence: number): void;
  /** History has stopped for this reason until it advances again; it may have lost everything beyond `sequence`. */
  halted(trouble: string, sequence?: number): void;
  close(): Promise<void>;
}

export type HistoryOptions = Place & {
  readonly stamp: string;
  readonly after: After;
  /** Called when a read starts to wait for a sequence that history has not reached. */
  readonly want?: (sequence: number) => void;
};

/**
 * Opens a reader with its own connections, beside the projector's. The history must have been prepared. Each
 * query sees everything committed before it began.
 */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
  const { stamp, after, want } = options;
  const sessions = await openSessions(options, { stamp, schema: SCHEMA });
  const progress = new Progress(sessions.cursor, after, want);
  const queriesByDatabase = new WeakMap<Database, Queries>();
  const queriesFor = (database: Database): Queries => {
    const queries = queriesByDatabase.get(database) ?? queriesOf(database);
    queriesByDatabase.set(database, queries);
    return queries;
  };
  const questions = queriesThrough((name, values) =>
    sessions.use((database) => {
      const run = queriesFor(database)[name] as (...values: unknown[]) => Promise<unknown>;
      return run(...values);
    }),
  );
  return {
    ...questions,
    get sequence() {
      return progress.sequence;
    },
    get trouble() {
      return progress.trouble;
    },
    reached: (sequence, withinMs) => progress.reached(sequence, withinMs),
    advanced: (sequence) => progress.advanced(sequence),
    halted: (trouble, sequence) => progress.halted(trouble, sequence),
    close: () => {
      progress.close();
      return sessions.close();
    },
  };
}
