import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests start processes, and take longest: begun last, one of them would keep a single worker busy. */
const SLOW_FOLDERS = ['cli', 'hostile', 'faults', 'fuzz', 'unit/main'];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = SLOW_FOLDERS.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return found < 0 ? SLOW_FOLDERS.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/{unit,contract,engine,cli,faults,fuzz,hostile}/**/*.test.{ts,tsx}'],
    environment: 'node',
    globalSetup: 'test/support/built-cli.ts',
    passWithNoTests: true,
    // What hangs is found out; what is only slow, on a machine with more to do, is not called so.
    testTimeout: 60_000,
    // Many tests wait for processes of their own: one worker more than there are cores leaves none idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
  },
});
