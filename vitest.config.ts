import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,contract,engine,cli,faults,hostile}/**/*.test.{ts,tsx}'],
    environment: 'node',
    passWithNoTests: true,
    testTimeout: 20_000,
  },
});
