import { digestText } from '../bytes/digest.ts';
import { ByteWriter } from '../bytes/pack.ts';
import { RULES_VERSION, stateFrom } from '../core/snapshot.ts';
import { newState, type State } from '../core/state.ts';
import { apply } from '../core/venue.ts';
import type { Command } from '../domain/commands.ts';
import type { Entry } from '../journal/journal.ts';
import { timeText } from './clock.ts';
import { decodeEntry } from './codec.ts';

/** Why a venue does not start: its parts are inconsistent. Nothing was changed. */
export class RecoveryRefused extends Error {
  constructor(reason: string) {
    super(`the venue does not start: ${reason}`);
    this.name = 'RecoveryRefused';
  }
}

/** What was found on disk; no bytes if there is no valid snapshot. */
export type FoundSnapshot = {
  readonly sequence: number;
  readonly bytes: Uint8Array | undefined;
};

/** The state of a snapshot, or of an empty venue. */
export function startingState(snapshot: FoundSnapshot): State {
  if (snapshot.bytes === undefined) return newState();
  const state = stateFrom(snapshot.bytes);
  if (state.sequence !== snapshot.sequence) {
    throw new RecoveryRefused(
      `a snapshot named ${snapshot.sequence} holds the state of ${state.sequence}`,
    );
  }
  return state;
}

/** Events of the entry that is replayed. Reused, so that following one entry at a time allocates nothing. */
const out = new ByteWriter(64 * 1_024);

/** `events` are valid during the call only. */
export type EntryHandler = (
  sequence: number,
  timeMs: number,
  events: Uint8Array,
  command: Command,
) => void;

/**
 * Applies journal entries and checks each: the digest of its events must be the one in the entry. `onEntry`
 * gets every outcome. Returns how many bytes the entries have.
 */
export function replay(state: State, entries: Iterable<Entry>, onEntry?: EntryHandler): number {
  let byteCount = 0;
  for (const entry of entries) {
    const { sequence } = entry;
    const { stamped, digest } = decodeEntry(entry, RULES_VERSION);
    byteCount += entry.end - entry.start;
    out.clear();
    apply(state, stamped, out);
    if (state.digest.lo !== digest.lo || state.digest.hi !== digest.hi) {
      throw new RecoveryRefused(
        `replay of entry ${sequence} gives digest ${digestText(state.digest)}, the journal says ` +
          `${digestText(digest)}: this program's rules are not those that wrote it`,
      );
    }
    onEntry?.(sequence, stamped.timeMs, out.view(), stamped.command);
  }
  return byteCount;
}

/** No part may be ahead of the journal, which is authoritative. */
export function refuseAhead(part: string, partSequence: number, journalSequence: number): void {
  if (partSequence <= journalSequence) return;
  throw new RecoveryRefused(
    `${part} is at ${partSequence}, ahead of the journal at ${journalSequence}: ` +
      'the journal has lost its end or belongs to another venue',
  );
}

/** A clock behind the journal would give new commands times in the past. */
export function refuseClockBehind(state: State, nowMs: number, toleratedMs: number): void {
  const behindMs = state.timeMs - nowMs;
  if (behindMs <= toleratedMs) return;
  throw new RecoveryRefused(
    `the clock says ${timeText(nowMs)}, the journal's last command is of ` +
      `${timeText(state.timeMs)}, ${behindMs} ms later: set the clock, or start with ` +
      '--allow-clock-behind (time then stands still until the clock has caught up)',
  );
}
