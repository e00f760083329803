import { toStepWithin } from '../shared/number-text.ts';

/** The prices that the venue currently accepts for limit orders. */
export type Band = {
  readonly tickSize: string;
  readonly lowerPriceBound?: string | undefined;
  readonly upperPriceBound?: string | undefined;
};

/**
 * The band moves with the mark: the stream's values count, and before those the ones the market was read
 * with.
 */
export const bandNow = (market: Band, status: Partial<Band> | undefined): Band => ({
  tickSize: market.tickSize,
  lowerPriceBound: status?.lowerPriceBound ?? market.lowerPriceBound,
  upperPriceBound: status?.upperPriceBound ?? market.upperPriceBound,
});

export const withinBand = (price: string, band: Band): string =>
  toStepWithin(price, band.tickSize, { lower: band.lowerPriceBound, upper: band.upperPriceBound });

/**
 * The venue's nearest value is for the rule that it checks first. For a limit order that is the tick: the
 * nearest price on it may be beyond the band, and would be refused next. A stop and its limit may wait
 * beyond.
 */
export const takenNearest = (member: string | undefined, nearest: string, band: Band): string =>
  member === 'price' ? withinBand(nearest, band) : nearest;
