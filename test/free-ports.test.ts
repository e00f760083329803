import { expect, test } from 'vitest';
import { freePorts } from '../scripts/free-ports.ts';

test('a port is given once, also while nobody listens on it yet', async () => {
  const given = await Promise.all(Array.from({ length: 100 }, () => freePorts(4)));
  expect(new Set(given.flat()).size).toBe(400);
});
