import { defineConfig } from '@playwright/test';
import { TEST_HOUR, zoneAt } from '../support/zone-at.ts';

process.env['TZ'] = zoneAt(TEST_HOUR);

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
