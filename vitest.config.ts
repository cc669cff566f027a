import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,contract,engine,cli,faults,fuzz,hostile}/**/*.test.{ts,tsx}'],
    environment: 'node',
    globalSetup: 'test/support/built-cli.ts',
    passWithNoTests: true,
    testTimeout: 20_000,
    // Many tests wait for processes of their own: one worker for each core leaves none idle.
    maxWorkers: '100%',
  },
});
