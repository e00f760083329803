import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryText, readQuery } from './query.ts';

test('parameters are decoded; of a repeated one the first counts, but subAcc is a list', () => {
  expect({ ...readQuery('a=1&b=x%20y+z&c&=&a=2') }).toEqual({ a: '1', b: 'x y z', c: '', '': '' });
  expect(readQuery('subAcc=a&subAcc=b,c')?.['subAcc']).toBe('a,b,c');
  expect(readQuery('subAcc=desk%20a%2Cdesk%20b')?.['subAcc']).toBe('desk a,desk b');
});

test('a published sample that puts JSON after the question mark is understood', () => {
  expect({ ...readQuery('%7B%22asset%22%3A%20%22OX%22%2C%22limit%22%3A5%7D') }).toEqual({
    asset: 'OX',
    limit: '5',
  });
});

test('a broken percent sequence is refused and __proto__ is a name like any other', () => {
  expect(readQuery('a=%E0%A4%A')).toBeUndefined();
  expect(Object.entries(readQuery('__proto__=x') ?? {})).toEqual([['__proto__', 'x']]);
  expect(readQuery('a=1')?.['toString']).toBeUndefined();
});

test('what is written is read back, and a URL parser leaves it as it was signed', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
      (parameters) => {
        const text = queryText(parameters);
        expect(new URL(`http://h/?${text}`).search.slice(1)).toBe(text);
        const named = Object.entries(parameters).filter(([name]) => name !== 'subAcc');
        for (const [name, value] of named) expect(readQuery(text)?.[name]).toBe(value);
      },
    ),
  );
});
