import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** What a program prints that asks V8 how it stores objects: its flag for that is not for the tests' own process. */
const printed = (program: string): string =>
  execFileSync(
    process.execPath,
    ['--allow-natives-syntax', '--input-type=module', '--eval', `${BEGINNING}${program}`],
    { encoding: 'utf8' },
  ).trim();

const BEGINNING = `
  import { pack, unpack } from '${new URL('./pack.ts', import.meta.url)}';
  const names = Array.from({ length: 40 }, (_, at) => 'member' + at);
  const recordOf = (value) => Object.fromEntries(names.map((name) => [name, value]));
`;

test('records that are read have fixed places for their members, like those of the program itself', () => {
  const program = `
    const byName = {};
    for (const name of names) byName[name] = 1;
    const [one, other] = unpack(pack([recordOf(1), recordOf(2)]));
    console.log(%HasFastProperties(byName), %HasFastProperties(one), %HaveSameMap(one, other));
  `;
  expect(printed(program)).toBe('false true true');
});

test('records of names that never come again do not use up the places of others', () => {
  const program = `
    for (let at = 0; at < 3_000; at++) unpack(pack({ ['only' + at]: at, and: 1 }));
    console.log(%HasFastProperties(unpack(pack(recordOf(1)))));
  `;
  expect(printed(program)).toBe('true');
});

test('the offsets of an order have fixed places too: each decoded order reads all of them', () => {
  const program = `
    const { ORDER_OFFSETS } = await import('${new URL('../domain/order-layout.ts', import.meta.url)}');
    console.log(%HasFastProperties(ORDER_OFFSETS));
  `;
  expect(printed(program)).toBe('true');
});
