import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainSecrets } from '../test/support/plain-secrets.ts';
import { snapshotOf } from './core/snapshot.ts';
import { newState } from './core/state.ts';
import type { Command } from './domain/commands.ts';
import { decodeOutcome } from './domain/event-codec.ts';
import { type AssetIndex, amount, type KeyIndex, type NetworkIndex } from './domain/units.ts';
import { stampOf } from './engine/stamp.ts';
import { startEngine } from './engine/start.ts';
import { openProjector } from './history/projector.ts';
import { openSegmentReader } from './journal/segment-reader.ts';
import { openSegments } from './journal/segments.ts';
import { writeSnapshot } from './journal/snapshots.ts';
import { demoGenesis } from './sandbox/demo.ts';
import { verifyData } from './verify-data.ts';

const SEGMENT_BYTES = 20 * 1024;
let folder: string;
let whole: string;
let copies = 0;

/** A stopped venue with several segments, an event log, a history and its end snapshot. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  whole = join(folder, 'whole');
  const running = await startEngine({
    directory: whole,
    venueId: 'mine',
    segmentBytes: SEGMENT_BYTES,
    onFailure: (reason) => {
      throw reason;
    },
  });
  await running.engine.submit(demoGenesis(plainSecrets()));
  const tick: Command = { kind: 'tick' };
  for (let group = 0; group < 60; group++) {
    await Promise.all(Array.from({ length: 10 }, () => running.engine.submit(tick)));
  }
  await running.stop();
  writeFileSync(
    join(whole, 'venue.json'),
    '{"venueId":"mine","format":2,"begun":true,"stoppedAt":601}',
  );
  const projector = await openProjector({ file: join(whole, 'history.db'), stamp: 'mine' });
  await projector.project(openSegmentReader({ directory: join(whole, 'events') }).read(1, LAST));
  await projector.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const LAST = 601;

function copied(): string {
  const copy = join(folder, `copy-${copies++}`);
  cpSync(whole, copy, { recursive: true });
  return copy;
}

/** All lines, or the words of the refusal. */
async function linesOf(directory: string): Promise<string[]> {
  try {
    return await Array.fromAsync(verifyData(directory));
  } catch (cause) {
    return [(cause as Error).message];
  }
}

const newestSegment = (directory: string): string =>
  join(
    directory,
    readdirSync(directory)
      .filter((name) => name.endsWith('.journal'))
      .sort()
      .at(-1) ?? '',
  );

test('a whole venue is balanced, and says how far each part goes', async () => {
  const lines = await linesOf(whole);
  expect(lines).toContain(`sequence ${LAST}`);
  expect(lines).toContain('snapshots 1, each the state that replay gives');
  expect(lines).toContain(`event log to ${LAST}, history to ${LAST}`);
  expect(lines.filter((line) => line.startsWith('note'))).toEqual([]);
  expect(lines.at(-1)).toBe('balanced');
});

test('a journal without its newest segment is never balanced, whichever part still knows', async () => {
  const all = ['snapshots', 'events', 'history.db'];
  for (const forgotten of [[], all.slice(0, 1), all.slice(0, 2), all]) {
    const directory = copied();
    for (const part of forgotten) rmSync(join(directory, part), { recursive: true });
    rmSync(newestSegment(join(directory, 'journal')));
    const lines = await linesOf(directory);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /the journal ends at \d+, but (the event log|a snapshot|history|venue.json) is at 601: the last \d+ entries of the journal are missing/,
    );
  }
});

test('nor is one whose last record was cut off, although a start would take it for torn', async () => {
  const directory = copied();
  const newest = newestSegment(join(directory, 'journal'));
  // Within the last record, wherever it lies: behind it are zeros.
  const end = readFileSync(newest).findLastIndex((byte) => byte !== 0);
  truncateSync(newest, end - 20);
  expect((await linesOf(directory))[0]).toContain('entries of the journal are missing');
});

test('what is only behind is said in a note: the next start catches up', async () => {
  const directory = copied();
  rmSync(join(directory, 'history.db'));
  rmSync(join(directory, 'events'), { recursive: true });
  const lines = await linesOf(directory);
  expect(lines).toContain(
    `note: the event log ends at 0, ${LAST} short of the journal: the next start writes the rest`,
  );
  expect(lines.join('\n')).toMatch(
    /note: there is no history at .*: the next start makes it from the event log/,
  );
  expect(lines.at(-1)).toBe('balanced');
});

test('an event log that is not what replay brings about is refused', async () => {
  const directory = copied();
  const events = join(directory, 'events');
  const reader = openSegmentReader({ directory: events });
  const outcomes: Uint8Array[] = [...reader.read(1, LAST)].map(({ bytes }) => bytes.slice());
  reader.close();
  expect(decodeOutcome(300, outcomes[299] as Uint8Array).events).toEqual([]);
  outcomes[299] = (outcomes[0] as Uint8Array).slice();
  rmSync(events, { recursive: true });
  const forged = await openSegments({ directory: events, stamp: 'mine', segmentBytes: 1 << 20 });
  await forged.append(outcomes, 1);
  await forged.close();
  expect((await linesOf(directory))[0]).toContain(
    'the event log at 300 is not what replay brings about',
  );
});

test('a snapshot that is not the state of its sequence is refused', async () => {
  const directory = copied();
  const state = newState();
  state.sequence = 400;
  const stamp = stampOf('mine');
  await writeSnapshot(join(directory, 'snapshots'), 400, snapshotOf(state), { stamp });
  expect((await linesOf(directory))[0]).toContain(
    'the snapshot at 400 is not the state that replay gives',
  );
});

test('a snapshot of a venue that was restarted before its first withdrawal is its state', async () => {
  const directory = copied();
  const running = await startEngine({
    ...{ directory, venueId: 'mine', segmentBytes: SEGMENT_BYTES },
    onFailure: (reason) => {
      throw reason;
    },
  });
  const { directory: names } = running.engine;
  const key = names.keys().findIndex(({ permissions }) => permissions.includes('withdraw'));
  const network = names.networks().findIndex(({ name }) => name === 'Ethereum') as NetworkIndex;
  const { outcome } = await running.engine.submit({
    ...{ kind: 'request-withdrawal', by: { key: key as KeyIndex }, network },
    ...{ asset: names.assetByCode('USDT') as AssetIndex, quantity: amount(10n ** 9n) },
    ...{ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', externalFee: true },
  });
  expect(outcome.events).toMatchObject([{ kind: 'withdrawal-changed' }]);
  await running.stop();
  expect(await linesOf(directory)).toContain('snapshots 2, each the state that replay gives');
});

test('a history that is damaged, or has counted other events, is refused', async () => {
  const directory = copied();
  const database = new DatabaseSync(join(directory, 'history.db'));
  database.exec('UPDATE about SET events = events + 1');
  database.close();
  expect((await linesOf(directory))[0]).toMatch(
    /history has counted \d+ events up to 601, the event log holds \d+: delete .*history.db/,
  );
  const damaged = copied();
  writeFileSync(join(damaged, 'history.db'), Buffer.alloc(8_192, 0xa5));
  expect((await linesOf(damaged))[0]).toContain('is damaged');
});
