import { mayAskAgain } from '../../../shared/domain/task/batch.ts';
import { CELL_SHOWN, type RowCells, type RowFile } from '../../../shared/domain/task/views/row-summary.ts';
import { verifiedFiles, viewOfRow, type ViewedRow, type ViewedTask } from '../../../shared/domain/task/row-view.ts';
import type { IdleStatus, RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import { keepsEarlier } from '../../../shared/domain/task/plan-tasks.ts';
import type { AskedAnew } from '../../../shared/domain/task/task.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import { cellTexts, type Row } from '../../../shared/domain/sheet/row.ts';
import { editedIn, type RowEdits } from '../../../shared/domain/cells/row-edits.ts';
import { isIgnored, shownProblem, type SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { sumOfCosts } from '../../../shared/domain/base/money.ts';
import { groupBy, present } from '../../../shared/domain/base/result.ts';
import { turnOf } from '../sheets/row-records.ts';
import type { ProblemRecords } from '../sheets/problem-records.ts';
import type { RowRest } from '../sheets/row-table.ts';
import type { SheetLines } from '../sheets/row-places.ts';
import { IN_LIST, IN_TEXTS, type Database } from '../open/database.ts';
import type { BatchRecords, StoredBatch } from '../tasks/batch-records.ts';
import { openTaskCosts } from '../tasks/evidence-records.ts';
import { openFirstOfKind } from './first-of-kind.ts';
import { fileOf, SAID_OF_FILE, saidOf, type FileColumns } from '../tasks/output-records.ts';
import { stateOfTask, timesOf, type TaskColumns } from '../tasks/task-table.ts';

interface RowColumns {
  readonly seq: number;
  readonly batch: number;
  readonly position: number;
  readonly row_id: string;
  readonly line: number;
  readonly operation: OperationPath | '';
  readonly label: string;
  readonly takes: number;
  readonly status: RowViewStatus;
  readonly draft: number;
  readonly request: number | null;
  readonly problem: string | null;
}

type ViewedTaskColumns = Pick<
  TaskColumns,
  | ('id' | 'row' | 'take' | 'operation' | 'superseded' | 'status')
  | ('due_at' | 'blocked_by' | 'task_code' | 'submitted_at' | 'finished_at' | 'state')
>;

/** A task as views show it, with what only exports need. */
export interface SeenTask extends ViewedTask {
  readonly take: number;
  readonly operation: OperationPath;
  readonly isSuperseded: boolean;
  readonly finishedAt?: number;
  /** See `Task.account`. */
  readonly account?: string;
  /** See `Task.askedAnew`. */
  readonly askedAnew?: AskedAnew;
}

/** Rows with their tasks and outputs, many at a time: a few queries per page, however long it is. */
export type RowViews = ReturnType<typeof openRowViews>;

export function openRowViews(db: Database, problemRecords: ProblemRecords, lines: SheetLines, batches: BatchRecords) {
  const selectRows = db.prepare<RowColumns>(`
    SELECT seq, batch, position, row_id, line, operation, label, takes, status, draft, request, problem FROM rows
    WHERE seq ${IN_LIST}`);
  const selectTurns = db.prepare<{ readonly seq: number; readonly turn: string }>(`
    SELECT seq, turn FROM rows WHERE seq ${IN_LIST} AND turn IS NOT NULL`);
  const selectTasks = db.prepare<ViewedTaskColumns>(`
    SELECT id, row, take, operation, superseded, status, due_at, blocked_by, task_code, submitted_at, finished_at, state
    FROM tasks WHERE row ${IN_LIST} AND superseded <= ? ORDER BY row, take, id`);
  const selectCells = db.prepare<{ readonly row: number; readonly rest: string }>(`
    SELECT row, rest FROM row_contents WHERE row ${IN_LIST}`);
  const selectOutputs = db.prepare<FileColumns & { readonly task: number; readonly said: string | null }>(`
    SELECT task, position, state, path, sha256, bytes, media_type, ${SAID_OF_FILE} FROM outputs
    WHERE task ${IN_LIST} ORDER BY task, position`);
  const selectDrafts = db.prepareColumn<string>(`
    SELECT row_id FROM rows INDEXED BY rows_by_id
    WHERE batch = ? AND removed = 0 AND row_id ${IN_TEXTS} AND status = 'draft'`);
  const costsOf = openTaskCosts(db);
  const firstsOf = openFirstOfKind(db);

  function tasksOfRows(seqs: readonly number[], withSuperseded = false): ReadonlyMap<number, readonly SeenTask[]> {
    const tasks = selectTasks.all(JSON.stringify(seqs), withSuperseded ? 1 : 0);
    const outputs = groupBy(
      selectOutputs.all(JSON.stringify(tasks.map(({ id }) => id))),
      ({ task }) => task,
      (columns) => ({ ...fileOf(columns), ...saidOf(columns) }),
    );
    return groupBy(
      tasks,
      ({ row }) => row,
      (columns) => seenTask(columns, outputs.get(columns.id) ?? []),
    );
  }

  function cellsOfRows(seqs: readonly number[], { record, columns }: StoredBatch): ReadonlyMap<number, RowCells> {
    const problems = problemRecords.ofRows(seqs);
    return new Map(
      selectCells.all(JSON.stringify(seqs)).map(({ row, rest }) => {
        const counted = (problems.get(row) ?? []).filter((problem) => !isIgnored(problem, record.sheet.ignored));
        const named = counted.filter(({ column }) => column !== undefined);
        const { cells, edits } = JSON.parse(rest) as RowRest;
        return [row, { ...shownCells(columns.cells(cells), record.headers, edits), problems: named }];
      }),
    );
  }

  /**
   * The problem that each row shows. Instead of one that the user ignores, another problem of the row is shown, if
   * there is one.
   */
  function shownOfRows(rows: readonly RowColumns[]): ReadonlyMap<number, SheetProblem> {
    const own = rows.flatMap(({ seq, batch, problem }) =>
      problem === null
        ? []
        : { seq, problem: JSON.parse(problem) as SheetProblem, ignored: batches.bySeq(batch).record.sheet.ignored },
    );
    const shown = new Map(own.map(({ seq, problem }) => [seq, problem]));
    const away = own.filter(({ problem, ignored }) => isIgnored(problem, ignored));
    if (away.length === 0) return shown;
    const all = problemRecords.ofRows(away.map(({ seq }) => seq));
    for (const { seq, ignored } of away) {
      const other = shownProblem((all.get(seq) ?? []).filter((problem) => !isIgnored(problem, ignored)));
      if (other === undefined) shown.delete(seq);
      else shown.set(seq, other);
    }
    return shown;
  }

  /** The ids of drafts among the rows that these tasks wait for. */
  function draftsAwaited(batch: number | undefined, tasks: readonly SeenTask[]): ReadonlySet<string> {
    const awaited = tasks.flatMap(({ status, blockedBy }) => (status === 'queued' ? (blockedBy ?? []) : []));
    return new Set(batch === undefined || awaited.length === 0 ? [] : selectDrafts(batch, JSON.stringify(awaited)));
  }

  return {
    /**
     * The tasks of these rows in order of take, without documents and addresses; superseded ones included on request.
     */
    tasksOfRows,
    /** In the order of `seqs`; with their cells, if their batch is given. */
    bySeqs(seqs: readonly number[], withCells?: StoredBatch) {
      const rows = new Map(selectRows.all(JSON.stringify(seqs)).map((row) => [row.seq, row]));
      const tasks = tasksOfRows(seqs, true);
      const said = !db.hasColumn('rows', 'turn') ? [] : selectTurns.all(JSON.stringify(seqs));
      const turns = new Map(said.map((one) => [one.seq, turnOf(one.turn)]));
      const cells = withCells === undefined ? undefined : cellsOfRows(seqs, withCells);
      const shown = shownOfRows([...rows.values()]);
      // All of them belong to one batch.
      const batch = [...rows.values()][0]?.batch;
      const firsts = batch === undefined ? undefined : firstsOf.ofRows(batches.bySeq(batch), seqs);
      const counting = new Map([...tasks].map(([seq, ofRow]) => [seq, ofRow.filter((task) => !task.isSuperseded)]));
      const all = [...counting.values()].flat();
      const costs = costsOf(all.map(({ id }) => id));
      const drafts = draftsAwaited(batch, all);
      return seqs.flatMap((seq) => {
        const row = rows.get(seq);
        if (row === undefined) return [];
        const sheet = cells?.get(seq);
        const asksNothing = mayAskAgain(batches.bySeq(row.batch).record) ? {} : ({ asksNothing: true } as const);
        const viewed = {
          ...viewedRow(row, lines.lineOf(row)),
          ...asksNothing,
          ...present({ turn: turns.get(seq), problem: shown.get(seq) }),
        };
        const [ever = [], ofRow = []] = [tasks.get(seq), counting.get(seq)];
        const earlier = ever.filter((task) => task.isSuperseded);
        const cost = sumOfCosts(ofRow.flatMap(({ id }) => costs.get(id) ?? []));
        const view = viewOfRow(viewed, ofRow, earlierFiles(earlier));
        return {
          ...view,
          ...(drafts.has(view.waitsForRow ?? '') ? { waitsForDraft: true as const } : {}),
          ...present({ cost, waitsForFirst: firsts?.get(seq), sheet }),
          ...present({ keepsEarlier: keepsEarlier(row.request ?? undefined, ofRow, earlier) }),
        };
      });
    },
  };
}

/** The cells in the order of the headers, and which of them were cut or edited. */
function shownCells(
  cells: Row['cells'],
  headers: readonly string[],
  edits: RowEdits | undefined,
): Omit<RowCells, 'problems'> {
  const whole = cellTexts(cells, headers);
  const editedCells = edits === undefined ? [] : editedIn(edits, headers, whole);
  return {
    ...(editedCells.length > 0 && { editedCells }),
    cells: whole.map((cell) => (cell.length > CELL_SHOWN ? cutText(cell, CELL_SHOWN) : cell)),
    cutCells: whole.flatMap((cell, index) => (cell.length > CELL_SHOWN ? [index] : [])),
  };
}

/** Never cuts a character in two. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function viewedRow(columns: RowColumns, line: number): ViewedRow {
  const { row_id: id, operation, label, takes } = columns;
  return {
    key: columns.seq,
    id,
    line,
    operation: operation === '' ? undefined : operation,
    label,
    takes,
    idle: idleOf(columns),
  };
}

/** The row's idle status does not matter if it has tasks, unless the user has to release it. */
function idleOf({ status, draft }: RowColumns): IdleStatus {
  if (draft === 1) return 'draft';
  return status === 'skipped' ? 'skipped' : 'invalid';
}

function hasFile(tasks: readonly SeenTask[]): boolean {
  return tasks.some(({ outputs }) => outputs.some(({ state }) => state === 'verified'));
}

/**
 * The files of superseded tasks, which a row had before it was changed or rendered again, in order of take: the last
 * files of each take.
 */
function earlierFiles(tasks: readonly SeenTask[]): readonly RowFile[] {
  const last = new Map<number, SeenTask>();
  for (const task of tasks) if (hasFile([task])) last.set(task.take, task);
  return [...last.values()].flatMap((task) => verifiedFiles(task));
}

function seenTask(columns: ViewedTaskColumns, outputs: SeenTask['outputs']): SeenTask {
  const { id, take, operation, status, due_at: dueAt, blocked_by, task_code: taskCode } = columns;
  const { account, cancelWanted, onHold, failure, again, sameAddressAs, awaitsPick, madeAgain, askedAnew } =
    stateOfTask(columns);
  return {
    id,
    take,
    operation,
    isSuperseded: columns.superseded === 1,
    status,
    dueAt,
    cancelWanted,
    ...present({ taskCode }),
    ...timesOf(columns),
    ...present({
      account,
      onHold,
      failure,
      again,
      sameAddressAs,
      awaitsPick,
      madeAgain,
      askedAnew,
      blockedBy: blocked_by,
    }),
    outputs,
  };
}
