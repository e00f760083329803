import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { JoinCluster } from './cluster.ts';
import { venueConfig } from './config.ts';
import { withEvmNetworks } from './connectors/wallets/evm-catalogue.ts';
import { defaultCatalogue } from './defaults/catalogue.ts';
import { stampOf } from './engine/stamp.ts';
import { identityOf } from './identity.ts';
import { openSegments } from './journal/segments.ts';
import { withStoppedVenue } from './main.ts';
import { appendJournal } from './replication/append-journal.ts';
import { nextTurn } from './replication/leader.fixture.ts';
import { MemoryLog, MemoryStream } from './replication/memory-log.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-rooms-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('an engine without the chains of its venue is refused before it could lead', async () => {
  const config = venueConfig({ data: 'engine-2' }, folder);
  const tokens = { USDT: { tokenId: `0x${'1'.repeat(40)}`, decimals: 6 } };
  const steps = withEvmNetworks(defaultCatalogue('test'), { Ethereum: { tokens } });
  const genesis = () => ({ kind: 'genesis', steps }) as const;
  await withStoppedVenue({ config, genesis }, async () => undefined);
  const { venueId } = identityOf(config.data);
  const stream = new MemoryStream();
  const local = await openSegments({
    directory: join(config.data, 'journal'),
    stamp: stampOf(venueId),
  });
  await appendJournal({
    log: new MemoryLog(stream),
    local,
    firstSequence: 1,
    node: 'engine-1',
    pause: nextTurn,
  });
  await local.close();
  const messages = stream.messages.length;
  const cluster: JoinCluster = async () => ({
    ...{ venueId, beginsAfter: 0, isLogUnsafe: false },
    options: {
      ...{ log: new MemoryLog(stream), role: 'engine', node: 'engine-2', url: 'http://localhost' },
      ...{ every: () => () => undefined, after: () => () => undefined },
      ...{ onHandOver: () => undefined, onGate: () => undefined },
    },
    keepSnapshots: () => undefined,
    whileStandby: () => {
      throw new Error('it stands by');
    },
    close: async () => undefined,
  });
  await expect(withStoppedVenue({ config, cluster }, async () => undefined)).rejects.toThrow(
    'chains.Ethereum is missing in the configuration',
  );
  expect(stream.messages.length).toBe(messages);
});
