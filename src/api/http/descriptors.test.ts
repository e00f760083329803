import { expect, test } from 'vitest';
import { connectionMaxima, DESCRIPTOR_RESERVE, descriptorLimit } from './descriptors.ts';

const PROC = `Limit                     Soft Limit           Hard Limit           Units
Max processes             63455                63455                processes
Max open files            20000                1048576              files
`;
const silent = (): never => {
  throw new Error('no such file');
};

test('the soft limit is read from the system, else from the report, else unknown', () => {
  expect(descriptorLimit(() => PROC, silent)).toBe(20_000);
  const unlimited = PROC.replace('20000', 'unlimited');
  expect(descriptorLimit(() => unlimited, silent)).toBe(Number.MAX_SAFE_INTEGER);
  expect(descriptorLimit(silent, () => 256)).toBe(256);
  expect(descriptorLimit(silent, () => 'unlimited')).toBe(Number.MAX_SAFE_INTEGER);
  for (const report of [silent, () => undefined, () => 'many', () => 0]) {
    expect(descriptorLimit(silent, report)).toBeUndefined();
  }
  expect(descriptorLimit()).toBeGreaterThan(0);
});

test('connections stay below the descriptors by the reserve, and half of them are for one address', () => {
  expect(connectionMaxima(20_000)).toEqual({
    ...{ maxConnections: 8_192, maxConnectionsPerAddress: 4_096, isCut: false },
  });
  expect(connectionMaxima(1_024)).toMatchObject({ maxConnections: 1_024 - DESCRIPTOR_RESERVE });
  expect(connectionMaxima(undefined)).toMatchObject({ maxConnections: 768 });
  expect(connectionMaxima(64)).toMatchObject({ maxConnections: 16, maxConnectionsPerAddress: 8 });
});

test('a setting counts as far as the descriptors allow', () => {
  const set = { maxConnections: 15_000, maxConnectionsPerAddress: 20 };
  expect(connectionMaxima(20_000, set)).toEqual({ ...set, isCut: false });
  expect(connectionMaxima(4_096, set)).toMatchObject({ maxConnections: 3_840, isCut: true });
  const few = { maxConnections: 100, maxConnectionsPerAddress: 900 };
  expect(connectionMaxima(4_096, few)).toMatchObject({ maxConnectionsPerAddress: 100 });
});
