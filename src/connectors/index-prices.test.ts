import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import type { Engine } from '../engine/engine.ts';
import { filePrices } from './file-prices.ts';
import { httpPrices } from './http-prices.ts';
import { medianOf, startIndexPrices } from './index-prices.ts';
import type { PriceSource } from './price-source.ts';
import { simulatedPrices } from './simulated-prices.ts';

/** As much of an engine as the connector sees: a directory of assets, and what was submitted. */
function listener() {
  const heard: Command[] = [];
  const engine = {
    directory: { assets: () => [{ code: 'BTC' }, { code: 'OX' }] },
    submit: async (command: Command) => {
      heard.push(command);
      return { outcome: { events: [] }, isRepeat: false };
    },
  } as unknown as Engine;
  return { engine, heard };
}

const saying = (name: string, prices: () => Readonly<Record<string, string>>): PriceSource => ({
  name,
  prices: async () => new Map(Object.entries(prices())),
});

test('the median of the sources goes in, if at least half of them speak', () => {
  expect(medianOf(['10', '12', '11'], 3)).toBe(1_100_000_000n);
  expect(medianOf(['10', '12'], 2)).toBe(1_100_000_000n);
  expect(medianOf(['10', undefined], 2)).toBe(1_000_000_000n);
  expect(medianOf(['10', undefined, undefined], 3)).toBeUndefined();
  expect(medianOf(['10', 'abc', '-5'], 3)).toBeUndefined();
  expect(medianOf([], 1)).toBeUndefined();
  // More digits than the venue keeps are cut.
  expect(medianOf(['0.1234567891'], 1)).toBe(12_345_678n);
});

test('a round is one command; a source that is silent counts while it is fresh, then no more', async () => {
  const { engine, heard } = listener();
  let nowMs = 0;
  let round = (): void => undefined;
  let isDown = false;
  const trouble: string[] = [];
  const flaky = saying('flaky', () => {
    if (isDown) throw new Error('down');
    return { BTC: '100' };
  });
  await startIndexPrices({
    engine,
    sources: [flaky, saying('steady', () => ({ BTC: '110', OX: '0.01' }))],
    every: (_periodMs, run) => {
      round = run;
      return () => undefined;
    },
    nowMs: () => nowMs,
    onTrouble: (text) => trouble.push(text),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const last = () => heard.at(-1);
  expect(last()).toEqual({
    kind: 'set-index-prices',
    prices: [
      { asset: 'BTC', price: 10_500_000_000n },
      { asset: 'OX', price: 1_000_000n },
    ],
  });
  isDown = true;
  nowMs = 9_000;
  round();
  await settled();
  expect(trouble).toEqual(['flaky has no prices: down']);
  nowMs = 10_001;
  round();
  await settled();
  expect(last()).toMatchObject({ prices: [{ asset: 'BTC', price: 11_000_000_000n }, {}] });
});

test('the simulated walk is the same for the same seed, and stable coins stand still', async () => {
  const walk = async (seed: number) => {
    const source = simulatedPrices({ seed, stepMillionths: 500 });
    for (let i = 0; i < 50; i++) await source.prices();
    return source.prices();
  };
  expect(await walk(7)).toEqual(await walk(7));
  expect(await walk(7)).not.toEqual(await walk(8));
  expect((await walk(7)).get('USDT')).toBe('1');
});

test('an address that answers JSON is read at its paths, digit for digit', async () => {
  const source = httpPrices(
    {
      name: 'web',
      url: 'http://localhost/x',
      paths: { BTC: 'data.0.last', OX: 'ox', ETH: 'none' },
    },
    async () => '{"data":[{"last":60000.123456789012345}],"ox":"0.01"}',
  );
  expect(await source.prices()).toEqual(
    new Map([
      ['BTC', '60000.123456789012345'],
      ['OX', '0.01'],
    ]),
  );
});

test('an operator sets prices by writing them into a file, as text', async () => {
  let text = '{"BTC": "61000", "OX": 0.01}';
  const source = filePrices('prices.json', async () => text);
  expect(await source.prices()).toEqual(new Map([['BTC', '61000']]));
  text = '{"BTC": "62000"}';
  expect((await source.prices()).get('BTC')).toBe('62000');
  text = '{"BTC": 62000}';
  await expect(source.prices()).rejects.toThrow('names no price as text');
});
