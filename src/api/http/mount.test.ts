import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { refuse } from '../../domain/rejections.ts';
import { EngineStopped } from '../../engine/engine.ts';
import { endpoint } from '../../wire/endpoint.ts';
import { NumberSent, PAGE, WordSent } from '../../wire/scalars.ts';
import { directory, NOW_MS, type Sent, signedHeaders } from '../venue.fixture.ts';
import { createAuthenticator } from './authenticate.ts';
import {
  type MountOptions,
  mount,
  type RawRequest,
  type Route,
  route,
  type Served,
} from './mount.ts';
import { wholeBody } from './printed-body.ts';
import { createThrottle, type LimitRule } from './throttle.ts';

const post = endpoint({
  method: 'POST',
  path: '/v3/try',
  access: 'parent-trade',
  summary: 'for tests',
  request: Type.Object({
    word: WordSent,
    number: NumberSent,
    id: Type.Optional(WordSent),
    isSure: Type.Optional(Type.Boolean()),
  }),
  reply: Type.Unknown(),
});
const get = endpoint({
  ...post,
  method: 'GET',
  access: 'public',
  request: Type.Object({ ...PAGE, word: Type.Optional(WordSent) }),
});

const echo: Route = route(post, ({ request }) => ({ data: request }));
const faults: unknown[] = [];
const options = (changes: Partial<MountOptions> = {}): MountOptions => ({
  authenticate: createAuthenticator({
    directory,
    nowMs: () => NOW_MS,
    unseal: (sealed) => sealed,
    toleranceMs: 60_000,
    hostAliases: [],
    trustProxy: false,
  }),
  throttle: undefined,
  emptyUnauthorizedBodies: false,
  onFault: (error) => faults.push(error),
  ...changes,
});

const raw = (sent: Omit<Sent, 'accessKey'> & { accessKey?: string }): RawRequest => {
  const { method = 'POST', query = '', body = '' } = sent;
  const path = '/v3/try';
  const headers = signedHeaders({ accessKey: 'main-full', ...sent, method, path });
  return {
    method,
    path,
    query,
    body,
    headers,
    address: '127.0.0.1',
    localAddress: '127.0.0.1',
    requestId: 'r-1',
  };
};
const GOOD = '{"word":"w","number":1.50}';

const read = async (served: Served | Promise<Served>) => {
  const { status, body, headers } = await served;
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
  return {
    status,
    json: body === '' ? undefined : JSON.parse(wholeBody(body)),
    headers: Object.fromEntries(pairs),
  };
};
const ask = (sent: Parameters<typeof raw>[0], changes?: Partial<MountOptions>, of = echo) =>
  read(mount(of, options(changes)).serve(raw(sent)));

test('a gateway looks a key up again, once it has caught up, before it says that there is none', async () => {
  let isThere = false;
  const authenticate = options().authenticate;
  const late = {
    ...authenticate,
    identify: (head: Parameters<typeof authenticate.identify>[0]) =>
      isThere ? authenticate.identify(head) : refuse('KEY_UNKNOWN'),
  };
  const catchUp = async (): Promise<void> => {
    isThere = true;
  };
  expect((await ask({ body: GOOD }, { authenticate: late, catchUp })).status).toBe(200);
  isThere = false;
  expect((await ask({ body: GOOD }, { authenticate: late })).status).toBe(401);
  const away = (): Promise<void> => Promise.reject(new EngineStopped('no leader'));
  expect((await ask({ body: GOOD }, { authenticate: late, catchUp: away })).status).toBe(503);
});

test('a refused request gets the first reason in the order in which it is read', async () => {
  const once: LimitRule[] = [{ of: 'all', per: 'key', count: 1, perMs: 1_000 }];
  const throttle = createThrottle(once, () => 0);
  const spent = createThrottle(once, () => 0);
  spent.take({ accessKey: 'main-full', address: '' });
  // Each row mends one fault of the row above it, so the next reason comes to light.
  const rows: [Parameters<typeof raw>[0], typeof throttle, number, string][] = [
    [{ accessKey: 'nobody', secret: 'x', body: '[' }, spent, 401, '20025'],
    [{ accessKey: 'main-read', secret: 'x', body: '[' }, spent, 401, '20000'],
    [{ accessKey: 'main-read', body: '[' }, spent, 403, '05001'],
    [{ body: '[' }, spent, 429, '429'],
    [{ body: '[' }, throttle, 400, '20009'],
  ];
  for (const [sent, limits, status, code] of rows) {
    const { json, status: answered } = await ask(sent, { throttle: limits });
    expect([answered, json.code]).toEqual([status, code]);
  }
  expect((await ask({ body: '{}' })).json).toEqual({
    success: false,
    code: '30001',
    message: "Required parameter 'word' is missing",
  });
  const wrong = await ask({ body: '{"word":"w","number":"1,5"}' });
  expect(wrong.json).toEqual({
    success: false,
    code: '20001',
    message: 'Parameter is invalid: number must be a decimal number, not "1,5"',
  });
  expect((await ask({ body: GOOD })).json).toEqual({
    success: true,
    data: { word: 'w', number: '1.5' },
  });
});

test('a body that is no JSON object is refused', async () => {
  for (const body of ['[]', '1', 'null', '"x"', '{', '\uFEFF{}', '{"word":"w" "number":1}']) {
    expect((await ask({ body })).json.code, body).toBe('20009');
  }
  expect((await ask({ body: '' })).json.code).toBe('30001');
});

test('numbers and text are accepted alike, null is absent, unknown members are left alone', async () => {
  const body = '{"word":7,"number":9223372036854775807,"id":null,"source":1000,"x":{"y":[null]}}';
  expect((await ask({ body })).json.data).toMatchObject({
    word: '7',
    number: '9223372036854775807',
  });
  const wordNull = await ask({ body: '{"word":null,"number":1}' });
  expect(wordNull.json.message).toBe("Required parameter 'word' is missing");
  const proto = await ask({ body: '{"__proto__":{"word":"w","number":"1"}}' });
  expect(proto.json.code).toBe('30001');
});

test('a signed query fills in what the body does not say; an unsigned one is ignored', async () => {
  const body = '{"word":"w","number":1}';
  const signed = await ask({ query: 'id=5&word=other', body });
  expect(signed.json.data).toEqual({ word: 'w', number: '1', id: '5' });
  const unsigned = await ask({ query: 'id=5', body, sixth: body });
  expect(unsigned.json.data).toEqual({ word: 'w', number: '1' });
  const broken = await ask({ query: 'id=%E0%A4%A', body, sixth: body });
  expect(broken.json.data).toEqual({ word: 'w', number: '1' });
});

test('a public endpoint asks for no key, ignores one, and reads its query', async () => {
  const open = route(get, ({ request, caller }) => ({
    data: { request, caller: caller ?? 'none' },
  }));
  const good = await ask({ method: 'GET', secret: 'wrong', query: 'limit=5' }, {}, open);
  expect(good.json.data).toEqual({ request: { limit: '5' }, caller: 'none' });
  for (const query of ['limit=0', 'limit=x', 'startTime=-1', 'word=%E0%A4%A', 'beforeId=-1']) {
    expect((await ask({ method: 'GET', query }, {}, open)).json.code, query).toBe('20001');
  }
});

test('siblings of data and the mark of a repeat leave with the answer', async () => {
  const withExtra = route(post, () => ({ data: [], extra: { level: '5' }, isRepeat: true }));
  const answer = await ask({ body: GOOD }, {}, withExtra);
  expect(answer.json).toEqual({ success: true, level: '5', data: [] });
  expect(answer.headers['Idempotent-Replayed']).toBe('true');
  const no = route(post, () => ({ ...refuse('AVAILABLE_TOO_LOW'), isRepeat: true }));
  const refused = await ask({ body: GOOD }, {}, no);
  expect([refused.status, refused.json.code]).toEqual([400, '35036']);
  expect(refused.headers['Idempotent-Replayed']).toBe('true');
  expect((await ask({ body: GOOD })).headers['Idempotent-Replayed']).toBeUndefined();
});

test('a stopped engine leaves the outcome of a POST unknown, and a GET merely unavailable', async () => {
  const stop = async () => {
    throw new EngineStopped('disk full');
  };
  const posted = await ask({ body: GOOD }, {}, route(post, stop));
  expect([posted.status, posted.json.code]).toEqual([503, '000101']);
  expect(posted.json.message).toBe('outcome unknown, send the same bytes again');
  const got = await ask({ method: 'GET' }, {}, route(get, stop));
  expect([got.status, got.json.message]).toEqual([503, 'The server is temporarily unavailable']);
});

test('a fault of ours is reported by its request id, and says nothing of its cause', async () => {
  const secret = new Error('the master key is 1234');
  const fail = () => {
    throw secret;
  };
  for (const of of [route(post, fail), route(post, async () => fail())]) {
    const { status, json } = await ask({ body: GOOD }, {}, of);
    expect(status).toBe(500);
    expect(json).toEqual({
      success: false,
      code: '50001',
      message: 'Unknown server error: request r-1',
    });
    expect(faults.pop()).toBe(secret);
  }
});

test('limits are in headers, and a refusal says how long to wait', async () => {
  const rules: LimitRule[] = [{ of: 'all', per: 'key', count: 2, perMs: 5_000 }];
  const throttle = createThrottle(rules, () => 0);
  const first = await ask({ body: GOOD }, { throttle });
  expect(first.headers).toMatchObject({
    'RateLimit-Limit': '2',
    'RateLimit-Remaining': '1',
    'RateLimit-Reset': '3',
  });
  await ask({ body: GOOD }, { throttle });
  const third = await ask({ body: GOOD }, { throttle });
  expect(third.status).toBe(429);
  expect(third.headers).toMatchObject({ 'Retry-After': '3', 'RateLimit-Remaining': '0' });
  expect(third.json.message).toBe(
    'Rate limit reached: at most 2 requests per 5000 ms and key; wait 2500 ms',
  );
});

test('401 and 429 leave without a body where that is asked for', async () => {
  const empty = { emptyUnauthorizedBodies: true };
  expect(await ask({ secret: 'x', body: GOOD }, empty)).toMatchObject({
    status: 401,
    json: undefined,
  });
  expect((await ask({ accessKey: 'main-read', body: GOOD }, empty)).json.code).toBe('05001');
});

test('addresses of one IPv6 network share their limits', async () => {
  const rules: LimitRule[] = [{ of: 'all', per: 'address', count: 1, perMs: 1_000 }];
  const throttle = createThrottle(rules, () => 0);
  const open = mount(
    route(get, () => ({ data: [] })),
    options({ throttle }),
  );
  const from = async (address: string): Promise<number> =>
    (await open.serve({ ...raw({ method: 'GET' }), address })).status;
  expect(await from('2001:db8:1:2::1')).toBe(200);
  expect(await from('2001:db8:1:2:ffff::9')).toBe(429);
  expect(await from('2001:db8:1:3::1')).toBe(200);
});
