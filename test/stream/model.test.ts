import { expect, test } from 'vitest';
import { startInProcess } from '../http/in-process.ts';
import { runModel } from './model.ts';

test('a client that knows the stream alone has the book, orders and balances of REST, over lost connections', async () => {
  const running = await startInProcess({});
  const report = await runModel({
    baseUrl: `http://127.0.0.1:${running.venue.port}`,
    key: running.keyOf(0),
    own: running.clientOf(0),
    other: running.clientOf(1),
    steps: 12,
    seed: 7,
  });
  await running.stop();
  expect(report.faults).toEqual([]);
  expect(report.losses).toBeGreaterThan(5);
  expect(report.received).toBeGreaterThan(50);
}, 120_000);
