import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { restoreVenue } from '../../src/backup.ts';
import { RialtoClient, RialtoError } from '../../src/client/index.ts';
import { venueConfig } from '../../src/config.ts';
import { withStoppedVenue } from '../../src/main.ts';
import { lockVenue } from '../../src/venue-lock.ts';
import { verifyData } from '../../src/verify-data.ts';
import { backUp } from '../../src/wire/operator-reports.ts';
import { startInProcess } from '../http/in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sends orders continuously until it is stopped. */
function load(client: RialtoClient) {
  let isOver = false;
  let placed = 0;
  const over = (async () => {
    while (!isOver) {
      const side = placed % 2 === 0 ? 'BUY' : 'SELL';
      const order = {
        marketCode: 'BTC-USDT',
        orderType: 'LIMIT',
        price: '60000',
        quantity: '0.001',
      } as const;
      await client.placeOrders({ orders: [{ ...order, side, timeInForce: 'GTC' }] });
      placed++;
    }
  })();
  return {
    placed: () => placed,
    stop: () => {
      isOver = true;
      return over;
    },
  };
}

test('a venue is backed up under load, restored and verified: the same digest at its sequence', async () => {
  const { venue, clientOf, stop } = await startInProcess({});
  const traders = [load(clientOf(0)), load(clientOf(1))];
  const [local] = venue.operators.all();
  if (local === undefined) throw new Error('a venue has an operator');
  const operator = new RialtoClient({
    baseUrl: venue.managementUrl,
    accessKey: local.accessKey,
    secret: Buffer.from(venue.seal.unseal(local.sealedSecret)).toString(),
  });
  const to = join(folder, 'copy');
  for (let tries = 0; traders.some(({ placed }) => placed() < 5) && tries < 400; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const before = traders.map(({ placed }) => placed());
  const taken = await operator.call(backUp, { to });
  const during = traders.map(({ placed }, at) => placed() - (before[at] ?? 0));
  expect(Math.max(...during)).toBeGreaterThan(0);
  await expect(operator.call(backUp, { to })).rejects.toThrow(RialtoError);
  await expect(operator.call(backUp, { to: 'copy' })).rejects.toThrow('no absolute path');
  // Nobody would look for a copy there.
  await expect(operator.call(backUp, { to: join(folder, 'copi', 'today') })).rejects.toThrow(
    `${join(folder, 'copi')} is not there: a backup makes only its own folder, none above it. ` +
      `Is a disk not mounted? Did you mean ${to}?`,
  );
  await expect(operator.call(backUp, { to: '/rialto-none/a/b' })).rejects.toThrow('Nearest is /');
  await expect(operator.call(backUp, { to: '/dev/null' })).rejects.toThrow('is a file');
  expect(existsSync(join(folder, 'copi'))).toBe(false);
  await Promise.all(traders.map((trader) => trader.stop()));
  await stop();

  expect(statSync(join(to, 'master.key')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(to, 'management.json'))).toBe(false);
  // As documented: the copy itself is verified first, which must not change it.
  const unlock = await lockVenue(to);
  expect((await Array.fromAsync(verifyData(to))).at(-1)).toBe('balanced');
  unlock();
  const data = join(folder, 'restored');
  expect(await restoreVenue(to, data)).toMatchObject({
    sequence: Number(taken.sequence),
    digest: taken.digest,
  });
  const lines = await Array.fromAsync(verifyData(data));
  expect(lines).toContain(`the digest at ${taken.sequence} is that of the backup`);
  expect(lines.at(-1)).toBe('balanced');
  expect(Number(lines[0]?.replace('sequence ', ''))).toBeGreaterThanOrEqual(Number(taken.sequence));
  // The copy is a venue: it opens, with its keys.
  const config = venueConfig({ data }, data);
  const keys = await withStoppedVenue({ config }, async (engine) => engine.directory.keys().length);
  expect(keys).toBeGreaterThan(0);

  await expect(restoreVenue(to, data)).rejects.toThrow('is not empty');
  await expect(restoreVenue(to, join(to, 'venue.json'))).rejects.toThrow(
    'venue.json is a file: the data of a venue is in a folder of its own',
  );
  appendFileSync(join(to, 'venue.json'), ' ');
  await expect(restoreVenue(to, join(folder, 'other'))).rejects.toThrow('its sum differs');
}, 120_000);
