import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSegments } from '../journal/segments.ts';
import { layoutOf } from './layout.ts';
import { refuseTakeOver } from './upgrade.ts';

test('a command on data that no start takes over does not say to start this version on it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rialto-upgrade-'));
  try {
    const stamp = 'venue rules 99 layout 0123456789abcdef';
    const journal = await openSegments({ directory: layoutOf(directory).journal, stamp });
    await journal.append([new Uint8Array(40)], 1);
    await journal.close();
    expect(() => refuseTakeOver({ directory, venueId: 'venue' })).toThrow(
      /written with rules 99 layout 0123456789abcdef, .* no reader for that: start the program that wrote it$/,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});
