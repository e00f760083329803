import { type CoreVenue, START_MS, venueWith } from '../../test/support/core-venue.ts';
import { signatureOf } from '../core/memory/requests.ts';
import { directoryOf, view } from '../core/views/views.ts';
import type { Command } from '../domain/commands.ts';
import type { Outcome } from '../domain/events.ts';
import { sequence, timeMs } from '../domain/units.ts';
import { manualClock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { fakeHistory } from './fake-history.fixture.ts';
import { createAuthenticator } from './http/authenticate.ts';
import { mount } from './http/mount.ts';
import { wholeBody } from './http/printed-body.ts';
import { secondFactors } from './request/second-factors.ts';
import { ignoreUnknown, type MemberCheck } from './request/strict-members.ts';
import { routes } from './server.ts';
import { accessParts, SECRET, signedHeaders } from './venue.fixture.ts';

/**
 * The edge over the real core without a disk in between: for tests of what orders, books and matches look
 * like from outside, which need no separate process.
 */
export function edgeOverCore(
  core: CoreVenue = venueWith(FUNDS),
  checkMembers: MemberCheck = ignoreUnknown,
) {
  const submitted: Command[] = [];
  const outcomeByFingerprint = new Map<string, Outcome>();
  const engine: Engine = {
    directory: directoryOf(core.state),
    releasedSequence: 0,
    nowMs: () => core.nowMs,
    nextStepAtMs: () => undefined,
    isIdle: () => false,
    indexPrices: () => view(core.state, 'indexPrices', {}),
    refreshed: () => Promise.resolve(),
    status: () => ({
      sequence: 0,
      releasedSequence: 0,
      digest: '',
      waiting: 0,
      isStopped: false,
      clock: manualClock(core.nowMs).reading(),
      disk: { freeBytes: undefined, refusing: undefined },
    }),
    submit: async (command) => {
      const fingerprint = signatureOf(command)?.fingerprint;
      const first = outcomeByFingerprint.get(fingerprint ?? '');
      if (first !== undefined) return { outcome: first, isRepeat: true };
      submitted.push(command);
      const events = core.apply(command);
      const outcome = { sequence: sequence(1), timeMs: timeMs(core.nowMs), events };
      if (fingerprint !== undefined) outcomeByFingerprint.set(fingerprint, outcome);
      return { outcome, isRepeat: false };
    },
    view: async (name, query) => view(core.state, name, query),
  };
  const history = fakeHistory();
  const later: { readonly atMs: number; readonly call: () => void }[] = [];
  /** By network: the height up to which its blocks are read. */
  const heights = new Map<string, number>();
  const parts = {
    checkMembers,
    readHeight: (network: string) => heights.get(network),
    access: accessParts(() => core.nowMs),
    depositAddress: (network: string, account: number) => ({ address: `${network} ${account}` }),
    factors: secondFactors({
      engine,
      unseal: (sealed) => {
        if (sealed.length === 0) throw new Error('sealed with another master key');
        return sealed;
      },
      after: (delayMs, call) => void later.push({ atMs: core.nowMs + delayMs, call }),
    }),
  };
  const served = routes(engine, history, parts);
  let nonce = 0;

  /** Signed for the main account of a family, by the key that may trade. */
  async function ask(family: string, method: string, path: string, sent: Sent = {}) {
    const found = served.find(
      ({ endpoint }) => endpoint.method === method && endpoint.path === path,
    );
    if (found === undefined) throw new Error(`${method} ${path} has no route`);
    const authenticate = createAuthenticator({
      directory: engine.directory,
      nowMs: () => core.nowMs,
      unseal: () => new TextEncoder().encode(sent.secret ?? SECRET),
      toleranceMs: 60_000,
      hostAliases: [],
      trustProxy: false,
    });
    const onFault = (error: unknown) => {
      throw error;
    };
    const settings = { authenticate, throttle: undefined, emptyUnauthorizedBodies: false, onFault };
    const query = sent.query ?? '';
    const body = typeof sent.body === 'object' ? JSON.stringify(sent.body) : (sent.body ?? '');
    const accessKey = sent.accessKey ?? `${family}/${sent.key ?? 'main/read+trade'}`;
    // Another millisecond each time, or equal requests would have equal signatures.
    const timestamp = new Date(sent.signedAtMs ?? core.nowMs + ++nonce);
    const headers = signedHeaders({
      ...{ accessKey, method, path, query, body, secret: sent.secret ?? SECRET },
      timestamp: timestamp.toISOString(),
    });
    const raw = {
      method,
      path,
      query,
      body,
      headers,
      address: sent.address ?? '',
      localAddress: '',
      requestId: '',
    };
    const response = await mount(found, settings).serve(raw);
    return {
      status: response.status,
      headers: response.headers,
      ...JSON.parse(wholeBody(response.body)),
    };
  }
  const place = (orders: readonly object[], changes: object = {}, family = 'alice') =>
    ask(family, 'POST', '/v3/orders/place', { body: { ...changes, orders } });
  return { core, engine, history, heights, submitted, later, ask, place };
}

export type Sent = {
  /** The account and the permissions of the key; `main/read+trade` unless given. */
  readonly key?: string;
  /** Instead of the key above, one that was created meanwhile. */
  readonly accessKey?: string;
  readonly secret?: string;
  readonly address?: string;
  readonly query?: string;
  readonly body?: object | string;
  /** Given twice with the same body, it makes the same signature. */
  readonly signedAtMs?: number;
};

export const CORE_NOW_MS = START_MS;
const RICH = { USDT: '1000000', BTC: '100', ETH: '1000', OX: '100000000' };
const FUNDS = { alice: { main: RICH, desk: RICH }, bob: { main: RICH } };
