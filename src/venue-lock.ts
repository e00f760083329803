import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { refusePlainFiles } from './identity.ts';
import { makeFolder } from './journal/files.ts';
import { JournalLocked } from './journal/journal.ts';
import { takeLock } from './journal/lock.ts';

const FILE = 'venue.lock';
/** Enough for a killed venue to be gone: the system frees its memory before its locks. */
const WAIT_MS = 5_000;
const PAUSE_MS = 50;

/**
 * Locks a data directory for this process, before anything in it is read, reset or written. Waits a while for
 * a holder that is just ending; then the refusal names it. Returns the release function.
 */
export async function lockVenue(
  directory: string,
  pause: (ms: number) => Promise<void> = realPause,
): Promise<() => void> {
  refusePlainFiles(directory);
  makeFolder(directory);
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      const release = takeLock(join(directory, FILE));
      try {
        refuseOldLock(join(directory, 'journal', 'lock'));
      } catch (cause) {
        release();
        throw cause;
      }
      return release;
    } catch (cause) {
      if (!(cause instanceof JournalLocked) || waitedMs >= WAIT_MS) throw cause;
    }
    await pause(PAUSE_MS);
  }
}

const realPause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The first version used another lock: a file with its pid and start time. One that still runs must not share
 * the directory; what a killed one left is removed.
 */
function refuseOldLock(file: string): void {
  if (!existsSync(file)) return;
  const [pid = '', began = ''] = readFileSync(file, 'utf8').trim().split(' ');
  const fields = textOf(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
  const boot = textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const isRunning = fields !== undefined && fields[0] !== 'Z';
  if (isRunning && `${boot}/${fields[19]}` === began) {
    throw new JournalLocked(file, `process ${pid}, a venue of an earlier version`);
  }
  rmSync(file, { force: true });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
