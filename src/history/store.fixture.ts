import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Place } from './place.ts';

/** The suites in this directory run on every store. */
export type Store = {
  readonly name: string;
  /** A place for a history that is removed after the test. */
  newPlace(): Place;
  /** The share of property runs, relative to the fastest store. */
  readonly runs: number;
};

export function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-history-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'history.db');
}

export const SQLITE: Store = { name: 'SQLite', newPlace: () => ({ file: newFile() }), runs: 1 };
