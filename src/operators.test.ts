import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  announceManagement,
  credentialIn,
  managementAddressIn,
  operatorsOrFirst,
  withdrawManagement,
} from './operators.ts';
import { sealWith } from './seal.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-operators-'));
afterAll(() => rmSync(folder, { recursive: true }));
const newFolder = (): string => mkdtempSync(join(folder, 'venue-'));
const seal = sealWith(new Uint8Array(32).fill(1));

test('the first start makes an operator; the venue keeps only a sealed copy of the secret', () => {
  const data = newFolder();
  const [first] = operatorsOrFirst(data, seal).all();
  const { secret, ...shown } = credentialIn(data);
  expect(first).toMatchObject({ ...shown, name: 'local', roles: ['admin'] });
  expect(Buffer.from(seal.unseal(first?.sealedSecret ?? new Uint8Array())).toString()).toBe(secret);
  for (const name of ['operator.json', 'operators.json']) {
    expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);
  }
  expect(operatorsOrFirst(data, seal).all()).toEqual([first]);
  // Moved elsewhere, it is not made again.
  rmSync(join(data, 'operator.json'));
  expect(operatorsOrFirst(data, seal).all()).toEqual([first]);
  expect(() => credentialIn(data)).toThrow('operator.json is missing');
});

test('another master key and a file that is no list are refused in words', () => {
  const data = newFolder();
  operatorsOrFirst(data, seal);
  const other = sealWith(new Uint8Array(32).fill(2));
  expect(() => operatorsOrFirst(data, other)).toThrow('the master key does not open');
  writeFileSync(join(data, 'operators.json'), '{}');
  const advice = /: bring it back from a copy, or remove it: a start then makes .* local, anew/;
  expect(() => operatorsOrFirst(data, seal)).toThrow('is no list of operators');
  expect(() => operatorsOrFirst(data, seal)).toThrow(advice);
  writeFileSync(join(data, 'operators.json'), '[');
  expect(() => operatorsOrFirst(data, seal)).toThrow('operators.json: ');
  expect(() => operatorsOrFirst(data, seal)).toThrow(advice);
  rmSync(join(data, 'operators.json'));
  // Not damaged, only not readable: nothing must be removed.
  mkdirSync(join(data, 'operators.json'));
  expect(() => operatorsOrFirst(data, seal)).toThrow(
    /operators\.json cannot be opened: EISDIR: [^:]*$/,
  );
  rmSync(join(data, 'operators.json'), { recursive: true });
  expect(operatorsOrFirst(data, seal).all()).toMatchObject([{ name: 'local' }]);
});

test('a running venue is found by its address, until it stops', () => {
  const data = newFolder();
  expect(managementAddressIn(data)).toBeUndefined();
  announceManagement(data, 'http://127.0.0.1:3001');
  expect(managementAddressIn(data)?.managementUrl).toBe('http://127.0.0.1:3001');
  withdrawManagement(data);
  expect(managementAddressIn(data)).toBeUndefined();
});

test('operators are added and disabled, and the next start knows it', () => {
  const data = newFolder();
  const operators = operatorsOrFirst(data, seal);
  const ann = {
    name: 'ann',
    roles: ['treasury'] as const,
    accessKey: 'ann-key',
    sealedSecret: seal.seal('ann-secret'),
    isDisabled: false,
  };
  operators.add(ann);
  expect(operatorsOrFirst(data, seal).all()[1]).toEqual(ann);
  operators.disable('ann');
  expect(operators.all()[1]).toEqual({ ...ann, isDisabled: true });
  expect(operatorsOrFirst(data, seal).all()).toEqual(operators.all());
});

test('a list that is copied from another node counts at once; one that cannot be read changes nothing', () => {
  const [data, other] = [newFolder(), newFolder()];
  const troubles: string[] = [];
  const operators = operatorsOrFirst(data, seal, (words) => troubles.push(words));
  cpSync(join(data, 'operators.json'), join(other, 'operators.json'));
  const elsewhere = operatorsOrFirst(other, seal);
  elsewhere.disable('local');
  expect(operators.all()[0]?.isDisabled).toBe(false);
  cpSync(join(other, 'operators.json'), join(data, 'operators.json'));
  expect(operators.all()[0]?.isDisabled).toBe(true);
  writeFileSync(join(data, 'operators.json'), '[{');
  expect(operators.all()).toEqual(elsewhere.all());
  expect(operators.all()).toEqual(elsewhere.all());
  expect(troubles).toHaveLength(1);
  expect(troubles[0]).toContain('the operators stay as they were');
});
