import type { Batch } from './batch.ts';
import type { ChannelSpec } from './channel-spec.ts';

/** The requests of the thread with the sockets to the one that builds the messages, and the replies. */
export type FeedRequest =
  | {
      readonly kind: 'open';
      /** The number of the channel: the same for the same specification. */
      readonly channel: number;
      readonly spec: ChannelSpec;
      /** As the client named it. */
      readonly name: string;
      readonly listener: number;
      readonly isCounted: boolean;
      readonly fromSeq: number | undefined;
      /** The first message must show everything up to this sequence. */
      readonly afterSequence: number;
    }
  /** Messages were skipped for this listener; it starts from a snapshot. */
  | {
      readonly kind: 'again';
      readonly channel: number;
      readonly listener: number;
      readonly isCounted: boolean;
    }
  | { readonly kind: 'leave'; readonly channel: number; readonly isCounted: boolean }
  /** A batch was sent to all its recipients: the next may come. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'stop' };

export type FeedAnswer =
  | { readonly kind: 'batch'; readonly batch: Batch }
  /** There are no listeners, and nothing is kept for any that might resume. */
  | { readonly kind: 'idle' };
