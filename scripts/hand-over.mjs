// Starts the program on its runtime and stays as its parent: forwards signals to it and returns its exit
// code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** The exit code of the Linux loader, after it has named the library. */
const LIBRARY_MISSING = 127;
const MISSING_WORDS =
  'The Node.js that comes with Rialto did not start: this machine lacks a library that it needs. ' +
  'On Debian and Ubuntu: apt-get install libatomic1. On Fedora: dnf install libatomic.';

export function handOver(node, args, { cwd = process.cwd(), env = process.env } = {}) {
  const child = spawn(node, args, { stdio: 'inherit', cwd, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  // npm does not forward its signals through the shell it starts: when that shell is gone, stop the venue.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  child.on('exit', (code, signal) => {
    if (code === LIBRARY_MISSING) console.error(MISSING_WORDS);
    // As a shell says it: 137 is a kill, for example by a machine without memory.
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1));
  });
  return child;
}
