import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { unsupported } from './detect-format.ts';
import type { TableText, TakeLine } from './table-text.ts';
import { chooseSheet, otherSheets, visibleNames } from './workbook-sheets.ts';
import { externalLink, hiddenParts, noticesOf, takeInOrder } from './workbook-problems.ts';
import { readCells } from './xlsx-cells.ts';
import { readWorkbook } from './xlsx-workbook.ts';
import type { ZipArchive } from './zip-archive.ts';

/**
 * Reads one sheet of an XLSX workbook as text. No formula is computed, no macro run, no link followed.
 * @param wanted The name of the sheet; undefined for the first one that is visible.
 */
export async function readXlsx(
  zip: ZipArchive,
  wanted: string | undefined,
  take: TakeLine,
): Promise<Result<TableText, SheetProblem>> {
  const other = explainOtherArchive(zip);
  if (other) return err(other);
  const workbook = await readWorkbook(zip);
  if (!workbook.ok) return workbook;
  const { sheets } = workbook.value;
  const sheet = chooseSheet(sheets, wanted);
  if (!sheet.ok) return sheet;
  const cells = await readCells(zip, sheet.value.part, workbook.value);
  if (!cells.ok) return cells;
  const refused = takeInOrder(cells.value, take);
  if (refused) return err(refused);
  return ok({
    problems: [
      ...otherSheets(sheets, sheet.value, wanted),
      ...externalLinks(zip),
      ...hiddenParts(cells.value),
      ...noticesOf(cells.value),
    ],
    format: 'xlsx',
    sheet: sheet.value.name,
    sheets: visibleNames(sheets),
  });
}

/** Other programs' files are archives as well. */
function explainOtherArchive(zip: ZipArchive): SheetProblem | undefined {
  const has = (start: string): boolean => [...zip.names].some((name) => name.startsWith(start));
  if (has('xl/workbook.bin')) return unsupported('This is a binary workbook (“.xlsb”), which is not read.');
  if (has('[content_types].xml') && has('xl/')) return undefined;
  if (has('word/')) return unsupported('This is a text document (“.docx”), not a sheet.');
  if (has('ppt/')) return unsupported('This is a presentation (“.pptx”), not a sheet.');
  if (has('index/')) return unsupported('This is a Numbers document, which is not read.');
  return unsupported('This is an archive, not a sheet.');
}

function externalLinks(zip: ZipArchive): SheetProblem[] {
  return [...zip.names].some((name) => name.startsWith('xl/externallinks/')) ? [externalLink()] : [];
}
