import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { cursorAt } from './engine/cursors.ts';
import type { OpenEngine } from './engine/start.ts';
import { observeProgram, observeStandby } from './observe-program.ts';

/** A listener of a standby, until this node leads. */
export type Sign = { readonly port: number; close(): Promise<void> };

type SignOptions = {
  readonly engine: OpenEngine;
  readonly host: string;
  readonly port: number;
};

type Answer = {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly leaderUrl?: string | undefined;
};

/** Where the venue will listen for traders: tells them who leads. */
export const openTradersSign = (options: SignOptions): Promise<Sign> =>
  openSign(options, async () => refusal(options.engine, (url) => ` at ${url}`));

/**
 * Where it will listen for operators. The process lives and can be measured like that of any node; everything else is asked of a node
 * that serves.
 */
export function openOperatorsSign(
  options: SignOptions & { readonly data: string; readonly venueId: string },
): Promise<Sign> {
  const { engine, data, venueId } = options;
  const metrics = new Registry();
  const sequence = (): number => cursorAt(engine.cursors, 'journal');
  observeProgram(metrics, data);
  observeStandby(metrics, sequence);
  return openSign(options, async (path) => {
    if (path === '/health') {
      const about = { status: 'standby', venueId, sequence: sequence() };
      return { status: 200, body: JSON.stringify(about) };
    }
    if (path === '/ready') {
      return { status: 503, body: JSON.stringify({ ready: false, reasons: [wordsOn(engine)] }) };
    }
    if (path === '/metrics') {
      return { status: 200, body: await metrics.metrics(), type: metrics.contentType };
    }
    return refusal(engine, () => ': operators use its management listener, or that of a gateway');
  });
}

const wordsOn = (engine: OpenEngine): string => {
  const leader = engine.leader();
  return `this node is a standby: ${leader?.url === undefined ? 'no leader is known yet' : `${leader.node} leads`}`;
};

function refusal(engine: OpenEngine, more: (url: string) => string): Answer {
  const leaderUrl = engine.leader()?.url;
  const message = `${wordsOn(engine)}${leaderUrl === undefined ? '' : more(leaderUrl)}`;
  const body = JSON.stringify({ success: false, code: '000101', message });
  return { status: 503, body, leaderUrl };
}

async function openSign(
  { host, port }: SignOptions,
  answer: (path: string) => Promise<Answer>,
): Promise<Sign> {
  const server = createServer((request, response) => {
    request.resume();
    const path = (request.url ?? '').replace(/\?.*/, '');
    const isHead = request.method === 'HEAD';
    answer(path).then(
      (said) => send(response, said, isHead),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

function send(
  response: ServerResponse,
  { status, body, type = 'application/json', leaderUrl }: Answer,
  isHead: boolean,
): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
    ...(leaderUrl === undefined ? {} : { 'X-Rialto-Leader': leaderUrl }),
    Connection: 'close',
  });
  response.end(isHead ? undefined : body);
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
