import { expect, test } from 'vitest';
import { fuzzStream } from './stream.ts';
import { fuzzedVenue } from './venue.ts';

test('fuzzed messages of the stream: all answered, no fault of ours, no effect of what was refused', async () => {
  const target = await fuzzedVenue();
  try {
    const report = await fuzzStream(target, { seed: 3, count: 600 });
    expect(report.faults).toEqual([]);
    expect(report.accepted).toBeGreaterThan(60);
    expect(report.refused).toBeGreaterThan(200);
    expect(report.ended).toBeGreaterThan(1);
  } finally {
    await target.stop();
  }
}, 120_000);
