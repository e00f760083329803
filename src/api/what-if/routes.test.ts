import { beforeEach, describe, expect, test } from 'vitest';
import { venueWith } from '../../../test/support/core-venue.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';

let edge = edgeOverCore();
beforeEach(() => {
  edge = edgeOverCore();
});

const BTC = 'BTC-USD-SWAP-LIN';
const btc = (side: string, quantity: string, price: string) => ({
  ...{ marketCode: BTC, orderType: 'LIMIT' },
  ...{ side, quantity, price },
});
const spot = (side: string, quantity: string, price: string) => ({
  ...btc(side, quantity, price),
  marketCode: 'BTC-USDT',
});
const estimate = (body: object, family = 'alice') =>
  edge.ask(family, 'POST', '/v3/margin/estimate', { body });
const preview = (body: object, family = 'alice') =>
  edge.ask(family, 'POST', '/v3/orders/preview', { body });
const account = async (family = 'alice') => (await edge.ask(family, 'GET', '/v3/account')).data[0];
const bare = (order: Record<string, string>) => {
  const { orderType: _, ...rest } = order;
  return rest;
};

/** The figures that an estimate can foretell: not when a balance was last touched. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
const figures = ({ balances, positions = [], ...rest }: any) => ({
  ...rest,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  balances: balances.map(({ lastUpdatedAt: _, ...balance }: any) => balance),
  // biome-ignore lint/suspicious/noExplicitAny: as above
  positions: positions.map(({ lastUpdatedAt: _, ...position }: any) => position),
});

describe('an estimate', () => {
  test('of nothing is the account itself', async () => {
    await edge.place([btc('SELL', '1', '60000')], {}, 'bob');
    await edge.place([btc('BUY', '0.5', '60000'), spot('BUY', '1', '59000')]);
    expect((await estimate({})).data).toEqual(await account());
  });

  test('of a fill is what the account is once it has been filled', async () => {
    await edge.place([btc('SELL', '0.5', '60100'), spot('SELL', '2', '60000')], {}, 'bob');
    const [perpetual, holding] = [btc('BUY', '0.5', '60100'), spot('BUY', '2', '60000')];
    const { data } = await estimate({ fills: [bare(perpetual), bare(holding)] });
    await edge.place([perpetual, holding]);
    expect(figures(data)).toEqual(figures(await account()));
  });

  test('of fills that a rich account could not hold is refused', async () => {
    edge = edgeOverCore(venueWith({ alice: { main: { USDT: '40000000000' } } }));
    const fills = [bare(spot('SELL', '100', '100000000'))];
    expect(await estimate({ fills })).toMatchObject({
      code: '710004',
      message: expect.stringContaining('worth more than can be held'),
    });
  });

  test('of an open order is what the account is once it stands', async () => {
    const orders = [
      btc('BUY', '0.5', '59000'),
      btc('SELL', '2', '61000'),
      spot('SELL', '1', '61000'),
    ];
    const { data } = await estimate({ orders: orders.map(bare) });
    await edge.place(orders);
    expect(figures(data)).toEqual(figures(await account()));
  });

  test('of money that leaves is what both accounts are once it has left', async () => {
    await edge.place([btc('SELL', '1', '60000')], {}, 'bob');
    await edge.place([btc('BUY', '1', '60000')]);
    const moved = { asset: 'USDT', quantity: '25000.5' };
    const taken = { ...moved, quantity: '-25000.5' };
    const from = (await estimate({ balances: [taken] })).data;
    const to = (await estimate({ account: 'desk', balances: [moved] })).data;
    const sent = { ...moved, fromAccount: 'main', toAccount: 'desk' };
    const answer = await edge.ask('alice', 'POST', '/v3/transfer', {
      body: sent,
      key: 'main/read+trade',
    });
    expect(answer.success).toBe(true);
    const options = { query: 'subAcc=desk', key: 'main/read' };
    const { data } = await edge.ask('alice', 'GET', '/v3/account', options);
    expect([figures(from), figures(to)]).toEqual(data.map(figures));
    for (const [body, code] of [
      [{ account: 'nobody' }, '45026'],
      [{ balances: [{ asset: 'DOGE', quantity: '1' }] }, '35037'],
      [{ balances: [{ asset: 'USDT' }] }, '30001'],
      [{ balances: [{ asset: 'USDT', quantity: '0.000000001' }] }, '35028'],
      [{ balances: [{ asset: 'USDT', quantity: `1${'0'.repeat(20)}` }] }, '20001'],
    ] as const) {
      expect([body, (await estimate(body)).code]).toEqual([body, code]);
    }
    const other = { key: 'desk/read', body: { account: 'main' } };
    expect((await edge.ask('alice', 'POST', '/v3/margin/estimate', other)).code).toBe('45026');
  });

  test('of prices moves collateral, marks and profit', async () => {
    await edge.place([btc('SELL', '1', '60000')], {}, 'bob');
    await edge.place([btc('BUY', '1', '60000')]);
    const { data } = await estimate({ prices: [{ asset: 'BTC', price: 66000.5 }] });
    expect(data.positions[0]).toMatchObject({ markPrice: '66000.5', positionPnl: '600050.0' });
    expect((await account()).positions[0].markPrice).toBe('60000');
  });

  test('of an open order that only reduces counts it in no margin', async () => {
    await edge.place([btc('BUY', '0.5', '60000')], {}, 'bob');
    await edge.place([btc('SELL', '0.5', '60000')]);
    const order = { ...btc('BUY', '2', '59000'), reduceOnly: true };
    const { data } = await estimate({ orders: [{ ...bare(order as never), reduceOnly: true }] });
    await edge.place([order]);
    expect(figures(data)).toEqual(figures(await account()));
    const refused = await estimate({
      orders: [{ ...bare(spot('BUY', '1', '59000')), reduceOnly: true }],
    });
    expect([refused.status, refused.code]).toEqual([400, '20001']);
  });

  test('refuses what it cannot read, in the words of an order, and says which', async () => {
    const fill = bare(btc('BUY', '1', '60000'));
    const rows: [object, string, string][] = [
      [{ fills: [fill, { ...fill, marketCode: undefined }] }, '20011', '(fills[1])'],
      [{ fills: [{ ...fill, marketCode: 'NOPE' }] }, '20015', 'there is no NOPE'],
      [{ fills: [{ ...fill, side: undefined }] }, '20012', 'side is required'],
      [{ orders: [{ ...fill, side: 'UP' }] }, '20016', '(orders[0])'],
      [{ fills: [{ ...fill, quantity: '0.00015' }] }, '100008', 'nearest 0.0002'],
      [{ fills: [{ ...fill, quantity: 0 }] }, '20006', 'not above zero'],
      [{ fills: [{ ...fill, quantity: '101' }] }, '710004', 'nearest 100'],
      [{ fills: [{ ...fill, price: undefined }] }, '20022', 'price is required'],
      [{ fills: [{ ...fill, price: '60000.5' }] }, '20021', 'nearest 60001'],
      [{ fills: [{ ...fill, quantity: '100', price: '9000000000' }] }, '710004', 'worth more'],
      [{ prices: [{ asset: 'NOPE', price: '1' }] }, '35037', '(prices[0])'],
      [{ prices: [{ asset: 'BTC', price: '-1' }] }, '20028', 'not above zero'],
      [{ prices: [{ asset: 'BTC', price: 'x' }] }, '20021', 'no number'],
      [{ prices: [{ asset: 'BTC', price: '1e9' }] }, '20021', 'nearest 1000000'],
      [{ prices: [{ asset: 'BTC', price: '0.00000001' }] }, '20021', 'nearest 0.0001'],
      [{ fills: Array(51).fill(fill) }, '20001', 'a list of at most 50 fills'],
      [{ prices: 'high' }, '20001', 'a list of at most 50 index prices'],
    ];
    for (const [body, code, words] of rows) {
      const answer = await estimate(body);
      expect([answer.status, answer.code], words).toEqual([400, code]);
      expect(answer.message).toContain(words);
    }
    expect((await estimate({ fills: Array(50).fill({ ...fill, quantity: '0.1' }) })).status).toBe(
      200,
    );
  });

  test('of the widest prices still answers', async () => {
    for (const [base, counter] of [
      ['1000000', '0.0001'],
      ['0.0001', '1000000'],
    ]) {
      const others = ['BTC', 'ETH', 'SOL', 'XRP', 'OX'].map((asset) => ({ asset, price: base }));
      const answer = await estimate({ prices: [...others, { asset: 'USDT', price: counter }] });
      expect(answer.status).toBe(200);
    }
  });
});

describe('a preview', () => {
  const offers = [
    btc('SELL', '0.01', '60000'),
    btc('SELL', '0.02', '60010'),
    btc('SELL', '1', '60100'),
  ];

  test('of each kind of order is what placing it then does', async () => {
    const { price: _, ...market } = { ...btc('BUY', '0.025', ''), orderType: 'MARKET' };
    const { quantity: __, price: ___, ...spend } = { ...spot('BUY', '', ''), orderType: 'MARKET' };
    const { quantity: ____, ...limited } = spot('BUY', '', '60020');
    const kinds = [
      market,
      btc('BUY', '0.05', '60050'),
      { ...btc('BUY', '0.05', '60050'), timeInForce: 'IOC' },
      { ...btc('BUY', '0.03', '60050'), timeInForce: 'FOK' },
      btc('BUY', '0.05', '59000'),
      { ...spend, amount: '700' },
      { ...limited, amount: '700' },
      spot('BUY', '0.02', '60010'),
    ];
    for (const order of kinds) {
      edge = edgeOverCore();
      const spotOffers = offers.map((offer) => ({ ...offer, marketCode: 'BTC-USDT' }));
      await edge.place([...offers, ...spotOffers], {}, 'bob');
      const { data } = await preview(order);
      const [placed] = (await edge.place([order])).data;
      const what = JSON.stringify(order);
      expect(data.filledQuantity, what).toBe(placed.cumulativeMatchedQuantity ?? '0.0');
      expect(data.remainQuantity, what).toBe(placed.remainQuantity);
      expect(data.avgFillPrice, what).toBe(placed.avgFillPrice);
      const query = `orderId=${placed.orderId}`;
      const working = (await edge.ask('alice', 'GET', '/v3/orders/working', { query })).data;
      if (working.length > 0) {
        const status = await edge.ask('alice', 'GET', '/v3/orders/status', { query });
        expect(data.fees, what).toEqual(status.data.fees ?? []);
      }
      const { collateral, portfolioVarMargin, maintenanceMargin, marginRatio, positions } =
        await account();
      expect(data, what).toMatchObject({
        ...{ collateral, portfolioVarMargin, maintenanceMargin, marginRatio },
      });
      expect(data.estLiquidationPrice, what).toBe(positions?.[0]?.estLiquidationPrice);
      expect('refusal' in data, what).toBe(false);
    }
  });

  test('shows its fills by price, best first, and its fees', async () => {
    await edge.place([...offers, btc('SELL', '0.01', '60000')], {}, 'bob');
    const { data } = await preview(btc('BUY', '0.03', '60100'));
    expect(data).toMatchObject({
      fills: [
        { price: '60000.0', quantity: '0.02' },
        { price: '60010.0', quantity: '0.01' },
      ],
      filledQuantity: '0.03',
      remainQuantity: '0.0',
      avgFillPrice: '60003.33333333',
      fees: [{ OX: '126.007' }],
    });
  });

  test('says how the order would stand, whatever it meets', async () => {
    const reduce = { reduceOnly: true };
    const rows: [given: [string, object][], order: object, status: string, filled: string][] = [
      [[], btc('BUY', '0.05', '59000'), 'OPEN', '0.0'],
      [
        [['bob', btc('SELL', '0.02', '60000')]],
        btc('BUY', '0.05', '60000'),
        'PARTIAL_FILL',
        '0.02',
      ],
      [
        [['bob', btc('SELL', '0.02', '60000')]],
        { ...btc('BUY', '0.05', '60000'), timeInForce: 'FOK' },
        'CANCELED_BY_FOK',
        '0.0',
      ],
      [
        [['bob', btc('SELL', '0.02', '60000')]],
        { ...btc('BUY', '0.05', '60000'), timeInForce: 'MAKER_ONLY' },
        'CANCELED_BY_MAKER_ONLY',
        '0.0',
      ],
      // Its own order ends it, or goes.
      [
        [
          ['alice', btc('SELL', '0.02', '60000')],
          ['bob', btc('SELL', '0.02', '60000')],
        ],
        { ...btc('BUY', '0.05', '60000'), selfTradePreventionMode: 'EXPIRE_TAKER' },
        'CANCELED_BY_SELF_TRADE_PROTECTION',
        '0.0',
      ],
      [
        [
          ['alice', btc('SELL', '0.02', '60000')],
          ['bob', btc('SELL', '0.02', '60000')],
        ],
        { ...btc('BUY', '0.02', '60000'), selfTradePreventionMode: 'EXPIRE_MAKER' },
        'FILLED',
        '0.02',
      ],
      // It trades with itself, and both sides pay.
      [
        [['alice', btc('SELL', '0.02', '60000')]],
        btc('BUY', '0.03', '60000'),
        'PARTIAL_FILL',
        '0.02',
      ],
      // Bob is long 0.01: he gives no more than that.
      [
        [
          ['alice', btc('SELL', '0.01', '60000')],
          ['bob', btc('BUY', '0.01', '60000')],
          ['bob', { ...btc('SELL', '0.05', '60000'), ...reduce }],
        ],
        { ...btc('BUY', '0.05', '60000'), timeInForce: 'IOC' },
        'CANCELED_PARTIAL_BY_IOC',
        '0.01',
      ],
      // Alice is short 0.01 and buys back no more.
      [
        [
          ['bob', btc('BUY', '0.01', '60000')],
          ['alice', btc('SELL', '0.01', '60000')],
          ['bob', btc('SELL', '0.05', '60000')],
        ],
        { ...btc('BUY', '0.05', '60000'), ...reduce },
        'CANCELED_BY_USER',
        '0.01',
      ],
    ];
    for (const [given, order, status, filled] of rows) {
      edge = edgeOverCore();
      for (const [who, one] of given) await edge.place([one], {}, who);
      const { data } = await preview(order);
      const what = JSON.stringify(order);
      expect([data.status, data.filledQuantity], what).toEqual([status, filled]);
      const [placed] = (await edge.place([order])).data;
      expect(placed.status, what).toBe(status);
      const { collateral, portfolioVarMargin, maintenanceMargin, positions } = await account();
      expect(data, what).toMatchObject({ collateral, portfolioVarMargin, maintenanceMargin });
      expect(data.estLiquidationPrice, what).toBe(positions?.[0]?.estLiquidationPrice);
    }
  });

  test('says where the bound of a request would cut it', async () => {
    const slices = { ...btc('SELL', '0.1', '60000'), displayQuantity: '0.0001' };
    for (let i = 0; i < 2; i++) await edge.place(Array(8).fill(slices), {}, 'bob');
    const { data } = await preview({ ...btc('BUY', '1.5', '60000'), timeInForce: 'IOC' });
    expect(data).toMatchObject({
      status: 'CANCELED_PARTIAL_BY_IOC',
      matches: '10000',
      filledQuantity: '1.0',
      remainQuantity: '0.5',
      cut: { code: '000201', message: expect.stringContaining('10000 matches a request') },
    });
  });

  test('of an order that would be refused says so, in the words of the refusal', async () => {
    const orders = [
      btc('BUY', '0.01', '70000'),
      btc('BUY', '1000', '60000'),
      spot('BUY', '50', '60000'),
    ];
    const codes: string[] = [];
    for (const order of orders) {
      const { data } = await preview(order);
      const [placed] = (await edge.place([order])).data;
      expect(placed.submitted).toBe(false);
      expect(data.refusal).toEqual({ code: placed.code, message: placed.message });
      expect([data.status, data.matches, data.fills]).toEqual([undefined, '0', []]);
      codes.push(placed.code);
    }
    expect(new Set(codes).size).toBeGreaterThan(2);
  });

  test('of what cannot be read is refused as an order would be', async () => {
    const rows: [object, string][] = [
      [{}, '20011'],
      [{ marketCode: BTC }, '20012'],
      [btc('BUY', '0.00001', '60000'), '100008'],
      [btc('BUY', '1', '60000.5'), '20021'],
    ];
    for (const [order, code] of rows) {
      const answer = await preview(order);
      const [placed] = (await edge.place([order])).data;
      expect([answer.status, answer.code, answer.message]).toEqual([400, code, placed.message]);
    }
  });
});

test('neither changes anything: no command, and the state is the same to the byte', async () => {
  await edge.place([btc('SELL', '1', '60000')], {}, 'bob');
  await edge.place([btc('BUY', '0.5', '60000'), spot('BUY', '1', '59000')]);
  const before = edge.core.bytes();
  const commands = edge.submitted.length;
  await estimate({
    prices: [{ asset: 'BTC', price: '30000' }],
    fills: [bare(btc('BUY', '1', '60000')), bare(spot('SELL', '1', '60000'))],
    orders: [bare(btc('SELL', '2', '61000'))],
  });
  for (const order of [
    btc('BUY', '1', '60000'),
    btc('BUY', '100', '60000'),
    spot('SELL', '1', '61000'),
    { ...btc('SELL', '1', '1'), orderType: 'MARKET' },
  ]) {
    await preview(order);
  }
  expect(edge.submitted).toHaveLength(commands);
  expect(Buffer.compare(edge.core.bytes(), before)).toBe(0);
});
