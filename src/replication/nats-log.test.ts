import { expect, test } from 'vitest';
import { reasonOf } from './nats-log.ts';

test('a log that is full is called full', () => {
  for (const words of ['insufficient resources', 'insufficient storage resources available']) {
    expect(reasonOf(new Error(words))).toBe(
      `${words}: the disk or max_file_store of the log servers is full`,
    );
  }
  expect(reasonOf(new Error('timeout'))).toBe('timeout');
  expect(reasonOf('gone')).toBe('gone');
});
