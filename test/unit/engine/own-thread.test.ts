import module from 'node:module';
import { join } from 'node:path';
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
