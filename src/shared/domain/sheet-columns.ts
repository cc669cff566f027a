import { ALL_COLUMNS, columnsOf } from './operations.ts';
import type { Column, Operation } from './operations.ts';
import { quoteCell } from './cell-value.ts';
import { foldName, nearestName } from './nearest-name.ts';
import type { SheetProblem } from './row.ts';

/** Columns that are about the row itself; every other column is a field of the interface. */
export const RESERVED_COLUMNS = ['row', 'operation', 'filename', 'takes', 'priority', 'skip', 'note'] as const;
export type ReservedColumn = (typeof RESERVED_COLUMNS)[number];

const KNOWN_COLUMNS: readonly string[] = [...RESERVED_COLUMNS, ...ALL_COLUMNS];
const KNOWN_COLUMN_SET: ReadonlySet<string> = new Set(KNOWN_COLUMNS);

/** Two fields can have the same folded name: one operation says `aspectRatio`, another one `aspect_ratio`. */
const BY_FOLDED_NAME: ReadonlyMap<string, readonly string[]> = groupByFoldedName(KNOWN_COLUMNS);

function groupByFoldedName(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = groups.get(foldName(name));
    if (group) group.push(name);
    else groups.set(foldName(name), [name]);
  }
  return groups;
}

/** True for a header that means a column of ours, exactly or nearly. */
export function isKnownHeader(header: string): boolean {
  return KNOWN_COLUMN_SET.has(header.trim()) || BY_FOLDED_NAME.has(foldName(header));
}

/** Which cell of a line holds which column. */
export interface SheetLayout {
  readonly headers: readonly string[];
  /** Cell index by the exact name of a reserved column or of a field. */
  readonly indexes: ReadonlyMap<string, number>;
  /** Cell indexes that have no name at all. */
  readonly nameless: readonly number[];
  /** What is wrong with the header line. */
  readonly problems: readonly SheetProblem[];
}

/**
 * Finds the columns of a sheet. Exact names come first; what is left may differ in case, spaces and underscores, and is
 * then accepted with a warning that names what it was taken for.
 */
export function layOutColumns(headers: readonly string[]): SheetLayout {
  const names = headers.map((header) => header.trim());
  const indexes = new Map<string, number>();
  const problems: SheetProblem[] = duplicateHeaders(names);
  for (const [index, name] of names.entries()) {
    if (KNOWN_COLUMN_SET.has(name) && !indexes.has(name)) indexes.set(name, index);
  }
  for (const [index, name] of names.entries()) {
    if (name === '' || KNOWN_COLUMN_SET.has(name)) continue;
    const meant = BY_FOLDED_NAME.get(foldName(name));
    const free = meant?.filter((column) => !indexes.has(column)) ?? [];
    for (const column of free) indexes.set(column, index);
    if (!meant) problems.push(unknownColumn(name));
    else if (free.length > 0) problems.push(nearlyNamedColumn(name, free));
    else problems.push(secondColumn(name, names[indexes.get(meant[0] ?? '') ?? 0] ?? ''));
  }
  const nameless = names.flatMap((name, index) => (name === '' ? [index] : []));
  return { headers, indexes, nameless, problems };
}

function duplicateHeaders(names: readonly string[]): SheetProblem[] {
  const places = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    if (name !== '') places.set(name, [...(places.get(name) ?? []), index + 1]);
  }
  return [...places].flatMap(([name, columns]) => {
    if (columns.length < 2) return [];
    return {
      severity: 'error',
      code: 'duplicate-header',
      column: name,
      message: `The header ${quoteCell(name)} is there ${columns.length} times: columns ${columns.map(letterOf).join(', ')}.`,
      remedy: 'Rename or delete all but one of them, so that it is clear which cells to send.',
    };
  });
}

function secondColumn(name: string, other: string): SheetProblem {
  return {
    severity: 'error',
    code: 'duplicate-header',
    column: name,
    message: `The headers ${quoteCell(other)} and ${quoteCell(name)} mean the same column.`,
    remedy: 'Rename or delete one of them, so that it is clear which cells to send.',
  };
}

function unknownColumn(name: string): SheetProblem {
  const nearest = nearestName(name, KNOWN_COLUMNS);
  return {
    severity: 'warning',
    code: 'unknown-column',
    column: name,
    message: `No operation has a field ${quoteCell(name)}; this column is not sent.`,
    remedy: nearest
      ? `Rename it to ${quoteCell(nearest)} if that is what you mean; otherwise leave it as it is.`
      : 'Check its spelling if it should be sent; otherwise leave it as it is.',
  };
}

function nearlyNamedColumn(name: string, columns: readonly string[]): SheetProblem {
  return {
    severity: 'warning',
    code: 'header-matched',
    column: name,
    message: `The header ${quoteCell(name)} is taken for ${columns.map(quoteCell).join(' or ')}.`,
    remedy: `Rename it to ${quoteCell(columns[0] ?? '')} if that is right, or to something else if it is not.`,
  };
}

/** A spreadsheet's name for a column, counted from 1: A, B, … Z, AA. */
export function letterOf(column: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** One operation's view of a sheet: which cells it sends, and which it has no use for. */
export interface OperationLayout {
  readonly operation: Operation;
  readonly sent: readonly { readonly column: Column; readonly index: number }[];
  /** Cell indexes that are fields of other operations. */
  readonly unused: readonly number[];
}

/** What one operation makes of the columns of a sheet. */
export function layOutOperation(layout: SheetLayout, operation: Operation): OperationLayout {
  const sent = columnsOf(operation).flatMap((column) => {
    const index = layout.indexes.get(column.column);
    return index === undefined ? [] : [{ column, index }];
  });
  const used = new Set(sent.map((cell) => cell.index));
  for (const name of RESERVED_COLUMNS) used.add(layout.indexes.get(name) ?? -1);
  const unused = [...new Set(layout.indexes.values())].filter((index) => !used.has(index));
  return { operation, sent, unused };
}
