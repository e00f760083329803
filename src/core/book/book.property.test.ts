import { expect, test } from 'vitest';
import { type Plain, pack, unpack } from '../../bytes/pack.ts';
import { type FastState, letBooksAgree } from './books-agree.fixture.ts';

// For a long run: BOOK_OPERATIONS=5000000 npx vitest run book.property
const OPERATIONS = Number(process.env['BOOK_OPERATIONS'] ?? 200_000);
const LONG_MS = 300_000 + OPERATIONS;

test('the fast book does what the plain book does, snapshots in between or not', {
  timeout: LONG_MS,
}, () => {
  const throughBytes = (state: FastState): FastState =>
    unpack(pack(state as unknown as Plain)) as unknown as FastState;
  const trials = [
    { seed: 1, live: 120 },
    { seed: 2, live: 12, copy: throughBytes },
    { seed: 3, live: 300, copy: structuredClone<FastState> },
  ];
  for (const trial of trials) {
    const tally = letBooksAgree({ ...trial, operations: Math.ceil(OPERATIONS / trials.length) });
    const rarest = Math.min(...Object.values(tally));
    expect(rarest).toBeGreaterThan(OPERATIONS / 500);
  }
});
