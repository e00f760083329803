import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { advance, newCursors } from './engine/cursors.ts';
import type { OpenEngine } from './engine/start.ts';
import { openOperatorsSign, openTradersSign } from './standby-sign.ts';

const [host, data] = ['127.0.0.1', tmpdir()];

async function standing(leader: ReturnType<OpenEngine['leader']>) {
  const cursors = newCursors();
  advance(cursors, 'journal', 7);
  const engine = { cursors, leader: () => leader } as unknown as OpenEngine;
  const traders = await openTradersSign({ engine, host, port: 0 });
  const operators = await openOperatorsSign({ engine, host, port: 0, data, venueId: 'v' });
  const ask = async (path: string, at = operators.port) => {
    const response = await fetch(`http://${host}:${at}${path}`);
    const { status, headers } = response;
    return { status, text: await response.text(), leader: headers.get('X-Rialto-Leader') };
  };
  const close = async (): Promise<void> => {
    for (const sign of [traders, operators]) await sign.close();
  };
  return { ask, askAsTrader: (path: string) => ask(path, traders.port), close };
}

test('a standby sends traders to the leader, and operators to a node that serves them', async () => {
  const { ask, askAsTrader, close } = await standing({ node: 'engine-1', url: 'http://one' });
  const trader = await askAsTrader('/v3/markets');
  expect(trader).toMatchObject({ status: 503, leader: 'http://one' });
  expect(trader.text).toContain('this node is a standby: engine-1 leads at http://one');
  const operator = await ask('/operator/v1/overview');
  expect(operator.status).toBe(503);
  expect(operator.text).toContain(
    'engine-1 leads: operators use its management listener, or that of a gateway',
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
