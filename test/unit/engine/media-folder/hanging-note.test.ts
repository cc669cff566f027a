import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { MediaChecker } from '../../../../src/engine/media-folder/checks/media-checker.ts';
import { type CheckedPart, rememberChecks } from '../../../../src/engine/media-folder/checks/remembered-checks.ts';
import { reason } from '../../../../src/shared/domain/base/reason.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const disk = vi.hoisted(() => ({ hangsAt: '', folder: '', waiting: [] as (() => void)[] }));

/** A disk that does not answer a call for the notes in one folder, until it does. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  const answer = async (call: string, path: unknown): Promise<void> => {
    const isHanging = call === disk.hangsAt && String(path).startsWith(disk.folder) && String(path).endsWith('.0.part');
    if (isHanging) await new Promise<void>((resolve) => disk.waiting.push(resolve));
  };
  return {
    ...actual,
    open: async (...order: Parameters<typeof actual.open>) => {
      await answer('open', order[0]);
      return actual.open(...order);
    },
    unlink: async (path: string) => {
      await answer('unlink', path);
      await actual.unlink(path);
    },
  };
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function partIn(folder: string): CheckedPart {
  const path = join(folder, '1-1.1.part');
  writeFileSync(path, 'a file');
  return { path, outputId: '1-1', bytes: 6, sha256: 'of a file' };
}

const noteOf = ({ path }: CheckedPart): string => join(dirname(path), '1-1.0.part');

/** Gives its verdict once there is a note of the part, if one can come; from the first on, the disk hangs at its removal. */
function checkerOf(begun: string[], isNoted: boolean, signal: AbortSignal): MediaChecker {
  return {
    check: async (path, _bytes, _content, onBegin) => {
      begun.push(dirname(path));
      onBegin?.();
      const isThere = (): boolean => !isNoted || readdirSync(dirname(path)).includes('1-1.0.part');
      while (!signal.aborted && !isThere()) await turn();
      disk.hangsAt = begun.length === 1 ? 'unlink' : '';
      return { kind: 'unchecked', reason: reason('media.notChecked') };
    },
    close: () => Promise.resolve(),
  };
}

beforeEach(() => {
  disk.hangsAt = '';
  disk.folder = temporaryFolder();
  disk.waiting = [];
});

test.for(['open', 'unlink'])(
  'a disk that hangs at %s of a note keeps no other from a check, nor the end',
  async (call, { signal }) => {
    const begun: string[] = [];
    const checks = rememberChecks(checkerOf(begun, call === 'unlink', signal), 0, 0);
    if (call === 'open') disk.hangsAt = call;
    void checks.check(partIn(disk.folder));
    while (!signal.aborted && disk.waiting.length === 0) await turn();
    const other = temporaryFolder();
    expect(await checks.check(partIn(other))).toMatchObject({ kind: 'unchecked' });
    expect(begun.at(-1)).toBe(other);
    await checks.close();
  },
);

test('the next check of a file waits until the note of the one before is gone, however long that takes', async ({
  signal,
}) => {
  const begun: string[] = [];
  const checks = rememberChecks(checkerOf(begun, true, signal), 0, 0);
  const part = partIn(disk.folder);
  const first = checks.check(part);
  while (!signal.aborted && disk.waiting.length === 0) await turn();
  const second = checks.check(part);
  const other = temporaryFolder();
  await checks.check(partIn(other));
  expect(begun).toEqual([disk.folder, other]);
  for (const goOn of disk.waiting) goOn();
  await first;
  expect(existsSync(noteOf(part))).toBe(false);
  await second;
  expect(begun).toEqual([disk.folder, other, disk.folder]);
});
