import { hintsOf, synonymsOf } from '../sheet/column-synonyms.ts';
import { editDistance, foldName } from '../base/nearest-name.ts';
import { KNOWN_COLUMNS, layOutColumns, type HeaderMatch, type SheetLayout } from '../sheet/sheet-columns.ts';
import { findOperation } from './operations.ts';
import { isBlank, type RawSheet } from '../sheet/sheet-raw.ts';

/** A header and what it is taken for, to be confirmed or changed by the user. */
export interface ColumnDescription {
  readonly header: string;
  /** The exact column that it stands for, the first where it stands for several; empty where it is not sent. */
  readonly column: string;
  /** The other columns that it stands for: one word may be a field of several operations. */
  readonly also: readonly string[];
  readonly how: HeaderMatch;
  /** Columns that it may mean instead, the likeliest first. */
  readonly suggestions: readonly string[];
}

const MOST_SUGGESTIONS = 5;

/** What every header of a sheet is taken for, in their order. */
export function describeColumns(
  headers: readonly string[],
  mapping: Readonly<Record<string, string>> = {},
): readonly ColumnDescription[] {
  return layOutColumns(headers, mapping).meanings.map(({ header, how, columns }) => {
    const [column = '', ...also] = columns;
    // Whoever wrote the exact name, or has chosen, needs no other.
    const needsNone = how === 'exact' || how === 'chosen' || how === 'nameless';
    return { header, column, also, how, suggestions: needsNone ? [] : suggestionsFor(header, column) };
  });
}

function suggestionsFor(header: string, column: string): readonly string[] {
  const likely = [...synonymsOf(header), ...hintsOf(header), ...alike(header)];
  return [...new Set(likely)].filter((name) => name !== column).slice(0, MOST_SUGGESTIONS);
}

/** A header this long is a sentence; comparing it with names would find nothing. */
const LONGEST_NAME = 64;
const SHORTEST_PART = 4;

/** Columns whose names are misspelt so, or are a part of the header, or have it as a part; the nearest first. */
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

/** So many of its lines say what a column holds. */
const LINES_LOOKED_AT = 200;

/**
 * The header of the column that names the operations, in a sheet whose author calls it something else: all its cells
 * are names of operations. Undefined where the sheet has the column under its name, and where no column is so.
 */
export function operationColumnByCells(
  { headers, records }: Pick<RawSheet, 'headers' | 'records'>,
  layout: SheetLayout,
): string | undefined {
  if (layout.indexes.has('operation')) return undefined;
  const taken = new Set(layout.indexes.values());
  return headers.find((header, index) => {
    if (isBlank(header) || taken.has(index)) return false;
    const cells = records.slice(0, LINES_LOOKED_AT).map((record) => record.cells[index]);
    const filled = cells.filter((cell) => cell !== undefined && !isBlank(cell));
    return filled.length > 0 && filled.every((cell) => cell !== undefined && findOperation(cell) !== undefined);
  });
}
