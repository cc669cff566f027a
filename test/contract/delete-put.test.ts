import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { FILE_CRASH_POINTS, FILE_DELETION_CRASH_POINTS, watchCrashPoints } from '../../src/engine/crash-point.ts';
import { PutDeleter, type BatchesOfPlaces } from '../../src/engine/file-places/delete-put.ts';
import { GivenPlaces } from '../../src/engine/file-places/given-places.ts';
import { openFilesPlace } from '../../src/engine/file-places/open-place.ts';
import { placeConnections } from '../../src/engine/file-places/put-file.ts';
import { contentKey, PutRecord } from '../../src/engine/file-places/put-record.ts';
import type { FilePlaces } from '../../src/engine/ports/file-places.ts';
import { filesPlace, placeKey, type FilesPlace } from '../../src/shared/domain/places/files-place.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { Task, TaskStatus } from '../../src/shared/domain/task/task.ts';
import { fastClock } from '../support/fast-clock.ts';
import { FilePlaceRig, FIXTURES } from '../support/file-place-rig.ts';
import { profileWith } from '../support/night-harness.ts';
import { S3_SERVER_IS_HERE } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WEBDAV_SERVER_IS_HERE } from '../support/webdav-server.ts';

vi.setConfig({ testTimeout: 60_000 });

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const PNG = `${sha(readFileSync(new URL('picture.png', FIXTURES)))}.png`;
const JPG = `${sha(readFileSync(new URL('picture.jpg', FIXTURES)))}.jpg`;
const WAYS = [
  { kind: 's3', isHere: S3_SERVER_IS_HERE },
  { kind: 'webdav', isHere: WEBDAV_SERVER_IS_HERE },
] as const;

/** The batches of a store, as far as deletions ask for them. */
class Batches implements BatchesOfPlaces {
  readonly places = new Map<string, FilesPlace | undefined>();
  readonly tasks = new Map<string, Partial<Task>[]>();
  /** The one that runs. */
  running = '';
  /** Called when somebody asks what is left of a batch. */
  onAsked = (): void => undefined;

  set(id: string, place: FilesPlace | undefined, ...tasks: readonly Partial<Task>[]): void {
    this.places.set(id, place);
    this.tasks.set(id, [...tasks]);
  }

  /** Removed: only by its id is it still known. */
  readonly removed = new Set<string>();

  batch(id: string): Promise<BatchRecord | undefined> {
    const settings = { profile: profileWith(), filesPlace: this.places.get(id), shelf: { is: 'removed', at: 0 } };
    return Promise.resolve(this.removed.has(id) ? ({ id, settings } as unknown as BatchRecord) : undefined);
  }

  batches(): Promise<readonly BatchRecord[]> {
    const profile = profileWith();
    return Promise.resolve(
      [...this.places].flatMap(([id, filesPlace]) => {
        if (this.removed.has(id)) return [];
        const state = id === this.running ? 'running' : 'finished';
        return { id, state, settings: { profile, filesPlace } } as unknown as BatchRecord;
      }),
    );
  }

  async *tasksByStatus(statuses: readonly TaskStatus[], id = ''): AsyncIterable<Task> {
    this.onAsked();
    for (const task of this.tasks.get(id) ?? [])
      if (task.superseded !== true && statuses.includes(task.status ?? 'done')) yield task as Task;
  }

  watchedTasks(id: string): Promise<readonly Task[]> {
    const isWatched = ({ failure, superseded }: Partial<Task>): boolean =>
      failure?.suspected === true || superseded === true;
    return Promise.resolve((this.tasks.get(id) ?? []).filter(isWatched) as Task[]);
  }
}

describe.each(WAYS)('what was put for a batch is deleted after it: $kind', ({ kind, isHere }) => {
  const rig = new FilePlaceRig(kind);
  let batches: Batches;
  let deleting: FilesPlace;
  let seen = 0;

  describe.skipIf(!isHere)('on a real server', () => {
    beforeAll(() => rig.start(), 60_000);
    afterAll(() => rig.stop());
    beforeEach(async () => {
      await rig.prepare();
      seen = rig.proxy.seen.length;
      deleting = { ...rig.place, deleteAfterBatch: true };
      rig.place = deleting;
      rig.batches = batches = new Batches();
      rig.bring('picture.png', 'moon.png');
      rig.bring('picture.jpg', 'sun.jpg');
    });
    afterEach(() => rig.endTest());

    /** Puts a file, and says that a batch sends its address, as a row does. */
    const send = async (places: FilePlaces, batch: string, written: string): Promise<boolean> => {
      const address = await rig.address(places, rig.order(written));
      return places.noteUse(batch, Buffer.from(JSON.stringify({ images: [address], prompt: 'x' })));
    };
    const look = async (places: FilePlaces): Promise<readonly string[]> => {
      places.deleteUnneeded();
      await places.deleted();
      return [...(await rig.contents()).keys()].toSorted();
    };
    const deletes = (): number => rig.proxy.seen.slice(seen).filter(({ method }) => method === 'DELETE').length;

    test('once, when no row needs it any more, and it is put again for one that is tried again', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      expect(await send(places, 'a', 'moon.png')).toBe(true);
      for (const status of ['queued', 'submitting', 'submit-unknown', 'rendering', 'downloading'] as const) {
        batches.set('a', deleting, { status: 'done' }, { status });
        expect([status, await look(places)]).toEqual([status, [PNG]]);
      }
      batches.set('a', deleting, { status: 'done' }, { status: 'failed' });
      expect(await look(places)).toEqual([]);
      expect(await places.putFor('a', deleting)).toEqual({ left: 0, deleted: 1, notOurs: 0, problems: [] });
      const before = deletes();
      expect(await look(places)).toEqual([]);
      expect(deletes()).toBe(before);
      // Its address was given a moment ago, and is believed no more.
      batches.set('a', deleting, { status: 'queued' });
      expect(await send(places, 'a', 'moon.png')).toBe(true);
      expect(await look(places)).toEqual([PNG]);
      batches.set('a', deleting, { status: 'done' });
      expect(await look(await rig.places())).toEqual([]);
    });

    test('not before a gateway has given up what may be rendering there, seen or cancelled', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      const now = Date.now();
      const long = now - 1000 * 3_600_000;
      const suspected = { code: 'TASK_FAILED', message: '', suspected: true } as unknown as Task['failure'];
      const more = { taskCode: 'x', ...(suspected && { failure: suspected }) };
      const open: Partial<Task>[] = [
        { status: 'failed', submittedAt: now, ...more },
        { status: 'cancelled', submittedAt: now, taskCode: 'x' },
        { status: 'rendering', superseded: true, submittedAt: now, taskCode: 'x' },
      ];
      for (const task of open) {
        batches.set('a', deleting, task);
        expect([task.status, await look(places)]).toEqual([task.status, [PNG]]);
      }
      batches.set('a', deleting, ...open.map((task) => ({ ...task, submittedAt: long })), { status: 'cancelled' });
      expect(await look(places)).toEqual([]);
    });

    test('what others still need, or want to keep, stays', async () => {
      const places = await rig.places();
      const keeping = { ...rig.place, deleteAfterBatch: false };
      await places.allow(keeping);
      batches.set('a', deleting, { status: 'queued' });
      batches.set('b', deleting, { status: 'queued' });
      batches.set('c', keeping, { status: 'done' });
      await send(places, 'a', 'moon.png');
      await send(places, 'b', 'moon.png');
      await send(places, 'a', 'sun.jpg');
      await send(places, 'c', 'sun.jpg');
      batches.set('a', deleting, { status: 'done' });
      expect(await look(places)).toEqual([PNG, JPG].toSorted());
      batches.set('b', deleting, { status: 'done' });
      expect(await look(places)).toEqual([JPG]);
      // The user has said otherwise since, in another process; a batch that runs may name it in a row that is not sent yet.
      batches.set('c', deleting, { status: 'done' });
      batches.set('d', deleting, { status: 'queued' });
      batches.running = 'd';
      expect(await look(await rig.places())).toEqual([JPG]);
      batches.running = '';
      expect(await look(await rig.places())).toEqual([]);
      // A batch that nobody knows of may still be rendered.
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      batches.places.delete('a');
      expect(await look(places)).toEqual([PNG]);
    });

    test('what a removed batch has sent, too, goes with the batches that are left', async () => {
      const places = await rig.places();
      for (const id of ['a', 'b']) batches.set(id, deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      await send(places, 'b', 'moon.png');
      for (const id of ['a', 'b']) batches.set(id, deleting, { status: 'done' });
      batches.removed.add('a');
      expect(await look(places)).toEqual([]);
    });

    test('what was put for a row that was never sent goes with the last batch of its place', async () => {
      const places = await rig.places();
      await rig.address(places, rig.order('moon.png'));
      batches.set('a', deleting, { status: 'queued' });
      expect(await look(places)).toEqual([PNG]);
      batches.set('a', deleting, { status: 'cancelled' });
      expect(await look(places)).toEqual([]);
    });

    test('what lay there before, or was put by another installation, is not ours', async () => {
      await rig.write(PNG, readFileSync(new URL('picture.png', FIXTURES)));
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      await send(places, 'a', 'sun.jpg');
      batches.set('a', deleting, { status: 'done' });
      // A record that came with a store from elsewhere.
      const lines = readFileSync(`${rig.folder}/put.jsonl`, 'utf8').split('\n');
      const line = lines.findLast((one) => one.includes(JPG)) ?? '';
      appendFileSync(`${rig.folder}/put.jsonl`, `\n${line.replace(/"by":"[^"]*"/u, '"by":"somebody else"')}\n`);
      expect(await look(await rig.places())).toEqual([PNG, JPG].toSorted());
      expect(deletes()).toBe(0);
      expect(await look(places)).toEqual([PNG]);
      expect(await places.putFor('a', deleting)).toEqual({ left: 0, deleted: 1, notOurs: 1, problems: [] });
    });

    test('something else that has its name by now is left, and said', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      await rig.write(PNG, 'a text of somebody else');
      batches.set('a', deleting, { status: 'done' });
      expect(await look(places)).toEqual([PNG]);
      expect(deletes()).toBe(0);
      expect(await places.putFor('a', deleting)).toEqual({ left: 0, deleted: 0, notOurs: 1, problems: [] });
      // A row that is tried again has its file under another name, which is ours again.
      batches.set('a', deleting, { status: 'queued' });
      expect(await send(await rig.places(), 'a', 'moon.png')).toBe(true);
      expect([...(await rig.contents()).keys()]).toHaveLength(2);
      batches.set('a', deleting, { status: 'done' });
      expect(await look(await rig.places())).toEqual([PNG]);
    });

    test('what was removed by somebody else is gone, and a lost answer is no harm', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      await send(places, 'a', 'sun.jpg');
      await rig.remove(PNG);
      batches.set('a', deleting, { status: 'done' });
      let lost = 0;
      rig.proxy.fault(({ method }) => (method === 'DELETE' && lost++ === 0 ? { kind: 'lose-answer' } : undefined));
      expect(await look(places)).toEqual([]);
      expect(lost).toBeGreaterThan(0);
      expect(await places.putFor('a', deleting)).toMatchObject({ deleted: 2, problems: [] });
    });

    test('what a row needs again since its deletion failed is left in peace', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      batches.set('a', deleting, { status: 'done' });
      let asked = 0;
      batches.onAsked = () => (asked += 1);
      rig.proxy.fault(({ method }) => {
        if (method !== 'DELETE') return undefined;
        // Meanwhile the user has a row tried again.
        batches.set('a', deleting, { status: 'queued' });
        return { kind: 'refuse', status: 403, code: 'AccessDenied' };
      });
      places.deleteUnneeded();
      await Promise.race([places.deleted(), vi.waitUntil(() => asked > 50, { timeout: 30_000 })]);
      expect(asked).toBeLessThan(10);
      expect(await look(places)).toEqual([PNG]);
    });

    test('a refusal is said in words, tried a few times, and again by the next process', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      await send(places, 'a', 'sun.jpg');
      batches.set('a', deleting, { status: 'done' });
      rig.proxy.fault(({ method }) =>
        method === 'DELETE' ? { kind: 'refuse', status: 403, code: 'AccessDenied' } : undefined,
      );
      expect(await look(places)).toEqual([PNG, JPG].toSorted());
      // One of them is tried for both.
      expect(deletes()).toBeGreaterThanOrEqual(4);
      expect(deletes()).toBeLessThanOrEqual(5);
      const words = kind === 's3' ? 's3:DeleteObject' : 'refuses user or password';
      const problems = [expect.stringContaining(words) as string];
      expect(await places.putFor('a', deleting)).toEqual({ left: 2, deleted: 0, notOurs: 0, problems });
      // It is what it was for a row that is tried again.
      batches.set('a', deleting, { status: 'queued' });
      const puts = rig.puts().length;
      expect(await send(places, 'a', 'moon.png')).toBe(true);
      expect(rig.puts().length).toBe(puts);
      batches.set('a', deleting, { status: 'done' });
      rig.proxy.fault(() => undefined);
      const next = await rig.places();
      expect(await look(next)).toEqual([]);
      expect(await next.putFor('a', deleting)).toEqual({ left: 0, deleted: 2, notOurs: 0, problems: [] });
    });

    test('a server that does not answer is asked again', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      batches.set('a', deleting, { status: 'done' });
      let left = kind === 's3' ? 9 : 2;
      rig.proxy.fault(() => (left-- > 0 ? { kind: 'refuse', status: 503 } : undefined));
      expect(await look(places)).toEqual([]);
      expect(await places.putFor('a', deleting)).toMatchObject({ deleted: 1, problems: [] });
    });

    test('a body that was made while its file is deleted is not sent', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      const address = await rig.address(places, rig.order('moon.png'));
      const body = Buffer.from(JSON.stringify({ images: [address] }));
      await places.noteUse('a', body);
      batches.set('a', deleting, { status: 'done' });
      const made = await rig.address(places, rig.order('moon.png'));
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      rig.proxy.fault(async ({ method }) => {
        if (method === 'DELETE') await held;
        return undefined;
      });
      places.deleteUnneeded();
      await vi.waitFor(() => expect(deletes()).toBe(1), { timeout: 10_000 });
      expect(await places.noteUse('a', Buffer.from(JSON.stringify({ images: [made] })))).toBe(false);
      const answer = await places.addressOf(rig.order('moon.png'));
      expect(answer.kind).toBe('coming');
      release();
      expect(await send(places, 'a', 'moon.png')).toBe(true);
      batches.set('a', deleting, { status: 'rendering' });
      expect(await look(places)).toEqual([PNG]);
    });

    test('a row with an address that was written into its cell is held back for a while, not for ever', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      const address = await rig.address(places, rig.order('moon.png'));
      const body = Buffer.from(JSON.stringify({ images: [address] }));
      expect(await places.noteUse('a', body)).toBe(true);
      batches.set('a', deleting, { status: 'done' });
      expect(await look(places)).toEqual([]);
      expect(await places.noteUse('a', body)).toBe(false);
      // It is to be put again, and the place takes nothing any more.
      rig.proxy.fault(({ method }) =>
        method === 'PUT' ? { kind: 'refuse', status: 403, code: 'AccessDenied' } : undefined,
      );
      expect(await rig.answer(places, rig.order('moon.png'))).toMatchObject({ kind: 'refused' });
      expect(await places.noteUse('a', body)).toBe(false);
      rig.ahead = 16 * 60_000;
      expect(await places.noteUse('a', body)).toBe(true);
    });

    test('a row that is tried again at the last moment keeps its file', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      batches.set('a', deleting, { status: 'failed' });
      let asked = 0;
      batches.onAsked = () => {
        asked += 1;
        // Between the first look and the moment from which its address is given to nobody.
        if (asked === 3) batches.set('a', deleting, { status: 'queued' });
      };
      expect(await look(places)).toEqual([PNG]);
      expect(asked).toBeGreaterThanOrEqual(3);
      expect(deletes()).toBe(0);
    });

    test('a body that is about to be sent at the last moment is not', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      const address = await rig.address(places, rig.order('moon.png'));
      const body = Buffer.from(JSON.stringify({ images: [address] }));
      await places.noteUse('a', body);
      batches.set('a', deleting, { status: 'failed' });
      let asked = 0;
      let late: Promise<boolean> | undefined;
      batches.onAsked = () => {
        asked += 1;
        // All who use it are known by now: one more would not be seen.
        if (asked === 4) late = places.noteUse('b', body);
      };
      expect(await look(places)).toEqual([]);
      expect(await late).toBe(false);
    });

    test.each(FILE_CRASH_POINTS)('what was put by a process that was killed at %s is ours', async (point) => {
      const killed = await rig.places();
      const stop = watchCrashPoints((name) => {
        if (name === point) throw new Error('killed');
      });
      const answer = await killed.addressOf(rig.order('moon.png'));
      if (answer.kind === 'coming') await answer.arrived;
      stop();
      expect(rig.bugs.splice(0)).toMatchObject([{ message: 'killed' }]);
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      batches.set('a', deleting, { status: 'done' });
      expect(await look(places)).toEqual([]);
    });

    test.each(FILE_DELETION_CRASH_POINTS)('a kill at %s loses nothing', async (point) => {
      const killed = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(killed, 'a', 'moon.png');
      batches.set('a', deleting, { status: 'done' });
      const stop = watchCrashPoints((name) => {
        if (name === point) throw new Error('killed');
      });
      await look(killed);
      stop();
      expect(rig.bugs.splice(0)).toMatchObject([{ message: 'killed' }]);
      // A row that is tried again has its file, whether or not it was deleted;
      batches.set('a', deleting, { status: 'queued' });
      const again = await rig.places();
      expect(await send(again, 'a', 'moon.png')).toBe(true);
      expect(await look(again)).toEqual([PNG]);
      // and the next process ends what was begun.
      batches.set('a', deleting, { status: 'done' });
      const next = await rig.places();
      expect(await look(next)).toEqual([]);
      expect(await next.putFor('a', deleting)).toEqual({ left: 0, deleted: 1, notOurs: 0, problems: [] });
    });

    test('a place that was never named here is not asked to delete', async () => {
      const places = await rig.places();
      batches.set('a', deleting, { status: 'queued' });
      await send(places, 'a', 'moon.png');
      batches.set('a', { ...deleting, maxMegabytes: 1 }, { status: 'done' });
      expect(await look(places)).toEqual([PNG]);
    });
  });
});

test.each(['head', 'body'] as const)(
  'a server that never comes to the end of its %s is not waited for',
  async (part) => {
    const png = readFileSync(new URL('picture.png', FIXTURES));
    const sent: NodeJS.Timeout[] = [];
    const server = createServer((_, response) => {
      if (part === 'head') return;
      response.writeHead(200, { 'content-length': png.length });
      let at = 0;
      sent.push(setInterval(() => response.write(png.subarray(at, ++at)), 500));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const place = filesPlace.parse({ webdav: { url: `http://127.0.0.1:${port}/in` }, deleteAfterBatch: true });
    const folder = temporaryFolder();
    const given = new GivenPlaces(undefined);
    await given.add(place);
    const record = new PutRecord(`${folder}/put.jsonl`);
    const content = { place: placeKey(place), sha256: sha(png), bytes: png.length, name: PNG, at: 0 };
    await record.add({ ...content, by: await given.mark() });
    await record.use('a', [contentKey(content)], () => true);
    const batches = new Batches();
    batches.set('a', place, { status: 'done' });
    const clock = fastClock(2_000, Date.now());
    const dispatcher = placeConnections();
    const deleter = new PutDeleter({
      record,
      given,
      batches,
      clock,
      random: { next: () => 0 },
      ending: new AbortController().signal,
      open: (one) => openFilesPlace(one, { clock, environment: {}, dispatcher }),
      isBeingPut: () => false,
      onBug: (error) => {
        throw error;
      },
    });
    deleter.look();
    await deleter.idle();
    expect(await record.ofBatch('a', place)).toMatchObject({
      left: 1,
      problems: [expect.stringContaining('Deleting it took longer than 10 minutes') as string],
    });
    for (const one of sent) clearInterval(one);
    await deleter.close();
    await dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  },
);

test('two processes that name places at the same time have one mark, and keep both places', async () => {
  const file = `${temporaryFolder()}/new/places.json`;
  const [one, other] = [new GivenPlaces(file), new GivenPlaces(file)];
  const [mark, same] = await Promise.all([one.mark(), other.mark()]);
  expect(same).toBe(mark);
  const [here, there] = ['here', 'there'].map((name) => filesPlace.parse({ command: { argv: [name] } }));
  if (here === undefined || there === undefined) throw new Error('No place');
  await one.add(here);
  await other.add(there);
  const third = new GivenPlaces(file);
  expect([await third.mark(), await third.has(here), await third.has(there)]).toEqual([mark, true, true]);
  // A note that cannot be read is made anew.
  writeFileSync(file, '{');
  const last = new GivenPlaces(file);
  await last.add(here);
  expect([await new GivenPlaces(file).mark(), await new GivenPlaces(file).has(here)]).toEqual([
    await last.mark(),
    true,
  ]);
});

test('two places that are named at the same time are both kept, also after a time in which the disk refused', async () => {
  const folder = `${temporaryFolder()}/new`;
  const file = `${folder}/places.json`;
  const [here, there] = ['here', 'there'].map((name) => filesPlace.parse({ command: { argv: [name] } }));
  if (here === undefined || there === undefined) throw new Error('No place');
  const places = new GivenPlaces(file);
  // As a disk that is full: no folder can be made there.
  writeFileSync(folder, '');
  await expect(places.add(here)).rejects.toThrow('EEXIST');
  rmSync(folder);
  await Promise.all([places.add(here), places.add(there)]);
  const again = new GivenPlaces(file);
  expect([await again.has(here), await again.has(there)]).toEqual([true, true]);
});
