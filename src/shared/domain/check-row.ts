import { parseBoolean, parseCell, parseWhole, quoteCell } from './cell-value.ts';
import type { Json, JsonObject } from './json.ts';
import { findOperation, OPERATIONS } from './operations.ts';
import type { Column, Operation, OperationPath } from './operations.ts';
import { nearestName } from './nearest-name.ts';
import type { Row, SheetProblem, SheetProblemCode } from './row.ts';
import { letterOf } from './sheet-columns.ts';
import type { OperationLayout, ReservedColumn, SheetLayout } from './sheet-columns.ts';
import { isBlank } from './sheet-raw.ts';
import type { RawRecord } from './sheet-raw.ts';

/** What the checks of a row need to know about its sheet. */
export interface RowContext {
  readonly layout: SheetLayout;
  /** The columns as an operation sees them; the same answer for the same operation. */
  readonly layoutOf: (operation: Operation) => OperationLayout;
  /** What a row without an operation is. */
  readonly defaultOperation: OperationPath | undefined;
}

/** A row that was checked by itself; what concerns several rows is checked by checkSheet. */
export interface CheckedRow {
  readonly row: Row;
  readonly problems: readonly SheetProblem[];
  /** Cell indexes that are not blank although the row's operation has no use for them. */
  readonly unusedCells: readonly number[];
  /** Cell indexes that other cells of the row put in by their names: such a column is of use, whatever it is called. */
  readonly namedCells: readonly number[];
}

const MOST_TAKES = 100;
const PRIORITY_LIMIT = 1_000_000;
/** A longer prompt is more likely a slip of the clipboard than a prompt. */
const LONG_PROMPT_BYTES = 100_000;
/** NUL and halves of surrogate pairs: JSON, files and gateways treat them in different ways. */
const UNSENDABLE = /[\0\p{Surrogate}]/u;
const REFERENCE = /\{\{.*?\}\}/s;

/** Collects the problems of one row, so that each of them names the row. */
class RowProblems {
  readonly found: SheetProblem[] = [];
  readonly #place: { readonly line: number; readonly row: string };

  constructor(line: number, row: string) {
    this.#place = { line, row };
  }

  add(
    severity: 'error' | 'warning',
    code: SheetProblemCode,
    text: { message: string; remedy: string },
    column?: string,
  ): void {
    const { message, remedy } = text;
    this.found.push({ severity, code, ...this.#place, ...(column === undefined ? {} : { column }), message, remedy });
  }
}

/** One line of a sheet as the row it is, with everything that is wrong with it. */
export function checkRow(record: RawRecord, id: string, context: RowContext): CheckedRow {
  const problems = new RowProblems(record.line, id);
  const { layout } = context;
  checkCharacters(record, context, problems);
  const text = (name: ReservedColumn): string | undefined => {
    const index = layout.indexes.get(name);
    const cell = index === undefined ? undefined : record.cells[index];
    return isBlank(cell) ? undefined : cell;
  };
  const operation = checkOperation(text('operation'), context, problems);
  const own = operation && context.layoutOf(operation);
  const body = own ? readBody(record, own, problems) : {};
  const row: Row = {
    id,
    line: record.line,
    operation: operation?.path,
    body,
    takes: checkWhole('takes', text('takes'), { least: 1, most: MOST_TAKES, otherwise: 1 }, problems),
    priority: checkWhole(
      'priority',
      text('priority'),
      { least: -PRIORITY_LIMIT, most: PRIORITY_LIMIT, otherwise: 0 },
      problems,
    ),
    filename: text('filename'),
    note: text('note'),
    skip: checkSkip(text('skip'), problems),
    cells: cellsByHeader(layout.headers, record.cells),
  };
  if (row.skip) return { row, problems: NONE, unusedCells: NONE, namedCells: NONE };
  const unusedCells = own ? own.unused.filter((index) => !isBlank(record.cells[index])) : NONE;
  return { row, problems: orNone(problems.found), unusedCells: orNone(unusedCells), namedCells: NONE };
}

/** One empty list for all rows: there may be a million of them. */
const NONE: readonly never[] = [];

function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NONE : list;
}

function checkOperation(text: string | undefined, context: RowContext, problems: RowProblems): Operation | undefined {
  const name = text ?? context.defaultOperation;
  if (name === undefined) {
    const remedy = 'Name an operation, such as music, image or lyrics; or delete the line.';
    problems.add('error', 'operation-missing', { message: 'This row names no operation.', remedy }, 'operation');
    return undefined;
  }
  const operation = findOperation(name);
  if (operation) return operation;
  const shortNames = OPERATIONS.map((known) => known.short);
  const nearest = nearestName(name, [...shortNames, ...OPERATIONS.map((known) => known.path)]);
  const list = `The operations are ${shortNames.join(', ')}.`;
  problems.add(
    'error',
    'operation-unknown',
    {
      message: `There is no operation ${quoteCell(name)}.`,
      remedy: nearest ? `Did you mean ${quoteCell(nearest)}? ${list}` : list,
    },
    'operation',
  );
  return undefined;
}

function checkWhole(
  column: ReservedColumn,
  text: string | undefined,
  range: { readonly least: number; readonly most: number; readonly otherwise: number },
  problems: RowProblems,
): number {
  if (text === undefined) return range.otherwise;
  const value = parseWhole(text, range.least, range.most);
  if (value.ok) return value.value;
  const message = `The column “${column}” holds ${quoteCell(text)}.`;
  const remedy = `Write a whole number from ${range.least} to ${range.most}, or leave it blank for ${range.otherwise}.`;
  problems.add('error', 'reserved-value', { message, remedy }, column);
  return range.otherwise;
}

function checkSkip(text: string | undefined, problems: RowProblems): boolean {
  if (text === undefined) return false;
  const value = parseBoolean(text);
  if (value.ok) return value.value;
  problems.add(
    'error',
    'reserved-value',
    { message: `The column “skip” holds ${quoteCell(text)}.`, remedy: value.error.remedy },
    'skip',
  );
  return false;
}

function checkCharacters(record: RawRecord, context: RowContext, problems: RowProblems): void {
  const { headers } = context.layout;
  // A plain loop, because this is every cell of every row: two million of them in a large sheet.
  for (let index = 0; index < record.cells.length; index++) {
    const cell = record.cells[index];
    if (cell === undefined || cell === '') continue;
    if (UNSENDABLE.test(cell)) {
      const what = cell.includes('\0') ? 'a NUL character' : 'half of a character (a lone surrogate)';
      const message = `The cell ${quoteCell(cell)} holds ${what}, which no gateway takes.`;
      problems.add(
        'error',
        'value-characters',
        { message, remedy: 'Type the text of this cell again.' },
        headers[index],
      );
    }
    if (index >= headers.length && !isBlank(cell)) {
      problems.add('error', 'extra-cells', extraCells(cell, index, headers.length));
      return;
    }
  }
}

function extraCells(cell: string, index: number, headers: number): { message: string; remedy: string } {
  return {
    message: `The row has more cells than the header: ${quoteCell(cell)} in column ${letterOf(index + 1)} has no header, the last one is in ${letterOf(headers)}.`,
    remedy: 'If a text was torn apart at its commas, put double quotes around it; otherwise delete what is too much.',
  };
}

/** The request body of a row, in the interface's order of fields. */
function readBody(record: RawRecord, own: OperationLayout, problems: RowProblems): JsonObject {
  const body: Record<string, Json> = {};
  const broken = new Set<string>();
  for (const { column, index } of own.sent) {
    const cell = record.cells[index];
    if (cell === undefined || isBlank(cell)) continue;
    const value = readField(cell, column, problems);
    const name = column.object ?? column.field.name;
    if (value === undefined) broken.add(name);
    else if (column.object === undefined) body[name] = value;
    else body[name] = { ...(body[name] as JsonObject | undefined), [column.field.name]: value };
  }
  checkRanges(body, problems);
  checkSense(body, own.operation, broken, problems);
  return body;
}

/** The value of one cell, or undefined when it has an error. */
function readField(cell: string, column: Column, problems: RowProblems): Json | undefined {
  const reference = REFERENCE.exec(cell);
  if (reference) {
    const message = `${quoteCell(reference[0])} refers to another row, which this version does not do yet.`;
    const remedy = 'Render the other row first, then put its id or address here in place of the reference.';
    problems.add('error', 'reference-unsupported', { message, remedy }, column.column);
    return undefined;
  }
  const value = parseCell(cell, column.field.type);
  if (!value.ok) {
    const { code, message, remedy } = value.error;
    problems.add('error', code, { message: `“${column.column}”: ${message}.`, remedy }, column.column);
    return undefined;
  }
  warnOfValue(value.value, column, problems);
  return value.value;
}

function warnOfValue(value: Json, column: Column, problems: RowProblems): void {
  if (column.object === 'controls' && typeof value === 'number' && (value < 0 || value > 100)) {
    const message = `“${column.column}” is ${value}; gateways commonly take 0 to 100.`;
    problems.add(
      'warning',
      'value-range',
      { message, remedy: 'Check the number; it is sent as it is.' },
      column.column,
    );
  }
  if (column.field.role === 'prompt' && typeof value === 'string' && isLongerThan(value, LONG_PROMPT_BYTES)) {
    const message = `“${column.column}” is longer than ${LONG_PROMPT_BYTES / 1000} kB: ${quoteCell(value)}.`;
    problems.add(
      'warning',
      'value-long',
      { message, remedy: 'Check that this is what you want to pay for.' },
      column.column,
    );
  }
  if (column.field.role === 'url') {
    const addresses = (typeof value === 'string' ? [value] : value) as readonly string[];
    const strange = addresses.find((address) => !/^https?:\/\/[^\s/]/i.test(address));
    if (strange === undefined) return;
    const message = `“${column.column}” holds ${quoteCell(strange)}, which is not a web address.`;
    const remedy =
      'The gateway cannot read files of this computer. Put the file on the web and give its https:// address.';
    problems.add('warning', 'value-address', { message, remedy }, column.column);
  }
}

/** Whether a text has more bytes in UTF-8 than this. */
function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  if (text.length * 3 <= bytes) return false;
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Both halves of a surrogate pair are two bytes each: four bytes for the character.
    count += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return count > bytes;
}

function checkRanges(body: Readonly<Record<string, Json>>, problems: RowProblems): void {
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const { start_s: start, end_s: end } = value as JsonObject;
    if (typeof start !== 'number' || typeof end !== 'number' || end > start) continue;
    const message = `“${name}” ends at ${end} s and starts at ${start} s.`;
    problems.add('error', 'value-range', { message, remedy: 'Let it end after its start.' }, `${name}.end_s`);
  }
}

function checkSense(body: JsonObject, operation: Operation, broken: ReadonlySet<string>, problems: RowProblems): void {
  const { senseFields, short } = operation;
  if (senseFields.some((name) => broken.has(name) || !isNothing(body[name]))) return;
  const fields = senseFields.join(', ');
  problems.add('error', 'nothing-to-render', {
    message: `Nothing here says what to render: ${senseFields.length > 1 ? `${fields} are all blank` : `${fields} is blank`}.`,
    remedy: `Fill in ${senseFields.length > 1 ? 'at least one of them' : 'this cell'}, which “${short}” makes no sense without, or delete the line.`,
  });
}

function isNothing(value: Json | undefined): boolean {
  if (value === undefined) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.every(isNothing);
}

/**
 * A prototype without anything in it: a header such as `__proto__` or `toString` is then a name like any other, and
 * unlike objects without a prototype these ones stay small and fast.
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
