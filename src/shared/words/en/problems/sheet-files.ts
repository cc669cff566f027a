import { countOf, countText } from '../../../domain/base/text.ts';

const SPLIT = 'Split the sheet into several sheets.';
const SAVE_AS_CSV = 'Save the sheet again as “CSV UTF-8”.';
const CHOOSE_INSIDE = 'Choose the sheet’s file inside it.';
const REMOVE_PASSWORD = 'Open it with a spreadsheet program, remove the password and save it again.';

const some = (places: string, more: number): string => `${places}${more > 0 ? ` and ${countText(more)} more` : ''}`;

/**
 * Why a sheet's file is refused, and what is said about one that is read. `path` is a path; quoted names already have
 * their quotation marks.
 */
export const sheetFileWords = {
  isFolder: (path: string) => ({ message: `${path} is a folder, not a sheet.`, remedy: CHOOSE_INSIDE }),
  notFile: (path: string) => ({ message: `${path} is not a file.`, remedy: 'Choose the file of a sheet.' }),
  noFile: (path: string) => ({ message: `There is no file ${path}.`, remedy: 'Check its name and its folder.' }),
  mayNot: (path: string) => ({
    message: `You may not read ${path}.`,
    remedy: 'Give yourself permission to read it, or copy it somewhere else.',
  }),
  isBusy: (path: string) => ({
    message: `${path} is open in another program.`,
    remedy: 'Close it there and try again.',
  }),
  /** @param why The system’s own words. */
  cannotRead: (path: string, why: string) => ({
    message: `${path} cannot be read: ${why}.`,
    remedy: 'Check the file and its disk.',
  }),
  changed: (path: string) => ({
    message: `${path} changed while Nocturne was reading it.`,
    remedy: 'Save it, wait a moment and try again.',
  }),
  tooLarge: (path: string, mebibytes: number, most: number) => ({
    message: `${path} has ${mebibytes} MiB; Nocturne reads at most ${most} MiB.`,
    remedy: SPLIT,
  }),
  tooMuchMemory: (path: string, mebibytes: number) => ({
    message: `${path} needs more than ${mebibytes} MiB of memory to be read.`,
    remedy: SPLIT,
  }),
  tooSlow: (path: string, seconds: number) => ({
    message: `${path} could not be read within ${seconds} seconds.`,
    remedy: 'Split the sheet into several sheets, or save it as “CSV UTF-8”.',
  }),
  readerEnded: (path: string, why: string) => ({
    message: `${path} could not be read: ${why}.`,
    remedy: 'Try again. If it happens again, save the sheet as “CSV UTF-8”, or split it into several sheets.',
  }),
  tooManyColumns: (columns: number, most: number) => ({
    message: `The sheet has ${columns} columns; Nocturne reads at most ${most}.`,
    remedy: 'Delete the columns that you do not want to send.',
  }),
  tooManyLines: (most: number) => ({
    message: `The sheet has more than ${most} lines, which is as many as spreadsheet programs hold.`,
    remedy: SPLIT,
  }),
  tooMuchText: (millions: number) => ({
    message: `The cells of the sheet together have more than ${millions} million characters.`,
    remedy: SPLIT,
  }),

  /** What is empty; the remedy of all of them follows. */
  empty: {
    file: 'The file is empty.',
    sheet: 'The sheet is empty.',
    below: (line: number): string => `There is nothing in line ${line} or below.`,
    noRows: 'The sheet has a header line and no rows.',
    remedy:
      'Write a header line with the names of the columns, such as “row,operation,prompt”, and a line for each row.',
    chooseAnother: (sheets: readonly string[]): string =>
      `Write its rows, or choose another sheet of the workbook: ${sheets.join(', ')}.`,
  },
  linesAbove: (header: number, first: number) => ({
    message: `Line ${header} is read as the header; what stands above it, from line ${first} on, is not read.`,
    remedy: 'If these are rows, put the header above them. If another line is the header, choose it.',
  }),

  /** What a file is if it is not a sheet. */
  unsupported: {
    pdf: 'This is a PDF document, not a sheet.',
    png: 'This is a PNG picture, not a sheet.',
    jpeg: 'This is a JPEG picture, not a sheet.',
    gzip: 'This is a gzip archive, not a sheet.',
    sqlite: 'This is a SQLite database, not a sheet.',
    webPage: 'This is a web page, not a sheet.',
    xml: 'This is an XML file, not a CSV, TSV, XLSX or ODS sheet.',
    rtf: 'This is a text document (RTF), not a sheet.',
    xls: 'This is a workbook in the old “.xls” format, which Nocturne cannot read.',
    xlsb: 'This is a binary workbook (“.xlsb”), which Nocturne cannot read.',
    docx: 'This is a text document (“.docx”), not a sheet.',
    pptx: 'This is a presentation (“.pptx”), not a sheet.',
    numbers: 'This is a Numbers document, which Nocturne cannot read.',
    archive: 'This is an archive, not a sheet.',
    openDocument: 'This is an OpenDocument text, drawing or presentation, not a sheet.',
    remedy: 'Open it with a spreadsheet program and save it as “.xlsx” or as “CSV UTF-8”.',
  },
  password: {
    workbook: { message: 'The workbook is protected by a password.', remedy: REMOVE_PASSWORD },
    file: { message: 'The file is protected by a password.', remedy: 'Remove the password and save it again.' },
  },

  /** Encodings whose names do not say enough. */
  encodings: {
    'windows-1252': 'Windows-1252 (Western European)',
    'windows-1251': 'Windows-1251 (Cyrillic)',
    gbk: 'GBK (Chinese)',
    shift_jis: 'Shift-JIS (Japanese)',
  },
  guessed: (encoding: string) => ({
    message: `The file is not UTF-8; Nocturne read it as ${encoding}.`,
    remedy: 'Check its letters. If they are wrong, choose another encoding, or save the sheet again as “CSV UTF-8”.',
  }),
  notUtf8: { message: 'The file says that it is UTF-8, but contains bytes that are not.', remedy: SAVE_AS_CSV },
  halfCharacter: { message: 'The file is UTF-16 and ends in the middle of a character.', remedy: SAVE_AS_CSV },
  lineTooLong: (line: number, millions: number) => ({
    message: `Line ${line} of the file has more than ${millions} million characters.`,
    remedy: `Look at line ${line} with a text editor: it is no line of a sheet.`,
  }),
  quotes: {
    /** @param millions How many million characters were searched; 0 for all. */
    open: (line: number, millions: number): string =>
      `The quotation mark that opens a cell in line ${line} of the file is never closed${millions === 0 ? '' : ` within ${millions} million characters`}.`,
    after: (line: number): string =>
      `After the closing quotation mark of a cell that starts in line ${line} of the file, there is more text.`,
    remedy: (line: number): string =>
      `Look at line ${line} with a text editor: a cell in quotes ends with one, and quotes inside it are doubled ("").`,
  },
  delimiter: (text: string) => ({
    message: `${text} cannot separate the cells of a line.`,
    remedy: 'Choose one character other than a quotation mark or a line end, such as a comma, a semicolon or a tab.',
  }),

  damaged: (how: string) => ({
    message: `The workbook is damaged: ${how}.`,
    remedy: 'Open it with a spreadsheet program and save it again, or get it again from its source.',
  }),
  /** How a workbook is damaged, inside a sentence. `part` is a name inside it. */
  damage: {
    noSheet: 'it has no sheet',
    noEnd: 'it has no end',
    directory: 'its directory is broken',
    outside: 'its directory points outside the file',
    rowNumbers: 'the numbers of its rows are wrong',
    merged: 'its merged cells overlap',
    entries: (count: number): string => `it claims to hold ${count} files`,
    twice: (part: string): string => `it holds ${part} twice`,
    missing: (part: string): string => `${part} is missing from it`,
    sheetMissing: (sheet: string): string => `its sheet ${sheet} is missing`,
    cutOff: (part: string): string => `${part} is cut off`,
    compression: (part: string): string => `${part} is compressed in a way that workbooks do not use`,
    packed: (part: string): string => `${part} cannot be unpacked`,
    differs: (part: string): string => `${part} differs from what the directory says`,
    /** What is wrong with a part, after its name. */
    isUtf16: (encoding: string): string => `declares the encoding ${encoding} and is UTF-16`,
    otherEncoding: (encoding: string): string => `declares the encoding ${encoding} and is not written in it`,
    unknownEncoding: (encoding: string): string => `declares the encoding ${encoding}, which is not known`,
    halfCharacter: 'ends in the middle of a character',
    notUtf8: 'has bytes that are not UTF-8',
    inRow: (row: number): string => `in row ${row}`,
    /** @param at Where, with a space before it, or empty. @param why What is found there. */
    broken: (part: string, at: string, why: string): string => `${part} is broken${at} (${why})`,
  },
  unpackedTooLarge: (mebibytes: number) => ({
    message: `The workbook has more than ${mebibytes} MiB once it is unpacked.`,
    remedy: 'Delete pictures and sheets that you do not need, or save the sheet as “CSV UTF-8”.',
  }),
  documentType: (part: string) => ({
    message: `The workbook declares a document type in ${part}, which no spreadsheet program does, so Nocturne did not read it.`,
    remedy: 'Do not open it elsewhere unless you know where it comes from; if you do, save it again as “.xlsx”.',
  }),
  noSuchSheet: (sheet: string, sheets: readonly string[]) => ({
    message: `The workbook has no sheet ${sheet}.`,
    remedy: `Its sheets are ${sheets.join(', ')}.`,
  }),
  otherSheets: (sheet: string, others: readonly string[]) => ({
    message: `Only the sheet ${sheet} is read; the workbook also has ${others.join(', ')}.`,
    remedy: 'To use another one, choose it by its name.',
  }),
  externalLink: {
    message:
      'The workbook takes cells from other files. Nocturne does not open these; it uses the text from when the workbook was saved.',
    remedy: 'If those files have changed, open the workbook with a spreadsheet program, update its links and save it.',
  },
  /** `places` names some of the `rows`; `more` is how many are not named. */
  hiddenRows: (rows: number, places: string, more: number) => ({
    message: `${rows === 1 ? `Row ${places} is` : `${countText(rows)} rows are`} hidden in the workbook${rows === 1 ? '' : ` (${some(places, more)})`}; hidden rows are rendered and paid for like all others.`,
    remedy: 'Show and check them. If you do not want them, delete them or write “yes” in their column “skip”.',
  }),
  hiddenColumns: (columns: number, names: string, more: number) => ({
    message: `${columns === 1 ? `The column ${names} is` : `${columns} columns are`} hidden in the workbook${columns === 1 ? '' : ` (${some(names, more)})`}; hidden columns are sent like all others.`,
    remedy: 'Show and check them, and delete them if you do not want them.',
  }),
  formulaError: (cell: string, text: string) => ({
    message: `The cell ${cell} shows the error ${text}.`,
    remedy: 'Correct its formula, or type the text itself.',
  }),
  formulaWithoutResult: (cell: string) => ({
    message: `The cell ${cell} is a formula, but its result is not in the file.`,
    remedy:
      'Open the workbook with a spreadsheet program and save it, so that the result is stored; or type the text itself.',
  }),
  impreciseNumbers: (column: string, lines: number, places: string, more: number) => ({
    message: `The column ${column} has numbers of more than 15 digits, and a spreadsheet loses the last ones: ${lines === 1 ? 'line' : 'lines'} ${some(places, more)}.`,
    remedy: 'If these are ids, format the column as text and paste them again.',
  }),

  /** Why results cannot be written into a file, or a copy of it. */
  results: {
    changed: (path: string): string => `${path} has changed since Nocturne compared it with the batch. Try again.`,
    csvCopyOnly: 'Nocturne writes results into CSV and XLSX files; for this file, it can make a CSV copy.',
    /** @param why One of those below, or how it is damaged. */
    notInto: (path: string, why: string): string =>
      `Results cannot be written into ${path}: ${why}. Save it again with a spreadsheet program.`,
    sheetUnknown: 'its sheet is not known',
    sheetElsewhere: 'its sheet is not where the workbook says',
    otherXml: 'its XML differs from what spreadsheet programs write',
    noCells: 'its sheet has no cells',
    noFreeColumns: 'there are no free columns next to its cells',
    encoding: 'The file’s encoding cannot hold the results. Write them into a copy, which is UTF-8.',
    copyIsCsv: 'The copy is a CSV file.',
    copyIsUtf8: 'The copy is UTF-8.',
    notInFile: (rows: number): string =>
      `${countText(rows)} rows of the batch are not in the file; their results are in the media folder’s sheet.results.csv.`,
    differing: (rows: number): string =>
      `${countOf(rows, 'row')} differ${rows === 1 ? 's' : ''} from the file, which keeps its own text; what was rendered is in the media folder’s sheet.results.csv.`,
    otherName: (path: string, extension: string): string =>
      `${path} would not match its name. Choose a name that ends in “${extension}”.`,
    holdsElse: (path: string): string =>
      `${path} holds something else, and ${path}.bak is already there. Name another file.`,
    kept: (path: string): string => `What was in ${path} is kept as ${path}.bak.`,
    /** @param why The system’s own words. */
    unwritable: (path: string, why: string): string => `${path} cannot be written: ${why}`,
    noOriginal: 'This sheet did not come from a file. Name the file to write to.',
  },
};
export type SheetFileWords = typeof sheetFileWords;
