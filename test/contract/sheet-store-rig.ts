/** What all the tests of a sheet in a store share. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { RowChange, RowContent, SheetChange, StoredRow } from '../../src/engine/ports/sheet-store.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { newTasks } from '../../src/shared/domain/task/new-tasks.ts';
import type { TaskPlan } from '../../src/shared/domain/task/plan-tasks.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';

export const NOTHING: TaskPlan = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] };
export const LATER = NOW + 1_000;
export const WRONG: SheetProblem = {
  severity: 'error',
  code: 'value-type',
  line: 4,
  row: 'r4',
  column: 'prompt',
  message: 'wrong',
  remedy: '-',
};
export const HINT: SheetProblem = { ...WRONG, severity: 'warning', code: 'value-long', message: 'long' };

/** Opens the store in a folder in one of the ways in which a program has it. */
type OpenIn = (dir: string) => Promise<PromisedStore>;

/** What a test has, from when its store was opened last. */
interface OpenedSheet {
  readonly dir: string;
  readonly opened: PromisedStore;
  readonly sheets: PromisedStore['sheets'];
  /** The batch whose sheet it is, with four rows. */
  readonly id: string;
}

/**
 * Gives each test a sheet in a store of its own, again whenever the store is opened anew, and closes it after the test;
 * returns what tests do to that sheet.
 */
export function sheetForEach(openIn: OpenIn, give: (sheet: OpenedSheet) => void) {
  let dir: string;
  let opened: PromisedStore;
  let sheets: PromisedStore['sheets'];
  let id: string;

  beforeEach(async () => {
    dir = temporaryFolder();
    opened = await openIn(dir);
    ({ sheets } = opened);
    ({ id } = await opened.store.createBatch(newBatch({ rows: [2, 3, 4, 5].map((line) => makeRow(line)) })));
    give({ dir, opened, sheets, id });
  });
  afterEach(async () => {
    await opened.close();
  });

  async function reopen(): Promise<void> {
    await opened.close();
    opened = await openIn(dir);
    ({ sheets } = opened);
    give({ dir, opened, sheets, id });
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

  return { reopen, edit, stored, update, insertion, taskOf, tryTask, finish, rowIds };
}
