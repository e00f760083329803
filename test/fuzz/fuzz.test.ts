import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { fuzz } from './fuzz.ts';
import { fuzzedVenue } from './venue.ts';

const NO_FAULT = {
  serverErrors: 0,
  dropped: 0,
  effects: 0,
  misshapen: 0,
  undeclared: 0,
  faults: [],
};

test('fuzzed requests: no fault of ours, none without an answer, no effect of what was refused', async () => {
  const target = await fuzzedVenue();
  try {
    const report = await fuzz(target, { seed: 7, count: 600 });
    expect(report).toMatchObject(NO_FAULT);
    // It is meaningful only if many requests were valid, and many were not.
    expect(report.accepted).toBeGreaterThan(120);
    expect(report.malformed).toBeGreaterThan(30);
    for (const status of ['200', '400', '401', '403', '404']) {
      expect(report.byStatus[status], status).toBeGreaterThan(5);
    }
  } finally {
    await target.stop();
  }
});

test('fuzzed requests of operators of every role: no fault, no effect of what was refused', async () => {
  const target = await fuzzedVenue();
  try {
    const report = await fuzz(target.operators, { seed: 2, count: 350 });
    expect(report).toMatchObject(NO_FAULT);
    expect(report.accepted).toBeGreaterThan(60);
    for (const status of ['200', '400', '401', '403', '404']) {
      expect(report.byStatus[status], status).toBeGreaterThan(5);
    }
  } finally {
    await target.stop();
  }
});

/** A server that does what ours must never do; returns what the fuzzer reports. */
async function planted(serve: (change: () => void) => RequestListener) {
  let state = 0;
  const server = createServer(serve(() => state++));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = {
    port: (server.address() as AddressInfo).port,
    endpoints: ENDPOINTS,
    keys: [{ accessKey: 'k', secret: 's' }],
    accountIds: ['30000'],
    state: async () => String(state),
    passTime: async () => undefined,
  };
  const report = await fuzz(target, { seed: 1, count: 80 });
  server.closeAllConnections();
  server.close();
  return report;
}

const refuse =
  (status: number): RequestListener =>
  (message, response) => {
    message.resume();
    const body = '{"success":false,"code":"20001","message":"no"}';
    response.writeHead(status, { 'X-Request-Id': '1', 'Content-Length': body.length });
    response.end(body);
  };

test('the fuzzer sees a 5xx, a dropped request, an effect of a refusal and a wrong shape', async () => {
  expect((await planted(() => refuse(500))).serverErrors).toBeGreaterThan(40);
  expect((await planted(() => (message) => message.socket.destroy())).dropped).toBeGreaterThan(40);
  const acting = await planted((change) => (message, response) => {
    change();
    refuse(400)(message, response);
  });
  expect(acting.effects).toBeGreaterThan(30);
  const shapeless = await planted(() => (message, response) => {
    message.resume();
    response.writeHead(200, { 'X-Request-Id': '1' }).end('{"success":true,"data":7}');
  });
  expect(shapeless.misshapen).toBeGreaterThan(30);
});
