import type { Facts } from './upgrade/facts.ts';
import { factsOfV1 } from './upgrade/v1.ts';

export { stateFromFacts } from './upgrade/import.ts';

/** Reads snapshots of one earlier layout. */
export type Reader = {
  /** The version of the program that wrote it, as users know it. */
  readonly version: string;
  read(snapshot: Uint8Array): Facts;
};

/**
 * Every layout that was ever released, except the current one. To change the layout: keep the current
 * `export.ts` as the reader of what is then an earlier one, enter it here under the name in its stamps, and
 * freeze a data directory for the test.
 */
const READERS: Readonly<Record<string, Reader>> = {
  'rules 1': { version: 'Rialto 0.1.0', read: factsOfV1 },
};

export const readerOf = (layout: string): Reader | undefined => READERS[layout];
