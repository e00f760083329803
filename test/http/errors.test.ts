import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RialtoStream } from '../../src/client/index.ts';
import { observeCluster, observeGateways, observeSnapshots } from '../../src/observe-program.ts';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import {
  accountOf,
  clientFor,
  type HandoutKey,
  keyOf,
  rawCall,
  startVenue,
  type Venue,
} from './venue.ts';

let venue: Venue;
let key: HandoutKey;
beforeAll(async () => {
  venue = await startVenue();
  key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
});
afterAll(() => venue?.stop());

test('every private endpoint of the list is served, and refuses who has no key', async () => {
  for (const { method, path, access, request } of ENDPOINTS) {
    const answer = await rawCall(venue, { method, path });
    const needsMore = (request.required ?? []).length > 0;
    if (access !== 'public') expect([answer.status, answer.code], path).toEqual([401, '30001']);
    else expect(answer.status, path).toBe(needsMore ? 400 : 200);
  }
});

test('an unknown path is 404, a wrong method 405 with those that are right', async () => {
  for (const path of ['/v3/nothing', '/v3/balances/', '/v4/balances', '/v3']) {
    expect(await rawCall(venue, { path }), path).toMatchObject({ status: 404, code: '20003' });
  }
  const wrong = await rawCall(venue, { method: 'DELETE', path: '/v3/transfer' });
  expect(wrong).toMatchObject({ status: 405, code: '20003' });
  expect(wrong.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'POST']);
});

test('an id that no order or row can have is no fault of ours', async () => {
  const ids = ['9223372036854775807', '9223372036854775808', '9999999999999999999'];
  for (const id of [...ids, '18446744073709551616', '9'.repeat(40), '0', '199999999999999999']) {
    for (const call of [
      ['/v3/orders/status', `clientOrderId=${id}`],
      ['/v3/orders/status', `orderId=${id}`],
      ['/v3/orders/working', `clientOrderId=${id}`],
      ['/v3/orders/working', `orderId=${id}`],
      ['/v3/trades', `beforeId=${id}`],
      ['/v3/wallet', `beforeId=${id}`],
      ['/v3/transfer', `beforeId=${id}`],
      ['/v3/funding', `beforeId=${id}`],
      ['/v3/liquidations', `beforeId=${id}`],
    ] as const) {
      const { status } = await rawCall(venue, { key, path: call[0], query: call[1] });
      expect([200, 400], call.join('?')).toContain(status);
    }
  }
  const query = 'clientOrderId=9223372036854775808';
  const { code, message } = await rawCall(venue, { key, path: '/v3/orders/status', query });
  expect([code, message]).toEqual(['20001', expect.stringContaining('result not found')]);
});

test('every answer is JSON with success and an id of its own', async () => {
  const seen = new Set<string | null>();
  const calls = [
    { path: '/v3/time' },
    { path: '/v3/nothing' },
    { path: '/v3/balances' },
    { key, path: '/v3/balances' },
    { key, path: '/v3/wallet', query: 'limit=0' },
  ];
  for (const call of calls) {
    const answer = await rawCall(venue, call);
    expect(typeof answer.success).toBe('boolean');
    expect('data' in answer).toBe(answer.success);
    expect(answer.headers.get('content-type')).toBe('application/json');
    seen.add(answer.headers.get('x-request-id'));
  }
  expect(seen.size).toBe(calls.length);
  expect(seen.has(null)).toBe(false);
});

describe('a body', () => {
  const post = (body: string) =>
    rawCall(venue, { key, method: 'POST', path: '/v3/transfer', body });

  test('above 256 KiB is 413, before anything else is looked at', async () => {
    const body = 'x'.repeat(256 * 1_024 + 1);
    const answer = await rawCall(venue, { method: 'POST', path: '/v3/transfer', body });
    expect(answer).toMatchObject({ status: 413, code: '20027' });
  });

  test('that is no JSON object is refused', async () => {
    for (const body of ['[]', '{', '"x"', '1', 'null']) {
      expect(await post(body), body).toMatchObject({ status: 400, code: '20009' });
    }
  });

  test('without a required member names it', async () => {
    const whole = { asset: 'OX', quantity: '1', fromAccount: 'main', toAccount: 'desk-a' };
    for (const name of Object.keys(whole)) {
      const answer = await post(JSON.stringify({ ...whole, [name]: null }));
      expect(answer).toMatchObject({
        status: 400,
        code: '30001',
        message: `Required parameter '${name}' is missing`,
      });
    }
    const { code } = await post(`{"__proto__":${JSON.stringify(whole)}}`);
    expect(code).toBe('30001');
  });
});

test('limits that are on are told in headers, and a refusal says how long to wait', async () => {
  const limited = await startVenue({ args: ['--limits', 'on', '--strict'] });
  const own = keyOf(accountOf(limited, 'main'), 'read', 'trade', 'withdraw');
  const body = '{"asset":"OX","quantity":"1","fromAccount":"main","toAccount":"desk-a"}';
  const call = { key: own, method: 'POST', path: '/v3/transfer', body };
  const first = await rawCall(limited, { ...call, nonce: '1' });
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-limit')).toBe('1');
  const second = await rawCall(limited, { ...call, nonce: '2' });
  expect(second).toMatchObject({ status: 429, code: '429' });
  expect(second.headers.get('retry-after')).toBe('1');
  expect(second.message).toMatch(/wait \d+ ms$/);
  expect((await rawCall(limited, { key: own, path: '/v3/balances' })).status).toBe(200);
  // With --strict an unknown member is refused, and the message suggests the right name.
  const misspelt = '{"orders":[{"marketCode":"BTC-USDT","side":"BUY","Quantity":"1"}]}';
  const place = { key: own, method: 'POST', path: '/v3/orders/place', body: misspelt };
  const { data } = await rawCall(limited, place);
  expect(data[0].message).toContain('there is no member "Quantity"; nearest quantity');
  expect((await rawCall(venue, { ...place, key })).data[0].code).toBe('20013');
  await limited.stop();
});

test('health, readiness, metrics, the page and the OpenAPI document are there', async () => {
  const get = (path: string) => fetch(venue.baseUrl + path);
  const manage = (path: string) => fetch(venue.handout.managementUrl + path);
  expect(await (await get('/health')).json()).toEqual({ status: 'ok' });
  expect(await (await manage('/health')).json()).toMatchObject({
    status: 'ok',
    engine: { digest: expect.any(String), sequence: expect.any(Number) },
  });
  expect((await manage('/ready')).status).toBe(200);
  expect(await (await manage('/metrics')).text()).toContain('rialto_engine_sequence');
  expect(await (await get('/docs')).text()).toContain('/v3/transfer');
  expect(await (await get('/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
});

test('every metric is documented, and alarms and the dashboard ask for metrics that exist', async () => {
  await rawCall(venue, { path: '/v3/nothing' });
  const order = { marketCode: 'BTC-USDT', side: 'BUY', orderType: 'LIMIT', quantity: '1' } as const;
  await clientFor(venue).placeOrders({
    orders: [
      { ...order, price: '60000.001' },
      { ...order, price: '1' },
    ],
  });
  const stream = await RialtoStream.fromHandout(venue.handout);
  await stream.command('placeorder', { ...order, price: '1' }).catch(() => undefined);
  stream.close();
  const text = await (await fetch(`${venue.handout.managementUrl}/metrics`)).text();
  // A node of a cluster has more, and so does a venue with gateway threads.
  const ofCluster = new Registry();
  const idle = { place: 1, term: 1, lag: 0, takeovers: 0, batches: 0, resent: 0 };
  observeCluster(ofCluster, { role: 'gateway', reading: () => idle });
  observeGateways(ofCluster, { serving: 1, deaths: 0 });
  observeSnapshots(ofCluster, () => ({ intervals: 0, failures: 0 }));
  const all = text + (await ofCluster.metrics());
  const served = new Set([...all.matchAll(/^# TYPE (rialto_\w+)/gm)].map(([, name]) => name));
  const namesIn = (file: string): Set<string | undefined> =>
    new Set(readFileSync(file, 'utf8').match(/rialto_\w+/g));
  expect([...namesIn('docs/METRICS.md')].sort()).toEqual([...served].sort());
  for (const file of ['ops/prometheus/rules.yml', 'ops/grafana/rialto.json']) {
    const used = [...namesIn(file)].map((name) => name?.replace(/_(bucket|count|sum)$/, ''));
    expect(used.filter((name) => !served.has(name))).toEqual([]);
  }
  expect(text).toMatch(/rialto_refusals_total\{code="20003",rule="PATH_UNKNOWN"\} [1-9]/);
  // Each order of a list separately: refused for its shape, by the state of the venue, over the stream.
  expect(text).toMatch(/rialto_order_refusals_total\{code="20021",rule="PRICE_OFF_TICK"\} 1\n/);
  expect(text).toMatch(/rialto_order_refusals_total\{code="710002",rule="PRICE_BELOW_BAND"\} 2\n/);
  expect(text).toMatch(/rialto_market_open\{market="BTC-USDT"\} 1\n/);
  expect(text).toMatch(/rialto_build_info\{version="\d+\.\d+\.\d+",node="v\d+/);
  expect(text).toMatch(/rialto_journal_sync_seconds\{quantile="0.99"\} 0\.\d/);
});
