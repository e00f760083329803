import { RialtoError } from '../client/index.ts';
import { EngineStopped } from '../engine/engine.ts';
import { unreadable, unwritable } from '../journal/file-faults.ts';
import type { Venue } from '../main.ts';

/**
 * Keeps a venue running until a signal stops it. SIGHUP comes from a closed terminal (stop) or from an
 * administrator (reload).
 */
export function runUntilSignal(venue: Venue, onHangup: 'stop' | 'reload'): void {
  const stop = stopperOf(venue, () => performance.now(), process.exit);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', onHangup === 'stop' ? stop : () => venue.reloadTls());
}

/**
 * A terminal signals the whole process group, and `npm start` forwards its own copy: that is one request to
 * stop.
 */
const SAME_REQUEST_MS = 1_000;

/** Stops cleanly at the first signal; a later second one ends the process at once. */
export function stopperOf(
  venue: Pick<Venue, 'stop' | 'abandon' | 'log'>,
  nowMs: () => number,
  exit: (code: number) => void,
): () => void {
  let stoppingSinceMs: number | undefined;
  return () => {
    if (stoppingSinceMs !== undefined) {
      if (nowMs() - stoppingSinceMs < SAME_REQUEST_MS) return;
      venue.abandon();
      exit(130);
      return;
    }
    stoppingSinceMs = nowMs();
    venue.stop().then(
      () => exit(Number(process.exitCode ?? 0)),
      (cause: unknown) => {
        venue.log.fatal({ err: cause }, 'the venue did not stop cleanly');
        exit(1);
      },
    );
  };
}

/** Prints an error as one sentence, without its stack. */
export async function orExplain(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    console.error(explained(cause));
    process.exit(1);
  }
}

/** Of files; a program that may not be started is another mistake. */
const OPENING = ['open', 'stat', 'lstat', 'access', 'scandir', 'opendir'];
const WRITING = ['mkdir', 'rename', 'unlink', 'rm', 'rmdir', 'chmod', 'copyfile', 'link'];

/** A refusal with its code, as docs/CLI.md says. That the engine has stopped does not tell why the disk refused. */
export function explained(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code, path, syscall = '' } = cause as NodeJS.ErrnoException;
  // Every part of the program opens files; a user who may not is the same mistake everywhere.
  if ((code === 'EACCES' || code === 'EPERM') && path !== undefined) {
    if (OPENING.includes(syscall)) return unreadable(path, cause).message;
    if (WRITING.includes(syscall)) return unwritable(path, cause).message;
  }
  const { message, cause: behind } = cause;
  if (cause instanceof RialtoError) return `${cause.code}: ${message}`;
  const isStopped = cause instanceof EngineStopped && behind instanceof Error;
  return isStopped ? `${message}: ${behind.message}` : message;
}
