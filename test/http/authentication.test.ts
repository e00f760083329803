import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf, type HandoutKey, keyOf, rawCall, startVenue, type Venue } from './venue.ts';

let venue: Venue;
let key: HandoutKey;
beforeAll(async () => {
  venue = await startVenue({ args: ['--host-alias', 'rialto,venue.example'] });
  key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
});
afterAll(() => venue?.stop());

const path = '/v3/balances';
const isoNow = (): string => new Date().toISOString();

test('every client is let in, whatever it takes for the host', async () => {
  const { host, hostname } = new URL(venue.baseUrl);
  for (const signedHost of [
    host,
    hostname,
    'api.ox.fun',
    'stgapi.ox.fun',
    'api.opnx.com',
    'stgapi.opnx.com',
    'v2api.coinflex.com',
    'rialto',
    'venue.example',
  ]) {
    expect((await rawCall(venue, { key, path, signedHost })).status, signedHost).toBe(200);
  }
  expect(await rawCall(venue, { key, path, signedHost: 'evil.example' })).toMatchObject({
    status: 401,
    code: '20000',
  });
});

test('every form of the time is understood', async () => {
  const now = isoNow();
  const seconds = now.slice(0, 19);
  for (const timestamp of [
    seconds,
    `${seconds}Z`,
    now,
    `${seconds}.123456`,
    `${seconds}.123456+00:00`,
  ]) {
    expect((await rawCall(venue, { key, path, timestamp })).status, timestamp).toBe(200);
  }
});

test('the refusal of a time that is too far off names both clocks and the difference', async () => {
  const timestamp = new Date(Date.now() - 120_000).toISOString();
  const late = await rawCall(venue, { key, path, timestamp });
  expect(late).toMatchObject({ status: 401, code: '20024', success: false });
  expect(late.message).toMatch(/is 1[12]\d{4} ms behind, at most 60000 ms; the venue's clock is 2/);
  const early = new Date(Date.now() + 120_000).toISOString();
  expect((await rawCall(venue, { key, path, timestamp: early })).code).toBe('20024');
  expect((await rawCall(venue, { key, path, timestamp: 'now' })).code).toBe('20024');
});

test('a nonce may be anything, again and again', async () => {
  const timestamp = isoNow();
  for (const nonce of ['123', '123', 'k3j9x2', '1741064767', 'x'.repeat(128)]) {
    expect((await rawCall(venue, { key, path, nonce, timestamp })).status).toBe(200);
  }
});

test('each missing header is named', async () => {
  for (const name of ['AccessKey', 'Timestamp', 'Nonce', 'Signature']) {
    const answer = await rawCall(venue, { key, path, without: [name] });
    expect(answer).toMatchObject({ status: 401, code: '30001' });
    expect(answer.message).toContain(name);
  }
});

test('an unknown key and a wrong secret are told apart, and neither gets in', async () => {
  const unknown = { ...key, accessKey: 'nobody' };
  expect(await rawCall(venue, { key: unknown, path })).toMatchObject({
    status: 401,
    code: '20025',
  });
  const wrong = { ...key, secret: 'wrong' };
  expect(await rawCall(venue, { key: wrong, path })).toMatchObject({ status: 401, code: '20000' });
});

test('a query is signed as sent, re-encoded the Java way, or before it was encoded', async () => {
  const query = 'subAcc=desk-a%2Cdesk-b&asset=OX';
  for (const sixth of [query, 'subAcc=desk-a,desk-b&asset=OX']) {
    expect((await rawCall(venue, { key, path, query, sixth })).data).toHaveLength(3);
  }
  const repeated = 'subAcc=desk-a&subAcc=desk-b';
  const java = await rawCall(venue, { key, path, query: repeated, sixth: 'subAcc=desk-a' });
  expect(java.data).toHaveLength(3);
  const unsigned = await rawCall(venue, { key, path, query, sixth: '' });
  expect(unsigned.code).toBe('20000');
});

test('a query beside a body that was signed alone is ignored', async () => {
  const body = '{"asset":"OX","quantity":"1","fromAccount":"main"}';
  const call = { key, method: 'POST', path: '/v3/transfer', query: 'toAccount=desk-a', body };
  const unsigned = await rawCall(venue, { ...call, sixth: body });
  expect(unsigned).toMatchObject({ status: 400, code: '30001' });
  expect(unsigned.message).toBe("Required parameter 'toAccount' is missing");
  expect((await rawCall(venue, call)).data).toMatchObject({ quantity: '1' });
});

test('a body is taken as it was spaced, with or without a content type', async () => {
  for (const body of [
    '{"asset":"OX","quantity":"1","fromAccount":"main","toAccount":"desk-a"}',
    '{"asset": "OX", "quantity": "1", "fromAccount": "main", "toAccount": "desk-a", "memo": null}',
  ]) {
    for (const type of ['application/json', 'application/json; charset=UTF-8', 'text/plain']) {
      const headers = { 'Content-Type': type };
      const call = { key, method: 'POST', path: '/v3/transfer', body, headers, nonce: type };
      expect((await rawCall(venue, call)).status).toBe(200);
    }
  }
});

test('a changed body, path or method breaks the signature', async () => {
  const body = '{"asset":"OX","quantity":"1","fromAccount":"main","toAccount":"desk-a"}';
  const call = { key, method: 'POST', path: '/v3/transfer' };
  const changed = await rawCall(venue, { ...call, body: body.replace('"1"', '"9"'), sixth: body });
  expect(changed.code).toBe('20000');
});

test('a public endpoint asks for nothing and ignores a key', async () => {
  expect((await rawCall(venue, { path: '/v3/time' })).status).toBe(200);
  const wrong = { ...key, secret: 'wrong' };
  expect((await rawCall(venue, { key: wrong, path: '/v3/time' })).status).toBe(200);
});
