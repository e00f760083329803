import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    // Only what hangs runs into these: a loaded machine may take its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', './test/ci-reporter.ts'],
  },
});
