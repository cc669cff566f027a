import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { STARTERS } from './scripts/engine-parts.ts';
import { zoneForFakeClocks } from './test/support/zone-at.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests start processes, and take longest: begun last, one of them would keep a single worker busy. */
const SLOW_FOLDERS = ['cli', 'hostile', 'faults', 'fuzz', 'simulation', 'unit/main'];

/** Files that share a process come last, and one after the other: in between, their process would end. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = SLOW_FOLDERS.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return found < 0 ? SLOW_FOLDERS.length : found;
    };
    return (await super.sort(files)).toSorted(
      (a, b) => Number(b.project.config.isolate) - Number(a.project.config.isolate) || place(a) - place(b),
    );
  }
}

/** The modules that start a process or a thread from a file beside them. */
const STARTS_PART = new RegExp(`/src/engine/.*/(${STARTERS.join('|')})\\.ts$`);
const BUILT_PARTS = pathToFileURL(join(import.meta.dirname, 'out/cli/parts/')).href;

// What the processes of the tests load, Node compiles once, and strips of its types once.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

process.env['TZ'] = zoneForFakeClocks();

/** Pure parts, that share nothing: their tests share a process, as far as they replace no module and measure no time. */
const PURE = globSync('test/unit/{domain,renderer}/**/*.test.{ts,tsx}', { cwd: import.meta.dirname }).filter(
  (file) => !/vi\.mock\(|processorMs\(\)/u.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

export default defineConfig({
  plugins: [
    {
      // As users have them; and a reader of sheets that is not stripped of types first starts in a third of the time.
      name: 'built-processes-and-threads',
      transform: (code, id) =>
        STARTS_PART.test(id) ? code.replaceAll('import.meta.url', JSON.stringify(BUILT_PARTS)) : null,
    },
  ],
  test: {
    projects: [
      // In a process that has done much else, the larger ones take two or three times as long: they have one each.
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/{unit,contract,engine,cli,faults,fuzz,hostile,simulation}/**/*.test.{ts,tsx}'],
          exclude: PURE,
        },
      },
      { extends: true, test: { name: 'together', include: PURE, isolate: false } },
    ],
    environment: 'node',
    globalSetup: ['test/support/built-cli.ts', 'test/support/postgres-cluster.ts'],
    setupFiles: 'test/support/clear-folders.ts',
    passWithNoTests: true,
    // What hangs is found out soon; a test that is long, or starts processes, has a time of its own.
    testTimeout: 60_000,
    // Many tests wait for processes of their own, and use a core for a tenth to a third of their time.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowestFirst },
  },
});
