/** Moves whole segments out of a journal's directory, so that its disk use stays bounded. */
import { basename, dirname, join } from 'node:path';
import {
  codeOf,
  DURABLE_PIECE_BYTES,
  type Files,
  isMissing,
  readWhole,
  writeAll,
} from './files.ts';
import { listSegments, segmentName } from './segment-header.ts';

/**
 * Moves the segments that hold only entries before a sequence, and returns their names. The newest always
 * stays: it says where the journal ends.
 *
 * Oldest first, each durable before the next: a crash in between leaves a shorter journal, never one with a
 * gap. Moving the files back restores the entries.
 */
export async function archiveSegments(
  files: Files,
  where: { readonly from: string; readonly to: string; readonly beforeSequence: number },
): Promise<string[]> {
  files.makeDirectory(where.to);
  removeLeftovers(files, where.to);
  const segments = listSegments(files, where.from);
  const moved: string[] = [];
  for (const [index, firstSequence] of segments.entries()) {
    const nextFirst = segments[index + 1];
    if (nextFirst === undefined || nextFirst > where.beforeSequence) break;
    const name = segmentName(firstSequence);
    await moveFile(files, join(where.from, name), join(where.to, name));
    moved.push(name);
  }
  return moved;
}

/**
 * Links the file under its new name, then removes the old one, so that it always has a name. A rename between
 * directories would be two changes that not every file system makes durable together.
 */
async function moveFile(files: Files, from: string, to: string): Promise<void> {
  if (files.list(dirname(to)).includes(basename(to))) {
    // A crash came between the two steps. Anything but the same bytes belongs to another archive.
    if (Buffer.compare(readWhole(files, from), readWhole(files, to)) !== 0) {
      throw new Error(`${to} is already there, with other bytes`);
    }
  } else {
    await linkOrCopy(files, from, to);
  }
  await files.fsyncDirectory(dirname(to));
  files.remove(from);
  await files.fsyncDirectory(dirname(from));
}

async function linkOrCopy(files: Files, from: string, to: string): Promise<void> {
  try {
    files.link(from, to);
  } catch (cause) {
    // Another disk, or one without hard links.
    if (codeOf(cause) !== 'EXDEV' && codeOf(cause) !== 'EPERM') throw cause;
    await writeAside(files, to, [readWhole(files, from)]);
  }
}

/**
 * Makes a file appear whole or not at all: written under a temporary name, synced, renamed, and the rename
 * synced.
 */
export async function writeAside(
  files: Files,
  path: string,
  parts: readonly Uint8Array[],
): Promise<void> {
  const aside = `${path}.tmp`;
  const file = files.open(aside, 'create');
  try {
    let position = 0;
    for (const piece of pieces(parts)) {
      writeAll(file, piece, position);
      position += piece.length;
      await file.fsync();
    }
  } catch (cause) {
    file.close();
    removeQuietly(files, aside); // On a full disk a partial file would keep occupying space.
    throw cause;
  }
  file.close();
  files.rename(aside, path);
  await files.fsyncDirectory(dirname(path));
}

function* pieces(parts: readonly Uint8Array[]): Iterable<Uint8Array> {
  for (const part of parts) {
    for (let from = 0; from < part.length; from += DURABLE_PIECE_BYTES) {
      yield part.subarray(from, from + DURABLE_PIECE_BYTES);
    }
  }
}

/** Cleans up after a failure: the first failure is the one to report. */
export function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // It does not exist, or cannot be removed either.
  }
}

/** Removes what a crash left of `writeAside`. */
export function removeLeftovers(files: Files, directory: string): void {
  for (const name of files.list(directory)) {
    if (!name.endsWith('.tmp')) continue;
    try {
      files.remove(join(directory, name));
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
    }
  }
}
