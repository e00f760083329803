import { ByteWriter } from '../bytes/pack.ts';
import { assert } from '../domain/assert.ts';
import { decodeEvents, encodeEvent } from '../domain/event-codec.ts';
import type { Event } from '../domain/events.ts';
import type { PriceGrid } from '../domain/market.ts';
import type { AccountIndex } from '../domain/units.ts';
import { pageTermsReader, type TermsAt } from './catalogue.ts';
import type { Database } from './database.ts';
import { LIQUIDATION_SLOT } from './entry-ids.ts';
import { type PageQuery, pageReader } from './pages.ts';
import type { Subject } from './subject.ts';
import type { Table } from './tables.ts';

/** What happens to a failing account, each event with its arithmetic. */
export type LiquidationEvent = Extract<Event, { readonly kind: LiquidationKind }>;
type LiquidationKind =
  | 'liquidation-started'
  | 'liquidation-step'
  | 'collateral-sold'
  | 'liquidation-ended';

export type LiquidationRow = {
  readonly id: bigint;
  readonly event: LiquidationEvent;
  /** The price grid for the ticks of the step. */
  readonly grid?: PriceGrid;
  readonly timeMs: number;
};
/** Of one account, or of the whole venue. */
export type LiquidationQuery = PageQuery & { readonly account?: AccountIndex | undefined };
export type LiquidationQueries = {
  liquidations(query: LiquidationQuery): Promise<readonly LiquidationRow[]>;
};

const TABLE: Table = {
  name: 'liquidations',
  columns: { account: 'integer', at_ms: 'integer', id: 'integer', event: 'bytes' },
  key: ['account', 'id'],
  indexes: [{ name: 'liquidations_by_id', columns: ['id'] }],
};

/**
 * Four kinds of event with few figures in common, so each is stored whole, in the encoding of the event log
 * (domain/event-codec.ts): when that changes, raise this revision too.
 */
export const LIQUIDATIONS: Subject<LiquidationQueries> = {
  name: 'liquidations',
  revision: 3,
  tables: [TABLE],
  projection: (database) => {
    const rows = database.inserter(TABLE, Object.keys(TABLE.columns));
    const out = new ByteWriter();
    const write = (event: LiquidationEvent, timeMs: number, id: number): number => {
      out.clear();
      encodeEvent(out, event);
      return rows.add(event.account, timeMs, id + LIQUIDATION_SLOT.event, out.bytes());
    };
    return {
      'liquidation-started': write,
      'liquidation-step': write,
      'collateral-sold': write,
      'liquidation-ended': write,
    };
  },
  queries: (database) => ({ liquidations: liquidationsReader(database) }),
};

function liquidationsReader(database: Database): LiquidationQueries['liquidations'] {
  const list = { table: 'liquidations', columns: ['id', 'event', 'at_ms'] };
  const ofAccount = pageReader<Stored>(database, { ...list, equal: ['account'] });
  const ofVenue = pageReader<Stored>(database, { ...list, equal: [] });
  const termsOfPage = pageTermsReader(database);
  return async (query) => {
    const termsAt = termsOfPage();
    const rows =
      query.account === undefined
        ? await ofVenue([], query)
        : await ofAccount([query.account], query);
    return Promise.all(rows.map((row) => restored(row, termsAt)));
  };
}

type Stored = { readonly id: bigint; readonly event: Uint8Array; readonly at_ms: bigint };

async function restored(row: Stored, termsAt: TermsAt): Promise<LiquidationRow> {
  const [event] = decodeEvents(row.event);
  assert(event !== undefined, 'a liquidation is kept with its event');
  return {
    id: row.id,
    event: event as LiquidationEvent,
    ...(event.kind === 'liquidation-step'
      ? { grid: (await termsAt(event.market, row.id)).grid }
      : {}),
    timeMs: Number(row.at_ms),
  };
}
