import { toStepWithin } from '../shared/number-text.ts';

/** The prices that the venue takes of limit orders now. */
export type Band = {
  readonly tickSize: string;
  readonly lowerPriceBound?: string | undefined;
  readonly upperPriceBound?: string | undefined;
};

/** The band moves with the mark: what the stream has said counts, and before that what the market was read with. */
export const bandNow = (market: Band, status: Partial<Band> | undefined): Band => ({
  tickSize: market.tickSize,
  lowerPriceBound: status?.lowerPriceBound ?? market.lowerPriceBound,
  upperPriceBound: status?.upperPriceBound ?? market.upperPriceBound,
});

export const withinBand = (price: string, band: Band): string =>
  toStepWithin(price, band.tickSize, { lower: band.lowerPriceBound, upper: band.upperPriceBound });

/**
 * The venue names the nearest value by the rule that it looks at first. Of a limit order that is the tick: the nearest price on
 * it may lie beyond the band, and would be refused next. A stop and its limit may wait beyond.
 */
export const takenNearest = (member: string | undefined, nearest: string, band: Band): string =>
  member === 'price' ? withinBand(nearest, band) : nearest;
