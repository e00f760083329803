/**
 * One writer per directory, held by a lock file that names its process.
 *
 * Node has no flock, so a lock can outlive its holder; it is then taken over. A process is known by
 * its pid and by when it began: in a container the new venue often has the very pid of the dead one.
 * Known limit: two machines or two containers on one volume do not see each other's processes.
 */
import fs from 'node:fs';
import { JournalLocked } from './journal.ts';

/** Takes the lock or throws JournalLocked. Answers the function that gives it back. */
export function takeLock(path: string): () => void {
  const mine = `${process.pid} ${startOf(process.pid)}\n`;
  // Written aside and linked, so that nobody ever reads a lock without a name in it.
  const aside = `${path}.${process.pid}.${performance.now()}`;
  fs.writeFileSync(aside, mine);
  try {
    while (!link(aside, path)) removeStale(path);
  } finally {
    fs.unlinkSync(aside);
  }
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    fs.unlinkSync(path);
  };
}

function removeStale(path: string): void {
  const found = read(path);
  if (found === undefined) return;
  const [pidText = '', start = ''] = found.trim().split(' ');
  const pid = /^\d+$/.test(pidText) ? Number(pidText) : 0;
  if (pid !== 0 && isAlive(pid) && startOf(pid) === start) throw new JournalLocked(path, pid);
  // Two may find the same stale lock. Whoever moves a lock away that is no longer the stale one
  // has taken a live one, and puts it back.
  const moved = `${path}.${process.pid}.stale`;
  try {
    fs.renameSync(path, moved);
  } catch {
    return;
  }
  if (read(moved) !== found) link(moved, path);
  fs.unlinkSync(moved);
}

function link(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    throw cause;
  }
}

function read(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Not allowed to signal it means that it is there.
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}

/** When a process began, as far as the system tells: boot and clock ticks since. Empty elsewhere. */
function startOf(pid: number): string {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  // The second field is the program's name in brackets and may hold blanks: count after it.
  const fields = read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
  return `${boot}/${fields?.[19] ?? ''}`;
}
