import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { getBalances } from '../wire/account.ts';
import { ENDPOINTS } from '../wire/endpoints.ts';
import { SANDBOX_ENDPOINTS } from '../wire/sandbox.ts';
import { requestTransfer } from '../wire/transfers.ts';
import { RialtoClient, RialtoError } from './index.ts';

type Call = { readonly url: string; readonly init: RequestInit };

/** A client that records its requests and gets the given response. */
function client(answer: () => Response = () => Response.json({ success: true, data: [] })) {
  const calls: Call[] = [];
  const rialto = new RialtoClient({
    baseUrl: 'http://localhost:8080/',
    accessKey: 'key',
    secret: 'demo-secret-01',
    nowMs: () => Date.UTC(2025, 2, 4, 5, 6, 7, 123),
    nonce: () => 'n1',
    retry: false,
    followClock: false,
    fetch: async (url, init) => {
      const { signal: _, ...rest } = init ?? {};
      calls.push({ url: String(url), init: rest });
      return answer();
    },
  });
  return { rialto, calls };
}

test('every endpoint of traders, and of the sandbox, has a method', async () => {
  const { rialto, calls } = client();
  const methods = Object.values(rialto).filter((member) => typeof member === 'function');
  for (const method of methods) await method({});
  const called = calls.map(
    ({ url, init }) => `${init.method} ${new URL(url).pathname.replace(/\?.*/, '')}`,
  );
  const declared = [...ENDPOINTS, ...SANDBOX_ENDPOINTS].map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect(called.sort()).toEqual(declared.sort());
});

const signatureOf = (message: string): string =>
  createHmac('sha256', 'demo-secret-01').update(message).digest('base64');

test('a GET signs its query exactly as it sends it', async () => {
  const { rialto, calls } = client();
  await rialto.balances({ subAcc: "desk a,o'neill", asset: 'OX' });
  const query = 'subAcc=desk%20a%2Co%27neill&asset=OX';
  expect(calls[0]?.url).toBe(`http://localhost:8080/v3/balances?${query}`);
  expect(new URL(calls[0]?.url ?? '').search).toBe(`?${query}`);
  const message = `2025-03-04T05:06:07.123Z\nn1\nGET\nlocalhost:8080\n/v3/balances\n${query}`;
  expect(calls[0]?.init.headers).toMatchObject({
    AccessKey: 'key',
    Timestamp: '2025-03-04T05:06:07.123Z',
    Nonce: 'n1',
    Signature: signatureOf(message),
  });
});

const MOVE = { asset: 'OX', quantity: '1.5', fromAccount: '30000', toAccount: '30001' };

test('a POST signs its body exactly as it sends it', async () => {
  const { rialto, calls } = client(() => Response.json({ success: true, data: MOVE }));
  expect(await rialto.transfer(MOVE)).toEqual(MOVE);
  const { body, headers, method } = calls[0]?.init ?? {};
  expect([method, body]).toEqual(['POST', JSON.stringify(MOVE)]);
  const message = `2025-03-04T05:06:07.123Z\nn1\nPOST\nlocalhost:8080\n/v3/transfer\n${body}`;
  expect(headers).toMatchObject({ Signature: signatureOf(message) });
});

test('a DELETE signs the body it carries', async () => {
  const { rialto, calls } = client();
  await rialto.cancelOrders({ orders: [{ marketCode: 'BTC-USDT', orderId: '1000200000001' }] });
  await rialto.cancelAllOrders();
  const { body, headers, method } = calls[0]?.init ?? {};
  expect([method, calls[1]?.init.body]).toEqual(['DELETE', '{}']);
  const message = `2025-03-04T05:06:07.123Z\nn1\nDELETE\nlocalhost:8080\n/v3/orders/cancel\n${body}`;
  expect(headers).toMatchObject({ Signature: signatureOf(message) });
});

test('what was prepared once can be sent again, byte for byte, and the repeat shows', async () => {
  let times = 0;
  const { rialto, calls } = client(() =>
    Response.json(
      { success: true, data: MOVE },
      { headers: times++ === 0 ? {} : { 'Idempotent-Replayed': 'true', 'X-Request-Id': 'r-2' } },
    ),
  );
  const prepared = await rialto.prepare(requestTransfer, MOVE);
  expect(calls).toEqual([]);
  expect(await rialto.send(prepared)).toMatchObject({ isRepeat: false, requestId: undefined });
  expect(await rialto.send(prepared)).toMatchObject({ isRepeat: true, requestId: 'r-2' });
  expect(calls[1]).toEqual(calls[0]);
});

test('a refusal is thrown with its code, its status and its message', async () => {
  const refusal = { success: false, code: '35036', message: 'Available amount is insufficient' };
  const { rialto } = client(() =>
    Response.json(refusal, { status: 400, headers: { 'Idempotent-Replayed': 'true' } }),
  );
  const error = await rialto.transfer(MOVE).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RialtoError);
  expect(error).toMatchObject({
    ...{ code: '35036', status: 400, isRepeat: true },
    message: refusal.message,
  });
});

test('an unknown outcome, a wait and a response without an envelope can be distinguished', async () => {
  const failWith = async (body: string, status: number, headers = {}) =>
    client(() => new Response(body, { status, headers }))
      .rialto.call(getBalances, {})
      .catch((thrown: unknown) => thrown);
  const unknown =
    '{"success":false,"code":"000101","message":"outcome unknown, send the same bytes again"}';
  expect(await failWith(unknown, 503)).toMatchObject({ isOutcomeUnknown: true });
  expect(await failWith('', 401)).toMatchObject({
    code: '401',
    status: 401,
    isOutcomeUnknown: false,
  });
  expect(await failWith('<html>', 502)).toMatchObject({ code: '502', isOutcomeUnknown: true });
  expect(await failWith('<html>', 504)).toMatchObject({ code: '504', isOutcomeUnknown: true });
  expect(await failWith('<html>', 503)).toMatchObject({ code: '503', isOutcomeUnknown: false });
  expect(await failWith('null', 200)).toBeInstanceOf(RialtoError);
  expect(await failWith('', 429, { 'Retry-After': '3' })).toMatchObject({ retryAfterMs: 3_000 });
});

test('public endpoints need no key, private ones say that they do', async () => {
  const rialto = new RialtoClient({
    baseUrl: 'https://rialto.example',
    fetch: async () => Response.json({ success: true, data: { timestamp: '1', iso: 'x' } }),
  });
  expect(await rialto.time()).toEqual({ timestamp: '1', iso: 'x' });
  await expect(rialto.balances()).rejects.toThrow('needs a key and a secret');
});

test('a key of WebCrypto signs in place of a secret text', async () => {
  const signingKey = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode('demo-secret-01'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const headers: Headers[] = [];
  const common = {
    baseUrl: 'http://localhost:8080',
    accessKey: 'key',
    nowMs: () => 0,
    nonce: () => 'n1',
    fetch: (async (_url, init) => {
      headers.push(new Headers(init?.headers));
      return Response.json({ success: true, data: [] });
    }) as typeof fetch,
  };
  await new RialtoClient({ ...common, signingKey }).sessions();
  await new RialtoClient({ ...common, secret: 'demo-secret-01' }).sessions();
  expect(headers[0]?.get('signature')).toBe(headers[1]?.get('signature'));
});
