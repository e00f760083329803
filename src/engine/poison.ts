import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plain, pack } from '../bytes/pack.ts';
import type { Command, SetIndexPrices } from '../domain/commands.ts';
import { textFromParts } from '../domain/decimal.ts';
import { USD_SCALE } from '../domain/units.ts';
import { makeFolder } from '../journal/files.ts';

/**
 * Commands that broke an invariant. They never reached the journal; they are kept for the engineers
 * and refused after the restart, so that a client's retry cannot stop the venue again.
 */
export type Poison = {
  has(command: Command): boolean;
  /** Stores it, with the reason and advice. Returns the file, if it is stored in one. */
  add(command: Command, reason: Error): string | undefined;
};

export function openPoison(directory: string): Poison {
  const known = new Set(namesIn(directory));
  return {
    has: (command) => isRefusable(command) && known.size > 0 && known.has(nameOf(command)),
    add: (command, reason) => {
      const name = nameOf(command);
      known.add(name);
      makeFolder(directory, 0o700);
      writeFileSync(join(directory, `${name}.command`), pack(command as unknown as Plain), {
        flush: true,
        mode: 0o600,
      });
      const text = `${reason.stack ?? reason.message}\n\n${adviceOn(command)}\n`;
      writeFileSync(join(directory, `${name}.reason`), text, { flush: true, mode: 0o600 });
      return join(directory, `${name}.reason`);
    },
  };
}

/** For in-memory venues. */
export function memoryPoison(): Poison {
  const known = new Set<string>();
  return {
    has: (command) => isRefusable(command) && known.size > 0 && known.has(nameOf(command)),
    add: (command) => {
      known.add(nameOf(command));
      return undefined;
    },
  };
}

/** What was set aside, and what an operator can do about it. */
export function adviceOn(command: Command): string {
  if ('by' in command) {
    return (
      `The command was a client's ${command.kind}. It is refused from now on: start the venue again, ` +
      'and report the two files.'
    );
  }
  if ('actor' in command) {
    return (
      `The command was ${command.kind} of the operator ${command.actor}. Nothing of it is in the ` +
      'journal: start the venue again, do not repeat it, and report the two files.'
    );
  }
  const again = `The command was the venue's own ${command.kind}, and a start issues the like of it again.`;
  const last =
    'If that stops it too, leave the data directory as it is, report the two files, and start a version ' +
    'of the program that mends it: the journal is whole, and nothing of this command is in it.';
  if (command.kind !== 'set-index-prices') return `${again} Start the venue again. ${last}`;
  return (
    `${again} The prices were ${pricesText(command)}. Start the venue with the one source ` +
    `{"file": "prices.json"} and prices in that file that you know to be right. ${last}`
  );
}

const pricesText = ({ prices }: SetIndexPrices): string =>
  prices.map(({ asset, price }) => `${asset} ${textFromParts(price, USD_SCALE)}`).join(', ');

/**
 * Only what a caller signed: its retry has the same bytes. The venue's own commands (a tick, a price round)
 * are alike every time, and refusing them for ever would stop time.
 */
const isRefusable = (command: Command): boolean =>
  'by' in command || ('once' in command && command.once !== undefined);

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
