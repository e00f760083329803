import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { isJsonObject, jsonExcess, readJson } from '../../wire/json.ts';
import { isTrue } from '../../wire/scalars.ts';
import { ORDER_OPS, type OrderOp, REQUEST_ID_MAX, TAG_MAX } from '../../wire/stream.ts';
import { type Caller, mayDo } from '../http/authenticate.ts';
import type { LoginSent } from '../http/signature.ts';
import type { Turn } from '../http/turn.ts';
import { type Members, membersOf, textOf } from '../request/members.ts';
import { Burst } from './burst.ts';
import { type StreamLimits, TokenBucket } from './limits.ts';
import {
  argsOf,
  channelText,
  elementsOf,
  guardOf,
  isChannelText,
  isOrderOp,
  noChannel,
  seqOf,
  tagOf,
} from './message-members.ts';
import type { OrderCommands } from './order-commands.ts';
import { echoText } from './order-texts.ts';
import { outermostMembers } from './outermost.ts';
import { done, failed, farewell, notSubmitted } from './replies.ts';
import { INTERNAL_ERROR, POLICY, type StreamSocket } from './socket.ts';

/** What sessions need from the stream. */
export type SessionParts = {
  readonly turn: Turn;
  readonly limits: StreamLimits;
  /** Engine time, for answers. */
  readonly nowMs: () => number;
  /** Milliseconds of a monotonic clock, for limits. */
  readonly steadyMs: () => number;
  readonly login: (sent: LoginSent, address: string) => Caller | Refusal;
  readonly commands: OrderCommands;
  /** Whether the key may send another command now. */
  readonly mayCommand: (accessKey: string) => boolean;
  readonly subscriptions: Subscriptions;
  readonly onFault: (fault: unknown) => void;
};

/** Channels as a session uses them. */
export type Subscriptions = {
  subscribe(session: Session, request: SubscribeRequest): void;
  unsubscribe(session: Session, channel: string): Refusal | undefined;
};
/** One channel that a session subscribes to. */
export type SubscribeRequest = {
  readonly channel: string;
  readonly tag: string | undefined;
  /** The messages are to be numbered. */
  readonly withSeq: boolean;
  /** The last number received before a connection was lost. */
  readonly fromSeq: number | undefined;
};

/** More messages of one connection do not wait for the others: what is read ahead is bounded. */
const ARRIVALS_MAX = 64;

/**
 * One connection: messages in, in order; answers out. A faulty message is answered and the connection stays
 * open, unless this happens repeatedly.
 */
export class Session {
  readonly socket: StreamSocket;
  readonly #parts: SessionParts;
  readonly #bucket: TokenBucket | undefined;
  caller: Caller | undefined;
  withSeq = false;
  cancelsOnClose = false;
  lastActiveMs: number;
  /** A message of a channel was sent since the last check. */
  isSentTo = false;
  readonly burst = new Burst();
  #rapid = 0;
  #failedLogins = 0;
  #inFlight = 0;
  #onFinished: (() => void) | undefined;
  #isPaused = false;
  /** Arrived in this turn and not read yet. */
  #arrivals: (string | undefined)[] = [];
  #hasFailed = false;

  constructor(socket: StreamSocket, parts: SessionParts) {
    this.socket = socket;
    this.#parts = parts;
    const { messagesPerSecond } = parts.limits;
    this.#bucket = messagesPerSecond === undefined ? undefined : new TokenBucket(messagesPerSecond);
    this.lastActiveMs = parts.steadyMs();
  }

  /** Whether it leaves more unread than it may. */
  get isSlow(): boolean {
    const { unreadBytes } = this.socket;
    const { unreadMaxBytes } = this.#parts.limits;
    return unreadBytes > unreadMaxBytes + this.burst.left(unreadBytes);
  }

  /** A whole message of the client; undefined for one that is not text. All that arrive in a turn are read together. */
  receive(text: string | undefined): void {
    this.lastActiveMs = this.#parts.steadyMs();
    this.#arrivals.push(text);
    // A message that is too long is refused whatever it says: it is not kept.
    const isTooLong = (text?.length ?? 0) > this.#parts.limits.messageMaxLength;
    if (isTooLong || this.#arrivals.length === ARRIVALS_MAX) this.readNow();
    else if (this.#arrivals.length === 1) this.#parts.turn.read(this);
  }

  readNow(): void {
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    for (const text of arrivals) this.#process(text);
  }

  #process(text: string | undefined): void {
    if (this.#hasFailed) return;
    try {
      this.#admit(text);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  #admit(text: string | undefined): void {
    if (this.#bucket?.take(this.lastActiveMs) === false) this.#tooRapid(text);
    else if (text === undefined) {
      this.#fail({}, refuse('REQUEST_UNEXPECTED', 'send text frames, not binary ones'));
    } else {
      this.#rapid = 0;
      this.#handle(text);
    }
  }

  /** A fault of ours in one message ends its connection, not the venue; REST answers 500. What follows it is not read. */
  #fault(fault: unknown): void {
    this.#hasFailed = true;
    this.#parts.onFault(fault);
    this.end(INTERNAL_ERROR, refuse('INTERNAL'));
  }

  /** Closes the connection with a reason; what arrived before is answered. */
  end(code: number, refusal: Refusal): void {
    this.readNow();
    this.socket.send(farewell(refusal, this.#parts.nowMs()));
    this.socket.close(code, refusal.message.slice(0, 120));
  }

  /** Resolves when every accepted command is answered. */
  finished(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onFinished = resolve;
    });
  }

  reply(text: string): void {
    this.socket.send(text);
  }

  #answered(tag?: string) {
    return { tag, timeMs: this.#parts.nowMs() };
  }

  #tooRapid(text: string | undefined): void {
    const refusal = this.#rapidRefusal();
    if (++this.#rapid > this.#parts.limits.rapidMax) {
      this.end(POLICY, refusal);
      return;
    }
    // Enough of it is parsed to answer it; a client without an answer would wait for ever.
    const sent = text === undefined ? {} : (this.#read(text) ?? outermostMembers(text));
    this.#fail(sent, refusal);
  }

  #rapidRefusal(): Refusal {
    const { messagesPerSecond } = this.#parts.limits;
    return refuse('TOO_RAPID', `at most ${messagesPerSecond} messages or channels a second`);
  }

  #read(text: string): Members | undefined {
    if (text.length > this.#parts.limits.messageMaxLength || jsonExcess(text) !== undefined) {
      return undefined;
    }
    const sent = readJson(text);
    return isJsonObject(sent) ? sent : undefined;
  }

  #handle(text: string): void {
    if (text === 'ping') {
      this.reply('pong');
      return;
    }
    const { messageMaxLength } = this.#parts.limits;
    if (text.length > messageMaxLength) {
      const sent = `${text.length} characters, at most ${messageMaxLength}`;
      this.#fail(outermostMembers(text), refuse('BODY_TOO_LARGE', sent));
      return;
    }
    const sent = this.#read(text);
    if (sent === undefined) {
      this.#refuseJson(text);
      return;
    }
    const tag = tagOf(sent);
    if (tag !== undefined && tag.length > TAG_MAX) {
      this.#fail(sent, refuse('TAG_TOO_LONG', `${tag.length} characters, at most ${TAG_MAX}`));
      return;
    }
    this.#operate(sent, tag);
  }

  /** As the historical service did: a broken order command gets the answer of an order command. */
  #refuseJson(text: string): void {
    const op = /"op"\s*:\s*"(\w{1,20})"/.exec(text)?.[1];
    const refusal = refuse('JSON_INVALID');
    if (op !== undefined && isOrderOp(op)) {
      this.reply(notSubmitted(ORDER_OPS[op].event, refusal, this.#answered()));
    } else this.reply(failed(op ?? 'error', refusal, this.#answered()));
  }

  #operate(sent: Members, tag: string | undefined): void {
    const op = textOf(sent, 'op');
    if (op !== undefined && isOrderOp(op)) this.#command(sent, op, tag);
    else if (op === 'subscribe') this.#subscribe(sent, tag);
    else if (op === 'unsubscribe') this.#unsubscribe(sent, tag);
    else if (op === 'login') this.#login(sent, tag);
    else if (op === 'ping') this.reply('pong');
    else
      this.#fail(sent, refuse('PATH_UNKNOWN', op === undefined ? 'op is missing' : shortened(op)));
  }

  /** Answers a message that was refused as a whole, in the form of its kind. */
  #fail(sent: Members, refusal: Refusal): void {
    const op = textOf(sent, 'op') ?? 'error';
    const tag = tagOf(sent)?.slice(0, TAG_MAX);
    if (isOrderOp(op)) {
      const { event, isBatch } = ORDER_OPS[op];
      const echo = isBatch ? undefined : echoText(sent['data']);
      this.reply(notSubmitted(event, refusal, this.#answered(tag), echo));
    } else this.reply(failed(shortened(op), refusal, this.#answered(tag)));
  }

  #login(sent: Members, tag: string | undefined): void {
    const { login, limits } = this.#parts;
    const data = membersOf(sent['data']);
    const cancelsOnClose = guardOf(data);
    if (typeof cancelsOnClose !== 'boolean') {
      this.reply(failed('login', cancelsOnClose, this.#answered(tag)));
      return;
    }
    const caller =
      this.caller === undefined
        ? login(
            {
              accessKey: textOf(data, 'apiKey'),
              timestamp: textOf(data, 'timestamp'),
              signature: textOf(data, 'signature'),
            },
            this.socket.address,
          )
        : refuse('ALREADY_LOGGED_IN', this.caller.accessKey);
    if ('rejected' in caller) {
      this.reply(failed('login', caller, this.#answered(tag)));
      const failedMax = limits.failedLoginsMax ?? Number.POSITIVE_INFINITY;
      if (this.caller === undefined && ++this.#failedLogins >= failedMax) {
        this.end(POLICY, refuse('TOO_RAPID', `${this.#failedLogins} logins failed`));
      }
      return;
    }
    if (cancelsOnClose && !mayDo(caller.permissions, 'trade')) {
      // Accepted, it would guard nothing: the key may not cancel.
      const words = 'cancelOnDisconnect needs a key that may trade';
      this.reply(failed('login', refuse('PERMISSION_MISSING', words), this.#answered(tag)));
      return;
    }
    this.caller = caller;
    this.withSeq = isTrue(data['seq']);
    this.cancelsOnClose = cancelsOnClose;
    this.reply(done('login', this.#answered(tag)));
  }

  #subscribe(sent: Members, tag: string | undefined): void {
    const args = argsOf(sent);
    if (args === undefined) {
      this.#fail(sent, refuse('REQUEST_UNEXPECTED', 'args is a list of channels'));
      return;
    }
    const fromSeq = seqOf(sent['fromSeq']);
    if (fromSeq === null) {
      this.#fail(sent, refuse('PARAMETER_INVALID', 'fromSeq is a whole number'));
      return;
    }
    const withSeq = this.withSeq || isTrue(sent['seq']) || fromSeq !== undefined;
    args.forEach((arg, at) => {
      const channel = channelText(arg);
      // Each channel counts like a message: its first message is the most expensive thing to request.
      if (at > 0 && this.#bucket?.take(this.lastActiveMs) === false) {
        this.reply(failed('subscribe', this.#rapidRefusal(), this.#answered(tag), channel));
      } else if (isChannelText(arg)) {
        this.#parts.subscriptions.subscribe(this, { channel, tag, withSeq, fromSeq });
      } else this.reply(failed('subscribe', noChannel(channel), this.#answered(tag), channel));
    });
  }

  #unsubscribe(sent: Members, tag: string | undefined): void {
    const args = argsOf(sent);
    if (args === undefined) {
      this.#fail(sent, refuse('REQUEST_UNEXPECTED', 'args is a list of channels'));
      return;
    }
    for (const arg of args) {
      const channel = channelText(arg);
      const answered = this.#answered(tag);
      const refusal = isChannelText(arg)
        ? this.#parts.subscriptions.unsubscribe(this, channel)
        : noChannel(channel);
      this.reply(
        refusal === undefined
          ? done('unsubscribe', answered, channel)
          : failed('unsubscribe', refusal, answered, channel),
      );
    }
  }

  #command(sent: Members, op: OrderOp, tag: string | undefined): void {
    const elements = elementsOf(sent, op);
    const requestId = textOf(sent, 'requestId');
    const refusal = this.#commandRefusal(elements, requestId);
    if (refusal !== undefined) {
      this.#fail(sent, refusal);
      return;
    }
    const { key, account } = this.caller as Caller;
    const run = this.#parts.commands.run(
      { key, account },
      { op, tag, requestId, elements: elements as readonly unknown[] },
      (text) => this.reply(text),
    );
    this.#inFlight++;
    const answered = (): void => {
      if (--this.#inFlight === 0) this.#onFinished?.();
      this.#setPaused();
    };
    run.then(answered, answered);
    this.#setPaused();
  }

  #commandRefusal(
    elements: readonly unknown[] | Refusal,
    requestId: string | undefined,
  ): Refusal | undefined {
    if (this.caller === undefined) return refuse('PERMISSION_MISSING', 'log in first');
    const { permissions, accessKey } = this.caller;
    if (!mayDo(permissions, 'trade')) return refuse('PERMISSION_MISSING', 'the key may not trade');
    if (requestId !== undefined && requestId.length > REQUEST_ID_MAX) {
      const sent = `requestId has ${requestId.length} characters, at most ${REQUEST_ID_MAX}`;
      return refuse('PARAMETER_INVALID', sent);
    }
    if ('rejected' in elements) return elements;
    if (this.#parts.mayCommand(accessKey)) return undefined;
    const { commandsPerSecond } = this.#parts.limits;
    return refuse('TOO_RAPID', `at most ${commandsPerSecond} commands a second of one key`);
  }

  /** While enough commands are in flight nothing more is read. */
  #setPaused(): void {
    const shall = this.#inFlight >= this.#parts.limits.inFlightMax;
    if (shall === this.#isPaused || !this.socket.isOpen) return;
    this.#isPaused = shall;
    if (shall) this.socket.pause();
    else this.socket.resume();
  }
}
