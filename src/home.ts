import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Relative to the folder of a bundle; the bundler sets it (scripts/bundle.ts). */
declare const BUNDLE_HOME: string | undefined;

/**
 * The folder in which the program finds `docs` and its page: the repository, or `dist` of an installed package.
 */
export const HOME = resolve(
  dirname(fileURLToPath(import.meta.url)),
  typeof BUNDLE_HOME === 'undefined' ? '..' : BUNDLE_HOME,
);
