import type { Logger } from 'pino';
import type { PriceSource } from './connectors/price-source.ts';
import { textFromParts } from './domain/decimal.ts';
import { USD_SCALE } from './domain/units.ts';
import { type PastClocks, pastClocks, realClocks } from './engine/clock.ts';
import type { Every } from './engine/ticker.ts';
import { hasBegun } from './identity.ts';
import type { MarketOptions, Rooms, VenueOptions } from './rooms.ts';
import { type MarketInVenue, marketIn, playPast, startMarket } from './sandbox/play-market.ts';

/** The living market of a venue, connected to it. */
export type RunningMarket = {
  readonly seed: number;
  /** Its index prices; other sources are not asked. */
  readonly source: PriceSource;
  start(every: Every, log: Logger): { stop(): void };
};

/** The most time that playing the past may take; a slower machine gets a shorter past. */
const PAST_MOST_MS = 10_000;

/** Clocks that begin in the past, for a venue that has none yet. */
export function clocksFor({ market, config, reset, clocks }: VenueOptions): PastClocks | undefined {
  if (market === undefined || market.pastMs === 0) return undefined;
  if (reset !== true && hasBegun(config.data)) return undefined;
  const real = clocks ?? realClocks;
  return pastClocks(real, real.wallMs() - market.pastMs);
}

/**
 * Undefined if the venue began without a market. Plays the past of a new venue before anybody can connect;
 * then the clocks become the machine's.
 */
export async function openRunningMarket(
  { engine }: Rooms,
  options: MarketOptions & Pick<VenueOptions, 'clocks'>,
  isNew: boolean,
  past: PastClocks | undefined,
): Promise<RunningMarket | undefined> {
  const { wallMs, monotonicMs } = options.clocks ?? realClocks;
  const found = marketIn(engine, options.seed);
  if (found !== undefined && isNew && past !== undefined) {
    await playPast({
      ...found,
      clocks: past,
      nowMs: wallMs,
      monotonicMs,
      mostMs: PAST_MOST_MS,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
  }
  past?.toPresent();
  return found && runningMarketOf(found, options.seed);
}

const runningMarketOf = (found: MarketInVenue, seed: number): RunningMarket => ({
  seed,
  source: {
    name: 'market',
    prices: async () => ({
      prices: new Map(
        found.market
          .indexPrices()
          .map(({ asset, price }) => [asset, textFromParts(price, USD_SCALE)]),
      ),
    }),
  },
  start: (every, log) =>
    startMarket({
      ...found,
      every,
      onFailure: (reason) => log.error({ err: reason }, 'the living market has stopped'),
    }),
});
