import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { type Body, declaredBytes, readBody } from './body.ts';
import type { Connections, Exchange } from './connections.ts';
import { type Admitted, type Mounted, refused, type Served } from './mount.ts';
import type { Tally } from './observe.ts';
import type { Page } from './pages.ts';
import { respond } from './respond.ts';
import type { Router } from './router.ts';

/** What a path leads to, with the tally of what it has served. */
export type Target = (Mounted | Page) & { readonly tally: Tally };

export type RequestHandler = (
  message: IncomingMessage,
  response: ServerResponse,
  /** Tells a sender that waits for it that the body is wanted. */
  askForBody?: () => void,
) => void;

export type HandlerOptions = {
  readonly router: Router<Target>;
  /** Counts what no target was found for. */
  readonly unrouted: Tally;
  readonly connections: Connections;
  readonly nextRequestId: () => string;
  readonly trustProxy: boolean;
  readonly isClosing: () => boolean;
  readonly log: Logger;
};

/** HTTP in, a target of the router, HTTP out: path, then the target's admission, then the body. */
export function requestHandler(options: HandlerOptions): RequestHandler {
  const { connections, router, unrouted, nextRequestId, log } = options;
  return (message, response, askForBody) => {
    const startedMs = performance.now();
    const requestId = nextRequestId();
    const method = message.method ?? '';
    const { path, query } = splitUrl(message.url ?? '');
    const found = router.find(method, path);
    const tally = 'target' in found ? found.target.tally : unrouted;
    const finisher =
      (exchange?: Exchange): Finish =>
      (served) => {
        const isLast = options.isClosing() || served.isLast === true;
        respond({ response, exchange, connections, served, requestId, isLast });
        tally.add(served.status, (performance.now() - startedMs) / 1_000);
        if (log.isLevelEnabled('debug')) {
          log.debug({ requestId, method, path, status: served.status }, 'served');
        }
      };
    const serve = (exchange: Exchange): void => {
      const finish = finisher(exchange);
      const hostFault = checkHost(message);
      if (hostFault !== undefined) finish({ ...refused(hostFault, []), isLast: true });
      else if ('refusal' in found) {
        finish(refused(found.refusal, found.allow === undefined ? [] : ['Allow', found.allow]));
      } else if ('endpoint' in found.target) {
        const address = addressOf(message, options.trustProxy);
        const localAddress = message.socket.localAddress ?? '';
        const { headers } = message;
        const head = { method, path, query, headers, address, localAddress, requestId };
        serveEndpoint(found.target, { head, message, connections, askForBody, finish });
      } else settle(found.target.serve(), finish);
    };
    if (connections.enter(message, response, serve)) return;
    const { runningMax, waitingMax } = connections.limits;
    finisher()(
      refused(refuse('TOO_MANY_IN_FLIGHT', `at most ${runningMax + waitingMax} at a time`), []),
    );
  };
}

type Finish = (served: Served) => void;

type Serving = {
  readonly head: Parameters<Mounted['admit']>[0];
  readonly message: IncomingMessage;
  readonly connections: Connections;
  readonly askForBody: (() => void) | undefined;
  readonly finish: Finish;
};

/** The body is asked for and read only when the head was admitted, and only as far as it may go. */
function serveEndpoint(target: Mounted, serving: Serving): void {
  const { head, message, connections, askForBody, finish } = serving;
  const limitBytes = target.bodyLimitBytes;
  const declared = declaredBytes(message);
  if (declared > limitBytes) {
    finish(refused(tooLarge(limitBytes, declared), []));
    return;
  }
  const admitted = target.admit(head);
  if (typeof admitted !== 'function') {
    finish(admitted);
    return;
  }
  askForBody?.();
  readBody(message, { limitBytes, room: connections.unfinished }, (body) => {
    const refusal = bodyRefusal(body, limitBytes, connections);
    if (refusal !== undefined) finish({ ...refused(refusal, []), isLast: true });
    else if ('text' in body) settle(proceed(admitted, body.text), finish);
  });
}

const proceed = (admitted: Admitted, body: string): Served | Promise<Served> => admitted(body);

function bodyRefusal(body: Body, limitBytes: number, { counts }: Connections): Refusal | undefined {
  if ('text' in body) return undefined;
  if (body.refused === 'too large') return tooLarge(limitBytes);
  counts.noRoomForBody++;
  return refuse('BUSY', 'too many requests are still arriving; nothing of this one was read');
}

function tooLarge(limitBytes: number, declared?: number): Refusal {
  const sent = declared === undefined ? '' : `${declared} bytes, `;
  return refuse('BODY_TOO_LARGE', `${sent}at most ${limitBytes} bytes`);
}

function settle(served: Served | Promise<Served>, finish: Finish): void {
  if (served instanceof Promise) {
    served.then(finish, () => finish(refused(refuse('INTERNAL'), [])));
  } else finish(served);
}

/** One Host, as HTTP asks for: of two, a proxy and we might each believe another. */
function checkHost(message: IncomingMessage): Refusal | undefined {
  const { rawHeaders, httpVersion } = message;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return refuse('REQUEST_UNEXPECTED', hosts === 0 ? 'no Host header' : `${hosts} Host headers`);
}

function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** Behind a trusted proxy its own addition counts: the last one, the others anybody can write. */
function addressOf(message: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? message.headers['x-forwarded-for'] : undefined;
  const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined;
  const address = last ?? message.socket.remoteAddress ?? '';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
