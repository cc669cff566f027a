import type { Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import {
  type RawSheet,
  type SheetSource,
  TEXT_ENCODINGS,
  type TextEncoding,
} from '../../../shared/domain/sheet/sheet-raw.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';

/** How a file is read; what is not said is recognised. */
export interface Reading {
  readonly encoding?: TextEncoding;
  readonly delimiter?: string;
  readonly sheet?: string;
  readonly headerLine?: number;
}

/** Reads a sheet's file. */
export type ReadFileAs = (file: string, reading: Reading) => Promise<Result<RawSheet, SheetProblem>>;

/** Encodings that are only ever guessed: what the author chose for the file before is worth more than another guess. */
const GUESSED: ReadonlySet<string> = new Set(['windows-1252', 'windows-1251', 'gbk', 'shift_jis']);

/**
 * Reads a batch's file again. It may have been saved with another encoding or delimiter since, so both are recognised
 * anew, and so is the line of the header; where that finds fewer of the batch's headers than the way in which it was read before, or only another guess,
 * it is read as before. A workbook's sheet is the one that was chosen.
 */
export async function readAgain(
  read: ReadFileAs,
  file: string,
  { sheet: { source }, headers }: Pick<BatchRecord, 'sheet' | 'headers'>,
): Promise<Result<RawSheet, SheetProblem>> {
  if (source === undefined) return read(file, {});
  const before = readingOf(source);
  const recognised = await read(file, before.sheet === undefined ? {} : { sheet: before.sheet });
  if (recognised.ok && isSameWay(recognised.value.source, before)) return recognised;
  const asBefore = await read(file, before);
  if (!asBefore.ok) return recognised;
  if (!recognised.ok) return asBefore;
  const { encoding } = recognised.value.source;
  const isOnlyGuess = encoding !== undefined && GUESSED.has(encoding) && encoding !== before.encoding;
  const known = new Set(headers);
  const found = (raw: RawSheet): number => raw.headers.filter((header) => known.has(header)).length;
  return isOnlyGuess || found(asBefore.value) > found(recognised.value) ? asBefore : recognised;
}

function readingOf({ encoding, delimiter, sheet, headerLine }: SheetSource): Reading {
  const known = TEXT_ENCODINGS.find((one) => one === encoding);
  return {
    ...(known === undefined ? {} : { encoding: known }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(headerLine === undefined ? {} : { headerLine }),
  };
}

function isSameWay(source: SheetSource, before: Reading): boolean {
  return (
    source.encoding === before.encoding &&
    source.delimiter === before.delimiter &&
    source.headerLine === before.headerLine
  );
}
