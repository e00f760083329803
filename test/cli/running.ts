import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PROGRAM } from '../../scripts/started-program.ts';

/** The program as a child process: its output, and how it ended. */
export type Running = {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
  /** Waits until it has printed something, or written a file. */
  until(words: string | { readonly file: string }): Promise<void>;
  stop(): Promise<number | null>;
};

const WITHIN_MS = 240_000;
const LAST_WORDS_MS = 5_000;

export type Starting = {
  readonly stdio?: StdioOptions;
  /** A program other than the tests' own. */
  readonly program?: string;
};

export function startProgram(
  args: readonly string[],
  { stdio = ['ignore', 'pipe', 'pipe'], program = PROGRAM }: Starting = {},
): Running {
  const child = spawn(process.execPath, [program, ...args], { stdio });
  // A failing test leaves no process behind.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let output = '';
  const collect = (text: Buffer): void => {
    output += text.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  // Its last output may arrive after its exit; a process that it leaves behind may hold the pipe open.
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      const timer = setTimeout(() => resolve(code), LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(code);
      });
    });
  });
  return {
    child,
    output: () => output,
    exited,
    until: async (awaited) => {
      const isThere = (): boolean =>
        typeof awaited === 'string' ? output.includes(awaited) : existsSync(awaited.file);
      for (const end = Date.now() + WITHIN_MS; !isThere(); ) {
        if (child.exitCode !== null) {
          await exited;
          if (isThere()) return;
          throw new Error(`it ended: ${output}`);
        }
        if (Date.now() > end) throw new Error(`not within ${WITHIN_MS} ms: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
