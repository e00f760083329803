/** Moves whole segments out of a journal's directory, so that its disk use stays bounded. */
import { basename, dirname, join } from 'node:path';
import { codeOf, type Files, isMissing, readWhole, writeAll } from './files.ts';
import { listSegments, segmentName } from './segment-header.ts';

/**
 * Moves the segments that hold only entries before a sequence, and answers their names. The newest
 * stays whatever is asked: it says where the journal stands.
 *
 * Oldest first, each durable before the next: a crash in between leaves a shorter journal, never
 * one with a hole. Moving the files back brings the entries back.
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
 * A second name, then the first one goes: at no moment is there none. A rename between directories
 * would be two changes that not every file system makes durable together.
 */
async function moveFile(files: Files, from: string, to: string): Promise<void> {
  if (files.list(dirname(to)).includes(basename(to))) {
    // A crash came between the two names. Anything but the same bytes is somebody else's archive.
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
    // Another disk, or one without second names.
    if (codeOf(cause) !== 'EXDEV' && codeOf(cause) !== 'EPERM') throw cause;
    await writeAside(files, to, [readWhole(files, from)]);
  }
}

/**
 * Makes a file appear whole or not at all: written beside its place, synced, renamed, and the
 * rename synced.
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
    for (const part of parts) {
      writeAll(file, part, position);
      position += part.length;
    }
    await file.fsync();
  } catch (cause) {
    file.close();
    removeQuietly(files, aside); // On a full disk the half of it would keep the room it took.
    throw cause;
  }
  file.close();
  files.rename(aside, path);
  await files.fsyncDirectory(dirname(path));
}

/** For what is left of something that has failed: the first failure is the one to tell. */
export function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // Not there, or not to be removed either.
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
