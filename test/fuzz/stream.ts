import { Random } from '../simulation/random.ts';
import { type Message, StreamClient } from '../stream/stream-client.ts';
import type { FuzzTarget } from './fuzz.ts';
import type { FuzzKey } from './requests.ts';
import {
  extreme,
  goodOrder,
  hostile,
  jsonOf,
  type Known,
  nearMiss,
  Raw,
  remember,
} from './values.ts';

export type StreamFuzzReport = {
  readonly messages: number;
  readonly accepted: number;
  readonly refused: number;
  /** Connections that ended; a few messages are intended to cause that. */
  readonly ended: number;
  readonly faults: readonly string[];
};

const OPS = ['placeorder', 'modifyorder', 'cancelorder', 'login', 'subscribe', 'unsubscribe'];
const CHANNELS = [
  'depth:BTC-USDT',
  'depthUpdate:BTC-USDT',
  'trade:BTC-USDT',
  'ticker:all',
  'order:all',
  'balance:all',
  'position:all',
  'account:all',
  'wallet:all',
  'candles60s:BTC-USDT',
  'nothing',
  'order::undefined',
];
/** Codes that only a bug of ours can cause. */
const OUR_FAULTS = new Set(['50001', '710001']);
const STATE_EVERY = 10;
/** How long the answers to a list may take that come after the first. */
const LIST_MS = 200;
const FAULTS_MAX = 20;

/**
 * Messages of every kind on sessions of every key; each must be answered, and have the effect that its answer
 * reports.
 */
export async function fuzzStream(
  target: FuzzTarget,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<StreamFuzzReport> {
  const run = new StreamRun(target, seed);
  await target.passTime();
  for (let at = 0; at < count; at++) await run.step();
  run.close();
  return run.report();
}

/** Not a message of a channel, and not the notice of an order that was cancelled. */
const isAnswer = (message: Message): boolean =>
  typeof message === 'object' &&
  !('table' in message || 'seq' in message) &&
  message.event !== 'CANCEL';
const isRefusal = ({ success, submitted }: Message): boolean =>
  success === false || submitted === false;

type Open = { client: StreamClient; readonly key: number };

class StreamRun {
  readonly #target: FuzzTarget;
  readonly #random: Random;
  readonly #known: Known;
  readonly #sessions: Open[] = [];
  readonly #faults: string[] = [];
  #counts = { messages: 0, accepted: 0, refused: 0, ended: 0 };

  constructor(target: FuzzTarget, seed: number) {
    this.#target = target;
    this.#random = new Random(seed);
    this.#known = { orderIds: [], rowIds: [], matchIds: [], accountIds: [...target.accountIds] };
  }

  report(): StreamFuzzReport {
    return { ...this.#counts, faults: this.#faults.slice(0, FAULTS_MAX) };
  }

  close(): void {
    for (const { client } of this.#sessions) client.close();
  }

  async step(): Promise<void> {
    const session = await this.#session();
    const { client } = session;
    const tag = String(++this.#counts.messages);
    const { text: message, isTagged } = this.#message(tag);
    const isWatched = this.#counts.messages % STATE_EVERY === 0;
    const before = isWatched ? await this.#target.state() : '';
    client.received.length = 0;
    client.send(message);
    const answers = await this.#answers(client, isTagged ? tag : undefined, message);
    // Elements that are refused at once are answered before those that go to the engine.
    if (isWatched && message.includes('"dataArray"') && answers.every(isRefusal)) {
      await new Promise((resolve) => setTimeout(resolve, LIST_MS));
      answers.push(...client.received.filter((late) => isAnswer(late) && !answers.includes(late)));
    }
    for (const answer of answers) this.#judge(answer, message);
    if (isWatched && answers.every(isRefusal) && (await this.#target.state()) !== before) {
      this.#fault('a refused message had an effect', message);
    }
    if (this.#counts.messages % 20 === 0) await this.#target.passTime();
  }

  async #session(): Promise<Open> {
    const at = this.#random.below(4);
    const known = this.#sessions[at];
    if (known !== undefined && known.client.closed === undefined) return known;
    if (known !== undefined) this.#counts.ended++;
    const key = this.#random.below(this.#target.keys.length);
    const client = await StreamClient.open(this.#target.port);
    // One in four does not log in.
    if (at !== 0) await client.login(this.#target.keys[key] as FuzzKey);
    this.#sessions[at] = { client, key };
    return this.#sessions[at] as Open;
  }

  #message(tag: string): { readonly text: string; readonly isTagged: boolean } {
    const random = this.#random;
    const kind = random.weighted({
      good: 6,
      near: 3,
      extreme: 3,
      hostile: 2,
      broken: 1,
      huge: 0.2,
    });
    const isTagged = kind === 'good';
    if (kind === 'huge') {
      const name = 'x'.repeat(random.pick([5_000, 70_000]));
      return { text: `{"tag":"${tag}","op":"${name}"}`, isTagged };
    }
    const op = random.pick(OPS);
    const isBatch = op.endsWith('order') && random.chance(0.2);
    const elements = Array.from({ length: isBatch ? random.between(1, 3) : 1 }, () =>
      this.#element(op, kind),
    );
    const body: Record<string, unknown> = {
      op: isBatch ? `${op}s` : op,
      tag,
      ...(isBatch ? { dataArray: elements } : { data: elements[0] }),
      ...(op.endsWith('subscribe') ? { args: this.#channels(kind) } : {}),
      ...(random.chance(0.2) ? { requestId: `r${random.below(20)}` } : {}),
      ...(random.chance(0.1) ? { seq: true } : {}),
      ...(random.chance(0.1) ? { fromSeq: kind === 'good' ? 5 : hostile(random) } : {}),
    };
    if (kind === 'hostile') body[random.pick(Object.keys(body))] = hostile(random);
    const text = jsonOf(body);
    if (kind !== 'broken') return { text, isTagged };
    const cut = random.below(text.length);
    const rest = random.chance(0.5) ? '' : `\\${text.slice(cut + 1)}`;
    return { text: text.slice(0, cut) + rest, isTagged };
  }

  #element(op: string, kind: string): unknown {
    const random = this.#random;
    const order = goodOrder(random, this.#known);
    const orderId = random.pick(['1000200000001', ...this.#known.orderIds]);
    const element: Record<string, unknown> =
      op === 'placeorder' ? order : { ...order, orderId, side: undefined, orderType: undefined };
    if (random.chance(0.2)) element['timestamp'] = Date.now();
    if (random.chance(0.1)) element['recvWindow'] = random.pick([1, 60_000]);
    if (kind === 'near' || kind === 'extreme' || kind === 'hostile') {
      const name = random.pick(Object.keys(element));
      const of = { near: nearMiss, extreme, hostile }[kind];
      element[name] = of(random, element[name]);
    }
    return random.chance(0.02) ? new Raw('[1,2]') : element;
  }

  #channels(kind: string): unknown {
    const random = this.#random;
    if (kind === 'hostile') return hostile(random);
    return Array.from({ length: random.between(1, 3) }, () => random.pick(CHANNELS));
  }

  /** Those with the tag; for a message whose tag cannot be read, everything that is not a channel message. */
  async #answers(client: StreamClient, tag: string | undefined, sent: string): Promise<Message[]> {
    const isOurs = (message: Message): boolean =>
      isAnswer(message) && (tag === undefined || message.tag === tag);
    try {
      const first = await client.next((message) => isOurs(message) || message.event === 'close');
      return [first, ...client.received.filter(isOurs)];
    } catch (error) {
      if (client.closed === undefined) this.#fault(`no answer: ${error}`, sent);
      return [];
    }
  }

  #judge(answer: Message, message: string): void {
    remember(this.#known, JSON.stringify(answer));
    if (answer.success === true || answer.submitted === true) this.#counts.accepted++;
    else this.#counts.refused++;
    if (OUR_FAULTS.has(answer.code)) this.#fault(`answered ${JSON.stringify(answer)}`, message);
    const isNamed = typeof answer.event === 'string' && typeof answer.timestamp === 'string';
    if (!isNamed) this.#fault(`misshapen ${JSON.stringify(answer)}`, message);
  }

  #fault(what: string, message: string): void {
    this.#faults.push(`${what}\n  ${message.slice(0, 500)}`);
  }
}
