import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig, normalizePath } from 'vite';
import { engineParts } from './scripts/engine-parts.ts';
import { shippedPackages } from './scripts/shipped-packages.ts';
import { undiciParts } from './scripts/undici-parts.ts';

const SOURCE = normalizePath(join(import.meta.dirname, 'src/'));
const OUT = 'out';
const ENTRY = 'cli/nocturne.js';
/** Everything but the entry lies in one folder, three below the program's: so is each path relative to a module right. */
const PARTS = 'cli/parts';

/**
 * The command line that an installed package runs. It is bundled with what it depends on, because a command that loads
 * hundreds of small modules takes twice as long to start; each command is a part of its own.
 */
export default defineConfig({
  // A binary finds its file relative to its own module.
  ssr: { noExternal: true, external: ['@photostructure/sqlite'] },
  build: {
    ssr: true,
    outDir: OUT,
    target: 'node20.18',
    emptyOutDir: false,
    reportCompressedSize: false,
    // Read from the disk, not over a network.
    chunkSizeWarningLimit: 2_000,
    rollupOptions: {
      input: {
        'cli/nocturne': 'src/cli/nocturne.ts',
        // Started as a process and as threads, beside the part that starts them.
        ...engineParts(`${PARTS}/`),
        // Apart, so that a test can have the command line run on a faster clock.
        [`${PARTS}/system-clock`]: 'src/engine/system-clock.ts',
      },
      // Of our own modules a command takes what it names: the engine's door alone leads to all of the engine.
      treeshake: { moduleSideEffects: (id) => !id.startsWith(SOURCE) },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: `${PARTS}/[name].js` },
    },
  },
  plugins: [
    undiciParts(import.meta.dirname),
    shippedPackages('command-line', import.meta.dirname),
    {
      name: 'command-line-entry',
      async buildStart(): Promise<void> {
        // Only what this build writes: out/main, out/preload and out/renderer are the window's.
        await rm(join(OUT, 'cli'), { recursive: true, force: true });
      },
      generateBundle(_options, bundle): void {
        const entry = bundle[ENTRY];
        if (entry?.type === 'chunk' && !entry.code.startsWith('#!')) entry.code = `#!/usr/bin/env node\n${entry.code}`;
      },
      async writeBundle(): Promise<void> {
        await chmod(join(OUT, ENTRY), 0o755);
      },
    },
  ],
});
