import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test starts processes of its own; a busy machine takes its time for each.
vi.setConfig({ testTimeout: 60_000 });

const WORKED = { exitCode: 0, stderr: '', stdout: expect.stringMatching(/^\d/) as string };

function start(cache: string): Promise<CliEnd> {
  return runCli(['--version'], { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache });
}

/** What Node compiled is kept in the user's own cache, and a command works wherever it cannot be. */
describe.runIf(process.platform === 'linux' && 'enableCompileCache' in (await import('node:module')))(
  'what Node compiled',
  () => {
    const place = (): { cache: string; compiled: string } => {
      const cache = temporaryFolder();
      return { cache, compiled: path.join(cache, 'nocturne', 'compiled') };
    };

    test('is kept for the next start, for this user alone', async () => {
      const { cache, compiled } = place();
      expect(await start(cache)).toMatchObject(WORKED);
      expect(readdirSync(compiled)).not.toEqual([]);
      expect(statSync(compiled).mode & 0o777).toBe(0o700);
      expect(await start(cache)).toMatchObject(WORKED);
    });

    test.each([0o770, 0o707])('is not looked for in a folder that others can write to (%o)', async (mode) => {
      const { cache, compiled } = place();
      mkdirSync(compiled, { recursive: true });
      chmodSync(compiled, mode);
      expect(await start(cache)).toMatchObject(WORKED);
      expect(readdirSync(compiled)).toEqual([]);
    });

    test('is not followed elsewhere', async () => {
      const { cache, compiled } = place();
      const elsewhere = temporaryFolder();
      mkdirSync(path.dirname(compiled));
      symlinkSync(elsewhere, compiled);
      expect(await start(cache)).toMatchObject(WORKED);
      expect(readdirSync(elsewhere)).toEqual([]);
    });

    test('is nowhere if there is no place for it', async () => {
      const file = path.join(temporaryFolder(), 'file');
      writeFileSync(file, '');
      expect(await start(file)).toMatchObject(WORKED);
    });
  },
);

test.runIf(process.platform === 'linux')('a home in which nothing can be made holds no command up', async () => {
  // What `mkdir` says there is what it says of an automounted home without its server.
  const home = { NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: '/proc/nocturne', XDG_CONFIG_HOME: '/proc/nocturne' };
  expect(await runCli(['limits', '--night-requests', '5', '--data', temporaryFolder()], home)).toMatchObject({
    exitCode: 0,
  });
});
