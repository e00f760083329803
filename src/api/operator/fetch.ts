import { OPERATOR_ROLES } from '../../domain/terms.ts';
import { mount } from '../http/mount.ts';
import type { Pieces } from '../http/printed-body.ts';
import type { SignedHead } from '../http/signature.ts';
import { refusedActs } from './refused-acts.ts';
import { type OperatorParts, operatorRoutes } from './routes.ts';

/**
 * The operator interface without a socket, for the command line on a stopped venue: the same routes, checks
 * and responses. Requests are not signed; `actor` names who issues them.
 */
export function operatorFetch(parts: OperatorParts, actor: string): typeof fetch {
  const settings = {
    authenticate: {
      identify: (head: SignedHead) => ({ ...NOBODY, head }),
      prove: () => ({ actor, roles: OPERATOR_ROLES, coversQuery: true }),
    },
    throttle: undefined,
    emptyUnauthorizedBodies: false,
    onFault: (error: unknown) => {
      throw error;
    },
    onRefusedAct: refusedActs(parts.engine),
  };
  const mounted = operatorRoutes(parts).map((route) => mount(route, settings));
  return async (input, init = {}) => {
    const { pathname: path, search } = new URL(String(input));
    const method = init.method ?? 'GET';
    const found = mounted.find(
      (one) => one.endpoint.method === method && one.endpoint.path === path,
    );
    if (found === undefined) throw new Error(`${method} ${path} has no route`);
    const body = typeof init.body === 'string' ? init.body : '';
    const raw = {
      method,
      path,
      query: search.slice(1),
      body,
      headers: {},
      address: '',
      localAddress: '',
      requestId: '',
    };
    const { status, body: answer, headers } = await found.serve(raw);
    const pairs = headers.flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [],
    );
    return new Response(typeof answer === 'string' ? answer : wholeText(answer), {
      status,
      headers: pairs,
    });
  };
}

/** In place of a signature, and not checked. */
const NOBODY = {
  entry: { accessKey: '', sealedSecret: new Uint8Array() },
  nowMs: 0,
  signedAtMs: 0,
  signed: { accessKey: '', timestamp: '', nonce: '', signature: '' },
};

function wholeText(pieces: Pieces): string {
  let text = '';
  for (let piece = pieces.next(); piece !== undefined; piece = pieces.next()) text += piece;
  return text;
}
