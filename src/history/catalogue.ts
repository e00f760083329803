import { assert } from '../domain/assert.ts';
import { type PriceGrid, partsPerLot } from '../domain/market.ts';
import { NATIVE_ASSET } from '../domain/terms.ts';
import type { AssetIndex, MarketIndex } from '../domain/units.ts';
import type { Database, Query } from './database.ts';
import type { KnownAsset, KnownCatalogue, KnownTerms, Subject } from './subject.ts';
import type { Table } from './tables.ts';

/** Which assets a market trades, and how much of its base asset one lot is. */
export type MarketTerms = {
  /** The id of the event that set these terms: they apply to higher ids. */
  readonly sinceId: bigint;
  readonly isSpot: boolean;
  readonly base: AssetIndex;
  /** What a match is paid in: the counter asset on spot, the native asset on a perpetual. */
  readonly settle: AssetIndex;
  readonly baseParts: bigint;
  /** What a price in ticks means. */
  readonly grid: PriceGrid;
};

const ASSETS: Table = {
  name: 'assets',
  columns: { code: 'text', asset: 'integer', scale: 'integer' },
  key: ['code'],
};
const TERMS: Table = {
  name: 'market_terms',
  columns: {
    market: 'integer',
    since_id: 'integer',
    is_spot: 'integer',
    base: 'integer',
    settle: 'integer',
    base_parts: 'integer',
    price_scale: 'integer',
    tick_parts: 'integer',
  },
  key: ['market', 'since_id'],
};

/**
 * Market terms that rows of trades do not repeat. A market whose specification changes gets another row,
 * so that each trade is shown with the terms it was made under.
 */
export const CATALOGUE: Subject = {
  name: 'catalogue',
  revision: 2,
  tables: [ASSETS, TERMS],
  projection: (database, known) => {
    const assets = database.inserter(ASSETS, Object.keys(ASSETS.columns));
    const terms = database.inserter(TERMS, Object.keys(TERMS.columns));
    return {
      'asset-defined': ({ asset, spec }) => {
        known.addAsset(spec.code, { asset, scale: spec.scale });
        return assets.add(spec.code, asset, spec.scale);
      },
      'market-defined': ({ market, spec }, _timeMs, id) => {
        const isSpot = spec.type === 'SPOT';
        const base = known.asset(spec.base);
        const settle = known.asset(isSpot ? spec.counter : NATIVE_ASSET);
        // A perpetual's base asset never moves: its lots need not be whole numbers of parts.
        const baseParts = partsPerLot(spec, base.scale) ?? 0n;
        assert(!isSpot || baseParts > 0n, 'a lot is a whole number of parts of its base asset');
        const grid = { priceScale: spec.priceScale, tickParts: spec.tickParts };
        known.addTerms(market, { isSpot, grid });
        return terms.add(
          ...[market, id, isSpot ? 1 : 0, base.asset, settle.asset, baseParts],
          ...[spec.priceScale, spec.tickParts],
        );
      },
    };
  },
  queries: () => ({}),
};

/**
 * The catalogue as far as it is projected, in memory: read once, then updated by the events. After a failed
 * transaction its changes must be dropped: `forget`.
 */
export class CatalogueMemory implements KnownCatalogue {
  readonly #readAssets: Query<StoredAsset>;
  readonly #readTerms: Query<StoredTerms & { readonly market: bigint }>;
  readonly #assets = new Map<string, KnownAsset>();
  readonly #terms = new Map<MarketIndex, KnownTerms>();
  #isRead = false;

  constructor(database: Database) {
    this.#readAssets = database.query('SELECT code, asset, scale FROM assets');
    this.#readTerms = database.query(
      `SELECT market, since_id, is_spot, base, settle, base_parts, price_scale, tick_parts
        FROM market_terms ORDER BY market, since_id`,
    );
  }

  async read(): Promise<void> {
    if (this.#isRead) return;
    for (const { code, asset, scale } of await this.#readAssets()) {
      this.addAsset(code, { asset: Number(asset) as AssetIndex, scale: Number(scale) });
    }
    for (const row of await this.#readTerms()) {
      this.addTerms(Number(row.market) as MarketIndex, termsOf(row));
    }
    this.#isRead = true;
  }

  forget(): void {
    this.#isRead = false;
    this.#assets.clear();
    this.#terms.clear();
  }

  get nativeAsset(): AssetIndex {
    return this.asset(NATIVE_ASSET).asset;
  }

  asset(code: string): KnownAsset {
    const found = this.#assets.get(code);
    assert(found !== undefined, 'what is named was defined before');
    return found;
  }

  addAsset(code: string, asset: KnownAsset): void {
    this.#assets.set(code, asset);
  }

  terms(market: MarketIndex): KnownTerms {
    const found = this.#terms.get(market);
    assert(found !== undefined, 'what happens in a market happens after it was defined');
    return found;
  }

  addTerms(market: MarketIndex, terms: KnownTerms): void {
    this.#terms.set(market, terms);
  }
}

const termsOf = (row: StoredTerms): MarketTerms => ({
  sinceId: row.since_id,
  isSpot: row.is_spot === 1n,
  base: Number(row.base) as AssetIndex,
  settle: Number(row.settle) as AssetIndex,
  baseParts: row.base_parts,
  grid: { priceScale: Number(row.price_scale), tickParts: row.tick_parts },
});

/** The terms under which the entry `id` happened. */
export type TermsAt = (market: MarketIndex, id: bigint) => Promise<MarketTerms>;

/** A reader for one page: it has few markets, and each is looked up once. */
export function pageTermsReader(database: Database): () => TermsAt {
  const read = database.query<StoredTerms>(
    `SELECT since_id, is_spot, base, settle, base_parts, price_scale, tick_parts FROM market_terms
      WHERE market = ? ORDER BY since_id DESC`,
  );
  return () => {
    const readByMarket = new Map<MarketIndex, Promise<StoredTerms[]>>();
    return async (market, id) => {
      const reading = readByMarket.get(market) ?? read(market);
      readByMarket.set(market, reading);
      const terms = (await reading).find(({ since_id }) => since_id < id);
      assert(terms !== undefined, 'what happened in a market happened after it was defined');
      return termsOf(terms);
    };
  };
}

type StoredAsset = { readonly code: string; readonly asset: bigint; readonly scale: bigint };
type StoredTerms = {
  readonly since_id: bigint;
  readonly is_spot: bigint;
  readonly base: bigint;
  readonly settle: bigint;
  readonly base_parts: bigint;
  readonly price_scale: bigint;
  readonly tick_parts: bigint;
};
