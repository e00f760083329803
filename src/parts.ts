import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp } from './engine/stamp.ts';
import { type Identity, identityOf, NoVenue, refusePlainFiles } from './identity.ts';
import { type Peeked, peekSegments } from './journal/peek.ts';
import { peekSnapshots } from './journal/snapshots.ts';
import type { KeyPlace } from './master-key.ts';

/**
 * Checks that the files of a data directory belong together, before anything is opened or written. Each
 * refusal says what to do.
 */
export function checkParts(
  directory: string,
  key: KeyPlace,
  { isOfCluster = false }: { readonly isOfCluster?: boolean } = {},
): void {
  refusePlainFiles(directory);
  const journal = segmentsIn(directory, 'journal');
  // The log is authoritative: a node without a journal gets it from there.
  if (isOfCluster && journal.length === 0) return;
  const identity = identityIn(directory);
  if (identity === undefined) return;
  const { venueId } = identity;
  if (journal.length === 0 && identity.begun !== false) {
    throw new Error(
      `${join(directory, 'journal')} is empty, but venue.json says that venue ${venueId} has begun: ` +
        'the journal is the venue. Bring it back from a copy; or, to begin anew, use dev --reset, ' +
        'or remove venue.json and use init',
    );
  }
  refuseForeign(directory, 'journal', venueId, journal);
  refuseForeign(directory, 'events', venueId, segmentsIn(directory, 'events'));
  refuseForeign(directory, 'snapshots', venueId, peekSnapshots(join(directory, 'snapshots')));
  if (journal.length > 0) refuseLostKey(key);
}

type Stamped = { readonly stamp: string };

const segmentsIn = (directory: string, part: string): Peeked['segments'] =>
  peekSegments({ directory: join(directory, part) }).segments;

/** Undefined if there is no venue yet. */
function identityIn(directory: string): Identity | undefined {
  try {
    return identityOf(directory);
  } catch (cause) {
    if (!(cause instanceof NoVenue)) throw cause;
  }
  const leftover = ['events', 'snapshots'].find((part) => hasFiles(join(directory, part)));
  if (leftover === undefined) return undefined;
  throw new Error(
    `${directory} holds ${leftover} but neither a journal nor venue.json: bring those back from a ` +
      `copy, or remove ${join(directory, leftover)}`,
  );
}

function refuseForeign(
  directory: string,
  part: string,
  venueId: string,
  found: readonly Stamped[],
): void {
  for (const { stamp } of found) {
    const other = readStamp(stamp).venueId;
    if (other === venueId) continue;
    throw new Error(
      `${join(directory, part)} belongs to venue ${other}, venue.json to ${venueId}: bring back the ` +
        'one that fits' +
        (part === 'journal' ? '' : `, or remove ${part}, which is made from the journal again`),
    );
  }
}

function refuseLostKey({ masterKeyFile, masterKeyText }: KeyPlace): void {
  if (masterKeyText !== undefined || existsSync(masterKeyFile)) return;
  throw new Error(
    `the master key is in neither ${masterKeyFile} nor RIALTO_MASTER_KEY: without it no API key of ` +
      'this venue can be used. Bring it back from a copy, or give its 64 digits in RIALTO_MASTER_KEY. If it is lost for ' +
      'good: rialto key forget-all revokes every API key and makes a new master key',
  );
}

const hasFiles = (directory: string): boolean =>
  existsSync(directory) && readdirSync(directory).length > 0;

/** Tries one secret: all were sealed with the same key. */
export function refuseWrongKey(
  { masterKeyFile, masterKeyText }: KeyPlace,
  keys: readonly { readonly sealedSecret: Uint8Array; readonly isRevoked: boolean }[],
  seal: { unseal(sealed: Uint8Array): Uint8Array },
): void {
  const key = keys.findLast(({ isRevoked }) => !isRevoked);
  if (key === undefined) return;
  try {
    seal.unseal(key.sealedSecret);
  } catch {
    const given = masterKeyText === undefined ? masterKeyFile : 'RIALTO_MASTER_KEY';
    throw new Error(
      `the master key in ${given} is not this venue's: it does not open the secrets of its API keys. ` +
        'Give the one it was made with; if that is lost, rialto key forget-all revokes every API ' +
        'key and makes a new master key',
    );
  }
}

/** Works even if snapshots, event log and history were removed: a clean stop records its sequence. */
export function refuseShortened(
  directory: string,
  { stoppedAt = 0 }: Identity,
  sequence: number,
): void {
  if (sequence >= stoppedAt) return;
  throw new Error(
    `the journal ends at ${sequence}, but the venue was stopped at ${stoppedAt}: the last ` +
      `${stoppedAt - sequence} entries of ${join(directory, 'journal')} are missing; bring it back ` +
      'from a copy',
  );
}
