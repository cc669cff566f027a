import { escapeText, mayHoldTokens, tokeniseCell } from './cell-tokens.ts';
import type { CellToken } from './cell-tokens.ts';
import { parseCell, quoteCell } from './cell-value.ts';
import type { Operation } from './operations.ts';
import type { SheetProblem } from './row.ts';
import type { OperationLayout, SheetLayout } from './sheet-columns.ts';
import { isBlank } from './sheet-raw.ts';
import type { RawRecord, RawSheet } from './sheet-raw.ts';
import { foldRowId, nameRows } from './sheet-row-ids.ts';

/** A sheet in which every alternative of a choice is a row of its own. */
export interface ExpandedSheet {
  readonly records: readonly RawRecord[];
  /** The ids of the rows, in their order. */
  readonly ids: readonly string[];
  /** Rows with too many alternatives stay as they are, with an error; a sheet with too many of them is refused. */
  readonly problems: readonly SheetProblem[];
}

export const MOST_ROWS_OF_ONE = 10_000;
/** As many as a spreadsheet program can hold. */
export const MOST_ROWS = 1_048_576;

/** What is known of the sheet's columns and rows. */
export interface ExpandContext {
  readonly layout: SheetLayout;
  readonly operationOf: (record: RawRecord) => Operation | undefined;
  readonly layoutOf: (operation: Operation) => OperationLayout;
}

/**
 * Makes a row of its own of every combination of the alternatives in a row's cells, in their order: `intro` becomes
 * `intro-1`, `intro-2` and so on, without the ids that other rows have. They stand on the line that they came from.
 */
export function expandChoices(raw: RawSheet, context: ExpandContext): ExpandedSheet {
  const named = nameRows(raw, context.layout);
  const bases = named.ids;
  const taken = new Set(bases.map(foldRowId));
  const records: RawRecord[] = [];
  const ids: string[] = [];
  const problems: SheetProblem[] = [];
  const expandedIds = new Map<string, readonly string[]>();
  for (const [index, record] of raw.records.entries()) {
    const base = bases[index] ?? '';
    const sources = hasUsableId(record, base, context.layout) ? sourcesOf(record, context) : [];
    const count = sources.reduce((product, { choices }) => product * combinationsOf(choices), 1);
    if (records.length + Math.min(count, MOST_ROWS_OF_ONE) > MOST_ROWS) {
      return { records: raw.records, ids: bases, problems: [tooMany(record, base)] };
    }
    const cells = sources.length === 0 || count > MOST_ROWS_OF_ONE ? undefined : expandCells(record, sources, count);
    if (cells === undefined) {
      records.push(record);
      ids.push(base);
      if (count > MOST_ROWS_OF_ONE) problems.push({ ...tooManyOfOne(count), line: record.line });
      else if (sources.length > 0) problems.push({ ...unwritable(), line: record.line });
      continue;
    }
    const own = cells.map((_, number) => freeId(base, number + 1, taken));
    expandedIds.set(base, own);
    for (const [number, id] of own.entries()) {
      records.push({ ...record, cells: withId(cells[number] ?? [], id, context.layout) });
      ids.push(id);
    }
  }
  const idProblems = named.problems.flatMap((problem) =>
    (expandedIds.get(problem.row ?? '') ?? [problem.row ?? '']).map((row) => ({ ...problem, row })),
  );
  return { records, ids, problems: [...problems, ...idProblems] };
}

/** A row whose id has an error keeps it, so that the error is seen. */
function hasUsableId(record: RawRecord, base: string, layout: SheetLayout): boolean {
  const column = layout.indexes.get('row');
  const cell = column === undefined ? undefined : record.cells[column];
  return cell === undefined || isBlank(cell) || cell.trim() === base;
}

/** A cell with choices: its text, or the texts of its items where it is a JSON array. */
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
function sourcesOf(record: RawRecord, { operationOf, layoutOf }: ExpandContext): readonly ChoiceCell[] {
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

/** The cells of every row that comes of one, the last choice changing fastest; undefined when one cannot be written. */
function expandCells(
  record: RawRecord,
  sources: readonly ChoiceCell[],
  count: number,
): readonly (readonly string[])[] | undefined {
  const rows: (readonly string[])[] = [];
  for (let number = 0; number < count; number++) {
    const cells = [...record.cells];
    let rest = number;
    for (const source of sources.toReversed()) {
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

/** The cell with one combination of its alternatives, as a cell says it. */
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
 * Tokens as a cell that is understood as just these. What stands side by side now may mean something new (`_` and
 * `_x__`): then all text is escaped, and what cannot be written even so (a `\\` before braces) is undefined.
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

function freeId(base: string, number: number, taken: Set<string>): string {
  let own = number;
  while (taken.has(foldRowId(`${base}-${own}`))) own++;
  const id = `${base}-${own}`;
  taken.add(foldRowId(id));
  return id;
}

function withId(cells: readonly string[], id: string, layout: SheetLayout): readonly string[] {
  const column = layout.indexes.get('row');
  return column === undefined || column >= cells.length ? cells : cells.with(column, id);
}

function tooManyOfOne(count: number): SheetProblem {
  return {
    severity: 'error',
    code: 'choice-invalid',
    message: `The choices of this row make ${count} rows; at most ${MOST_ROWS_OF_ONE} come of one.`,
    remedy: 'Take alternatives or whole choices out, or draw one for each row.',
  };
}

function tooMany({ line }: RawRecord, id: string): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    message: `With all choices as rows of their own the sheet has more than ${MOST_ROWS} rows, from the row ${quoteCell(id)} on line ${line} on.`,
    remedy: 'Take alternatives out, divide the sheet into several ones, or draw one alternative for each row.',
  };
}

function unwritable(): SheetProblem {
  return {
    severity: 'error',
    code: 'choice-invalid',
    message:
      'An alternative of this row ends with “\\” right before braces or “__”, which cannot be told from \\{ and \\__.',
    remedy: 'Put a blank between them, or draw one alternative for each row.',
  };
}
