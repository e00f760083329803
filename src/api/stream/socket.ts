import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { writeFrame } from './frames.ts';

/** One connection as a session uses it. */
export type StreamSocket = {
  /** The client's address. */
  readonly address: string;
  /** Bytes written but not yet taken by the operating system. */
  readonly unreadBytes: number;
  readonly isOpen: boolean;
  send(text: string): void;
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

/** A socket of the websocket library, written to directly: a frame is built once and sent to many. */
export function streamSocket(
  socket: Socket,
  websocket: WebSocket,
  { address, closeGraceMs }: { readonly address: string; readonly closeGraceMs: number },
): StreamSocket {
  let isOpen = true;
  websocket.on('close', () => {
    isOpen = false;
  });
  return {
    address,
    get unreadBytes() {
      return socket.writableLength;
    },
    get isOpen() {
      return isOpen;
    },
    send: (text) => {
      if (isOpen) writeFrame(socket, text);
    },
    sendFrames: (frames) => {
      if (isOpen) socket.write(frames);
    },
    close: (code, reason) => {
      if (!isOpen) return;
      isOpen = false;
      websocket.close(code, reason);
      // A client that does not read is not waited for.
      setTimeout(() => socket.destroy(), closeGraceMs).unref();
    },
    pause: () => websocket.pause(),
    resume: () => websocket.resume(),
  };
}
