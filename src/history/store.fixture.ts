import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Place } from './place.ts';

/** What the suites of this room run on: each of them on every store. */
export type Store = {
  readonly name: string;
  /** A place for a history that is gone when the test is over. */
  newPlace(): Place;
  /** What a property is tried with, as a part of what it is tried with on the fastest store. */
  readonly runs: number;
};

export function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-history-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'history.db');
}

export const SQLITE: Store = { name: 'SQLite', newPlace: () => ({ file: newFile() }), runs: 1 };
