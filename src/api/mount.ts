import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { isRefusal, REJECTIONS, type Refusal, refuse } from '../domain/rejections.ts';
import { EngineStopped } from '../engine/engine.ts';
import { ACCESS_NEEDS, type Endpoint, type ReplyOf, type RequestOf } from '../wire/endpoint.ts';
import { failureText, HTTP_STATUS } from '../wire/errors.ts';
import { isJsonObject, readJson } from '../wire/json.ts';
import { describe } from '../wire/openapi.ts';
import { readQuery } from '../wire/query.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import type { Throttle, Verdict } from './throttle.ts';

/**
 * Endpoint + handler -> authenticate, throttle, read, validate, handle, envelope.
 *
 * It knows no HTTP library: a request is plain data and so is what is served. Nothing is awaited
 * before the handler runs, so a request that needs no waiting is served within one turn.
 */
export type RawRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  readonly requestId: string;
};

/** `headers` alternate name and value, the form in which node:http writes them fastest. */
export type Served = {
  readonly status: number;
  readonly body: string;
  readonly headers: readonly string[];
};

/** What a handler says: the data of the envelope, with its siblings if it has any, or a no. */
export type Answer<Data> =
  | {
      readonly data: Data;
      readonly beside?: Readonly<Record<string, string>>;
      readonly isRepeat?: boolean;
    }
  | (Refusal & { readonly isRepeat?: boolean });

/** A public endpoint has no caller; any other has one. */
type CallerOf<E extends Endpoint> = E['access'] extends 'public' ? undefined : Caller;
type Asked<E extends Endpoint> = { readonly request: RequestOf<E>; readonly caller: CallerOf<E> };
type Handler<E extends Endpoint> = (
  asked: Asked<E>,
) => Answer<ReplyOf<E>> | Promise<Answer<ReplyOf<E>>>;

export type Route = {
  readonly endpoint: Endpoint;
  readonly handle: (asked: {
    request: object;
    caller: Caller | undefined;
  }) => Answer<unknown> | Promise<Answer<unknown>>;
};

/** Joins what an endpoint declares with what its call means. The types are checked here, once. */
export const route = <E extends Endpoint>(endpoint: E, handle: Handler<E>): Route => ({
  endpoint,
  handle: handle as unknown as Route['handle'],
});

export type MountOptions = {
  readonly authenticate: Authenticator;
  readonly throttle: Throttle | undefined;
  readonly emptyUnauthorizedBodies: boolean;
  readonly onFault: (error: unknown, requestId: string) => void;
};

export type Mounted = {
  readonly endpoint: Endpoint;
  /** Never throws and never rejects: a fault of ours is served as one. */
  serve(raw: RawRequest): Served | Promise<Served>;
};

export function mount({ endpoint, handle }: Route, options: MountOptions): Mounted {
  const { authenticate, throttle } = options;
  const { access, method } = endpoint;
  const budget = endpoint.limits?.budget;
  const validate = validator(endpoint);
  const envelope = (answer: Answer<unknown>, headers: string[]): Served => {
    if (answer.isRepeat === true) headers.push('Idempotent-Replayed', 'true');
    if ('rejected' in answer) return refused(answer, headers, options.emptyUnauthorizedBodies);
    return { status: 200, body: successText(answer.data, answer.beside), headers };
  };
  const faulted = (error: unknown, requestId: string, headers: string[]): Served => {
    if (!(error instanceof EngineStopped)) options.onFault(error, requestId);
    return envelope(faultAnswer(error, endpoint, requestId), headers);
  };
  return {
    endpoint,
    serve(raw) {
      const headers: string[] = [];
      try {
        const caller = access === 'public' ? undefined : authenticate({ ...raw, method, access });
        if (caller !== undefined && isRefusal(caller)) {
          // Guessing keys draws on the address's budget like anything else.
          const guess = throttle?.take({
            accessKey: undefined,
            address: raw.address,
            budget: undefined,
          });
          if (guess?.isAllowed === false) return envelope(tooMany(guess, endpoint), headers);
          return envelope(caller, headers);
        }
        const accessKey = caller?.accessKey;
        const verdict = throttle?.take({ accessKey, address: raw.address, budget });
        if (verdict !== undefined) {
          pushLimits(headers, verdict);
          if (!verdict.isAllowed) return envelope(tooMany(verdict, endpoint), headers);
        }
        const request = readRequest(method, raw, caller?.coversQuery !== false);
        if (isRefusal(request)) return envelope(request, headers);
        const wrong = validate(request);
        if (wrong !== undefined) return envelope(wrong, headers);
        const answer = handle({ request, caller });
        if (!(answer instanceof Promise)) return envelope(answer, headers);
        return answer.then(
          (late) => envelope(late, headers),
          (error: unknown) => faulted(error, raw.requestId, headers),
        );
      } catch (error) {
        return faulted(error, raw.requestId, headers);
      }
    },
  };
}

/** Any refusal as it leaves, the router's too. */
export function refused(refusal: Refusal, headers: string[], emptyUnauthorized = false): Served {
  const status = HTTP_STATUS[refusal.rejected];
  const isEmpty = emptyUnauthorized && (status === 401 || status === 429);
  return { status, body: isEmpty ? '' : failureText(refusal), headers };
}

function successText(data: unknown, beside: Readonly<Record<string, string>> | undefined): string {
  if (beside === undefined) return `{"success":true,"data":${JSON.stringify(data)}}`;
  return JSON.stringify({ success: true, ...beside, data });
}

/** After a stop nobody knows whether a POST took effect; the same bytes sent again will tell. */
function faultAnswer(error: unknown, { access }: Endpoint, requestId: string): Refusal {
  if (error instanceof EngineStopped) {
    // Some reads are POSTs, because of their bodies: they never have an effect.
    const isReading = (ACCESS_NEEDS[access]?.permission ?? 'read') === 'read';
    return refuse(isReading ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN');
  }
  return refuse('INTERNAL', `request ${requestId}`);
}

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

/** Query and body as one request; a query that the signature does not cover never arrived. */
function readRequest(method: string, raw: RawRequest, coversQuery: boolean): object | Refusal {
  const queryText = coversQuery ? raw.query : '';
  const query = readQuery(queryText);
  if (query === undefined) return refuse('PARAMETER_INVALID', 'the query is not URL-encoded');
  if (method === 'GET' || raw.body === '') return query;
  const body = readJson(raw.body);
  // Some clients send it with a DELETE that has nothing to say.
  if (body === null && method === 'DELETE') return query;
  if (!isJsonObject(body)) return refuse('JSON_INVALID', 'the body must be a JSON object');
  return queryText === '' ? body : { ...query, ...said(body) };
}

/** A null member says nothing, so it does not hide what the query says. */
const said = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

type Validate = (request: object) => Refusal | undefined;

/** The compiled check says yes or no; only a no pays for finding out which member is wrong. */
function validator({ request: schema }: Endpoint): Validate {
  const compiled = Compile(schema);
  return (request) => (compiled.Check(request) ? undefined : firstFault(schema, request));
}

/** In the order of the declaration, so that a caller always hears the same fault first. */
function firstFault(schema: Endpoint['request'], request: object): Refusal {
  const members = request as Readonly<Record<string, unknown>>;
  const required = new Set<string>(schema.required ?? []);
  for (const [name, of] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (value === undefined && required.has(name)) return missing(name);
    if (value !== undefined && !Value.Check(of, value)) {
      return refuse('PARAMETER_INVALID', `${name} must be ${describe(of)}, not ${shown(value)}`);
    }
  }
  return refuse('PARAMETER_INVALID');
}

const missing = (name: string): Refusal => ({
  rejected: 'PARAMETER_MISSING',
  message: REJECTIONS.PARAMETER_MISSING.message.replace('parameter', `parameter '${name}'`),
});

/** What was sent, short enough to be read. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
