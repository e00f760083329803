import type { IncomingMessage } from 'node:http';
import type { MemoryRoom } from './memory-room.ts';

export type BodyLimits = {
  readonly limitBytes: number;
  /** Shared by all bodies that are still arriving: a thousand slow senders must fit into it. */
  readonly room: MemoryRoom;
};
export type Body = { readonly text: string } | { readonly refused: 'too large' | 'no room' };

/**
 * Collects a body as text and hands it over once, or says why it was not taken.
 *
 * What comes after a refusal is thrown away as it arrives (the server's request timeout bounds
 * that), so that a client that is still sending gets to read it. A request that breaks off is never
 * handed over. Nearly every body is a single chunk and is not copied.
 */
export function readBody(
  message: IncomingMessage,
  { limitBytes, room }: BodyLimits,
  done: (body: Body) => void,
): void {
  if (!hasBody(message)) {
    done(EMPTY);
    return;
  }
  let chunks: Buffer[] | undefined = [];
  let sizeBytes = 0;
  let heldBytes = 0;
  const stop = (): void => {
    chunks = undefined;
    room.give(heldBytes);
    heldBytes = 0;
  };
  message.on('data', (chunk: Buffer) => {
    if (chunks === undefined) return;
    sizeBytes += chunk.length;
    const isTooLarge = sizeBytes > limitBytes;
    if (!isTooLarge && room.take(chunk.length)) {
      heldBytes += chunk.length;
      chunks.push(chunk);
      return;
    }
    stop();
    done({ refused: isTooLarge ? 'too large' : 'no room' });
  });
  message.on('end', () => {
    if (chunks === undefined) return;
    const [only, ...more] = chunks;
    stop();
    if (only === undefined) done(EMPTY);
    else
      done({ text: (more.length === 0 ? only : Buffer.concat([only, ...more])).toString('utf8') });
  });
  // A connection that breaks off has nobody left to answer; without a listener it would be thrown.
  message.on('error', () => {
    if (chunks !== undefined) stop();
  });
}

const EMPTY: Body = { text: '' };

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** What the sender says the body is long; 0 when it does not say. */
export const declaredBytes = ({ headers }: IncomingMessage): number =>
  Number.parseInt(headers['content-length'] ?? '0', 10);
