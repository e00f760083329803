import { expect, test } from 'vitest';
import { refuse } from '../../domain/rejections.ts';
import type { Reader } from '../http/turn.ts';
import { DEFAULT_STREAM_LIMITS } from './limits.ts';
import { Session, type SessionParts } from './session.ts';
import { POLICY } from './socket.ts';

/** A session whose messages are read when the test says so. */
function scene() {
  const sent: string[] = [];
  const due: Reader[] = [];
  const clock = { ms: 0 };
  const socket = {
    ...{ address: '10.0.0.1', unreadBytes: 0, isOpen: true },
    send: (text: string) => void sent.push(text),
    close: () => void sent.push('closed'),
    ...{ flush: nothing, sendFrames: nothing, pause: nothing, resume: nothing },
  };
  const parts = {
    turn: { read: (reader: Reader) => due.push(reader), handle: nothing, write: nothing },
    limits: { ...DEFAULT_STREAM_LIMITS, messagesPerSecond: undefined },
    ...{ nowMs: () => 1, steadyMs: () => clock.ms },
    onFault: (fault: unknown) => {
      throw fault;
    },
  } as unknown as SessionParts;
  return { session: new Session(socket, parts), sent, due, clock };
}
const nothing = (): void => undefined;

test('a message that has arrived shows that its connection is not idle, before it is read', () => {
  const { session, clock, due } = scene();
  clock.ms = 90_001;
  session.receive('ping');
  expect([due.length, session.lastActiveMs]).toEqual([1, 90_001]);
});

test('a message that is too long is refused at once: it is not kept until others are read', () => {
  const { session, sent } = scene();
  session.receive('ping');
  session.receive('x'.repeat(DEFAULT_STREAM_LIMITS.messageMaxLength + 1));
  expect(sent).toHaveLength(2);
  expect(sent[0]).toBe('pong');
  expect(sent[1]).toContain(`${DEFAULT_STREAM_LIMITS.messageMaxLength}`);
});

test('a connection that is ended gets the answers to what arrived before', () => {
  const { session, sent } = scene();
  session.receive('ping');
  session.end(POLICY, refuse('TOO_RAPID'));
  expect([sent[0], sent.at(-1), sent.length]).toEqual(['pong', 'closed', 3]);
});
