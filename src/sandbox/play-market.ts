import { ASSET_SCALE } from '../defaults/catalogue.ts';
import { partsFromText } from '../domain/decimal.ts';
import type { MarketSpec } from '../domain/market.ts';
import { type AccountIndex, USD_SCALE } from '../domain/units.ts';
import type { AccountView, Directory } from '../domain/views.ts';
import type { PastClocks } from '../engine/clock.ts';
import type { Engine, Submitted } from '../engine/engine.ts';
import type { Every } from '../engine/ticker.ts';
import { type Holdings, LIVE_PACE, LivingMarket, PAST_PACE } from './living-market.ts';
import { DEPTH, FUNDS, MAKERS, MARKET_FAMILY, TAKERS } from './market-family.ts';
import { LATE_MS, PastBudget } from './past-budget.ts';

/** A living market in a running venue: its traders and their holdings. */
export type MarketInVenue = {
  readonly engine: Engine;
  readonly market: LivingMarket;
  readonly accounts: ReadonlyMap<AccountIndex, string>;
};

/** Undefined if the venue was created without these traders: funds are created only with a venue. */
export function marketIn(engine: Engine, seed: number): MarketInVenue | undefined {
  const { directory } = engine;
  const family = directory.families().find(({ name }) => name === MARKET_FAMILY);
  if (family === undefined) return undefined;
  const traders = family.accounts.flatMap((account) => traderOf(directory, account));
  const named = (names: readonly string[]) => traders.filter(({ name }) => names.includes(name));
  const [makers, takers] = [named(MAKERS), named(TAKERS)];
  if (makers.length === 0 || takers.length === 0) return undefined;
  const prices = new Map(
    engine
      .indexPrices()
      .map(({ asset, price }) => [directory.asset(asset).code, Number(price) / 10 ** USD_SCALE]),
  );
  const { sequence } = engine.status();
  return {
    engine,
    // A restarted venue must not repeat the prices of its previous day.
    market: new LivingMarket({
      seed: seed + sequence,
      markets: marketsOf(directory),
      makers,
      takers,
      depth: named([DEPTH])[0],
      prices,
    }),
    accounts: new Map(traders.map(({ account, name }) => [account, name])),
  };
}

function traderOf(directory: Directory, account: AccountIndex) {
  const key = directory
    .keys()
    .find((one) => one.account === account && one.permissions.includes('trade') && !one.isRevoked);
  const name = directory.account(account)?.name;
  return key === undefined || name === undefined ? [] : [{ account, name, key: key.key }];
}

const marketsOf = (directory: Directory) =>
  directory.markets().flatMap((spec) => {
    const market = directory.marketByCode(spec.code);
    if (market === undefined) return [];
    return [{ market, version: directory.marketVersion(market), spec }];
  });

/** Refreshes the holdings of the traders: others trade with them too. */
async function refreshHoldings({ engine, market, accounts }: MarketInVenue): Promise<void> {
  const views = await engine.view('accounts', { accounts: [...accounts.keys()] });
  const viewByName = new Map(views.map((view) => [accounts.get(view.account) ?? '', view]));
  market.observe(holdingsOf(engine.directory, viewByName));
}

const holdingsOf =
  (directory: Directory, viewByName: ReadonlyMap<string, AccountView>): Holdings =>
  (trader, market) => {
    const view = viewByName.get(trader);
    if (view === undefined) return 0;
    const spec = directory.market(market);
    if (spec.type === 'SPOT') return spotLots(directory, spec, view);
    return view.positions.find((position) => position.market === market)?.lots ?? 0;
  };

const BEGAN: ReadonlyMap<string, bigint> = new Map(
  Object.entries(FUNDS).map(([asset, text]) => [asset, partsFromText(text, ASSET_SCALE) ?? 0n]),
);

/** Above the account's initial balance. */
function spotLots(directory: Directory, spec: MarketSpec, view: AccountView): number {
  const asset = directory.assetByCode(spec.base);
  const balance = view.balances.find((one) => one.asset === asset);
  if (balance === undefined) return 0;
  const began = BEGAN.get(spec.base) ?? 0n;
  const units = Number(balance.available + balance.reserved - began) / 10 ** ASSET_SCALE;
  return (units * 10 ** spec.quantityScale) / Number(spec.lotParts);
}

/** Prices are stale after 30 s. */
const PRICE_SECONDS = 20;
/**
 * An hour pays funding if it has 1,800 ticks. The last eight hours have them; before that, marks only follow
 * prices.
 */
const TICK_SECONDS = { early: 20, late: 2 } as const;
const REFRESH_SECONDS = 3_600;
const GROUP_MAX = 1_000;

export type PastOptions = MarketInVenue & {
  readonly clocks: PastClocks;
  /** The machine's clocks: they say until when to play, and how long that takes. */
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly mostMs: number;
  readonly onProgress?: (fraction: number) => void;
};

/**
 * Plays the traders from the venue's current time to now, with ordinary commands. A machine that is too slow
 * for all of it skips hours in between: the clocks jump over them.
 */
export async function playPast(options: PastOptions): Promise<void> {
  const { engine, market, clocks, nowMs } = options;
  const fromMs = clocks.wallMs();
  const budget = new PastBudget(options);
  let pending: Promise<Submitted>[] = [];
  for (let second = 0; clocks.wallMs() + 1_000 <= nowMs(); second++) {
    clocks.advanceTo(clocks.wallMs() + 1_000);
    const tickSeconds =
      nowMs() - clocks.wallMs() < LATE_MS ? TICK_SECONDS.late : TICK_SECONDS.early;
    if (second % PRICE_SECONDS === 0) {
      pending.push(engine.submit({ kind: 'set-index-prices', prices: market.indexPrices() }));
    }
    for (const command of market.second(PAST_PACE)) pending.push(engine.submit(command));
    if (second % tickSeconds === 0) pending.push(engine.submit({ kind: 'tick' }));
    const isRefresh = second % REFRESH_SECONDS === REFRESH_SECONDS - 1;
    if (!isRefresh && pending.length < GROUP_MAX) continue;
    budget.played += pending.length;
    await Promise.all(pending);
    pending = [];
    if (!isRefresh) continue;
    await refreshHoldings(options);
    // The next second starts a round of prices, so that a skip leaves no stale ones.
    const wallMs = clocks.wallMs();
    clocks.advanceTo(wallMs + budget.skipMs(wallMs, nowMs() - wallMs));
    options.onProgress?.((clocks.wallMs() - fromMs) / Math.max(1, nowMs() - fromMs));
  }
  await Promise.all(pending);
  await refreshHoldings(options);
}

export type LiveOptions = MarketInVenue & {
  readonly every: Every;
  readonly onFailure: (reason: unknown) => void;
};

/** How often to check whether a second has passed. */
const CHECK_MS = 250;
/** After a pause (a laptop that slept, a slow disk) up to this many seconds are caught up. */
const CATCH_UP_SECONDS = 5;
const LIVE_REFRESH_SECONDS = 30;

/** Runs the traders with the engine's time. Sends nothing until the previous second is on disk. */
export function startMarket(options: LiveOptions): { stop(): void } {
  const { engine, market, every, onFailure } = options;
  let isWaiting = false;
  let seconds = 0;
  let lastMs = engine.nowMs();
  const run = async (count: number): Promise<void> => {
    const sent: Promise<Submitted>[] = [];
    market.observeTerms(marketsOf(engine.directory));
    for (let left = count; left > 0; left--) {
      for (const command of market.second(LIVE_PACE)) sent.push(engine.submit(command));
    }
    await Promise.all(sent);
    if (seconds % LIVE_REFRESH_SECONDS < count) await refreshHoldings(options);
  };
  const stop = every(CHECK_MS, () => {
    const passed = Math.floor((engine.nowMs() - lastMs) / 1_000);
    if (isWaiting || passed < 1) return;
    lastMs += passed * 1_000;
    const count = Math.min(passed, CATCH_UP_SECONDS);
    seconds += count;
    isWaiting = true;
    run(count).then(
      () => {
        isWaiting = false;
      },
      (reason: unknown) => {
        stop();
        onFailure(reason);
      },
    );
  });
  return { stop };
}
