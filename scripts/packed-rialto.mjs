#!/usr/bin/env node
// The command of the installed package: starts the pinned runtime, or uses this one if it is new enough.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { handOver } from './hand-over.mjs';
import { isNewEnough, pinnedNodeFrom, tooOld } from './runtime.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const node = pinnedNodeFrom(here) ?? (isNewEnough() ? process.execPath : undefined);
if (node === undefined) {
  console.error(tooOld());
  process.exit(1);
}
const flags = JSON.parse(readFileSync(join(here, 'runtime-flags.json'), 'utf8'));
handOver(node, [...flags, join(here, '../program/rialto.js'), ...process.argv.slice(2)]);
