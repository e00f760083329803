import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import { type KeyIndex, usdPrice } from '../domain/units.ts';
import { adviceOn, openPoison } from './poison.ts';

const ofClient: Command = { kind: 'cancel-all', by: { key: 1 as KeyIndex } };
const round: Command = {
  kind: 'set-index-prices',
  prices: [{ asset: 'BTC', price: usdPrice(6_000_050_000_000n) }],
};
const halt = { kind: 'set-market-state', market: 'BTC-USDT', state: 'HALTED', reason: '' } as const;
const once = { fingerprint: 'x', signedAtMs: 1, expiresAtMs: 2 };

test('what was set aside is kept with its reason and with what can be done, and is known after a start', () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'poison-')), 'poison');
  const reason = openPoison(directory).add(ofClient, new Error('planted'));
  const text = readFileSync(reason ?? '', 'utf8');
  expect(text).toContain('planted');
  expect(text).toContain('refused from now on: start the venue again');
  expect(openPoison(directory).has(ofClient)).toBe(true);
});

test('only what somebody signed is refused for ever: the like of the others comes again', () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'poison-')), 'poison');
  const poison = openPoison(directory);
  const signed: Command = { ...halt, actor: 'ann', once };
  const unsigned: Command = { ...halt, actor: 'ann' };
  for (const command of [round, signed, unsigned, { kind: 'tick' } as const]) {
    poison.add(command, new Error('planted'));
  }
  expect([round, signed, unsigned, { kind: 'tick' } as const].map(poison.has)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test("a command of the venue's own says what an operator can do about it", () => {
  expect(adviceOn(round)).toContain(
    'The prices were BTC 60000.5. Start the venue with the one source',
  );
  expect(adviceOn({ kind: 'tick' })).toContain('a start issues the like of it again');
  expect(adviceOn({ kind: 'tick' })).toContain('the journal is whole');
  expect(adviceOn({ ...halt, actor: 'ann' })).toContain('of the operator ann');
});
