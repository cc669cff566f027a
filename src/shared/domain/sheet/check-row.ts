import { domainWords } from '../../words/domain-words.ts';
import { parseBoolean, parseWhole, quoteCell } from '../cells/cell-value.ts';
import type { KeyFinder } from '../base/key-finder.ts';
import { everydayWord, findOperation, nearlyChinese, nearlyEveryday, OPERATIONS } from '../operations/operations.ts';
import type { Operation, OperationPath } from '../operations/operations.ts';
import { nearestName } from '../base/nearest-name.ts';
import { present } from '../base/result.ts';
import { readBody } from './row-body.ts';
import type { RowBody } from './row-body.ts';
import { RowProblems, type SheetProblem } from './problems.ts';
import { MOST_TAKES, type Row } from './row.ts';
import type { ROW_SWITCHES } from './column-synonyms.ts';
import { headerOfColumn, letterOf } from './sheet-columns.ts';
import type { OperationLayout, ReservedColumn, SheetLayout } from './sheet-columns.ts';
import type { SheetLanguage } from '../cells/sheet-language.ts';
import { isBlank } from '../base/text.ts';
import type { RawRecord } from './sheet-raw.ts';

/** What the checks of a row need to know about its sheet. */
export interface RowContext {
  readonly layout: SheetLayout;
  /** The columns as an operation sees them; the same object for the same operation. */
  readonly layoutOf: (operation: Operation) => OperationLayout;
  /** The operation of rows that do not name one. */
  readonly defaultOperation: OperationPath | undefined;
  /** The same as {@link operationNamed}. */
  readonly operationNamed: (name: string) => NamedOperation;
  /** What cells can name. */
  readonly language: SheetLanguage;
  /** Finds the keys of gateways: no body may contain one. */
  readonly keyFinder: KeyFinder | undefined;
  /** The names of the accounts that rows may go to; undefined where that is not known yet. */
  readonly accounts: readonly string[] | undefined;
  /** Files of this computer are put where a gateway can read them. */
  readonly putsFiles: boolean;
}

/** A row that was checked by itself; checkSheet checks what concerns several rows. */
export interface CheckedRow {
  readonly row: Row;
  readonly problems: readonly SheetProblem[];
  /** Indexes of cells that are not blank although the row's operation does not use them. */
  readonly unusedCells: readonly number[];
  /** Indexes of cells that other cells of the row put in by name: such a column is used, whatever its name. */
  readonly namedCells: readonly number[];
  /** How many characters of its body come from composed cells: this may be many more than the cells have. */
  readonly composed: number;
}

const PRIORITIES = { least: -1_000_000, most: 1_000_000, otherwise: 0 };
/** NUL and lone surrogates: JSON, files and gateways treat them differently. */
const UNSENDABLE = /[\0\p{Surrogate}]/u;

/** One line of a sheet as a row, with everything that is wrong with it. */
export function checkRow(record: RawRecord, id: string, context: RowContext): CheckedRow {
  const problems = new RowProblems(record.line, id);
  const { layout } = context;
  checkCharacters(record, context, problems);
  const text = (name: ReservedColumn): string | undefined => textIn(record, layout, name);
  const operation = checkOperation(operationName(record, context), context, problems);
  const own = operation && context.layoutOf(operation);
  const { language, keyFinder, putsFiles } = context;
  const read: RowBody = own ? readBody({ record, id }, { own, language, keyFinder, putsFiles }, problems) : NO_BODY;
  const account = checkAccount(text('account'), context, problems);
  const unlinked: Row = {
    id,
    line: record.line,
    operation: operation?.path,
    body: read.body,
    takes: checkWhole('takes', record, layout, { least: 1, most: MOST_TAKES, otherwise: 1 }, problems),
    priority: checkWhole('priority', record, layout, PRIORITIES, problems),
    ...present({ account }),
    filename: text('filename'),
    note: text('note'),
    skip: checkYes('skip', record, layout, problems),
    ...(checkYes('pick', record, layout, problems) ? { pick: true as const } : {}),
    cells: cellsByHeader(layout.headers, record.cells),
  };
  const row = read.links === undefined ? unlinked : { ...unlinked, links: read.links };
  if (row.skip) return { row, problems: NONE, unusedCells: NONE, namedCells: NONE, composed: read.composed };
  const unusedCells = own ? own.unused.filter((index) => !isBlank(record.cells[index])) : NONE;
  return {
    row,
    problems: orNone(problems.found),
    unusedCells: orNone(unusedCells),
    namedCells: read.named,
    composed: read.composed,
  };
}

/** One empty list for all rows: there may be a million of them. */
const NONE: readonly never[] = [];
/** The body of a row without an operation. */
const NO_BODY: RowBody = { body: {}, named: NONE, composed: 0 };

function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NONE : list;
}

/** The text of a column; undefined if it is blank or there is no such column. */
function textIn(record: RawRecord, layout: SheetLayout, name: ReservedColumn): string | undefined {
  const index = layout.indexes.get(name);
  const cell = index === undefined ? undefined : record.cells[index];
  return isBlank(cell) ? undefined : cell;
}

/** The operation that a row names, or the sheet names for it. */
export function operationName(
  record: RawRecord,
  { layout, defaultOperation }: Pick<RowContext, 'layout' | 'defaultOperation'>,
): string | undefined {
  return textIn(record, layout, 'operation') ?? defaultOperation;
}

/** A longer text is not a misspelt operation or account. */
export const LONGEST_CELL_NAME = 200;

function checkOperation(
  name: string | undefined,
  { layout, operationNamed }: Pick<RowContext, 'layout' | 'operationNamed'>,
  problems: RowProblems,
): Operation | undefined {
  if (name === undefined) {
    problems.add('error', 'operation-missing', 'operation', domainWords.problems.row.noOperation);
    return undefined;
  }
  const { operation, nearest, candidates, column } = operationNamed(name);
  if (operation) return operation;
  const meant = nearest === undefined ? candidates : [nearest];
  problems.add('error', 'operation-unknown', 'operation', {
    ...domainWords.problems.row.unknownOperation(quoteCell(name), {
      meant: meant.map(quoteCell),
      column: column && quoteCell(headerOfColumn(layout, column)),
      operations: SHORT_NAMES,
    }),
    ...(name.length > LONGEST_CELL_NAME
      ? {}
      : { cell: { text: name, ...present({ meant: nearest }), ...(candidates.length === 0 ? {} : { candidates }) } }),
  });
  return undefined;
}

/** The operation that a cell names, or else what it may mean. */
export interface NamedOperation {
  readonly operation?: Operation;
  /** The operation that is surely meant: its name is misspelt. */
  readonly nearest?: string;
  /** Operations that may be meant, if any; only the author knows which. */
  readonly candidates: readonly string[];
  /** The column that is also needed. */
  readonly column?: string;
}

const SHORT_NAMES = OPERATIONS.map(({ short }) => short);
const NEAR_NAMES = [...SHORT_NAMES, ...OPERATIONS.map(({ path }) => path)];

/** What a cell names as its operation. It compares the text with many names: a sheet asks once for each text. */
export function operationNamed(name: string): NamedOperation {
  const operation = findOperation(name);
  if (operation) return { operation, candidates: NONE };
  const everyday = everydayWord(name);
  if (everyday) return { candidates: everyday.operations, ...present({ column: everyday.column }) };
  const nearest = nearestName(name, NEAR_NAMES);
  if (nearest !== undefined) return { nearest, candidates: NONE };
  const ways = [meantOneOf, nearlyEveryday, nearlyChinese];
  return { candidates: ways.map((way) => way(name)).find((found) => found.length > 0) ?? NONE };
}

/** `Vidoe` may mean either of two operations: only the sheet's author knows which. */
function meantOneOf(name: string): readonly string[] {
  const stemOf = (operation: string): string => operation.split('-')[0] ?? operation;
  const stem = nearestName(name, SHORT_NAMES.map(stemOf));
  if (stem === undefined) {
    const guess = nearestName(name, SHORT_NAMES, 2);
    return guess === undefined ? NONE : [guess];
  }
  return SHORT_NAMES.filter((operation) => stemOf(operation) === stem);
}

function checkWhole(
  column: ReservedColumn,
  record: RawRecord,
  layout: SheetLayout,
  range: { readonly least: number; readonly most: number; readonly otherwise: number },
  problems: RowProblems,
): number {
  const text = textIn(record, layout, column);
  if (text === undefined) return range.otherwise;
  const value = parseWhole(text, range.least, range.most);
  if (value.ok) return value.value;
  const message = domainWords.problems.row.holds(headerOfColumn(layout, column), quoteCell(text));
  const remedy = domainWords.problems.row.writeWhole(range.least, range.most, range.otherwise);
  problems.add('error', 'reserved-value', column, { message, remedy });
  return range.otherwise;
}

/**
 * A row goes only to the account that it names. In a batch with one account there is nothing to name, and the column is
 * the user's own.
 */
function checkAccount(
  text: string | undefined,
  { accounts }: Pick<RowContext, 'accounts'>,
  problems: RowProblems,
): string | undefined {
  const named = text?.trim();
  if (named === undefined || accounts === undefined || accounts.includes(named)) return named;
  if (accounts.length < 2) return undefined;
  const nearest = nearestName(named, accounts);
  problems.add('error', 'account-unknown', 'account', {
    ...domainWords.problems.row.noAccount(quoteCell(named), nearest && quoteCell(nearest), accounts.map(quoteCell)),
    ...(text === undefined || text.length > LONGEST_CELL_NAME
      ? {}
      : { cell: { text, ...present({ meant: nearest }) } }),
  });
  return undefined;
}

function checkYes(
  column: (typeof ROW_SWITCHES)[number],
  record: RawRecord,
  layout: SheetLayout,
  problems: RowProblems,
): boolean {
  const text = textIn(record, layout, column);
  if (text === undefined) return false;
  const value = parseBoolean(text);
  if (value.ok) return value.value;
  const message = domainWords.problems.row.holds(headerOfColumn(layout, column), quoteCell(text));
  problems.add('error', 'reserved-value', column, { message, remedy: value.error.remedy });
  return false;
}

/** Whether a text holds characters that JSON, files and gateways treat differently. */
export function hasUnsendable(text: string): boolean {
  return UNSENDABLE.test(text);
}

function checkCharacters(record: RawRecord, context: RowContext, problems: RowProblems): void {
  const { headers } = context.layout;
  // A plain loop, because it visits every cell of every row: two million in a large sheet.
  for (let index = 0; index < record.cells.length; index++) {
    const cell = record.cells[index];
    if (cell === undefined || cell === '') continue;
    if (hasUnsendable(cell)) {
      const text = domainWords.problems.row.unsendable(quoteCell(cell), cell.includes('\0') ? 'nul' : 'half');
      problems.add('error', 'value-characters', headers[index], text);
    }
    if (index >= headers.length && !isBlank(cell)) {
      const text = domainWords.problems.row.extraCell(quoteCell(cell), letterOf(index + 1), letterOf(headers.length));
      problems.add('error', 'extra-cells', undefined, text);
      return;
    }
  }
}

/**
 * A prototype without members: a header such as `__proto__` or `toString` is then an ordinary name, and unlike objects
 * without a prototype these stay small and fast.
 */
const PLAIN = Object.freeze(Object.create(null) as object);

function cellsByHeader(headers: readonly string[], cells: readonly string[]): Record<string, string> {
  const named = Object.create(PLAIN) as Record<string, string>;
  for (let index = 0; index < headers.length; index++) {
    const header = headers[index];
    if (header) named[header] = cells[index] ?? '';
  }
  return named;
}
