import type { OpenFile } from './files.ts';
import { IN_FLIGHT_BYTES_MAX } from './record.ts';
import type { SyncHandles } from './sync-handles.ts';

/** The segment that is written to. */
export type Active = {
  readonly file: OpenFile;
  readonly syncHandles: SyncHandles;
  readonly firstSequence: number;
  readonly fileBytes: number;
  readonly stamp: string;
  readonly salt: number;
  endOffset: number;
  /** Up to here it is known to be durable: less than `endOffset` while appends are in flight. */
  durableOffset: number;
};

/** A group that was handed over to be appended. */
export type NewGroup = {
  readonly entries: readonly Uint8Array[];
  readonly recordBytes: number;
  readonly firstSequence: number;
};

/** How a group is appended to it. */
export type Appending = {
  /** For the fsync. */
  readonly handle: OpenFile;
  /** The append before, if that is in flight. */
  readonly before?: Promise<boolean> | undefined;
};

export const bytesInFlight = ({ endOffset, durableOffset }: Active): number =>
  endOffset - durableOffset;

/** For the fsync of another record; undefined if it must wait until those before it are durable. */
export const syncHandleFor = (active: Active): OpenFile | undefined =>
  bytesInFlight(active) <= IN_FLIGHT_BYTES_MAX ? active.syncHandles.take() : undefined;
