import type { OperatorRole } from '../../domain/terms.ts';
import { edgeOverCore } from '../core-venue.fixture.ts';
import { createOperatorAuthenticator, type Operator } from '../http/authenticate-operator.ts';
import { mount } from '../http/mount.ts';
import { keys, operatorsOf, SECRET, signedHeaders } from '../venue.fixture.ts';
import { refusedActs } from './refused-acts.ts';
import { operatorRoutes } from './routes.ts';

const sealedSecret = new TextEncoder().encode(SECRET);
const operator = (name: string, ...roles: OperatorRole[]): Operator => ({
  name,
  accessKey: `op-${name}`,
  sealedSecret,
  roles,
  isDisabled: false,
});
const OPERATORS = [
  operator('local', 'admin'),
  operator('guest'),
  operator('eve', 'viewer'),
  operator('sue', 'support'),
  operator('tom', 'treasury'),
  operator('tim', 'treasury'),
  operator('rob', 'risk'),
];

export type Call = {
  readonly body?: object;
  readonly query?: string;
  readonly accessKey?: string;
  readonly secret?: string;
  readonly signedAtMs?: number;
};

/** The operator interface over the real core. */
export function operated(...given: Parameters<typeof edgeOverCore>) {
  const edge = edgeOverCore(...given);
  const { engine, core } = edge;
  const operators = operatorsOf(...OPERATORS);
  const rescans: string[] = [];
  const chain = {
    network: 'Ethereum',
    height: 100,
    isRescanning: false,
    holdings: [],
    unaskedAddresses: 0,
    hotWallet: '0xhot',
  };
  const parts = {
    ...{ engine, history: edge.history, keys, operators },
    chainStatus: () => [chain],
    rescan: (network: string, height: number) => {
      rescans.push(`${network} ${height}`);
      chain.isRescanning = true;
    },
  };
  const authenticate = createOperatorAuthenticator({
    operators,
    nowMs: () => core.nowMs,
    unseal: keys.unseal,
    toleranceMs: 60_000,
    hostAliases: [],
    boundHost: '127.0.0.1',
  });
  const settings = {
    authenticate,
    throttle: undefined,
    emptyUnauthorizedBodies: false,
    onFault: (error: unknown) => {
      throw error;
    },
    onRefusedAct: refusedActs(engine),
  };
  let nonce = 0;
  async function call(method: string, path: string, sent: Call = {}) {
    const full = `/operator/v1/${path}`;
    const found = operatorRoutes(parts).find(
      ({ endpoint }) => endpoint.method === method && endpoint.path === full,
    );
    if (found === undefined) throw new Error(`${method} ${full} has no route`);
    const { query = '', accessKey = 'op-local' } = sent;
    const body = sent.body === undefined ? '' : JSON.stringify(sent.body);
    const headers = signedHeaders({
      ...{ accessKey, method, path: full, query, body, secret: sent.secret ?? SECRET },
      timestamp: new Date(sent.signedAtMs ?? core.nowMs + ++nonce).toISOString(),
    });
    const raw = {
      method,
      path: full,
      query,
      body,
      headers,
      address: '',
      localAddress: '',
      requestId: '',
    };
    const served = await mount(found, settings).serve(raw);
    return { status: served.status, headers: served.headers, ...JSON.parse(served.body as string) };
  }
  const post = (path: string, body: object, more: Call = {}) =>
    call('POST', path, { body, ...more });
  return { ...edge, parts, call, post, rescans };
}
