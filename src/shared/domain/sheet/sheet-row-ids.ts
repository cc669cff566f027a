import { domainWords } from '../../words/domain-words.ts';
import { quoteCell } from '../cells/cell-value.ts';
import type { SheetProblem } from './problems.ts';
import type { SheetLayout } from './sheet-columns.ts';
import { isBlank } from '../base/text.ts';
import type { RawSheet, SheetSource } from './sheet-raw.ts';

/** The ids of a sheet's rows, in the order of its lines; each occurs once. */
export interface RowIds {
  readonly ids: readonly string[];
  readonly problems: readonly SheetProblem[];
}

/** File names start with the id and must still have room for something after it. */
const LONGEST_ID = 100;
const SCIENTIFIC = /^\d(?:[.,]\d+)?E[+-]?\d+$/i;
const MONTH = 'jan|feb|mar|mrz|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez';
const DATE_OF_TEXT_FILES = new RegExp(
  `^(?:\\d{1,2}\\.?[-. ](?:${MONTH})[a-z]*(?:[-. ]\\d{2,4})?|(?:${MONTH})[a-z]*[-. ]\\d{2,4}|\\d{1,2}([/.])\\d{1,2}\\1\\d{2,4})$`,
  'i',
);
/** Dates in cells of workbooks come as ISO dates; in a text file the author more likely meant the same text. */
const DATE_OF_WORKBOOKS = /^\d{4}-\d{2}-\d{2}(?:T[\d:]+)?$/;

/**
 * Gives every record its id: the one in the column `row`, or one made from its line number. Of rows with the same id
 * (ignoring case and composition, because file systems differ in them) the first keeps it; the others get another id
 * and an error.
 */
export function nameRows(raw: RawSheet, layout: SheetLayout): RowIds {
  const column = layout.indexes.get('row');
  const given = raw.records.map((record) => {
    const cell = column === undefined ? undefined : record.cells[column];
    return cell === undefined || isBlank(cell) ? undefined : cell.trim();
  });
  // Only generated ids must avoid given ones.
  const wanted = new Set(given.includes(undefined) ? given.map((id) => foldRowId(id ?? '')) : []);
  const lineOf = new Map<string, number>();
  const problems: SheetProblem[] = [];
  const ids = raw.records.map(({ line }, index) => {
    const id = given[index];
    if (id === undefined) return madeId(line, wanted);
    const problem = lineOf.has(foldRowId(id))
      ? duplicateId(id, lineOf.get(foldRowId(id)) ?? 0)
      : checkId(id, raw.source.format);
    const isUsable = problem?.severity !== 'error';
    const own = isUsable ? id : madeId(line, wanted);
    if (isUsable) lineOf.set(foldRowId(id), line);
    if (problem) problems.push({ ...problem, line, row: own, column: 'row' });
    return own;
  });
  return { ids, problems };
}

/** Equal for ids that count as the same: case and the composition of letters make no difference. */
export function foldRowId(id: string): string {
  return id.normalize('NFC').toLowerCase();
}

/** An id for a row without one: `r0007` for line 7, or `r0007-2` if another row has that id. */
function madeId(line: number, wanted: ReadonlySet<string>): string {
  const base = `r${String(line).padStart(4, '0')}`;
  if (!wanted.has(base)) return base;
  let suffix = 2;
  while (wanted.has(`${base}-${suffix}`)) suffix++;
  return `${base}-${suffix}`;
}

export type IdProblem = Pick<SheetProblem, 'severity' | 'code' | 'message' | 'remedy'>;

/** What is wrong with an id that another row already has, which was on `line` when the sheet was read. */
export function duplicateId(id: string, line?: number): IdProblem {
  return {
    severity: 'error',
    code: 'row-id-duplicate',
    ...domainWords.problems.row.idUsed(quoteCell(id), line),
  };
}

/** What is wrong with an id by itself; `format` is that of the file it was read from, if any. */
export function checkId(id: string, format?: SheetSource['format']): IdProblem | undefined {
  if (id.length > LONGEST_ID) {
    return {
      severity: 'error',
      code: 'reserved-value',
      ...domainWords.problems.row.idLong(quoteCell(id), id.length, LONGEST_ID),
    };
  }
  if (/\p{Cc}/u.test(id)) {
    return {
      severity: 'error',
      code: 'reserved-value',
      ...domainWords.problems.row.idControls(quoteCell(id)),
    };
  }
  const isWorkbook = format === 'xlsx' || format === 'ods';
  const isDate = DATE_OF_TEXT_FILES.test(id) || (isWorkbook && DATE_OF_WORKBOOKS.test(id));
  if (!isDate && !SCIENTIFIC.test(id)) return undefined;
  return {
    severity: 'warning',
    code: 'row-id-mangled',
    ...domainWords.problems.row.idMangled(quoteCell(id), isDate ? 'date' : 'number'),
  };
}
