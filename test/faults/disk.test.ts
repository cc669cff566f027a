import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { auditCharges } from './charge-audit.ts';
import type { FaultNight } from './fault-night.ts';
import { openFaultNight, songRows } from './fault-night.ts';
import type { SmallDisk } from './tmpfs.ts';
import { mountSmallDisk } from './tmpfs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROWS = 12;
/** So few that rows are left unpaid, however late a busy machine notices. */
const FEW_AT_ONCE = { activePerFamily: { musicgen: 3 } };
/** More than the 256 MiB that have to be free before anything is paid. */
const DISK_MIB = 300;
const MINUTE_MS = 60_000;
/** Two at a time: on a busy machine the night must not be over before its disk is full. */
const SLOW = { activePerFamily: { musicgen: 2, 'videogen-a': 2, 'videogen-b': 2 } };

const ALL_DONE = {
  charges: ROWS,
  duplicates: [],
  losses: [],
  rightFiles: ROWS,
  statuses: { done: ROWS },
  state: 'finished',
};

describe.concurrent('the disk of the media folder', { timeout: 60_000 }, () => {
  test('fills in the middle of a night and comes back', async (context) => {
    const disk = diskOrSkip(context);
    const folder = join(disk.path, 'media');
    const night = await openFaultNight(context, { rows: songRows(ROWS), folder, limits: SLOW });
    await night.engine.start(night.batchId);
    await night.until(async () => (await countOf(night, 'done')) >= 2);
    await night.clock.stoppedFor(() => disk.fill());
    await pausedFor(night, 'DISK_FULL');
    await disk.free();
    await night.until(() => night.batch()?.state === 'finished');
    expect(await auditCharges(night)).toMatchObject(ALL_DONE);
    expect(night.bugs).toEqual([]);
  });

  test('becomes read-only and writable again', async (context) => {
    const disk = diskOrSkip(context);
    const night = await openFaultNight(context, {
      rows: songRows(ROWS),
      limits: FEW_AT_ONCE,
      folder: join(disk.path, 'media'),
    });
    await night.engine.start(night.batchId);
    // Nothing is written in this moment, so that the system lets the disk be remounted.
    await night.until(async () => (await countOf(night, 'rendering')) >= 3);
    disk.setReadOnly(true);
    await pausedFor(night, 'DISK_DENIED');
    disk.setReadOnly(false);
    await night.until(() => night.batch()?.state === 'finished');
    expect(await auditCharges(night)).toMatchObject(ALL_DONE);
    expect(night.bugs).toEqual([]);
  });
});

describe.concurrent('the disk of the store', { timeout: 60_000 }, () => {
  test('fills in the middle of a night and comes back: no answer that was paid for is forgotten', async (context) => {
    const disk = diskOrSkip(context, 16);
    const night = await openFaultNight(context, {
      rows: songRows(ROWS),
      limits: FEW_AT_ONCE,
      dataDir: join(disk.path, 'data'),
    });
    await night.engine.start(night.batchId);
    await night.until(async () => (await countOf(night, 'submitting')) >= 2);
    await night.clock.stoppedFor(() => disk.fill());
    await pausedFor(night, 'DISK_FULL');
    await disk.free();
    await night.until(() => night.batch()?.state === 'finished');
    expect(await auditCharges(night)).toMatchObject(ALL_DONE);
    expect(night.bugs).toEqual([]);
  });
});

describe.concurrent('the media folder', { timeout: 60_000 }, () => {
  test('disappears and comes back: nothing is written anywhere else', async (context) => {
    const night = await openFaultNight(context, { rows: songRows(ROWS), limits: FEW_AT_ONCE });
    await night.engine.start(night.batchId);
    await night.until(async () => (await countOf(night, 'done')) >= 2);
    const away = `${night.folder}-unplugged`;
    await rename(night.folder, away);
    await pausedFor(night, 'DISK_DENIED');
    await expect(readdir(night.folder)).rejects.toThrow('ENOENT');
    await rename(away, night.folder);
    await night.until(() => night.batch()?.state === 'finished');
    expect(await auditCharges(night)).toMatchObject(ALL_DONE);
    expect(night.bugs).toEqual([]);
  });

  test('is replaced by another: nothing goes there without the user’s word', async (context) => {
    const night = await openFaultNight(context, { rows: songRows(ROWS), limits: SLOW });
    await night.engine.start(night.batchId);
    await night.until(async () => (await countOf(night, 'done')) >= 2);
    await night.clock.stoppedFor(async () => {
      await rename(night.folder, `${night.folder}-unplugged`);
      await mkdir(night.folder);
    });
    await pausedFor(night, 'DISK_DENIED');
    expect(await readdir(night.folder)).toEqual([]);
    await night.engine.start(night.batchId);
    await night.until(() => night.batch()?.state === 'finished');
    expect(await readdir(join(night.folder, 'music'))).not.toEqual([]);
    expect(night.gateway.chargeLog()).toHaveLength(ROWS);
    expect(night.bugs).toEqual([]);
  });

  test('has a subfolder that is a link to elsewhere: nothing is written there', async (context) => {
    const elsewhere = temporaryFolder();
    const night = await openFaultNight(context, { rows: songRows(ROWS), limits: FEW_AT_ONCE });
    await mkdir(night.folder, { recursive: true });
    await symlink(elsewhere, join(night.folder, 'music'));
    await night.engine.start(night.batchId);
    await pausedFor(night, 'DISK_DENIED');
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(join(night.folder, 'music'));
    await night.until(() => night.batch()?.state === 'finished');
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await auditCharges(night)).toMatchObject(ALL_DONE);
  });

  test('is itself a link that the user chose: the files go where it leads', async (context) => {
    const chosen = temporaryFolder();
    const real = temporaryFolder();
    await symlink(real, join(chosen, 'media'));
    const night = await openFaultNight(context, {
      rows: songRows(ROWS),
      limits: FEW_AT_ONCE,
      folder: join(chosen, 'media'),
    });
    await night.engine.start(night.batchId);
    await night.engine.settled(night.batchId);
    expect(await auditCharges(night)).toMatchObject(ALL_DONE);
    expect(await readdir(join(real, 'music'))).toHaveLength(ROWS);
  });
});

function diskOrSkip(context: TestContext, mebibytes = DISK_MIB): SmallDisk {
  const disk = mountSmallDisk(context, mebibytes);
  if (disk === undefined) return context.skip('a small disk can be mounted by root only');
  return disk;
}

async function countOf({ engine, batchId }: FaultNight, status: 'done' | 'rendering' | 'submitting'): Promise<number> {
  return (await engine.store.counts(batchId)).musicgen[status];
}

/** Pauses for this reason, and as soon as nothing is under way any more nothing is paid, however long it takes. */
async function pausedFor(night: FaultNight, code: string): Promise<void> {
  const { clock, gateway } = night;
  await night.until(() => night.batch()?.state === 'paused');
  expect(night.batch()).toMatchObject({ pause: { failure: { code } } });
  await clock.passed(MINUTE_MS);
  const paid = gateway.chargeLog().length;
  expect(paid).toBeLessThan(ROWS);
  await clock.passed(3 * MINUTE_MS);
  expect(gateway.chargeLog()).toHaveLength(paid);
  expect(await auditCharges(night)).toMatchObject({ duplicates: [], state: 'paused' });
}
