import type { SheetProblem } from './problems.ts';

/** The encodings that a text file can be read in. */
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

/** Delimiters that have a name, because they are hard to type or to see. */
const NAMED_DELIMITERS: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

/** The character that is meant by a name such as `tab`, or by the character itself; undefined where neither is given. */
export function delimiterOf(nameOrCharacter: string): string | undefined {
  const name = nameOrCharacter.toLowerCase();
  const delimiter = Object.hasOwn(NAMED_DELIMITERS, name) ? NAMED_DELIMITERS[name] : nameOrCharacter;
  return delimiter !== undefined && isDelimiter(delimiter) ? delimiter : undefined;
}

/** True for a character that can stand between the cells of a line. */
export function isDelimiter(character: string): boolean {
  return character.length === 1 && !/["\r\n\uFEFF\uD800-\uDFFF]/.test(character);
}

/** How a sheet's file was understood; shown to its author and kept with the batch. */
export interface SheetSource {
  readonly format: 'csv' | 'tsv' | 'xlsx' | 'ods' | 'clipboard';
  /** The encoding of a text file, such as `utf-8`; absent for a workbook. */
  readonly encoding?: string;
  /** The character between the cells of a text file; absent for a workbook. */
  readonly delimiter?: string;
  /** The name of the sheet that was read from a workbook; absent for a text file. */
  readonly sheet?: string;
  /** The sheets of a workbook that one can choose between, in their order; absent for a text file. */
  readonly sheets?: readonly string[];
  /** The line of the header, as lines of records are counted; absent where it is the first. What is above it is not read. */
  readonly headerLine?: number;
  readonly bytes: number;
  /** Hash of the file's bytes, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** One line of a sheet as text, before anything is made of it. */
export interface RawRecord {
  /** The line as a spreadsheet counts it: the header is 1, and a cell with line breaks does not count as several. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A sheet as text: what the file says, before anything is made of it. */
export interface RawSheet {
  readonly headers: readonly string[];
  /** The lines below the header that have at least one cell that is not blank. */
  readonly records: readonly RawRecord[];
  /** What was noticed while reading; a problem with a line belongs to the row on that line. */
  readonly problems: readonly SheetProblem[];
  readonly source: SheetSource;
}

/** True for a cell that shows nothing: such a cell sends nothing. */
export function isBlank(cell: string | undefined): boolean {
  return cell === undefined || cell === '' || cell.trim() === '';
}

/**
 * Texts of a file that its user had corrected in every row at once when it was imported, by header, then by the whole text of
 * a cell: what is read instead. The file keeps what it says.
 */
export type Corrections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The sheet with what is read instead of what it says. */
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
