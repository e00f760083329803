import { expect, test } from 'vitest';
import { newMatch } from '../book/match.ts';
import * as places from './match-amounts.ts';

test('a match has room for every amount: what is written beyond it would be lost', () => {
  const { length } = newMatch().amounts;
  for (const place of Object.values(places)) expect(place).toBeLessThan(length);
});
