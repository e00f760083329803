import { startPrices } from '../domain/catalogue.ts';
import type { Engine } from '../engine/engine.ts';

/** Runs a function again and again until told to stop: a timer, or a hand in tests. */
export type Every = (periodMs: number, run: () => void) => () => void;

export type PriceSource = { stop(): void };

const PERIOD_MS = 5_000;

/**
 * Index prices enter the venue as commands, one for each round. This source repeats the start prices,
 * so that marks, bands and stops work on a venue that hears of no other market.
 */
export function repeatStartPrices(
  engine: Engine,
  every: Every,
  onFailure: (reason: unknown) => void,
): PriceSource {
  const round = (): void => {
    const known = startPrices().filter(
      ({ asset }) => engine.directory.assetByCode(asset) !== undefined,
    );
    engine.submit({ kind: 'set-index-prices', prices: known }).catch(onFailure);
  };
  round();
  return { stop: every(PERIOD_MS, round) };
}
