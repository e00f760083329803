import { expect, test } from 'vitest';
import { gather, newCursors, requestStop, want } from './cursors.ts';

/** Far longer than any test: whoever waits for it is never answered in time. */
const FOREVER = { leastMs: 0, mostMs: 3_600_000 };

test('a thread that gathers goes on when somebody wants more than it has', async () => {
  const cursors = newCursors();
  const gathered = gather(cursors, 7, FOREVER).then(() => 'went on');
  const soon = new Promise((resolve) => setTimeout(resolve, 20, 'still gathers'));
  want(cursors, 7);
  expect(await Promise.race([gathered, soon])).toBe('still gathers');
  want(cursors, 8);
  expect(await gathered).toBe('went on');
});

test('it does not gather while somebody wants more, nor when it is to stop', async () => {
  const cursors = newCursors();
  want(cursors, 9);
  want(cursors, 3);
  await gather(cursors, 8, FOREVER);
  const gathered = gather(cursors, 9, FOREVER);
  setTimeout(() => requestStop(cursors), 20);
  await gathered;
  await gather(cursors, 9, FOREVER);
});

test('what nobody wants is gathered for its time', async () => {
  await gather(newCursors(), 5, { leastMs: 0, mostMs: 10 });
});
