import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copySegments } from '../journal/copy-segments.ts';
import { makeFolder } from '../journal/files.ts';
import { layoutOf } from './layout.ts';

/**
 * Copies the engine's files while it runs. The order makes the copy consistent: snapshots know no more than
 * the event log, the event log no more than the journal, and segments retired meanwhile are in the archive.
 */
export async function copyEngineFiles(options: {
  readonly from: string;
  readonly to: string;
  /** Where old segments go, if not into the data directory's own archive. */
  readonly archive?: string | undefined;
}): Promise<void> {
  const from = layoutOf(options.from);
  const to = layoutOf(options.to);
  await copyFiles(from.snapshots, to.snapshots);
  await copySegments(from.events, to.events);
  await copySegments(from.journal, to.journal);
  await copyFiles(from.poison, to.poison);
  const archive = options.archive ?? from.archive;
  for (const part of ['journal', 'events']) {
    await copyFiles(join(archive, part), join(to.archive, part));
  }
}

/** Files that are complete once they have their final name. */
async function copyFiles(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  if (names.length === 0) return;
  makeFolder(to, 0o700);
  for (const name of names) {
    if (name.endsWith('.tmp') || name.endsWith('.lock')) continue;
    await copyFile(join(from, name), join(to, name)).catch((cause: { code?: string }) => {
      // An old snapshot was dropped meanwhile.
      if (cause.code !== 'ENOENT') throw cause;
    });
  }
}
