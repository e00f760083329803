import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { type Plain, pack, unpack } from './pack.ts';

setFlagsFromString('--allow-natives-syntax');
const isFast = new Function('record', 'return %HasFastProperties(record)');
const isAlike = new Function('one', 'other', 'return %HaveSameMap(one, other)');
const names = Array.from({ length: 40 }, (_, at) => `member${at}`);
const recordOf = (value: number) => Object.fromEntries(names.map((name) => [name, value]));

test('records that are read have fixed places for their members, like those of the program itself', () => {
  const [one, other] = unpack(pack([recordOf(1), recordOf(2)])) as Plain[];
  expect([one, other]).toEqual([recordOf(1), recordOf(2)]);
  expect([isFast(one), isFast(other), isAlike(one, other)]).toEqual([true, true, true]);
});

test('records of names that never come again do not use up the places of others', () => {
  for (let at = 0; at < 3_000; at++) unpack(pack({ [`only${at}`]: at, and: 1 }));
  const fresh = Object.fromEntries(names.map((name) => [`fresh-${name}`, 1]));
  expect(isFast(unpack(pack(fresh)))).toBe(true);
});
