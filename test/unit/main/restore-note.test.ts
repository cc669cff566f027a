import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HandlerContext } from '../../../src/main/ipc/app-handlers.ts';
import { restoreBackup } from '../../../src/main/engine-process/store-look.ts';
import { supportHandlers } from '../../../src/main/ipc/support-handlers.ts';
import { forgetRestore, keepOutcome, noteRestore, takeRestoreNote } from '../../../src/main/services/restore-note.ts';
import { backupStore } from '../../../src/engine/store/open/open-store.ts';
import { openedStore } from '../../contract/opened-store.ts';
import { newBatch, NOW } from '../../contract/task-store-fixtures.ts';
import { TASK_STATUSES } from '../../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a backup that is to be restored', () => {
  const OUTCOME = { isRestored: true, notice: { level: 'warning', title: 'Restored', message: 'Compare.' } } as const;

  test('is noted for one start alone', () => {
    const folder = temporaryFolder();
    expect(takeRestoreNote(folder, NOW)).toBeUndefined();
    noteRestore(folder, '/somewhere/all.db', NOW);
    expect(takeRestoreNote(folder, NOW)).toEqual({ kind: 'wanted', file: '/somewhere/all.db' });
    forgetRestore(folder);
    expect(takeRestoreNote(folder, NOW)).toBeUndefined();
    // A start days later was not asked for.
    noteRestore(folder, '/somewhere/all.db', NOW - 11 * 60_000);
    expect(takeRestoreNote(folder, NOW)).toBeUndefined();
    writeFileSync(join(folder, 'restore.json'), '{"state":"another"}');
    expect(takeRestoreNote(folder, NOW)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not done again where its start was killed, and that is said once', () => {
    const folder = temporaryFolder();
    noteRestore(folder, '/somewhere/all.db', NOW);
    takeRestoreNote(folder, NOW);
    const next = takeRestoreNote(folder, NOW);
    expect(next).toMatchObject({ kind: 'ended', restored: { isRestored: false, notice: { level: 'error' } } });
    expect(next?.kind === 'ended' && next.restored.notice.message).toContain('/somewhere/all.db');
    expect(takeRestoreNote(folder, NOW)).toBeUndefined();
  });

  test('is told by the next start where the application was to quit meanwhile', () => {
    const folder = temporaryFolder();
    noteRestore(folder, '/somewhere/all.db', NOW);
    takeRestoreNote(folder, NOW);
    keepOutcome(folder, OUTCOME);
    expect(takeRestoreNote(folder, NOW)).toEqual({ kind: 'ended', restored: OUTCOME });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is in place afterwards, or it is said why not', async () => {
    const folder = temporaryFolder();
    const dir = join(folder, 'store');
    mkdirSync(dir);
    const store = openedStore(dir);
    const { id } = store.store.createBatch(newBatch());
    store.store.setBatchState(id, 'running', undefined, NOW);
    const backup = join(folder, 'all.db');
    await backupStore(dir, backup);
    const restore = { storeFolder: dir, file: backup };
    const refused = await restoreBackup(restore, NOW);
    const inUse = { level: 'error', message: expect.stringContaining('in use') as string };
    expect(refused).toMatchObject({ isRestored: false, notice: inUse });
    store.close();
    const { isRestored, notice } = await restoreBackup(restore, NOW);
    const { level, message } = notice;
    expect([isRestored, level]).toEqual([true, 'warning']);
    expect(message).toContain('1 batch in it. 1 batch paused.');
    expect(message).toContain('nocturne-replaced-');
  });

  /** The counts of a batch with so many takes that are rendering. */
  function rendered(rendering: number) {
    const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0]));
    return { musicgen: { ...none, rendering } };
  }

  interface Told {
    readonly isRunning?: boolean;
    readonly isWanted?: boolean;
    readonly found?: object;
    /** Takes of a paused batch that are rendering. */
    readonly rendering?: number;
    readonly isShared?: boolean;
  }

  /** What comes of it when the window asks for a restore. */
  async function asked({
    isRunning = false,
    isWanted = true,
    found = { ok: true, value: { batches: 2, brings: ['With it: a profile.'] } },
    rendering = 0,
    isShared = false,
  }: Told) {
    const dataFolder = temporaryFolder();
    const done: string[] = [];
    const { 'store.restore': restore } = supportHandlers({
      dataFolder,
      store: { isShared },
      desktop: {
        chooseBackup: () => Promise.resolve('/b.db'),
        confirm: ({ detail }: { detail: string }) => {
          done.push(detail.includes('2 batches.\nWith it: a profile.\n') ? 'asked with counts' : 'asked');
          if (/\b\d+ takes? that may have been paid for/u.test(detail)) done.push('told what has not come');
          return Promise.resolve(isWanted);
        },
      },
      engine: {
        request: (name: string) =>
          Promise.resolve(name === 'batch.list' ? { ok: true, value: [{ counts: rendered(rendering) }] } : found),
      },
      isNightRunning: () => isRunning,
      restart: () => done.push('restart'),
    } as unknown as HandlerContext);
    const reply = await restore(undefined);
    const noted = takeRestoreNote(dataFolder, Date.now());
    return { isOk: reply.ok, done, noted: noted?.kind === 'wanted' ? noted.file : undefined };
  }

  test('is confirmed, and starts the application anew', async () => {
    expect(await asked({})).toEqual({ isOk: true, done: ['asked with counts', 'restart'], noted: '/b.db' });
    expect((await asked({ rendering: 2 })).done).toEqual(['asked with counts', 'told what has not come', 'restart']);
    expect(await asked({ isWanted: false })).toEqual({ isOk: true, done: ['asked with counts'], noted: undefined });
  });

  test('is refused for a store on a server, which has backups of its own', async () => {
    expect(await asked({ isShared: true })).toEqual({ isOk: false, done: [], noted: undefined });
  });

  test('is refused in a night, and where it is none; an engine that does not work does not keep it back', async () => {
    expect(await asked({ isRunning: true })).toEqual({ isOk: false, done: [], noted: undefined });
    const refusal = (code: string) => ({ ok: false, error: { code, message: 'no' } });
    expect(await asked({ found: refusal('refused') })).toEqual({ isOk: false, done: [], noted: undefined });
    expect(await asked({ found: refusal('unavailable') })).toEqual({
      isOk: true,
      done: ['asked', 'restart'],
      noted: '/b.db',
    });
  });
});
