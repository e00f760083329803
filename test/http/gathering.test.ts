import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handoutOf } from '../../src/cli/handout.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { venueConfig } from '../../src/config.ts';
import { startVenue, type Venue } from '../../src/main.ts';
import { demoGenesis } from '../../src/sandbox/demo.ts';
import { newKeyPair } from '../../src/seal.ts';
import { limit, trade } from './trading.ts';

/**
 * Follower and history gather for an hour here: whatever is read within the two seconds that a read
 * waits was read because the read itself has ended their gathering.
 */
const data = mkdtempSync(join(tmpdir(), 'rialto-gathering-'));
let venue: Venue;
let one: RialtoClient;
let two: RialtoClient;
beforeAll(async () => {
  venue = await startVenue({
    config: venueConfig(
      { data, port: 0, managementPort: 0, limits: false, logLevel: 'silent' },
      data,
    ),
    gatherMostMs: 3_600_000,
    genesis: (seal) =>
      demoGenesis(() => {
        const { accessKey, secret } = newKeyPair();
        return { accessKey, sealedSecret: seal.seal(secret) };
      }),
  });
  const { engine, seal, managementUrl } = venue;
  const host = `localhost:${venue.port}`;
  const { baseUrl, families } = handoutOf({
    directory: engine.directory,
    seal,
    host,
    managementUrl,
  });
  const clientOf = (family: number): RialtoClient => {
    const keys = families[family]?.accounts[0]?.keys ?? [];
    const key = keys.find(({ permissions }) => permissions.includes('trade'));
    if (key === undefined) throw new Error('a demo family has a key that trades');
    return new RialtoClient({ baseUrl, accessKey: key.accessKey, secret: key.secret });
  };
  one = clientOf(0);
  two = clientOf(1);
}, 30_000);
afterAll(async () => {
  await venue?.stop();
  rmSync(data, { recursive: true, force: true });
});

test('whoever was answered reads it in history, though its threads gather', async () => {
  for (let round = 0; round < 10; round++) {
    const { made, taken } = await trade(one, two, limit('SELL', '0.001', String(60_000 + round)));
    const [mine] = await one.trades({ limit: '1' });
    expect(mine).toMatchObject({ orderId: made.orderId, matchId: taken.matchId });
    const [theirs] = await two.trades({ limit: '1' });
    expect(theirs).toMatchObject({ orderId: taken.orderId, matchId: taken.matchId });
  }
});

test('many who read at once all read their own', async () => {
  const rounds = Array.from({ length: 8 }, async (_, at) => {
    const { taken } = await trade(one, two, limit('SELL', '0.001', String(60_100 + at)));
    const trades = await two.trades({ limit: '100' });
    expect(trades.map(({ matchId }) => matchId)).toContain(taken.matchId);
  });
  await Promise.all(rounds);
});
