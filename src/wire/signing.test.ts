import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  candidates,
  hostCandidates,
  likeliestMessage,
  loginMessage,
  messageToSign,
  type SignedRequest,
} from './signing.ts';

const SECRET = 'demo-secret-01';
const sign = (message: string): string =>
  createHmac('sha256', SECRET).update(message).digest('base64');

const ALIASES = ['api.ox.fun', 'stgapi.ox.fun', 'api.opnx.com', 'v2api.coinflex.com', 'localhost'];

describe('the published vectors', () => {
  const rows = [
    [
      '2025-03-04T05:06:07',
      '1741064767',
      'GET',
      'localhost:8080',
      '/v3/balances',
      '',
      'UykaHyaRwyaR9u0H4Ny/IPqUspM6nR9Yhli/RN3Q5O0=',
    ],
    [
      '2025-03-04T05:06:07',
      '1741064767',
      'GET',
      'localhost:8080',
      '/v3/balances',
      'subAcc=desk%20a%2Cdesk%20b&asset=OX',
      'zbUj9ynJLB4VQf4REgxAnnc4GuFw/C9GChxsA/Gm9uE=',
    ],
    [
      '2025-03-04T05:06:07Z',
      '1741064767123',
      'POST',
      'api.ox.fun',
      '/v3/transfer',
      '{"asset":"OX","quantity":"1.5","fromAccount":"9001","toAccount":"9002"}',
      'v+b2IRrGSCb06W7VMykV09WyYEV4ZiSPksYO6TuM5bw=',
    ],
    [
      '2025-03-04T05:06:07.123456',
      '123',
      'POST',
      'api.ox.fun',
      '/v3/transfer',
      '{"asset": "OX", "quantity": "1.5", "fromAccount": "9001", "toAccount": "9002"}',
      'F5C6H4HPov7AemnhSOX2h5dSsu0e0dJ+gJoGDBMj3ew=',
    ],
    [
      '2025-03-04T05:06:07.123Z',
      'k3j9x2',
      'DELETE',
      'localhost',
      '/v3/orders/cancel-all',
      '{}',
      '+2Z6/0LDGeyrZ3onzWlzjC39GvFfdHinPjWbBGsnpaQ=',
    ],
    [
      '2025-03-04T05:06:07.123Z',
      'k3j9x2',
      'DELETE',
      'localhost',
      '/v3/orders/cancel-all',
      '',
      'sMnLj9OJjW3EMtFX3ys64f6w4B/bSuvRQrVHSvmuGlY=',
    ],
  ] as const;

  test.each(rows)('%s %s %s %s %s %s', (timestamp, nonce, method, host, path, sixth, signature) => {
    expect(sign(messageToSign({ timestamp, nonce, method, host, path, sixth }))).toBe(signature);
  });

  test('a stream login', () => {
    expect(sign(loginMessage('1741064767123'))).toBe(
      'qkWDDRAqdhkF5DqVAg6Xj3lz62bhyFg50R87qNC7Yos=',
    );
  });
});

const BASE: SignedRequest = {
  timestamp: '2025-03-04T05:06:07',
  nonce: '1',
  method: 'GET',
  path: '/v3/balances',
  query: '',
  body: '',
};

/** The candidate that matches a client's signature, as the server would find it. */
function recognised(request: SignedRequest, signedHost: string, sixth: string, hostHeader: string) {
  const signature = sign(messageToSign({ ...request, host: signedHost, sixth }));
  const hosts = hostCandidates(hostHeader, ALIASES);
  return [...candidates(request, hosts)].find(({ message }) => sign(message) === signature);
}

test('the first candidate is the host as called with query and body as sent', () => {
  const request = { ...BASE, query: 'a=b' };
  const [first] = candidates(request, hostCandidates('localhost:8080', ALIASES));
  expect(first?.message).toBe(likeliestMessage(request, 'localhost:8080'));
  expect(first?.message).toBe('2025-03-04T05:06:07\n1\nGET\nlocalhost:8080\n/v3/balances\na=b');
});

test('candidates are made only when they are read', () => {
  let reads = 0;
  const hosts = {
    *[Symbol.iterator]() {
      reads++;
      yield 'localhost';
    },
  };
  const lazy = candidates(BASE, hosts);
  expect(reads).toBe(0);
  lazy.next();
  expect(reads).toBe(1);
});

test('every client is recognised by the host it signs', () => {
  const hostHeader = 'LocalHost:8080';
  const signedBy = {
    'ccxt: host with port': 'LocalHost:8080',
    'Java: lower case': 'localhost:8080',
    'without the port': 'localhost',
    'published samples: a constant': 'api.ox.fun',
    'test net constant': 'stgapi.ox.fun',
    'Java default domain': 'api.opnx.com',
    'older ccxt and hummingbot': 'v2api.coinflex.com',
  };
  for (const [client, host] of Object.entries(signedBy)) {
    expect(recognised(BASE, host, '', hostHeader)?.host, client).toBe(host);
  }
  expect(recognised(BASE, 'evil.example', '', hostHeader)).toBeUndefined();
});

test('a forwarded host counts only when it is handed in', () => {
  expect(hostCandidates('inner:1', [], 'Rialto.Example')).toContain('rialto.example');
  expect(hostCandidates('inner:1', [])).toEqual(['inner:1', 'inner']);
});

test('a body is signed as it was spaced', () => {
  for (const body of ['{"asset":"OX"}', '{"asset": "OX"}', '{ "asset" : null }']) {
    const request = { ...BASE, method: 'POST', body };
    expect(recognised(request, 'localhost', body, 'localhost')?.coversQuery).toBe(true);
    expect(recognised(request, 'localhost', `${body} `, 'localhost')).toBeUndefined();
  }
});

test('a query re-encoded the Java way is recognised: first values only, plus for space', () => {
  const request = { ...BASE, query: 'subAcc=desk%20a&subAcc=desk%20b&x=a,b%21~*' };
  const signed = 'subAcc=desk+a&x=a%2Cb%21%7E*';
  expect(recognised(request, 'localhost', signed, 'localhost')?.coversQuery).toBe(true);
});

test('a query signed before it was encoded is recognised', () => {
  const request = { ...BASE, query: 'subAcc=desk%20a%2Cdesk%20b' };
  expect(recognised(request, 'localhost', 'subAcc=desk a,desk b', 'localhost')).toBeDefined();
  const asJson = { ...BASE, query: '%7B%22asset%22%3A%20%22OX%22%7D' };
  expect(recognised(asJson, 'localhost', '{"asset": "OX"}', 'localhost')).toBeDefined();
});

test('query and body are joined without a separator; a body signed alone leaves the query uncovered', () => {
  const request = { ...BASE, method: 'POST', query: 'a=1', body: '{}' };
  expect(recognised(request, 'localhost', 'a=1{}', 'localhost')?.coversQuery).toBe(true);
  expect(recognised(request, 'localhost', '{}', 'localhost')?.coversQuery).toBe(false);
  expect(recognised(request, 'localhost', 'a=1', 'localhost')).toBeUndefined();
});

test('a body that a GET carries need not be signed', () => {
  for (const query of ['', 'subAcc=a%2Cb']) {
    const request = { ...BASE, query, body: '{}' };
    for (const sixth of [query, `${query}{}`, decodeURIComponent(query)]) {
      expect(recognised(request, 'localhost', sixth, 'localhost')?.coversQuery).toBe(true);
    }
    expect(recognised(request, 'localhost', 'x', 'localhost')).toBeUndefined();
  }
  const post = { ...BASE, method: 'POST', query: '', body: '{}' };
  expect(recognised(post, 'localhost', '', 'localhost')).toBeUndefined();
});

test('a GET whose query is not signed is not recognised', () => {
  expect(recognised({ ...BASE, query: 'subAcc=x' }, 'localhost', '', 'localhost')).toBeUndefined();
});

test('a broken percent sequence costs no exception', () => {
  const request = { ...BASE, query: 'a=%E0%A4%A' };
  expect([...candidates(request, ['localhost'])]).toHaveLength(1);
});
