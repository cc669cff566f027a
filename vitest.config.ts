import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { STARTERS } from './scripts/engine-parts.ts';
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

/** Tests that start processes measure memory, or set what a process has once. */
const SLOW = 'test/{cli,faults,fuzz,hostile,simulation}/**/*.test.ts';
const QUICK = 'test/{unit,contract,engine}/**/*.test.{ts,tsx}';
/** A module that was replaced would stay so for the files that follow in the process. */
const REPLACING = globSync(QUICK, { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8').includes('vi.mock('),
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
      { extends: true, test: { name: 'apart', include: [SLOW, ...REPLACING] } },
      // Half of what a quick file costs is a process that has loaded the program: they share some.
      { extends: true, test: { name: 'together', include: [QUICK], exclude: REPLACING, isolate: false } },
    ],
    environment: 'node',
    globalSetup: 'test/support/built-cli.ts',
    setupFiles: 'test/support/clear-folders.ts',
    passWithNoTests: true,
    // What hangs is found out soon; a test that is long, or starts processes, has a time of its own.
    testTimeout: 20_000,
    // Many tests wait for processes of their own: one worker more than there are cores leaves none idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
  },
});
