/** Rejected files have a folder of their own, and come back; whatever stops in between, each file has one place in the end. */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityText } from '../../src/engine/media-folder/folder-identity.ts';
import { fileReviewEntries } from '../../src/engine/review/file-review.ts';
import { DISK, FileTidier, type FilingDisk } from '../../src/engine/review/tidy-files.ts';
import { storeProblem, StoreWriteError } from '../../src/engine/store/open/store-problem.ts';
import type { Entry } from '../../src/engine/night/task-journal.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { FOLDER_IDENTITY_FILE } from '../../src/shared/domain/files/naming.ts';
import { outputIdOf } from '../../src/shared/domain/task/task.ts';
import { NightHarness, row } from '../support/night-harness.ts';
import { rendered } from '../support/scripted-gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A finished batch of one row with two takes or more, whose files lie on a disk; all of three bytes, as their records say. */
class Reviewed {
  readonly night = new NightHarness();
  readonly folder = temporaryFolder();
  id = '';
  outputs: string[] = [];

  async begin(takes = 2): Promise<this> {
    const { night, folder } = this;
    night.folder.identity = randomUUID();
    writeFileSync(join(folder, FOLDER_IDENTITY_FILE), identityText(night.folder.identity));
    night.folder.contentOf = (url) => url.slice(-7, -4);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code.padStart(3, '0').slice(-3)}.mp3`);
    this.id = await night.bringIn([row('r', 2, { takes })], { folder, filename: '{row}-{take}' });
    await night.scheduler.start(this.id);
    await night.untilRest(this.id);
    mkdirSync(join(folder, 'music'));
    for (const { id, outputs } of await night.store.tasksOfRow(this.id, 'r')) {
      for (const { index, path = '' } of outputs) {
        this.outputs.push(outputIdOf(id, index));
        const content = this.night.folder.contentOf(outputs[0]?.url ?? '');
        writeFileSync(join(folder, path), content);
      }
    }
    return this;
  }

  tidier(
    record: (entries: readonly Entry[]) => Promise<number> = this.record,
    store: TaskStore = this.night.store,
    disk?: FilingDisk,
  ): FileTidier {
    const { opened } = this.night;
    const onBug = (error: unknown): void => void this.night.bugs.push(error);
    return new FileTidier({ store, views: opened.views, isShared: false, record, onBug, disk });
  }

  readonly record = (entries: readonly Entry[]): Promise<number> => this.night.scheduler.decide(entries);

  say(place: number, kept: boolean | null): Promise<void> {
    return this.sayOf([this.outputs[place] ?? ''], kept);
  }

  async sayOf(outputs: readonly string[], kept: boolean | null): Promise<void> {
    const entries: Entry[] = [];
    for (const output of outputs) {
      const found = await fileReviewEntries(this.night.store, output, { kept }, 10);
      if (!found.ok) throw new Error(found.error.message);
      entries.push(...found.value.entries);
    }
    if ((await this.record(entries)) !== entries.length) throw new Error('not recorded');
  }

  /** The files on the disk, in the order of their paths. */
  files(): readonly string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('.') && path !== FOLDER_IDENTITY_FILE)
      .toSorted();
  }

  /** Where the store says that the files are, in the order of their takes. */
  async paths(): Promise<readonly (string | undefined)[]> {
    const tasks = await this.night.store.tasksOfRow(this.id, 'r');
    return tasks.flatMap(({ outputs }) => outputs.map(({ path }) => path));
  }

  contentOf(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }
}

test('a rejected file goes to the rejected ones and comes back under its name, with its content', async () => {
  const it = await new Reviewed().begin();
  const content = it.contentOf('music/r-2.mp3');
  await it.say(1, false);
  expect(await it.tidier().tidy(it.id)).toBeUndefined();
  expect(it.files()).toEqual(['music/r-1.mp3', 'rejected/r-2.mp3']);
  expect(await it.paths()).toEqual(['music/r-1.mp3', 'rejected/r-2.mp3']);
  await it.say(1, null);
  expect(await it.tidier().tidy(it.id)).toBeUndefined();
  expect(it.files()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
  expect(await it.paths()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
  expect(it.contentOf('music/r-2.mp3')).toBe(content);
});

test('nothing of the user’s is replaced: a name that is taken gets a number, there and back', async () => {
  const it = await new Reviewed().begin();
  mkdirSync(join(it.folder, 'rejected'));
  writeFileSync(join(it.folder, 'rejected/r-1.mp3'), 'mine');
  await it.say(0, false);
  await it.tidier().tidy(it.id);
  expect(await it.paths()).toEqual(['rejected/r-1-2.mp3', 'music/r-2.mp3']);
  writeFileSync(join(it.folder, 'music/r-1.mp3'), 'mine, too');
  await it.say(0, true);
  await it.tidier().tidy(it.id);
  expect(await it.paths()).toEqual(['music/r-1-2.mp3', 'music/r-2.mp3']);
  expect(it.contentOf('rejected/r-1.mp3')).toBe('mine');
  expect(it.contentOf('music/r-1.mp3')).toBe('mine, too');
});

test('a file that was changed or removed by hand stays as it is', async () => {
  const it = await new Reviewed().begin();
  writeFileSync(join(it.folder, 'music/r-1.mp3'), 'longer than it was');
  rmSync(join(it.folder, 'music/r-2.mp3'));
  await it.say(0, false);
  await it.say(1, false);
  expect(await it.tidier().tidy(it.id)).toBeUndefined();
  expect(it.files()).toEqual(['music/r-1.mp3']);
  expect(await it.paths()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
});

test.each([false, true])(
  'a name that is another file’s by the store is left to it, its own link or not: %s',
  async (isLinked) => {
    const it = await new Reviewed().begin();
    mkdirSync(join(it.folder, 'rejected'));
    // As programs do that make one file of all that are alike.
    if (isLinked) linkSync(join(it.folder, 'music/r-1.mp3'), join(it.folder, 'rejected/r-1.mp3'));
    await it.say(0, false);
    const tidier = it.tidier(async (entries) => {
      const isClaimed = entries.some(({ event }) => event.kind === 'file-moved' && event.to === 'rejected/r-1.mp3');
      return isClaimed ? 0 : it.record(entries);
    });
    await tidier.tidy(it.id);
    expect(await it.paths()).toEqual(['rejected/r-1-2.mp3', 'music/r-2.mp3']);
    expect(existsSync(join(it.folder, 'rejected/r-1.mp3'))).toBe(isLinked);
  },
);

test.each(['', 'a'])('what begins like the file, or is empty, is the user’s as well: %j', async (start) => {
  const it = await new Reviewed().begin();
  it.night.folder.contentOf = () => '';
  mkdirSync(join(it.folder, 'rejected'));
  writeFileSync(join(it.folder, 'rejected/r-1.mp3'), start === '' ? '' : it.contentOf('music/r-1.mp3').slice(0, 1));
  await it.say(0, false);
  await it.tidier().tidy(it.id);
  expect((await it.paths())[0]).toBe('rejected/r-1-2.mp3');
  expect(it.contentOf('rejected/r-1.mp3')).toHaveLength(start.length);
});

test('a store that refuses the record of a move is no bug, and the file is moved another time', async () => {
  const reviewed = await new Reviewed().begin();
  const [output = ''] = reviewed.outputs;
  await reviewed.say(0, false);
  const refuses = reviewed.tidier(() =>
    Promise.reject(new StoreWriteError(storeProblem('full', 'The disk is full.'), undefined)),
  );
  await refuses.tidySoon(reviewed.id, output);
  expect(reviewed.night.bugs).toEqual([]);
  expect(await reviewed.paths()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
  await reviewed.tidier().tidySoon(reviewed.id, output);
  expect(reviewed.files()).toEqual(['music/r-2.mp3', 'rejected/r-1.mp3']);
});

test('another process that takes the word back meanwhile: the file is where the store says, whoever is quicker', async () => {
  const it = await new Reviewed().begin();
  const content = it.contentOf('music/r-1.mp3');
  await it.say(0, false);
  const [isReady, ready] = [new AbortController(), new AbortController()];
  const until = ({ signal }: AbortController): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
  let reads = 0;
  // It has claimed the new path, and is about to remove the former one.
  const slow: TaskStore = {
    ...it.night.store,
    async task(id) {
      const found = await it.night.store.task(id);
      reads += 1;
      if (reads !== 3) return found;
      isReady.abort();
      await until(ready);
      return found;
    },
  };
  const first = it.tidier(it.record, slow).tidy(it.id);
  await until(isReady);
  await it.say(0, null);
  const second = it.tidier(async (entries) => {
    const recorded = await it.record(entries);
    if (entries.some(({ event }) => event.kind === 'file-moved')) {
      ready.abort();
      await first;
    }
    return recorded;
  });
  await second.tidy(it.id);
  await it.tidier().tidy(it.id);
  expect(await it.paths()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
  expect(it.files()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
  expect(it.contentOf('music/r-1.mp3')).toBe(content);
});

test('the former path is kept where another program has written over the new one, and leads back where that is gone', async () => {
  const it = await new Reviewed().begin();
  const content = it.contentOf('music/r-1.mp3');
  const dying = it.tidier(async (entries) => {
    await it.record(entries);
    throw new Error('ended');
  });
  await it.say(0, false);
  await dying.tidy(it.id).catch(() => undefined);
  rmSync(join(it.folder, 'rejected/r-1.mp3'));
  await it.tidier().tidy(it.id);
  expect(it.contentOf('rejected/r-1.mp3')).toBe(content);
  rmSync(join(it.folder, 'rejected/r-1.mp3'));
  writeFileSync(join(it.folder, 'rejected/r-1.mp3'), 'x');
  await it.tidier().tidy(it.id);
  expect(it.contentOf('music/r-1.mp3')).toBe(content);
});

const DEEDS = [
  { name: 'rejecting', files: ['music/r-2.mp3', 'rejected/r-1.mp3'] },
  { name: 'taking it back', files: ['music/r-1.mp3', 'music/r-2.mp3'] },
  { name: 'deleting', files: ['music/r-2.mp3'] },
] as const;

test.each(
  DEEDS.flatMap((deed) => [0, 1, 2].flatMap((nth) => ['before', 'after'].map((when) => ({ ...deed, nth, when })))),
)('$name, ended $when commit $nth: the next look completes it', async ({ name, files, nth, when }) => {
  const it = await new Reviewed().begin();
  await it.say(0, false);
  if (name !== 'rejecting') await it.tidier().tidy(it.id);
  if (name === 'taking it back') await it.say(0, null);
  let commits = 0;
  const dying = it.tidier(async (entries) => {
    const isLast = commits === nth;
    commits += 1;
    if (isLast && when === 'before') throw new Error('ended');
    const recorded = await it.record(entries);
    if (isLast) throw new Error('ended');
    return recorded;
  });
  const deed = (tidier: FileTidier): Promise<unknown> =>
    name === 'deleting' ? tidier.deleteRejected(it.id, new Set(it.outputs)) : tidier.tidy(it.id);
  await deed(dying).catch((error: unknown) => expect(error).toEqual(new Error('ended')));
  // Whenever it ended, the file that the store names is there, unless it is being deleted.
  for (const path of await it.paths())
    if (path !== undefined && name !== 'deleting') expect(existsSync(join(it.folder, path))).toBe(true);
  await deed(it.tidier());
  await it.tidier().tidy(it.id);
  expect(it.files()).toEqual(files);
  expect((await it.paths()).filter((path) => path !== undefined).toSorted()).toEqual(files);
  expect(await it.night.opened.views.filedFiles(it.id)).toHaveLength(name === 'rejecting' ? 1 : 0);
});

test('only what the user was shown is deleted, and only while it is rejected', async () => {
  const it = await new Reviewed().begin();
  const [first = '', second = ''] = it.outputs;
  await it.say(0, false);
  await it.say(1, false);
  await it.tidier().tidy(it.id);
  await it.say(0, null);
  expect(await it.tidier().deleteRejected(it.id, new Set([first]))).toEqual({
    ok: true,
    value: { files: 0, bytes: 0, left: 0 },
  });
  expect(it.files()).toEqual(['music/r-1.mp3', 'rejected/r-2.mp3']);
  expect(await it.tidier().deleteRejected(it.id, new Set([first, second]))).toEqual({
    ok: true,
    value: { files: 1, bytes: 3, left: 0 },
  });
  expect(it.files()).toEqual(['music/r-1.mp3']);
  const gone = await fileReviewEntries(it.night.store, second, { kept: true }, 10);
  expect(gone).toMatchObject({ ok: false });
  // The row stays what it was, and its sums are right.
  expect((await it.night.store.tasksOfRow(it.id, 'r')).map(({ status }) => status)).toEqual(['done', 'done']);
  expect((await it.night.opened.views.taskFiles(it.id)).map(({ files }) => files)).toEqual([1]);
});

test('what was removed by hand is deleted as well, what was changed is left and counted, what is taken back is neither', async () => {
  const it = await new Reviewed().begin();
  rmSync(join(it.folder, 'music/r-1.mp3'));
  writeFileSync(join(it.folder, 'music/r-2.mp3'), 'longer than it was');
  await it.say(0, false);
  await it.say(1, false);
  const ids = new Set(it.outputs);
  expect(await it.tidier().deleteRejected(it.id, ids)).toEqual({ ok: true, value: { files: 1, bytes: 0, left: 1 } });
  expect(it.files()).toEqual(['music/r-2.mp3']);
  const other = await new Reviewed().begin();
  await other.say(0, false);
  const tidier = other.tidier(async (entries) => {
    if (entries.some(({ event }) => event.kind === 'file-deleted')) await other.say(0, null);
    return other.record(entries);
  });
  const nothing = { ok: true, value: { files: 0, bytes: 0, left: 0 } };
  expect(await tidier.deleteRejected(other.id, new Set(other.outputs))).toEqual(nothing);
  expect(other.files()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
});

test('only what is gone from the disk counts as deleted, and what stays is said and counts when it goes', async () => {
  const it = await new Reviewed().begin(3);
  await it.sayOf(it.outputs, false);
  await it.tidier().tidy(it.id);
  writeFileSync(join(it.folder, 'rejected/r-3.mp3'), 'longer than it was');
  const disk: FilingDisk = {
    ...DISK,
    removeFile: (folder, file) =>
      file.path === 'rejected/r-2.mp3'
        ? Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS', syscall: 'unlink' }))
        : DISK.removeFile(folder, file),
  };
  const ids = new Set(it.outputs);
  expect(await it.tidier(it.record, it.night.store, disk).deleteRejected(it.id, ids)).toMatchObject({
    ok: true,
    value: { files: 1, bytes: 3, left: 1, problem: { code: 'DISK_DENIED' } },
  });
  expect(it.files()).toEqual(['rejected/r-2.mp3', 'rejected/r-3.mp3']);
  expect(await it.tidier().deleteRejected(it.id, ids)).toMatchObject({ ok: true, value: { files: 1, bytes: 3 } });
  expect(it.files()).toEqual(['rejected/r-3.mp3']);
});

test('what is not wanted any more is not begun, and says how far it is otherwise', async () => {
  const it = await new Reviewed().begin();
  await it.say(0, false);
  await it.say(1, false);
  const ids = new Set(it.outputs);
  const ended = { signal: AbortSignal.abort() };
  const nothing = { ok: true, value: { files: 0, bytes: 0, left: 0 } };
  expect(await it.tidier().deleteRejected(it.id, ids, ended)).toEqual(nothing);
  expect(it.files()).toEqual(['rejected/r-1.mp3', 'rejected/r-2.mp3']);
  const steps: (readonly number[] | string)[] = [];
  const onProgress = (done: number, of: number): void => void steps.push([done, of]);
  const onBound = (): void => void steps.push('bound');
  await it.tidier().deleteRejected(it.id, ids, { onProgress, onBound });
  expect(steps).toEqual([[2, 2], 'bound']);
  expect(it.files()).toEqual([]);
});

test('of many files whose deletion is ended on its way those that are recorded go, and the rest stay, rejected', async () => {
  const it = await new Reviewed().begin(205);
  // Not ours to delete any more.
  writeFileSync(join(it.folder, 'music/r-1.mp3'), 'longer than it was');
  await it.sayOf(it.outputs, false);
  const wish = new AbortController();
  const watch = { signal: wish.signal, onProgress: () => wish.abort() };
  expect(await it.tidier().deleteRejected(it.id, new Set(it.outputs), watch)).toEqual({
    ok: true,
    value: { files: 200, bytes: 600, left: 1 },
  });
  const stay = it.files();
  expect([stay.length, stay.filter((file) => file.startsWith('rejected/')).length]).toEqual([5, 4]);
  const rejected = (await it.night.opened.views.filedFiles(it.id)).filter(({ isRejected }) => isRejected);
  expect(rejected.map(({ path }) => path).toSorted()).toEqual(stay);
});

test('a folder that is another one is left alone, and says so when something is to be deleted', async () => {
  const it = await new Reviewed().begin();
  await it.say(0, false);
  writeFileSync(join(it.folder, FOLDER_IDENTITY_FILE), identityText(randomUUID()));
  expect(await it.tidier().tidy(it.id)).toBeUndefined();
  expect(await it.tidier().deleteRejected(it.id, new Set(it.outputs))).toMatchObject({ ok: false });
  expect(await it.paths()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
});
