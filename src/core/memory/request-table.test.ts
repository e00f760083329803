import { expect, test } from 'vitest';
import { enterRequest, findRequest, newRequestTable, requestsOf } from './request-table.ts';

/** The same numbers in every run. */
function* draws(): Generator<number> {
  for (let state = 12_345; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

test('it holds what a map of texts would hold, for every length and alphabet', () => {
  const draw = draws();
  const next = (below: number): number => (draw.next().value as number) % below;
  const alphabets = ['AB', 'ABCDEFGHabcdefgh0123+/=', 'aé', 'a\u0000b'];
  const table = newRequestTable();
  const model = new Map<string, number>();
  for (let step = 1; step <= 20_000; step++) {
    const alphabet = alphabets[next(20) < 17 ? 1 : next(4)] as string;
    const length = next(40) === 0 ? next(60) : 22 + next(8);
    const print = Array.from({ length }, () => alphabet[next(alphabet.length)]).join('');
    const key = next(5) - 1;
    const name = `${key}:${print}`;
    expect(findRequest(table, key, print)).toBe(model.get(name));
    expect(enterRequest(table, key, print, step)).toBe(!model.has(name));
    if (!model.has(name)) model.set(name, step);
  }
  expect(table.count).toBe(model.size);
  for (const [name, sequence] of model) {
    const at = name.indexOf(':');
    expect(findRequest(table, Number(name.slice(0, at)), name.slice(at + 1))).toBe(sequence);
  }
  const listed = requestsOf(table).map(([key, print, sequence]) => [`${key}:${print}`, sequence]);
  expect(new Map(listed as [string, number][])).toEqual(model);
});

test('a fingerprint that is the beginning of another, or of another key, is another request; one is entered once', () => {
  const table = newRequestTable();
  enterRequest(table, 1, 'abcdef', 1);
  enterRequest(table, 1, 'abcdefg', 2);
  enterRequest(table, 2, 'abcdef', 3);
  enterRequest(table, 1, 'a'.repeat(28), 4);
  enterRequest(table, 1, 'a'.repeat(29), 5);
  for (const print of ['abcdef', 'a'.repeat(28), 'a'.repeat(29)]) {
    expect(enterRequest(table, 1, print, 6)).toBe(false);
  }
  expect(table.count).toBe(5);
  expect(findRequest(table, 1, 'abcde')).toBeUndefined();
  expect(findRequest(table, 1, 'abcdef')).toBe(1);
  expect(findRequest(table, 1, 'abcdefg')).toBe(2);
  expect(findRequest(table, 2, 'abcdef')).toBe(3);
  expect(findRequest(table, 1, 'a'.repeat(27))).toBeUndefined();
  expect(findRequest(table, 1, 'a'.repeat(28))).toBe(4);
  expect(findRequest(table, 1, 'a'.repeat(29))).toBe(5);
});
