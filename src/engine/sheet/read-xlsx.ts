import { quoteCell } from '../../shared/domain/cell-value.ts';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { letterOf } from '../../shared/domain/sheet-columns.ts';
import { unsupported } from './detect-format.ts';
import type { TableText, TakeLine } from './table-text.ts';
import { readCells } from './xlsx-cells.ts';
import type { CellNotice, SheetCells } from './xlsx-cells.ts';
import { readWorkbook } from './xlsx-workbook.ts';
import type { Workbook, WorkbookSheet } from './xlsx-workbook.ts';
import { damagedArchive, openZip } from './zip-archive.ts';
import type { ZipArchive } from './zip-archive.ts';

export const MOST_INFLATED_BYTES = 200 * 1024 * 1024;
const NAMED_LINES = 10;

/**
 * Reads one sheet of an XLSX workbook as text. No formula is computed, no macro run, no link followed.
 * @param wanted The name of the sheet; undefined for the first one that is visible.
 */
export function readXlsx(bytes: Buffer, wanted: string | undefined, take: TakeLine): Result<TableText, SheetProblem> {
  const zip = openZip(bytes, MOST_INFLATED_BYTES);
  if (!zip.ok) return zip;
  const other = explainOtherArchive(zip.value);
  if (other) return err(other);
  const workbook = readWorkbook(zip.value);
  if (!workbook.ok) return workbook;
  const sheet = chooseSheet(workbook.value, wanted);
  if (!sheet.ok) return sheet;
  const content = zip.value.read(sheet.value.part);
  if (!content.ok) return content;
  if (!content.value) return err(damagedArchive(`${sheet.value.part} is missing from it`));
  const cells = readCells(sheet.value.part, content.value, workbook.value);
  if (!cells.ok) return cells;
  const refused = takeInOrder(cells.value, take);
  if (refused) return err(refused);
  return ok({
    problems: [
      ...otherSheets(workbook.value, sheet.value, wanted),
      ...externalLinks(zip.value),
      ...hiddenRows(cells.value),
      ...noticesOf(cells.value),
    ],
    format: 'xlsx',
    sheet: sheet.value.name,
  });
}

/** Other programs' files are archives as well. */
function explainOtherArchive(zip: ZipArchive): SheetProblem | undefined {
  const has = (start: string): boolean => [...zip.names].some((name) => name.startsWith(start));
  if (has('xl/workbook.bin')) return unsupported('This is a binary workbook (“.xlsb”), which is not read.');
  if (has('[content_types].xml') && has('xl/')) return undefined;
  if (has('word/')) return unsupported('This is a text document (“.docx”), not a sheet.');
  if (has('ppt/')) return unsupported('This is a presentation (“.pptx”), not a sheet.');
  if (has('mimetype') && has('content.xml'))
    return unsupported('This is an OpenDocument file (“.ods”), which is not read.');
  if (has('index/')) return unsupported('This is a Numbers document, which is not read.');
  return unsupported('This is an archive, not a sheet.');
}

function chooseSheet(workbook: Workbook, wanted: string | undefined): Result<WorkbookSheet, SheetProblem> {
  const { sheets } = workbook;
  const same = (name: string): boolean => name.trim().toLowerCase() === wanted?.trim().toLowerCase();
  const sheet =
    wanted === undefined
      ? (sheets.find((one) => !one.isHidden) ?? sheets[0])
      : (sheets.find((one) => one.name === wanted) ?? sheets.find((one) => same(one.name)));
  if (sheet) return ok(sheet);
  if (wanted === undefined) return err(damagedArchive('it has no sheet'));
  return err({
    severity: 'error',
    code: 'unreadable',
    message: `The workbook has no sheet ${quoteCell(wanted)}.`,
    remedy: `Its sheets are ${sheets.map((one) => quoteCell(one.name)).join(', ')}.`,
  });
}

function otherSheets(workbook: Workbook, read: WorkbookSheet, wanted: string | undefined): SheetProblem[] {
  const others = workbook.sheets.filter((sheet) => sheet !== read && !sheet.isHidden);
  if (wanted !== undefined || others.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'other-sheets',
      message: `Only the sheet ${quoteCell(read.name)} is read; the workbook also has ${others.map((one) => quoteCell(one.name)).join(', ')}.`,
      remedy: 'If another one is meant, make it the first one or choose it by its name.',
    },
  ];
}

function externalLinks(zip: ZipArchive): SheetProblem[] {
  if (![...zip.names].some((name) => name.startsWith('xl/externallinks/'))) return [];
  return [
    {
      severity: 'warning',
      code: 'external-link',
      message:
        'The workbook takes cells from other files. They are not opened; the text it showed when it was saved is used.',
      remedy:
        'If those files have changed, open the workbook with a spreadsheet program, update its links and save it.',
    },
  ];
}

function hiddenRows(cells: SheetCells): SheetProblem[] {
  const lines = cells.hiddenLines;
  if (lines.length === 0) return [];
  const named = lines.slice(0, NAMED_LINES).join(', ');
  const more = lines.length - NAMED_LINES;
  const what = lines.length === 1 ? `Row ${named} is` : `${lines.length} rows are`;
  const which = lines.length === 1 ? '' : ` (${named}${more > 0 ? ` and ${more} more` : ''})`;
  return [
    {
      severity: 'warning',
      code: 'hidden-rows',
      message: `${what} hidden in the workbook${which}; hidden rows are rendered and paid for like any other.`,
      remedy: 'Show them and look at them; delete them or write “yes” in their column “skip” if they are not meant.',
    },
  ];
}

function noticesOf({ lines, notices }: SheetCells): SheetProblem[] {
  const [header] = lines;
  const columnName = (index: number): string => header?.cells[index] || letterOf(index + 1);
  const imprecise = new Map<number, CellNotice[]>();
  const problems: SheetProblem[] = [];
  for (const notice of notices) {
    if (notice.kind === 'imprecise-number') {
      const known = imprecise.get(notice.column);
      if (known) known.push(notice);
      else imprecise.set(notice.column, [notice]);
    } else {
      // Without a header nothing of the sheet is understood: such an error has no line and refuses the sheet.
      const place = notice.line === header?.line ? {} : { line: notice.line };
      problems.push({ ...formulaProblem(notice), ...place, column: columnName(notice.column) });
    }
  }
  return [...problems, ...[...imprecise].map(([column, of]) => impreciseNumbers(columnName(column), of))];
}

function formulaProblem(notice: CellNotice): SheetProblem {
  const cell = `${letterOf(notice.column + 1)}${notice.line}`;
  return {
    severity: 'error',
    code: 'value-formula',
    message:
      notice.kind === 'formula-error'
        ? `The cell ${cell} shows the error ${quoteCell(notice.text)}.`
        : `The cell ${cell} is a formula whose result is not in the file.`,
    remedy:
      notice.kind === 'formula-error'
        ? 'Correct its formula, or type the text itself.'
        : 'Open the workbook with a spreadsheet program and save it, so that the result is stored; or type the text itself.',
  };
}

function impreciseNumbers(column: string, notices: readonly CellNotice[]): SheetProblem {
  const lines = notices.map((notice) => notice.line);
  const named = lines.slice(0, NAMED_LINES).join(', ');
  const more = lines.length > NAMED_LINES ? ` and ${lines.length - NAMED_LINES} more` : '';
  return {
    severity: 'warning',
    code: 'number-imprecise',
    column,
    message: `The column ${quoteCell(column)} has numbers of more than 15 digits, of which a spreadsheet forgets the last ones: ${lines.length === 1 ? 'line' : 'lines'} ${named}${more}.`,
    remedy: 'If these are ids, format the column as text and paste them again.',
  };
}

/** Rows are stored in their order; a file that does it otherwise is put in order, as a spreadsheet would show it. */
function takeInOrder({ lines }: SheetCells, take: TakeLine): SheetProblem | undefined {
  const isOrdered = lines.every((line, index) => index === 0 || (lines[index - 1]?.line ?? 0) < line.line);
  let last = 0;
  for (const line of isOrdered ? lines : lines.toSorted((a, b) => a.line - b.line)) {
    // Problems and ids go by the line: two rows with one number, or none, would be taken for each other.
    if (!Number.isInteger(line.line) || line.line <= last) return damagedArchive('the numbers of its rows are wrong');
    last = line.line;
    const problem = take(line);
    if (problem) return problem;
  }
  return undefined;
}
