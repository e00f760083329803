import { expect, test } from 'vitest';
import type { FamilyIndex } from '../../domain/units.ts';
import { readChannel } from '../stream/channel-spec.ts';
import { directory } from '../venue.fixture.ts';
import {
  likely,
  marketToRead,
  namedAccount,
  namedAsset,
  namedHolder,
  namedMarket,
} from './names.ts';

test('an unknown name is refused with the one that was probably meant', () => {
  const [market] = directory.markets();
  const code = market?.code ?? '';
  const meant = `there is no ${code.toLowerCase()}; did you mean ${code}?`;
  expect(namedMarket(directory, code)).toBe(0);
  expect(namedMarket(directory, code.toLowerCase())).toMatchObject({
    rejected: 'MARKET_UNKNOWN',
    message: expect.stringContaining(meant),
  });
  expect(marketToRead(directory, code.toLowerCase())).toMatchObject({
    rejected: 'PARAMETER_INVALID',
    message: expect.stringContaining(meant),
  });
  expect(namedAsset(directory, 'USTD')).toMatchObject({
    message: expect.stringMatching(/: USTD; did you mean USDT\?$/),
  });
  expect(namedAccount(directory, 0 as FamilyIndex, 'deks-a')).toMatchObject({
    message: expect.stringMatching(/: deks-a; did you mean desk-a\?$/),
  });
});

test('an operator learns whether the family or its account is unknown', () => {
  const name = directory.family(0 as FamilyIndex).name;
  const of = (family: string, account: string): unknown =>
    namedHolder(directory, { family, name: account });
  expect(of(name, 'desk-a')).toBe(1);
  expect(of(name, 'dsk-a')).toMatchObject({
    message: expect.stringMatching(/did you mean desk-a/),
  });
  expect(of(`${name}x`, 'main')).toMatchObject({
    message: expect.stringContaining(`there is no family ${name}x; did you mean ${name}?`),
  });
});

test('nothing is guessed when no name begins alike, and the work is bounded', () => {
  expect(likely('ZZZ', ['BTC-USDT'])).toBe('ZZZ');
  expect(likely('', ['BTC-USDT'])).toBe('');
  const names = Array.from({ length: 10_000 }, (_, at) => `B-${at}`);
  expect(likely(`B-${'1'.repeat(38)}`, names)).not.toContain('mean');
  expect(likely('B-9x99', names)).toMatch(/; did you mean B-9\d+\?$/);
  expect(likely(`B${'x'.repeat(1_000)}`, names)).toMatch(/^Bx{56}\.\.\.$/);
});

test('of many names that begin alike, the one that was meant is found', () => {
  const names = Array.from({ length: 500 }, (_, at) => `demo-${at + 1}`);
  expect(likely('Demo-412', names)).toBe('Demo-412; did you mean demo-412?');
  expect(likely('demo_412', names)).toBe('demo_412; did you mean demo-412?');
  expect(likely('demo-412x', names)).toBe('demo-412x; did you mean demo-412?');
  expect(likely('bob', ['beatrice-capital'])).toBe('bob');
  expect(likely('--', ['...'])).toBe('--');
  expect(likely('btc/usdt', ['BTC-USD', 'BTC-USDT'])).toBe('btc/usdt; did you mean BTC-USDT?');
  expect(likely('BTC', ['BTC-USDT'])).toBe('BTC; did you mean BTC-USDT?');
});

test('an unknown channel is refused with the likely kind', () => {
  const refused = (name: string): unknown => readChannel(directory, name, undefined);
  expect(refused('dept:BTC-USD-SWAP-LIN')).toMatchObject({
    message: expect.stringMatching(/there is no channel dept; did you mean depth\?$/),
  });
  expect(refused('candles61s:BTC-USD-SWAP-LIN')).toMatchObject({
    message: expect.stringMatching(/did you mean candles60s\?$/),
  });
});
