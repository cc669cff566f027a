import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowChange, RowContent, SheetChange } from '../../src/engine/ports/sheet-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import { rowLabel } from '../../src/shared/domain/task/row-view.ts';
import { FAMILIES } from '../../src/shared/domain/operations/operations.ts';
import { planRemoval, planTasks, type PlannedRow } from '../../src/shared/domain/task/plan-tasks.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import { ROW_VIEW_STATUSES } from '../../src/shared/domain/task/row-status.ts';
import { foldRowId } from '../../src/shared/domain/sheet/sheet-row-ids.ts';
import { TASK_STATUSES, TERMINAL_STATUSES, type Task, type TaskStatus } from '../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { presentTasks, SheetModel, statusOf, type ModelRow } from './sheet-store-model.ts';
import { DATABASES } from './opened-store.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';

/** An edit or a step of the night, as the dice fall. */
type Step =
  | { readonly kind: 'insert' | 'update'; readonly at: number; readonly cells: Cells }
  | { readonly kind: 'move'; readonly at: number; readonly to: number }
  | { readonly kind: 'rename'; readonly at: number; readonly id: string }
  | { readonly kind: 'remove' | 'restore' | 'stale' }
  | { readonly kind: 'problems'; readonly at: number; readonly severity: SheetProblem['severity'] | undefined }
  | { readonly kind: 'night'; readonly at: number; readonly status: TaskStatus; readonly isTried: boolean };

interface Cells {
  readonly id: string;
  readonly prompt: string;
  readonly operation: Row['operation'];
  readonly takes: number;
  readonly skip: boolean;
  readonly unused: readonly number[];
  readonly refersTo: string | undefined;
}

const cells: fc.Arbitrary<Cells> = fc.record({
  id: fc.constantFrom('a', 'B', 'b', 'É', 'e\u0301', 'r2', 'r3'),
  prompt: fc.constantFrom('', 'wolf', 'moon', 'x'.repeat(1_200)),
  operation: fc.constantFrom('musicgen/music/generate', 'videogen-b/image/generate', undefined),
  takes: fc.constantFrom(1, 1, 2, 3),
  skip: fc.constantFrom(false, false, false, true),
  unused: fc.constantFrom([], [], [1], [0, 2]),
  refersTo: fc.constantFrom(undefined, undefined, 'a', 'É'),
});
const at = fc.nat(30);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert', 'update', 'update'), at, cells }),
  fc.record({ kind: fc.constant('move'), at, to: at }),
  fc.record({ kind: fc.constant('problems'), at, severity: fc.constantFrom('error', 'warning', undefined) }),
  fc.record({ kind: fc.constant('rename'), at, id: fc.constantFrom('a', 'b', 'É', 'r7') }),
  fc.record({ kind: fc.constantFrom('remove', 'remove', 'restore', 'stale') }),
  fc.record({
    kind: fc.constant('night'),
    at,
    status: fc.constantFrom<TaskStatus>('queued', 'done', 'failed', 'cancelled'),
    isTried: fc.boolean(),
  }),
);

/** The stores's batch as it is before the edits, in the model. */
function modelOf({ sheets }: OpenStore, id: string): SheetModel {
  const model = new SheetModel();
  for (const { position, row, tasks, problems } of sheets.allRows(id)) {
    const add: readonly Omit<Task, 'id'>[] = tasks;
    const content = { row, position, problems, isDraft: false, request: undefined, unused: [] };
    model.apply({ rows: [{ kind: 'insert', content, add }], at: NOW });
  }
  return model;
}

class Night {
  readonly #opened: OpenStore;
  readonly #id: string;
  readonly model: SheetModel;

  constructor(opened: OpenStore, id: string) {
    this.#opened = opened;
    this.#id = id;
    this.model = modelOf(opened, id);
  }

  carryOut(made: Step, i: number): void {
    const rows = this.model.present();
    const pick = (place: number): ModelRow | undefined => rows[place % Math.max(1, rows.length)];
    switch (made.kind) {
      case 'insert':
        this.#insert(made.cells, made.at, i);
        return;
      case 'update':
        this.#update(pick(made.at), made.cells, i);
        return;
      case 'rename': {
        const row = pick(made.at);
        if (row === undefined) return;
        const content = { ...row.content, row: { ...row.content.row, id: made.id } };
        const tasks = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] };
        this.#edit([{ kind: 'update', key: row.key, content, tasks }], i);
        return;
      }
      case 'move': {
        const row = pick(made.at);
        if (row !== undefined) this.#edit([{ kind: 'move', key: row.key, position: this.#freePosition(made.to) }], i);
        return;
      }
      case 'problems': {
        const row = pick(made.at);
        const problems = problemsOf(made.severity);
        // An error would take the row's tasks with it: that is an update.
        if (row !== undefined && presentTasks(row).length === 0) {
          this.#edit([{ kind: 'problems', key: row.key, problems }], i);
        }
        return;
      }
      case 'remove': {
        const row = pick(i);
        if (row === undefined) return;
        this.#edit([{ kind: 'remove', key: row.key, tasks: planRemoval(presentTasks(row)) }], i);
        return;
      }
      case 'restore':
        this.#restore(i);
        return;
      case 'stale':
        this.#beTooLate(pick(i), i);
        return;
      case 'night':
        this.#progress(pick(made.at), made.status, made.isTried, i);
        return;
    }
  }

  #edit(rows: readonly RowChange[], i: number): void {
    const change: SheetChange = { rows, at: NOW + i };
    expectSameValue(this.#opened.sheets.change(this.#id, change).kind, 'written');
    this.model.apply(change);
  }

  #insert(made: Cells, place: number, i: number): void {
    const position = this.#freePosition(place);
    const row = rowOf(made, i);
    const planned = planTasks(undefined, plannedRow(row, position), [], this.#options(i));
    this.#edit(
      [{ kind: 'insert', content: contentOf(made, row, position, planned.isDraft), add: planned.tasks.add }],
      i,
    );
  }

  #update(row: ModelRow | undefined, made: Cells, i: number): void {
    if (row === undefined) return;
    const next = rowOf(made, row.content.row.line);
    const { position } = row.content;
    const planned = planTasks(
      plannedRow(row.content.row, position),
      plannedRow(next, position),
      presentTasks(row),
      this.#options(i),
    );
    const content = contentOf(made, next, position, planned.isDraft);
    const there = { kind: 'move', key: row.key, position: this.#freePosition(i) } as const;
    const detour = i % 5 === 0 ? [there, { ...there, position }] : [];
    this.#edit([...detour, { kind: 'update', key: row.key, content, tasks: planned.tasks }], i);
  }

  #restore(i: number): void {
    const row = this.model.lastHidden();
    if (row === undefined) return;
    const last = row.tasks.findLast(({ task }) => task.status === 'done');
    const unsupersede = last === undefined ? [] : [last.task];
    const tasks = { remove: [], supersede: [], unsupersede, add: [], update: [], keep: [] };
    // Its place may be another row's by now.
    const isTaken = this.model.present().some(({ content }) => content.position === row.content.position);
    const position = isTaken ? this.#freePosition(i) : row.content.position;
    this.#edit(
      [{ kind: 'restore', key: row.key, content: { ...row.content, position, isDraft: i % 2 === 0 }, tasks }],
      i,
    );
  }

  /** A plan that was made before the night went on. */
  #beTooLate(row: ModelRow | undefined, i: number): void {
    const [task] = row === undefined ? [] : presentTasks(row);
    if (row === undefined || task === undefined) return;
    const late = { id: task.id, revision: task.revision - 1 };
    const plan = { remove: [], supersede: [late], unsupersede: [], add: [], update: [], keep: [] };
    const content = { ...row.content, row: { ...row.content.row, id: 'late' } };
    const first = { kind: 'problems', key: row.key, problems: problemsOf('error') } as const;
    const rows = [first, { kind: 'update', key: row.key, content, tasks: plan } as const];
    expectSameValue(this.#opened.sheets.change(this.#id, { rows, headers: ['late'], at: NOW + i }), { kind: 'stale' });
  }

  #progress(row: ModelRow | undefined, status: TaskStatus, isTried: boolean, i: number): void {
    const one = row?.tasks[i % Math.max(1, row.tasks.length)];
    if (one === undefined) return;
    const { task } = one;
    const body = Uint8Array.of(i);
    const next: Task = {
      ...task,
      revision: task.revision + 1,
      status,
      ...(status === 'done' ? { taskCode: `c${task.id}`, submittedAt: NOW + i, finishedAt: NOW + i + 1 } : {}),
    };
    const attempt = { startedAt: i, origin: 'o', keyFingerprint: 'k', body, bodySha256: 'h' };
    const isSent = status === 'done' || isTried;
    const outcomes = this.#opened.store.commit([
      { expectedRevision: task.revision, next, event: { kind: 'cancel-requested' }, at: i },
    ]);
    expectSameValue(outcomes, [one.isSuperseded ? 'stale' : 'committed']);
    if (one.isSuperseded) return;
    one.task = next;
    if (!isSent) return;
    const sent = { ...next, revision: next.revision + 1 };
    const change = { expectedRevision: next.revision, next: sent, event: { kind: 'cancel-requested' }, at: i } as const;
    expectSameValue(this.#opened.store.commit([{ ...change, openAttempt: attempt }]), ['committed']);
    one.task = sent;
    one.wasTried = true;
    const closed = { ...sent, revision: sent.revision + 1 };
    const answer = { answeredAt: i, outcome: status === 'done' ? ('accepted' as const) : ('not-sent' as const) };
    const close = { ...change, expectedRevision: sent.revision, next: closed, closeAttempt: answer };
    expectSameValue(this.#opened.store.commit([close]), ['committed']);
    one.task = closed;
  }

  #options(i: number) {
    return { batchId: this.#id, batchState: i % 3 === 0 ? 'running' : 'ready', now: NOW } as const;
  }

  /** A position before the row at a place, or behind the last one; at the beginning they are negative. */
  #freePosition(place: number): number {
    const positions = this.model.present().map(({ content }) => content.position);
    const wanted = place % (positions.length + 1);
    const before = positions[wanted - 1] ?? (positions[0] ?? 0) - 1_000;
    const after = positions[wanted] ?? before + 1_000;
    const middle = Math.floor((before + after) / 2);
    return positions.includes(middle) ? Math.max(...positions) + 1_000 : middle;
  }
}

function expectSameValue(value: unknown, expected: unknown): void {
  expect(value).toEqual(expected);
}

function plannedRow(row: Row, position: number): PlannedRow {
  return { row, position, isBlocked: row.operation === undefined };
}

function rowOf(made: Cells, line: number): Row {
  const { id, prompt, operation, takes, skip, refersTo } = made;
  const text = refersTo === undefined ? [] : [{ row: refersTo, path: { kind: 'task-code' as const }, text: 'x' }];
  const links = [{ column: 'prompt', value: { kind: 'text' as const, text } }];
  return makeRow(line, {
    id,
    operation,
    takes,
    skip,
    body: { prompt },
    cells: { row: id, prompt },
    ...(refersTo === undefined ? {} : { links }),
  });
}

function contentOf(made: Cells, row: Row, position: number, isDraft: boolean): RowContent {
  const problems = problemsOf(row.operation === undefined && made.prompt !== '' ? 'error' : undefined);
  return { row, position, problems, isDraft, request: made.takes, unused: made.unused };
}

function problemsOf(severity: SheetProblem['severity'] | undefined): readonly SheetProblem[] {
  if (severity === undefined) return [];
  return [{ severity, code: 'value-type', line: 1, row: 'x', column: 'prompt', message: severity, remedy: '-' }];
}

test.each(DATABASES)(
  'any edits leave the sheet in %s as they leave the model',
  (_, openIn, numRuns) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50, size: 'max' }), fc.boolean(), (steps, isRenumbered) => {
        const dir = temporaryFolder();
        try {
          const opened = openIn(dir);
          const rows = [makeRow(2), makeRow(3, { takes: 2 }), makeRow(4, { skip: true })];
          const sheet = { ...PLAIN_SHEET, isRenumbered };
          const { id } = opened.store.createBatch(newBatch({ headers: ['row', 'prompt'], rows, sheet }));
          const night = new Night(opened, id);
          steps.forEach((made, i) => {
            night.carryOut(made, i);
            // Counts that are kept up, places that are kept up.
            if (i % 8 === 0) expectSame(opened, id, night.model);
          });
          expectSame(opened, id, night.model);
          opened.close();
          const again = openIn(dir);
          expectSame(again, id, night.model);
          expect(again.checkIntegrity()).toEqual([]);
          again.close();
        } finally {
          rmSync(dir, { recursive: true });
        }
      }),
      { numRuns },
    );
  },
  60_000,
);

function expectSame({ store, views, sheets }: OpenStore, id: string, model: SheetModel): void {
  const rows = model.present();
  const keys = rows.map(({ key }) => key);
  expectRows(sheets.rowsByKeys(id, keys), rows);
  expect(sheets.keysInView(id, {}, 0, 1_000)).toEqual(keys);
  const page = views.rowPage(id, { offset: 0, limit: 1_000, withCells: true });
  const { isRenumbered } = only(store.batch(id)).sheet;
  expect(
    page.rows.map(({ key, row, line, status, label, sheet }) => ({ key, row, line, status, label, sheet })),
  ).toEqual(
    rows.map(({ key, content }, i) => ({
      key,
      row: content.row.id,
      line: isRenumbered ? i + 2 : content.row.line,
      status: statusOf(model.row(key)),
      label: rowLabel(content.row),
      sheet: {
        cells: ['row', 'prompt'].map((header) => (content.row.cells[header] ?? '').slice(0, 1_000)),
        cutCells: (content.row.cells['prompt'] ?? '').length > 1_000 ? [1] : [],
        problems: content.problems,
      },
    })),
  );
  expectViews(sheets, id, model);
  expectIndexes(sheets, id, rows);
  expectNumbers({ store, views }, id, model);
  expect([...store.tasksByStatus(TASK_STATUSES, id)].map(({ id: task }) => task)).toEqual(
    rows.flatMap((row) => presentTasks(row).map((task) => task.id)),
  );
}

function expectRows(found: ReturnType<OpenStore['sheets']['rowsByKeys']>, rows: readonly ModelRow[]): void {
  expect(found).toEqual(
    rows.map((row) => {
      const { row: own, position, problems, isDraft } = row.content;
      return { key: row.key, position, row: own, isDraft, problems, tasks: presentTasks(row) };
    }),
  );
}

function expectViews(sheets: OpenStore['sheets'], id: string, model: SheetModel): void {
  const rows = model.present();
  for (const status of ROW_VIEW_STATUSES) {
    const shown = rows.filter((row) => statusOf(row) === status).map(({ key }) => key);
    const view = { filter: { status: [status] } };
    expect(sheets.keysInView(id, view, 0, 1_000)).toEqual(shown);
    expect(sheets.countInView(id, view)).toBe(shown.length);
    expect(shown.map((_, place) => sheets.keysInView(id, view, place, 1))).toEqual(shown.map((key) => [key]));
  }
  rows.forEach(({ key }, i) => {
    expect(sheets.keysInView(id, {}, i, 1)).toEqual([key]);
    const [before, after] = [rows[i - 1], rows[i + 1]];
    const place = (row: ModelRow | undefined) => row && { key: row.key, position: row.content.position };
    expect(sheets.neighboursOf(id, [key]).get(key)).toEqual({ before: place(before), after: place(after) });
  });
  expect(sheets.lastPosition(id)).toBe(rows.at(-1)?.content.position ?? 0);
}

function expectIndexes(sheets: OpenStore['sheets'], id: string, rows: readonly ModelRow[]): void {
  const keysOf = (isMeant: (row: ModelRow) => boolean): number[] => rows.filter(isMeant).map(({ key }) => key);
  for (const folded of ['a', 'b', 'é', 'r2']) {
    const own = keysOf(({ content }) => foldRowId(content.row.id) === folded);
    expect(sheets.keysByIds(id, [folded]).get(folded) ?? []).toEqual(own);
    const referring = keysOf(({ content }) =>
      (content.row.links ?? []).some(({ value }) =>
        JSON.stringify(value).normalize('NFC').toLowerCase().includes(`"row":"${folded}"`),
      ),
    );
    expect(sheets.keysReferringTo(id, [folded]).toSorted((a, b) => a - b)).toEqual(referring.toSorted((a, b) => a - b));
  }
  for (const cell of [0, 1, 2]) {
    const filled = keysOf(
      ({ content }) => content.unused.includes(cell) && content.row.operation === 'videogen-b/image/generate',
    );
    const found = sheets
      .unusedCells(id)
      .find(({ index, operation }) => index === cell && operation === 'videogen-b/image/generate');
    expect([found?.rows ?? 0, found?.keys ?? []]).toEqual([filled.length, filled.slice(0, 5)]);
  }
}

function expectNumbers({ store, views }: Pick<OpenStore, 'store' | 'views'>, id: string, model: SheetModel): void {
  const rows = model.present();
  const tasks = rows.flatMap(presentTasks);
  const problems = rows.flatMap(({ content }) => content.problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const drafts = rows.filter(({ content }) => content.isDraft);
  expect(views.batchSummary(id)).toMatchObject({
    batch: { rowCount: rows.length, taskCount: tasks.length },
    tasks: Object.fromEntries(
      FAMILIES.map((family) => [
        family,
        Object.fromEntries(
          TASK_STATUSES.map((status) => [
            status,
            tasks.filter((task) => task.family === family && task.status === status).length,
          ]),
        ),
      ]),
    ),
    rows: Object.fromEntries(
      ROW_VIEW_STATUSES.map((status) => [status, rows.filter((row) => statusOf(row) === status).length]),
    ),
    problems: { errors, warnings: problems.length - errors },
    draftSubmits: drafts.reduce((sum, row) => {
      const { takes } = row.content.row;
      return sum + Math.max(0, takes - presentTasks(row).filter((task) => task.take <= takes).length);
    }, 0),
  });
  const left = tasks.filter(({ status }) => !TERMINAL_STATUSES.has(status));
  expect(store.kindsLeft(id).toSorted()).toEqual([...new Set(left.map(({ kind }) => kind))].toSorted());
  expect(store.nextQueued(id, 'musicgen', 99, NOW + 99).every((task) => tasks.some((one) => one.id === task.id))).toBe(
    true,
  );
  expect([...views.exportRows(id)].flatMap((row) => row.tasks.map((task) => task.superseded ?? false)).length).toBe(
    model.rows.reduce((sum, row) => sum + row.tasks.length, 0),
  );
}
