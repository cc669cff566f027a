import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const OUT = 'out';
const ENTRY = 'cli/nocturne.js';

/**
 * The command line that an installed package runs. The folders under out mirror those under src, module by module, so
 * that a path relative to a module (to resources/) is the same in both. Dependencies stay in node_modules.
 */
export default defineConfig({
  build: {
    ssr: true,
    outDir: OUT,
    target: 'node20.18',
    emptyOutDir: false,
    reportCompressedSize: false,
    rollupOptions: {
      // The others are started as a process and as threads.
      input: [
        'src/cli/nocturne.ts',
        'src/engine/sheet-files/reader-process/sheet-reader-process.ts',
        'src/engine/sheet-files/reader-process/sheet-worker.ts',
        'src/engine/media-folder/checks/media-check-worker.ts',
      ],
      output: {
        format: 'es',
        preserveModules: true,
        preserveModulesRoot: 'src',
        entryFileNames: '[name].js',
      },
    },
  },
  plugins: [
    {
      name: 'command-line-entry',
      async buildStart(): Promise<void> {
        // Only what this build writes: out/main, out/preload and out/renderer are the window's.
        for (const folder of ['cli', 'engine', 'gateway-sim', 'shared']) {
          await rm(join(OUT, folder), { recursive: true, force: true });
        }
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
