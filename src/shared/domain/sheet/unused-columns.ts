import { domainWords } from '../../words/domain-words.ts';
import { isBlank } from '../base/text.ts';
import type { CheckedRow } from './check-row.ts';
import { kindredOf } from './column-synonyms.ts';
import { quoteCell } from '../cells/cell-value.ts';
import { nearestName } from '../base/nearest-name.ts';
import { columnsOf, operationOf } from '../operations/operations.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { Row } from './row.ts';
import type { SheetProblem } from './problems.ts';
import { letterOf } from './sheet-columns.ts';
import type { SheetLayout } from './sheet-columns.ts';
import type { RawRecord } from './sheet-raw.ts';

/** How many lines a message names before it says “and more”. */
const NAMED_LINES = 5;

/** A warning for each column that has cells but no header. */
export function namelessColumns(records: readonly RawRecord[], layout: SheetLayout): SheetProblem[] {
  return layout.nameless.flatMap((index) => {
    const lines = records.filter((record) => !isBlank(record.cells[index])).map((record) => record.line);
    if (lines.length === 0) return [];
    return {
      severity: 'warning',
      code: 'header-missing',
      column: letterOf(index + 1),
      ...domainWords.problems.header.missing(letterOf(index + 1), nameLines(lines)),
    };
  });
}

/** The indexes of the columns that cells of these rows put in by name. */
function namedCells(checked: readonly CheckedRow[]): ReadonlySet<number> {
  return new Set(checked.flatMap((row) => row.namedCells));
}

/** The problems of the header line, except for unknown columns that cells put in by name. */
export function withoutNamedColumns(
  problems: readonly SheetProblem[],
  checked: readonly CheckedRow[],
  layout: SheetLayout,
): SheetProblem[] {
  const headers = new Set([...namedCells(checked)].map((index) => (layout.headers[index] ?? '').trim()));
  return problems.filter(({ code, column }) => code !== 'unknown-column' || !headers.has(column ?? ''));
}

/** One warning for each column that rows fill in although their operation does not use it. */
export function unusedColumns(checked: readonly CheckedRow[], layout: SheetLayout): SheetProblem[] {
  const named = namedCells(checked);
  const found = new Map<OperationPath, Map<number, Row[]>>();
  for (const { row, unusedCells } of checked) {
    if (row.operation === undefined || unusedCells.length === 0) continue;
    const columns = found.get(row.operation) ?? new Map<number, Row[]>();
    found.set(row.operation, columns);
    for (const index of unusedCells) {
      if (named.has(index)) continue;
      const rows = columns.get(index);
      if (rows) rows.push(row);
      else columns.set(index, [row]);
    }
  }
  return [...found].flatMap(([operation, columns]) =>
    [...columns].map(([index, rows]) => unusedColumn(layout, index, operation, rows)),
  );
}

/** The warning about a column that rows of an operation fill in for nothing. */
export function unusedColumn(
  layout: SheetLayout,
  index: number,
  path: OperationPath,
  rows: readonly Pick<Row, 'id' | 'line'>[],
): SheetProblem {
  const header = (layout.headers[index] ?? '').trim();
  const operation = operationOf(path);
  const own = columnsOf(operation).map((column) => column.column);
  const nearest = nearestName(header, own) ?? kindredOf(header).find((name) => own.includes(name));
  const lines = nameLines(rows.map((row) => row.line));
  const [first] = rows;
  const single = rows.length === 1 && first ? { line: first.line, row: first.id } : {};
  return {
    severity: 'warning',
    code: 'unused-column',
    ...single,
    column: header,
    ...domainWords.problems.header.unused(
      operation.short,
      quoteCell(header),
      lines,
      nearest && quoteCell(nearest),
      own,
    ),
  };
}

/**
 * A formula without a value keeps its row from running only if something of the cell would be sent: in a column that is
 * nobody's but the author's, such as a budget, it is a warning. Which columns are sent may change later.
 */
export function asFarAsUsed(
  problem: SheetProblem,
  { unusedCells, namedCells: named }: Pick<CheckedRow, 'unusedCells' | 'namedCells'>,
  { headers, indexes }: SheetLayout,
): SheetProblem {
  const { code, column } = problem;
  if (code !== 'value-formula' || column === undefined) return problem;
  const index = headers.findIndex((header) => header.trim() === column.trim());
  const isSent = [...indexes].some(([name, at]) => at === index && name !== 'note') && !unusedCells.includes(index);
  return { ...problem, severity: isSent || named.includes(index) ? 'error' : 'warning' };
}

function nameLines(lines: readonly number[]): string {
  // Several rows may be on one line.
  const own = lines.filter((line, index) => line !== lines[index - 1]);
  return domainWords.problems.header.lines(lines.length, own.slice(0, NAMED_LINES), own.length - NAMED_LINES);
}
