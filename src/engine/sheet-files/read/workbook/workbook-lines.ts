import { ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { isOpenDocument, readOds } from '../ods/read-ods.ts';
import { MOST_INFLATED_BYTES } from '../read-sheet.ts';
import { readXlsx } from '../xlsx/read-xlsx.ts';
import { openZip } from '../zip/zip-archive.ts';

/** A sheet of a workbook with all its lines, the header among them. */
export interface WorkbookLines {
  /** Name of its part in an XLSX archive; undefined for an ODS, whose sheets are all in one part. */
  readonly part: string | undefined;
  readonly lines: readonly RawRecord[];
}

/** Reads every line of a workbook's sheet; `sheet` as in {@link readXlsx}. */
export async function readWorkbookLines(
  bytes: Buffer,
  sheet: string | undefined,
): Promise<Result<WorkbookLines, SheetProblem>> {
  const zip = openZip(bytes, MOST_INFLATED_BYTES);
  if (!zip.ok) return zip;
  const lines: RawRecord[] = [];
  const take = (line: RawRecord): undefined => void lines.push(line);
  if (isOpenDocument(zip.value)) {
    const read = readOds(zip.value, sheet, take);
    return read.ok ? ok({ part: undefined, lines }) : read;
  }
  const read = await readXlsx(zip.value, sheet, take);
  return read.ok ? ok({ part: read.value.part, lines }) : read;
}
