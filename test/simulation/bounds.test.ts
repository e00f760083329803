import { expect, test } from 'vitest';
import { defaultCatalogue } from '../../src/defaults/catalogue.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { OrderRequest } from '../../src/domain/orders.ts';
import { amount, type KeyIndex, type MarketIndex, usdPrice } from '../../src/domain/units.ts';
import { limitOrder } from '../support/limit-order.ts';
import { applyToModel } from './model/apply.ts';
import { newModel } from './model/state.ts';
import { firstDivergence, type Timed } from './side-by-side.ts';
import { START_MS } from './world.ts';

const MARKET = 0 as MarketIndex;

/** Eleven icebergs of a thousand slices: eleven thousand fills. */
const ICEBERG = { ...limitOrder(MARKET, 'SELL', 60_000, 1_000), displayLots: 1 };

type Wish = Partial<OrderRequest>;
const REQUESTS: readonly (readonly [string, readonly Wish[]])[] = [
  [
    'orders that share what a request may match',
    [{ sizeLots: 9_999 }, { sizeLots: 2 }, { sizeLots: 1 }, { priceTicks: 59_000 }],
  ],
  [
    'a FOK of 10,000',
    [
      { sizeLots: 10_000, timeInForce: 'FOK' },
      { sizeLots: 1, timeInForce: 'IOC' },
    ],
  ],
  [
    'a FOK of 10,001',
    [
      { sizeLots: 10_001, timeInForce: 'FOK' },
      { sizeLots: 1, timeInForce: 'FOK' },
    ],
  ],
  [
    'an IOC of 10,001',
    [
      { sizeLots: 10_001, timeInForce: 'IOC' },
      { orderType: 'MARKET', priceTicks: 0 },
    ],
  ],
  ['eight large ones', Array(8).fill({ sizeLots: 11_000, timeInForce: 'IOC' })],
];

test.each(REQUESTS)(
  'at the bound of a request the venue does what the rules say: %s',
  (_, wishes) => {
    const orders = wishes.map((wish) => ({ ...limitOrder(MARKET, 'BUY', 60_000, 1), ...wish }));
    const commands = [
      genesisOfTwo(),
      place(1, Array(8).fill(ICEBERG)),
      place(1, Array(3).fill(ICEBERG)),
      place(0, orders),
    ];
    const timed = commands.map((command): Timed => ({ timeMs: START_MS, command }));
    expect(firstDivergence(timed, undefined, 3)).toBeUndefined();
  },
);

test('a command begins no other consequence once 10,000 fills and closed orders have come from them', () => {
  // Each triggers at 60,600 and takes 1,000 slices: 999 more matches, and two orders that close.
  const stop = {
    ...limitOrder(MARKET, 'BUY', 61_000, 1_000),
    orderType: 'STOP_LIMIT',
    stopTicks: 60_600,
  } as const;
  const price = usdPrice(6_060_000_000_000n);
  const commands: Command[] = [
    genesisOfTwo(),
    place(1, Array(8).fill(ICEBERG)),
    place(1, Array(4).fill(ICEBERG)),
    place(0, Array(8).fill(stop)),
    place(0, Array(4).fill(stop)),
    { kind: 'set-index-prices', prices: [{ asset: 'BTC', price }] },
    { kind: 'continue' },
  ];
  const timed = commands.map((command): Timed => ({ timeMs: START_MS, command }));
  expect(firstDivergence(timed, undefined, 3)).toBeUndefined();
  const model = newModel();
  const fired = timed.map(
    ({ timeMs, command }) =>
      applyToModel(model, timeMs, command).filter((line) => line.startsWith('order-triggered'))
        .length,
  );
  expect(fired).toEqual([0, 0, 0, 0, 0, 10, 2]);
});

const place = (key: number, orders: readonly OrderRequest[]): Command => ({
  kind: 'place-orders',
  by: { key: key as KeyIndex },
  source: 11,
  orders,
});

/** Two rich families, each with one key. */
function genesisOfTwo(): Command {
  const actor = 'simulation';
  const permissions = ['read', 'trade'] as const;
  const sealedSecret = new Uint8Array([1]);
  const people = ['one', 'two'].flatMap((family) => {
    const account = { family, name: 'main' };
    return [
      { kind: 'create-account', actor, account, accountType: 'PORTFOLIO' },
      { kind: 'credit-genesis', account, asset: 'OX', amount: amount(10n ** 17n) },
      { kind: 'create-key', actor, account, accessKey: family, sealedSecret, permissions },
    ] as const;
  });
  return { kind: 'genesis', steps: [...defaultCatalogue(actor), ...people] };
}
