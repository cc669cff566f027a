import { listOf } from '../../src/shared/domain/base/result.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RowChange, RowContent, SheetChange, StoredRow } from '../../src/engine/ports/sheet-store.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { StoreWriteError } from '../../src/engine/store/open/store-problem.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import { newTasks } from '../../src/shared/domain/task/new-tasks.ts';
import type { TaskPlan } from '../../src/shared/domain/task/plan-tasks.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { RowFilter } from '../../src/shared/domain/task/batch-view.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import { createSheetChecker } from '../../src/shared/domain/sheet/sheet-checker.ts';
import { ROW_GAP, type Task } from '../../src/shared/domain/task/task.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedOnPostgres, openedStore, WAYS } from './opened-store.ts';
import { change, makeRow, newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

const NOTHING: TaskPlan = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] };
const LATER = NOW + 1_000;
const WRONG: SheetProblem = {
  severity: 'error',
  code: 'value-type',
  line: 4,
  row: 'r4',
  column: 'prompt',
  message: 'wrong',
  remedy: '-',
};
const HINT: SheetProblem = { ...WRONG, severity: 'warning', code: 'value-long', message: 'long' };

describe.each(WAYS)('%s', (way, openIn) => {
  let dir: string;
  let opened: PromisedStore;
  let sheets: PromisedStore['sheets'];
  let id: string;

  beforeEach(async () => {
    dir = temporaryFolder();
    opened = await openIn(dir);
    ({ sheets } = opened);
    ({ id } = await opened.store.createBatch(newBatch({ rows: [2, 3, 4, 5].map((line) => makeRow(line)) })));
  });
  afterEach(async () => {
    await opened.close();
  });

  async function reopen(): Promise<void> {
    await opened.close();
    opened = await openIn(dir);
    ({ sheets } = opened);
  }

  async function edit(rows: readonly RowChange[], more: Partial<SheetChange> = {}): Promise<readonly number[]> {
    const outcome = await sheets.change(id, { rows, at: LATER, ...more });
    if (outcome.kind === 'stale') throw new Error('stale');
    return outcome.inserted;
  }

  async function stored(rowId: string): Promise<StoredRow> {
    const key = only(only((await sheets.keysByIds(id, [rowId])).get(rowId))[0]);
    return only((await sheets.rowsByKeys(id, [key]))[0]);
  }

  /** The row with other cells, or with other tasks. */
  function update(
    { key, position, row, problems, isDraft }: StoredRow,
    different: Partial<RowContent> & { readonly cells?: Partial<Row> },
    tasks: Partial<TaskPlan> = {},
  ): RowChange {
    const { cells, ...more } = different;
    const content = { position, problems, isDraft, request: undefined, unused: [], row: { ...row, ...cells }, ...more };
    return { kind: 'update', key, content, tasks: { ...NOTHING, ...tasks } };
  }

  function insertion(row: Row, position: number, key?: number): RowChange {
    const content = { row, position, problems: [], isDraft: false, request: undefined, unused: [] };
    const add = newTasks(row, id, position, false, NOW);
    return { kind: 'insert', content, add, ...(key === undefined ? {} : { key }) };
  }

  async function cellsOf(rowId: string): Promise<readonly (readonly [string, string])[]> {
    return Object.entries((await stored(rowId)).row.cells);
  }

  test('cells stay under their names through every change of the columns, in rows that are not written again, too', async () => {
    const write = async (rowId: string, cells: Row['cells'], headers: readonly string[]) =>
      edit([update(await stored(rowId), { cells: { cells } })], { headers });
    await write('r2', { text: 'a', prompt: 'two' }, ['text', 'prompt']);
    expect([await cellsOf('r2'), await cellsOf('r3')]).toEqual([
      [
        ['text', 'a'],
        ['prompt', 'two'],
      ],
      [['prompt', 'prompt 3']],
    ]);
    await write('r2', { words: 'a', text: '' }, ['words', 'text']);
    await write(
      'r4',
      Object.fromEntries([
        ['__proto__', 'own'],
        ['1', 'one'],
      ]),
      ['__proto__', 'words', '1'],
    );
    await reopen();
    expect(await cellsOf('r2')).toEqual([
      ['words', 'a'],
      ['text', ''],
    ]);
    expect(await cellsOf('r3')).toEqual([['prompt', 'prompt 3']]);
    expect(await cellsOf('r4')).toEqual([
      ['1', 'one'],
      ['__proto__', 'own'],
    ]);
    const { rows } = await opened.views.rowPage(id, { offset: 0, limit: 9, withCells: true });
    expect(rows.map(({ sheet }) => sheet?.cells)).toEqual([
      ['', 'a', ''],
      ['', '', ''],
      ['own', '', 'one'],
      ['', '', ''],
    ]);
  });

  /** The ids of the rows that a search shows, each way in which they may be looked for. */
  async function found(text: string): Promise<readonly string[]> {
    const filter = { text };
    const { keys, rows } = await opened.views.viewPage(id, { filter, offset: 0, limit: 9 });
    expect(await sheets.keysInView(id, { filter }, 0, 9)).toEqual(keys);
    expect(await sheets.countInView(id, { filter })).toBe(keys.length);
    const more = { text, operation: 'musicgen/music/generate', status: ['queued'] } as const;
    expect(await sheets.keysInView(id, { filter: more }, 0, 9)).toEqual(keys);
    const sort = { column: 'line', direction: 'descending' } as const;
    expect(await sheets.keysInView(id, { filter, sort }, 0, 9)).toEqual(keys.toReversed());
    return rows.map(({ row }) => row);
  }

  test('a text is found in the rows as they are now, after each change', async () => {
    expect(await found('prompt')).toEqual(['r2', 'r3', 'r4', 'r5']);
    expect(await found(' Prompt 3 ')).toEqual(['r3']);
    expect(await found('r3\nprompt')).toEqual(['r3']);
    expect(await found('prompt 2\n\nr3')).toEqual([]);
    await edit([update(await stored('r3'), { cells: { note: 'ÉTUDE' } })]);
    expect(await found('étude')).toEqual(['r3']);
    const { position } = await stored('r3');
    await edit([insertion(makeRow(9, { note: 'e\u0301tude, again' }), position - 1)]);
    expect(await found('étude')).toEqual(['r9', 'r3']);
    const { key, tasks } = await stored('r3');
    await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
    expect(await found('étude')).toEqual(['r9']);
    expect(await found('nowhere')).toEqual([]);
    const { id: other } = await opened.store.createBatch(newBatch());
    expect(await sheets.countInView(other, { filter: { text: 'prompt' } })).toBe(1);
    expect(await found('prompt')).toEqual(['r2', 'r9', 'r4', 'r5']);
  });

  test('half of a character, and one that ends a text in C, are searched for as they were kept', async () => {
    await edit([update(await stored('r3'), { cells: { note: 'half \uD83C and a whole 🌙' } })]);
    expect(await found('half \uD83C and')).toEqual(['r3']);
    expect(await found('🌙')).toEqual(['r3']);
    // SQLite's driver reads a text to its first NUL.
    expect(await found('🌙\0\0')).toEqual(way === 'on PostgreSQL' ? [] : ['r3']);
    await edit([update(await stored('r4'), { cells: { note: 'one\0two' } })]);
    expect(await found('one')).toEqual(['r4']);
    expect(await found('one\0t')).toEqual(['r4']);
    expect(await found('prompt 5')).toEqual(['r5']);
  });

  test('columns of a change that was not written are not known afterwards', async () => {
    const [first, second] = [await stored('r2'), await stored('r3')];
    const lost = [
      update(first, { cells: { cells: { lost: 'x' } } }),
      { kind: 'remove', key: second.key, tasks: NOTHING },
    ];
    await expect(edit(lost as readonly RowChange[])).rejects.toThrow('removed with tasks');
    await edit([update(second, { cells: { cells: { kept: 'y' } } })]);
    expect([await cellsOf('r2'), await cellsOf('r3')]).toEqual([[['prompt', 'prompt 2']], [['kept', 'y']]]);
    await reopen();
    expect([await cellsOf('r2'), await cellsOf('r3')]).toEqual([[['prompt', 'prompt 2']], [['kept', 'y']]]);
  });

  async function taskOf(rowId: string): Promise<Task> {
    return only((await opened.store.tasksOfRow(id, rowId))[0]);
  }

  async function tryTask(task: Task, outcome: 'accepted' | 'not-sent', different: Partial<Task>): Promise<Task> {
    const body = await opened.store.requestBody(task.id);
    const intent = { startedAt: 1, origin: 'o', keyFingerprint: 'k', body, bodySha256: 'h' };
    const event = { kind: 'cancel-requested' } as const;
    const started = { ...task, status: 'submitting', revision: task.revision + 1 } as const;
    const ended = { ...started, revision: task.revision + 2, ...different };
    expect(
      await opened.store.commit([
        { expectedRevision: task.revision, next: started, event, at: NOW, openAttempt: intent },
        { expectedRevision: started.revision, next: ended, event, at: NOW, closeAttempt: { answeredAt: 2, outcome } },
      ]),
    ).toEqual(['committed', 'committed']);
    return ended;
  }

  /** Lets a row's first take be rendered. */
  async function finish(rowId: string, name = rowId, task?: Task): Promise<Task> {
    const file = { path: `music/${name}.mp3`, sha256: 'f'.repeat(64), bytes: 9, mediaType: 'audio/mpeg' };
    return tryTask(task ?? (await taskOf(rowId)), 'accepted', {
      status: 'done',
      taskCode: `code-${name}`,
      submittedAt: NOW,
      finishedAt: NOW + 5,
      outputs: [{ index: 1, state: 'verified', generation: 1, tries: 0, url: `https://m.example/${name}`, ...file }],
    });
  }

  async function rowIds(): Promise<readonly string[]> {
    return (await opened.views.rowPage(id, { offset: 0, limit: 100 })).rows.map(({ row }) => row);
  }

  async function exported(rowId: string) {
    return only((await listOf(opened.views.exportRows(id))).find(({ row }) => row.id === rowId));
  }

  describe('a row', () => {
    test('is inserted between two others and has a line of its own from then on', async () => {
      const isRenumbered = { ...PLAIN_SHEET, isRenumbered: true };
      const [key] = await edit([insertion(makeRow(9, { id: 'new' }), 2 * ROW_GAP + 5)], { sheet: isRenumbered });
      const { rows } = await opened.views.rowPage(id, { offset: 1, limit: 3 });
      expect(rows.map(({ row, line }) => [row, line])).toEqual([
        ['r3', 3],
        ['new', 4],
        ['r4', 5],
      ]);
      expect(await sheets.linesOf(id, [only(key), (await stored('r5')).key])).toEqual(
        new Map([
          [key, 4],
          [(await stored('r5')).key, 6],
        ]),
      );
      expect((await opened.store.nextQueued(id, 'musicgen', 9, NOW)).map(({ rowId }) => rowId)).toEqual(await rowIds());
    });

    test('keeps its key and takes its tasks along under another id, also those that have ended', async () => {
      await finish('r3');
      const { key } = await stored('r3');
      await edit([update(await stored('r3'), { cells: { id: 'Éclair' } })]);
      expect((await stored('éclair')).key).toBe(key);
      expect(await opened.store.tasksOfRow(id, 'r3')).toEqual([]);
      expect(await opened.store.tasksOfRow(id, 'Éclair')).toMatchObject([{ rowId: 'Éclair', status: 'done' }]);
      expect((await opened.store.row(id, 'Éclair'))?.body).toEqual({ prompt: 'prompt 3' });
    });

    test('starts where it was moved to', async () => {
      await edit([{ kind: 'move', key: (await stored('r5')).key, position: -ROW_GAP, line: 2 }]);
      expect(await rowIds()).toEqual(['r5', 'r2', 'r3', 'r4']);
      expect(await opened.store.nextQueued(id, 'musicgen', 1, NOW)).toMatchObject([
        { rowId: 'r5', position: -ROW_GAP },
      ]);
      expect((await stored('r5')).row.line).toBe(2);
    });

    test('is sent as it was edited last', async () => {
      const next = { ...makeRow(3), body: { prompt: 'other' } };
      await edit([
        update(
          await stored('r3'),
          { row: next },
          { remove: (await stored('r3')).tasks, add: newTasks(next, id, 1, false, NOW) },
        ),
      ]);
      expect(new TextDecoder().decode(await opened.store.requestBody((await taskOf('r3')).id))).toBe(
        '{"prompt":"other"}',
      );
      expect(await opened.store.tasksOfRow(id, 'r3')).toHaveLength(1);
      expect((await opened.views.batchSummary(id))?.batch.taskCount).toBe(4);
    });

    test('that asks for something else after it was rendered keeps what was paid for', async () => {
      const done = await finish('r3');
      expect(await opened.views.filesFound(id, {})).toEqual(Float64Array.of(done.id, 1));
      await edit([
        update(await stored('r3'), { cells: { body: { prompt: 'other' } }, isDraft: true }, { supersede: [done] }),
      ]);
      expect(await opened.store.tasksOfRow(id, 'r3')).toEqual([]);
      // A gallery shows it as an earlier version.
      expect(await opened.views.filesFound(id, {})).toEqual(Float64Array.of(done.id, 1));
      expect(await opened.views.filesFound(id, { version: 'now' })).toEqual(Float64Array.of());
      expect(await opened.views.filesByIds(id, [`${done.id}-1`])).toMatchObject([{ isEarlier: true }]);
      expect(await opened.store.task(done.id)).toMatchObject({ status: 'done', taskCode: 'code-r3' });
      expect(await opened.store.isTaskCodeKnown(id, 'code-r3')).toBe(true);
      expect(await opened.store.rowWithUrl(await taskOf('r4'), 'https://m.example/r3')).toBe('r3');
      expect(await opened.store.attempts(done.id)).toHaveLength(1);
      expect((await opened.store.tasksEverOfRow(id, 'r3')).map((task) => task.id)).toEqual([done.id]);
      expect(await exported('r3')).toMatchObject({
        status: 'draft',
        tasks: [{ superseded: true, status: 'done', outputs: [{ path: 'music/r3.mp3' }] }],
      });
      expect(await opened.views.batchSummary(id)).toMatchObject({
        rows: { draft: 1, done: 0, queued: 3 },
        submitsUsed: 1,
        draftSubmits: 1,
        batch: { taskCount: 3 },
      });
    });

    test('shows the files that it had, of each take the last ones, until a new one is there', async () => {
      const views = async () => {
        const [view] = await opened.views.rowsByIds(id, ['r3']);
        const detail = only(await rowDetailOf(opened.views, id, 'r3'));
        return { now: view?.files.map(({ path }) => path), before: view?.earlier, earlier: detail.earlier };
      };
      const again = async (cells: Partial<Row>) => {
        const before = await stored('r3');
        const row = { ...before.row, ...cells };
        const add = newTasks(row, id, before.position, false, NOW);
        await edit([update(before, { row }, { supersede: before.tasks, add })]);
      };
      const first = await finish('r3');
      expect(await views()).toEqual({ now: ['music/r3.mp3'], before: undefined, earlier: [] });

      await again({ body: { prompt: 'other' } });
      const [gone] = (await views()).earlier;
      expect(await views()).toMatchObject({
        now: [],
        before: { files: [{ outputId: `${first.id}-1`, path: 'music/r3.mp3' }], fileCount: 1 },
        earlier: [{ outputId: `${first.id}-1`, madeAt: NOW + 5, isOfOtherRequest: true }],
      });
      expect(gone).not.toHaveProperty('successorId');

      const second = await finish('r3', 'r3-v2');
      expect(await views()).toMatchObject({
        now: ['music/r3-v2.mp3'],
        before: undefined,
        earlier: [{ isOfOtherRequest: true, successorId: `${second.id}-1` }],
      });

      // Rendered again as it is: of the two that it had, the grid shows the last one.
      await again({});
      expect(await views()).toMatchObject({
        before: { files: [{ path: 'music/r3-v2.mp3' }], fileCount: 1 },
        earlier: [{ outputId: `${second.id}-1` }, { isOfOtherRequest: true, successorId: `${second.id}-1` }],
      });
      expect((await views()).earlier[0]).not.toHaveProperty('isOfOtherRequest');
    });

    test('lists what it had by versions, the newest first, and of each in order of take', async () => {
      const again = async () => {
        const before = await stored('r3');
        const row = { ...before.row, takes: 3 };
        const add = newTasks(row, id, before.position, false, NOW);
        await edit([update(before, { row }, { supersede: before.tasks, add })]);
      };
      const first = await finish('r3');
      await again();
      const second = (await stored('r3')).tasks;
      for (const task of second) await finish('r3', `r3-second-${task.take}`, task);
      await again();
      const { earlier, earlierTakes } = only(await rowDetailOf(opened.views, id, 'r3'));
      const files = ['r3-second-1', 'r3-second-2', 'r3-second-3', 'r3'].map((name) => `music/${name}.mp3`);
      expect(earlier.map(({ path }) => path)).toEqual(files);
      expect(earlierTakes.shown.map(({ taskId }) => taskId)).toEqual([...second.map((task) => task.id), first.id]);
    });

    test('is as it was before when that is taken back', async () => {
      const done = await finish('r3');
      const before = await stored('r3');
      await edit([update(before, { cells: { body: { prompt: 'other' } } }, { supersede: [done] })]);
      const superseded = only(await opened.store.task(done.id));
      await edit([update(await stored('r3'), { cells: before.row }, { unsupersede: [superseded] })]);
      expect(await stored('r3')).toMatchObject({ row: before.row, tasks: [{ id: done.id, status: 'done' }] });
      expect((await exported('r3')).tasks[0]).not.toHaveProperty('superseded');
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { done: 1, queued: 3 }, submitsUsed: 1 });
    });

    test('of which nothing was ever sent is gone when it is removed, with its tasks and events', async () => {
      const { key, tasks } = await stored('r3');
      const [task] = tasks;
      await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
      expect([await rowIds(), (await listOf(opened.views.exportRows(id))).length]).toEqual([['r2', 'r4', 'r5'], 3]);
      expect([await opened.store.task(only(task).id), await opened.store.events(only(task).id)]).toEqual([
        undefined,
        [],
      ]);
      expect(await sheets.rowsByKeys(id, [key])).toEqual([]);
      expect(await opened.store.batch(id)).toMatchObject({ rowCount: 3, taskCount: 3 });
    });

    test('takes its keys with it, also as the last one and at the beginning of a process', async () => {
      const { key, tasks } = await stored('r5');
      await reopen();
      await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
      await edit([insertion(makeRow(9), 9 * ROW_GAP)]);
      const added = await stored('r9');
      expect(added.key).toBeGreaterThan(key);
      expect(only(added.tasks[0]).id).toBeGreaterThan(only(tasks[0]).id);
      await reopen();
      await edit([{ kind: 'remove', key: added.key, tasks: { ...NOTHING, remove: added.tasks } }]);
      await reopen();
      await edit([insertion(makeRow(10), 10 * ROW_GAP)]);
      expect((await stored('r10')).key).toBeGreaterThan(added.key);
    });

    test('that was rendered is hidden when it is removed, and can be brought back', async () => {
      const done = await finish('r3');
      const before = await stored('r3');
      await edit([{ kind: 'remove', key: before.key, tasks: { ...NOTHING, supersede: [done] } }]);
      expect(await rowIds()).toEqual(['r2', 'r4', 'r5']);
      expect([await opened.store.row(id, 'r3'), await opened.views.rowDetail(id, before.key)]).toEqual([
        undefined,
        undefined,
      ]);
      expect((await opened.views.rowsWith(id, 'r3', undefined, 9)).rows).toEqual([]);
      expect(await opened.store.tasksEverOfRow(id, 'r3')).toMatchObject([{ id: done.id, status: 'done' }]);
      expect(await exported('r3')).toMatchObject({ isRemoved: true, status: 'done', tasks: [{ superseded: true }] });
      expect(await sheets.hiddenByIds(id, ['r3', 'r9'])).toEqual(new Map([['r3', before.key]]));
      const superseded = only(await opened.store.task(done.id));
      const restore = update(before, {}, { unsupersede: [superseded] }) as Extract<RowChange, { kind: 'update' }>;
      await edit([{ ...restore, kind: 'restore' }]);
      expect(await rowIds()).toEqual(['r2', 'r3', 'r4', 'r5']);
      expect(await stored('r3')).toMatchObject({ key: before.key, tasks: [{ status: 'done' }] });
      expect(await exported('r3')).not.toHaveProperty('isRemoved');
    });

    test('runs at the user’s word alone while it is a draft', async () => {
      const row = makeRow(9, { takes: 3 });
      const { add: _, ...draft } = insertion(row, 9 * ROW_GAP) as Extract<RowChange, { kind: 'insert' }>;
      await edit([{ ...draft, content: { ...draft.content, isDraft: true }, add: [] }]);
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { draft: 1 }, draftSubmits: 3 });
      await reopen();
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { draft: 1 }, draftSubmits: 3 });
      expect((await stored('r9')).isDraft).toBe(true);
      expect(await Promise.all(['r9', 'r4', 'r0'].map((row) => opened.store.isDraft(id, row)))).toEqual([
        true,
        false,
        false,
      ]);
      const add = newTasks(row, id, 9 * ROW_GAP, false, NOW);
      await edit([update(await stored('r9'), { isDraft: false }, { add })]);
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { draft: 0, queued: 5 }, draftSubmits: 0 });
    });

    test('without a word in it is passed over, and invalid once something is wrong with it', async () => {
      const blank = makeRow(9, { operation: undefined, cells: { row: 'r9', prompt: ' ' } });
      await edit([insertion(blank, 9 * ROW_GAP)]);
      expect(await opened.views.rowsByIds(id, ['r9'])).toMatchObject([{ status: 'skipped' }]);
      await edit([{ kind: 'problems', key: (await stored('r9')).key, problems: [{ ...WRONG, row: 'r9' }] }]);
      expect(await opened.views.rowsByIds(id, ['r9'])).toMatchObject([
        { status: 'invalid', problem: { message: 'wrong' } },
      ]);
      expect(await opened.views.batchSummary(id)).toMatchObject({
        rows: { invalid: 1, skipped: 0 },
        problems: { errors: 1, warnings: 0 },
      });
    });
  });

  describe('what was tried', () => {
    test('is never forgotten, though nothing came of it', async () => {
      const task = await tryTask(await taskOf('r3'), 'not-sent', { status: 'queued' });
      await edit([update(await stored('r3'), { cells: { body: { prompt: 'other' } } }, { remove: [task] })]);
      expect(await opened.store.attempts(task.id)).toHaveLength(1);
      expect(await opened.store.task(task.id)).toMatchObject({ status: 'cancelled' });
      expect((await opened.store.nextQueued(id, 'musicgen', 9, NOW)).map(({ rowId }) => rowId)).toEqual([
        'r2',
        'r4',
        'r5',
      ]);
    });

    test('and was superseded, or is gone, can neither be changed nor started any more', async () => {
      const done = await finish('r3');
      const waiting = await taskOf('r4');
      await edit([
        update(await stored('r3'), {}, { supersede: [done] }),
        update(await stored('r4'), { isDraft: true }, { remove: [waiting] }),
      ]);
      const late = [only(await opened.store.task(done.id)), waiting].map((task) => ({
        expectedRevision: task.revision,
        next: { ...task, status: 'queued', revision: task.revision + 1 } as const,
        event: { kind: 'user-retry' } as const,
        at: LATER,
      }));
      expect(await opened.store.commit(late)).toEqual(['stale', 'stale']);
      expect((await opened.store.nextQueued(id, 'musicgen', 9, LATER)).map(({ rowId }) => rowId)).toEqual(['r2', 'r5']);
      expect((await opened.store.counts(id)).musicgen).toMatchObject({ queued: 2, done: 0 });
    });
  });

  describe('what a night has just changed', () => {
    const touched = async (task: Task): Promise<Task> => {
      const next = { ...task, priority: task.priority + 1, revision: task.revision + 1 };
      const change = { expectedRevision: task.revision, next, event: { kind: 'user-retry' }, at: LATER } as const;
      expect(await opened.store.commit([change])).toEqual(['committed']);
      return next;
    };
    const late = async (task: Task) => {
      const next = { ...task, revision: task.revision + 1 };
      return opened.store.commit([{ expectedRevision: task.revision, next, event: { kind: 'user-retry' }, at: LATER }]);
    };

    test('is afterwards as an edit left it, or gone', async () => {
      const kept = await touched(await taskOf('r3'));
      const gone = await touched(await taskOf('r4'));
      const edited = { ...kept, model: 'v5', revision: kept.revision + 1 };
      await edit([
        update(await stored('r3'), {}, { update: [edited] }),
        update(await stored('r4'), { isDraft: true }, { remove: [gone] }),
      ]);
      expect([await late(kept), await late(gone)]).toEqual([['stale'], ['stale']]);
      expect(await opened.store.task(kept.id)).toEqual(edited);
      await touched(edited);
    });

    test('counts again once an edit takes back that it was superseded', async () => {
      const failure = { code: 'REMOTE_FAILED', message: 'perhaps', suspected: true } as const;
      const failed = await tryTask(await taskOf('r3'), 'accepted', { status: 'failed', taskCode: 'c', failure });
      await edit([update(await stored('r3'), { isDraft: true }, { supersede: [failed] })]);
      const { failure: _, ...watched } = only(await opened.store.task(failed.id));
      const next = { ...watched, status: 'downloading', revision: watched.revision + 1 } as const;
      const event = { kind: 'rendered', outputs: [], provisional: false, poll: { polls: 3 } } as const;
      const change = { expectedRevision: watched.revision, next, event, at: LATER };
      expect(await opened.store.commit([change])).toEqual(['committed']);
      await edit([update(await stored('r3'), { isDraft: false }, { unsupersede: [next] })]);
      const { superseded, ...back } = only(await opened.store.task(failed.id));
      expect(superseded).toBeUndefined();
      await touched(back);
    });
  });

  describe('what an edit has superseded', () => {
    test('takes what comes late as evidence and files of its own, and changes no count and not its row', async () => {
      const suspicion = { code: 'REMOTE_FAILED', message: 'perhaps', suspected: true } as const;
      const failed = await tryTask(await taskOf('r3'), 'accepted', {
        status: 'failed',
        taskCode: 'c',
        failure: suspicion,
      });
      await edit([update(await stored('r3'), { isDraft: true }, { supersede: [failed] })]);
      const before = [await opened.views.batchSummary(id), await opened.views.rowsByIds(id, ['r3'])];
      const [watched] = await opened.store.watchedTasks(id);
      if (watched === undefined) throw new Error('nothing is watched');
      expect(watched).toMatchObject({ id: failed.id, superseded: true });
      const { failure: _, ...rest } = watched;
      const file = { path: 'music/late.mp3', sha256: 'ab', bytes: 3, mediaType: 'audio/mpeg' };
      const output = { index: 1, url: 'https://x/a', generation: 1, tries: 0, state: 'pending', ...file } as const;
      const next = { ...rest, status: 'downloading', outputs: [output], revision: watched.revision + 1 } as const;
      const poll = { polls: 3 };
      const event = { kind: 'rendered', outputs: [{ url: 'https://x/a' }], provisional: false, poll } as const;
      expect(await opened.store.commit([{ expectedRevision: watched.revision, next, event, at: LATER }])).toEqual([
        'committed',
      ]);
      expect(await opened.store.watchedTasks(id)).toEqual([next]);
      expect((await opened.store.events(failed.id)).at(-1)).toEqual({ at: LATER, event });
      expect([await opened.views.batchSummary(id), await opened.views.rowsByIds(id, ['r3'])]).toEqual(before);
      await reopen();
      expect([await opened.views.batchSummary(id), await opened.views.rowsByIds(id, ['r3'])]).toEqual(before);
    });
  });

  describe('an edit', () => {
    test.each(['remove', 'supersede'] as const)(
      'that would %s a task that went on meanwhile writes nothing',
      async (what) => {
        const planned = await taskOf('r3');
        await tryTask(planned, 'accepted', { status: 'rendering', taskCode: 'c' });
        const before = [await rowIds(), await stored('r2'), await stored('r3'), await opened.store.batch(id)];
        const rows = [
          update(await stored('r2'), { cells: { id: 'other' } }),
          update(await stored('r3'), { cells: { body: { prompt: 'x' } } }, { [what]: [planned] }),
        ];
        expect(await sheets.change(id, { rows, headers: ['x'], at: LATER })).toEqual({ kind: 'stale' });
        expect([await rowIds(), await stored('r2'), await stored('r3'), await opened.store.batch(id)]).toEqual(before);
      },
    );

    test('that was planned before the batch was started writes nothing afterwards', async () => {
      const rows = [insertion(makeRow(9), 9 * ROW_GAP)];
      await opened.store.setBatchState(id, 'running', undefined, LATER);
      const before = await rowIds();
      expect(await sheets.change(id, { rows, plannedIn: 'ready', at: LATER })).toEqual({ kind: 'stale' });
      expect(await rowIds()).toEqual(before);
      expect(await sheets.change(id, { rows, plannedIn: 'running', at: LATER })).toMatchObject({ kind: 'written' });
    });

    test('of a row that there is no more writes nothing', async () => {
      const row = await stored('r3');
      await edit([{ kind: 'remove', key: row.key, tasks: { ...NOTHING, remove: row.tasks } }]);
      expect(await sheets.change(id, { rows: [update(row, {})], at: LATER })).toEqual({ kind: 'stale' });
    });

    test('that would remove a row in flight is a bug', async () => {
      const { key } = await stored('r3');
      await expect(async () =>
        sheets.change(id, { rows: [{ kind: 'remove', key, tasks: NOTHING }], at: LATER }),
      ).rejects.toThrow('count');
      expect(await rowIds()).toEqual(['r2', 'r3', 'r4', 'r5']);
      expect((await opened.views.batchSummary(id))?.rows.queued).toBe(4);
    });

    test('of a waiting task changes what it waits with', async () => {
      const task = await taskOf('r3');
      const next = { ...task, priority: 7, revision: task.revision + 1, model: 'v9', blockedBy: 'r2' };
      await edit([update(await stored('r3'), {}, { update: [next] })]);
      expect(await opened.store.task(task.id)).toEqual(next);
      expect(await opened.store.taskIdsBlockedBy(id, 'r2')).toEqual([task.id]);
    });

    test('of the columns and settings is kept', async () => {
      const sheet = { ...PLAIN_SHEET, mapping: { a: 'prompt' }, isWatched: true };
      await edit([], {
        headers: ['a', 'b'],
        sheet,
        sheetProblems: [{ severity: 'warning', code: 'header-missing', message: 'm', remedy: '-' }],
      });
      await reopen();
      expect(await opened.store.batch(id)).toMatchObject({ headers: ['a', 'b'], sheet });
      expect((await opened.views.batchSummary(id))?.problems).toMatchObject({ errors: 0, warnings: 1 });
      expect(await sheets.sheetProblems(id)).toMatchObject([{ code: 'header-missing' }]);
    });

    test('of a batch that is unknown, or by somebody who only looks, is a bug', async () => {
      await expect(async () => sheets.change('none', { rows: [], at: 1 })).rejects.toThrow('none');
      const server = way === 'on PostgreSQL' ? postgresAddress(dir) : undefined;
      const reader = openStore(dir, { random: seededRandom(), owner: false, server });
      if (!reader.ok) throw new Error(reader.error.message);
      await expect(async () => only(reader.value.sheets).change(id, { rows: [], at: 1 })).rejects.toThrow(
        StoreWriteError,
      );
      expect(reader.value.sheets.countInView(id, {})).toBe(4);
      reader.value.close();
    });
  });

  test('parts of an edit that are replaced give their place to others, all at once', async () => {
    await sheets.noteParts(
      id,
      [0, 1, 2].map((part) => ({ part, text: `wish ${part}` })),
    );
    await edit([], { part: 0 });
    expect(await sheets.firstPart(id)).toEqual({ part: 1, text: 'wish 1' });
    await sheets.replaceParts(id, [{ part: 0, text: 'take back' }]);
    expect(await sheets.firstPart(id)).toEqual({ part: 0, text: 'take back' });
    await expect(
      sheets.replaceParts(
        id,
        [0, 0].map((part) => ({ part, text: 'twice' })),
      ),
    ).rejects.toThrow(/unique/iu);
    expect(await sheets.firstPart(id)).toEqual({ part: 0, text: 'take back' });
    await edit([], { part: 0 });
    expect(await sheets.firstPart(id)).toBeUndefined();
  });

  describe('keys', () => {
    async function removeLast(): Promise<number> {
      const { key, tasks } = await stored('r5');
      await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
      return key;
    }

    test('of rows and tasks are given once, also after the last ones were removed and the store was opened again', async () => {
      const task = (await taskOf('r5')).id;
      const key = await removeLast();
      await reopen();
      const [next] = await edit([insertion(makeRow(9), 9 * ROW_GAP)]);
      expect(only(next)).toBeGreaterThan(key);
      expect((await taskOf('r9')).id).toBeGreaterThan(task);
    });

    test('are had again by a row whose removal is taken back', async () => {
      const key = await removeLast();
      await opened.store.createBatch(newBatch({ createdAt: NOW + 5_000 }));
      expect(await edit([insertion(makeRow(5), 4 * ROW_GAP, key)])).toEqual([key]);
      expect((await stored('r5')).key).toBe(key);
      const [next] = await edit([insertion(makeRow(9), 9 * ROW_GAP)]);
      expect(only(next)).toBeGreaterThan(key + 1);
    });
  });

  test('positions have room between them again, and everything keeps its order', async () => {
    for (let i = 0; i < 5; i += 1) await edit([insertion(makeRow(20 + i), ROW_GAP + 1 + i)]);
    const before = await rowIds();
    await sheets.spreadPositions(id);
    expect(await rowIds()).toEqual(before);
    expect((await opened.store.nextQueued(id, 'musicgen', 99, NOW)).map(({ rowId }) => rowId)).toEqual(before);
    const positions = (await listOf(sheets.allRows(id))).map(({ position }) => position);
    expect(positions).toEqual(positions.map((_, i) => (i + 1) * ROW_GAP));
    expect(await sheets.lastPosition(id)).toBe(positions.at(-1));
    const { key, position } = await stored('r20');
    const beside = await sheets.neighboursOf(id, [key]);
    expect(beside.get(key)).toMatchObject({ before: { position: position - ROW_GAP } });
    expect((await taskOf('r20')).position).toBe(position);
  });

  describe('the problems of a sheet', () => {
    test('are those of the sheet first, then row by row where each stands now', async () => {
      const noRow: SheetProblem = { severity: 'warning', code: 'other-sheets', message: 'other', remedy: '-' };
      const { store, views } = opened;
      const rows = [2, 3, 4].map((line) => makeRow(line));
      const sheet = { ...PLAIN_SHEET, isRenumbered: true };
      const problems = [noRow, { ...HINT, row: 'r3', line: 3 }, HINT, WRONG];
      const batch = (await store.createBatch(newBatch({ rows, problems, sheet, createdAt: NOW + 9 }))).id;
      const [first, second, third] = await sheets.keysInView(batch, {}, 0, 3);
      await sheets.change(batch, { rows: [{ kind: 'move', key: only(third), position: 1 }], at: LATER });
      expect((await sheets.problems(batch, 9)).map(({ problem, key }) => [key, problem.message, problem.line])).toEqual(
        [
          [undefined, 'other', undefined],
          [third, 'long', 2],
          [third, 'wrong', 2],
          [second, 'long', 4],
        ],
      );
      expect(await views.problems(batch, 2)).toMatchObject([{ message: 'other' }, { message: 'long', line: 2 }]);
      expect((await rowDetailOf(views, batch, 'r4'))?.problems).toMatchObject([{ line: 2 }, { line: 2 }]);
      expect((await sheets.rowsByKeys(batch, [only(first)]))[0]?.problems).toEqual([]);
    });

    test('without those that are ignored: they are counted by kind, and a row shows the next one that is not', async () => {
      const kind = { code: 'value-long', column: 'prompt' } as const;
      const gone = { code: 'unknown-column', column: '“O’Neil” – 名' } as const;
      const other: SheetProblem = { ...HINT, code: 'value-address', message: 'address' };
      const problems = [HINT, other, { ...HINT, row: 'r3', line: 3 }, { ...HINT, row: 'r2', line: 2, column: 'title' }];
      const wrong: SheetProblem = { ...WRONG, code: 'value-long', row: 'r2', line: 2 };
      const rows = [2, 3, 4].map((line) => makeRow(line));
      const { id: batch } = await opened.store.createBatch(
        newBatch({ rows, problems: [...problems, wrong], createdAt: NOW + 9 }),
      );
      const summary = async () => (await opened.views.batchSummary(batch))?.problems;
      const shown = async () =>
        (await opened.views.rowPage(batch, { offset: 0, limit: 9, withCells: true })).rows.map(({ problem, sheet }) => [
          problem?.message,
          sheet?.problems.map(({ message, column }) => [message, column]),
        ]);
      expect(await summary()).toEqual({ errors: 1, warnings: 4, ignored: [] });
      await sheets.change(batch, { rows: [], sheet: { ...PLAIN_SHEET, ignored: [kind, gone] }, at: LATER });
      const counted = {
        errors: 1,
        warnings: 2,
        ignored: [
          { ...kind, count: 2 },
          { ...gone, count: 0 },
        ],
      };
      expect(await summary()).toEqual(counted);
      expect(await shown()).toEqual([
        [
          'wrong',
          [
            ['long', 'title'],
            ['wrong', 'prompt'],
          ],
        ],
        [undefined, []],
        ['address', [['address', 'prompt']]],
      ]);
      expect((await rowDetailOf(opened.views, batch, 'r4'))?.problems.map(({ message }) => message)).toEqual([
        'address',
      ]);
      const messages = async (which: 'all' | 'not-ignored', limit: number) =>
        (await sheets.problems(batch, limit, which)).map(({ problem }) => problem.message);
      expect(await messages('not-ignored', 3)).toEqual(['long', 'wrong', 'address']);
      expect(await messages('all', 9)).toHaveLength(5);
      const found = [{ ...HINT, row: 'r3', line: 3, ...gone }];
      const [, second] = await sheets.keysInView(batch, {}, 0, 3);
      await sheets.change(batch, { rows: [{ kind: 'problems', key: only(second), problems: found }], at: LATER });
      expect((await summary())?.ignored.map(({ count }) => count)).toEqual([1, 1]);
      await opened.close();
      opened = await openIn(dir);
      ({ sheets } = opened);
      expect((await summary())?.ignored.map(({ count }) => count)).toEqual([1, 1]);
    });
  });

  describe('a batch that is imported', () => {
    test('can be searched by id, request, reference and cells of no use', async () => {
      const text = [{ row: 'Éa', path: { kind: 'task-code' as const }, text: 'Éa.taskId' }];
      const links = [{ column: 'prompt', value: { kind: 'text' as const, text } }];
      const rows = [makeRow(2, { id: 'Éa' }), makeRow(3, { links }), makeRow(4, { body: { prompt: 'prompt 2' } })];
      const unusedCells = new Map([['r3', [1, 4]]]);
      const { id: batch } = await opened.store.createBatch(newBatch({ rows, unusedCells, createdAt: NOW + 9 }));
      const [first, second, third] = await sheets.keysInView(batch, {}, 0, 3);
      expect(await sheets.keysByIds(batch, ['e\u0301a'.normalize('NFC'), 'r4'])).toEqual(
        new Map([
          ['éa', [first]],
          ['r4', [third]],
        ]),
      );
      expect(await sheets.keysReferringTo(batch, ['éa'])).toEqual([second]);
      const { requestKey } = createSheetChecker(['prompt']);
      const asked = [only(rows[0]), only(rows[1])].map((row) => requestKey(row));
      const keysAskingFor = async (request: number | undefined, limit: number) =>
        (await sheets.placesByRequests(batch, [...asked, -1], limit)).get(request ?? 0)?.map(({ key }) => key);
      expect(await keysAskingFor(asked[0], 9)).toEqual([first, third]);
      expect(await keysAskingFor(asked[0], 1)).toEqual([first]);
      expect(await keysAskingFor(asked[1], 9)).toEqual([second]);
      expect(await keysAskingFor(-1, 9)).toEqual([]);
      expect(await sheets.knownRequests(batch, [...asked, -1])).toEqual(
        new Map([
          [asked[0], 'several'],
          [asked[1], 'one'],
        ]),
      );
      const operation = 'musicgen/music/generate';
      expect(await sheets.unusedCells(batch)).toEqual([
        { index: 1, operation, rows: 1, keys: [second] },
        { index: 4, operation, rows: 1, keys: [second] },
      ]);
    });
  });

  test('a page has the cells in the order of the headers, the beginning of long ones, and what is wrong with them', async () => {
    const long = `${'x'.repeat(999)}😀 and more`;
    const rows = [makeRow(4, { cells: { prompt: long, note: 'mine' } })];
    const { id: batch } = await opened.store.createBatch(
      newBatch({ headers: ['note', 'prompt', 'title'], rows, problems: [WRONG], createdAt: NOW + 9 }),
    );
    const page = await opened.views.rowPage(batch, { offset: 0, limit: 5, withCells: true });
    expect(page.rows.map(({ sheet }) => sheet)).toEqual([
      { cells: ['mine', 'x'.repeat(999), ''], cutCells: [1], problems: [WRONG] },
    ]);
    expect((await opened.views.rowPage(batch, { offset: 0, limit: 5 })).rows[0]).not.toHaveProperty('sheet');
  });

  test('what was edited is kept with its row, marked in a page and found by a filter, together with others', async () => {
    const edits = { earlier: [{ at: NOW, header: 'prompt', was: 'prompt 2' }] };
    const [second, third] = [await stored('r2'), await stored('r3')];
    await edit([
      update(second, { cells: { cells: { ...second.row.cells, prompt: 'an owl' } }, edits }),
      // It says what was imported, and is not found.
      update(third, { edits: { earlier: [{ at: NOW, header: 'prompt', was: 'prompt 3' }] } }),
      { ...insertion(makeRow(9, { cells: { prompt: 'a "edits": crow' } }), 99_000_000) },
    ]);
    await reopen();
    expect((await stored('r2')).edits).toEqual(edits);
    expect(await stored('r4')).not.toHaveProperty('edits');
    const page = await opened.views.rowPage(id, { offset: 0, limit: 9, withCells: true });
    expect(page.rows.flatMap(({ row, sheet }) => (sheet?.editedCells ? [[row, sheet.editedCells]] : []))).toEqual([
      ['r2', [0]],
    ]);
    const shown = async (filter: RowFilter): Promise<readonly number[]> =>
      (await opened.views.viewPage(id, { offset: 0, limit: 9, filter })).keys;
    expect(await shown({ isEdited: true })).toEqual([second.key]);
    expect(await shown({ isEdited: true, text: 'owl', status: ['queued'] })).toEqual([second.key]);
    expect(await shown({ isEdited: true, text: 'crow' })).toEqual([]);
    await edit([update(await stored('r2'), { edits: { addedAt: NOW, earlier: [] } })]);
    expect(await shown({ isEdited: true })).toEqual([second.key]);
  });

  describe('a take of which a gate flags a file', () => {
    /** The take of a row as it is once its file is in its place, and flagged. */
    async function flaggedTake(rowId: string): Promise<Task> {
      const task = await taskOf(rowId);
      const flags = [{ gate: 'black' as const, message: '100 % of it is black.' }];
      const path = `${task.id}.mp4`;
      const outputs = [{ index: 1, state: 'verified' as const, generation: 1, tries: 0, path, flags }];
      return tryTask(task, 'accepted', { status: 'done', taskCode: `code-${task.id}`, outputs });
    }

    async function run(again: number): Promise<void> {
      const before = only(await opened.store.batch(id));
      const gates = { on: { black: 50 }, again };
      await opened.store.updateBatchSettings(id, { ...before.settings, gates });
      await opened.store.setBatchState(id, 'running', undefined, NOW);
    }

    /** What is wrong with what the store has and counts. */
    async function reopenedIntegrity(): Promise<readonly string[]> {
      await opened.close();
      const looked = (way === 'on PostgreSQL' ? openedOnPostgres : openedStore)(dir);
      const found = looked.checkIntegrity();
      looked.close();
      await reopen();
      return found;
    }

    function makeAgain(task: Task): ReturnType<PromisedStore['store']['commit']> {
      return opened.store.commit([change(task, { superseded: true }, { event: { kind: 'made-again' } })]);
    }

    test('is set aside for another one, in one transaction, and once', async () => {
      const [task, other] = [await flaggedTake('r2'), await flaggedTake('r3')];
      expect(await makeAgain(task)).toEqual(['not-wanted']);
      await run(1);
      // As two processes would decide it at once.
      expect([await makeAgain(task), await makeAgain(task)]).toEqual([['committed'], ['stale']]);
      const made = await taskOf('r2');
      expect(made).toMatchObject({ take: 1, status: 'queued', attempts: 0, madeAgain: 1, outputs: [], rowId: 'r2' });
      expect(made.id).not.toBe(task.id);
      expect(await opened.store.task(task.id)).toMatchObject({
        superseded: true,
        status: 'done',
        taskCode: task.taskCode,
      });
      const shown = await opened.views.rowsByIds(id, ['r2', 'r3']);
      expect(shown.map(({ status }) => status)).toEqual(['queued', 'done']);
      expect((await opened.store.counts(id)).musicgen).toMatchObject({ queued: 3, done: 1 });
      // Behind all that has no file yet.
      const next = await opened.store.nextQueued(id, 'musicgen', 9, NOW + 1);
      expect(next.map(({ rowId }) => rowId)).toEqual(['r4', 'r5', 'r2']);
      expect(await reopenedIntegrity()).toEqual([]);
      expect(await taskOf('r2')).toEqual(made);
      expect((await opened.store.counts(id)).musicgen).toMatchObject({ queued: 3, done: 1 });
      expect(await makeAgain(other)).toEqual(['committed']);
      // The one in its place was the last: this batch renders a take again once.
      const last = await flaggedTake('r2');
      expect([last.madeAgain, await makeAgain(last)]).toEqual([1, ['not-wanted']]);
    });

    test('stays where nobody asks for it any more', async () => {
      const takes = [
        await flaggedTake('r2'),
        await flaggedTake('r3'),
        await flaggedTake('r4'),
        await flaggedTake('r5'),
      ];
      await run(3);
      await edit([
        update(await stored('r2'), { cells: { skip: true } }),
        update(await stored('r3'), { problems: [{ ...WRONG, line: 3, row: 'r3' }] }),
        { kind: 'remove', key: (await stored('r4')).key, tasks: { ...NOTHING, supersede: (await stored('r4')).tasks } },
      ]);
      await opened.store.setTurn(id, { ids: ['r5'] }, { kind: 'put-on-hold' });
      const outcomes = [];
      for (const task of takes) outcomes.push(...(await makeAgain(task)));
      expect(outcomes).toEqual(['not-wanted', 'not-wanted', 'stale', 'not-wanted']);
      await opened.store.setTurn(id, { ids: ['r5'] }, { kind: 'released' });
      await opened.store.setBatchState(id, 'paused', { by: 'user' }, NOW);
      expect(await makeAgain(only(takes[3]))).toEqual(['not-wanted']);
      expect(await reopenedIntegrity()).toEqual([]);
    });
  });
});
