import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { KEY_MARK } from '../../../src/shared/domain/base/key-finder.ts';
import { createEngine, systemClock, type Engine } from '../../../src/engine/index.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { Works } from '../../../src/main/engine-process/works.ts';
import { engineRequests } from '../../../src/main/engine-process/engine-protocol.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { words } from '../../../src/shared/words/words.ts';
import { failure } from '../../../src/shared/domain/base/failure.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { DEFAULT_PROFILE, profileSchema } from '../../../src/shared/domain/gateway/profile.ts';
import { BRING_BACK_MS } from '../../../src/shared/domain/task/batch-standing.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import { newBatch, NOW } from '../../contract/task-store-fixtures.ts';
import type { TellWindow } from '../../../src/main/engine-process/engine-protocol.ts';
import type { Clock } from '../../../src/engine/ports/base.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Its sheets are read in processes of their own.
vi.setConfig({ testTimeout: 60_000 });

/** A rehearsal waits a quarter of a second, not 2.5, before it first asks for a task. */
const NIGHT_BEGAN = Date.now();

const SHEET = [
  'row,operation,prompt,lyrics_model,takes,skip',
  'one,lyrics,A lullaby about a lighthouse,v1,2,',
  'two,lyrics,A lullaby about a harbour,v1,,',
  'three,lyrics,,v1,,',
  'four,nonsense,x,,,',
  'five,lyrics,A lullaby about nobody,v1,,yes',
].join('\n');

interface Running {
  readonly engine: Engine;
  readonly service: EngineService;
  readonly works: Works;
  readonly stop: () => Promise<Reply<{ readonly unsaved: readonly string[] }>>;
}

const running: Running[] = [];

interface OpenOptions {
  readonly onStopping?: (leftUndone: readonly string[]) => void;
  /** The documents of batches cannot be written. */
  readonly isFolderFull?: boolean;
  /** When it is opened, in milliseconds since the epoch. */
  readonly at?: number;
  /** By default ten times as fast as time is. */
  readonly clock?: Clock;
  readonly tell?: TellWindow;
}

async function open(
  folder: string,
  {
    onStopping = () => undefined,
    isFolderFull = false,
    at = NIGHT_BEGAN,
    clock = fastClock(10, at),
    tell = () => undefined,
  }: OpenOptions = {},
): Promise<Running> {
  const created = await createEngine({
    dataDir: join(folder, 'store'),
    clock,
    openStore: storeAtOnce,
  });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const works = new Works({ clock: systemClock });
  const service = new EngineService({
    engine,
    works,
    documents: new FolderDocuments({
      write: (batchId) => (isFolderFull ? Promise.resolve(failure('DISK_FULL', 'full')) : engine.exportBatch(batchId)),
      onProblem: (_batchId, problem) => {
        if (!isFolderFull) throw new Error(problem.message);
      },
    }),
    rehearsal: new RehearsalGateway(join(folder, 'rehearsal')),
    storeFolder: join(folder, 'store'),
    tell,
    onStopping,
  });
  const stop: Running['stop'] = async () => {
    running.splice(running.indexOf(opened), 1);
    return service.handlers['engine.stop'](undefined);
  };
  const opened = { engine, service, works, stop };
  running.push(opened);
  return opened;
}

/** A sheet that nobody closed while it was read. */
async function sheetOf(
  reply: Promise<Reply<SheetView | undefined>> | Reply<SheetView | undefined>,
): Promise<SheetView> {
  const sheet = await value(reply);
  if (sheet === undefined) throw new Error('The sheet is gone.');
  return sheet;
}

async function value<T>(reply: Promise<Reply<T>> | Reply<T>): Promise<T> {
  const answered = await reply;
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value;
}

async function openSheet({ service }: Running, folder: string, sheetId = 's'): Promise<void> {
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, SHEET);
  const sheet = await value(service.handlers['sheet.open']({ sheetId, path, name: 'Sheet' }));
  expect(engineRequests['sheet.open'].output.parse(sheet)).toEqual(sheet);
}

async function createBatch({ service }: Running, folder: string): Promise<BatchView> {
  const input = {
    sheetId: 's',
    name: 'Batch',
    folder: join(folder, 'media'),
    rehearsal: true,
    profile: DEFAULT_PROFILE,
  };
  return value(service.handlers['batch.create']({ ...input, start: false }));
}

/** A batch that runs, and sends nothing before tomorrow. */
async function startedLater(opened: Running, folder: string): Promise<string> {
  await openSheet(opened, folder);
  const { id: batchId } = await createBatch(opened, folder);
  const schedule = { startAt: NIGHT_BEGAN + 86_400_000, windows: [], zone: 'UTC' };
  await value(opened.service.handlers['batch.schedule']({ batchId, schedule }));
  await value(opened.service.handlers['batch.start']({ batchId }));
  return batchId;
}

async function priorityOf({ engine }: Pick<Running, 'engine'>, batchId: string): Promise<number> {
  return (await engine.store.batch(batchId))?.settings.priority ?? 0;
}

/** The key of the row at a place of the sheet. */
async function keyAt({ engine }: Pick<Running, 'engine'>, batchId: string, offset: number): Promise<number> {
  const [key = -1] = await engine.rows.keysInView(batchId, {}, offset, 1);
  return key;
}

const BY_LINE = { column: 'line', direction: 'ascending' } as const;

afterEach(async () => {
  await Promise.all([...running].map(({ stop }) => stop()));
});

describe('what the engine’s process answers', () => {
  test('a limit and a profile that change at the same time both stay changed', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine } = opened;
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    await Promise.all([
      engine.config.setCap(id, 1),
      engine.config.configure(id, ({ settings }) => ({
        ...settings,
        profile: { ...settings.profile, baseUrl: 'http://127.0.0.1:9/other' },
      })),
    ]);
    expect((await engine.store.batch(id))?.settings).toMatchObject({
      maxSubmits: 1,
      profile: { baseUrl: 'http://127.0.0.1:9/other' },
    });
  });

  test('when a batch runs, that it goes first, its tags, and what waits for picks stay as they were set until they are set otherwise', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { handlers } = opened.service;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const schedule = { windows: [{ from: '22:00', to: '06:00', days: ['Fri'] as const }], zone: 'Europe/Berlin' };
    const configured = { batchId, profile: DEFAULT_PROFILE };
    expect(await value(handlers['batch.schedule']({ batchId, schedule }))).toMatchObject({ schedule });
    expect(await value(handlers['batch.order']({ batchId, to: 'first' }))).toMatchObject({ isFirst: true });
    const tags = ['Winter'];
    expect(await value(handlers['batch.tag']({ batchId, tags: [' Winter', 'winter '] }))).toMatchObject({ tags });
    expect(await value(handlers['batch.configure']({ ...configured, name: 'Later' }))).toMatchObject({
      name: 'Later',
      schedule,
      isFirst: true,
      tags,
    });
    expect(await value(handlers['batch.configure']({ ...configured, picks: true }))).toMatchObject({ picks: true });
    const lifted = await value(handlers['batch.configure']({ ...configured, schedule: null }));
    expect(lifted.schedule).toBeUndefined();
    expect(lifted.picks).toBe(true);
    expect(await value(handlers['batch.configure']({ ...configured, picks: false }))).not.toHaveProperty('picks', true);
    expect((await value(handlers['batch.order']({ batchId, to: 'in-turn' }))).isFirst).toBeUndefined();
    expect((await value(handlers['batch.tag']({ batchId, tags: [] }))).tags).toBeUndefined();
  });

  test('of several moves at once, each sees what the one before has left', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const ids = [
      await startedLater(opened, folder),
      await startedLater(opened, folder),
      await startedLater(opened, folder),
    ];
    const order = opened.service.handlers['batch.order'];
    await Promise.all(ids.slice(0, 2).map((batchId) => value(order({ batchId, to: 'up' }))));
    expect(await Promise.all(ids.map((id) => priorityOf(opened, id)))).toEqual([1, 0.5, 0]);
  });

  test('a batch that starts anew takes turns with the first that run, unless it was told to run first before', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    const setPriority = (id: string, priority: number): Promise<void> =>
      engine.config.configure(id, ({ settings }) => ({ ...settings, priority }));
    await openSheet(opened, folder);
    const { id: again } = await createBatch(opened, folder);
    await value(service.handlers['batch.start']({ batchId: again }));
    expect((await engine.settled(again)).state).toBe('finished');
    await setPriority(again, 7);
    await setPriority(await startedLater(opened, folder), -1);
    expect(await priorityOf(opened, await startedLater(opened, folder))).toBe(-1);
    await value(service.handlers['batch.start']({ batchId: again }));
    expect(await priorityOf(opened, again)).toBe(-1);
    await openSheet(opened, folder);
    const { id: first } = await createBatch(opened, folder);
    await value(service.handlers['batch.order']({ batchId: first, to: 'first' }));
    await value(service.handlers['batch.start']({ batchId: first }));
    expect(await priorityOf(opened, first)).toBe(1);
  });

  test('a limit that changes while a rehearsal’s gateway is set up stays changed', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    const before = await engine.store.batch(id);
    if (before === undefined) throw new Error('no batch');
    const { settings } = before;
    // As after a restart on another port.
    await engine.config.configure(id, {
      ...settings,
      profile: { ...settings.profile, baseUrl: 'http://127.0.0.1:9/old' },
    });
    const started = service.handlers['batch.start']({ batchId: id });
    await engine.config.configure(id, (batch) => ({ ...batch.settings, maxSubmits: 1 }));
    await value(started);
    expect((await engine.store.batch(id))?.settings).toMatchObject({
      maxSubmits: 1,
      profile: { baseUrl: settings.profile.baseUrl },
    });
  });

  test('a sheet, its batch, its rows and their details agree with the contract', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const batch = await createBatch(opened, folder);
    expect(batch).toMatchObject({
      state: 'ready',
      rowCount: 5,
      taskCount: 3,
      rows: { invalid: 2, skipped: 1 },
      files: 0,
    });

    await value(service.handlers['batch.start']({ batchId: batch.id }));
    await engine.settled(batch.id);
    const finished = await value(service.handlers['batch.get']({ batchId: batch.id }));
    expect(finished).toMatchObject({ state: 'finished', submitsUsed: 3, files: 3 });
    expect(engineRequests['batch.get'].output.parse(finished)).toEqual(finished);

    const detail = await value(
      service.handlers['row.detail']({ batchId: batch.id, key: await keyAt(opened, batch.id, 0) }),
    );
    expect(engineRequests['row.detail'].output.parse(detail)).toEqual(detail);
    expect(detail.tasks).toHaveLength(2);
    expect(detail.tasks[0]?.events.map((event) => event.kind)).toContain('accepted');
    expect(detail.tasks[0]?.lastAnswer).toContain('HTTP 200');
    expect(JSON.parse(detail.body)).toEqual({ prompt: 'A lullaby about a lighthouse', lyrics_model: 'v1' });

    const [file] = detail.tasks[0]?.files ?? [];
    const located = await value(service.handlers['file.locate']({ fileId: file?.id ?? '' }));
    expect(readFileSync(located.path)).toHaveLength(located.bytes);
  });

  test('a key that was in a cell before it was entered is not shown in what the cell has said', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const key = await keyAt(opened, batchId, 0);
    const secret = 'sk-canary-0123456789';
    for (const text of [secret, `${secret}, but sung`, 'A lullaby']) {
      const edit = { kind: 'set-cells', rows: [key], added: 0, headers: ['prompt'], values: [[text]] } as const;
      await value(service.handlers['sheet.edit']({ batchId, edit }));
    }
    engine.setKey('https://gateway.example', secret);
    const { edits } = await value(service.handlers['row.detail']({ batchId, key }));
    expect(edits?.changes.map(({ before, after }) => [before, after]).slice(0, 2)).toEqual([
      [`${KEY_MARK}, but sung`, 'A lullaby'],
      [KEY_MARK, `${KEY_MARK}, but sung`],
    ]);
    expect(JSON.stringify(edits)).not.toContain(secret);
  });

  test('rows are found by one status, by several, and by none', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    const rowsWith = async (status: ('queued' | 'invalid' | 'skipped' | 'done')[], offset = 0, limit = 10) => {
      const input = { batchId: id, filter: { status }, sort: BY_LINE, offset, limit };
      const page = await value(opened.service.handlers['rows.page'](input));
      return [page.keys.length, ...page.rows.map((row) => row.row)];
    };
    expect(await rowsWith([])).toEqual([5, 'one', 'two', 'three', 'four', 'five']);
    expect(await rowsWith(['invalid'])).toEqual([2, 'three', 'four']);
    expect(await rowsWith(['queued', 'skipped'])).toEqual([3, 'one', 'two', 'five']);
    expect(await rowsWith(['queued', 'skipped'], 1, 1)).toEqual([3, 'two']);
    expect(await rowsWith(['done'])).toEqual([0]);
  });

  test('a change of many rows asks for the page again, of few brings them', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    const few = await opened.service.batches.changed({ batchId: id, rows: new Set(['two', 'gone']) });
    expect(few).toMatchObject({ rowsStale: false, rows: [{ row: 'two', status: 'queued' }] });
    const many = new Set(Array.from({ length: 501 }, (_, index) => `r${index}`));
    expect(await opened.service.batches.changed({ batchId: id, rows: many })).toMatchObject({
      rowsStale: true,
      rows: [],
    });
    expect(await opened.service.batches.changed({ batchId: 'gone', rows: new Set() })).toBeUndefined();
  });

  test('a retry of all sets going what was shown to have failed or to be cancelled, and nothing else', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const [one = -1, two = -1] = await engine.rows.keysInView(batchId, {}, 0, 2);
    await engine.decisions.cancel(batchId, [one]);
    const shown = await value(service.handlers['batch.retryable']({ batchId }));
    expect(engineRequests['batch.retryable'].output.parse(shown)).toEqual(shown);
    expect(shown.takes).toHaveLength(2);
    await engine.decisions.cancel(batchId, [two]);
    await value(service.handlers['batch.start']({ batchId }));
    await engine.settled(batchId);
    const [first, ...others] = shown.takes;
    expect(await value(service.handlers['batch.retry']({ batchId, takes: others }))).toEqual({ tasks: 1, left: 0 });
    await engine.settled(batchId);
    expect((await engine.store.tasksOfRow(batchId, 'one')).map(({ status }) => status)).toEqual(['cancelled', 'done']);
    expect((await engine.store.tasksOfRow(batchId, 'two')).map(({ status }) => status)).toEqual(['cancelled']);
    // One of those that were shown is done by now, and is not rendered again.
    expect(await value(service.handlers['batch.retry']({ batchId, takes: shown.takes }))).toEqual({
      tasks: 1,
      left: 1,
    });
    await engine.settled(batchId);
    expect(first).toMatchObject({ attempts: 0 });
    expect(await engine.store.submitsUsed(batchId)).toBe(2);
  });

  test('a batch is started for what was shown, and not for more that an edit under way asks for', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const rows = [...(await engine.rows.keysInView(batchId, {}, 1, 1))];
    const edit = { kind: 'set-cells' as const, rows, added: 0, headers: ['takes'], values: [['9']] };
    const editing = service.handlers['sheet.edit']({ batchId, edit });
    expect(await service.handlers['batch.start']({ batchId, submits: 3 })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('now asks for 11 paid requests, not 3') as string },
    });
    await editing;
    expect((await engine.store.batch(batchId))?.state).toBe('ready');
    expect(await value(service.handlers['batch.start']({ batchId, submits: 11 }))).toMatchObject({ state: 'running' });
  });

  test('rows are retried and cancelled by their keys, whatever they are called by then', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const [one = -1, two = -1] = await engine.rows.keysInView(batchId, {}, 0, 2);
    const rename = (key: number, to: string) =>
      engine.editor.edit(batchId, { kind: 'set-cells', rows: [key], added: 0, headers: ['row'], values: [[to]] });
    await rename(two, 'third');
    await rename(one, 'two');
    expect(await value(service.handlers['batch.cancelRows']({ batchId, rows: [two] }))).toEqual({ tasks: 1 });
    expect((await engine.store.tasksOfRow(batchId, 'two')).map(({ status }) => status)).toEqual(['queued', 'queued']);
    const { takes } = await value(service.handlers['batch.retryable']({ batchId, rows: [two] }));
    const [task] = await engine.store.tasksOfRow(batchId, 'third');
    expect(takes.map(({ id }) => id)).toEqual([task?.id]);
  });

  test('the evidence of a row is that of its own takes, whatever it is called by now', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { handlers } = opened.service;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    await value(handlers['batch.start']({ batchId }));
    await opened.engine.settled(batchId);
    const rows = [await keyAt(opened, batchId, 0), await keyAt(opened, batchId, 1)];
    const edit = { kind: 'set-cells' as const, rows, added: 0, headers: ['row'], values: [['third'], ['one']] };
    await value(handlers['sheet.edit']({ batchId, edit }));
    const takes = await Promise.all(
      rows.map(async (key) => (await value(handlers['row.evidence']({ batchId, key }))).takes.length),
    );
    expect(takes).toEqual([2, 1]);
    const file = join(folder, 'evidence.json');
    expect(await value(handlers['evidence.write']({ batchId, rows: rows.slice(1), file }))).toEqual({ takes: 1 });
  });

  test('what is not there is said not to be', async () => {
    const folder = temporaryFolder();
    const { handlers } = (await open(folder)).service;
    const missing = { ok: false, error: { code: 'not-found' } };
    expect(await handlers['batch.get']({ batchId: 'gone' })).toMatchObject(missing);
    expect(await handlers['batch.start']({ batchId: 'gone' })).toMatchObject(missing);
    expect(await handlers['batch.retry']({ batchId: 'gone', takes: [] })).toMatchObject(missing);
    expect(await handlers['row.detail']({ batchId: 'gone', key: 1 })).toMatchObject(missing);
    expect(await handlers['file.locate']({ fileId: '1-1' })).toMatchObject(missing);
    expect(await handlers['batch.export']({ batchId: 'gone' })).toMatchObject(missing);
    const create = { sheetId: 'gone', name: 'x', folder, rehearsal: true, profile: DEFAULT_PROFILE, start: true };
    expect(await handlers['batch.create'](create)).toMatchObject(missing);
  });

  test('a rehearsal goes on at another port when its own was taken meanwhile', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    await openSheet(first, folder);
    const { id } = await createBatch(first, folder);
    await value(first.service.handlers['batch.start']({ batchId: id }));
    await first.stop();
    const { port } = JSON.parse(readFileSync(join(folder, 'rehearsal', 'gateway.json'), 'utf8')) as { port: number };

    const blocker = createServer();
    await new Promise<void>((resolve) => {
      blocker.listen(port, '127.0.0.1', resolve);
    });
    try {
      const second = await open(folder);
      await second.service.takeUp();
      await second.engine.settled(id);
      expect(await value(second.service.handlers['batch.get']({ batchId: id }))).toMatchObject({
        state: 'finished',
        submitsUsed: 3,
        files: 3,
      });
      expect((await second.engine.store.batch(id))?.settings.profile.baseUrl).not.toContain(`:${port}/`);
    } finally {
      blocker.close();
    }
  });
});

test('the end of the night is told step by step, and what could not be written is said with it', async () => {
  const folder = temporaryFolder();
  const told: (readonly string[])[] = [];
  const opened = await open(folder, { onStopping: (leftUndone) => told.push(leftUndone), isFolderFull: true });
  await openSheet(opened, folder);
  const { id } = await createBatch(opened, folder);
  await value(opened.service.handlers['batch.start']({ batchId: id }));
  await opened.engine.settled(id);
  const { unsaved } = await value(opened.stop());
  expect(unsaved).toEqual([expect.stringMatching(/gallery.*“Batch”/) as string]);
  expect(told[0]).toEqual([words.desktop.engine.cutOff]);
  expect(told.at(-1)).toEqual(unsaved);
});

test('a file that is delivered slowly keeps nothing of the end waiting but the store', async () => {
  const folder = temporaryFolder();
  const told: (readonly string[])[] = [];
  const opened = await open(folder, { onStopping: (leftUndone) => told.push(leftUndone) });
  await openSheet(opened, folder);
  const { id } = await createBatch(opened, folder);
  await value(opened.service.handlers['batch.start']({ batchId: id }));
  await opened.engine.settled(id);
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  // As a disk does that takes minutes.
  const looked = vi.spyOn(opened.engine.store, 'batches').mockImplementationOnce(async () => {
    await may;
    return [];
  });
  const wish = { isKeptOnly: true, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
  const wanted = { batchId: id, folder: join(folder, 'out'), ...wish };
  const { works, service } = opened;
  const delivered = works.run('batch.deliver', wanted, (watch) => service.handlers['batch.deliver'](wanted, watch));
  await vi.waitFor(() => expect(looked).toHaveBeenCalled());
  const stopped = opened.stop();
  await vi.waitFor(() => expect(told.at(-1)).toEqual([]));
  go();
  expect(await value(stopped)).toEqual({ unsaved: [] });
  expect(await delivered).toMatchObject({ ok: true });
});

test('an edit that was cancelled and stays, because the disk was full as it ended after the night, is told of', async () => {
  const told: (readonly string[])[] = [];
  const { engine, works, stop } = await open(temporaryFolder(), { onStopping: (unsaved) => void told.push(unsaved) });
  let go = (): void => undefined;
  const turn = new Promise<void>((resolve) => (go = resolve));
  const edit = { kind: 'clear-unused', header: 'title' } as const;
  const edited = works.run('sheet.edit', { batchId: 'b', edit }, async () => {
    await turn;
    const owed = [{ kind: 'edit', batchId: 'b', name: 'Whales' }] as const;
    vi.spyOn(engine.editor, 'owedWaysBack').mockReturnValue([...owed]);
    return ok(undefined);
  });
  const stopped = stop();
  await vi.waitFor(() => expect(told.at(-1)).toEqual([]));
  go();
  await edited;
  expect((await value(stopped)).unsaved.join()).toMatch(/“Whales”.*completes it/u);
});

test('a finished rehearsal that is edited after a restart renders what was added', async () => {
  const folder = temporaryFolder();
  const first = await open(folder);
  await openSheet(first, folder);
  const { id } = await createBatch(first, folder);
  await value(first.service.handlers['batch.start']({ batchId: id }));
  await first.engine.settled(id);
  await first.stop();

  const { engine, service } = await open(folder);
  await service.takeUp();
  const rows = [await keyAt({ engine }, id, 0)];
  const edit = { kind: 'set-cells' as const, rows, added: 0, headers: ['takes'], values: [['3']] };
  await value(service.handlers['sheet.edit']({ batchId: id, edit }));
  await value(service.handlers['batch.release']({ batchId: id, submits: 1 }));
  await engine.settled(id);
  const batch = await value(service.handlers['batch.get']({ batchId: id }));
  expect(batch).toMatchObject({ state: 'finished', submitsUsed: 4, files: 4 });
  expect(batch.pause).toBeUndefined();
});

test('what came late for a batch that has ended is fetched after a restart', async () => {
  const folder = temporaryFolder();
  const made = await storeAtOnce(join(folder, 'store'));
  if (!made.ok) throw new Error(made.error.message);
  const { store } = made.value;
  const { id } = await store.createBatch(newBatch());
  const [task] = await store.tasksOfRow(id, 'r2');
  if (task === undefined) throw new Error('There is no task.');
  const late = { ...task, status: 'downloading' as const, taskCode: 'c1', revision: task.revision + 1 };
  const event = { kind: 'cancel-requested' } as const;
  await store.commit([{ expectedRevision: task.revision, next: late, event, at: NOW }]);
  await store.setBatchState(id, 'finished', undefined, NOW);
  await made.value.close();

  const { engine, service } = await open(folder);
  const attach = vi.spyOn(engine, 'attach');
  await service.takeUp();
  expect(attach).toHaveBeenCalledWith(id);
});

test('a pause that comes while a start waits for an edit is the later word', async () => {
  const folder = temporaryFolder();
  const opened = await open(folder);
  const { engine, service } = opened;
  await openSheet(opened, folder);
  const { id: batchId, taskCount: submits } = await createBatch(opened, folder);
  let finish = (): void => undefined;
  const editing = new Promise<void>((resolve) => (finish = resolve));
  const edited = engine.editor.between(batchId, async () => ok(await editing));
  const started = service.handlers['batch.start']({ batchId, submits });
  await value(service.handlers['batch.pause']({ batchId }));
  finish();
  await edited;
  expect(await value(started)).toMatchObject({ state: 'ready', submitsUsed: 0 });
  // What the user asks for after it holds.
  expect(await value(service.handlers['batch.start']({ batchId, submits }))).toMatchObject({ state: 'running' });
});

test('an answer that comes while the engine is ended is in the folder’s documents', async () => {
  const folder = temporaryFolder();
  const held: ServerResponse[] = [];
  const gateway = createServer((_, response) => void held.push(response));
  await new Promise<void>((resolve) => {
    gateway.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void gateway.close());
  const baseUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const opened = await open(folder);
  const { engine, service } = opened;
  await value(service.handlers['key.set']({ origin: baseUrl, key: 'a-key-of-some-length' }));
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, 'row,operation,prompt\none,lyrics,A lullaby\n');
  await value(service.handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' }));
  const media = join(folder, 'media');
  const profile = profileSchema.parse({ baseUrl });
  await value(
    service.handlers['batch.create']({
      sheetId: 's',
      name: 'Batch',
      folder: media,
      rehearsal: false,
      profile,
      start: true,
    }),
  );
  await vi.waitFor(() => expect(held).toHaveLength(1));
  // The gateway answers as soon as the night is told to end, and not before.
  const quiesce = engine.quiesce.bind(engine);
  vi.spyOn(engine, 'quiesce').mockImplementation((withinMs) => {
    for (const response of held.splice(0)) response.end('{"code":200,"success":true,"result":{"taskCode":"T-late"}}');
    return quiesce(withinMs);
  });
  await opened.stop();
  expect(readFileSync(join(media, 'sheet.results.csv'), 'utf8')).toContain('T-late');
});

test('a sheet that holds the key: its row is kept back, and the key is not kept; a rehearsal’s own key is no secret', async () => {
  const folder = temporaryFolder();
  const opened = await open(folder);
  const key = 'canary-key-in-a-sheet-9d1f';
  await value(opened.service.handlers['key.set']({ origin: 'https://gateway.example', key }));
  opened.engine.setRehearsalKey('http://127.0.0.1:9', 'lullaby');
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, `row,operation,prompt\none,lyrics,A lullaby with ${key} in it\ntwo,lyrics,A lullaby\n`);
  const sheet = await sheetOf(opened.service.handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' }));
  expect(sheet.problems).toMatchObject([{ code: 'contains-key', row: 'one' }]);
  expect(sheet.runnableRows).toBe(1);
  expect(JSON.stringify(sheet)).not.toContain(key);
  await opened.stop();
});

describe('a file that was imported before', () => {
  async function bringIn(opened: Running, folder: string, name: string, rehearsal: boolean): Promise<string> {
    await openSheet(opened, folder);
    const input = { sheetId: 's', name, folder: join(folder, name), rehearsal, profile: DEFAULT_PROFILE, start: false };
    return (await value(opened.service.handlers['batch.create'](input))).id;
  }

  async function lookAgain({ service }: Running, path: string) {
    return (await sheetOf(service.handlers['sheet.open']({ sheetId: 'again', path, name: 'Again' }))).earlier;
  }

  test('is said to be one, by the newest batch that is not a rehearsal', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const path = join(folder, 'sheet.csv');
    writeFileSync(path, SHEET);
    expect(await lookAgain(opened, path)).toBeUndefined();
    const rehearsed = await bringIn(opened, folder, 'Rehearsed', true);
    expect(await lookAgain(opened, path)).toMatchObject({ batchId: rehearsed, name: 'Rehearsed', rehearsal: true });
    await bringIn(opened, folder, 'Paid', false);
    const newest = await bringIn(opened, folder, 'Paid twice', false);
    await bringIn(opened, folder, 'Rehearsed later', true);
    const { createdAt } = (await opened.engine.store.batch(newest)) ?? {};
    expect(await lookAgain(opened, path)).toEqual({
      batchId: newest,
      name: 'Paid twice',
      createdAt,
      rehearsal: false,
      isStarted: false,
    });
  });

  test('is told from another file with the same rows', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    await bringIn(opened, folder, 'First', false);
    const other = join(folder, 'other.csv');
    writeFileSync(other, SHEET);
    expect(await lookAgain(opened, other)).toBeUndefined();
  });
});

test('rows with a very long text are counted, also where other problems fill the list; those that do not run are not', async () => {
  const folder = temporaryFolder();
  const long = 'la '.repeat(40_000);
  const wrong = Array.from({ length: 600 }, (_, index) => `wrong-${index},nonsense-${index},x,`);
  const rows = [...wrong, `a,lyrics,${long},`, `b,lyrics,${long},yes`, 'c,lyrics,short,'];
  const path = join(folder, 'long.csv');
  writeFileSync(path, ['row,operation,prompt,skip', ...rows].join('\n'));
  const { handlers } = (await open(folder)).service;
  const sheet = await sheetOf(handlers['sheet.open']({ sheetId: 's', path, name: 'Long' }));
  expect(sheet.problems.map(({ code }) => code)).not.toContain('value-long');
  expect(sheet.longRows).toBe(1);
});

describe('the encoding of a sheet', () => {
  const LATIN = Buffer.from('row,operation,prompt\none,lyrics,Ein Lied für Möwen\n', 'latin1');

  async function openLatin() {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const path = join(folder, 'latin.csv');
    writeFileSync(path, LATIN);
    const { handlers } = opened.service;
    return {
      opened,
      folder,
      handlers,
      sheet: await sheetOf(handlers['sheet.open']({ sheetId: 's', path, name: 'L' })),
    };
  }

  test('is shown, and another one reads the same sheet again, which a batch is then made of', async () => {
    const { opened, folder, handlers, sheet } = await openLatin();
    expect(sheet).toMatchObject({ encoding: 'windows-1252', format: 'csv' });
    const reread = await sheetOf(handlers['sheet.reread']({ sheetId: 's', encoding: 'gbk' }));
    expect(engineRequests['sheet.reread'].output.parse(reread)).toEqual(reread);
    expect(reread).toMatchObject({ sheetId: 's', name: 'L', encoding: 'gbk', format: 'csv', problems: [] });
    const shown = reread.preview.rows[0]?.[2] ?? '';
    expect(shown).not.toBe(sheet.preview.rows[0]?.[2]);
    const { id } = await createBatch(opened, folder);
    const detail = await value(handlers['row.detail']({ batchId: id, key: await keyAt(opened, id, 0) }));
    expect(JSON.parse(detail.body)).toMatchObject({ prompt: shown });
  });

  test('that the file does not have leaves no row, and the choice of another one', async () => {
    const { handlers } = await openLatin();
    const unreadable = await value(handlers['sheet.reread']({ sheetId: 's', encoding: 'utf-8' }));
    expect(unreadable).toMatchObject({
      encoding: 'utf-8',
      format: 'csv',
      rowCount: 0,
      problems: [{ severity: 'error' }],
    });
    const right = await value(handlers['sheet.reread']({ sheetId: 's', encoding: 'windows-1252' }));
    expect(right).toMatchObject({ runnableRows: 1, preview: { rows: [['one', 'lyrics', 'Ein Lied für Möwen']] } });
  });

  test('cannot be chosen for a sheet that is not open, nor for a file that is no text', async () => {
    const folder = temporaryFolder();
    const { handlers } = (await open(folder)).service;
    const gone = await handlers['sheet.reread']({ sheetId: 'gone', encoding: 'gbk' });
    expect(gone).toMatchObject({ ok: false, error: { code: 'not-found' } });
    const path = join(folder, 'no-text.csv');
    writeFileSync(path, Buffer.from('%PDF-1.7\n\0\0\0'));
    expect((await sheetOf(handlers['sheet.open']({ sheetId: 's', path, name: 'P' }))).encoding).toBeUndefined();
    const refused = await handlers['sheet.reread']({ sheetId: 's', encoding: 'gbk' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'refused' } });
  });
});

describe('a batch that is put away', () => {
  const listed = ({ service }: Running) => value(service.handlers['batch.list'](undefined));

  test('stays through a restart, is brought back as it was, and is removed by a start a day after its deletion', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    await openSheet(first, folder);
    const { id: batchId } = await createBatch(first, folder);
    const deleted = await value(first.service.handlers['batch.shelve']({ batchId, to: 'deleted' }));
    expect(deleted.shelf?.until).toBe((deleted.shelf?.at ?? 0) + BRING_BACK_MS);
    await first.stop();

    const second = await open(folder, { at: (deleted.shelf?.until ?? 0) - 60_000 });
    await second.service.takeUp();
    expect(await listed(second)).toMatchObject([{ id: batchId, shelf: { is: 'deleted' }, rowCount: 5 }]);
    const back = await value(second.service.handlers['batch.shelve']({ batchId, to: 'back' }));
    expect(back.shelf).toBeUndefined();
    const again = await value(second.service.handlers['batch.shelve']({ batchId, to: 'deleted' }));
    await second.stop();

    const third = await open(folder, { at: again.shelf?.until ?? 0 });
    await third.service.takeUp();
    expect(await listed(third)).toEqual([]);
    expect(await third.service.handlers['batch.get']({ batchId })).toMatchObject({ ok: false });
    expect(await third.service.handlers['batch.start']({ batchId })).toMatchObject({ ok: false });
  });

  test('is removed a day after its deletion while the window stays open, and the window hears of it', async () => {
    const folder = temporaryFolder();
    const clock = new FakeClock(NIGHT_BEGAN);
    const told: string[] = [];
    const opened = await open(folder, { clock, tell: (name) => told.push(name) });
    await opened.service.takeUp();
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    // It is in the night of this process, and its documents are out of date.
    await opened.engine.attach(batchId);
    const { keys } = await opened.engine.views.viewPage(batchId, { offset: 0, limit: 1 });
    const edit = { kind: 'set-cells' as const, rows: [...keys], added: 0, headers: ['prompt'], values: [['Rain']] };
    await value(opened.service.handlers['sheet.edit']({ batchId, edit }));
    await clock.advance(60_000);
    await value(opened.service.handlers['batch.shelve']({ batchId, to: 'deleted' }));
    // The first look comes a minute too early.
    await clock.advance(BRING_BACK_MS);
    expect(await listed(opened)).toMatchObject([{ id: batchId }]);
    await clock.advance(BRING_BACK_MS);
    expect(await listed(opened)).toEqual([]);
    expect(told).toEqual(['batch.listChanged']);
    expect(await value(opened.stop())).toEqual({ unsaved: [] });
    expect(clock.timers()).toBe(0);
  });

  test('is brought back by its start, and cannot be put away while it runs', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    await value(service.handlers['batch.shelve']({ batchId, to: 'archived' }));
    const started = await value(service.handlers['batch.start']({ batchId }));
    expect(started).toMatchObject({ state: 'running', shelf: undefined });
    for (const to of ['archived', 'deleted'] as const) {
      const refused = await service.handlers['batch.shelve']({ batchId, to });
      expect(refused).toEqual({ ok: false, error: { code: 'refused', message: 'It is running: pause it first.' } });
    }
    await engine.settled(batchId);
    expect(await value(service.handlers['batch.shelve']({ batchId, to: 'archived' }))).toMatchObject({
      shelf: { is: 'archived' },
    });
  });

  test('is in use once it runs, whatever was put away while it was being started', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const { store } = engine;
    let deleted: unknown;
    // Between the look at what waits, for the forecast, and the start itself.
    const waitingWork = vi.spyOn(store, 'waitingWork').mockImplementationOnce(async (...asked) => {
      waitingWork.mockRestore();
      deleted = await service.handlers['batch.shelve']({ batchId, to: 'deleted' });
      return store.waitingWork(...asked);
    });
    await value(service.handlers['batch.start']({ batchId }));
    expect(deleted).toMatchObject({ ok: true });
    expect((await store.batch(batchId))?.settings).not.toHaveProperty('shelf');
    await engine.settled(batchId);
  });

  test('has another name and the gateway that it had, before it was started', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const at = (baseUrl: string) => ({ ...DEFAULT_PROFILE, baseUrl });
    const own = { sheetId: 's', name: 'Own', folder: join(folder, 'own'), rehearsal: false, start: false };
    const { id: batchId } = await value(service.handlers['batch.create']({ ...own, profile: at('https://a.example') }));
    const renamed = { batchId, name: 'Other', profile: at('https://b.example') };
    expect(await value(service.handlers['batch.configure'](renamed))).toMatchObject({ name: 'Other' });
    expect((await engine.store.batch(batchId))?.settings.profile.baseUrl).toBe('https://a.example');
  });

  test('has another name once it was started, and the folder that it had', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const { id: batchId, folder: media } = await createBatch(opened, folder);
    await value(service.handlers['batch.start']({ batchId }));
    const renamed = await value(
      service.handlers['batch.configure']({ batchId, name: 'Harbour nights', profile: DEFAULT_PROFILE }),
    );
    expect(renamed).toMatchObject({ name: 'Harbour nights', folder: media });
    await engine.settled(batchId);
    expect((await listed(opened))[0]?.name).toBe('Harbour nights');
  });
});
