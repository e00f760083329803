import type { Transport } from '../replication/log.ts';
import { CommandIntake } from './command-intake.ts';
import type { Engine } from './engine.ts';
import { stampOf } from './stamp.ts';

/** The only writer id that gateways of this process know. */
export const ONLY_WRITER = 'thread';

/** Messages between two threads: none is lost while both live, so nothing is sent again. */
export type ThreadTransport = Transport & {
  readonly messageBytesMax: number;
  /** What the other thread has posted. */
  deliver(bytes: Uint8Array): void;
};

export function threadTransport(post: (bytes: Uint8Array<ArrayBuffer>) => void): ThreadTransport {
  let onReceived: ((bytes: Uint8Array) => void) | undefined;
  return {
    isConnected: true,
    messageBytesMax: Number.POSITIVE_INFINITY,
    // A copy: the writer of messages reuses its buffer.
    post: (_topic, bytes) => {
      post(new Uint8Array(bytes));
      return true;
    },
    receive: (_topic, onBytes) => {
      onReceived = onBytes;
      return () => {
        onReceived = undefined;
      };
    },
    deliver: (bytes) => onReceived?.(bytes),
  };
}

/** The engine's side: accepts commands of one gateway thread. The returned function ends that. */
export function takeFromThread(
  engine: Engine,
  transport: ThreadTransport,
  venueId: string,
): () => void {
  const intake = new CommandIntake({
    ...{ transport, writer: ONLY_WRITER, stamp: stampOf(venueId), soon: setImmediate },
    nowMs: () => performance.now(),
    onTrouble: () => undefined,
  });
  intake.open(engine);
  return () => intake.end();
}
