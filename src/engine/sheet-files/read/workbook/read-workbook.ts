import { ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import type { TableText, TakeFirstLines, TakeLine } from '../../sheet-intake.ts';
import { isOpenDocument, readOds } from '../ods/read-ods.ts';
import { readXlsx } from '../xlsx/read-xlsx.ts';
import { openZip } from '../zip/zip-archive.ts';

/** The limit for all parts of a workbook together, once they are unpacked. */
export const MOST_INFLATED_BYTES = 200 * 1024 * 1024;

/** Reads a sheet of a workbook, an XLSX or an ODS; `sheet` as in {@link readXlsx}. */
export async function readWorkbookSheet(
  bytes: Buffer,
  sheet: string | undefined,
  take: TakeLine,
  takeFirst?: TakeFirstLines,
): Promise<Result<TableText, SheetProblem>> {
  const zip = openZip(bytes, MOST_INFLATED_BYTES);
  if (!zip.ok) return zip;
  return isOpenDocument(zip.value) ? readOds(zip.value, sheet, take) : readXlsx(zip.value, sheet, take, takeFirst);
}

/** A sheet of a workbook with all its lines, the header among them. */
export interface WorkbookLines {
  /** Name of its part in an XLSX archive; undefined for an ODS, whose sheets share one part. */
  readonly part: string | undefined;
  readonly lines: readonly RawRecord[];
}

/** Reads every line of a workbook's sheet. */
export async function readWorkbookLines(
  bytes: Buffer,
  sheet: string | undefined,
): Promise<Result<WorkbookLines, SheetProblem>> {
  const lines: RawRecord[] = [];
  const read = await readWorkbookSheet(bytes, sheet, (line) => void lines.push(line));
  return read.ok ? ok({ part: read.value.part, lines }) : read;
}
