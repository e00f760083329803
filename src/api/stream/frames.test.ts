import { expect, test } from 'vitest';
import { writeFrames } from './frames.ts';

test.each([0, 1, 125, 126, 255, 256, 65_535, 65_536, 70_000])(
  'a text of %i bytes is one frame, in ASCII and otherwise',
  (length) => {
    for (const text of ['a'.repeat(length), `é${'a'.repeat(length)}`, '€'.repeat(length / 3)]) {
      expect(textOfFrame(written(text))).toBe(text);
    }
  },
);

test('texts that are written together are a frame each, in their order', () => {
  const texts = ['one', 'zwö', '', 'b'.repeat(70_000), 'three', 'four'];
  const frames = texts.map((text) => written(text));
  expect(written(...texts)).toEqual(Buffer.concat(frames));
});

test('what is ASCII is one write', () => {
  expect(writesOf('one', 'two', 'three')).toHaveLength(1);
});

const written = (...texts: readonly string[]): Buffer => Buffer.concat(writesOf(...texts));

function writesOf(...texts: readonly string[]): Buffer[] {
  const chunks: Buffer[] = [];
  const write = (frame: Uint8Array | string, encoding?: 'latin1'): boolean => {
    chunks.push(typeof frame === 'string' ? Buffer.from(frame, encoding) : Buffer.from(frame));
    return true;
  };
  writeFrames({ write }, texts);
  return chunks;
}

/** Reads a whole frame by RFC 6455: final, text, unmasked, its length in as few bytes as it needs. */
function textOfFrame(frame: Buffer): string {
  expect(frame[0]).toBe(0x81);
  const short = frame[1] as number;
  expect(short).toBeLessThan(128);
  const from = short < 126 ? 2 : short === 126 ? 4 : 10;
  const length =
    short < 126 ? short : short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
  expect(length).toBeGreaterThanOrEqual(short < 126 ? 0 : short === 126 ? 126 : 65_536);
  expect(frame.length).toBe(from + length);
  return frame.toString('utf8', from);
}
