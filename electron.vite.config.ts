import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { engineParts } from './scripts/engine-parts.ts';
import { shippedPackages } from './scripts/shipped-packages.ts';
import { undiciParts } from './scripts/undici-parts.ts';

/** The oldest runtime that has to work: Electron 33, which a machine gets that only reaches the npm registry. */
const NODE_TARGET = 'node20.18';
const CHROME_TARGET = 'chrome130';
/** Read from the disk, not over a network. */
const CHUNK_KB = 2_000;

export default defineConfig({
  main: {
    plugins: [undiciParts(import.meta.dirname), shippedPackages('main', import.meta.dirname)],
    build: {
      target: NODE_TARGET,
      chunkSizeWarningLimit: CHUNK_KB,
      // Hundreds of files of libraries cost a quarter of a second of processor time at each start; native code stays out.
      externalizeDeps: false,
      rollupOptions: {
        external: ['@photostructure/sqlite'],
        input: {
          index: 'src/main/index.ts',
          'engine-process': 'src/main/engine-process/engine-process.ts',
          ...engineParts(),
        },
        // Chunks beside the entries: a path relative to a module is the same in every one of them.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    plugins: [shippedPackages('preload', import.meta.dirname)],
    build: {
      target: NODE_TARGET,
      // A sandboxed preload is one CommonJS file that requires nothing but Electron.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), shippedPackages('window', import.meta.dirname)],
    build: {
      target: CHROME_TARGET,
      minify: true,
      chunkSizeWarningLimit: CHUNK_KB,
      // The page's policy takes fonts from files only.
      assetsInlineLimit: (file) => (file.endsWith('.woff2') ? false : undefined),
      // The second one has no window: it draws files small.
      rollupOptions: { input: ['src/renderer/index.html', 'src/renderer/thumbnails.html'] },
    },
  },
});
