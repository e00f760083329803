import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { cursorAt } from './engine/cursors.ts';
import type { OpenEngine } from './engine/start.ts';
import { observeProgram, observeStandby } from './observe-program.ts';
import { type OperatorRelay, RELAYED_BYTES_MAX, type RelayedResponse } from './operator-relay.ts';

/** A listener of a standby, until this node leads. */
export type StandbyListener = { readonly port: number; close(): Promise<void> };

type ListenerOptions = {
  readonly engine: OpenEngine;
  readonly host: string;
  readonly port: number;
};

type Answer = {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly leaderUrl?: string | undefined;
  /** Of the leader, passed on as it is. */
  readonly relayed?: RelayedResponse;
};

/** Where the venue will listen for traders: tells them who leads. */
export const openTraderListener = (options: ListenerOptions): Promise<StandbyListener> =>
  openListener(options, async () => refusal(options.engine, (url) => ` at ${url}`));

/**
 * Where it will listen for operators. The process lives and can be measured like that of any node; everything else is passed on to the
 * leader.
 */
export function openOperatorListener(
  options: ListenerOptions & {
    readonly data: string;
    readonly venueId: string;
    readonly relay: Pick<OperatorRelay, 'pass'>;
  },
): Promise<StandbyListener> {
  const { engine, data, venueId, relay } = options;
  const metrics = new Registry();
  const sequence = (): number => cursorAt(engine.cursors, 'journal');
  observeProgram(metrics, data);
  observeStandby(metrics, sequence);
  return openListener(options, async (path, request) => {
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
    const body = await bodyOf(request);
    if (body === undefined) return tooLong();
    const { method = 'GET', url = '/', rawHeaders: headers } = request;
    const relayed = await relay.pass({ method, path: url, headers, body });
    if ('status' in relayed) return { status: relayed.status, body: '', relayed };
    return refusal(engine, () => `: ${relayed.none}; a gateway's management listener serves, too`);
  });
}

/** Undefined if it is longer than what can be passed on. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > RELAYED_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function tooLong(): Answer {
  const message = `a standby passes on bodies up to ${RELAYED_BYTES_MAX} bytes`;
  return { status: 413, body: JSON.stringify({ success: false, code: '000101', message }) };
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

/**
 * Every answer ends its connection, so few are open at a time. Strangers must not use up the descriptors of a node
 * that may have to open a journal in the next second.
 */
const CONNECTIONS_MAX = 256;
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};

async function openListener(
  { host, port }: ListenerOptions,
  answer: (path: string, request: IncomingMessage) => Promise<Answer>,
): Promise<StandbyListener> {
  const server = createServer(PATIENCE, (request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const isHead = request.method === 'HEAD';
    answer(path, request)
      .then((result) => {
        request.resume();
        send(response, result, isHead);
      })
      .catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

function send(
  response: ServerResponse,
  { status, body, type = 'application/json', leaderUrl, relayed }: Answer,
  isHead: boolean,
): void {
  if (relayed !== undefined) {
    response.writeHead(status, [...relayed.headers, 'Connection', 'close']);
    response.end(relayed.body);
    return;
  }
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
