import { defineConfig } from '@playwright/test';
import { TEST_HOUR, zoneAt } from '../support/zone-at.ts';

process.env['TZ'] = zoneAt(TEST_HOUR);

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/package',
  // One installation, from its beginning to its end.
  workers: 1,
  timeout: 300_000,
  // The tests with a window may run beside these, on few cores.
  expect: { timeout: 60_000 },
  use: { actionTimeout: 60_000 },
  forbidOnly: true,
  reporter: [['list']],
});
