import { domainWords } from '../../words/domain-words.ts';
import { makesSense } from '../cells/cell-language.ts';
import { mayHoldTokens } from '../cells/cell-tokens.ts';
import { parseCell, quoteCell } from '../cells/cell-value.ts';
import { composeField } from '../cells/compose-field.ts';
import { addressKindOf } from '../cells/local-file.ts';
import type { ComposedField } from '../cells/compose-field.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { KeyFinder } from '../base/key-finder.ts';
import type { Column } from '../operations/operations.ts';
import {
  picturesIn,
  readReference,
  type LinkedField,
  type LinkedText,
  type PictureReference,
} from '../cells/reference.ts';
import type { RowProblems, SheetProblem } from './problems.ts';
import type { OperationLayout, SentColumn } from './sheet-columns.ts';
import { holdsKey } from './sheet-key.ts';
import type { LanguageRow, SheetLanguage } from '../cells/sheet-language.ts';
import { isBlank } from '../base/text.ts';

/** A longer prompt is more likely a slip of the clipboard. */
const LONG_PROMPT_BYTES = 100_000;

/** The body of a row, and what its cells contributed. */
export interface RowBody {
  readonly body: JsonObject;
  /** The fields that other rows give; absent if there are none. */
  readonly links?: readonly LinkedField[];
  /** Indexes of the cells that were put in by their names. */
  readonly named: readonly number[];
  /** How many characters were composed; this may be many more than the cells have. */
  readonly composed: number;
}

/** What a body is made from besides the row itself. */
export interface BodyContext {
  readonly own: OperationLayout;
  readonly language: SheetLanguage;
  /** Finds the keys of gateways: a body must not contain a key that was put together from pieces. */
  readonly keyFinder: KeyFinder | undefined;
  /** Files of this computer are put where a gateway can read them. */
  readonly putsFiles: boolean;
}

/** The request body of a row, in the interface's order of fields. */
export function readBody(row: LanguageRow, context: BodyContext, problems: RowProblems): RowBody {
  const reader = new BodyReader(row, context, problems);
  for (const { column, index } of context.own.sent) {
    const cell = row.record.cells[index];
    if (cell !== undefined && !isBlank(cell)) reader.read(cell, column);
  }
  reader.finish();
  return reader;
}

/** One empty list for all rows: there may be a million of them. */
const NONE: readonly never[] = [];

class BodyReader implements RowBody {
  readonly body: Record<string, Json> = {};
  links?: LinkedField[];
  named: readonly number[] = NONE;
  composed = 0;
  readonly #broken = new Set<string>();
  readonly #row: LanguageRow;
  readonly #context: BodyContext;
  readonly #problems: RowProblems;

  constructor(row: LanguageRow, context: BodyContext, problems: RowProblems) {
    this.#row = row;
    this.#context = context;
    this.#problems = problems;
  }

  read(cell: string, column: SentColumn): void {
    if (mayHoldTokens(cell)) {
      this.#compose(cell, column);
      return;
    }
    const value = parseCell(cell, column.field.type);
    if (value.ok) {
      this.#warn(value.value, column);
      this.#set(column, value.value);
    } else {
      this.#refuse(column, value.error);
    }
  }

  finish(): void {
    checkRanges(this.body, this.#context.own, this.#problems);
    checkSense(this.body, this.#context.own, this.#broken, this.#problems);
  }

  #compose(cell: string, column: SentColumn): void {
    const { language, keyFinder } = this.#context;
    const field = composeField(cell, column, { row: this.#row, language });
    for (const { severity, code, ...text } of field.problems) {
      const message = domainWords.problems.cell.says(column.header, text.message);
      this.#problems.add(severity, code, column.column, { message, remedy: text.remedy });
    }
    if (field.named.length > 0) this.named = [...this.named, ...field.named];
    const { value } = field;
    if (value === undefined) {
      if (field.problems.some((problem) => problem.severity === 'error')) this.#broken.add(nameOf(column));
    } else if (keyFinder?.holds(JSON.stringify(value)) === true) {
      this.#problems.add('error', 'contains-key', column.column, holdsKey('composed'));
      this.#broken.add(nameOf(column));
    } else {
      this.#takeComposed(column, field, value);
    }
  }

  #takeComposed(column: SentColumn, { link, known }: ComposedField, value: Json): void {
    this.composed += sizeOf(value);
    if (link) {
      (this.links ??= []).push(link);
      const wrong = pictureUseProblem(link, column, this.#context.putsFiles);
      if (wrong !== undefined) this.#problems.add('error', wrong.code, column.column, wrong);
    }
    if (known !== undefined) this.#warn(known, column);
    this.#set(column, value);
  }

  #warn(value: Json, column: SentColumn): void {
    warnOfValue(value, column, this.#problems);
    if (column.field.role === 'url') checkAddresses(value, column, this.#problems, this.#context.putsFiles);
  }

  #refuse(
    column: SentColumn,
    error: { readonly code: 'value-type' | 'value-range'; message: string; remedy: string },
  ): void {
    const message = domainWords.problems.cell.is(column.header, error.message);
    this.#problems.add('error', error.code, column.column, { message, remedy: error.remedy });
    this.#broken.add(nameOf(column));
  }

  #set(column: SentColumn, value: Json): void {
    const { object, field } = column;
    if (object === undefined) this.body[field.name] = value;
    else this.body[object] = { ...(this.body[object] as JsonObject | undefined), [field.name]: value };
  }
}

/** The sense fields of an operation by the names of their columns. */
function nameOf(column: Column): string {
  return column.object ?? column.field.name;
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? (value as readonly string[]).reduce((sum, item) => sum + item.length, 0) : 0;
}

function warnOfValue(value: Json, column: SentColumn, problems: RowProblems): void {
  if (column.object === 'controls' && typeof value === 'number' && (value < 0 || value > 100)) {
    problems.add(
      'warning',
      'value-range',
      column.column,
      domainWords.problems.cell.unusualControl(column.header, value),
    );
  }
  if (column.field.role === 'prompt' && typeof value === 'string' && isLongerThan(value, LONG_PROMPT_BYTES)) {
    const text = domainWords.problems.cell.longPrompt(column.header, LONG_PROMPT_BYTES / 1000, quoteCell(value));
    problems.add('warning', 'value-long', column.column, text);
  }
}

function checkAddresses(value: Json, column: SentColumn, problems: RowProblems, putsFiles: boolean): void {
  const texts = (typeof value === 'string' ? [value] : value) as readonly string[];
  const file = putsFiles ? undefined : texts.find((text) => addressKindOf(text) === 'file');
  if (file !== undefined) {
    problems.add(
      'error',
      'local-file',
      column.column,
      domainWords.problems.cell.localFile(column.header, quoteCell(file)),
    );
  }
  const strange = texts.find((text) => addressKindOf(text) === 'other');
  if (strange === undefined) return;
  const text = domainWords.problems.cell.noAddress(column.header, quoteCell(strange));
  problems.add('warning', 'value-address', column.column, text);
}

/**
 * What is wrong with the pictures that a field needs made; undefined if nothing is.
 * @param putsFiles There is a place for them.
 */
function pictureUseProblem(
  link: LinkedField,
  column: SentColumn,
  putsFiles: boolean,
): Pick<SheetProblem, 'code' | 'message' | 'remedy'> | undefined {
  const picture = picturesIn(link).find(isSurely);
  if (picture === undefined) return undefined;
  const written = quoteCell(`{{${picture.text}}}`);
  const items = link.value.kind === 'text' ? [link.value.text] : link.value.items;
  if (column.field.media !== 'image') {
    return { code: 'reference-invalid', ...domainWords.problems.cell.takesNoPicture(column.header, written) };
  }
  if (items.some((item) => item.length > 1 && holdsPicture(item, column.column))) {
    return { code: 'reference-invalid', ...domainWords.problems.cell.pictureInText(column.header, written) };
  }
  if (putsFiles) return undefined;
  return { code: 'local-file', ...domainWords.problems.cell.localPicture(column.header, written) };
}

function holdsPicture(item: LinkedText, column: string): boolean {
  return picturesIn({ column, value: { kind: 'text', text: item } }).some(isSurely);
}

/** `{{a.result.output.1.cover}}` may be a field of the result of row `a`: which rows exist is not known here. */
function isSurely({ text }: PictureReference): boolean {
  return readReference(text).length === 1;
}

/** Whether a text has more bytes in UTF-8 than this. */
function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  if (text.length * 3 <= bytes) return false;
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Both halves of a surrogate pair count two bytes each: four bytes for the character.
    count += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return count > bytes;
}

function checkRanges(body: Readonly<Record<string, Json>>, own: OperationLayout, problems: RowProblems): void {
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const { start_s: start, end_s: end } = value as JsonObject;
    if (typeof start !== 'number' || typeof end !== 'number' || end > start) continue;
    const [first, last] = [`${name}.start_s`, `${name}.end_s`];
    const text = domainWords.problems.cell.endsFirst(headerIn(own, last), end, headerIn(own, first), start);
    problems.add('error', 'value-range', last, text);
  }
}

function checkSense(body: JsonObject, own: OperationLayout, broken: ReadonlySet<string>, problems: RowProblems): void {
  const { senseFields, short } = own.operation;
  if (senseFields.some((name) => broken.has(name)) || makesSense(own.operation, body)) return;
  const headers = senseFields.map((name) => headerIn(own, name));
  problems.add('error', 'nothing-to-render', senseFields[0], domainWords.problems.row.nothingToRender(headers, short));
}

/** What the sheet's author calls a field; the field's own name if the sheet has no column for it. */
function headerIn({ sent }: OperationLayout, name: string): string {
  return sent.find(({ column }) => column.column === name)?.column.header ?? name;
}
