import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { FakeSocket } from '../http/fake-socket.fixture.ts';
import type { Writer } from '../http/turn.ts';
import { streamSocket } from './socket.ts';

function opened() {
  const socket = new FakeSocket();
  const websocket = new FakeSocket();
  const closed: number[] = [];
  const library = Object.assign(websocket, { close: (code: number) => closed.push(code) });
  const due: Writer[] = [];
  const turn = {
    read: () => undefined,
    handle: () => undefined,
    write: (writer: Writer) => due.push(writer),
  };
  const stream = streamSocket(socket as unknown as Socket, library as unknown as WebSocket, {
    address: '10.0.0.1',
    closeGraceMs: 1,
    turn,
  });
  const write = (): void => {
    for (const writer of due.splice(0)) writer.writeNow();
  };
  return { stream, socket, library, closed, write };
}

const frame = (text: string): string => String.fromCharCode(0x81, text.length) + text;

test('what is sent in one turn is written together, and counts as unread until then', () => {
  const { stream, socket, write } = opened();
  stream.send('one');
  stream.send('two');
  expect([socket.text, stream.unreadBytes]).toEqual(['', 6]);
  write();
  expect([socket.text, stream.unreadBytes]).toEqual([frame('one') + frame('two'), 0]);
});

test('frames of a channel follow what was sent before them', () => {
  const { stream, socket, write } = opened();
  stream.send('one');
  stream.sendFrames(Buffer.from(frame('two').slice(1), 'latin1'));
  expect(socket.text.startsWith(frame('one'))).toBe(true);
  const before = socket.text;
  write();
  expect(socket.text).toBe(before);
});

test('what was sent goes out before the connection closes, and nothing after it', () => {
  const { stream, socket, closed, write } = opened();
  stream.send('farewell');
  stream.close(1_001, 'over');
  stream.send('more');
  write();
  expect([socket.text, closed]).toEqual([frame('farewell'), [1_001]]);
});

test('nothing is written to a connection that is gone', () => {
  const { stream, socket, library, write } = opened();
  stream.send('one');
  library.emit('close');
  write();
  expect(socket.text).toBe('');
});
