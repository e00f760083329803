import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Body } from './body.ts';
import type { Connections } from './connections.ts';
import type { Cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import type { Fields, Head } from './head.ts';
import { type Mounted, refused } from './mount.ts';
import type { Tally } from './observe.ts';
import type { Page, PageServed } from './page.ts';
import { outputOf } from './respond.ts';
import type { Router } from './router.ts';
import type { Turn } from './turn.ts';

/** The target of a path, with its tally. */
export type Target = (Mounted | Page) & { readonly tally: Tally };

export type HandlerOptions = {
  readonly router: Router<Target>;
  /** Counts requests without a matching target. */
  readonly unrouted: Tally;
  readonly connections: Connections;
  readonly turn: Turn;
  readonly nextRequestId: () => string;
  readonly trustProxy: boolean;
  /** Pages of other sites that may call; none if absent. */
  readonly cors?: Cors | undefined;
  readonly isClosing: () => boolean;
  /** For the Date header. */
  readonly dateText: () => string;
  readonly log: Logger;
};

export type RequestHandler = {
  serve(exchange: Exchange): void;
  /** For requests that arrive when too many wait already. */
  turnAway(exchange: Exchange): void;
};

/** HTTP in, a target of the router, HTTP out: path, then the target's admission, then the body. */
export function requestHandler(options: HandlerOptions): RequestHandler {
  const { connections, turn, router, unrouted, nextRequestId, log, cors } = options;

  const finisher = (exchange: Exchange, tally: Tally, requestId: string, path: string): Finish => {
    const startedMs = performance.now();
    return (answer) => {
      const { head, connection } = exchange;
      const origin = cors === undefined ? undefined : head.headers['origin'];
      const served = origin === undefined ? answer : (cors?.allow(origin, answer) ?? answer);
      const isLast =
        served.isLast === true ||
        !head.keepsAlive ||
        // A client that waits for 100 Continue has been refused.
        (head.expectsContinue && !exchange.isWhole) ||
        connection.endsWith(exchange, options.isClosing());
      const date = options.dateText();
      connection.respond(exchange, outputOf({ head, served, requestId, isLast, date }));
      tally.add(served.status, (performance.now() - startedMs) / 1_000);
      if (served.rejected !== undefined) tally.addRefusal(served.rejected);
      if (log.isLevelEnabled('debug')) {
        log.debug({ requestId, method: head.method, path, status: served.status }, 'served');
      }
    };
  };

  return {
    serve(exchange) {
      const { head } = exchange;
      const { path, query } = splitUrl(head.target);
      const found = router.find(head.method, path);
      const requestId = nextRequestId();
      const tally = 'target' in found ? found.target.tally : unrouted;
      const finish = finisher(exchange, tally, requestId, path);
      const hostFault = checkHost(head);
      if (hostFault !== undefined) finish({ ...refused(hostFault, []), isLast: true });
      else if ('refusal' in found) {
        // No path accepts OPTIONS, so only a refused request can be a preflight.
        const preflight = cors?.preflight(head);
        if (preflight !== undefined) finish(preflight);
        else
          finish(refused(found.refusal, found.allow === undefined ? [] : ['Allow', found.allow]));
      } else if ('endpoint' in found.target) {
        const { method, headers } = head;
        const { localAddress } = exchange.connection;
        const { remoteAddress } = exchange.connection;
        const address = addressOf(headers, remoteAddress, options.trustProxy);
        const request = { method, path, query, headers, address, localAddress, requestId };
        serveEndpoint(found.target, { request, exchange, connections, turn, finish });
      } else settle(found.target.serve({ path, headers: head.headers }), finish);
    },
    turnAway(exchange) {
      const { path } = splitUrl(exchange.head.target);
      const { runningMax, waitingMax } = connections.limits;
      const found = router.find(exchange.head.method, path);
      const tally = 'target' in found ? found.target.tally : unrouted;
      finisher(
        exchange,
        tally,
        nextRequestId(),
        path,
      )(refused(refuse('TOO_MANY_IN_FLIGHT', `at most ${runningMax + waitingMax} at a time`), []));
    },
  };
}

type Finish = (served: PageServed) => void;

type Serving = {
  readonly request: Parameters<Mounted['admit']>[0];
  readonly exchange: Exchange;
  readonly connections: Connections;
  readonly turn: Turn;
  readonly finish: Finish;
};

/** The body is requested and read only if the head was admitted, and only up to its limit. */
function serveEndpoint(target: Mounted, serving: Serving): void {
  const { request, exchange, connections, turn, finish } = serving;
  const limitBytes = target.bodyLimitBytes;
  const declared = exchange.declaredBytes;
  if (declared > limitBytes) {
    finish(refused(tooLarge(limitBytes, declared), []));
    return;
  }
  const admitted = target.admit(request);
  if (typeof admitted !== 'function') {
    finish(admitted);
    return;
  }
  exchange.readBody({ limitBytes, room: connections.unfinished }, (body) => {
    if ('text' in body) {
      const proved = admitted(body.text);
      if (typeof proved === 'function') turn.handle(() => settle(proved(), finish));
      else settle(proved, finish);
    } else {
      const refusal = bodyRefusal(body, limitBytes, connections);
      finish({ ...refused(refusal, []), isLast: body.refused !== 'not UTF-8' });
    }
  });
}

function bodyRefusal(
  { refused: reason }: Extract<Body, { readonly refused: string }>,
  limitBytes: number,
  { counts }: Connections,
): Refusal {
  if (reason === 'too large') return tooLarge(limitBytes);
  if (reason === 'not UTF-8') return refuse('JSON_INVALID', 'the body is not UTF-8');
  counts.noRoomForBody++;
  return refuse('BUSY', 'too many requests are still arriving; nothing of this one was read');
}

function tooLarge(limitBytes: number, declared?: number): Refusal {
  const sent = declared === undefined ? '' : `${declared} bytes, `;
  return refuse('BODY_TOO_LARGE', `${sent}at most ${limitBytes} bytes`);
}

function settle(served: PageServed | Promise<PageServed>, finish: Finish): void {
  if (served instanceof Promise) {
    served.then(finish, () => finish(refused(refuse('INTERNAL'), [])));
  } else finish(served);
}

/** One Host, as HTTP requires: of two, a proxy and we might each use another. */
function checkHost({ hosts, minorVersion }: Head): Refusal | undefined {
  if (hosts === 1 || (hosts === 0 && minorVersion === 0)) return undefined;
  return refuse('REQUEST_UNEXPECTED', hosts === 0 ? 'no Host header' : `${hosts} Host headers`);
}

function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/**
 * Behind a trusted proxy the address it added counts, which is the last one; clients can write the others.
 */
export function addressOf(headers: Fields, remoteAddress: string, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined;
  const address = forwarded?.split(',').at(-1)?.trim() ?? remoteAddress;
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
