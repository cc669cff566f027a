import { domainWords } from '../../words/domain-words.ts';
import { escapeText, mayHoldTokens, tokeniseCell } from '../cells/cell-tokens.ts';
import type { CellToken } from '../cells/cell-tokens.ts';
import { parseCell, quoteCell } from '../cells/cell-value.ts';
import type { Operation } from '../operations/operations.ts';
import type { SheetProblem } from './problems.ts';
import type { OperationLayout, SheetLayout } from './sheet-columns.ts';
import { isBlank } from '../base/text.ts';
import type { RawRecord, RawSheet } from './sheet-raw.ts';
import { foldRowId, nameRows } from './sheet-row-ids.ts';

/** A sheet in which every alternative of a choice is its own row. */
export interface ExpandedSheet {
  readonly records: readonly RawRecord[];
  /** The ids of the rows, in their order. */
  readonly ids: readonly string[];
  /** Rows with too many alternatives stay as they are, with an error; a sheet with too many of them is refused. */
  readonly problems: readonly SheetProblem[];
}

const MOST_ROWS_OF_ONE = 10_000;
/** As many as a spreadsheet program can hold. */
const MOST_ROWS = 1_048_576;
/** As much text as a sheet's file may hold. */
const MOST_CHARACTERS = 200 * 1024 * 1024;

/** What is known about the sheet's columns and rows. */
export interface ExpandContext {
  readonly layout: SheetLayout;
  readonly operationOf: (record: RawRecord) => Operation | undefined;
  readonly layoutOf: (operation: Operation) => OperationLayout;
}

/**
 * Makes a row for every combination of the alternatives in a row's cells, in order: `intro` becomes `intro-1`,
 * `intro-2` and so on, without ids that other rows have. The new rows stay on the line that they came from.
 */
export function expandChoices(raw: RawSheet, context: ExpandContext): ExpandedSheet {
  const named = nameRows(raw, context.layout);
  const plans = raw.records.map((record, index) => planOf(record, named.ids[index] ?? '', context));
  const refused = tooManyInAll(plans);
  if (refused) return { records: raw.records, ids: named.ids, problems: [refused] };
  const taken = new Set(named.ids.map(foldRowId));
  const records: RawRecord[] = [];
  const ids: string[] = [];
  const problems: SheetProblem[] = [];
  const expandedIds = new Map<string, readonly string[]>();
  for (const { record, base, cells, count } of plans) {
    const rows = count <= 1 || count > MOST_ROWS_OF_ONE ? undefined : expandCells(record, cells, count);
    if (rows === undefined) {
      records.push(record);
      ids.push(base);
      if (count > 1)
        problems.push({ ...(count > MOST_ROWS_OF_ONE ? tooManyOfOne(count) : unwritable()), line: record.line });
      continue;
    }
    const own = freeIds(base, rows.length, taken);
    expandedIds.set(base, own);
    for (const [number, id] of own.entries()) {
      records.push({ ...record, cells: withId(rows[number] ?? [], id, context.layout) });
      ids.push(id);
    }
  }
  const idProblems = named.problems.flatMap((problem) =>
    (expandedIds.get(problem.row ?? '') ?? [problem.row ?? '']).map((row) => ({ ...problem, row })),
  );
  return { records, ids, problems: [...problems, ...idProblems] };
}

/** The rows that come from a row. */
interface RowPlan {
  readonly record: RawRecord;
  readonly base: string;
  readonly cells: readonly ChoiceCell[];
  /** How many rows; 1 for a row without choices. */
  readonly count: number;
}

function planOf(record: RawRecord, base: string, context: ExpandContext): RowPlan {
  const cells = hasUsableId(record, base, context.layout) ? choiceCellsOf(record, context) : [];
  return { record, base, cells, count: cells.reduce((product, { choices }) => product * combinationsOf(choices), 1) };
}

/** Counted before the first row is made: a million of them would fill the memory for nothing. */
function tooManyInAll(plans: readonly RowPlan[]): SheetProblem | undefined {
  let total = 0;
  let characters = 0;
  for (const { record, base, cells, count } of plans) {
    const own = count > MOST_ROWS_OF_ONE ? 1 : count;
    total += own;
    for (const { index } of cells) characters += own * (record.cells[index]?.length ?? 0);
    if (total > MOST_ROWS) return tooMany(MOST_ROWS, 'rows', record, base);
    if (characters > MOST_CHARACTERS) return tooMany(MOST_CHARACTERS / 1024 / 1024, 'characters', record, base);
  }
  return undefined;
}

/** A row whose id has an error keeps it, so that the user sees the error. */
function hasUsableId(record: RawRecord, base: string, layout: SheetLayout): boolean {
  const column = layout.indexes.get('row');
  const cell = column === undefined ? undefined : record.cells[column];
  return cell === undefined || isBlank(cell) || cell.trim() === base;
}

/** A cell with choices: its text, or the texts of its items if it is a JSON array. */
interface ChoiceCell {
  readonly index: number;
  readonly isJson: boolean;
  readonly texts: readonly (readonly CellToken[])[];
  /** The alternatives of each choice, in the order of the cell. */
  readonly choices: readonly (readonly string[])[];
}

function combinationsOf(choices: readonly (readonly string[])[]): number {
  return choices.reduce((product, alternatives) => product * alternatives.length, 1);
}

/** The cells with choices that the row's operation sends. */
function choiceCellsOf(record: RawRecord, { operationOf, layoutOf }: ExpandContext): readonly ChoiceCell[] {
  const operation = operationOf(record);
  if (operation === undefined) return [];
  const lists = new Map(layoutOf(operation).sent.map(({ index, column }) => [index, column.field.type === 'string[]']));
  return [...lists].flatMap(([index, isList]) => {
    const cell = record.cells[index];
    if (cell === undefined || !mayHoldTokens(cell)) return [];
    const items = isList && cell.trimStart().startsWith('[') ? parseCell(cell, 'string[]') : undefined;
    const isJson = items?.ok === true;
    const texts = (isJson ? (items.value as readonly string[]) : [cell]).map((text) => tokeniseCell(text).tokens);
    const choices = texts.flat().flatMap((token) => (token.kind === 'choice' ? [token.alternatives] : []));
    return choices.length === 0 ? [] : [{ index, isJson, texts, choices }];
  });
}

/** The cells of every row that comes from one, the last choice changing fastest; undefined if one cannot be written. */
function expandCells(
  record: RawRecord,
  choiceCells: readonly ChoiceCell[],
  count: number,
): readonly (readonly string[])[] | undefined {
  const rows: (readonly string[])[] = [];
  for (let number = 0; number < count; number++) {
    const cells = [...record.cells];
    let rest = number;
    for (const source of choiceCells.toReversed()) {
      const own = combinationsOf(source.choices);
      const cell = writeCell(source, rest % own);
      if (cell === undefined) return undefined;
      cells[source.index] = cell;
      rest = Math.floor(rest / own);
    }
    rows.push(cells);
  }
  return rows;
}

/** The cell with one combination of its alternatives, in the syntax of a cell. */
function writeCell({ texts, choices, isJson }: ChoiceCell, combination: number): string | undefined {
  const picked: string[] = [];
  let rest = combination;
  for (const alternatives of choices.toReversed()) {
    picked.unshift(alternatives[rest % alternatives.length] ?? '');
    rest = Math.floor(rest / alternatives.length);
  }
  let next = 0;
  const written = texts.map((tokens) =>
    writeText(tokens.map((token) => (token.kind === 'choice' ? textToken(picked[next++] ?? '') : token))),
  );
  if (written.some((text) => text === undefined)) return undefined;
  return isJson ? JSON.stringify(written) : written[0];
}

function textToken(text: string): CellToken {
  return { kind: 'text', start: 0, written: escapeText(text), text };
}

/**
 * Tokens as a cell that parses into exactly these. Neighbours may form something new (`_` and `_x__`): then all text is
 * escaped. What cannot be written even then (a `\\` before braces) is undefined.
 */
function writeText(tokens: readonly CellToken[]): string | undefined {
  const plain = tokens.map((token) => token.written).join('');
  const escaped = mergeText(tokens)
    .map((token) => (token.kind === 'text' ? escapeText(token.text) : token.written))
    .join('');
  return [plain, escaped].find((cell) => isUnderstoodAs(cell, tokens));
}

function isUnderstoodAs(cell: string, tokens: readonly CellToken[]): boolean {
  const meaning = (list: readonly CellToken[]): string =>
    JSON.stringify(mergeText(list).map((token) => [token.kind, token.kind === 'text' ? token.text : token.written]));
  return meaning(tokeniseCell(cell).tokens) === meaning(tokens);
}

function mergeText(tokens: readonly CellToken[]): readonly CellToken[] {
  const merged: CellToken[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    if (token.kind !== 'text' || last?.kind !== 'text') merged.push(token);
    else merged[merged.length - 1] = { ...last, written: last.written + token.written, text: last.text + token.text };
  }
  return merged.filter((token) => token.kind !== 'text' || token.text !== '');
}

function freeIds(base: string, count: number, taken: Set<string>): readonly string[] {
  const ids: string[] = [];
  for (let number = 1; ids.length < count; number++) {
    const id = `${base}-${number}`;
    if (taken.has(foldRowId(id))) continue;
    taken.add(foldRowId(id));
    ids.push(id);
  }
  return ids;
}

function withId(cells: readonly string[], id: string, layout: SheetLayout): readonly string[] {
  const column = layout.indexes.get('row');
  return column === undefined || column >= cells.length ? cells : cells.with(column, id);
}

function tooManyOfOne(count: number): SheetProblem {
  return {
    severity: 'error',
    code: 'choice-invalid',
    ...domainWords.problems.row.manyChoices(count > 1e12 ? undefined : count, MOST_ROWS_OF_ONE),
  };
}

function tooMany(most: number, of: 'rows' | 'characters', { line }: RawRecord, id: string): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.sheet.manyRows(most, of, quoteCell(id), line),
  };
}

function unwritable(): SheetProblem {
  return {
    severity: 'error',
    code: 'choice-invalid',
    ...domainWords.problems.row.unwritableChoice,
  };
}
