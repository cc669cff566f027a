import { quoteCell } from '../../../../shared/domain/cells/cell-value.ts';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { unsupported, type OtherFormat } from '../detect-format.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { hasKnownHeader, type TableText, type TakeFirstLines, type TakeLine } from '../../sheet-intake.ts';
import { otherSheets, sheetsToRead, visibleNames } from '../workbook/workbook-sheets.ts';
import { externalLink, hiddenParts, noticesOf, takeInOrder } from '../workbook/workbook-problems.ts';
import type { SheetCells } from '../workbook/workbook-cells.ts';
import { readCells } from './xlsx-cells.ts';
import { peekLines } from './xlsx-first-lines.ts';
import type { OnStrings } from './xlsx-strings.ts';
import { readWorkbook, type Workbook, type WorkbookSheet } from './xlsx-workbook.ts';
import { damagedArchive, type ZipArchive } from '../zip/zip-archive.ts';

/**
 * Reads one sheet of an XLSX workbook as text. Computes no formula, runs no macro, follows no link.
 * @param wanted The name of the sheet; undefined for the first one that is visible.
 */
export async function readXlsx(
  zip: ZipArchive,
  wanted: string | undefined,
  take: TakeLine,
  takeFirst?: TakeFirstLines,
): Promise<Result<TableText, SheetProblem>> {
  const other = explainOtherArchive(zip);
  if (!other.ok) return other;
  if (other.value) return err(other.value);
  const workbook = await readWorkbook(zip, takeFirst && ((known) => firstLinesOf(zip, known, wanted, takeFirst)));
  if (!workbook.ok) return workbook;
  const { sheets } = workbook.value;
  const found = await findSheet(zip, workbook.value, wanted);
  if (!found.ok) return found;
  const { sheet, part, cells } = found.value;
  const refused = takeInOrder(cells, take);
  if (refused) return err(refused);
  return ok({
    problems: [
      ...otherSheets(sheets, sheet, wanted),
      ...externalLinks(zip),
      ...hiddenParts(cells),
      ...noticesOf(cells),
    ],
    format: 'xlsx',
    sheet: sheet.name,
    part,
    sheets: visibleNames(sheets),
  });
}

/** Looks into the sheet that will probably be read, and takes its first lines once their strings are there. */
async function firstLinesOf(
  zip: ZipArchive,
  known: Omit<Workbook, 'strings'>,
  wanted: string | undefined,
  takeFirst: TakeFirstLines,
): Promise<OnStrings | undefined> {
  const sheets = sheetsToRead(known.sheets, wanted);
  const [sheet] = sheets.ok ? sheets.value : [];
  if (sheet?.part === undefined) return undefined;
  const origin = { format: 'xlsx', sheet: sheet.name, sheets: visibleNames(known.sheets) } as const;
  // Without a known header, another sheet may be meant.
  const isMeant = (lines: readonly RawRecord[]): boolean => wanted !== undefined || hasKnownHeader(lines);
  return peekLines(zip, sheet.part, known, (lines) => {
    if (isMeant(lines)) takeFirst(origin, lines);
  });
}

/** How many sheets with content are searched, as each has to be read. */
const SHEETS_LOOKED_AT = 8;

interface FoundSheet {
  readonly sheet: WorkbookSheet;
  readonly part: string;
  readonly cells: SheetCells;
}

/**
 * The chosen sheet; if none is named, the first one with a known header, because people put covers and notes before the
 * one that they use; otherwise the first one with content.
 */
async function findSheet(
  zip: ZipArchive,
  workbook: Workbook,
  wanted: string | undefined,
): Promise<Result<FoundSheet, SheetProblem>> {
  const sheets = sheetsToRead(workbook.sheets, wanted);
  if (!sheets.ok) return sheets;
  let first: FoundSheet | undefined;
  let full = 0;
  for (const sheet of sheets.value) {
    const { name, part } = sheet;
    const isFound = first !== undefined && first.cells.lines.length > 0;
    // A problem of a later sheet is no reason to refuse the one that is read.
    if (part === undefined && isFound) continue;
    if (part === undefined) return err(damagedArchive(domainWords.problems.file.damage.sheetMissing(quoteCell(name))));
    const cells = await readCells(zip, part, workbook);
    if (!cells.ok && isFound) continue;
    if (!cells.ok) return cells;
    const read = { sheet, part, cells: cells.value };
    const { lines } = cells.value;
    if (hasKnownHeader(lines)) return ok(read);
    if (first === undefined || (first.cells.lines.length === 0 && lines.length > 0)) first = read;
    if (lines.length > 0) full += 1;
    if (full === SHEETS_LOOKED_AT) break;
  }
  return first === undefined ? err(damagedArchive(domainWords.problems.file.damage.noSheet)) : ok(first);
}

const WORKBOOK_TYPE =
  /spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.(?:sheet|template)\.macroEnabled\.main\+xml/i;

/** Other programs' files are archives as well. */
function explainOtherArchive(zip: ZipArchive): Result<SheetProblem | undefined, SheetProblem> {
  const has = (start: string): boolean => [...zip.names].some((name) => name.startsWith(start));
  const is = (what: OtherFormat): Result<SheetProblem, SheetProblem> => ok(unsupported(what));
  if (has('xl/workbook.bin')) return is('xlsb');
  const types = zip.read('[content_types].xml');
  if (!types.ok) return types;
  // A workbook's parts may be anywhere; the list of types says what they are.
  if (types.value && (has('xl/') || WORKBOOK_TYPE.test(types.value.toString('latin1')))) return ok(undefined);
  if (has('word/')) return is('docx');
  if (has('ppt/')) return is('pptx');
  if (has('index/')) return is('numbers');
  return is('archive');
}

function externalLinks(zip: ZipArchive): SheetProblem[] {
  return [...zip.names].some((name) => name.includes('externallinks/')) ? [externalLink()] : [];
}
