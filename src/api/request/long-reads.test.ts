import { expect, test } from 'vitest';
import type { FamilyIndex } from '../../domain/units.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';
import { longReads } from './long-reads.ts';

/** Rows of a long read. */
const LONG = 101;

function scene() {
  const turns: (() => void)[] = [];
  const longRead = longReads((run) => turns.push(run));
  const done: string[] = [];
  const read = (family: number, name: string): Promise<string> =>
    longRead(family as FamilyIndex, LONG, async () => {
      done.push(name);
      return name;
    });
  /** A turn of the event loop. */
  const turn = (): void => {
    for (const run of turns.splice(0)) run();
  };
  return { turns, done, longRead, read, turn };
}

test('a short read does not wait', () => {
  const { done, longRead, read } = scene();
  for (const name of ['a1', 'a2']) void read(1, name);
  void longRead(1 as FamilyIndex, LONG - 1, async () => done.push('short'));
  expect(done).toEqual(['a1', 'short']);
});

test('one runs in each turn, and families take turns', async () => {
  const { turns, done, read, turn } = scene();
  const answers = ['a1', 'a2', 'a3', 'a4'].map((name) => read(1, name));
  answers.push(read(2, 'b1'), read(2, 'b2'), read(3, 'c1'));
  const seen = [done.length];
  for (let at = 0; at < 8; at++) {
    turn();
    seen.push(done.length);
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 7, 7]);
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect(await Promise.all(answers)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  expect(turns).toEqual([]);
  // Whoever comes later does not wait.
  void read(1, 'a5');
  expect(done).toHaveLength(8);
});

test('one that fails keeps none of the others back', async () => {
  const { read, turn } = scene();
  const longRead = longReads((run) => run());
  await expect(
    longRead(1 as FamilyIndex, LONG, () => Promise.reject(new Error('stopped'))),
  ).rejects.toThrow('stopped');
  const thrown = longRead(1 as FamilyIndex, LONG, () => {
    throw new Error('at once');
  });
  await expect(thrown).rejects.toThrow('at once');
  const [first, second] = [read(1, 'a1'), read(1, 'a2')];
  turn();
  expect(await Promise.all([first, second])).toEqual(['a1', 'a2']);
});

test.each([
  ['one is read, the others in later turns, of an account with many orders', LONG, 1],
  ['all are read, of an account with few', LONG - 1, 9],
])('of lists, previews and estimates that arrive together %s', async (_, openOrders, atOnce) => {
  const edge = edgeOverCore();
  let views = 0;
  const { view } = edge.engine;
  const counted: typeof view = (name, query) => {
    views++;
    return view(name, query);
  };
  const directory = { ...edge.engine.directory, openOrders: () => openOrders };
  Object.assign(edge.engine, { view: counted, directory });
  const order = { marketCode: 'ETH-USD-SWAP-LIN', side: 'BUY', orderType: 'LIMIT' };
  const preview = { ...order, quantity: '0.01', price: '3000' };
  const asks = [1, 2, 3].flatMap(() => [
    edge.ask('alice', 'GET', '/v3/orders/working'),
    edge.ask('alice', 'POST', '/v3/orders/preview', { body: preview }),
    edge.ask('alice', 'POST', '/v3/margin/estimate', { body: {} }),
  ]);
  for (let microtask = 0; microtask < 100; microtask++) await Promise.resolve();
  expect(views).toBe(atOnce);
  const answers = await Promise.all(asks);
  expect(answers.map(({ success }) => success)).toEqual(Array(9).fill(true));
  expect(views).toBe(9);
});
