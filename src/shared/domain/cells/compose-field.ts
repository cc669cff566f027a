import { domainWords } from '../../words/domain-words.ts';
import { parseCell } from './cell-value.ts';
import { composeCell, linkedText, textOf } from './compose-cell.ts';
import type { CellPlace, ComposedPart, LanguageProblem } from './compose-cell.ts';
import type { Json } from '../base/json.ts';
import type { Column } from '../operations/operations.ts';
import type { LinkedField } from './reference.ts';
import { isBlank } from '../base/text.ts';

/** A field composed of what its cell names. */
export interface ComposedField {
  /** The field's value; references stay as written. Undefined if nothing is to be sent. */
  readonly value: Json | undefined;
  /** The part of it that other rows give. */
  readonly link?: LinkedField;
  /** What is known about the value before other rows are done; undefined if nothing is. */
  readonly known: Json | undefined;
  readonly problems: readonly LanguageProblem[];
  readonly named: readonly number[];
  /** The parts of the field, piece by piece. */
  readonly parts: readonly ComposedPart[];
}

/** Composes a field's cell and makes the field's value from it. A field that comes out blank sends nothing. */
export function composeField(cell: string, column: Column, place: Omit<CellPlace, 'column'>): ComposedField {
  const at = { ...place, column: column.column };
  return column.field.type === 'string[]' ? composeList(cell, column, at) : composeValue(cell, column, at);
}

function composeValue(cell: string, { column, field }: Column, place: CellPlace): ComposedField {
  const composed = composeCell(cell, place);
  const { parts, problems } = composed;
  if (hasError(problems)) return { ...composed, ...NOTHING };
  const text = textOf(parts);
  const linked = linkedText(parts);
  if (linked) {
    return { ...composed, value: text, link: { column, value: { kind: 'text', text: linked } }, known: undefined };
  }
  if (isBlank(text)) return { ...composed, ...NOTHING };
  const value = parseCell(text, field.type);
  if (value.ok) return { ...composed, value: value.value, known: value.value };
  const wrong: LanguageProblem = {
    ...value.error,
    severity: 'error',
    message: domainWords.problems.cell.sentence(value.error.message),
  };
  return { ...composed, ...NOTHING, problems: [...problems, wrong] };
}

function composeList(cell: string, { column }: Column, place: CellPlace): ComposedField {
  const { items, problems, named } = cell.trimStart().startsWith('[')
    ? composeJsonItems(cell, place)
    : composeItems(cell, place);
  const composed = { problems, named, parts: items.flat() };
  if (hasError(problems) || items.length === 0) return { ...composed, ...NOTHING };
  const value = items.map(textOf);
  const linked = items.map(linkedText);
  if (linked.every((item) => item === undefined)) return { ...composed, value, known: value };
  const texts = linked.map((item, index) => item ?? [value[index] ?? '']);
  return {
    ...composed,
    value,
    link: { column, value: { kind: 'list', items: texts } },
    known: value.filter((_, index) => linked[index] === undefined),
  };
}

interface ComposedItems {
  readonly items: readonly (readonly ComposedPart[])[];
  readonly problems: readonly LanguageProblem[];
  readonly named: readonly number[];
}

/** The items of a JSON array, each composed by itself: neither a value that is put in nor a `|` splits an item. */
function composeJsonItems(cell: string, place: CellPlace): ComposedItems {
  const list = parseCell(cell, 'string[]');
  if (!list.ok) {
    return {
      items: [],
      problems: [{ ...list.error, severity: 'error', message: domainWords.problems.cell.sentence(list.error.message) }],
      named: [],
    };
  }
  let draws = 0;
  const composed = (list.value as readonly string[]).map((item) => {
    const one = composeCell(item, place, draws);
    draws += one.draws;
    return one;
  });
  return {
    items: composed.map(({ parts }) => parts),
    problems: composed.flatMap(({ problems }) => problems),
    named: composed.flatMap(({ named }) => named),
  };
}

/** Items between `|` of the cell's own text; values that are put in are never split. Blank items are left out. */
function composeItems(cell: string, place: CellPlace): ComposedItems {
  const { parts, problems, named } = composeCell(cell, place);
  const items: ComposedPart[][] = [[]];
  for (const part of parts) {
    if (part.kind !== 'own') {
      items.at(-1)?.push(part);
      continue;
    }
    for (const [index, text] of part.text.split('|').entries()) {
      if (index > 0) items.push([]);
      items.at(-1)?.push({ kind: 'own', text });
    }
  }
  const trimmed = items.map(trimItem).filter((item) => linkedText(item) !== undefined || !isBlank(textOf(item)));
  return { items: trimmed.map(orEmptyText), problems, named };
}

/** The item without blanks at the ends of its own text; blanks of values that are put in stay. */
function trimItem(item: readonly ComposedPart[]): readonly ComposedPart[] {
  const parts = item.filter((part) => part.kind !== 'own' || part.text !== '');
  return parts.map((part, index) => {
    if (part.kind !== 'own') return part;
    const start = index === 0 ? part.text.trimStart() : part.text;
    return { kind: 'own', text: index === parts.length - 1 ? start.trimEnd() : start };
  });
}

/** `""` as an item of the cell's own text is the empty text. */
function orEmptyText(item: readonly ComposedPart[]): readonly ComposedPart[] {
  const [only] = item;
  return item.length === 1 && only?.kind === 'own' && only.text === '""' ? [] : item;
}

function hasError(problems: readonly LanguageProblem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

const NOTHING = { value: undefined, known: undefined } as const;
