import { Compile } from 'typebox/compile';
import { REJECTIONS, type Rejection } from '../../src/domain/rejections.ts';
import { refusalsOf } from '../../src/wire/docs/refusals-of.ts';
import type { Endpoint } from '../../src/wire/endpoint.ts';
import { ENDPOINTS } from '../../src/wire/endpoints.ts';
import { OPERATOR_ENDPOINTS } from '../../src/wire/operator.ts';
import { Random } from '../simulation/random.ts';
import { ByteClient, type HttpAnswer } from './answers.ts';
import { type Fuzzed, type FuzzKey, fuzzedRequest, malformed } from './requests.ts';
import { type Known, remember } from './values.ts';

/** The fuzzed target: a port with the interface, and access to its state. */
export type FuzzTarget = {
  readonly port: number;
  /** The endpoints for which requests are generated. */
  readonly endpoints: readonly Endpoint[];
  readonly keys: readonly FuzzKey[];
  readonly accountIds: readonly string[];
  /** Everything that a request could have changed, as text. */
  readonly state: () => Promise<string>;
  /** Advances time for a moment: prices, ticks. Nothing moves in between. */
  readonly passTime: () => Promise<void>;
};
export type FuzzReport = {
  readonly requests: number;
  readonly malformed: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly accepted: number;
  readonly serverErrors: number;
  /** Requests without a response of their own. */
  readonly dropped: number;
  /** Refused, although something had changed. */
  readonly effects: number;
  /** Responses without the envelope, or not in the shape that their endpoint declares. */
  readonly misshapen: number;
  /** Refused with a code that is not in the documentation of the endpoint. */
  readonly undeclared: number;
  /** The first few faults, as text. */
  readonly faults: readonly string[];
};

const FAULTS_SHOWN = 20;
const TIME_PASSES_EVERY = 200;

/**
 * Sends requests generated from the declared endpoints: valid, nearly valid and hostile ones, and bytes that
 * are not HTTP. The same seed generates the same requests, except for the time in them.
 */
export async function fuzz(
  target: FuzzTarget,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<FuzzReport> {
  const run = new Run(target, seed);
  await target.passTime();
  while (run.sent < count) await run.step();
  return run.report();
}

class Run {
  readonly #target: FuzzTarget;
  readonly #random: Random;
  readonly #known: Known;
  readonly #client: ByteClient;
  readonly #byStatus: Record<string, number> = {};
  readonly #faults: string[] = [];
  #counts = {
    ...{ malformed: 0, accepted: 0, serverErrors: 0, dropped: 0 },
    ...{ effects: 0, misshapen: 0, undeclared: 0 },
  };
  #steps = 0;
  #before: string | undefined;
  sent = 0;

  constructor(target: FuzzTarget, seed: number) {
    this.#target = target;
    this.#random = new Random(seed);
    this.#client = new ByteClient(target.port);
    const accountIds = [...target.accountIds];
    this.#known = { orderIds: [], rowIds: [], matchIds: [], accountIds };
  }

  async step(): Promise<void> {
    if (++this.#steps % TIME_PASSES_EVERY === 0) {
      await this.#target.passTime();
      this.#before = undefined;
    }
    this.#before ??= await this.#target.state();
    const kind = this.#random.weighted({ one: 20, pipelined: 2, malformed: 3 });
    if (kind === 'malformed') await this.#sendMalformed();
    else await this.#send(kind === 'one' ? 1 : this.#random.between(2, 6));
  }

  #made(): Fuzzed {
    const { keys, port, endpoints } = this.#target;
    return fuzzedRequest({
      ...{ random: this.#random, known: this.#known, keys, endpoints },
      host: `127.0.0.1:${port}`,
    });
  }

  async #send(count: number): Promise<void> {
    const made = Array.from({ length: count }, () => this.#made());
    const bytes = Buffer.concat(made.map((one) => one.bytes));
    const cutAt = this.#random.chance(0.2) ? this.#random.below(bytes.length) : 0;
    const answers = await this.#client.ask(bytes, count, cutAt);
    this.sent += count;
    // A refusal may close the connection; later requests on it were then never read.
    const isEnded = answers.at(-1)?.headers['connection'] === 'close';
    if (answers.length < count && !isEnded)
      this.#fault('dropped', made.map(({ what }) => what).join('\n  '));
    for (const [at, answer] of answers.entries()) this.#judge(answer, made[at] as Fuzzed);
    await this.#compare(answers, made.map(({ what }) => what).join('\n  '));
  }

  async #sendMalformed(): Promise<void> {
    const made = this.#made();
    const bytes = malformed(this.#random, made.bytes);
    const what = `bytes ${JSON.stringify(bytes.toString('latin1').slice(0, 600))}`;
    const answers = await this.#client.askAndEnd(bytes);
    this.sent++;
    this.#counts.malformed++;
    const isNothing = /^[\r\n]*$/.test(bytes.toString('latin1'));
    if (answers.length === 0 && !isNothing) this.#fault('dropped', what);
    for (const answer of answers) this.#judge(answer, undefined, what);
    await this.#compare(answers, what);
  }

  #judge(answer: HttpAnswer, made: Fuzzed | undefined, what = made?.what ?? ''): void {
    const { status, body, headers } = answer;
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
    if (isAccepted(answer)) this.#counts.accepted++;
    remember(this.#known, body);
    if (!(status < 500)) this.#fault('serverErrors', `${status} ${body.slice(0, 300)} for ${what}`);
    const wrong = misshapen(answer, headers['content-type'] ?? '', made?.endpoint);
    if (wrong !== undefined)
      this.#fault('misshapen', `${wrong}: ${body.slice(0, 300)} for ${what}`);
    const code = undeclared(body, made?.endpoint);
    if (code !== undefined) this.#fault('undeclared', `${code}: ${body.slice(0, 300)} for ${what}`);
  }

  /** A refused request must have changed nothing; others may have. */
  async #compare(answers: readonly HttpAnswer[], what: string): Promise<void> {
    const before = this.#before;
    if (answers.some(isAccepted)) {
      this.#before = undefined;
      return;
    }
    this.#before = await this.#target.state();
    if (this.#before !== before) this.#fault('effects', what);
  }

  #fault(kind: Fault, words: string): void {
    this.#counts[kind]++;
    if (this.#faults.length < FAULTS_SHOWN) this.#faults.push(`${kind}: ${words}`);
  }

  report(): FuzzReport {
    this.#client.drop();
    const { sent, ...rest } = { sent: this.sent, ...this.#counts };
    return { requests: sent, ...rest, byStatus: this.#byStatus, faults: this.#faults };
  }
}

type Fault = 'serverErrors' | 'dropped' | 'effects' | 'misshapen' | 'undeclared';

/** Something may have been done: a list of orders counts as refused if each of them was. */
function isAccepted({ status, body }: HttpAnswer): boolean {
  if (status !== 200 || !body.startsWith('{"success":true')) return false;
  return !body.includes('"submitted":false') || body.includes('"submitted":true');
}

const CHECKS = new Map(
  [...ENDPOINTS, ...OPERATOR_ENDPOINTS].map((endpoint) => [endpoint, Compile(endpoint.reply)]),
);

function misshapen(
  answer: HttpAnswer,
  type: string,
  endpoint: Endpoint | undefined,
): string | undefined {
  const { status, body } = answer;
  if (Number.isNaN(status)) return 'no status';
  if (answer.headers['x-request-id'] === undefined) return 'no request id';
  if (type.startsWith('text/html')) return undefined;
  const json = parsed(body);
  if (json === undefined) return status === 405 || body === '' ? undefined : 'no JSON';
  if (!('success' in json)) return isPage(json) ? undefined : 'no envelope';
  if (json['success'] === false) {
    const isWhole = /^\d+$/.test(String(json['code'])) && typeof json['message'] === 'string';
    return isWhole && !('data' in json) && status >= 400
      ? undefined
      : 'a failure without code or words';
  }
  if (status !== 200 || json['success'] !== true) return 'neither success nor failure';
  if (endpoint === undefined || CHECKS.get(endpoint)?.Check(json['data']) === true)
    return undefined;
  return `not what ${endpoint.method} ${endpoint.path} declares`;
}

const codeOf = (name: Rejection): string => REJECTIONS[name].code;
const DECLARED = new Map(
  ENDPOINTS.map((endpoint) => {
    const { own, common } = refusalsOf(endpoint);
    return [endpoint as Endpoint, new Set([...own, ...common].map((one) => codeOf(one)))];
  }),
);
const PLACE = ENDPOINTS.find(({ path }) => path === '/v3/orders/place') as Endpoint;
const REASONS = DECLARED.get(PLACE) ?? new Set<string>();
/** For requests that reach no endpoint: paths, methods, bytes. */
const BEFORE = [
  'PATH_UNKNOWN',
  'HEADERS_TOO_LARGE',
  'TOO_MANY_IN_FLIGHT',
  'REQUEST_TOO_SLOW',
] as const;
const BEFORE_CODES = new Set<string>(BEFORE.map(codeOf));

function undeclared(body: string, endpoint: Endpoint | undefined): string | undefined {
  const codes = endpoint === undefined ? undefined : DECLARED.get(endpoint);
  if (codes === undefined) return undefined;
  // Orders that are listed say why they ended: what refuses an order, too late for a refusal.
  const listsOrders = endpoint?.method === 'GET' && endpoint.path.startsWith('/v3/orders');
  const isReason = (code: string): boolean => listsOrders && REASONS.has(code);
  const sent = [...body.matchAll(/"code":"(\d+)","message"/g)].map(([, code]) => code as string);
  return sent.find((code) => !codes.has(code) && !BEFORE_CODES.has(code) && !isReason(code));
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** What is served beside the interface: health and the OpenAPI document. */
const isPage = (json: object): boolean => 'status' in json || 'openapi' in json;
