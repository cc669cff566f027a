import { defineConfig } from '@playwright/test';
import { TEST_HOUR, zoneAt } from './test/support/zone-at.ts';

process.env['TZ'] = zoneAt(TEST_HOUR);

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.test.ts',
  outputDir: 'test-results/e2e',
  // Each test starts an application of its own and mostly waits for it, on two cores too; a worker has a desktop to itself.
  workers: 4,
  fullyParallel: true,
  timeout: 300_000,
  // The machine is busy at times, on few cores.
  expect: { timeout: 60_000 },
  forbidOnly: true,
  reporter: [['list']],
  use: { trace: 'retain-on-failure' },
});
