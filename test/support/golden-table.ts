import { expect, test } from 'vitest';
import { venueWith } from './core-venue.ts';
import { Golden } from './golden.ts';

/** One row: the lines to execute; the outcome of the last line; the book after it. */
export type Row = {
  readonly says: string;
  readonly given: readonly string[];
  readonly when: string;
  readonly happens: readonly string[];
  readonly book: readonly string[];
};

const RICH = { USDT: '10000000', BTC: '1000', OX: '100000000' };
const FUNDS = {
  alice: { main: RICH },
  bob: { main: RICH },
  carol: { main: RICH },
  poor: { main: { OX: '1000', USDT: '10' } },
};

/** Three rich traders and a poor one in a market of the default catalogue. */
export const goldenIn = (market: string): Golden => new Golden(venueWith(FUNDS), market);

export function play(rows: readonly Row[], start: () => Golden): void {
  for (const row of rows) {
    test(row.says, () => {
      const scene = start();
      for (const line of row.given) scene.do(line);
      expect(scene.do(row.when)).toEqual(row.happens);
      expect(scene.book()).toEqual(row.book);
    });
  }
}
