import { expect, test } from 'vitest';
import type { AccountIndex } from '../../domain/units.ts';
import { type AdlRank, compareAdlRanks } from './adl-rank.ts';

const rank = (account: number, top: bigint, more: Partial<AdlRank> = {}): AdlRank => ({
  ...{ accountIndex: account as AccountIndex, isLiquidating: false, top, bottom: 10n },
  ...more,
});

test('ADL closes liquidating accounts first, whatever they have lost, then by rank, then by account', () => {
  const ruined = rank(4, -90n, { isLiquidating: true });
  const failing = rank(3, 5n, { isLiquidating: true });
  const winner = rank(2, 80n);
  const like = rank(1, 160n, { bottom: 20n });
  const loser = rank(0, -1n);
  const ranked = [loser, winner, ruined, like, failing].sort(compareAdlRanks);
  expect(ranked.map(({ accountIndex }) => accountIndex)).toEqual([3, 4, 1, 2, 0]);
});
