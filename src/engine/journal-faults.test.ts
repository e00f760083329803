import { expect, test } from 'vitest';
import { parts } from '../../test/support/core-venue.ts';
import { plainSecrets } from '../../test/support/plain-secrets.ts';
import { newState } from '../core/state.ts';
import type { AccountIndex, AssetIndex } from '../domain/units.ts';
import { FaultyFiles } from '../journal/faulty-files.fixture.ts';
import { openSegments } from '../journal/segments.ts';
import { demoGenesis } from '../sandbox/demo.ts';
import { manualClock } from './clock.ts';
import { EngineStopped } from './engine.ts';
import { memoryPoison } from './poison.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import { replay } from './recovery.ts';
import { Sequencer } from './sequencer.ts';

const open = (files: FaultyFiles) =>
  openSegments({ directory: '/venue', stamp: 'test', segmentBytes: 4096, files });

const genesis = demoGenesis(plainSecrets());

/** Twenty transfers one after another, on a disk whose n-th call fails. What was answered, and how it ended. */
async function run(files: FaultyFiles) {
  const answered: number[] = [];
  const failures: Error[] = [];
  const journal = await open(files);
  const sequencer = new Sequencer({
    state: newState(),
    journal,
    clock: manualClock(1_750_000_000_000),
    poison: memoryPoison(),
    recent: new RecentOutcomes({ nextSequence: 1, readOlder: () => Promise.reject(new Error()) }),
    soon: (go) => go(),
    onDurable: () => undefined,
    onFailure: (reason) => failures.push(reason),
  });
  try {
    answered.push((await sequencer.submit(genesis)).outcome.sequence);
    const { directory } = sequencer;
    const [main, desk] = directory.families()[0]?.accounts ?? [];
    const key = directory.keys().find(({ permissions }) => permissions.includes('trade'))?.key;
    for (let i = 0; i < 20; i++) {
      const { outcome } = await sequencer.submit({
        kind: 'transfer',
        by: { key: key as never },
        asset: directory.assetByCode('USDT') as AssetIndex,
        amount: parts('1'),
        from: main as AccountIndex,
        to: desk as AccountIndex,
      });
      answered.push(outcome.sequence);
    }
  } catch (cause) {
    expect(cause).toBeInstanceOf(EngineStopped);
    // It says so, and it never answers again.
    expect(failures).toHaveLength(1);
    await expect(sequencer.submit(genesis)).rejects.toBeInstanceOf(EngineStopped);
  }
  await journal.close().catch(() => undefined);
  return { answered, failures };
}

test('at whichever call the disk fails, nothing is answered that is not there after the restart', async () => {
  let failed = 0;
  for (const code of ['EIO', 'ENOSPC'] as const) {
    for (let call = 1; ; call++) {
      const files = new FaultyFiles({ seed: call });
      files.fault = { call, code };
      const { answered, failures } = await run(files).catch(() => ({
        answered: [],
        failures: [1],
      }));
      failed += failures.length;
      if (files.calls < call) break;
      files.fault = undefined;
      files.crash();
      const journal = await open(files);
      const state = newState();
      replay(state, journal.read(1));
      expect(state.sequence).toBeGreaterThanOrEqual(answered.at(-1) ?? 0);
      await journal.close();
    }
  }
  expect(failed).toBeGreaterThan(20);
});
