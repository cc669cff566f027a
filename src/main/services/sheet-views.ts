/** A checked sheet, as the window may see it. */
import type { NamedFile, TaskReader } from '../../engine/index.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { describeColumns } from '../../shared/domain/sheet/describe-columns.ts';
import { foldName } from '../../shared/domain/base/nearest-name.ts';
import { OPERATION_PATHS, type OperationPath } from '../../shared/domain/operations/operations.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { placeText, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { blockedRowIds, isSheetRefused, type CheckedSheet, costsOf } from '../../shared/domain/sheet/row.ts';
import { countIgnored, groupSameProblems, isIgnored, type SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import { fillVariables, namesInCells } from '../../shared/domain/sheet/sheet-names.ts';
import {
  TEXT_ENCODINGS,
  type LineStart,
  type RawSheet,
  type SheetSource,
} from '../../shared/domain/sheet/sheet-raw.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import type { SheetBeginning, SheetView } from '../../shared/ipc/opening.ts';
import { placeIdOf, type KeptMappings } from './remembered-sheets.ts';

const PROBLEMS_SHOWN = 500;
const PREVIEW_ROWS = 50;
const PREVIEW_CELL_CHARACTERS = 300;
const PREVIEW_BODY_CHARACTERS = 4_000;
/** By this much, the author of a file knows a line again. */
const LINE_CHARACTERS = 60;

/**
 * An earlier batch from the same file, if any. A rehearsal is named only if nothing was paid for, and one that never
 * started only if nothing was sent.
 */
export async function earlierBatch(
  store: Pick<TaskReader, 'batches'>,
  sheetPath: string,
): Promise<BatchRecord | undefined> {
  const same = (await store.batches()).filter((batch) => batch.sheetPath === sheetPath);
  const started = same.filter(({ state }) => state !== 'ready');
  const candidates = started.length > 0 ? started : same;
  return candidates.findLast((batch) => !batch.settings.rehearsal) ?? candidates.at(-1);
}

/** How the cells of a sheet are read, as its user chose. */
export type Understanding = Omit<RouteInput<'sheet.interpret'>, 'sheetId'>;

/**
 * Where an open sheet came from: a file can be read again in another way, a pasted table cannot. A sample that comes
 * with the application is not a file of the user's: nothing is ever written beside it.
 */
export type Origin = { readonly kind: 'file' | 'sample'; readonly path: string } | { readonly kind: 'table' };

/** What main knows and the interpretation of a sheet needs. */
export interface SheetContext {
  readonly prices?: Profile['prices'] | undefined;
  readonly kept?: KeptMappings | undefined;
}

/** A sheet that is open but not yet a batch. */
export interface OpenedSheet {
  readonly name: string;
  readonly origin: Origin;
  /** The sheet, or the problem that refuses the whole file. */
  readonly raw: Result<RawSheet, SheetProblem>;
  /** How the file was read, even if its last reading was refused. */
  readonly source: SheetSource | undefined;
  /** How the first lines begin, as the last reading that was not refused found them. */
  readonly firstLines?: readonly LineStart[] | undefined;
  readonly context: SheetContext;
  readonly understanding: Understanding;
  readonly isMappingKept: boolean;
  /** Headers of the mapping that are known only by their cells: the user has not confirmed them. */
  readonly guessed: readonly string[];
  /** Names of the lists that existed when it was checked. */
  readonly listNames: readonly string[];
  readonly checked: CheckedSheet;
  /** Where files of this computer that its cells name are put, and which of them were found to be suitable. */
  readonly filesPlace?: FilesPlace | undefined;
  readonly localFiles?: readonly NamedFile[];
}

/** The sheet before it becomes a batch: what would run, what is wrong, and a preview of it. */
export function toSheetView(sheetId: string, open: OpenedSheet, earlier: BatchRecord | undefined): SheetView {
  const { checked: sheet, isMappingKept, context } = open;
  const blocked = blockedRowIds(sheet);
  const wanted = sheet.rows.filter((row) => !row.skip);
  const runnable = isSheetRefused(sheet)
    ? []
    : wanted.filter((row) => !blocked.has(row.id) && row.operation !== undefined);
  const operations = OPERATION_PATHS.map((operation) => {
    const rows = runnable.filter((row) => row.operation === operation);
    return { operation, rows: rows.length, submits: submitsOf(rows) };
  });
  // Errors first: they keep rows from running, and the list is cut.
  const errors = sheet.problems.filter((problem) => problem.severity === 'error');
  const { ignored } = open.understanding;
  const warnings = sheet.problems.filter((problem) => problem.severity === 'warning' && !isIgnored(problem, ignored));
  const longRows = countLongRows(sheet, runnable);
  const { costs, takesWithoutPrice } = costsOf(runnable, context.prices);
  return {
    sheetId,
    ...placeOf(open),
    ...readingOf(open),
    earlier: earlier && earlierView(earlier),
    ...meaningOf(open),
    isMappingKept,
    rowCount: sheet.rows.length,
    rowsWithoutOperation: sheet.withoutOperation?.length,
    runnableRows: runnable.length,
    skippedRows: sheet.rows.length - wanted.length,
    submits: submitsOf(runnable),
    cost: costs,
    submitsWithoutPrice: takesWithoutPrice,
    operations: operations.filter((operation) => operation.rows > 0),
    filesPlace: open.filesPlace && placeText(open.filesPlace),
    localFiles: localFilesSum(open.localFiles),
    errorCount: errors.length,
    warningCount: warnings.length,
    ignored: [...countIgnored(sheet.problems, ignored)],
    longRows: longRows === 0 ? undefined : longRows,
    problems: groupSameProblems([...errors, ...warnings])
      .slice(0, PROBLEMS_SHOWN)
      .map(({ problem, count, lines }) => ({ ...problem, count, lines })),
    preview: previewOf(open),
  };
}

/** Counts each file once, however many rows name it; undefined if there are none. */
export function localFilesSum(files: readonly NamedFile[] = []): SheetView['localFiles'] {
  if (files.length === 0) return undefined;
  const bytes = new Map(files.map((file) => [file.path, file.bytes]));
  return { count: bytes.size, bytes: [...bytes.values()].reduce((sum, one) => sum + one, 0) };
}

/** What the first rows of a file show while the rest of it is being read. `open` holds only these rows. */
export function toSheetBeginning(sheetId: string, open: OpenedSheet, earlier: BatchRecord | undefined): SheetBeginning {
  const { isMappingKept } = open;
  const { choiceCells: _, expandedRows: __, ...meaning } = meaningOf(open);
  return {
    sheetId,
    ...placeOf(open),
    ...readingOf(open),
    earlier: earlier && earlierView(earlier),
    ...meaning,
    isMappingKept,
    preview: previewOf(open),
  };
}

function placeOf({ name, origin }: OpenedSheet): Pick<SheetView, 'name' | 'recentId'> {
  return { name, recentId: origin.kind === 'file' ? placeIdOf(origin.path) : undefined };
}

function readingOf({
  source,
  firstLines,
}: OpenedSheet): Pick<
  SheetView,
  'format' | 'encoding' | 'delimiter' | 'sheets' | 'sheet' | 'headerLine' | 'firstLines'
> {
  const { format = '', delimiter, sheet, sheets, headerLine } = source ?? {};
  const encoding = TEXT_ENCODINGS.find((known) => known === source?.encoding);
  const lines = firstLines?.map(({ line, text }) => ({ line, text: text.slice(0, LINE_CHARACTERS) }));
  return { format, encoding, delimiter, sheet, sheets, headerLine, firstLines: lines };
}

/** What its columns, and the names in its cells, are taken to mean. */
function meaningOf({ raw, checked, understanding, listNames, guessed }: OpenedSheet) {
  const { mapping, defaultOperation, corrections, choices, accounts } = understanding;
  const { headers, records } = raw.ok ? raw.value : { headers: [], records: [] };
  const { rows, problems } = checked;
  // If every choice is its own row, rows and lines are no longer the same.
  const isLineByLine = rows.length === records.length;
  const operationAt = (index: number): OperationPath | undefined => (isLineByLine ? rows[index]?.operation : undefined);
  const names = namesInCells({ records }, layOutColumns(headers, mapping), operationAt);
  const known = new Set(listNames.map(foldName));
  const nameless = problems.some(({ code }) => code === 'no-operation-column' || code === 'operation-missing');
  return {
    columns: describeColumns(headers, mapping).map((column) =>
      guessed.includes(column.header) ? { ...column, how: 'synonym' as const } : column,
    ),
    defaultOperation,
    corrections,
    accounts,
    needsOperation: nameless && defaultOperation === undefined,
    variables: variablesOf(names.variables, understanding.variables),
    lists: names.lists.map((list) => ({ name: list, isThere: known.has(foldName(list)) })),
    choices,
    choiceCells: names.choiceCells,
    expandedRows: choices === 'expand' ? rows.length : names.expandedRows,
  };
}

/** The variables that cells name, with the given values; one without a value is empty. */
function variablesOf(named: readonly string[], values: Understanding['variables']): Record<string, string> {
  return Object.fromEntries([...named.map((name) => [name, ''] as const), ...Object.entries(values)]);
}

function earlierView({ id, name, createdAt, settings, state }: BatchRecord): NonNullable<SheetView['earlier']> {
  return { batchId: id, name, createdAt, rehearsal: settings.rehearsal, isStarted: state !== 'ready' };
}

/** Counted over all problems: the list shown may be cut before the first of these. */
function countLongRows(sheet: CheckedSheet, runnable: readonly { readonly id: string }[]): number {
  const long = new Set(sheet.problems.filter(({ code }) => code === 'value-long').map(({ row }) => row));
  return runnable.filter(({ id }) => long.has(id)).length;
}

function submitsOf(rows: readonly { readonly takes: number }[]): number {
  return rows.reduce((sum, row) => sum + row.takes, 0);
}

/** The first rows as they are in the sheet, with the values of variables put in. */
function previewOf({ checked: sheet, understanding }: OpenedSheet): SheetView['preview'] {
  const { headers, withoutOperation } = sheet;
  // A value with the key in it is not put in anywhere: what is wrong is said.
  const holdsKey = sheet.problems.some(({ code }) => code === 'contains-key');
  const variables = holdsKey ? {} : understanding.variables;
  const fill = fillVariables(layOutColumns(headers, understanding.mapping), variables);
  if (withoutOperation !== undefined) {
    // Only somebody who sees its lines can say what its columns are, and whether its letters are right.
    const shown = withoutOperation.slice(0, PREVIEW_ROWS);
    const rows = shown.map(({ cells }) => headers.map((_, index) => shorten(fill(cells[index] ?? '', index))));
    return { headers, rows, bodies: shown.map(() => '') };
  }
  const rows = sheet.rows
    .slice(0, PREVIEW_ROWS)
    .map((row) => headers.map((header, index) => shorten(fill(ownCell(row.cells, header), index))));
  const bodies = sheet.rows.slice(0, PREVIEW_ROWS).map((row) => {
    const body = row.operation === undefined ? '' : JSON.stringify(row.body, undefined, 2);
    return body.length <= PREVIEW_BODY_CHARACTERS ? body : `${body.slice(0, PREVIEW_BODY_CHARACTERS - 1)}…`;
  });
  return { headers, rows, bodies };
}

function ownCell(cells: Readonly<Record<string, string>>, header: string): string {
  return (Object.hasOwn(cells, header) ? cells[header] : undefined) ?? '';
}

function shorten(cell: string): string {
  return cell.length <= PREVIEW_CELL_CHARACTERS ? cell : `${cell.slice(0, PREVIEW_CELL_CHARACTERS - 1)}…`;
}
