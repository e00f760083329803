import { beforeEach, describe, expect, test } from 'vitest';
import { accountIdText } from '../domain/ids.ts';
import type { KeyIndex } from '../domain/units.ts';
import { ENDPOINTS } from '../wire/endpoints.ts';
import { fakeHistory } from './fake-history.fixture.ts';
import { createAuthenticator } from './http/authenticate.ts';
import { mount } from './http/mount.ts';
import { wholeBody } from './http/printed-body.ts';
import { routes } from './server.ts';
import { fakeEngine, NOW_MS, routeParts, signedHeaders } from './venue.fixture.ts';

let engine = fakeEngine();
let history = fakeHistory();
beforeEach(() => {
  engine = fakeEngine();
  history = fakeHistory();
});

const [MAIN, DESK_A, DESK_B, , OTHER] = [0, 1, 2, 3, 4].map(accountIdText);

async function ask(accessKey: string, method: string, path: string, query = '', body = '') {
  const found = routes(engine, history, routeParts(engine)).find(
    ({ endpoint }) => endpoint.method === method && endpoint.path === path,
  );
  if (found === undefined) throw new Error(`${method} ${path} has no route`);
  const { directory } = engine;
  const authenticate = createAuthenticator({
    directory,
    nowMs: () => NOW_MS,
    unseal: (sealed) => sealed,
    toleranceMs: 60_000,
    hostAliases: [],
    trustProxy: false,
  });
  const onFault = (error: unknown) => {
    throw error;
  };
  const settings = { authenticate, throttle: undefined, emptyUnauthorizedBodies: false, onFault };
  const headers = signedHeaders({ accessKey, method, path, query, body });
  const raw = { method, path, query, body, headers, address: '', localAddress: '', requestId: '' };
  const served = await mount(found, settings).serve(raw);
  return { status: served.status, headers: served.headers, ...JSON.parse(wholeBody(served.body)) };
}
const names = (answer: { data: { name: string }[] }): string[] =>
  answer.data.map((row) => row.name);

test('every declared endpoint has a route, and every route is declared', () => {
  const all = routes(engine, history, routeParts(engine)).map(({ endpoint }) => endpoint);
  expect(new Set(all)).toEqual(new Set(ENDPOINTS));
  expect(all.length).toBe(ENDPOINTS.length);
});

describe('accounts', () => {
  test('a parent key sees itself first, then the sub-accounts it names, in that order, once', async () => {
    const query = 'subAcc=desk%20b%2Cnobody%2Cdesk-a&subAcc=desk-a,main,secret%20desk';
    expect(names(await ask('main-read', 'GET', '/v3/balances', query))).toEqual([
      'main',
      'desk b',
      'desk-a',
    ]);
    expect(names(await ask('main-read', 'GET', '/v3/account'))).toEqual(['main']);
  });

  test('a sub-account key sees itself alone, whatever it names and however much', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `n${index}`).join();
    for (const query of ['subAcc=main,desk%20b', `subAcc=${many}`]) {
      expect(names(await ask('desk-trade', 'GET', '/v3/balances', query))).toEqual(['desk-a']);
    }
  });

  test('more names than the endpoint takes are refused', async () => {
    const eleven = Array.from({ length: 11 }, (_, index) => `n${index}`).join();
    for (const path of ['/v3/account', '/v3/balances', '/v3/positions']) {
      const answer = await ask('main-read', 'GET', path, `subAcc=${eleven}`);
      expect([answer.status, answer.code]).toEqual([400, '20001']);
    }
    const wallet = await ask('main-read', 'GET', '/v3/wallet', 'subAcc=a,b,c,d,e,f');
    expect(wallet.message).toContain('subAcc holds 6 names, at most 5');
  });

  test('names lists the active sub-accounts, without main, to a parent key only', async () => {
    const answer = await ask('main-read', 'GET', '/v3/account/names');
    expect(answer.data).toEqual([
      { accountId: DESK_A, name: 'desk-a' },
      { accountId: DESK_B, name: 'desk b' },
    ]);
    expect((await ask('desk-trade', 'GET', '/v3/account/names')).code).toBe('05001');
  });

  test('a balance is text: total is available plus reserved, below zero too', async () => {
    const [main] = (await ask('main-read', 'GET', '/v3/balances', 'asset=OX')).data;
    expect(main).toEqual({
      accountId: MAIN,
      name: 'main',
      balances: [
        {
          asset: 'OX',
          total: '-1.49999975',
          available: '-1.5',
          reserved: '0.00000025',
          lastUpdatedAt: '7',
        },
      ],
    });
    const none = await ask('main-read', 'GET', '/v3/balances', 'asset=NOPE');
    expect(none.data).toEqual([{ accountId: MAIN, name: 'main', balances: [] }]);
  });

  test('an account shows positions only when it has some', async () => {
    const [flat] = (await ask('main-read', 'GET', '/v3/account')).data;
    expect('positions' in flat).toBe(false);
    expect(flat).toMatchObject({
      collateral: '289000.5',
      notionalPositionSize: '121000.0',
      maintenanceMargin: '6050.0',
      marginRatio: '2.093422',
      riskRatio: '23.884339',
      liquidating: false,
      feeTier: '1',
      createdAt: '5',
      balances: [{ asset: 'OX', value: '-1.49999975', collateralValue: '-1.5' }],
    });
    engine.isLong = true;
    const [long] = (await ask('main-read', 'GET', '/v3/account')).data;
    expect(long.positions[0]).toEqual({
      marketCode: 'BTC-USD-SWAP-LIN',
      baseAsset: 'BTC',
      counterAsset: 'USD',
      position: '0.0200',
      entryPrice: '60000.0',
      markPrice: '60500',
      positionPnl: '1000.0',
      estLiquidationPrice: '0',
      lastUpdatedAt: '9',
    });
  });

  test('positions are an empty list when there are none at all, else one element an account', async () => {
    const flat = await ask('main-read', 'GET', '/v3/positions', 'subAcc=desk-a');
    expect(flat.data).toEqual([]);
    engine.isLong = true;
    const long = await ask('main-read', 'GET', '/v3/positions', 'subAcc=desk-a');
    expect(names(long)).toEqual(['main', 'desk-a']);
    expect(long.data[0].positions[0]).toMatchObject({ lastUpdated: '9', lastUpdatedAt: '9' });
    expect(long.data[1].positions).toEqual([]);
    const wrong = await ask('main-read', 'GET', '/v3/positions', 'marketCode=NOPE');
    expect([wrong.status, wrong.code]).toEqual([400, '20001']);
  });
});

const ROW = { id: 11n, asset: 1, type: 'DEPOSIT', amount: -250_000_000n, timeMs: 1_717 };

describe('wallet', () => {
  test('an entry has both names of its time; limit and window are asked for each account', async () => {
    history.walletRows = [ROW as never];
    const query = 'subAcc=desk-a&type=DEPOSIT&limit=900&beforeId=970000000000000099';
    const answer = await ask('main-read', 'GET', '/v3/wallet', query);
    expect(answer.data[0].walletHistory).toEqual([
      {
        id: '970000000000000011',
        asset: 'USDT',
        type: 'DEPOSIT',
        amount: '-250',
        createdAt: '1717',
        'createdAt/lastUpdatedAt': '1717',
      },
    ]);
    const window = { fromMs: NOW_MS - 86_400_000, toMs: NOW_MS };
    const filter = { ...window, limit: 500, type: 'DEPOSIT', beforeId: 99n };
    expect(history.queries).toEqual([
      { ...filter, account: 0 },
      { ...filter, account: 1 },
    ]);
  });

  test('a type that does not exist has no entries', async () => {
    history.walletRows = [ROW as never];
    const answer = await ask('main-read', 'GET', '/v3/wallet', 'type=PRIZE');
    expect(answer.data).toEqual([{ accountId: MAIN, name: 'main', walletHistory: [] }]);
  });

  test('history that does not catch up in time makes the read unavailable', async () => {
    engine.releasedSequence = 9;
    for (const path of ['/v3/wallet', '/v3/transfer']) {
      const answer = await ask('main-read', 'GET', path);
      expect([answer.status, answer.code]).toEqual([503, '000101']);
    }
    expect(history.queries).toEqual([]);
  });
});

const body = (changes: object = {}): string =>
  JSON.stringify({
    asset: 'USDT',
    quantity: '1.5',
    fromAccount: MAIN,
    toAccount: DESK_A,
    ...changes,
  });
const move = (sent: string, key = 'main-full') => ask(key, 'POST', '/v3/transfer', '', sent);

describe('transfers', () => {
  test('a transfer is answered from its events, and names its request to the engine', async () => {
    const answer = await move(body());
    expect(answer.data).toEqual({
      asset: 'USDT',
      quantity: '1.5',
      fromAccount: MAIN,
      toAccount: DESK_A,
      transferredAt: String(NOW_MS + 3),
    });
    expect(engine.submitted).toEqual([
      {
        kind: 'transfer',
        by: {
          key: 0 as KeyIndex,
          fingerprint: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
          signedAtMs: NOW_MS,
          expiresAtMs: NOW_MS + 60_000,
        },
        asset: 1,
        amount: 1_500_000n,
        from: 0,
        to: 1,
      },
    ]);
  });

  test('accounts go by id or by name, as text or as number', async () => {
    await move(body({ fromAccount: 'desk b', toAccount: 'main' }));
    await move(`{"asset":"OX","quantity":9e-05,"fromAccount":${DESK_A},"toAccount":${DESK_B}}`);
    expect(engine.submitted).toMatchObject([
      { from: 2, to: 0 },
      { from: 1, to: 2, amount: 9_000n },
    ]);
  });

  test('a foreign account answers like one that does not exist', async () => {
    const texts = [OTHER, 'secret desk', '99999', '999999999999', '-1', 'Main', '1e5'];
    const answers = await Promise.all(texts.map((toAccount) => move(body({ toAccount }))));
    for (const answer of answers) {
      expect(answer).toEqual(answers[0]);
      expect(answer).toMatchObject({ status: 400, code: '45026' });
    }
    expect(engine.submitted).toEqual([]);
  });

  test('a quantity is exact or refused', async () => {
    const rows: [unknown, string, string][] = [
      ['1.1234567', '35028', 'has 7 decimals, USDT has 6; nearest 1.123456'],
      ['0.0000001', '35028', 'nearest 0.000001'],
      ['4611686018427.387904', '20001', 'beyond what can be held, 4611686018427.387903'],
      ['1e40', '20001', 'beyond'],
      ['1e41', '20001', 'no number'],
      ['abc', '20001', 'quantity must be a decimal number, not "abc"'],
      [true, '20001', 'not true'],
    ];
    for (const [quantity, code, words] of rows) {
      const answer = await move(body({ quantity }));
      expect([answer.code, answer.message], String(quantity)).toEqual([
        code,
        expect.stringContaining(words),
      ]);
    }
    expect(engine.submitted).toEqual([]);
    await move(body({ quantity: '4611686018427.387903' }));
    await move(body({ quantity: '1.5000000000' }));
    expect(engine.submitted).toMatchObject([{ amount: 2n ** 62n - 1n }, { amount: 1_500_000n }]);
  });

  test('zero and less go to the core, which says what it says', async () => {
    engine.answer = async () => ({
      outcome: {
        sequence: 1,
        timeMs: 1,
        events: [{ kind: 'refused', reason: 'VALIDATION_FAILED', message: 'Validation failed: 0' }],
      } as never,
      isRepeat: true,
    });
    const answer = await move(body({ quantity: '-1' }));
    expect(answer).toMatchObject({ status: 400, code: '0010', message: 'Validation failed: 0' });
    expect(answer.headers).toContain('Idempotent-Replayed');
  });

  test('the reasons of a transfer come in one order', async () => {
    const rows: [object, string][] = [
      [{ asset: 'NOPE', toAccount: 'nobody', quantity: '0.00000001' }, '35037'],
      [{ toAccount: 'nobody', quantity: '0.00000001' }, '45026'],
      [{ quantity: '0.00000001' }, '35028'],
    ];
    for (const [changes, code] of rows) expect((await move(body(changes))).code).toBe(code);
    expect((await move(body(), 'main-read')).code).toBe('05001');
    expect((await move(body(), 'desk-trade')).code).toBe('05001');
  });

  test('a parent key reads all transfers of its family, a sub-account key its own', async () => {
    const row = { id: 201n, asset: 0, amount: 150_000_000n, from: 0, to: 1, timeMs: 1_717 };
    history.transferRows = [row as never];
    const answer = await ask('main-read', 'GET', '/v3/transfer');
    expect(answer.data).toEqual([
      {
        asset: 'OX',
        quantity: '1.5',
        fromAccount: MAIN,
        toAccount: DESK_A,
        id: '970000000000000201',
        status: 'COMPLETED',
        transferredAt: '1717',
      },
    ]);
    await ask('desk-trade', 'GET', '/v3/transfer', 'asset=OX&limit=1000');
    const window = { fromMs: NOW_MS - 86_400_000, toMs: NOW_MS };
    expect(history.queries).toEqual([
      { family: 0, ...window, limit: 50 },
      { family: 0, account: 1, asset: 0, ...window, limit: 200 },
    ]);
    expect((await ask('main-read', 'GET', '/v3/transfer', 'asset=NOPE')).data).toEqual([]);
  });
});
