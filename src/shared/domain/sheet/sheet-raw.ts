import type { SheetProblem } from './problems.ts';

/** The encodings that a text file can have. */
export const TEXT_ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1251',
  'gbk',
  'shift_jis',
] as const;
export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** Delimiters with names, because they are hard to type or to see. */
const NAMED_DELIMITERS: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

/** The character for a name such as `tab`, or the character itself; undefined for anything else. */
export function delimiterOf(nameOrCharacter: string): string | undefined {
  const name = nameOrCharacter.toLowerCase();
  const delimiter = Object.hasOwn(NAMED_DELIMITERS, name) ? NAMED_DELIMITERS[name] : nameOrCharacter;
  return delimiter !== undefined && isDelimiter(delimiter) ? delimiter : undefined;
}

/** True for a character that can separate the cells of a line. */
export function isDelimiter(character: string): boolean {
  return character.length === 1 && !/["\r\n\uFEFF\uD800-\uDFFF]/.test(character);
}

/** How a sheet's file was read; shown to its author and kept with the batch. */
export interface SheetSource {
  readonly format: 'csv' | 'tsv' | 'xlsx' | 'ods' | 'clipboard';
  /** The encoding of a text file, such as `utf-8`; absent for a workbook. */
  readonly encoding?: string;
  /** The character between the cells of a text file; absent for a workbook. */
  readonly delimiter?: string;
  /** The name of the sheet that was read from a workbook; absent for a text file. */
  readonly sheet?: string;
  /** The sheets of a workbook to choose from, in order; absent for a text file. */
  readonly sheets?: readonly string[];
  /** The line of the header, counting records; absent for the first line. Lines above it are not read. */
  readonly headerLine?: number;
  readonly bytes: number;
  /** Hash of the file's bytes, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** How a file is read, as far as that is known before the end of the file. */
export type SheetOrigin = Omit<SheetSource, 'bytes' | 'sha256'>;

/** One line of a sheet as text, before it is interpreted. */
export interface RawRecord {
  /** The line as a spreadsheet counts it: the header is 1, and a cell with line breaks counts as one line. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** How a line of a file begins, by which its author knows it again. */
export interface LineStart {
  readonly line: number;
  readonly text: string;
}

/** A sheet as text: the file's contents, before they are interpreted. */
export interface RawSheet {
  readonly headers: readonly string[];
  /** The lines below the header with at least one cell that is not blank. */
  readonly records: readonly RawRecord[];
  /** Problems found while reading; a problem with a line belongs to the row on that line. */
  readonly problems: readonly SheetProblem[];
  readonly source: SheetSource;
  /** Those of the first lines that may be the header, also above it, without blank ones; absent for a pasted table. */
  readonly firstLines?: readonly LineStart[];
}

/**
 * The first lines of a sheet that is still being read. Nothing is known about what follows, not even whether the file
 * can be read to its end.
 */
export interface RawBeginning extends Pick<RawSheet, 'headers' | 'records' | 'firstLines'> {
  readonly source: SheetOrigin;
}

/**
 * Texts of a file that the user corrected in every row at once on import, by header, then by the whole text of a cell:
 * the text to read instead. The file keeps its text.
 */
export type Corrections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The sheet with these corrections. */
export function correctCells(sheet: RawSheet, corrections: Corrections = {}): RawSheet {
  const columns = sheet.headers.flatMap((header, index) => {
    const texts = Object.hasOwn(corrections, header) ? corrections[header] : undefined;
    return texts === undefined ? [] : [[index, new Map(Object.entries(texts))] as const];
  });
  if (columns.length === 0) return sheet;
  const records = sheet.records.map((record) => {
    const wrong = columns.filter(([index, texts]) => texts.has(record.cells[index] ?? ''));
    if (wrong.length === 0) return record;
    const cells = [...record.cells];
    for (const [index, texts] of wrong) cells[index] = texts.get(cells[index] ?? '') ?? '';
    return { ...record, cells };
  });
  return { ...sheet, records };
}
