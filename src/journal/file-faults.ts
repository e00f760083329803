import fs from 'node:fs';

/** Whether a file or a directory is there. One that cannot be looked at is not a missing one: that throws. */
export function isThere(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw unreadable(path, cause);
  }
}

export function textIn(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** A refusal that names the file, and who was refused where that is the reason. */
export function unreadable(path: string, cause: unknown): Error {
  return fault(path, 'opened', cause);
}

export function unwritable(path: string, cause: unknown): Error {
  return fault(path, 'written', cause);
}

function fault(path: string, done: string, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isRefused = code === 'EACCES' || code === 'EPERM';
  const reason = isRefused ? `${userName()} may not (${code}): see who owns it` : message;
  return new Error(`${path} cannot be ${done}: ${reason}`, { cause });
}

const userName = (): string => `the user of this process (${process.getuid?.() ?? 'unknown'})`;
