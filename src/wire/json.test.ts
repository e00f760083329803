import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalFromText } from '../domain/decimal.ts';
import { idFromText } from '../domain/ids.ts';
import { isJsonObject, JSON_VALUES_MAX, jsonExcess, readJson } from './json.ts';

const member = (text: string): unknown => (readJson(text) as Record<string, unknown>)['a'];

test('every 64-bit id comes through whole, as number and as text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (id) => {
      for (const text of [`{"a":${id}}`, `{"a":"${id}"}`]) {
        expect(idFromText(member(text) as string)).toBe(id);
      }
    }),
  );
});

const digits = (max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max }).map((d) => d.join(''));
/** A JSON number in any spelling: long, short, with exponent, with trailing zeros. */
const jsonNumber = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 24n }),
    fc.option(digits(24)),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(20))),
  )
  .map(
    ([isNegative, whole, fraction, exponent]) =>
      `${isNegative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}` +
      (exponent === null ? '' : exponent.join('')),
  );

test('a number means exactly what was written, however it was written', () => {
  fc.assert(
    fc.property(jsonNumber, (source) => {
      const expected = decimalFromText(source);
      expect(decimalFromText(member(`{"a":${source}}`) as string)).toEqual(expected);
      expect(decimalFromText(member(`{"b":[1,{"c":2}],"a":${source}}`) as string)).toEqual(
        expected,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('numbers that a double cannot represent stay exact', () => {
  expect(member('{"a":9223372036854775807}')).toBe('9223372036854775807');
  expect(member('{"a":0.1234567890123456789}')).toBe('0.1234567890123456789');
  expect(member('{"a":9e-05}')).toBe('9e-05');
  expect(member('{"a":100000000.00000001}')).toBe('100000000.00000001');
  expect(member('{"a":1.5}')).toBe('1.5');
  expect(member('{"a":[{"b":9007199254740993}]}')).toEqual([{ b: '9007199254740993' }]);
});

test('text that looks like a number stays the text it is', () => {
  expect(member('{"a":"1e5","b":9223372036854775807}')).toBe('1e5');
  expect(member('{"a":"0012345678901234567"}')).toBe('0012345678901234567');
});

test('a null member is an absent one, at any depth of a request', () => {
  expect(member('{"a":null}')).toBeUndefined();
  expect(member('{"a":[{"b":null,"c":true}]}')).toEqual([{ b: undefined, c: true }]);
});

test('a member called __proto__ or a member sent twice does no harm', () => {
  const read = readJson('{"__proto__":{"isAdmin":true},"a":1,"a":9223372036854775807}') as object;
  expect('isAdmin' in read).toBe(false);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect((read as { a: unknown }).a).toBe('9223372036854775807');
  expect(Object.keys(readJson('{"__proto__":null}') as object)).toEqual(['__proto__']);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('what is no JSON is undefined, however deep', () => {
  for (const text of ['', '{', 'nul', '{"a":01}', '{"a":1,}', '\uFEFF{}', '{"a":NaN}']) {
    expect(readJson(text), text).toBeUndefined();
  }
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(() => readJson(deep)).not.toThrow();
  expect(() => readJson(`{"a":1e1,"b":${deep}}`)).not.toThrow();
});

test('only an object is a request', () => {
  expect(isJsonObject(readJson('{}'))).toBe(true);
  for (const text of ['[]', '"x"', '1', 'null', 'true', '{']) {
    expect(isJsonObject(readJson(text)), text).toBe(false);
  }
});

describe('what is not worth reading', () => {
  const list = (count: number): string => `[${Array(count).fill('1').join(',')}]`;

  test('more than 1024 values, counted without reading them', () => {
    expect(jsonExcess(list(1_000))).toBeUndefined();
    expect(jsonExcess(list(JSON_VALUES_MAX + 1))).toBe('more than 1024 values');
    expect(jsonExcess(`{${'"a":{},'.repeat(1_500)}"b":1}`)).toBe('more than 1024 values');
  });

  test('more than 32 levels', () => {
    const nested = (depth: number): string =>
      `${' '.repeat(300)}${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(jsonExcess(nested(32))).toBeUndefined();
    expect(jsonExcess(nested(33))).toBe('more than 32 levels');
  });

  test('signs inside text count for nothing', () => {
    const text = JSON.stringify({ a: '[{,"'.repeat(2_000), b: '\\', c: '\\"' });
    expect(jsonExcess(text)).toBeUndefined();
    expect(jsonExcess(`["${'x'.repeat(300)}`)).toBeUndefined();
  });
});
