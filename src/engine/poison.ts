import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../domain/commands.ts';
import { type Plain, pack } from '../domain/pack.ts';

/**
 * Commands that broke an invariant. They never reached the journal; they are kept for the engineers
 * and refused after the restart, so that a client's retry cannot stop the venue again.
 */
export type Poison = {
  has(command: Command): boolean;
  add(command: Command, reason: Error): void;
};

export function openPoison(directory: string): Poison {
  const known = new Set(namesIn(directory));
  return {
    has: (command) => isRefusable(command) && known.size > 0 && known.has(nameOf(command)),
    add: (command, reason) => {
      const name = nameOf(command);
      known.add(name);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, `${name}.command`), pack(command as unknown as Plain), {
        flush: true,
        mode: 0o600,
      });
      writeFileSync(join(directory, `${name}.reason`), `${reason.stack ?? reason.message}\n`, {
        flush: true,
        mode: 0o600,
      });
    },
  };
}

/** For venues that live in memory only. */
export function memoryPoison(): Poison {
  const known = new Set<string>();
  return {
    has: (command) => isRefusable(command) && known.size > 0 && known.has(nameOf(command)),
    add: (command) => void known.add(nameOf(command)),
  };
}

/**
 * Only what a caller sent: its retry has the same bytes. The venue's own commands (a tick, a round of
 * prices) are alike every time, and refusing them for ever would stop time.
 */
const isRefusable = (command: Command): boolean => 'by' in command || 'once' in command;

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((file) => file.endsWith('.command'))
      .map((file) => file.slice(0, -'.command'.length));
  } catch {
    return []; // No such directory: nothing was ever set aside.
  }
}

const nameOf = (command: Command): string =>
  createHash('sha256')
    .update(pack(command as unknown as Plain))
    .digest('hex')
    .slice(0, 32);
