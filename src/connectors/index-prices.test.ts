import { expect, test } from 'vitest';
import type { Command } from '../domain/commands.ts';
import type { Engine } from '../engine/engine.ts';
import { filePrices } from './file-prices.ts';
import { httpPrices } from './http-prices.ts';
import { startIndexPrices } from './index-prices.ts';
import { medianOf, priceFromText } from './latest-prices.ts';
import type { PriceSource } from './price-source.ts';
import { simulatedPrices, standingPrices } from './simulated-prices.ts';

/** As much of an engine as the connector uses: assets and their last prices, and what was submitted. */
function listener(last: Readonly<Record<string, string>> = {}) {
  const submitted: Command[] = [];
  const codes = ['BTC', 'OX'];
  const engine = {
    directory: { asset: (index: number) => ({ code: codes[index] }) },
    indexPrices: () =>
      codes.map((code, asset) => {
        const text = last[code];
        return { asset, price: priceFromText(text ?? '1'), isQuoted: text !== undefined };
      }),
    submit: async (command: Command) => {
      submitted.push(command);
      return { outcome: { events: [] }, isRepeat: false };
    },
  } as unknown as Engine;
  return { engine, submitted };
}

type Quotes = () => Readonly<Record<string, string>>;
const sourceOf = (name: string, prices: Quotes, ownTime?: () => string): PriceSource => ({
  name,
  prices: async () => ({
    prices: new Map(Object.entries(prices())),
    ...(ownTime === undefined ? {} : { ownTime: ownTime() }),
  }),
});

/** Index prices with rounds and a clock that the test drives. */
async function driven(
  sources: readonly PriceSource[],
  last: Readonly<Record<string, string>> = {},
) {
  const { engine, submitted } = listener(last);
  const trouble: string[] = [];
  const idle = { isIdle: false };
  let nowMs = 0;
  let round = (): void => undefined;
  const running = await startIndexPrices({
    engine,
    sources,
    every: (_periodMs, run) => {
      round = run;
      return () => undefined;
    },
    nowMs: () => nowMs,
    isIdle: () => idle.isIdle,
    onTrouble: (text) => trouble.push(text),
  });
  return {
    trouble,
    running,
    idle,
    submitted,
    last: () => submitted.at(-1),
    /** The timer's round, before its sources have answered. */
    tick: (ms: number): void => {
      nowMs = ms;
      round();
    },
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    at: async (ms: number): Promise<void> => {
      nowMs = ms;
      // What a source answers now counts from the next round on.
      for (let i = 0; i < 2; i++) {
        round();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('the median of the sources is submitted if at least half of them answer', () => {
  expect(medianOf([10n, 12n, 11n], 3)).toBe(11n);
  expect(medianOf([10n, 12n], 2)).toBe(11n);
  expect(medianOf([10n], 2)).toBe(10n);
  expect(medianOf([10n], 3)).toBeUndefined();
  expect(medianOf([], 1)).toBeUndefined();
  // More digits than the venue stores are truncated.
  expect(priceFromText('0.1234567891')).toBe(12_345_678n);
  expect(priceFromText('abc')).toBeUndefined();
});

test('a round is one command; a silent source counts while its prices are fresh, then no more', async () => {
  let isDown = false;
  const flaky = sourceOf('flaky', () => {
    if (isDown) throw new Error('down');
    return { BTC: '100' };
  });
  const steady = sourceOf('steady', () => ({ BTC: '110', OX: '0.01' }));
  const { at, last, trouble } = await driven([flaky, steady], { BTC: '105', OX: '0.01' });
  expect(last()).toEqual({
    kind: 'set-index-prices',
    prices: [
      { asset: 'BTC', price: 10_500_000_000n },
      { asset: 'OX', price: 1_000_000n },
    ],
  });
  isDown = true;
  await at(9_000);
  expect(last()).toMatchObject({ prices: [{ asset: 'BTC', price: 10_500_000_000n }, {}] });
  await at(10_001);
  expect(last()).toMatchObject({ prices: [{ asset: 'BTC', price: 11_000_000_000n }, {}] });
  // Reported once a minute, not every second.
  expect(trouble).toEqual(['flaky has no prices: down']);
  await at(69_001);
  expect(trouble).toHaveLength(2);
});

test('a price out of range is left out of the median, counted and reported', async () => {
  let wild = '1000000000000';
  const sources = [
    sourceOf('wild', () => ({ BTC: wild, OX: '0.01' })),
    sourceOf('a', () => ({ BTC: '61000', OX: '0.01' })),
    sourceOf('b', () => ({ BTC: '61002', OX: '0.01' })),
  ];
  const { at, last, trouble, running } = await driven(sources, { BTC: '60000', OX: '0.01' });
  const btc = { asset: 'BTC', price: 6_100_100_000_000n };
  expect(last()).toMatchObject({ prices: [btc, {}] });
  expect(trouble).toEqual([
    'wild: the price of BTC is not taken: price 1000000000000 > maximum 1000000000',
  ]);
  for (const text of ['0', '-5', '1200001', '2999', 'NaN', '1e30']) {
    wild = text;
    const before = running.rejected().get('wild') ?? 0;
    await at(1_000);
    expect(last()).toMatchObject({ prices: [btc, {}] });
    expect(running.rejected().get('wild')).toBeGreaterThan(before);
  }
  expect(running.rejected().get('a')).toBeUndefined();
});

test('an asset without a price in range is not in the round', async () => {
  const wild = sourceOf('wild', () => ({ BTC: '1', OX: '0.01' }));
  const { last } = await driven([wild], { BTC: '60000', OX: '0.01' });
  expect(last()).toMatchObject({ prices: [{ asset: 'OX' }] });
});

test('an operator price may differ by any factor, and is submitted as such', async () => {
  const operator = filePrices('prices.json', async () => '{"BTC": "1", "OX": "0.01"}');
  const { last } = await driven([operator], { BTC: '60000', OX: '0.01' });
  expect(last()).toMatchObject({
    prices: [{ asset: 'BTC', price: 100_000_000n, byOperator: true }, {}],
  });
});

test('a source whose own time has stood still for a minute does not count until it moves', async () => {
  let ownTime = '17:00:01';
  const stuck = sourceOf(
    'stuck',
    () => ({ BTC: '100', OX: '0.01' }),
    () => ownTime,
  );
  const good = sourceOf('good', () => ({ BTC: '102', OX: '0.01' }));
  const { at, last, trouble } = await driven([stuck, good]);
  const both = { asset: 'BTC', price: 10_100_000_000n };
  await at(59_999);
  expect(last()).toMatchObject({ prices: [both, {}] });
  await at(60_000);
  expect(last()).toMatchObject({ prices: [{ price: 10_200_000_000n }, {}] });
  expect(trouble).toEqual(['stuck is stale: its own time has not moved for a minute']);
  ownTime = '17:01:02';
  await at(61_000);
  expect(last()).toMatchObject({ prices: [both, {}] });
});

test('the simulated walk is the same for the same seed, and stable coins stand still', async () => {
  const walk = async (seed: number) => {
    const source = simulatedPrices({ seed, stepMillionths: 500 });
    for (let i = 0; i < 50; i++) await source.prices();
    return source.prices();
  };
  expect(await walk(7)).toEqual(await walk(7));
  expect(await walk(7)).not.toEqual(await walk(8));
  expect((await walk(7)).prices.get('USDT')).toBe('1');
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
  expect((await source.prices()).prices).toEqual(
    new Map([
      ['BTC', '60000.123456789012345'],
      ['OX', '0.01'],
    ]),
  );
});

test('an address may have a time of its own, in any form', async () => {
  const paths = { BTC: 'last' };
  const web = (answer: string) =>
    httpPrices(
      { name: 'web', url: 'http://localhost/x', paths, timePath: 'at' },
      async () => answer,
    );
  expect(await web('{"last":1,"at":1750000000001}').prices()).toMatchObject({
    ownTime: '1750000000001',
  });
  expect(await web('{"last":1,"at":"2026-11-15T10:00:00Z"}').prices()).toMatchObject({
    ownTime: '2026-11-15T10:00:00Z',
  });
  await expect(web('{"last":1}').prices()).rejects.toThrow('web has no time at at');
});

test('an operator sets prices by writing them into a file, as text or as numbers of any length', async () => {
  let text = '{"BTC": "61000", "OX": 0.0100000000000000000001}';
  const source = filePrices('prices.json', async () => text);
  expect((await source.prices()).prices).toEqual(
    new Map([
      ['BTC', '61000'],
      ['OX', '0.0100000000000000000001'],
    ]),
  );
  text = '{"BTC": "62000"}';
  expect((await source.prices()).prices.get('BTC')).toBe('62000');
  for (const none of ['{}', '[]']) {
    text = none;
    await expect(source.prices()).rejects.toThrow('the file names no price');
  }
});

test('a price that is none, and an asset that does not exist, are said to whoever wrote them', async () => {
  const text = '{"BTC": null, "OXX": "1", "ETC": "9", "OX": "0.02"}';
  const source = filePrices('prices.json', async () => text);
  const { at, trouble } = await driven([source]);
  await at(1_000);
  expect(trouble).toContain('operator (prices.json): there is no asset OXX; did you mean OX?');
  expect(trouble).toContain('operator (prices.json): there is no asset ETC');
  expect(trouble).toContain(
    'operator (prices.json): the price of BTC is not taken: "null" is no price',
  );
});

test('a price that an operator sets stays where the source repeats what the venue has', async () => {
  const venue: Record<string, string> = { BTC: '60000', OX: '0.01' };
  const { at, submitted } = await driven([standingPrices(listener(venue).engine)], venue);
  // Set between two rounds, more than once: no round reverts it.
  for (const price of ['57000', '58800']) {
    venue['BTC'] = price;
    const before = submitted.length;
    await at(1_000);
    const rounds = submitted.slice(before).map((round) => 'prices' in round && round.prices);
    expect(rounds).toHaveLength(2);
    for (const prices of rounds)
      expect(prices).toMatchObject([{ price: priceFromText(price) }, {}]);
  }
});

test('a jump is confirmed only by newer answers: one that a source repeats because it hangs is left out', async () => {
  let answer: (() => void) | undefined;
  let price = '60000';
  const slow: PriceSource = {
    name: 'slow',
    prices: () =>
      new Promise((resolve) => {
        answer = () => resolve({ prices: new Map([['BTC', price]]) });
      }),
  };
  const steady = sourceOf('steady', () => ({ OX: '0.01' }));
  // Both have to be answered for the start.
  const starting = driven([slow, steady], { BTC: '60000', OX: '0.01' });
  answer?.();
  const { at, submitted } = await starting;
  const rounds = () =>
    submitted
      .splice(0)
      .flatMap((command) => (command.kind === 'set-index-prices' ? command.prices : []))
      .flatMap(({ asset, price: named }) => (asset === 'BTC' ? Number(named / 10n ** 8n) : []));
  await at(1_000);
  expect(rounds()).toEqual([60_000, 60_000, 60_000]);
  price = '70000';
  answer?.();
  await at(2_000);
  // The jump goes out once, until it is answered again.
  expect(rounds()).toEqual([60_000, 70_000]);
  await at(3_000);
  expect(rounds()).toEqual([]);
  answer?.();
  await at(4_000);
  expect(rounds()).toEqual([70_000]);
});

test('the round that ends a pause and the next of the timer confirm no jump with the same answers', async () => {
  let price = '60000';
  const { at, tick, settle, running, idle, submitted } = await driven(
    [sourceOf('one', () => ({ BTC: price }))],
    { BTC: '60000' },
  );
  const jumps = () =>
    submitted
      .splice(0)
      .flatMap((command) => (command.kind === 'set-index-prices' ? command.prices : []))
      .filter(({ price: named }) => named > 6_000_000_000_000n).length;
  idle.isIdle = true;
  await at(1_000);
  price = '70000';
  tick(2_000);
  await settle();
  // The answer has just come: it goes out once, and the timer's next round has no other.
  expect(running.wake()).toBe(true);
  idle.isIdle = false;
  expect(jumps()).toBe(1);
  tick(3_000);
  expect(jumps()).toBe(0);
  await settle();
  tick(4_000);
  expect(jumps()).toBe(1);
});

test('a jump that two answers of a pause agree on is confirmed by the request that ends it', async () => {
  let price = '60000';
  const { at, tick, settle, running, idle, submitted } = await driven(
    [sourceOf('one', () => ({ BTC: price }))],
    { BTC: '60000' },
  );
  idle.isIdle = true;
  price = '70000';
  await at(1_000);
  tick(2_000);
  await settle();
  const before = submitted.length;
  running.wake();
  const jumped = { prices: [{ asset: 'BTC', price: 7_000_000_000_000n }] };
  expect(submitted.slice(before)).toMatchObject([jumped, jumped]);
});
