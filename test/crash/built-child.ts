import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { engineParts } from '../../scripts/engine-parts.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** For this process alone: a build empties its folder, and another campaign may be running. */
const OUT = join(ROOT, 'out/crash', `${process.pid}`);

/** The program of one life, as `buildChild` leaves it. */
export const BUILT_CHILD = join(OUT, 'engine-child.js');
/** The same for a worker of a fleet, as `buildWorker` leaves it. */
export const BUILT_WORKER = join(OUT, 'worker-child.js');
/** Its compiled code; not kept for other builds, whose paths would differ. */
export const BUILT_CHILD_CACHE = join(OUT, 'compiled');

/**
 * Builds the program of a sound life, as the application's engine is built: it starts at less than half the cost of its
 * sources, and a campaign starts it a hundred times. Mutants run from sources, where their patches find what they
 * replace. It is removed when this process ends.
 */
export async function buildChild(): Promise<void> {
  await buildProgram('engine-child', 'test/crash/engine-child.ts');
}

/** The same for a life of a worker, and for every command of the command line. */
export async function buildWorker(): Promise<void> {
  await buildProgram('worker-child', fileURLToPath(new URL('fleet/worker-child.ts', import.meta.url)));
}

async function buildProgram(name: string, source: string): Promise<void> {
  process.once('exit', () => rmSync(OUT, { recursive: true, force: true }));
  // Without a listener, an interruption would end the process without an exit event.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
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
        input: { [name]: source, ...engineParts() },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}
