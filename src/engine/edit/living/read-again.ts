import type { Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import {
  type RawSheet,
  type SheetSource,
  TEXT_ENCODINGS,
  type TextEncoding,
} from '../../../shared/domain/sheet/sheet-raw.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';

/** How to read a file; unset options are detected. */
export interface Reading {
  readonly encoding?: TextEncoding;
  readonly delimiter?: string;
  readonly sheet?: string;
  readonly headerLine?: number;
}

/** Reads a sheet's file. */
export type ReadFileAs = (file: string, reading: Reading) => Promise<Result<RawSheet, SheetProblem>>;

/** Encodings that are only ever guessed: the author's earlier choice for the file counts more than another guess. */
const GUESSED: ReadonlySet<string> = new Set(['windows-1252', 'windows-1251', 'gbk', 'shift_jis']);

/**
 * Reads a batch's file again. It may have been saved with another encoding or delimiter since, so both are detected
 * again, and so is the header line; if this finds fewer of the batch's headers than the earlier way of reading, or is
 * only another guess, the file is read as before. In a workbook, the chosen sheet is read.
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
    // Once found, it is not looked for again.
    headerLine: headerLine ?? 1,
  };
}

function isSameWay(source: SheetSource, before: Reading): boolean {
  return (
    source.encoding === before.encoding &&
    source.delimiter === before.delimiter &&
    (source.headerLine ?? 1) === before.headerLine
  );
}
