import type { CheckedRow } from './check-row.ts';
import { quoteCell } from './cell-value.ts';
import { columnsOf, OPERATIONS } from './operations.ts';
import type { OperationPath } from './operations.ts';
import { nearestName } from './nearest-name.ts';
import type { CheckedSheet, Row, SheetProblem } from './row.ts';
import { createSheetChecker, requestText } from './sheet-checker.ts';
import type { CheckOptions, SheetChecker } from './sheet-checker.ts';
import { hideKey } from './sheet-key.ts';
import { letterOf } from './sheet-columns.ts';
import type { SheetLayout } from './sheet-columns.ts';
import { nameRows } from './sheet-row-ids.ts';
import { isBlank } from './sheet-raw.ts';
import type { RawRecord, RawSheet } from './sheet-raw.ts';

/** How many lines a message names before it says “and more”. */
const NAMED_LINES = 5;

/**
 * Everything that can be known to be right or wrong about a sheet before anything is sent. An error without a line
 * refuses the sheet, an error with a row keeps that row from running, and a warning keeps nothing.
 */
export function checkSheet(sheet: RawSheet, { key, ...options }: CheckOptions = {}): CheckedSheet {
  const raw = key ? hideKey(sheet, key) : sheet;
  const checker = createSheetChecker(raw.headers, options);
  const { layout } = checker;
  const sheetProblems = [...raw.problems.filter((problem) => problem.line === undefined), ...checker.problems];
  if (!layout.indexes.has('operation') && options.defaultOperation === undefined) {
    return { headers: raw.headers, rows: [], problems: sortProblems(sheetProblems) };
  }
  const ids = nameRows(raw, layout);
  const checked = raw.records.map((record, index) => checker.checkRecord(record, ids.ids[index] ?? ''));
  const problems = [
    ...sheetProblems,
    ...namelessColumns(raw.records, layout),
    ...ids.problems,
    ...problemsOfLines(raw.problems, checked),
    ...withoutThoseOfBrokenCells(checked, raw.problems),
    ...unusedColumns(checked, layout),
  ];
  problems.push(...duplicateRequests(checked, problems, checker));
  return { headers: raw.headers, rows: checked.map((one) => one.row), problems: sortProblems(problems) };
}

/** Problems that the reader found on a line, with the id of the row that is on it. */
function problemsOfLines(problems: readonly SheetProblem[], checked: readonly CheckedRow[]): SheetProblem[] {
  const onLines = problems.filter((problem) => problem.line !== undefined);
  if (onLines.length === 0) return [];
  const rows = new Map(checked.map(({ row }) => [row.line, row]));
  return onLines.flatMap((problem) => {
    const row = rows.get(problem.line ?? 0);
    if (!row) return [problem];
    return row.skip ? [] : [{ ...problem, row: row.id }];
  });
}

/** What the checks say about cells that could not even be read would only repeat it in other words. */
function withoutThoseOfBrokenCells(checked: readonly CheckedRow[], read: readonly SheetProblem[]): SheetProblem[] {
  const placeOf = (problem: SheetProblem): string => `${problem.line} ${problem.column}`;
  const broken = new Set(read.filter((problem) => problem.severity === 'error').map(placeOf));
  const problems = checked.flatMap((row) => row.problems);
  return broken.size === 0 ? problems : problems.filter((problem) => !broken.has(placeOf(problem)));
}

function namelessColumns(records: readonly RawRecord[], layout: SheetLayout): SheetProblem[] {
  return layout.nameless.flatMap((index) => {
    const lines = records.filter((record) => !isBlank(record.cells[index])).map((record) => record.line);
    if (lines.length === 0) return [];
    return {
      severity: 'warning',
      code: 'header-missing',
      column: letterOf(index + 1),
      message: `Column ${letterOf(index + 1)} has no header, so its cells are not sent: ${nameLines(lines)}.`,
      remedy: 'Give it a header if it should be sent.',
    };
  });
}

/** One warning for each column that rows fill in although their operation has no use for it. */
function unusedColumns(checked: readonly CheckedRow[], layout: SheetLayout): SheetProblem[] {
  const found = new Map<string, { index: number; operation: OperationPath; rows: Row[] }>();
  for (const { row, unusedCells } of checked) {
    for (const index of unusedCells) {
      if (row.operation === undefined) continue;
      const key = `${index} ${row.operation}`;
      const entry = found.get(key) ?? { index, operation: row.operation, rows: [] };
      entry.rows.push(row);
      found.set(key, entry);
    }
  }
  return [...found.values()].map(({ index, operation: path, rows }) => unusedColumn(layout, index, path, rows));
}

function unusedColumn(layout: SheetLayout, index: number, path: OperationPath, rows: readonly Row[]): SheetProblem {
  const header = (layout.headers[index] ?? '').trim();
  const operation = OPERATIONS.find((known) => known.path === path);
  const own = operation ? columnsOf(operation).map((column) => column.column) : [];
  const nearest = nearestName(header, own);
  const [first] = rows;
  const single = rows.length === 1 && first ? { line: first.line, row: first.id } : {};
  return {
    severity: 'warning',
    code: 'unused-column',
    ...single,
    column: header,
    message: `“${operation?.short ?? path}” has no field ${quoteCell(header)}, so it is not sent: ${nameLines(rows.map((row) => row.line))}.`,
    remedy: nearest
      ? `Use the column ${quoteCell(nearest)} instead, or clear these cells.`
      : `Clear these cells, or check the operation. The fields of “${operation?.short ?? path}” are ${own.join(', ')}.`,
  };
}

function nameLines(lines: readonly number[]): string {
  const named = lines.slice(0, NAMED_LINES).join(', ');
  if (lines.length === 1) return `line ${named}`;
  const more = lines.length - NAMED_LINES;
  return `${lines.length} rows, lines ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Rows that would ask the gateway for exactly the same as an earlier row, and be charged for it again. */
function duplicateRequests(
  checked: readonly CheckedRow[],
  problems: readonly SheetProblem[],
  checker: SheetChecker,
): SheetProblem[] {
  const blocked = new Set(problems.flatMap((p) => (p.severity === 'error' && p.row !== undefined ? [p.row] : [])));
  const firsts = new FirstRequests(checker);
  const groups = new Map<Row, Row[]>();
  for (const { row } of checked) {
    if (row.skip || row.operation === undefined || blocked.has(row.id)) continue;
    const first = firsts.of(row);
    const group = groups.get(first);
    if (group) group.push(row);
    else if (first !== row) groups.set(first, [first, row]);
  }
  return [...groups.values()].flatMap((rows) => {
    const second = rows[1];
    if (!second) return [];
    const names = rows.slice(0, NAMED_LINES).map((row) => `${quoteCell(row.id)} (line ${row.line})`);
    const more = rows.length - names.length;
    return {
      severity: 'warning',
      code: 'duplicate-request',
      line: second.line,
      row: second.id,
      message: `The rows ${names.join(' and ')}${more > 0 ? ` and ${more} more` : ''} ask for exactly the same; it would be paid ${rows.length === 2 ? 'twice' : `${rows.length} times`}.`,
      remedy: 'If you want several versions, keep one row and set its “takes”; otherwise delete the others.',
    };
  });
}

/** Finds the first row with a request. It keeps a number for each request, not its text: there may be a million of them. */
class FirstRequests {
  readonly #checker: SheetChecker;
  readonly #byHash = new Map<number, Row>();
  /** The rest, where two different requests have the same number. */
  readonly #byText = new Map<string, Row>();

  constructor(checker: SheetChecker) {
    this.#checker = checker;
  }

  /** The first row that asked for the same as this one; this one where it is the first. */
  of(row: Row): Row {
    const hash = this.#checker.requestKey(row);
    const first = this.#byHash.get(hash);
    if (first === undefined) {
      this.#byHash.set(hash, row);
      return row;
    }
    const request = requestText(row);
    if (requestText(first) === request) return first;
    const known = this.#byText.get(request) ?? row;
    this.#byText.set(request, known);
    return known;
  }
}

/** Problems of the whole sheet first, then line by line; errors before warnings of the same line. */
function sortProblems(problems: readonly SheetProblem[]): SheetProblem[] {
  return problems.toSorted((a, b) => {
    if (a.line !== b.line) return (a.line ?? 0) - (b.line ?? 0);
    return a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1;
  });
}
