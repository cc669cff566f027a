import { groupBy } from '../base/result.ts';
import { domainWords } from '../../words/domain-words.ts';
import { isBlank } from '../base/text.ts';
import { quoteCell } from '../cells/cell-value.ts';
import type { CheckedRow } from './check-row.ts';
import { asFarAsUsed, namelessColumns, unusedColumns, withoutNamedColumns } from './unused-columns.ts';
import { duplicateRequests } from './duplicate-requests.ts';
import type { ExpandedSheet } from './expand-choices.ts';
import { operationColumnByCells } from './describe-columns.ts';
import { blockedRowIds, type CheckedSheet, type Row } from './row.ts';
import type { SheetProblem } from './problems.ts';
import type { SheetLayout } from './sheet-columns.ts';
import { createSheetChecker } from './sheet-checker.ts';
import type { CheckOptions, RowBeside, SheetChecker } from './sheet-checker.ts';
import { hideKey } from './sheet-key.ts';
import type { RawSheet } from './sheet-raw.ts';
import { checkChains, createRowFinder, linkRow } from './sheet-references.ts';
import { nameRows } from './sheet-row-ids.ts';

/**
 * Everything that can be checked about a sheet before anything is sent. An error without a line refuses the sheet, an
 * error with a row keeps that row from running, and a warning blocks nothing.
 */
export function checkSheet(sheet: RawSheet, options: CheckOptions = {}): CheckedSheet {
  const raw = options.keyFinder === undefined ? sheet : hideKey(sheet, options.keyFinder);
  const checker = createSheetChecker(raw.headers, options);
  const sheetProblems = [...raw.problems.filter((problem) => problem.line === undefined), ...checker.problems];
  const refused = (...more: readonly SheetProblem[]): CheckedSheet => ({
    headers: raw.headers,
    mapping: options.mapping,
    rows: [],
    problems: sortProblems([...sheetProblems, ...more]),
  });
  if (!checker.layout.indexes.has('operation') && options.defaultOperation === undefined) {
    const header = operationColumnByCells(raw, checker.layout);
    const withoutOperation = raw.records.filter(({ cells }) => cells.some((cell) => !isBlank(cell)));
    return { ...refused(...(header === undefined ? [] : [meansOperation(header)])), withoutOperation };
  }
  const named = options.choices === 'expand' ? checker.expandChoices(raw) : namedRows(raw, checker);
  const tooMany = named.problems.filter((problem) => problem.line === undefined);
  if (tooMany.length > 0) return refused(...tooMany);
  const checked = checkRecords(named, checker);
  if (checked === undefined) return refused(tooMuchText());
  const { beside = [] } = options;
  const { rows, problems: unlinked } = linkRows(checked, checker.layout, beside);
  const own = [
    ...withoutNamedColumns(sheetProblems, checked, checker.layout),
    ...namelessColumns(raw.records, checker.layout),
    ...named.problems.filter((problem) => problem.row !== undefined),
    ...problemsOfLines([...raw.problems, ...named.problems], checked, checker.layout),
    ...withoutThoseOfBrokenCells(checked, raw.problems),
    ...unusedColumns(checked, checker.layout),
    ...unlinked,
  ];
  const single = [...own, ...chainProblems(rows, own, checker.layout, beside)];
  const blocked = blockedRowIds({ problems: single });
  const problems = [...single, ...duplicateRequests(rows, blocked, checker, options.prices)];
  const { headers } = raw;
  const { mapping } = options;
  return { headers, mapping, rows, problems: sortProblems(problems), unusedCells: unusedCellsOf(checked) };
}

/** By row id: indexes of cells that the row's operation does not use. */
export function unusedCellsOf(checked: readonly CheckedRow[]): ReadonlyMap<string, readonly number[]> {
  return new Map(checked.flatMap((one) => (one.unusedCells.length === 0 ? [] : [[one.row.id, one.unusedCells]])));
}

function namedRows(raw: RawSheet, { layout }: SheetChecker): ExpandedSheet {
  return { records: raw.records, ...nameRows(raw, layout) };
}

function meansOperation(header: string): SheetProblem {
  return {
    severity: 'warning',
    code: 'header-matched',
    column: header,
    ...domainWords.problems.header.meansOperation(quoteCell(header), header),
  };
}

/** As much text as a sheet's file may hold: a few long cells that are put into many others make much more. */
const MOST_COMPOSED_CHARACTERS = 200 * 1024 * 1024;

/** The checked rows; undefined if what their cells put in is more than a sheet may hold. */
function checkRecords({ records, ids }: ExpandedSheet, checker: SheetChecker): readonly CheckedRow[] | undefined {
  const checked: CheckedRow[] = [];
  let composed = 0;
  for (const [index, record] of records.entries()) {
    const row = checker.checkRecord(record, ids[index] ?? '');
    composed += row.composed;
    if (composed > MOST_COMPOSED_CHARACTERS) return undefined;
    checked.push(row);
  }
  return checked;
}

function tooMuchText(): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.sheet.muchText(MOST_COMPOSED_CHARACTERS / 1024 / 1024),
  };
}

/** The rows with the exact ids of the rows that they refer to. */
function linkRows(
  checked: readonly CheckedRow[],
  layout: SheetLayout,
  beside: readonly RowBeside[],
): {
  readonly rows: readonly Row[];
  readonly problems: readonly SheetProblem[];
} {
  if (checked.every(({ row }) => row.links === undefined)) return { rows: checked.map(({ row }) => row), problems: [] };
  const finder = createRowFinder([...checked, ...beside].map(({ row }) => row.id));
  const linked = checked.map(({ row }) => linkRow(row, finder, layout));
  return { rows: linked.map(({ row }) => row), problems: linked.flatMap(({ problems }) => problems) };
}

function chainProblems(
  rows: readonly Row[],
  problems: readonly SheetProblem[],
  layout: SheetLayout,
  beside: readonly RowBeside[],
): readonly SheetProblem[] {
  const blocked = blockedRowIds({ problems });
  if (beside.length === 0) return checkChains(rows, blocked, layout);
  const others = new Set(beside.map(({ row }) => row.id));
  const blockedBeside = beside.flatMap(({ row, isBlocked }) => (isBlocked ? row.id : []));
  const all = [...rows, ...beside.map(({ row }) => row)];
  const found = checkChains(all, new Set([...blocked, ...blockedBeside]), layout);
  return found.filter(({ row }) => row === undefined || !others.has(row));
}

/** Problems that were found on a line, once for each row on that line. */
function problemsOfLines(
  problems: readonly SheetProblem[],
  checked: readonly CheckedRow[],
  layout: SheetLayout,
): SheetProblem[] {
  const onLines = problems.filter((problem) => problem.line !== undefined && problem.row === undefined);
  if (onLines.length === 0) return [];
  const rowsOf = groupBy(checked, ({ row }) => row.line);
  return onLines.flatMap((problem) => {
    const found = rowsOf.get(problem.line ?? 0);
    if (!found) return [problem];
    const asked = found.filter(({ row }) => !row.skip);
    return asked.map((one) => ({ ...asFarAsUsed(problem, one, layout), row: one.row.id }));
  });
}

/** What the checks say about unreadable cells would only repeat it in other words. */
function withoutThoseOfBrokenCells(checked: readonly CheckedRow[], read: readonly SheetProblem[]): SheetProblem[] {
  const placeOf = (problem: SheetProblem): string => `${problem.line} ${problem.column}`;
  const broken = new Set(read.filter((problem) => problem.severity === 'error').map(placeOf));
  const problems = checked.flatMap((row) => row.problems);
  return broken.size === 0 ? problems : problems.filter((problem) => !broken.has(placeOf(problem)));
}

/** Problems of the whole sheet first, then line by line; errors before warnings of the same line. */
function sortProblems(problems: readonly SheetProblem[]): SheetProblem[] {
  return problems.toSorted((a, b) => {
    if (a.line !== b.line) return (a.line ?? 0) - (b.line ?? 0);
    return a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1;
  });
}
