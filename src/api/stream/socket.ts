import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Turn } from '../http/turn.ts';
import { writeFrames } from './frames.ts';

/** One connection as a session uses it. */
export type StreamSocket = {
  /** The client's address. */
  readonly address: string;
  /** Bytes sent but not yet taken by the operating system. */
  readonly unreadBytes: number;
  readonly isOpen: boolean;
  send(text: string): void;
  /** Writes what was sent in this turn now. */
  flush(): void;
  /** Writes frames that were built for several recipients. */
  sendFrames(frames: Uint8Array): void;
  /** Closes it with a reason; what was sent before is delivered, if it is read in time. */
  close(code: number, reason: string): void;
  pause(): void;
  resume(): void;
};

/** Close codes of RFC 6455. */
export const GOING_AWAY = 1_001;
export const POLICY = 1_008;
export const INTERNAL_ERROR = 1_011;
export const TRY_LATER = 1_013;

export type StreamSocketOptions = {
  readonly address: string;
  readonly closeGraceMs: number;
  readonly turn: Turn;
};

/** A socket of the websocket library, written to directly: a frame is built once and sent to many. */
export function streamSocket(
  socket: Socket,
  websocket: WebSocket,
  { address, closeGraceMs, turn }: StreamSocketOptions,
): StreamSocket {
  let isOpen = true;
  /** Sent in this turn: they are written together. */
  let texts: string[] = [];
  let textsLength = 0;
  const writer = {
    writeNow: (): void => {
      const due = texts;
      texts = [];
      textsLength = 0;
      if (isOpen && due.length > 0) writeFrames(socket, due);
    },
  };
  websocket.on('close', () => {
    isOpen = false;
  });
  return {
    address,
    get unreadBytes() {
      return socket.writableLength + textsLength;
    },
    get isOpen() {
      return isOpen;
    },
    send: (text) => {
      if (!isOpen) return;
      texts.push(text);
      textsLength += text.length;
      if (texts.length === 1) turn.write(writer);
    },
    flush: () => writer.writeNow(),
    sendFrames: (frames) => {
      writer.writeNow();
      if (isOpen) socket.write(frames);
    },
    close: (code, reason) => {
      if (!isOpen) return;
      writer.writeNow();
      isOpen = false;
      websocket.close(code, reason);
      // A client that does not read is not waited for.
      setTimeout(() => socket.destroy(), closeGraceMs).unref();
    },
    pause: () => websocket.pause(),
    resume: () => websocket.resume(),
  };
}
