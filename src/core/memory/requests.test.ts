import { expect, test } from 'vitest';
import type { KeyIndex } from '../../domain/units.ts';
import { firstSequenceOf, forgetExpired, newRequests, remember } from './requests.ts';

const key = 1 as KeyIndex;
const at = (fingerprint: string, signedAtMs: number) => ({
  key,
  fingerprint,
  signedAtMs,
  expiresAtMs: signedAtMs + 60_000,
});

test('a signed request is found by its second, a named one whenever it is sent', () => {
  const requests = newRequests();
  remember(requests, at('c2lnbmVk', 1_000), 1);
  remember(requests, at('id:mine', 1_000), 2);
  expect(firstSequenceOf(requests, at('c2lnbmVk', 1_500))).toBe(1);
  expect(firstSequenceOf(requests, at('c2lnbmVk', 40_000))).toBeUndefined();
  expect(firstSequenceOf(requests, at('id:mine', 40_000))).toBe(2);
  expect(firstSequenceOf(requests, at('id:other', 40_000))).toBeUndefined();
  expect(firstSequenceOf(requests, { ...at('id:mine', 40_000), key: 2 as KeyIndex })).toBe(
    undefined,
  );
});

test('a named request is forgotten when a signed one of its time is', () => {
  const requests = newRequests();
  remember(requests, at('id:mine', 1_000), 2);
  forgetExpired(requests, 61_999);
  expect(firstSequenceOf(requests, at('id:mine', 61_999))).toBe(2);
  forgetExpired(requests, 63_000);
  expect(firstSequenceOf(requests, at('id:mine', 63_000))).toBeUndefined();
  expect(requests.count).toBe(0);
});
