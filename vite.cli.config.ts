import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const OUT_FOLDER = 'out/cli';

/** The command line as one file that an installed package runs; its dependencies stay in node_modules. */
export default defineConfig({
  build: {
    ssr: 'src/cli/nocturne.ts',
    outDir: OUT_FOLDER,
    target: 'node20.18',
    emptyOutDir: true,
    rollupOptions: { output: { format: 'es', entryFileNames: 'nocturne.js', codeSplitting: false } },
  },
  plugins: [
    {
      name: 'executable',
      generateBundle(_options, bundle): void {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type === 'chunk' && chunk.isEntry && !chunk.code.startsWith('#!')) {
            chunk.code = `#!/usr/bin/env node\n${chunk.code}`;
          }
        }
      },
      async closeBundle(): Promise<void> {
        await chmod(join(OUT_FOLDER, 'nocturne.js'), 0o755);
      },
    },
  ],
});
