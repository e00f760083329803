import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RialtoClient } from '../../src/client/index.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { limit, trade } from './trading.ts';

/**
 * Follower and history wait an hour here to fill a batch: whatever is read within the time that a read waits
 * was available because the read itself ended that wait.
 */
let running: InProcess;
let one: RialtoClient;
let two: RialtoClient;
beforeAll(async () => {
  running = await startInProcess({ gatherMostMs: 3_600_000 });
  one = running.clientOf(0);
  two = running.clientOf(1);
});
afterAll(() => running?.stop());

test('an answered command is in history at the next read, although the threads batch', async () => {
  for (let round = 0; round < 10; round++) {
    const { made, taken } = await trade(one, two, limit('SELL', '0.001', String(60_000 + round)));
    const [mine] = await one.trades({ limit: '1' });
    expect(mine).toMatchObject({ orderId: made.orderId, matchId: taken.matchId });
    const [theirs] = await two.trades({ limit: '1' });
    expect(theirs).toMatchObject({ orderId: taken.orderId, matchId: taken.matchId });
  }
});

test('concurrent readers all see their own commands', async () => {
  const rounds = Array.from({ length: 8 }, async () => {
    const { taken } = await trade(one, two, limit('SELL', '0.001', '60100'));
    const trades = await two.trades({ limit: '100' });
    expect(trades.map(({ matchId }) => matchId)).toContain(taken.matchId);
  });
  await Promise.all(rounds);
});
