import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { advance, newCursors } from './engine/cursors.ts';
import type { OpenEngine } from './engine/start.ts';
import type { OperatorRelay } from './operator-relay.ts';
import { openOperatorListener, openTraderListener } from './standby-listener.ts';

const [host, data] = ['127.0.0.1', tmpdir()];

type Pass = OperatorRelay['pass'];
const nobody: Pass = async () => ({ none: 'no leader is known yet' });

async function standing(leader: ReturnType<OpenEngine['leader']>, pass = nobody) {
  const cursors = newCursors();
  advance(cursors, 'journal', 7);
  const engine = { cursors, leader: () => leader } as unknown as OpenEngine;
  const traders = await openTraderListener({ engine, host, port: 0 });
  const relay = { pass };
  const operators = await openOperatorListener({
    engine,
    host,
    port: 0,
    data,
    venueId: 'v',
    relay,
  });
  const ask = async (path: string, at = operators.port) => {
    const response = await fetch(`http://${host}:${at}${path}`);
    const { status, headers } = response;
    return { status, text: await response.text(), leader: headers.get('X-Rialto-Leader') };
  };
  const close = async (): Promise<void> => {
    for (const sign of [traders, operators]) await sign.close();
  };
  const askAsTrader = (path: string) => ask(path, traders.port);
  return { ask, askAsTrader, traderPort: traders.port, close };
}

const ONE = { node: 'engine-1', url: 'http://one', writer: 'w1' };

test('a standby sends traders to the leader, and says why it cannot pass on what operators ask', async () => {
  const pass: Pass = async () => ({ none: 'the leader has not answered' });
  const { ask, askAsTrader, close } = await standing(ONE, pass);
  const trader = await askAsTrader('/v3/markets');
  expect(trader).toMatchObject({ status: 503, leader: 'http://one' });
  expect(trader.text).toContain('this node is a standby: engine-1 leads at http://one');
  const operator = await ask('/operator/v1/overview');
  expect(operator.status).toBe(503);
  expect(operator.text).toContain(
    "engine-1 leads: the leader has not answered; a gateway's management listener serves, too",
  );
  await close();
});

test('a standby lives, is not ready, and is measured', async () => {
  const { ask, close } = await standing(undefined);
  const health = await ask('/health');
  expect([health.status, JSON.parse(health.text)]).toEqual([
    200,
    { status: 'standby', venueId: 'v', sequence: 7 },
  ]);
  const ready = await ask('/ready');
  expect(ready.status).toBe(503);
  expect(JSON.parse(ready.text)).toEqual({
    ready: false,
    reasons: ['this node is a standby: no leader is known yet'],
  });
  const metrics = await ask('/metrics?x=1');
  expect(metrics.status).toBe(200);
  for (const line of ['rialto_cluster_role{role="standby"} 1', 'rialto_engine_sequence 7']) {
    expect(metrics.text).toContain(line);
  }
  expect(metrics.text).toContain('rialto_build_info');
  await close();
});

test('strangers who only connect to a standby use up a bounded number of descriptors', async () => {
  const { traderPort, askAsTrader, close } = await standing(ONE);
  const sockets = Array.from({ length: 256 }, () => connect(traderPort, host));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // It comes after all of them, and is closed without an answer.
  await expect(askAsTrader('/v3/markets')).rejects.toThrow();
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(() => askAsTrader('/v3/markets').catch(() => undefined), { timeout: 20_000 })
    .toMatchObject({ status: 503 });
  await close();
});
