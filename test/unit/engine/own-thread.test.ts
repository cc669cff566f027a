import { execFile } from 'node:child_process';
import module from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { startOwnThread } from '../../../src/engine/own-thread.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROGRAM = new URL(
  `data:text/javascript,${encodeURIComponent("import{parentPort}from'node:worker_threads';parentPort.postMessage({...process.env})")}`,
);

function environmentOfThread(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    startOwnThread(PROGRAM, {}).on('message', resolve).on('error', reject);
  });
}

afterEach(() => vi.restoreAllMocks());

// Node 20 keeps nothing that it compiled.
test.runIf('getCompileCacheDir' in module)(
  'a thread gets nothing of the environment but the place of what was compiled',
  async () => {
    const cache = temporaryFolder();
    const dir = vi.spyOn(module, 'getCompileCacheDir').mockReturnValue(join(cache, 'v24'));
    expect(await environmentOfThread()).toEqual({ NODE_COMPILE_CACHE: cache });
    dir.mockReturnValue(undefined);
    expect(await environmentOfThread()).toEqual({});
  },
);

/** Keeps new objects until they are old, which is what has V8 take more memory for new ones; says how much it takes, in MiB. */
const HOARDER = `
  import v8 from 'node:v8';
  import { boundYoungMemory } from '${new URL('../../../src/engine/own-thread.ts', import.meta.url).href}';
  boundYoungMemory();
  let kept = [];
  for (let turn = 0; turn < 600; turn += 1) {
    for (let i = 0; i < 5000; i += 1) kept.push({ turn, i: [i] });
    if (kept.length > 200_000) kept = kept.slice(150_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  console.log(young.space_size / 2 ** 20);`;

// Node 20 runs no TypeScript, and there its memory for new objects ends at 32 MiB.
test.runIf(process.features.typescript)('the memory for new objects stays small', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', HOARDER]);
  // Half of it may be added between a collection and the look at it.
  expect(Number(stdout)).toBeLessThanOrEqual(16);
});
