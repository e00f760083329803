import { expect, test } from 'vitest';
import { logServer } from '../../scripts/log-server.ts';
import { runGates } from './replacements.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';

/** Two engines and a gateway as processes, twice each: 20 s of CPU. */
test.skipIf(isMissing)(
  'under signed requests all nodes go on as a version with another layout of data: nothing that was answered is lost or done twice, and an engine with an empty disk joins',
  async () => {
    const size = { engines: 2, gateways: 1, logServers: 1 };
    const report = await runGates(1, undefined, { size, say: () => {} });
    expect(report.faults).toEqual([]);
    expect(report.replaced).toBe(2);
  },
);
