import { expect, test } from 'vitest';
import { fakeHistory } from '../fake-history.fixture.ts';
import { fakeEngine } from '../venue.fixture.ts';
import { awaitHistory } from './await-history.ts';

test('a history that is behind, or does not go on, is refused with 503 in words', async () => {
  const engine = fakeEngine();
  const history = fakeHistory();
  expect(await awaitHistory(engine, history)).toBeUndefined();
  engine.releasedSequence = history.sequence + 3;
  expect(await awaitHistory(engine, history)).toMatchObject({
    rejected: 'UNAVAILABLE',
    message: expect.stringContaining('history is 3 commands behind'),
  });
  Object.assign(history, { trouble: 'database or disk is full' });
  expect(await awaitHistory(engine, history)).toMatchObject({
    rejected: 'UNAVAILABLE',
    message: expect.stringContaining('history is not available at the moment; trading goes on'),
  });
});
