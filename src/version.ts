import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the program, from the manifest it came with. */
export function versionText(): string {
  const file = findPackageJSON(import.meta.url);
  if (file === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string };
  return version ?? 'unknown';
}
