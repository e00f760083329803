import { createHash } from 'node:crypto';
import { type Audit, audit } from '../core/audit.ts';
import { snapshotOf } from '../core/snapshot.ts';
import { digestText } from '../domain/digest.ts';
import { openSegmentReader } from '../journal/segment-reader.ts';
import { listSnapshots, newestSnapshot } from '../journal/snapshots.ts';
import { verifySegments } from '../journal/verify.ts';
import { layoutOf } from './layout.ts';
import { type FoundSnapshot, RecoveryRefused, replay, startingState } from './recovery.ts';

export type Verified = {
  readonly sequence: number;
  /** Sequence the replay began after: 0, unless the oldest part of the journal was archived. */
  readonly from: number;
  readonly digest: string;
  /** SHA-256 of the whole state: equal in every venue that replayed the same journal. */
  readonly stateHash: string;
  readonly audit: Audit;
  readonly snapshotsChecked: number;
};

/**
 * Replays a stopped venue from its first command and re-adds every purse. Snapshots are not
 * trusted but checked: each must be the very bytes that replay arrives at.
 */
export function verifyVenue(options: {
  readonly directory: string;
  readonly stamp: string;
  readonly onProgress?: (sequence: number, last: number) => void;
}): Verified {
  const stamps = [options.stamp];
  const paths = layoutOf(options.directory);
  const { firstSequence, lastSequence } = verifySegments({ directory: paths.journal, stamps });
  const start =
    firstSequence <= 1
      ? { sequence: 0, bytes: undefined }
      : oldestSnapshotFrom(paths.snapshots, firstSequence - 1, stamps);
  const state = startingState(start);
  const reader = openSegmentReader({ directory: paths.journal });
  const checkpoints = listSnapshots(paths.snapshots).filter((at) => at > state.sequence);
  let snapshotsChecked = 0;
  for (const upTo of [...new Set([...checkpoints, lastSequence])].sort((a, b) => a - b)) {
    if (upTo > lastSequence) {
      throw new RecoveryRefused(`a snapshot at ${upTo} is ahead of the journal at ${lastSequence}`);
    }
    if (upTo > state.sequence) replay(state, reader.read(state.sequence + 1, upTo));
    options.onProgress?.(state.sequence, lastSequence);
    if (!checkpoints.includes(upTo)) continue;
    const kept = newestSnapshot(paths.snapshots, { stamps, atMost: upTo });
    if (kept.sequence !== upTo || kept.bytes === undefined) continue; // A damaged one: recovery skips it, too.
    if (hashOf(kept.bytes) !== hashOf(snapshotOf(state))) {
      throw new RecoveryRefused(`the snapshot at ${upTo} is not the state that replay gives`);
    }
    snapshotsChecked++;
  }
  return {
    sequence: state.sequence,
    from: start.sequence,
    digest: digestText(state.digest),
    stateHash: hashOf(snapshotOf(state)),
    audit: audit(state),
    snapshotsChecked,
  };
}

/** Where the journal's beginning was archived, replay starts at the oldest snapshot that reaches it. */
function oldestSnapshotFrom(
  directory: string,
  sequence: number,
  stamps: readonly string[],
): FoundSnapshot {
  for (const at of listSnapshots(directory).sort((a, b) => a - b)) {
    if (at < sequence) continue;
    const found = newestSnapshot(directory, { stamps, atMost: at });
    if (found.sequence === at) return found;
  }
  throw new RecoveryRefused(
    `the journal begins at ${sequence + 1} and no snapshot reaches back that far`,
  );
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
