import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTATED_FOLDER, type Mutation, mutatedText } from './mutation.ts';

const COPIED = ['src', 'test', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

/** A copy of the project into which faults are inserted: the project itself is never changed. */
export class Workshop {
  readonly folder: string;

  constructor(project: string) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'rialto-mutate-')));
    for (const name of COPIED) {
      cpSync(join(project, name), join(this.folder, name), { recursive: true });
    }
    symlinkSync(realpathSync(join(project, 'node_modules')), join(this.folder, 'node_modules'));
  }

  /** Inserts the fault; returns a function that removes it. */
  apply(mutation: Mutation): () => void {
    const path = join(this.folder, MUTATED_FOLDER, mutation.file);
    const text = readFileSync(path, 'utf8');
    const mutated = mutatedText(mutation, text);
    if ('fault' in mutated) {
      throw new Error(`"${mutation.name}": its text ${mutated.fault} in ${mutation.file}`);
    }
    writeFileSync(path, mutated.text);
    return () => writeFileSync(path, text);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
