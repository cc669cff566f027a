import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/package',
  // One installation, from its beginning to its end.
  workers: 1,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  use: { actionTimeout: 30_000 },
  forbidOnly: true,
  reporter: [['list']],
});
