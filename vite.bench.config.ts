import { defineConfig } from 'vite';
import { engineParts } from './scripts/engine-parts.ts';

/**
 * The contenders of the bench, built as the command line is: what users run is built, so a night from sources would pay
 * for modules that nobody loads. The rivals are built the same way.
 */
export default defineConfig({
  // A binary finds its file relative to its own module, and Playwright its browsers.
  ssr: { noExternal: true, external: ['@photostructure/sqlite', '@playwright/test', 'playwright', 'playwright-core'] },
  build: {
    ssr: true,
    // As deep as `bench/rivals`: so is each path relative to a contender right.
    outDir: 'out/bench',
    target: 'node20.18',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    rollupOptions: {
      input: {
        contender: 'bench/contender.ts',
        ...engineParts(),
      },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
