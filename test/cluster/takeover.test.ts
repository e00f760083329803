import { expect, test } from 'vitest';
import { logServer } from '../../scripts/log-server.ts';
import { runCluster } from './cluster-run.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';

/** Three log servers and three engines as processes; the cluster suites together may take 25 s on an idle machine. */
test.skipIf(isMissing)(
  'an engine leader is killed under signed requests: each is answered, and is once in the log',
  async () => {
    const report = await runCluster(['kill engine'], () => 0.1);
    expect(report.faults).toEqual([]);
    expect(report.answered).toBeGreaterThan(50);
  },
);
