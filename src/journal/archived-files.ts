/** A journal's directory together with its archive, read as if nothing had been archived. */
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Files, isMissing, type OpenFile, readWhole } from './files.ts';
import { JournalDamaged } from './journal.ts';

export const archivedName = (segment: string): string => `${segment}.gz`;

/**
 * Files in which a directory also lists and opens its archived files, decompressed. For readers and `verify`:
 * they walk from the first segment to the last, wherever each one is.
 */
export function withArchive(
  files: Files,
  where: { readonly directory: string; readonly archive: string },
): Files {
  return {
    open: (path, mode) => {
      try {
        return files.open(path, mode);
      } catch (cause) {
        if (mode !== 'read' || !isMissing(cause) || dirname(path) !== where.directory) throw cause;
        return openArchived(files, join(where.archive, archivedName(basename(path))));
      }
    },
    list: (directory) => {
      const names = files.list(directory);
      if (directory !== where.directory) return names;
      const archived = files.list(where.archive).filter((name) => name.endsWith('.gz'));
      return [...new Set([...names, ...archived.map((name) => name.slice(0, -'.gz'.length))])];
    },
    makeDirectory: (directory) => files.makeDirectory(directory),
    rename: (from, to) => files.rename(from, to),
    link: (from, to) => files.link(from, to),
    remove: (path) => files.remove(path),
    fsyncDirectory: (directory) => files.fsyncDirectory(directory),
    openDirectory: (directory) => files.openDirectory(directory),
    lock: (path) => files.lock(path),
  };
}

/** Read whole into memory: a segment is 16 MiB. Throws with code ENOENT if it does not exist. */
function openArchived(files: Files, path: string): OpenFile {
  const bytes = decompressed(path, readWhole(files, path));
  const refuse = (): never => {
    throw new Error(`${path} is archived: it is not written to`);
  };
  return {
    size: () => bytes.length,
    read: (into, position) => {
      const found = bytes.subarray(position, position + into.length);
      into.set(found);
      return found.length;
    },
    write: refuse,
    writeAside: refuse,
    fsync: refuse,
    syncNow: refuse,
    close: () => undefined,
  };
}

function decompressed(path: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new JournalDamaged({ file: path, offset: 0 }, `it does not decompress: ${reason}`);
  }
}
