import type { Static, TSchema } from 'typebox';
import { isRefusal, type Refusal, type Rejection, refuse } from '../../domain/rejections.ts';
import { EngineStopped } from '../../engine/engine.ts';
import { HistoryFailed, HistoryRefused } from '../../history/history.ts';
import {
  ACCESS_NEEDS,
  type Access,
  BODY_BYTES,
  type Endpoint,
  type ObjectSchema,
} from '../../wire/endpoint.ts';
import { failureText, HTTP_STATUS } from '../../wire/errors.ts';
import type { Caller } from './authenticate.ts';
import type { OperatorCaller } from './authenticate-operator.ts';
import { type JsonText, type Pieces, Rows, rowsText, successText } from './printed-body.ts';
import { readRequest, type Validate, validator } from './read-request.ts';
import type { Claimant, Credential, SignedHead } from './signature.ts';
import { subnetOf } from './subnet.ts';
import { stricter, type Throttle, type Verdict } from './throttle.ts';

/**
 * Endpoint + handler -> headers, key, time, throttle; then, with the body: signature, JSON, schema, handle,
 * envelope. Cheap checks come before the body is read.
 *
 * It knows no HTTP library: a request is plain data and so is the response. Nothing is awaited before the
 * handler runs, so a request that needs no waiting is served within one turn (turn.ts).
 */
export type RequestHead = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  /** Our end of the connection. */
  readonly localAddress: string;
  readonly requestId: string;
};
export type RawRequest = RequestHead & { readonly body: string };

/** `headers` alternate name and value, the form in which node:http writes them fastest. */
export type Served = {
  readonly status: number;
  readonly body: string | Pieces;
  readonly headers: readonly string[];
  /** The connection closes after it. */
  readonly isLast?: boolean;
  /** Why the request was refused. */
  readonly rejected?: Rejection;
};

type RowsOf<Data> = Data extends readonly (infer Row)[] ? Rows<Row> : never;

/** The result of a handler: the data of the envelope, with its siblings if any, or a refusal. */
export type HandlerResult<Data> =
  | {
      readonly data: Data | RowsOf<Data> | JsonText;
      readonly extra?: Readonly<Record<string, string>>;
      readonly isRepeat?: boolean;
    }
  | (Refusal & { readonly isRepeat?: boolean });

/** A public endpoint has no caller; any other has one. */
type CallerOf<Who extends Access> = Who extends 'public'
  ? undefined
  : Who extends 'operator' | 'sandbox'
    ? OperatorCaller
    : Caller;
type Handler<Request, Data, Who extends Access> = (call: {
  readonly request: Request;
  readonly caller: CallerOf<Who>;
  /** The client's address, and the Host it named. */
  readonly address: string;
  readonly host: string;
}) => HandlerResult<Data> | Promise<HandlerResult<Data>>;

export type Route = {
  readonly endpoint: Endpoint;
  readonly handle: (call: {
    request: object;
    caller: Caller | OperatorCaller | undefined;
    address: string;
    host: string;
  }) => HandlerResult<unknown> | Promise<HandlerResult<unknown>>;
};

/** Connects an endpoint with its handler. The types are checked here, once. */
export const route = <Q extends ObjectSchema, R extends TSchema, A extends Access>(
  endpoint: Endpoint<Q, R, A>,
  handle: Handler<Static<Q>, Static<R>, A>,
): Route => ({
  endpoint,
  handle: handle as unknown as Route['handle'],
});

/** Authenticates the caller in two steps: a trader by key, an operator by credential. */
export type AnyAuthenticator = {
  identify(head: SignedHead): Claimant<Credential> | Refusal;
  prove(
    claimed: Claimant<Credential>,
    body: string,
    endpoint: Pick<Endpoint, 'access' | 'roles'>,
  ): Caller | OperatorCaller | Denied;
};
/** `actor`: the proved operator, if only the permission is missing. */
type Denied = Refusal & { readonly actor?: string };

export type MountOptions = {
  readonly authenticate: AnyAuthenticator;
  readonly throttle: Throttle | undefined;
  readonly emptyUnauthorizedBodies: boolean;
  /** No body is longer, whatever its endpoint allows. */
  readonly bodyLimitBytes?: number;
  readonly onFault: (error: unknown, requestId: string) => void;
  /** For a gateway, which may be slightly behind: a key is looked up again before it is refused. */
  readonly catchUp?: (() => Promise<void>) | undefined;
  /** Called with what operators were refused, once their identity is proved; the answer waits for it. */
  readonly onRefusedAct?: (refused: RefusedAct) => Promise<void> | undefined;
};

export type RefusedAct = {
  readonly actor: string;
  readonly endpoint: Endpoint;
  readonly body: string;
  readonly refusal: Refusal;
};

export type Mounted = {
  readonly endpoint: Endpoint;
  readonly bodyLimitBytes: number;
  /** Refused by its head alone, or admitted: then it continues with the body. */
  admit(head: RequestHead): Served | Admitted;
  /** All steps, if the body is already there. */
  serve(raw: RawRequest): Served | Promise<Served>;
};
/** Refused by its signature, or proved. It never throws and never rejects: an internal error is served as one. */
export type Admitted = (body: string) => Served | Promise<Served> | HandleRequest;
/** Handles the request; never throws either. */
export type HandleRequest = () => Served | Promise<Served>;

export function mount(route: Route, options: MountOptions): Mounted {
  const { endpoint } = route;
  const most = options.bodyLimitBytes ?? Number.POSITIVE_INFINITY;
  const isPublic = endpoint.access === 'public';
  const mounted: Mount = { ...route, options, validate: validator(endpoint) };
  const admit = (head: RequestHead): Served | Admitted => {
    try {
      return isPublic ? admitPublic(mounted, head) : admitClaimed(mounted, head);
    } catch (error) {
      return faulted(mounted, error, head.requestId, []);
    }
  };
  return {
    endpoint,
    bodyLimitBytes: Math.min(endpoint.limits?.bodyBytes ?? BODY_BYTES, most),
    admit,
    serve: ({ body, ...head }) => {
      const admitted = admit(head);
      return typeof admitted === 'function' ? handled(admitted(body)) : admitted;
    },
  };
}

const handled = (next: Served | Promise<Served> | HandleRequest): Served | Promise<Served> =>
  typeof next === 'function' ? next() : next;

/** An endpoint with everything its requests pass through. */
type Mount = Route & { readonly options: MountOptions; readonly validate: Validate };

function admitPublic(route: Mount, head: RequestHead): Served | Admitted {
  const { endpoint, options } = route;
  const headers: string[] = [];
  const address = subnetOf(head.address);
  const verdict = options.throttle?.take({ address, budget: endpoint.limits?.budget });
  if (verdict !== undefined) {
    pushLimits(headers, verdict);
    if (!verdict.isAllowed) return envelope(route, tooMany(verdict, endpoint), headers);
  }
  return (body) => () => proceed(route, { head, body, caller: undefined, headers });
}

function admitClaimed(route: Mount, head: RequestHead): Served | Admitted {
  const { authenticate, throttle, catchUp } = route.options;
  const claimed = authenticate.identify(head);
  if (!isRefusal(claimed)) return admitKnown(route, head, claimed);
  // Guessing keys counts against the address's budget like anything else.
  const guess = throttle?.take({ address: subnetOf(head.address) });
  if (guess?.isAllowed === false) return envelope(route, tooMany(guess, route.endpoint), []);
  if (catchUp === undefined || claimed.rejected !== 'KEY_UNKNOWN')
    return envelope(route, claimed, []);
  const again = (body: string): Served | Promise<Served> => {
    const found = authenticate.identify(head);
    const admitted = isRefusal(found) ? envelope(route, found, []) : admitKnown(route, head, found);
    return typeof admitted === 'function' ? handled(admitted(body)) : admitted;
  };
  const onError = (error: unknown): Served => faulted(route, error, head.requestId, []);
  return (body) => catchUp().then(() => again(body), onError);
}

function admitKnown(
  route: Mount,
  head: RequestHead,
  claimed: Claimant<Credential>,
): Served | Admitted {
  const { endpoint, options } = route;
  const { authenticate, throttle } = options;
  const address = subnetOf(head.address);
  const { accessKey } = claimed.entry;
  const budget = endpoint.limits?.budget;
  const admitted = throttle?.admit({ accessKey, address, budget });
  if (admitted?.isAllowed === false) {
    const headers: string[] = [];
    pushLimits(headers, admitted);
    return envelope(route, tooMany(admitted, endpoint), headers);
  }
  return (body) => {
    const headers: string[] = [];
    try {
      const caller = authenticate.prove(claimed, body, endpoint);
      if (isRefusal(caller)) {
        const { actor } = caller as Denied;
        return actor === undefined
          ? envelope(route, caller, headers)
          : conclude(route, { body, actor }, caller, headers);
      }
      const verdict = stricter(admitted, throttle?.takeKey(accessKey, budget));
      if (verdict !== undefined) {
        pushLimits(headers, verdict);
        if (!verdict.isAllowed) return envelope(route, tooMany(verdict, endpoint), headers);
      }
      return () => proceed(route, { head, body, caller, headers });
    } catch (error) {
      return faulted(route, error, head.requestId, headers);
    }
  };
}

type AdmittedRequest = {
  readonly head: RequestHead;
  readonly body: string;
  readonly caller: Caller | OperatorCaller | undefined;
  readonly headers: string[];
};

/** The caller is known: reads, checks and handles the request. */
function proceed(
  route: Mount,
  { head, body, caller, headers }: AdmittedRequest,
): Served | Promise<Served> {
  try {
    const { method } = route.endpoint;
    const by = { body, actor: actorOf(caller) };
    const query = caller?.coversQuery === false ? '' : head.query;
    const request = readRequest(method, query, body);
    if (isRefusal(request)) return conclude(route, by, request, headers);
    const wrong = route.validate(request);
    if (wrong !== undefined) return conclude(route, by, wrong, headers);
    const { address } = head;
    const host = String(head.headers['host'] ?? '');
    const result = route.handle({ request, caller, address, host });
    if (!(result instanceof Promise)) return conclude(route, by, result, headers);
    return result.then(
      (late) => conclude(route, by, late, headers),
      (error: unknown) => faulted(route, error, head.requestId, headers),
    );
  } catch (error) {
    return faulted(route, error, head.requestId, headers);
  }
}

const actorOf = (caller: Caller | OperatorCaller | undefined): string | undefined =>
  caller !== undefined && 'actor' in caller ? caller.actor : undefined;

/** Refused acts of operators are recorded first; a repeated one was recorded the first time. */
function conclude(
  route: Mount,
  { actor, body }: { readonly actor: string | undefined; readonly body: string },
  result: HandlerResult<unknown>,
  headers: string[],
): Served | Promise<Served> {
  const { endpoint, options } = route;
  const isRecorded = 'rejected' in result && result.isRepeat !== true && !isReading(endpoint);
  const recorded =
    isRecorded && actor !== undefined
      ? options.onRefusedAct?.({ actor, endpoint, body, refusal: result })
      : undefined;
  const served = envelope(route, result, headers);
  return recorded === undefined ? served : recorded.then(() => served);
}

function envelope({ options }: Mount, result: HandlerResult<unknown>, headers: string[]): Served {
  if (result.isRepeat === true) headers.push('Idempotent-Replayed', 'true');
  if ('rejected' in result) return refused(result, headers, options.emptyUnauthorizedBodies);
  const { data, extra } = result;
  const body = data instanceof Rows ? rowsText(data) : successText(data, extra);
  return { status: 200, body, headers };
}

function faulted(route: Mount, error: unknown, requestId: string, headers: string[]): Served {
  if (!(error instanceof EngineStopped)) route.options.onFault(error, requestId);
  return envelope(route, faultRefusal(error, route.endpoint, requestId), headers);
}

/** The response of any refusal, the router's too. */
export function refused(refusal: Refusal, headers: string[], emptyUnauthorized = false): Served {
  const status = HTTP_STATUS[refusal.rejected];
  const isEmpty = emptyUnauthorized && (status === 401 || status === 429);
  const { rejected } = refusal;
  return { status, body: isEmpty ? '' : failureText(refusal), headers, rejected };
}

/** After a stop it is unknown whether a POST took effect; sending the same bytes again shows it. */
function faultRefusal(error: unknown, endpoint: Endpoint, requestId: string): Refusal {
  if (error instanceof EngineStopped) {
    return refuse(isReading(endpoint) ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN');
  }
  if (error instanceof HistoryFailed || error instanceof HistoryRefused) {
    return refuse('UNAVAILABLE', 'history is not available at the moment; trading goes on');
  }
  return refuse('INTERNAL', `request ${requestId}`);
}

/** Some reads of traders are POSTs, because of their bodies: they never have an effect. */
const isReading = ({ access, method }: Endpoint): boolean =>
  access === 'operator' || access === 'sandbox'
    ? method === 'GET'
    : (ACCESS_NEEDS[access]?.permission ?? 'read') === 'read';

function pushLimits(headers: string[], { rule, remaining, resetMs, waitMs }: Verdict): void {
  headers.push('RateLimit-Limit', String(rule.count), 'RateLimit-Remaining', String(remaining));
  headers.push('RateLimit-Reset', String(Math.ceil(resetMs / 1_000)));
  if (waitMs > 0) headers.push('Retry-After', String(Math.ceil(waitMs / 1_000)));
}

function tooMany({ rule, waitMs }: Verdict, { method, path }: Endpoint): Refusal {
  const what = rule.of === 'all' ? 'requests' : `${method} ${path}`;
  return refuse(
    'RATE_LIMITED',
    `at most ${rule.count} ${what} per ${rule.perMs} ms and ${rule.per}; wait ${Math.ceil(waitMs)} ms`,
  );
}
