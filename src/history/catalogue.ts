import { assert } from '../domain/assert.ts';
import { type PriceGrid, partsPerLot } from '../domain/market.ts';
import { NATIVE_ASSET } from '../domain/terms.ts';
import type { AssetIndex, MarketIndex } from '../domain/units.ts';
import type { Database } from './database.ts';
import type { Subject } from './subject.ts';

/** Which assets a market moves, and how much of its base one lot is. */
export type MarketTerms = {
  /** The id of the event that set these terms: they hold for what is numbered above. */
  readonly sinceId: bigint;
  readonly isSpot: boolean;
  readonly base: AssetIndex;
  /** What a match is paid in: the counter asset on spot, the native asset on a perpetual. */
  readonly settle: AssetIndex;
  readonly baseParts: bigint;
  /** What a price in ticks means. */
  readonly grid: PriceGrid;
};

/**
 * Market terms that rows of trades do not repeat. A market whose specification changes gets another row,
 * so that each trade is shown with the terms it was made under.
 */
export const CATALOGUE: Subject = {
  name: 'catalogue',
  revision: 2,
  tables: [
    `CREATE TABLE assets (
      code TEXT NOT NULL,
      asset INTEGER NOT NULL,
      scale INTEGER NOT NULL,
      PRIMARY KEY (code)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE market_terms (
      market INTEGER NOT NULL,
      since_id INTEGER NOT NULL,
      is_spot INTEGER NOT NULL,
      base INTEGER NOT NULL,
      settle INTEGER NOT NULL,
      base_parts INTEGER NOT NULL,
      price_scale INTEGER NOT NULL,
      tick_parts INTEGER NOT NULL,
      PRIMARY KEY (market, since_id)
    ) STRICT, WITHOUT ROWID`,
  ],
  projection: (database) => {
    const insertAsset = database.change('INSERT INTO assets (code, asset, scale) VALUES (?, ?, ?)');
    const assetByCode = database.query<StoredAsset>(
      'SELECT asset, scale FROM assets WHERE code = ?',
    );
    const insertTerms = database.change(
      `INSERT INTO market_terms (market, since_id, is_spot, base, settle, base_parts,
          price_scale, tick_parts)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const assetOf = (code: string): StoredAsset => {
      const [found] = assetByCode(code);
      assert(found !== undefined, 'a market is made of assets that were defined before');
      return found;
    };
    return {
      'asset-defined': ({ asset, spec }) => insertAsset(spec.code, asset, spec.scale),
      'market-defined': ({ market, spec }, _timeMs, id) => {
        const isSpot = spec.type === 'SPOT';
        const base = assetOf(spec.base);
        const settle = assetOf(isSpot ? spec.counter : NATIVE_ASSET);
        const baseParts = partsPerLot(spec, Number(base.scale));
        assert(baseParts !== undefined, 'a lot is a whole number of parts of its base asset');
        return insertTerms(
          ...[market, id, isSpot ? 1 : 0, base.asset, settle.asset, baseParts],
          ...[spec.priceScale, spec.tickParts],
        );
      },
    };
  },
  queries: () => ({}),
};

/** The terms a market has had, the newest first. */
export function termsReader(database: Database): (market: MarketIndex) => readonly MarketTerms[] {
  const read = database.query<StoredTerms>(
    `SELECT since_id, is_spot, base, settle, base_parts, price_scale, tick_parts FROM market_terms
      WHERE market = ? ORDER BY since_id DESC`,
  );
  return (market) =>
    read(market).map((row) => ({
      sinceId: row.since_id,
      isSpot: row.is_spot === 1n,
      base: Number(row.base) as AssetIndex,
      settle: Number(row.settle) as AssetIndex,
      baseParts: row.base_parts,
      grid: { priceScale: Number(row.price_scale), tickParts: row.tick_parts },
    }));
}

/** The terms that something numbered `id` happened under. */
export type TermsAt = (market: MarketIndex, id: bigint) => MarketTerms;

/** For one page each: it has few markets, and each is looked up once. */
export function pageTermsReader(database: Database): () => TermsAt {
  const termsOf = termsReader(database);
  return () => {
    const termsByMarket = new Map<MarketIndex, readonly MarketTerms[]>();
    return (market, id) => {
      const all = termsByMarket.get(market) ?? termsOf(market);
      termsByMarket.set(market, all);
      const terms = all.find(({ sinceId }) => sinceId < id);
      assert(terms !== undefined, 'what happened in a market happened after it was defined');
      return terms;
    };
  };
}

type StoredAsset = { readonly asset: bigint; readonly scale: bigint };
type StoredTerms = {
  readonly since_id: bigint;
  readonly is_spot: bigint;
  readonly base: bigint;
  readonly settle: bigint;
  readonly base_parts: bigint;
  readonly price_scale: bigint;
  readonly tick_parts: bigint;
};
