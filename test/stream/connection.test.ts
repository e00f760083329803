import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type InProcess, startInProcess } from '../http/in-process.ts';
import { StreamClient } from './stream-client.ts';

/** The connection itself: greeting, keep-alive, login, and invalid messages. */
let running: InProcess;
let clients: StreamClient[] = [];
beforeAll(async () => {
  running = await startInProcess({});
}, 60_000);
afterAll(() => running?.stop());
afterEach(() => {
  for (const client of clients) client.close();
  clients = [];
});

async function open(): Promise<StreamClient> {
  const client = await StreamClient.open(running.venue.port);
  clients.push(client);
  return client;
}

test('the greeting is compact JSON with a nonce', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${running.venue.port}/v2/websocket?x=1`);
  const text = await new Promise((resolve) =>
    socket.once('message', (data: Buffer) => resolve(data.toString())),
  );
  expect(text).toMatch(/^{"event":"Welcome","nonce":"[0-9a-f]{8}","timestamp":"\d{13}"}$/);
  socket.terminate();
});

test('ping is answered as a word and as a frame', async () => {
  const client = await open();
  client.send('ping');
  expect(await client.next((message) => message === 'pong')).toBe('pong');
  const pong = new Promise((resolve) => client.socket.once('pong', resolve));
  client.socket.ping();
  await pong;
});

test('a login is checked like a signed request: time, key, signature; once', async () => {
  const client = await open();
  const key = running.keyOf(0);
  const failing = async (data: object) => {
    client.send({ op: 'login', data });
    const { event, success, code } = await client.next((message) => message.event === 'login');
    return [event, success, code];
  };
  const sign = (timestamp: string, secret = key.secret) =>
    createHmac('sha256', secret).update(`${timestamp}GET/auth/self/verify`).digest('base64');
  const now = String(Date.now());
  const old = String(Date.now() - 61_000);
  const { accessKey: apiKey } = key;
  expect(await failing({ apiKey })).toEqual(['login', false, '20023']);
  const late = { apiKey, timestamp: old, signature: sign(old) };
  expect(await failing(late)).toEqual(['login', false, '20024']);
  const unknown = { apiKey: 'nobody', timestamp: now, signature: sign(now) };
  expect(await failing(unknown)).toEqual(['login', false, '20025']);
  const forged = { apiKey, timestamp: now, signature: sign(now, 'another') };
  expect(await failing(forged)).toEqual(['login', false, '20000']);
  // A timestamp may be a number, as ccxt sends it.
  client.send({
    op: 'login',
    tag: 'in',
    data: { apiKey, timestamp: Number(now), signature: sign(now) },
  });
  expect(await client.answer('in')).toMatchObject({ event: 'login', success: true });
  expect(await client.login(key)).toMatchObject({ success: false, code: '20005' });
});

test('without rate limits logins may fail as often as they come', async () => {
  const client = await open();
  for (let tries = 0; tries < 8; tries++) client.send({ op: 'login', data: {} });
  const answer = await client.login(running.keyOf(0, 'read'));
  expect(answer).toMatchObject({ success: false, code: '20023' });
  await client.next(({ event, success }) => event === 'login' && success === true);
});

test('what cannot be read is refused by name, and the connection stays', async () => {
  const client = await open();
  const refused = async (text: string) => {
    client.send(text);
    const { code } = await client.next((message) => message.success === false);
    return code;
  };
  expect(await refused('{"op":')).toBe('20009');
  expect(await refused('[1,2]')).toBe('20009');
  expect(await refused(`"${'x'.repeat(5_000)}"`)).toBe('20027');
  expect(await refused('{"no":"op"}')).toBe('20003');
  expect(await refused('{"op":"subscribe","args":"depth"}')).toBe('20002');
  expect(await refused(`{"op":"login","tag":"${'t'.repeat(33)}"}`)).toBe('20034');
  client.socket.send(new Uint8Array([1, 2, 3]));
  const binary = await client.next((message) => message.success === false);
  expect(binary.code).toBe('20002');
  client.send('{"op":"placeorder","data":{"price":}}');
  expect(await client.next(({ event }) => event === 'placeorder')).toEqual({
    event: 'placeorder',
    submitted: false,
    message: 'JSON data format is invalid',
    code: '20009',
    timestamp: expect.any(String),
  });
  client.send('ping');
  expect(await client.next((message) => message === 'pong')).toBe('pong');
});

test('a frame that is far too long, or not a frame, ends the connection alone', async () => {
  const client = await open();
  const other = await open();
  client.send('x'.repeat(70_000));
  expect((await client.closing()).code).toBe(1009);
  other.send('ping');
  expect(await other.next((message) => message === 'pong')).toBe('pong');
});

test('a command needs a login, and a key that may trade', async () => {
  const client = await open();
  const command = { op: 'placeorder', data: { marketCode: 'BTC-USD-SWAP-LIN' } };
  expect(await client.ask(command, 'a')).toMatchObject({
    ...{ event: 'placeorder', submitted: false, code: '05001' },
    data: { marketCode: 'BTC-USD-SWAP-LIN' },
  });
  await client.login(running.keyOf(0, 'read'));
  expect(await client.ask(command, 'b')).toMatchObject({ submitted: false, code: '05001' });
});

test('other paths do not become streams, and the path of the stream is not a page', async () => {
  const { port } = running.venue;
  const other = new WebSocket(`ws://127.0.0.1:${port}/v3/time`);
  const error = await new Promise<Error>((resolve) => other.once('error', resolve));
  expect(error.message).toBe('Unexpected server response: 200');
  expect((await fetch(`http://127.0.0.1:${port}/v2/websocket`)).status).toBe(426);
});

test('what is too long to be parsed is answered with its operation and its tag', async () => {
  const client = await open();
  const long = 'x'.repeat(4_200);
  for (const [text, answer] of [
    [`{"op":"placeorders","tag":"b","dataArray":[{"tag":"c","pad":"${long}"}]}`, 'placeorder'],
    [`{"op":"subscribe","args":["${long}"],"tag":"b"}`, 'subscribe'],
  ]) {
    client.send(text as string);
    const message = 'Message is longer than the maximum';
    expect(await client.answer('b')).toMatchObject({
      ...{ event: answer, code: '20027', message: expect.stringContaining(message) },
    });
  }
});

test('an empty tag is echoed', async () => {
  const client = await open();
  client.send({ op: 'subscribe', tag: '', args: ['ticker:all'] });
  const answer = await client.next(({ event }) => event === 'subscribe');
  expect(answer).toMatchObject({ success: true, tag: '' });
});

test('an unknown operation is answered with its name and its tag as text', async () => {
  const client = await open();
  expect(await client.ask({ op: 'nothing' }, '7')).toEqual({
    event: 'nothing',
    success: false,
    tag: '7',
    message: 'Unrecognized operation: nothing',
    code: '20003',
    timestamp: expect.stringMatching(/^\d{13}$/),
  });
});

test('what is no channel is answered by itself, and the others are opened', async () => {
  const client = await open();
  const args = [null, 'x'.repeat(101), { a: 1 }, 'trade:BTC-USDT'];
  for (const op of ['subscribe', 'unsubscribe']) {
    client.send({ op, args, tag: op });
    for (const channel of ['null', `${'x'.repeat(57)}...`, '{"a":"1"}']) {
      expect(await client.answer(op)).toMatchObject({ success: false, code: '20001', channel });
    }
    expect(await client.answer(op)).toMatchObject({ success: true, channel: 'trade:BTC-USDT' });
  }
});

test('a handshake that fails is answered in JSON, like everything else', async () => {
  const { port } = running.venue;
  const head = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket'];
  const whole = [...head, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const answers = [
    ['GET', [...head, 'Sec-WebSocket-Version: 13'], 400, '20002'],
    ['GET', [...whole, 'Sec-WebSocket-Version: 7'], 400, '20002'],
    ['POST', [...whole, 'Sec-WebSocket-Version: 13'], 405, '20003'],
  ] as const;
  for (const [method, headers, status, code] of answers) {
    const text = await exchange(port, [`${method} /v2/websocket HTTP/1.1`, ...headers, '', '']);
    expect(text).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      success: false,
      code,
    });
  }
});

/** What the venue answers before it closes the connection. */
const exchange = (port: number, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(lines.join('\r\n')));
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
