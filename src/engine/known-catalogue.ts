import { directoryOf } from '../core/views/views.ts';
import type { Directory } from '../domain/views.ts';
import { peekSegments } from '../journal/peek.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { newestSnapshot } from '../journal/snapshots.ts';
import { layoutOf } from './layout.ts';
import { replay, startingState } from './recovery.ts';
import { stampOf } from './stamp.ts';

/**
 * The catalogue of a venue as its files have it, for checks before a start: of the newest snapshot, or of the
 * first command. Writes nothing; a running venue is not disturbed. Undefined if this version cannot read either
 * yet: of a venue that has not begun, or that an earlier version wrote.
 */
export function knownCatalogue(directory: string, venueId: string): Directory | undefined {
  const { journal, snapshots } = layoutOf(directory);
  const stamp = stampOf(venueId);
  const state = startingState(newestSnapshot(snapshots, { stamps: [stamp] }));
  if (state.sequence > 0) return directoryOf(state);
  const peeked = peekSegments({ directory: journal });
  const [first] = peeked.segments;
  const isReadable = first?.stamp === stamp && first.firstSequence === 1;
  if (!isReadable || peeked.lastSequence() === 0) return undefined;
  const reader = openSegmentReader({ directory: journal });
  try {
    replay(state, reader.read(1, 1));
  } finally {
    reader.close();
  }
  return directoryOf(state);
}
