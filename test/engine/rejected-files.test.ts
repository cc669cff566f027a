/** Rejected files have a folder of their own, and come back; whatever stops in between, each file has one place in the end. */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileReviewEntries } from '../../src/engine/review/file-review.ts';
import { FileTidier } from '../../src/engine/review/tidy-files.ts';
import type { Entry } from '../../src/engine/night/task-journal.ts';
import { outputIdOf } from '../../src/shared/domain/task/task.ts';
import { NightHarness, row } from '../support/night-harness.ts';
import { rendered } from '../support/scripted-gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A finished batch of one row with two takes, whose files lie on a disk; all of three bytes, as their records say. */
class Reviewed {
  readonly night = new NightHarness();
  readonly folder = temporaryFolder();
  id = '';
  outputs: string[] = [];

  async begin(): Promise<this> {
    const { night, folder } = this;
    night.folder.contentOf = (url) => url.slice(-7, -4);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code.padStart(3, '0').slice(-3)}.mp3`);
    this.id = await night.bringIn([row('r', 2, { takes: 2 })], { folder, filename: '{row}-{take}' });
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

  tidier(record: (entries: readonly Entry[]) => Promise<number> = this.record): FileTidier {
    const { store, opened } = this.night;
    const onBug = (error: unknown): void => void this.night.bugs.push(error);
    return new FileTidier({ store, views: opened.views, isShared: false, record, onBug });
  }

  readonly record = (entries: readonly Entry[]): Promise<number> => this.night.scheduler.decide(entries);

  async say(place: number, kept: boolean | null): Promise<void> {
    const found = await fileReviewEntries(this.night.store, this.outputs[place] ?? '', { kept }, 10);
    if (!found.ok) throw new Error(found.error.message);
    if ((await this.record(found.value.entries)) !== found.value.entries.length) throw new Error('not recorded');
  }

  /** The files on the disk, in the order of their paths. */
  files(): readonly string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('.'))
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
    value: { files: 0, bytes: 0 },
  });
  expect(it.files()).toEqual(['music/r-1.mp3', 'rejected/r-2.mp3']);
  expect(await it.tidier().deleteRejected(it.id, new Set([first, second]))).toEqual({
    ok: true,
    value: { files: 1, bytes: 3 },
  });
  expect(it.files()).toEqual(['music/r-1.mp3']);
  const gone = await fileReviewEntries(it.night.store, second, { kept: true }, 10);
  expect(gone).toMatchObject({ ok: false });
  // The row stays what it was, and its sums are right.
  expect((await it.night.store.tasksOfRow(it.id, 'r')).map(({ status }) => status)).toEqual(['done', 'done']);
  expect((await it.night.opened.views.taskFiles(it.id)).map(({ files }) => files)).toEqual([1]);
});

test('a folder that is another one is left alone, and says so when something is to be deleted', async () => {
  const it = await new Reviewed().begin();
  await it.night.scheduler.configure(it.id, ({ settings }) => ({ ...settings, folderIdentity: 'the folder' }));
  await it.say(0, false);
  rmSync(join(it.folder, 'music'), { recursive: true });
  expect(await it.tidier().tidy(it.id)).toBeUndefined();
  expect(await it.tidier().deleteRejected(it.id, new Set(it.outputs))).toMatchObject({ ok: false });
  expect(await it.paths()).toEqual(['music/r-1.mp3', 'music/r-2.mp3']);
});
