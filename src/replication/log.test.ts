import { describeLog } from './log-contract.ts';
import { MemoryLog, MemoryStream } from './memory-log.fixture.ts';

describeLog('a log in memory', async () => {
  const stream = new MemoryStream();
  return { open: async () => new MemoryLog(stream) };
});
