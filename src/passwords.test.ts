import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const CHEAP = { memoryKib: 64, passes: 1 };

test('a password is known again by its hash, any other is not', async () => {
  const passwords = createPasswords(CHEAP);
  const hash = await passwords.hash('correct horse');
  expect(hash).not.toContain('correct');
  expect(await passwords.hash('correct horse')).not.toBe(hash);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct horse ', hash)).toBe(false);
});

test('composed and decomposed letters are the same password', async () => {
  const passwords = createPasswords(CHEAP);
  const hash = await passwords.hash('caf\u00e9');
  expect(await passwords.verify('cafe\u0301', hash)).toBe(true);
});

test('of nobody nothing is right', async () => {
  expect(await createPasswords(CHEAP).verify('anything', undefined)).toBe(false);
});

test('a hash made at another cost is still read', async () => {
  const hash = await createPasswords({ memoryKib: 128, passes: 2 }).hash('old');
  expect(await createPasswords(CHEAP).verify('old', hash)).toBe(true);
});

test('two are computed at a time, some wait, more are refused', async () => {
  const passwords = createPasswords(CHEAP);
  const hashing = Array.from({ length: 50 }, () => passwords.hash('many'));
  const hashes = await Promise.all(hashing);
  expect(hashes.filter((hash) => hash === undefined)).toHaveLength(50 - 34);
  expect(await passwords.hash('later')).toContain('argon2id');
});
