import { expect, test } from 'vitest';
import { ByteReader, ByteWriter } from '../bytes/pack.ts';
import { isNamed, namesIn, readTexts, sampleTexts, TEXT_LIST, writeTexts } from './order-texts.ts';

const bytesOf = (texts: object): Uint8Array => {
  const out = new ByteWriter();
  // Leftover bytes of the buffer must not show up.
  out.raw(new Uint8Array(64).fill(0xff));
  out.clear();
  writeTexts(out, texts);
  return out.bytes();
};

test('texts come back from bytes as they went in, on whole words, one encoding each', () => {
  const most = TEXT_LIST.map(({ name, lengthMax }) => [name, '~'.repeat(lengthMax)]);
  const lengths = Array.from({ length: 36 }, (_, n) => ({
    label: 'a z"~'.repeat(8).slice(0, n + 1),
  }));
  for (const texts of [sampleTexts(), Object.fromEntries(most), ...lengths]) {
    const bytes = bytesOf(texts);
    expect(bytes.length % 8).toBe(0);
    const reader = new ByteReader(bytes);
    expect(readTexts(reader)).toEqual(texts);
    expect(reader.isAtEnd).toBe(true);
    expect(bytesOf(texts)).toEqual(bytes);
  }
});

test('a text that is too long, empty, or of a number nobody knows is a fault', () => {
  expect(() => bytesOf({ label: '' })).toThrow(/label/);
  expect(() => bytesOf({ label: 'x'.repeat(37) })).toThrow(/label/);
  const unknown = Uint8Array.of(1, TEXT_LIST.length + 1, 1, 65, 0, 0, 0, 0);
  expect(() => readTexts(new ByteReader(unknown))).toThrow(/unknown text/);
});

test('a name is compared whole', () => {
  expect(namesIn({ label: 'a' })).toEqual([['label', 'a']]);
  expect(namesIn({})).toEqual([]);
  expect(isNamed({ label: 'a' }, { label: 'a' })).toBe(true);
  expect(isNamed({ label: 'a ' }, { label: 'a' })).toBe(false);
  expect(isNamed(undefined, { label: 'a' })).toBe(false);
});
