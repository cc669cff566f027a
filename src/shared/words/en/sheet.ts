import { countOf, countText } from '../../domain/base/text.ts';
import { commonWords } from './common.ts';

/** A sheet that is being imported: how it is read, its columns and its problems. */
export const sheetWords = {
  discard: 'Discard',
  checking: 'Checking…',
  openBatch: 'Open that batch',
  formats: {
    xlsx: 'Excel workbook',
    ods: 'OpenDocument spreadsheet',
    clipboard: 'Pasted table',
  },
  /** Parts of one line, with dots between them. */
  readSoFar: (n: number): string => `Reading… ${commonWords.rows(n)} so far`,
  canRun: (n: number): string => `${countText(n)} can run`,
  skipped: (n: number): string => `${countText(n)} skipped`,
  unreadable: 'The file cannot be read: see the errors.',
  /** `summary`: that line. */
  allRead: (summary: string): string => `All rows are read: ${summary}.`,
  /** In place of what follows from all rows. */
  awaited: 'Known once all rows are read.',

  noHeader: {
    title: (line: number): string =>
      `Line ${countText(line)} was read as the header, and none of its cells is a known column.`,
    pasted: 'If it is already data, add a line with the headers above it and copy the table again.',
    ofFile:
      'If the header is further down, choose its line above. If this is already data, add a line with the headers above it, save the file and import it again.',
    orMap: 'Otherwise map the columns below.',
  },

  work: {
    title: 'What will be rendered',
    none: 'Nothing in this sheet can run yet. Correct the errors below.',
  },

  reading: {
    encoding: 'Encoding',
    encodings: {
      'windows-1252': 'Windows-1252 (Western European)',
      'windows-1251': 'Windows-1251 (Cyrillic)',
      gbk: 'GBK (Chinese)',
      shift_jis: 'Shift-JIS (Japanese)',
    },
    delimiter: 'Delimiter',
    comma: 'Comma',
    semicolon: 'Semicolon',
    /** The character. */
    tab: 'Tab',
    verticalBar: 'Vertical bar',
    workbookTab: 'Sheet of the workbook',
    headerLine: 'Line of the header',
    headerInLine: (line: number): string => `Header in line ${countText(line)}`,
  },

  preview: {
    title: 'The sheet',
    first: (n: number): string => (n === 1 ? 'The first row.' : `The first ${countText(n)} rows.`),
    firstOf: (n: number, all: number): string => `The first ${countText(n)} of ${countText(all)} rows.`,
    openRow: 'Open a row to see what is sent for it.',
    table: 'The sheet’s first rows',
    sent: 'What is sent',
    sentFor: (row: number): string => `What is sent for row ${row}`,
    nothingSent: 'Nothing is sent: the row has no operation.',
  },

  mapping: {
    title: 'Column mapping',
    help: 'Help about the language of sheets',
    isKept: 'Using what you last chose for these headers.',
    reset: 'Reset mapping',
    confirm: (n: number): string => `Confirm ${countOf(n, 'header')}`,
    /** Parts of one line, with dots between them. */
    mapped: (n: number): string => `${commonWords.columns(n)} mapped`,
    toConfirm: (n: number): string => `${countText(n)} to confirm`,
    unsent: (n: number): string => `${countText(n)} not sent`,
    /** `given`: how many of them have a value. */
    variables: (n: number, given: number): string => {
      const all = countOf(n, 'variable');
      if (given === n) return `${all} with ${n === 1 ? 'a value' : 'values'}`;
      return `${given === 0 ? all : `${countText(n - given)} of ${all}`} without a value`;
    },

    header: 'Your header',
    match: 'Match',
    mapsTo: 'Maps to',
    noHeader: '(none)',
    of: (header: string): string => `Mapping of “${header}”`,
    /** How a header was matched. */
    how: {
      exact: 'Exact match',
      alike: 'Close match – confirm',
      synonym: 'Similar meaning – confirm',
      chosen: 'Chosen by you',
      ignored: 'Not sent – chosen by you',
      unknown: 'Not a known column – not sent',
      nameless: 'No header – not sent',
    },
    /** Of a header that is no known column. */
    mayMean: (column: string): string => `Not sent – is it “${column}”?`,
    likely: 'Likely',
    notSent: 'Not sent',
    notSentHelp: 'Cells can still use it as {its header}.',
    /** The columns that one header gives. */
    columns: (names: readonly string[]): string => names.join(', '),
  },

  operation: {
    missing: 'Some rows have no operation. What should they render?',
    given: 'Rows without an operation render:',
    label: 'Operation of rows without one',
    choose: 'Choose an operation',
    noneHelp: 'Rows without an operation get an error.',
    all: 'Operations',
  },

  /** Replacing one text by another in all `n` rows that have it. */
  correction: {
    use: (text: string, n: number): string => `Use ${text}${forAll(n)}`,
    chooseAccount: (n: number): string => `Choose an account${forAll(n)}`,
    chooseOperation: (n: number): string => `Choose an operation${forAll(n)}`,
    /** Always several. */
    allSuggestions: (n: number): string => `Use all ${countText(n)} suggestions`,
    /** `rest`: the errors and warnings that remain, `counts` in words. */
    corrects: (cells: number, rest: { readonly counts: string; readonly rest: number } | undefined): string =>
      `Corrects ${commonWords.cells(cells)}.${rest === undefined ? '' : ` ${rest.counts} ${rest.rest === 1 ? 'stays' : 'stay'}.`}`,
    insteadOf: (text: string): string => `Instead of ${text}`,
    done: 'Corrected in every row',
    readAs: (header: string, written: string, instead: string): string =>
      `${header}: “${written}” is read as “${instead}”.`,
    readAsWritten: (written: string): string => `Read “${written}” as it is written`,
    readAllAsWritten: 'Read all as written',
  },

  problems: {
    title: 'Errors and warnings',
    none: 'Nothing is wrong with this sheet.',
    noneElse: 'Nothing else is wrong with this sheet.',
    more: (n: number): string => `And ${countOf(n, 'more problem')} of the same kinds.`,
    /** `counts`: how many errors and warnings. */
    onlyWarnings: (counts: string): string => `${counts}. Warnings do not stop a row; look at them before you start.`,
    withErrors: (counts: string): string =>
      `${counts}. A row with an error does not run; the others do. Correct the file and import it again, fix the rows here, or start without them.`,
    withoutRows: (counts: string): string => `${counts}. No row could be read. Correct the file and import it again.`,
    fixHere: 'Fix it here',
    fixHint: 'Import the sheet without starting it, and go to this cell',
    fixAllHint: 'Import the sheet without starting it; there, one press fixes this in all of its rows',
  },

  /** Warnings of a kind that no longer count. `kind`: what they say, and about which column. */
  ignoring: {
    ignore: 'Ignore this kind',
    ignoreOf: (kind: string): string => `Ignore this kind: ${kind}`,
    ignoreColumns: (n: number): string => `Ignore for all ${countOf(n, 'column')}`,
    hint: (n: number, kind: string): string =>
      `${kind}: ${countOf(n, 'warning')} no longer ${n === 1 ? 'counts' : 'count'} in this sheet. Errors are never ignored.`,
    title: 'Ignored',
    takeBack: 'Count again',
    takeBackOf: (kind: string): string => `Count again: ${kind}`,
    ofColumn: (title: string, column: string): string => `${title} · ${column}`,
  },

  variables: {
    title: 'Variables',
    about: 'Names in braces that match no column. The value you enter is used in every row.',
    asWritten: 'Sent as written',
  },

  lists: {
    title: 'Lists',
    missing: 'There is no such list: the text is sent as written.',
    open: 'Open your lists',
  },

  choices: {
    title: 'Choices',
    about: (cells: number): string => `${commonWords.cells(cells)} with a choice such as {red|green|blue}.`,
    draw: 'Draw one for each row',
    drawHelp: 'The same row always gets the same one.',
    expand: 'One row for each',
    expanded: (rows: number): string => `All combinations: ${countText(rows)} rows now.`,
    wouldExpand: (rows: number, now: number): string =>
      `All combinations: ${countText(rows)} rows instead of ${countText(now)}.`,
  },
};
export type SheetWords = typeof sheetWords;

function forAll(n: number): string {
  return n === 1 ? '' : ` for all ${countText(n)}`;
}
