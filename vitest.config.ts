import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/support/run-folder.ts',
    sequence: { sequencer: LongestFirst },
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    // Dozens of tests start the program: without it each start strips and compiles every file again.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') },
    // Only what hangs runs into these: a loaded machine may take its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', './test/ci-reporter.ts'],
  },
});
