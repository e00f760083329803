import { randomBytes, randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { KeyIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import { STREAM_PATH } from '../../wire/stream.ts';
import type { Authenticator } from '../http/authenticate.ts';
import type { UpgradeRequest } from '../http/http-connection.ts';
import { refused } from '../http/mount.ts';
import type { OnRefusedOrder } from '../http/observe.ts';
import { wholeBody } from '../http/printed-body.ts';
import { addressOf } from '../http/request-handler.ts';
import { subnetOf } from '../http/subnet.ts';
import { createThrottle } from '../http/throttle.ts';
import type { Turn } from '../http/turn.ts';
import type { MemberCheck } from '../request/strict-members.ts';
import { type StreamLimits, TokenBucket } from './limits.ts';
import { orderCommands } from './order-commands.ts';
import { shutdownNotice, welcome } from './replies.ts';
import { Session, type SessionParts, type Subscriptions } from './session.ts';
import { cutLargest, cutSlow } from './slow-consumer.ts';
import { GOING_AWAY, POLICY, streamSocket } from './socket.ts';

export type StreamOptions = {
  readonly turn: Turn;
  readonly engine: Engine;
  readonly authenticate: Authenticator;
  readonly limits: StreamLimits;
  /** How long a named command is remembered. */
  readonly rememberMs: number;
  readonly trustProxy: boolean;
  readonly checkMembers: MemberCheck;
  readonly onRefusedOrder?: OnRefusedOrder;
  readonly channels: StreamChannels;
  /** Milliseconds of a monotonic clock. */
  readonly steadyMs: () => number;
  /** Runs something periodically; returns a function that stops it. */
  readonly every: (periodMs: number, run: () => void) => () => void;
  readonly onFault: (error: unknown) => void;
};

/** Channels and their listeners. */
export type StreamChannels = Subscriptions & {
  /** The session is over. */
  leave(session: Session): void;
  close(): Promise<void>;
};

export type StreamCounts = {
  opened: number;
  received: number;
  cutIdle: number;
  cutSlow: number;
};

export type Stream = {
  readonly open: number;
  /** Keys with a connection whose end cancels their orders. */
  readonly guarded: readonly KeyIndex[];
  readonly counts: Readonly<StreamCounts>;
  /** Whether an upgrade request is for the stream. */
  isUpgraded(url: string): boolean;
  upgrade(request: UpgradeRequest, socket: Socket, rest: Buffer): void;
  /**
   * Notifies all clients and closes all connections; those with commands in flight get their answers first.
   */
  close(): Promise<void>;
};

const SWEEP_EVERY_MS = 1_000;

/** All connections of the stream: from the upgrade of an HTTP connection to their end. */
export function createStream(options: StreamOptions): Stream {
  const { turn, engine, limits, channels, steadyMs } = options;
  const sessions = new Set<Session>();
  const counts: StreamCounts = { opened: 0, received: 0, cutIdle: 0, cutSlow: 0 };
  let isClosing = false;
  const websockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameMaxBytes,
    perMessageDeflate: false,
    clientTracking: false,
    // By default the library agrees to the first one offered, and its messages are not those sent here.
    handleProtocols: () => false,
  });
  const { closeGraceMs } = limits;
  websockets.on('wsClientError', ({ message }: Error, socket: Socket, { method }: UpgradeRequest) =>
    refuseSocket(socket, method === 'GET' ? badHandshake(message) : wrongMethod, closeGraceMs),
  );
  const parts: SessionParts = {
    turn,
    limits,
    steadyMs,
    nowMs: () => engine.nowMs(),
    login: options.authenticate.login,
    commands: orderCommands(options),
    mayCommand: commandLimit(limits.commandsPerSecond, steadyMs),
    subscriptions: channels,
    onFault: options.onFault,
  };
  const ended = (session: Session): void => {
    sessions.delete(session);
    channels.leave(session);
    if (session.cancelsOnClose) cancelAll(options, session);
  };
  const mayConnect = connectionLimit(limits.connectionsPerMinute, steadyMs);
  const stopSweeping = options.every(SWEEP_EVERY_MS, () => sweep(options, sessions, counts));
  return {
    get open() {
      return sessions.size;
    },
    get guarded() {
      const keys = new Set<KeyIndex>();
      for (const { cancelsOnClose, caller } of sessions) {
        if (cancelsOnClose && caller !== undefined) keys.add(caller.key);
      }
      return [...keys];
    },
    counts,
    isUpgraded: (url) => url === STREAM_PATH || url.startsWith(`${STREAM_PATH}?`),
    upgrade(request, socket, rest) {
      const address = addressOf(request.headers, socket.remoteAddress ?? '', options.trustProxy);
      const refusal = isClosing ? closing() : mayConnect(address);
      if (refusal !== undefined) {
        refuseSocket(socket, refusal, closeGraceMs);
        return;
      }
      websockets.handleUpgrade(request, socket, rest, (websocket) => {
        const session = new Session(
          streamSocket(socket, websocket, { address, closeGraceMs, turn }),
          parts,
        );
        sessions.add(session);
        counts.opened++;
        websocket.on('message', (data: Buffer, isBinary: boolean) => {
          counts.received++;
          session.receive(isBinary ? undefined : data.toString());
        });
        const onSign = (): void => {
          session.lastActiveMs = steadyMs();
        };
        websocket.on('ping', onSign);
        // Unasked, it is a heartbeat in one direction (RFC 6455, 5.5.3).
        websocket.on('pong', onSign);
        // A broken frame closes the connection; the library's close frame has the reason.
        websocket.on('error', () => undefined);
        readBeforeEnd(session, websocket, socket);
        websocket.on('close', () => {
          session.readNow();
          ended(session);
        });
        session.reply(welcome(randomBytes(4).toString('hex'), engine.nowMs()));
      });
    },
    close: async () => {
      isClosing = true;
      stopSweeping();
      await Promise.all([...sessions].map((session) => endGently(session, options)));
      await channels.close();
    },
  };
}

/**
 * The websocket library answers a close frame, and the end of the socket, at once. What arrived before is read
 * and answered first.
 */
function readBeforeEnd(session: Session, websocket: WebSocket, socket: Socket): void {
  const readRest = (): void => {
    session.readNow();
    session.socket.flush();
  };
  const close = websocket.close.bind(websocket);
  websocket.close = (code, reason) => {
    readRest();
    close(code, reason);
  };
  socket.prependListener('end', readRest);
}

/** Reads nothing more; accepted commands are answered before the connection closes. */
async function endGently(session: Session, { engine, limits }: StreamOptions): Promise<void> {
  session.reply(shutdownNotice(engine.nowMs()));
  session.socket.pause();
  session.readNow();
  const late = new Promise<void>((resolve) => setTimeout(resolve, limits.closeGraceMs).unref());
  await Promise.race([session.finished(), late]);
  session.socket.resume();
  session.socket.close(GOING_AWAY, 'the venue closes');
}

/** Clients reconnect after a restart: at different seconds, so that they do not all come at once. */
const closing = (): string =>
  refusalText(
    '503 Service Unavailable',
    refuse('UNAVAILABLE', 'the venue closes'),
    `Retry-After: ${1 + randomInt(5)}`,
  );

/** Returns the answer to a connection above the limit; undefined while the address may connect. */
function connectionLimit(
  perMinute: number | undefined,
  steadyMs: () => number,
): (address: string) => string | undefined {
  if (perMinute === undefined) return () => undefined;
  const rule = { of: 'all', per: 'address', count: perMinute, perMs: 60_000 } as const;
  const throttle = createThrottle([rule], steadyMs);
  return (address) => {
    const verdict = throttle.take({ address: subnetOf(address) });
    if (verdict?.isAllowed !== false) return undefined;
    const waitSeconds = Math.ceil(verdict.waitMs / 1_000);
    const words = `at most ${perMinute} new stream connections a minute and address; wait ${waitSeconds} s`;
    return refusalText(
      '429 Too Many Requests',
      refuse('RATE_LIMITED', words),
      `Retry-After: ${waitSeconds}`,
    );
  };
}

/** An answer to an upgrade request; written here, because the HTTP parser has released the socket. */
function refusalText(status: string, refusal: Refusal, header: string): string {
  const body = wholeBody(refused(refusal, []).body);
  return [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    header,
    '',
    body,
  ].join('\r\n');
}

/**
 * Answers a socket that does not become a connection of the stream, and ends it. Nothing else watches it any more:
 * a peer that resets it must not end the program, and one that keeps it open must not keep its place.
 */
function refuseSocket(socket: Socket, text: string, graceMs: number): void {
  const destroy = (): void => void socket.destroy();
  const late = setTimeout(destroy, graceMs);
  socket.on('error', () => undefined).once('end', destroy);
  socket.once('close', () => clearTimeout(late));
  socket.resume();
  socket.end(text);
}

/** The library's own answers are HTML. */
const badHandshake = (words: string): string =>
  refusalText('400 Bad Request', refuse('REQUEST_UNEXPECTED', words), 'Sec-WebSocket-Version: 13');
const wrongMethod = refusalText('405 Method Not Allowed', refuse('METHOD_UNKNOWN'), 'Allow: GET');

/** Per key, over all its connections. */
function commandLimit(
  perSecond: number | undefined,
  steadyMs: () => number,
): (accessKey: string) => boolean {
  if (perSecond === undefined) return () => true;
  const bucketByKey = new Map<string, TokenBucket>();
  let sweptAtMs = 0;
  return (accessKey) => {
    const nowMs = steadyMs();
    if (nowMs - sweptAtMs > 10_000) {
      sweptAtMs = nowMs;
      for (const [key, bucket] of bucketByKey) if (bucket.isFull(nowMs)) bucketByKey.delete(key);
    }
    let bucket = bucketByKey.get(accessKey);
    if (bucket === undefined) {
      bucket = new TokenBucket(perSecond);
      bucketByKey.set(accessKey, bucket);
    }
    return bucket.take(nowMs);
  };
}

/** The account's orders are cancelled when the connection that requested it ends, for whatever reason. */
function cancelAll({ engine, onFault }: StreamOptions, { caller }: Session): void {
  if (caller === undefined) return;
  const by = { key: caller.key };
  engine.submit({ kind: 'cancel-all', by, afterDisconnect: true }).catch(onFault);
}

/** Closes connections that are idle, do not read, or whose key has expired or was revoked. */
function sweep(options: StreamOptions, sessions: Set<Session>, counts: StreamCounts): void {
  const { limits, engine } = options;
  const nowMs = options.steadyMs();
  for (const session of sessions) {
    const { socket, caller } = session;
    if (!socket.isOpen) continue;
    session.burst.sweep();
    if (session.isSentTo) session.lastActiveMs = nowMs;
    session.isSentTo = false;
    if (nowMs - session.lastActiveMs > limits.idleMs) {
      counts.cutIdle++;
      session.end(
        GOING_AWAY,
        refuse('REQUEST_TOO_SLOW', `nothing was sent or received for ${limits.idleMs} ms`),
      );
    } else if (caller !== undefined && hasEnded(engine, caller.accessKey)) {
      session.end(POLICY, refuse('KEY_UNKNOWN', 'the key has expired or was revoked'));
    } else if (session.isSlow) {
      counts.cutSlow++;
      cutSlow(session, limits.unreadMaxBytes);
    }
  }
  counts.cutSlow += cutLargest(sessions, limits.unreadTotalMaxBytes);
}

function hasEnded(engine: Engine, accessKey: string): boolean {
  const entry = engine.directory.keyByAccess(accessKey);
  if (entry === undefined || entry.isRevoked) return true;
  return entry.expiresAtMs !== undefined && engine.nowMs() > entry.expiresAtMs;
}
