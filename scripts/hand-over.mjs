// Starts the program on its runtime and stays behind as its shadow: signals go on to it, its exit code comes back.
import { spawn } from 'node:child_process';

export function handOver(node, args, { cwd = process.cwd(), env = process.env } = {}) {
  const child = spawn(node, args, { stdio: 'inherit', cwd, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  // npm does not pass its signals through the shell it starts: when that shell is gone, stop the venue.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  child.on('exit', (code, signal) => process.exit(signal ? 128 + 15 : (code ?? 1)));
}
