import { createHash } from 'node:crypto';
import type { SignedBy } from '../../domain/actors.ts';
import type { Command, Lateness } from '../../domain/commands.ts';
import type { Amendment, OrderRef, OrderRequest } from '../../domain/orders.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { SOURCES } from '../../domain/terms.ts';
import type { AccountIndex, KeyIndex } from '../../domain/units.ts';
import type { Engine, Submitted } from '../../engine/engine.ts';
import { MEMBERS } from '../../wire/orders.ts';
import { ORDER_OPS, type OrderEventName, type OrderOp } from '../../wire/stream.ts';
import type { OnRefusedOrder } from '../http/observe.ts';
import { readAmendment, readRef } from '../orders/amend-intake.ts';
import { readOrder } from '../orders/intake.ts';
import { cancelLatenessOf, latenessOf, type TimesSent, timesRefusal } from '../request/lateness.ts';
import { membersOf, textOf } from '../request/members.ts';
import { type OrderResult, outcomeForResults, refusalOf, resultsOf } from '../request/outcome.ts';
import type { MemberCheck } from '../request/strict-members.ts';
import { cancelText, echoText, modifyText, placeText } from './order-texts.ts';
import { notSubmitted, submitted } from './replies.ts';

/** A command as it was sent: one element, or a batch of them. */
export type CommandSent = {
  readonly op: OrderOp;
  readonly tag: string | undefined;
  /** The sender's name for it: it takes effect at most once. */
  readonly requestId: string | undefined;
  readonly elements: readonly unknown[];
};
export type CommandCaller = { readonly key: KeyIndex; readonly account: AccountIndex };

export type OrderCommands = {
  /** Submits a command; `reply` gets one answer per element. Resolves when all are given. */
  run(caller: CommandCaller, sent: CommandSent, reply: (text: string) => void): Promise<void>;
};

type Read = OrderRequest | Amendment | OrderRef;

/** Consecutive elements with the same deadline form one command. */
type Group = {
  readonly lateness: Lateness;
  /** Positions in the request. */
  readonly at: number[];
  readonly read: Read[];
};

export type OrderCommandOptions = {
  readonly engine: Engine;
  readonly checkMembers: MemberCheck;
  readonly onRefusedOrder?: OnRefusedOrder;
  /** How long a named command is remembered. */
  readonly rememberMs: number;
  readonly onFault: (error: unknown) => void;
};

/** Orders over the stream: the same intake and commands as over REST, one answer per element. */
export function orderCommands(options: OrderCommandOptions): OrderCommands {
  return {
    run(caller, sent, reply) {
      const { event } = ORDER_OPS[sent.op];
      const read = sent.elements.map((element) => readElement(options, event, element));
      return submitAll(options, caller, { sent, read, reply });
    },
  };
}

const ignore = (): void => undefined;

function readElement(
  { engine, checkMembers }: OrderCommandOptions,
  event: OrderEventName,
  sent: unknown,
): Read | Refusal {
  const { directory } = engine;
  const refusal = checkMembers(sent, NAMES[event]) ?? timesRefusal(timesOf(sent));
  if (refusal !== undefined) return refusal;
  if (event === 'placeorder') return readOrder(directory, sent);
  return event === 'modifyorder'
    ? readAmendment(directory, sent)
    : readRef(directory, otherNames(sent));
}

const ALSO_MEMBERS = ['timestamp', 'recvWindow', 'instId', 'ordId'];
const NAMES: Readonly<Record<OrderEventName, readonly string[]>> = {
  placeorder: [...MEMBERS.order, ...ALSO_MEMBERS],
  modifyorder: [...MEMBERS.amendment, ...ALSO_MEMBERS],
  cancelorder: [...MEMBERS.ref, ...ALSO_MEMBERS],
};
/** Existing clients cancel with instId and ordId. */
function otherNames(sent: unknown): object {
  const members = membersOf(sent);
  return {
    ...members,
    marketCode: members['marketCode'] ?? members['instId'],
    orderId: members['orderId'] ?? members['ordId'],
  };
}

type Batch = {
  readonly sent: CommandSent;
  readonly read: readonly (Read | Refusal)[];
  readonly reply: (text: string) => void;
};

function submitAll(
  options: OrderCommandOptions,
  caller: CommandCaller,
  batch: Batch,
): Promise<void> {
  const { engine } = options;
  const { sent, read } = batch;
  const groups = groupsOf(batch);
  const answer = answerer(options, batch);
  const timeMs = engine.nowMs();
  read.forEach((one, at) => {
    if (isRefusal(one)) answer(at, one, timeMs, false);
  });
  const work = groups.map((group, number) => {
    const by = signedBy(caller.key, options, sent, number);
    return engine.submit(commandOf(sent.op, by, group)).then(
      (outcome) => answerGroup(group, outcome, answer),
      () => {
        for (const at of group.at) answer(at, refuse('OUTCOME_UNKNOWN'), engine.nowMs(), false);
      },
    );
  });
  return Promise.all(work).then(ignore, options.onFault);
}

function groupsOf({ sent, read }: Batch): readonly Group[] {
  const groups: Group[] = [];
  const { event } = ORDER_OPS[sent.op];
  read.forEach((one, at) => {
    if (isRefusal(one)) return;
    const times = timesOf(sent.elements[at]);
    const lateness = event === 'cancelorder' ? cancelLatenessOf(times) : latenessOf(times);
    let group = groups.at(-1);
    if (group === undefined || !isSame(group.lateness, lateness)) {
      group = { lateness, at: [], read: [] };
      groups.push(group);
    }
    group.at.push(at);
    group.read.push(one);
  });
  return groups;
}

const isSame = (one: Lateness, other: Lateness): boolean =>
  one.lateAfterMs === other.lateAfterMs && one.recvWindowMs === other.recvWindowMs;

function timesOf(sent: unknown): TimesSent {
  const members = membersOf(sent);
  const timestamp = textOf(members, 'timestamp');
  const recvWindow = textOf(members, 'recvWindow');
  return { timestamp, recvWindow };
}

/**
 * A name is valid as long as a signature would be; see core/memory/requests.ts. Each kind of command has its
 * own names: otherwise a cancel with the name of an order would get the order's answer.
 */
function signedBy(
  key: KeyIndex,
  { engine, rememberMs }: OrderCommandOptions,
  { op, requestId }: CommandSent,
  group: number,
): SignedBy {
  if (requestId === undefined) return { key };
  const { event } = ORDER_OPS[op];
  const name = `${group}:${requestId}`;
  const hash = createHash('sha256')
    .update(event === 'placeorder' ? name : `${event}:${name}`)
    .digest('base64');
  const nowMs = engine.nowMs();
  return {
    key,
    fingerprint: `id:${hash.slice(0, 22)}`,
    signedAtMs: nowMs,
    expiresAtMs: nowMs + rememberMs,
  };
}

function commandOf(op: OrderOp, by: SignedBy, { lateness, read }: Group): Command {
  switch (ORDER_OPS[op].event) {
    case 'placeorder':
      return {
        ...lateness,
        kind: 'place-orders',
        by,
        source: SOURCES.WEBSOCKET,
        orders: read as OrderRequest[],
      };
    case 'modifyorder':
      return { ...lateness, kind: 'modify-orders', by, orders: read as Amendment[] };
    case 'cancelorder':
      return { ...lateness, kind: 'cancel-orders', by, orders: read as OrderRef[] };
  }
}

type Answer = (at: number, result: OrderResult, timeMs: number, isRepeat: boolean) => void;

function answerGroup(group: Group, submitted: Submitted, answer: Answer): void {
  const { isRepeat } = submitted;
  const outcome = outcomeForResults(submitted);
  const refusal = refusalOf(outcome);
  const results = resultsOf(outcome);
  group.at.forEach((at, element) => {
    const result = refusal ?? results[element] ?? OTHER_REQUEST;
    answer(at, result, outcome.timeMs, isRepeat);
  });
}

/** Only a repeat can lack a result: the name was used before for a command with other elements. */
const OTHER_REQUEST = refuse('REPEATED_CLICK', 'this requestId was used for another command');

const PRINTED = { placeorder: placeText, modifyorder: modifyText, cancelorder: cancelText };

function answerer({ engine, onRefusedOrder }: OrderCommandOptions, { sent, reply }: Batch): Answer {
  const { directory } = engine;
  const { event } = ORDER_OPS[sent.op];
  const print = PRINTED[event];
  const replyAt = inOrder(reply);
  return (at, result, timeMs, isRepeat) => {
    const answered = { tag: sent.tag, timeMs, isRepeat };
    const element = sent.elements[at];
    if (isRefusal(result)) {
      const refusal = streamed(result);
      onRefusedOrder?.(refusal.rejected);
      replyAt(at, notSubmitted(event, refusal, answered, echoText(element)));
    } else replyAt(at, submitted(event, answered, print(directory, result.order, element)));
  };
}

/** Answers of a batch share one tag: only their order shows which element each belongs to. */
function inOrder(reply: (text: string) => void): (at: number, text: string) => void {
  let waiting: Map<number, string> | undefined;
  let next = 0;
  return (at, text) => {
    if (at !== next) {
      waiting ??= new Map();
      waiting.set(at, text);
      return;
    }
    for (let ready: string | undefined = text; ready !== undefined; ready = waiting?.get(next)) {
      reply(ready);
      waiting?.delete(next);
      next++;
    }
  };
}

/** The stream has its own code for an order that is not open. */
const streamed = (refusal: Refusal): Refusal =>
  refusal.rejected === 'ORDER_NOT_FOUND' ? refuse('OPEN_ORDER_NOT_FOUND') : refusal;
