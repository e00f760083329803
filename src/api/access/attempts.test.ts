import { expect, test } from 'vitest';
import { countAttempts } from './attempts.ts';

test('five failures from one address are followed by a wait, others go on', () => {
  let nowMs = 1_000;
  const attempts = countAttempts(() => nowMs);
  for (let tries = 0; tries < 5; tries++) {
    expect(attempts.waitMs('demo', '10.0.0.1')).toBe(0);
    attempts.failed('demo', '10.0.0.1');
  }
  expect(attempts.waitMs('demo', '10.0.0.1')).toBe(600_000);
  expect(attempts.waitMs('demo', '10.0.0.2')).toBe(0);
  expect(attempts.waitMs('other', '10.0.0.1')).toBe(0);
  nowMs += 599_999;
  expect(attempts.waitMs('demo', '10.0.0.1')).toBe(1);
  nowMs += 1;
  expect(attempts.waitMs('demo', '10.0.0.1')).toBe(0);
});

test('a right password forgets the failures of its address', () => {
  const attempts = countAttempts(() => 0);
  for (let tries = 0; tries < 4; tries++) attempts.failed('demo', 'a');
  attempts.succeeded('demo', 'a');
  for (let tries = 0; tries < 4; tries++) attempts.failed('demo', 'a');
  expect(attempts.waitMs('demo', 'a')).toBe(0);
});

test('many addresses together wait, too; memory is bounded', () => {
  const attempts = countAttempts(() => 0);
  for (let at = 0; at < 50; at++) attempts.failed('demo', `address ${at}`);
  expect(attempts.waitMs('demo', 'another')).toBe(600_000);
  for (let at = 0; at < 30_000; at++) attempts.failed(`family ${at}`, 'x');
  expect(attempts.waitMs('demo', 'another')).toBe(0);
});

test('tries that are under way count until their result is known', () => {
  const attempts = countAttempts(() => 0);
  for (let tries = 0; tries < 5; tries++) attempts.begin('demo', 'a');
  expect(attempts.waitMs('demo', 'a')).toBe(1_000);
  expect(attempts.waitMs('demo', 'b')).toBe(0);
  for (let tries = 0; tries < 4; tries++) attempts.end('demo', 'a');
  expect(attempts.waitMs('demo', 'a')).toBe(0);
  for (let tries = 0; tries < 4; tries++) attempts.failed('demo', 'a');
  expect(attempts.waitMs('demo', 'a')).toBe(1_000);
  attempts.end('demo', 'a');
  expect(attempts.waitMs('demo', 'a')).toBe(0);
});

test('an address that fails on fifty names waits, and only that address', () => {
  const attempts = countAttempts(() => 0);
  for (let at = 0; at < 50; at++) attempts.failed(`family ${at}`, 'a');
  expect(attempts.waitMs('another', 'a')).toBe(600_000);
  expect(attempts.waitMs('another', 'b')).toBe(0);
});
