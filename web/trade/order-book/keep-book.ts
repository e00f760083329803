import { LocalBook, type RialtoStream, type StreamMessage } from '../../../src/client/index.ts';
import type { BookSides } from './levels.ts';

/** Messages within this time after requesting a new snapshot may belong to the previous subscription. */
const BEGINNING_MS = 1_000;

export type BookKeeper = {
  readonly stream: Pick<RialtoStream, 'subscribe'>;
  readonly marketCode: string;
  readonly nowMs: () => number;
  readonly onMessage: (message: StreamMessage) => void;
  readonly onBook: (book: BookSides) => void;
};

/** Keeps a market's book from its channel until the returned function is called. */
export function keepBook({ stream, marketCode, nowMs, onMessage, onBook }: BookKeeper): () => void {
  const local = new LocalBook();
  const channel = `depthUpdate:${marketCode}`;
  let requestedAtMs: number | undefined;
  let leave: (() => void) | undefined;
  const receive = (message: StreamMessage): void => {
    onMessage(message);
    const isLate = requestedAtMs !== undefined && nowMs() - requestedAtMs < BEGINNING_MS;
    if (isLate && message.snapshot !== true) return;
    try {
      local.hear(message);
    } catch {
      // The levels differ from those that were sent, or the snapshot was lost: a new one replaces all of
      // them.
      requestedAtMs = nowMs();
      leave?.();
      leave = stream.subscribe(channel, receive);
      return;
    }
    requestedAtMs = undefined;
    // A heartbeat draws nothing.
    if (hasLevels(message)) onBook({ asks: local.asks, bids: local.bids });
  };
  leave = stream.subscribe(channel, receive);
  return () => leave?.();
}

/** A snapshot counts even if it is empty: it replaces what was there. */
function hasLevels({ table, data }: StreamMessage): boolean {
  const { asks, bids } = data as BookSides;
  return table === 'depthUpdate' || asks.length + bids.length > 0;
}
