import { hintsOf, isAsked, synonymsOf } from './column-synonyms.ts';
import { editDistance, foldName } from '../base/nearest-name.ts';
import { KNOWN_COLUMNS, layOutColumns, type HeaderMatch, type SheetLayout } from './sheet-columns.ts';
import { everydayWord, findOperation } from '../operations/operations.ts';
import type { RawSheet } from './sheet-raw.ts';
import { isBlank } from '../base/text.ts';

/** A header and the column it is taken for; the user confirms or changes it. */
export interface ColumnDescription {
  readonly header: string;
  /** The exact column that it stands for, the first one if there are several; empty if it is not sent. */
  readonly column: string;
  /** The other columns that it stands for: one word may be a field of several operations. */
  readonly also: readonly string[];
  readonly how: HeaderMatch;
  /** Columns that it may mean instead, the likeliest first. */
  readonly suggestions: readonly string[];
}

const MOST_SUGGESTIONS = 5;

/** What every header of a sheet is taken for, in order. */
export function describeColumns(
  headers: readonly string[],
  mapping: Readonly<Record<string, string>> = {},
): readonly ColumnDescription[] {
  return layOutColumns(headers, mapping).meanings.map(({ header, how, columns }) => {
    const [column = '', ...also] = columns;
    // An exact name, or a choice of the user, needs no alternatives.
    const needsNone = how === 'exact' || how === 'chosen' || how === 'nameless';
    return { header, column, also, how, suggestions: needsNone ? [] : suggestionsFor(header, column) };
  });
}

function suggestionsFor(header: string, column: string): readonly string[] {
  // “What is your name?” is not the name of a column, although it contains one.
  const similar = isAsked(header) ? [] : alike(header);
  const likely = [...synonymsOf(header), ...hintsOf(header), ...similar];
  return [...new Set(likely)].filter((name) => name !== column).slice(0, MOST_SUGGESTIONS);
}

/** A header this long is a sentence; comparing it with names finds nothing. */
const LONGEST_NAME = 64;
const SHORTEST_PART = 4;

/** Columns whose names are similar, contain the header or are contained in it; the nearest first. */
function alike(header: string): readonly string[] {
  const wanted = foldName(header);
  if (wanted === '' || wanted.length > LONGEST_NAME) return [];
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = KNOWN_COLUMNS.map((name) => ({ name, distance: distanceOf(wanted, foldName(name), most) }));
  return ranked
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

function distanceOf(wanted: string, known: string, most: number): number {
  const isPart = (part: string, whole: string): boolean => part.length >= SHORTEST_PART && whole.includes(part);
  if (isPart(wanted, known) || isPart(known, wanted)) return most;
  return editDistance(wanted, known);
}

/** This many lines show what a column holds. */
const LINES_LOOKED_AT = 200;

/**
 * The header of the column that names the operations, if the author calls it something else: all its cells are names of
 * operations. Undefined if the sheet has the column under its own name, or no such column.
 */
export function operationColumnByCells(
  { headers, records }: Pick<RawSheet, 'headers' | 'records'>,
  layout: SheetLayout,
): string | undefined {
  if (layout.indexes.has('operation')) return undefined;
  const taken = new Set(layout.indexes.values());
  return headers.find((header, index) => {
    if (isBlank(header) || taken.has(index)) return false;
    const cells = records.slice(0, LINES_LOOKED_AT).map((record) => record.cells[index] ?? '');
    const filled = cells.filter((cell) => !isBlank(cell));
    const operations = new Set(filled.map((cell) => findOperation(cell)));
    if (filled.length === 0 || operations.has(undefined)) return false;
    // One everyday word in all rows, such as “photo”, may also say where something comes from.
    return operations.size > 1 || filled.some((cell) => everydayWord(cell) === undefined);
  });
}
