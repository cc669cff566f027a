import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { XlsxLines } from './xlsx-lines.ts';
import { scanBeginning } from './xlsx-part-scan.ts';
import { RowScanner } from './xlsx-row-scanner.ts';
import type { OnStrings } from './xlsx-strings.ts';
import type { Workbook } from './xlsx-workbook.ts';

/** Enough for a title above the header, and for what a preview shows. */
const ROWS_LOOKED_AT = 150;
const MOST_LOOKED_AT_BYTES = 256 * 1024;
const CLOSING_ROW = '</row>';

/**
 * Looks at the first rows of a large sheet. A workbook's strings are stored apart, usually in the order of the cells,
 * so the first rows need the first strings.
 * @param tell Receives the first lines, at most once, when the strings that they need have been read.
 * @returns A listener that must be given the strings; undefined if there are so few lines that they come with the rest
 * of the sheet.
 */
export async function peekLines(
  zip: ZipArchive,
  part: string,
  known: Omit<Workbook, 'strings'>,
  tell: (lines: readonly RawRecord[]) => void,
): Promise<OnStrings | undefined> {
  const bytes = await firstRows(zip, part);
  if (bytes === undefined) return undefined;
  const needed = new NeededStrings({ ...known, strings: [] });
  scanRows(bytes, needed);
  let isTold = false;
  const onStrings: OnStrings = (strings) => {
    if (isTold || strings.length < needed.count) return;
    isTold = true;
    const lines = new XlsxLines({ ...known, strings });
    scanRows(bytes, lines);
    if (lines.damage === undefined && isInOrder(lines.lines)) tell(lines.lines);
  };
  onStrings([]);
  return onStrings;
}

/** The bytes up to the end of one of the first rows; undefined if the sheet ends there. */
async function firstRows(zip: ZipArchive, part: string): Promise<Buffer | undefined> {
  let bytes: Buffer | undefined;
  // Stopped in any case: these bytes are inflated again for the sheet itself, and only that counts.
  await zip.pour(part, (piece) => {
    bytes = piece.subarray(0, MOST_LOOKED_AT_BYTES);
    return false;
  });
  if (bytes === undefined || bytes.includes('</sheetData>')) return undefined;
  let end = 0;
  for (let row = 0; row < ROWS_LOOKED_AT; row++) {
    const at = bytes.indexOf(CLOSING_ROW, end);
    if (at === -1) break;
    end = at + CLOSING_ROW.length;
  }
  return bytes.subarray(0, end);
}

function scanRows(bytes: Buffer, lines: XlsxLines): void {
  scanBeginning(bytes, {
    part: '',
    path: ['worksheet', 'sheetData'],
    item: 'row',
    innerNames: [],
    scan: new RowScanner(lines).scan,
    open: () => {},
  });
}

/** Rows in any other order are sorted only when all are read. */
function isInOrder(lines: readonly RawRecord[]): boolean {
  return lines.every(({ line }, index) => Number.isInteger(line) && line > (lines[index - 1]?.line ?? 0));
}

/** Only counts how many of the workbook's strings the lines need. */
class NeededStrings extends XlsxLines {
  count = 0;

  override sharedString(index: number): string {
    this.count = Math.max(this.count, index + 1);
    return '';
  }
}
