/** A checked sheet, as the window may see it. */
import type { TaskStore } from '../engine/ports.ts';
import type { BatchRecord } from '../shared/domain/batch.ts';
import { OPERATION_PATHS } from '../shared/domain/operations.ts';
import { blockedRowIds, isSheetRefused, type CheckedSheet, type SheetProblem } from '../shared/domain/row.ts';
import { TEXT_ENCODINGS } from '../shared/domain/sheet-raw.ts';
import type { ProblemView, SheetView } from '../shared/ipc/views.ts';

const PROBLEMS_SHOWN = 500;
const PREVIEW_ROWS = 50;
const PREVIEW_CELL_CHARACTERS = 300;

export function problemView(problem: SheetProblem): ProblemView {
  const { severity, code, line, row, column, message, remedy } = problem;
  return {
    severity,
    code,
    ...(line === undefined ? {} : { line }),
    ...(row === undefined ? {} : { row }),
    ...(column === undefined ? {} : { column }),
    message,
    remedy,
  };
}

/** The batch that was made of a file before, if any. A rehearsal is named only where nothing was paid for. */
export function earlierBatch(store: Pick<TaskStore, 'batches'>, sheetPath: string): BatchRecord | undefined {
  const same = store.batches().filter((batch) => batch.sheetPath === sheetPath);
  return same.findLast((batch) => !batch.settings.rehearsal) ?? same.at(-1);
}

/** What a sheet is besides its rows. */
export interface AboutSheet {
  readonly sheetId: string;
  readonly name: string;
  readonly format: string;
  /** What a text file was read as. */
  readonly encoding: string | undefined;
  readonly earlier: BatchRecord | undefined;
}

/** The sheet before it becomes a batch: what would run, what is wrong, and a look at it. */
export function sheetView(sheet: CheckedSheet, { sheetId, name, format, ...about }: AboutSheet): SheetView {
  const encoding = TEXT_ENCODINGS.find((known) => known === about.encoding);
  const blocked = blockedRowIds(sheet);
  const isRefused = isSheetRefused(sheet);
  const wanted = sheet.rows.filter((row) => !row.skip);
  const runnable = isRefused ? [] : wanted.filter((row) => !blocked.has(row.id) && row.operation !== undefined);
  const operations = OPERATION_PATHS.map((operation) => {
    const rows = runnable.filter((row) => row.operation === operation);
    return { operation, rows: rows.length, submits: submitsOf(rows) };
  });
  // Errors first: they are what keeps rows from running, and the list is cut.
  const errors = sheet.problems.filter((problem) => problem.severity === 'error');
  const warnings = sheet.problems.filter((problem) => problem.severity === 'warning');
  const longRows = countLongRows(sheet, runnable);
  return {
    sheetId,
    name,
    format,
    ...(encoding === undefined ? {} : { encoding }),
    ...(about.earlier === undefined ? {} : { earlier: earlierView(about.earlier) }),
    rowCount: sheet.rows.length,
    runnableRows: runnable.length,
    skippedRows: sheet.rows.length - wanted.length,
    submits: submitsOf(runnable),
    operations: operations.filter((operation) => operation.rows > 0),
    errorCount: errors.length,
    warningCount: warnings.length,
    ...(longRows === 0 ? {} : { longRows }),
    problems: [...errors, ...warnings].slice(0, PROBLEMS_SHOWN).map(problemView),
    preview: previewOf(sheet),
    columns: [],
    needsOperation: false,
    variables: {},
    choices: 'draw',
    choiceCells: 0,
    isMappingKept: false,
    cost: [],
  };
}

function earlierView({ id, name, createdAt, settings }: BatchRecord): NonNullable<SheetView['earlier']> {
  return { batchId: id, name, createdAt, rehearsal: settings.rehearsal };
}

/** Counted from all problems: those that are shown may be cut before the first of these. */
function countLongRows(sheet: CheckedSheet, runnable: readonly { readonly id: string }[]): number {
  const long = new Set(sheet.problems.filter(({ code }) => code === 'value-long').map(({ row }) => row));
  return runnable.filter(({ id }) => long.has(id)).length;
}

function submitsOf(rows: readonly { readonly takes: number }[]): number {
  return rows.reduce((sum, row) => sum + row.takes, 0);
}

function previewOf(sheet: CheckedSheet): SheetView['preview'] {
  const { headers } = sheet;
  const rows = sheet.rows
    .slice(0, PREVIEW_ROWS)
    .map((row) => headers.map((header) => shorten(Object.hasOwn(row.cells, header) ? row.cells[header] : '')));
  return { headers: [...headers], rows };
}

function shorten(cell = ''): string {
  return cell.length <= PREVIEW_CELL_CHARACTERS ? cell : `${cell.slice(0, PREVIEW_CELL_CHARACTERS - 1)}…`;
}
