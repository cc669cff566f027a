import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.test.ts',
  outputDir: 'test-results/e2e',
  // Each test starts an Electron of its own; two at once would only slow each other down.
  workers: 1,
  timeout: 120_000,
  forbidOnly: true,
  reporter: [['list']],
  use: { trace: 'retain-on-failure' },
});
