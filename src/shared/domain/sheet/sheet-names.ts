import { NAME_LIKE } from '../cells/compose-cell.ts';
import { mayHoldTokens, tokeniseCell, type CellToken } from '../cells/cell-tokens.ts';
import { ALL_COLUMNS, operationOf, type OperationPath } from '../operations/operations.ts';
import { layOutOperation, type SheetLayout } from './sheet-columns.ts';
import { SheetLanguage } from '../cells/sheet-language.ts';
import type { RawSheet } from './sheet-raw.ts';

/** The names in a sheet's cells that are not among its columns. */
export interface SheetNames {
  /** Names in braces that are not columns, each once, in order: variables of the batch. */
  readonly variables: readonly string[];
  /** Lists that cells draw from, each once, in order. */
  readonly lists: readonly string[];
  /** Cells that contain a choice such as `{red|green}`. */
  readonly choiceCells: number;
  /** How many rows there would be with one row for every combination of choices. */
  readonly expandedRows: number;
}

/** No sheet names more on purpose: the rest is text with braces in it. */
const MOST_NAMES = 200;

/**
 * Looks through the cells that are sent.
 * @param operationAt The operation of the record at an index; without one, all columns count.
 */
export function namesInCells(
  { records }: Pick<RawSheet, 'records'>,
  layout: SheetLayout,
  operationAt: (index: number) => OperationPath | undefined = () => undefined,
): SheetNames {
  const language = new SheetLanguage(layout, {});
  const cellsOf = sentCells(layout);
  const variables = new Set<string>();
  const lists = new Set<string>();
  let choiceCells = 0;
  let expandedRows = 0;
  for (const [index, { cells }] of records.entries()) {
    let combinations = 1;
    for (const cell of cellsOf(operationAt(index))) {
      const text = cells[cell] ?? '';
      if (!mayHoldTokens(text)) continue;
      const { tokens } = tokeniseCell(text);
      const choices = tokens.filter((token) => token.kind === 'choice');
      if (choices.length > 0) choiceCells += 1;
      for (const { alternatives } of choices) combinations *= alternatives.length;
      for (const token of tokens) noteName(token, language, { variables, lists });
    }
    expandedRows += combinations;
  }
  return { variables: [...variables], lists: [...lists], choiceCells, expandedRows };
}

/**
 * Puts the values of variables into a cell that is sent, by its text and index; everything else that it names stays as
 * it is written.
 */
export function fillVariables(
  layout: SheetLayout,
  variables: Readonly<Record<string, string>>,
): (text: string, index: number) => string {
  const language = new SheetLanguage(layout, { variables });
  const sent = new Set(sentCells(layout)(undefined));
  const filled = (token: CellToken): string => {
    const named = token.kind === 'name' ? language.find(token.name) : undefined;
    return named?.kind === 'variable' ? named.text : token.written;
  };
  return (text, index) =>
    sent.has(index) && mayHoldTokens(text) ? tokeniseCell(text).tokens.map(filled).join('') : text;
}

/** The indexes of the cells that an operation sends; without one, of all cells that any operation sends. */
function sentCells(layout: SheetLayout): (operation: OperationPath | undefined) => readonly number[] {
  const known = new Map<OperationPath | undefined, readonly number[]>();
  return (operation) => {
    const found = known.get(operation);
    if (found !== undefined) return found;
    const indexes =
      operation === undefined
        ? [...layout.indexes].filter(([column]) => ALL_COLUMNS.has(column)).map(([, index]) => index)
        : layOutOperation(layout, operationOf(operation)).sent.map(({ index }) => index);
    const own = [...new Set(indexes)];
    known.set(operation, own);
    return own;
  };
}

function noteName(
  token: CellToken,
  language: SheetLanguage,
  { variables, lists }: { readonly variables: Set<string>; readonly lists: Set<string> },
): void {
  if (token.kind === 'list' && lists.size < MOST_NAMES) lists.add(token.name);
  if (token.kind !== 'name' || variables.size >= MOST_NAMES || !NAME_LIKE.test(token.name)) return;
  if (language.find(token.name) === undefined) variables.add(token.name);
}
