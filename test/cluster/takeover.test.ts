import { expect, test } from 'vitest';
import { logServer } from '../../scripts/log-server.ts';
import { runCluster } from './cluster-run.ts';

const found = logServer();
const isMissing = 'missing' in found && process.env['CI'] !== 'true';

/** Three log servers, three engines and two gateways as processes; the cluster suites together may take 25 s on an idle machine. */
test.skipIf(isMissing)(
  'an engine leader and a gateway are killed under signed requests, the gateway with a part of its journal: each is answered, is once in the log, and is seen through the other gateway; one that starts empty catches up',
  async ({ onTestFailed }) => {
    const steps: string[] = [];
    onTestFailed(() => console.error(steps.join('\n')));
    const faults = ['kill engine', 'gateway loses power', 'replace gateway'] as const;
    const report = await runCluster(
      faults,
      () => 0.1,
      (words) => steps.push(words),
    );
    expect(report.faults).toEqual([]);
    expect(report.answered).toBeGreaterThan(50);
    expect(report.reads).toBeGreaterThan(10);
  },
);
