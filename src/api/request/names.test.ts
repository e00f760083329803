import { expect, test } from 'vitest';
import type { FamilyIndex } from '../../domain/units.ts';
import { readChannel } from '../stream/channel-spec.ts';
import { directory } from '../venue.fixture.ts';
import { marketToRead, namedAccount, namedAsset, namedHolder, namedMarket } from './names.ts';

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

test('an unknown channel is refused with the likely kind', () => {
  const refused = (name: string): unknown => readChannel(directory, name, undefined);
  expect(refused('dept:BTC-USD-SWAP-LIN')).toMatchObject({
    message: expect.stringMatching(/there is no channel dept; did you mean depth\?$/),
  });
  expect(refused('candles61s:BTC-USD-SWAP-LIN')).toMatchObject({
    message: expect.stringMatching(/did you mean candles60s\?$/),
  });
});
