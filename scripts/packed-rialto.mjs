#!/usr/bin/env node
// The command of the installed package: starts the pinned runtime, or uses this one if it is new enough.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { handOver } from './hand-over.mjs';
import { isNewEnough, pinnedNodeFrom, runtimeFlags, tooOld } from './runtime.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const node = pinnedNodeFrom(here) ?? (isNewEnough() ? process.execPath : undefined);
if (node === undefined) {
  console.error(tooOld());
  process.exit(1);
}
handOver(node, [
  ...runtimeFlags(here),
  join(here, '../program/rialto.js'),
  ...process.argv.slice(2),
]);
