import { expect, test } from 'vitest';
import { outermostMembers } from './outermost.ts';

const order = { marketCode: 'BTC-USDT', tag: 'not this', op: 'nor this' };
const dataArray = Array(40).fill(order);

test('operation and tag are found before and behind what is inside', () => {
  for (const message of [
    { op: 'placeorders', tag: 'b', dataArray },
    { op: 'placeorders', dataArray, tag: 'b' },
    { tag: 'b', dataArray, op: 'placeorders' },
    { dataArray, tag: 'b', op: 'placeorders' },
    { op: 'placeorders', tag: 'b', data: order, pad: 'x'.repeat(5_000) },
    { op: 'placeorders', tag: 'b', pad: 'x'.repeat(5_000) },
  ]) {
    for (const text of [JSON.stringify(message), JSON.stringify(message, null, 2)]) {
      expect(outermostMembers(text), text.slice(0, 80)).toEqual({ op: 'placeorders', tag: 'b' });
    }
  }
});

test('a tag may be a number, or text with escapes; what has none has none', () => {
  const tagOf = (tag: unknown) => outermostMembers(JSON.stringify({ tag, dataArray }))['tag'];
  expect(tagOf(17)).toBe('17');
  expect(tagOf('')).toBe('');
  expect(tagOf('a"\\\u00e9\n')).toBe('a"\\\u00e9\n');
  for (const none of [undefined, null, true, { tag: 'x' }, ['x']]) {
    expect(tagOf(none), String(none)).toBeUndefined();
  }
  for (const text of ['', 'x'.repeat(5_000), '[1]', '{"tag":"', '{"tag":"\\x","a":[]}']) {
    expect(outermostMembers(text), text.slice(0, 20)).toEqual({});
  }
});
