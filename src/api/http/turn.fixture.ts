import type { Turn } from './turn.ts';

/** Nothing waits for anything else: for tests of one connection. */
export const AT_ONCE: Turn = {
  read: (reader) => reader.readNow(),
  handle: (run) => run(),
  write: (writer) => writer.writeNow(),
};
