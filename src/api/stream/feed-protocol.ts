import type { Batch } from './batch.ts';
import type { ChannelSpec } from './channel-spec.ts';

/** What the thread with the sockets asks of the one that makes the messages, and what it gets. */
export type FeedRequest =
  | {
      readonly kind: 'open';
      /** Of the channel: the same number for the same specification. */
      readonly channel: number;
      readonly spec: ChannelSpec;
      /** As the client named it. */
      readonly name: string;
      readonly listener: number;
      readonly isCounted: boolean;
      readonly fromSeq: number | undefined;
      /** The beginning shows everything up to here. */
      readonly afterSequence: number;
    }
  /** The listener was spared messages and begins anew. */
  | {
      readonly kind: 'again';
      readonly channel: number;
      readonly listener: number;
      readonly isCounted: boolean;
    }
  | { readonly kind: 'leave'; readonly channel: number; readonly isCounted: boolean }
  /** A batch was sent to everybody it is for: the next may come. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'stop' };

export type FeedAnswer =
  | { readonly kind: 'batch'; readonly batch: Batch }
  /** Nobody listens, and nothing is kept for listeners that might come back. */
  | { readonly kind: 'idle' };
