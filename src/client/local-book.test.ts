import { expect, test } from 'vitest';
import { crc32 } from './crc32.ts';
import { LocalBook } from './local-book.ts';

const message = (
  table: string,
  seqNum: number,
  asks: number[][],
  bids: number[][],
  text: string,
) => ({
  ...{ table, channel: 'depthUpdate:X', seq: seqNum },
  data: { seqNum, asks, bids, checksum: crc32(text) },
});

test('checksums are those of published samples', () => {
  expect(crc32('[[19042.0,1.0]][[19003.0,1.0]]')).toBe(2_688_268_653);
  expect(crc32('[][]')).toBe(364_462_986);
  expect(crc32('[[100.5,2.0],[101.0,0.25]][[100.0,1.0]]')).toBe(2_773_929_585);
});

test('a book is a snapshot and what changed since', () => {
  const book = new LocalBook();
  const whole = '[[101.0,0.25],[100.5,2.0]][[0.00001,1.0]]';
  book.hear(
    message(
      'depthUpdate',
      5,
      [
        [101, 0.25],
        [100.5, 2],
      ],
      [[0.00001, 1]],
      whole,
    ),
  );
  book.hear(message('depthUpdate-diff', 5, [], [], '[][]'));
  book.hear(message('depthUpdate-diff', 6, [[101, 0]], [[99, 3]], '[[101.0,0.0]][[99.0,3.0]]'));
  book.hear(message('depthUpdate-diff', 5, [[1, 1]], [], '[[1.0,1.0]][]'));
  expect([book.asks, book.bids, book.seqNum]).toEqual([
    [[100.5, 2]],
    [
      [99, 3],
      [0.00001, 1],
    ],
    6,
  ]);
  expect(book.checksum).toBe(crc32('[[100.5,2.0]][[99.0,3.0],[0.00001,1.0]]'));
  const wrong = message('depthUpdate-diff', 7, [[101, 1]], [], '[[101.0,2.0]][]');
  expect(() => book.hear(wrong)).toThrow('checksum');
});

test('changes without the snapshot before them are refused', () => {
  const book = new LocalBook();
  const opening = (seqNum: number) => ({
    ...message('depthUpdate-diff', seqNum, [], [], '[][]'),
    snapshot: true,
  });
  expect(() => book.hear(opening(5))).toThrow('the beginning of book 5 did not arrive');
  book.hear(message('depthUpdate', 7, [[101, 1]], [], '[[101.0,1.0]][]'));
  book.hear(opening(7));
  // A new subscription whose levels were lost.
  expect(() => book.hear(opening(9))).toThrow('the beginning of book 9 did not arrive');
  expect(book.asks).toEqual([[101, 1]]);
});
