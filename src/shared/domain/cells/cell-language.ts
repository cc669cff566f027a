import { domainWords } from '../../words/domain-words.ts';
import { parseCell, quoteCell } from './cell-value.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { columnsOf } from '../operations/operations.ts';
import type { Column, Operation } from '../operations/operations.ts';
import type { LinkedField, LinkedText, Reference, ReferenceSource } from './reference.ts';
import { assertNever, err, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import { valueAt, whatIsIn } from './result-path.ts';

/** Why a body cannot be sent: another row does not give what this row needs from it. */
export interface UnresolvedReference {
  /** The id of the other row. */
  readonly row: string;
  /** The column of the reference. */
  readonly column: string;
  /** A sentence that says what is wrong. */
  readonly message: string;
}

/** What a done row gives; undefined for a row that gives nothing. */
export type SourceOf = (rowId: string) => ReferenceSource | undefined;

/**
 * The body to send, once the rows that it refers to are done: their values get the type of the field. Texts and long
 * numbers keep every character, and nothing that is put in is interpreted again.
 */
export function resolveBody(
  operation: Operation,
  body: JsonObject,
  links: readonly LinkedField[] | undefined,
  sourceOf: SourceOf,
): Result<JsonObject, UnresolvedReference> {
  if (links === undefined || links.length === 0) return ok(body);
  const resolved: Record<string, Json> = { ...body };
  for (const link of links) {
    const column = columnsOf(operation).find((known) => known.column === link.column);
    if (column === undefined) throw new Error(`“${operation.short}” has no field ${link.column}.`);
    const value = resolveField(column, link, sourceOf);
    if (!value.ok) return value;
    const { object, field } = column;
    if (object === undefined) resolved[field.name] = value.value;
    else resolved[object] = { ...(resolved[object] as JsonObject | undefined), [field.name]: value.value };
  }
  const [first] = links;
  if (first !== undefined && !makesSense(operation, resolved)) return err(emptyResult(first));
  return ok(resolved);
}

/** Whether a body says what to render: without any of its operation's sense fields, the user would pay for nothing. */
export function makesSense(operation: Operation, body: JsonObject): boolean {
  return operation.senseFields.some((name) => !isNothing(body[name]));
}

function isNothing(value: Json | undefined): boolean {
  if (value === undefined) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.every(isNothing);
}

function resolveField(
  column: Column,
  { value: link, column: name }: LinkedField,
  sourceOf: SourceOf,
): Result<Json, UnresolvedReference> {
  switch (link.kind) {
    case 'text': {
      const text = resolveText(link.text, name, sourceOf);
      // Unlike a cell, a value that is put in always stands for itself: `""` is two characters.
      if (!text.ok || column.field.type === 'string') return text;
      const value = parseCell(text.value, column.field.type);
      return value.ok ? value : err(wrongType(link.text, name, value.error.message));
    }
    case 'list':
      return resolveList(link.items, name, sourceOf);
    default:
      return assertNever(link);
  }
}

/** The items of a list; a reference that is an item by itself and gives a list gives its items. */
function resolveList(
  items: readonly LinkedText[],
  column: string,
  sourceOf: SourceOf,
): Result<readonly string[], UnresolvedReference> {
  const resolved: string[] = [];
  for (const item of items) {
    const [only] = item;
    if (item.length === 1 && only !== undefined && typeof only !== 'string') {
      const value = valueOf(only, column, sourceOf);
      if (!value.ok) return value;
      const texts = (Array.isArray(value.value) ? (value.value as readonly Json[]) : [value.value]).map(scalarText);
      const written = texts.filter((text) => text !== undefined);
      if (written.length < texts.length) return err(notText(only, column, value.value));
      // One by one: a gateway's list may have more items than a call can have arguments.
      for (const text of written) resolved.push(text);
    } else {
      const text = resolveText(item, column, sourceOf);
      if (!text.ok) return text;
      resolved.push(text.value);
    }
  }
  return ok(resolved);
}

function resolveText(text: LinkedText, column: string, sourceOf: SourceOf): Result<string, UnresolvedReference> {
  let resolved = '';
  for (const part of text) {
    if (typeof part === 'string') {
      resolved += part;
      continue;
    }
    const value = valueOf(part, column, sourceOf);
    if (!value.ok) return value;
    const written = scalarText(value.value);
    if (written === undefined) return err(notText(part, column, value.value));
    resolved += written;
  }
  return ok(resolved);
}

function valueOf(reference: Reference, column: string, sourceOf: SourceOf): Result<Json, UnresolvedReference> {
  const source = sourceOf(reference.row);
  if (source === undefined) return err(missing(reference, column, domainWords.problems.given.nothingYet));
  switch (reference.path.kind) {
    case 'task-code':
      return ok(source.taskCode);
    case 'output-url': {
      const url = source.outputUrls[reference.path.index - 1];
      return url === undefined ? err(missing(reference, column, countOfOutputs(source))) : ok(url);
    }
    case 'picture': {
      const address = source.pictures?.get(reference.text);
      return address === undefined ? err(missing(reference, column, countOfOutputs(source))) : ok(address);
    }
    case 'result': {
      const value = valueAt(source.result, reference.path.path);
      if (!value.ok) return err(missing(reference, column, value.error));
      const [picked] = source.outputUrls;
      return ok(picked !== undefined && value.value === source.inPlaceOf ? picked : value.value);
    }
    default:
      return assertNever(reference.path);
  }
}

function countOfOutputs({ outputUrls }: ReferenceSource): string {
  return domainWords.problems.given.outputs(outputUrls.length);
}

/** A value as text; undefined for a list or an object. */
function scalarText(value: Json): string | undefined {
  return typeof value === 'object' ? undefined : String(value);
}

function missing(reference: Reference, column: string, why: string): UnresolvedReference {
  const written = quoteCell(`{{${reference.text}}}`);
  const message = domainWords.problems.given.needs(column, written, quoteCell(reference.row), why);
  return { row: reference.row, column, message };
}

function notText(reference: Reference, column: string, value: Json): UnresolvedReference {
  const why = value === null ? domainWords.problems.given.isNull : domainWords.problems.given.isNoText(whatIsIn(value));
  return missing(reference, column, why);
}

function wrongType(text: LinkedText, column: string, why: string): UnresolvedReference {
  return { row: firstRow(text), column, message: domainWords.problems.given.wrongType(column, why) };
}

function emptyResult({ column, value }: LinkedField): UnresolvedReference {
  const row = value.kind === 'text' ? firstRow(value.text) : firstRow(value.items.flat());
  return {
    row,
    column,
    message: domainWords.problems.given.nothingToRender(column, quoteCell(row)),
  };
}

function firstRow(text: LinkedText): string {
  const reference = text.find((part) => typeof part !== 'string');
  return typeof reference === 'object' ? reference.row : '';
}
