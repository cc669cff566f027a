import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  rmdirSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { isOlderCopy } from '../../src/engine/store/open/incarnation.ts';
import { checkDurable, openForOwner } from '../../src/engine/store/open/open-database.ts';
import { isOwned } from '../../src/engine/store/open/owner-lock.ts';
import { backupStore, openStore } from '../../src/engine/store/open/open-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { openStoreParts } from '../../src/engine/store/tasks/store-parts.ts';
import { sqliteTaskStore } from '../../src/engine/store/tasks/sqlite-task-store.ts';
import { StoreWriteError } from '../../src/engine/store/open/store-problem.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedStore } from './opened-store.ts';
import { makeRow, newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

const random = seededRandom();
let dir: string;
let path: string;

beforeEach(() => {
  // With everything in its name that an address would take for something else.
  dir = join(temporaryFolder(), 'dä ta %41#');
  path = join(dir, 'nocturne.db');
});

function problemOf(folder: string, owner = true) {
  const opened = openStore(folder, { random, owner });
  if (!opened.ok) return opened.error;
  opened.value.close();
  throw new Error('It opened.');
}

/** A closed store with one batch of `rows` rows. */
async function makeStore(rows = 1): Promise<void> {
  const store = openedStore(dir);
  store.store.createBatch(newBatch({ rows: Array.from({ length: rows }, (_, i) => makeRow(i + 2)) }));
  store.close();
}

/** Changes a closed store's database behind its back. */
function tamper(sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

describe('opening a store', () => {
  test('makes it for this user alone, and finds everything again', async () => {
    await makeStore();
    const again = openedStore(dir);
    expect(again.store.batches()).toMatchObject([{ name: 'night', taskCount: 1 }]);
    expect(again.checkIntegrity()).toEqual([]);
    again.close();
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('leaves nothing behind when it is closed but the database and an empty lock', async () => {
    await makeStore();
    expect(readdirSync(dir).toSorted()).toEqual(['nocturne.db', 'owner.lock']);
    expect(statSync(join(dir, 'owner.lock')).size).toBe(0);
  });

  test('is refused to a second owner, who is told which process has it', () => {
    const first = openedStore(dir);
    expect(problemOf(dir)).toMatchObject({ kind: 'owned', ownerPid: process.pid });
    expect(problemOf(dir).message).toContain(`process ${process.pid}`);
    first.close();
    openedStore(dir).close();
  });

  test('has an owner while a process has its lock, whatever note one that was killed left behind', () => {
    expect(isOwned(dir)).toBe(false);
    const owner = openedStore(dir);
    expect(isOwned(dir)).toBe(true);
    owner.close();
    writeFileSync(join(dir, 'owner.pid'), '1\n');
    expect(isOwned(dir)).toBe(false);
  });

  test('is possible to look at it beside its owner, without writing', async () => {
    const owner = openedStore(dir);
    const { id } = owner.store.createBatch(newBatch());
    const reader = openStore(dir, { random, owner: false });
    if (!reader.ok) throw new Error(reader.error.message);
    expect(reader.value.store.batch(id)).toEqual(owner.store.batch(id));
    await expect(async () => reader.value.store.createBatch(newBatch())).rejects.toThrow(StoreWriteError);
    reader.value.close();
    owner.store.createBatch(newBatch());
    owner.close();
    expect(problemOf(join(dir, 'none'), false)).toMatchObject({ kind: 'missing' });
    expect(existsSync(join(dir, 'none'))).toBe(false);
  });

  test('writes every commit through, also after it was opened again', async () => {
    await makeStore();
    const opened = openForOwner(path);
    if (!opened.ok) throw new Error(opened.error.message);
    const db = opened.value;
    expect([db.pragma('journal_mode'), db.pragma('synchronous')]).toEqual(['wal', 2]);
    expect(checkDurable(db, path)).toBeUndefined();
    db.exec('PRAGMA synchronous = NORMAL');
    expect(checkDurable(db, path)).toMatchObject({ kind: 'unsafe' });
    db.close();
  });

  test.each(['', 'PRAGMA journal_mode = WAL'])(
    'goes on where a process was killed while it made it (%s)',
    async (sql) => {
      mkdirSync(dir);
      tamper(sql);
      await makeStore();
      const again = openedStore(dir);
      expect(again.store.batches()).toHaveLength(1);
      again.close();
    },
  );
});

describe('a database that cannot be used', () => {
  test.each<[string, string, () => void]>([
    ['newer', 'of a newer version', () => tamper('PRAGMA user_version = 999')],
    ['damaged', 'of another program', () => tamper('PRAGMA application_id = 7')],
    ['damaged', 'that is no database', () => writeFileSync(path, 'never a database '.repeat(500))],
    ['damaged', 'that has lost its end', () => truncateSync(path, 4096 * 5)],
    ['damaged', 'with a page that was overwritten', () => overwritePages(path)],
  ])('%s: %s, is named and left as it is', async (kind, _, spoil) => {
    await makeStore(500);
    spoil();
    const before = readFileSync(path);
    const files = readdirSync(dir);
    const problem = problemOf(dir);
    expect(problem).toMatchObject({ kind });
    expect(problem.message).toContain(path);
    expect(problem.remedy).not.toBe('');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dir)).toEqual(files);
    expect(problemOf(dir, false)).toMatchObject({ kind });
  });

  test('because its place is taken by something else is denied', () => {
    mkdirSync(path, { recursive: true });
    expect(problemOf(dir)).toMatchObject({ kind: 'denied' });
    // On Windows, a name cannot be a pipe.
    if (process.platform !== 'win32') {
      rmdirSync(path);
      execFileSync('mkfifo', [path]);
      expect(problemOf(dir)).toMatchObject({ kind: 'denied', message: `${path} is not a file.` });
      expect(problemOf(dir, false)).toMatchObject({ kind: 'denied' });
    }
    writeFileSync(join(dir, 'file'), '');
    expect(problemOf(join(dir, 'file'))).toMatchObject({ kind: 'denied' });
    expect(problemOf(join(dir, 'file', 'below'))).toMatchObject({ kind: 'denied' });
  });
});

function overwritePages(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 4096 * 3, 4096 * 40);
  writeFileSync(file, bytes);
}

test('a full disk undoes the whole write, says so, and the store goes on when there is room', async () => {
  await makeStore();
  const opened = openForOwner(path);
  if (!opened.ok) throw new Error(opened.error.message);
  const db = opened.value;
  const store = sqliteTaskStore(openStoreParts(db), random);
  const [first] = store.batches();
  const { id } = only(first);
  db.exec(`PRAGMA max_page_count = ${db.pragma('page_count')}`);
  const rows = Array.from({ length: 500 }, (_, i) => makeRow(i + 2));
  const write = async () => store.createBatch(newBatch({ rows }));
  await expect(write()).rejects.toThrow(StoreWriteError);
  await expect(write()).rejects.toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ kind: 'full' }) as unknown }),
  );
  expect(store.batches().map((batch) => batch.id)).toEqual([id]);
  expect(store.counts(id).musicgen.queued).toBe(1);
  db.exec('PRAGMA max_page_count = 1000000');
  expect((await write()).rowCount).toBe(500);
  store.close();
});

test('a backup is put in place whole, for its owner alone, and replaces nothing without the user’s word', async () => {
  openedStore(dir).store.createBatch(newBatch());
  const copies = temporaryFolder();
  const copy = join(copies, 'nocturne.db');
  writeFileSync(copy, 'of the user', { mode: 0o644 });
  expect(await backupStore(dir, copy)).toMatchObject({
    ok: false,
    error: { kind: 'denied', remedy: 'Name a file that does not exist yet.' },
  });
  expect(readFileSync(copy, 'utf8')).toBe('of the user');
  expect(await backupStore(dir, copy, true)).toMatchObject({ ok: true });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(copies)).toEqual(['nocturne.db']);
  expect(openedStore(copies).store.batches()).toHaveLength(1);
});

test('a backup that is not wanted any more leaves nothing behind, and an old one as it was', async () => {
  const rows = Array.from({ length: 3_000 }, (_, i) => makeRow(i + 2));
  openedStore(dir).store.createBatch(newBatch({ rows }));
  const copies = temporaryFolder();
  const copy = join(copies, 'nocturne.db');
  const steps: number[] = [];
  const give = async (): Promise<void> => {
    const wish = new AbortController();
    const onProgress = (done: number, of: number): void => {
      steps.push(done / of);
      wish.abort();
    };
    await expect(backupStore(dir, copy, true, { signal: wish.signal, onProgress })).rejects.toThrow(/aborted/u);
  };
  await give();
  expect(readdirSync(copies)).toEqual([]);
  writeFileSync(copy, 'an old backup');
  await give();
  expect(readdirSync(copies)).toEqual(['nocturne.db']);
  expect(readFileSync(copy, 'utf8')).toBe('an old backup');
  expect(steps.length).toBe(2);
  for (const step of steps) expect(step).toBeLessThanOrEqual(1);
  expect(await backupStore(dir, copy, true)).toMatchObject({ ok: true });
});

test('a store that was put back from an older copy is told from the one that went on', async () => {
  await makeStore();
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  const used = openedStore(dir);
  const kept = used.incarnation();
  used.close();
  const next = openedStore(dir);
  expect(isOlderCopy(kept, next.incarnation())).toBe(false);
  next.close();
  copyFileSync(copy, path);
  const restored = openedStore(dir);
  expect(isOlderCopy(kept, restored.incarnation())).toBe(true);
  restored.close();
  const another = openedStore(join(dir, 'another'));
  expect(isOlderCopy(kept, { ...another.incarnation(), opening: 99, storeId: 'another' })).toBe(true);
  another.close();
});

describe('a copy of the last opening', () => {
  let noted: { readonly file: string; readonly now: number };
  beforeEach(() => {
    noted = { file: join(temporaryFolder(), 'notes', 'note.json'), now: NOW };
  });

  function opening(): OpenStore {
    const opened = openStore(dir, { random, noted });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  }

  /** Copies the store as it is now, beside its owner; the returned function puts the copy back. */
  function copied(): () => void {
    const files = [path, `${path}-wal`, `${path}-shm`];
    for (const file of files) copyFileSync(file, `${file}.copy`);
    return () => files.forEach((file) => copyFileSync(`${file}.copy`, file));
  }

  function pay(store: OpenStore['store'], batchId: string): void {
    const task = only(store.tasksOfRow(batchId, 'r2')[0]);
    const openAttempt = { startedAt: NOW, origin: 'o', keyFingerprint: 'k', body: new Uint8Array(), bodySha256: 'h' };
    const next = { ...task, status: 'submitting' as const, revision: task.revision + 1 };
    const event = { kind: 'submit-started' } as const;
    const change = { expectedRevision: task.revision, next, event, at: NOW, openAttempt };
    expect(store.commit([change])).toEqual(['committed']);
  }

  test('is told by the paid requests made since, and nothing of it goes on', () => {
    const used = opening();
    const { store } = used;
    const [running, held, ready, over] = [1, 2, 3, 4].map(() => store.createBatch(newBatch()).id);
    const atRest = store.createBatch(newBatch({ rows: [] })).id;
    for (const id of [only(over), atRest]) store.setBatchState(id, 'finished', undefined, NOW);
    store.setBatchState(only(running), 'running', undefined, NOW);
    const disk = failure('DISK_FULL', 'No space is left.');
    store.setBatchState(only(held), 'paused', { by: 'failure', failure: disk }, NOW);
    const putBack = copied();
    pay(store, only(running));
    used.close();
    putBack();
    const restored = opening();
    expect(restored.isOlderCopy).toBe(true);
    expect(restored.store.batch(only(running))).toMatchObject(RESTORED);
    // A pause by the disk would end by itself; that the disk refuses is kept.
    expect(restored.store.batch(only(held))).toMatchObject({ state: 'paused', pause: { ...RESTORED.pause, disk } });
    expect(restored.store.batch(only(ready))).toMatchObject({ state: 'ready' });
    // Where it is started, and where a retry would send, this is said; it is not where nothing is left to send.
    expect(restored.store.batch(only(ready))).toMatchObject({ pause: RESTORED.pause });
    expect(restored.store.batch(only(over))).toMatchObject(RESTORED);
    expect(restored.store.batch(atRest)?.state).toBe('finished');
    restored.close();
    const again = opening();
    expect(again.isOlderCopy).toBe(false);
    again.close();
  });

  test('is told from before the first batch, too; a new store in its place is none', () => {
    const used = opening();
    const putBack = copied();
    const { store } = used;
    pay(store, store.createBatch(newBatch()).id);
    used.close();
    putBack();
    const restored = opening();
    expect(restored.isOlderCopy).toBe(true);
    expect(restored.store.batches()).toEqual([]);
    pay(restored.store, restored.store.createBatch(newBatch()).id);
    restored.close();
    rmSync(path);
    const another = opening();
    expect(another.isOlderCopy).toBe(false);
    another.close();
  });

  test('is refused where only an empty file is left of it; one that paid for nothing begins anew', () => {
    const used = opening();
    used.close();
    truncateSync(path);
    const begun = opening();
    pay(begun.store, begun.store.createBatch(newBatch()).id);
    begun.close();
    truncateSync(path);
    const opened = openStore(dir, { random, noted });
    expect(opened).toMatchObject({ ok: false, error: { kind: 'damaged' } });
    expect(!opened.ok && opened.error.message).toContain('nocturne.db is empty, although it knew of paid requests');
    expect(statSync(path).size).toBe(0);
    rmSync(path);
    opening().close();
  });

  test('is told once, also where the note cannot be written again; an older one still is told', () => {
    const used = opening();
    const { store } = used;
    const id = store.createBatch(newBatch()).id;
    store.setBatchState(id, 'running', undefined, NOW);
    const putBack = copied();
    pay(store, id);
    used.close();
    putBack();
    mkdirSync(`${noted.file}.new`);
    const restored = opening();
    expect(restored.isOlderCopy).toBe(true);
    restored.store.setBatchState(id, 'running', undefined, NOW);
    restored.close();
    const again = opening();
    expect(again.isOlderCopy).toBe(false);
    expect(again.store.batch(id)).toMatchObject({ state: 'running' });
    again.close();
    putBack();
    const older = opening();
    expect(older.isOlderCopy).toBe(true);
    expect(older.store.batch(id)).toMatchObject(RESTORED);
    older.close();
  });

  test('is told in another folder as well, and so is the store that another copy has paid for since', () => {
    const used = opening();
    const id = used.store.createBatch(newBatch()).id;
    used.store.setBatchState(id, 'running', undefined, NOW);
    const elsewhere = temporaryFolder();
    copyFileSync(path, join(elsewhere, 'nocturne.db'));
    copyFileSync(`${path}-wal`, join(elsewhere, 'nocturne.db-wal'));
    pay(used.store, id);
    used.close();
    const openingCopy = (): OpenStore => {
      const file = join(dirname(noted.file), 'elsewhere.json');
      const opened = openStore(elsewhere, { random, noted: { ...noted, file } });
      if (!opened.ok) throw new Error(opened.error.message);
      return opened.value;
    };
    const copy = openingCopy();
    expect(copy.isOlderCopy).toBe(true);
    expect(copy.store.batch(id)).toMatchObject(RESTORED);
    pay(copy.store, id);
    copy.close();
    const first = opening();
    expect(first.isOlderCopy).toBe(true);
    first.close();
  });

  test('that knows every paid request is as good as the store itself, and so is the store', () => {
    const used = opening();
    const { store } = used;
    pay(store, store.createBatch(newBatch()).id);
    const putBack = copied();
    used.close();
    putBack();
    for (let times = 0; times < 2; times += 1) {
      const next = opening();
      expect(next.isOlderCopy).toBe(false);
      next.close();
    }
  });
});

const RESTORED = { state: 'paused', pause: { by: 'failure', failure: { code: 'STORE_RESTORED' } } } as const;
