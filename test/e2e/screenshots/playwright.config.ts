/** Makes the pictures of the documentation: `npm run screenshots`. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: 'pictures.ts',
  outputDir: '../../../test-results/screenshots',
  workers: 1,
  timeout: 900_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
});
