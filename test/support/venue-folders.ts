import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Data of venues that tests start, by process: its threads are ended without a chance to clean up. */
export const VENUE_FOLDERS = `rialto-http-${process.pid}-`;

/** Runs around the whole suite: a run leaves nothing behind (a venue takes 65 MB). */
export default function cleanUpAfterwards(): () => void {
  return () => {
    for (const name of readdirSync(tmpdir())) {
      if (!name.startsWith(VENUE_FOLDERS)) continue;
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  };
}
