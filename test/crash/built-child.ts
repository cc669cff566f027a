import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = 'out/crash';

/** The program of one life, as `buildChild` leaves it. */
export const BUILT_CHILD = fileURLToPath(new URL(`../../${OUT}/engine-child.js`, import.meta.url));

/**
 * Builds the program of a sound life, as the application's engine is built: it starts for less than half of what its
 * sources cost, a hundred times in a campaign. Mutants run from sources, where their patches find what they replace.
 */
export async function buildChild(): Promise<void> {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    // A binary finds its file relative to its own module.
    ssr: { noExternal: true, external: ['@photostructure/sqlite'] },
    build: {
      ssr: true,
      outDir: OUT,
      target: 'node24',
      reportCompressedSize: false,
      chunkSizeWarningLimit: 2_000,
      rollupOptions: {
        input: {
          'engine-child': 'test/crash/engine-child.ts',
          // Started as threads, beside the part that starts them.
          'media-check-worker': 'src/engine/media-folder/checks/media-check-worker.ts',
          'file-worker': 'src/engine/media-folder/thread/file-worker.ts',
          'store-worker': 'src/engine/store/thread/store-worker.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}
