import { groupBy } from '../base/result.ts';
import { domainWords } from '../../words/domain-words.ts';
import { hintsOf, synonymsOf, withoutAside } from './column-synonyms.ts';
import { ALL_COLUMNS, columnsOf } from '../operations/operations.ts';
import type { Column, Operation } from '../operations/operations.ts';
import { quoteCell } from '../cells/cell-value.ts';
import { foldName, nearestName } from '../base/nearest-name.ts';
import { hasAllResultColumns, isResultColumn } from '../base/result-columns.ts';
import type { SheetProblem } from './problems.ts';

/** Columns about the row itself; every other column is a field of the interface. */
export const RESERVED_COLUMNS = [
  'row',
  'operation',
  'filename',
  'takes',
  'priority',
  'account',
  'pick',
  'skip',
  'note',
] as const;
export type ReservedColumn = (typeof RESERVED_COLUMNS)[number];

/** If filled in, a row's draws depend on it; no field of the interface has this name. */
export const SEED_COLUMN = 'seed';

/** What each column about the row is for. */
export function helpOfRowColumns(): Readonly<Record<ReservedColumn | typeof SEED_COLUMN, string>> {
  return domainWords.common.rowColumns;
}

/** Every column that a header can mean. */
export const KNOWN_COLUMNS: readonly string[] = [...RESERVED_COLUMNS, SEED_COLUMN, ...ALL_COLUMNS];
const KNOWN_COLUMN_SET: ReadonlySet<string> = new Set(KNOWN_COLUMNS);

/** Two fields can have the same folded name: one operation has `aspectRatio`, another `aspect_ratio`. */
const BY_FOLDED_NAME: ReadonlyMap<string, readonly string[]> = groupBy(KNOWN_COLUMNS, foldName);

/** True for a header that means one of our columns, exactly, nearly or in other words. */
export function isKnownHeader(header: string): boolean {
  return KNOWN_COLUMN_SET.has(header.trim()) || BY_FOLDED_NAME.has(foldName(header)) || inOtherWords(header).length > 0;
}

/**
 * The columns that a header means in other words, or by a name with something beside it, such as “Title (optional)”.
 */
function inOtherWords(header: string): readonly string[] {
  const synonyms = synonymsOf(header);
  return synonyms.length > 0 ? synonyms : (BY_FOLDED_NAME.get(foldName(withoutAside(header))) ?? []);
}

/** The columns that have the name of this one in other operations, and the column itself. */
function twinsOf(column: string): readonly string[] {
  return BY_FOLDED_NAME.get(foldName(column)) ?? [];
}

/** All columns that a header means in other words, if this is one of them. */
function alsoMeant(column: string, header: string): readonly string[] {
  const meant = BY_FOLDED_NAME.has(foldName(header)) ? [] : inOtherWords(header);
  return meant.includes(column) ? meant : [];
}

/** How the column was found: `chosen` and `ignored` come from the user. */
export type HeaderMatch = 'exact' | 'alike' | 'synonym' | 'chosen' | 'ignored' | 'unknown' | 'nameless';

/** What a header means. */
export interface HeaderMeaning {
  readonly header: string;
  readonly how: HeaderMatch;
  /** The exact names of its columns; several if operations have different names for it. */
  readonly columns: readonly string[];
}

/** Which cell of a line holds which column. */
export interface SheetLayout {
  readonly headers: readonly string[];
  /** Cell index by the exact name of a reserved column, of a field, or of `seed`. */
  readonly indexes: ReadonlyMap<string, number>;
  /** What each header means, in order. */
  readonly meanings: readonly HeaderMeaning[];
  /** Indexes of cells without a name. */
  readonly nameless: readonly number[];
  /** What is wrong with the header line. */
  readonly problems: readonly SheetProblem[];
}

/**
 * Finds the columns of a sheet. The user's choices come first, then exact names; the other headers may differ in case,
 * spaces and underscores, or say the same in other words: unless only the case differs, they are accepted with a
 * warning that names the column.
 * @param mapping The user's choices for headers: an exact column, or `''` for a header that is not sent.
 */
export function layOutColumns(headers: readonly string[], mapping: Readonly<Record<string, string>> = {}): SheetLayout {
  const matcher = new HeaderMatcher(headers, mapping);
  matcher.matchAll();
  return {
    headers,
    indexes: matcher.indexes,
    meanings: matcher.meanings(),
    nameless: matcher.names.flatMap((name, index) => (name === '' ? [index] : [])),
    problems: matcher.problems,
  };
}

class HeaderMatcher {
  readonly names: readonly string[];
  readonly indexes = new Map<string, number>();
  readonly problems: SheetProblem[];
  readonly #found = new Map<number, HeaderMeaning>();
  readonly #mapping: ReadonlyMap<string, string>;

  constructor(headers: readonly string[], mapping: Readonly<Record<string, string>>) {
    this.names = headers.map((header) => header.trim());
    this.#mapping = new Map(Object.entries(mapping).map(([header, column]) => [header.trim(), column.trim()]));
    this.problems = duplicateHeaders(this.names);
  }

  meanings(): readonly HeaderMeaning[] {
    return this.names.map(
      (header, index) => this.#found.get(index) ?? { header, how: header === '' ? 'nameless' : 'unknown', columns: [] },
    );
  }

  matchAll(): void {
    this.#checkMapping();
    const chosen = this.#each((name, index) => this.#matchChosen(name, index));
    const rest = this.#each((name, index) => !chosen.has(index) && this.#matchExact(name, index));
    // A chosen column also stands for the same thing in other operations, unless another header has that name.
    for (const index of chosen) this.#addColumns(index, twinsOf);
    this.#each((name, index) => !chosen.has(index) && !rest.has(index) && this.#matchNearly(name, index));
    // To choose one of what a header means anyway takes nothing from the other operations.
    for (const index of chosen) this.#addColumns(index, alsoMeant);
    this.#each((name, index) => !this.#found.has(index) && this.#matchSynonym(name, index));
    // One alone is the author's own, until results are written into it.
    const hasResults = hasAllResultColumns(this.names);
    for (const [index, name] of this.names.entries()) {
      if (name === '' || this.#found.has(index) || (hasResults && isResultColumn(name))) continue;
      this.problems.push(unknownColumn(name));
    }
  }

  /** The indexes of the named headers for which something holds. */
  #each(match: (name: string, index: number) => boolean): ReadonlySet<number> {
    return new Set(this.names.flatMap((name, index) => (name !== '' && match(name, index) ? [index] : [])));
  }

  #checkMapping(): void {
    for (const [header, column] of this.#mapping) {
      if (!this.names.includes(header)) this.problems.push(noHeader(header, this.names));
      else if (column !== '' && !KNOWN_COLUMN_SET.has(column)) this.problems.push(noColumn(header, column));
    }
  }

  #matchChosen(name: string, index: number): boolean {
    const column = this.#mapping.get(name);
    if (column === undefined || (column !== '' && !KNOWN_COLUMN_SET.has(column))) return false;
    if (column === '') return this.#take(index, 'ignored', []);
    const other = this.#other(column, index);
    if (other === undefined) return this.#take(index, 'chosen', [column]);
    this.problems.push(secondColumn(name, other));
    return this.#take(index, 'unknown', []);
  }

  #matchExact(name: string, index: number): boolean {
    if (!KNOWN_COLUMN_SET.has(name)) return false;
    const other = this.#other(name, index);
    if (other === undefined) return this.#take(index, 'exact', [name]);
    // The same name twice already has its error; otherwise the user chose another header for this column.
    if (other !== name) this.problems.push(displacedColumn(name, name, other));
    return this.#take(index, 'unknown', []);
  }

  #matchNearly(name: string, index: number): boolean {
    const meant = BY_FOLDED_NAME.get(foldName(name));
    if (meant === undefined) return false;
    const free = meant.filter((column) => !this.indexes.has(column));
    if (free.length > 0) {
      // If only the case differs, there is no doubt.
      const isSure = free.some((column) => column.toLowerCase() === name.toLowerCase());
      if (isSure) return this.#take(index, 'exact', free);
      this.problems.push(nearlyNamedColumn(name, free));
      return this.#take(index, 'alike', free);
    }
    const [column = ''] = meant;
    const other = this.indexes.get(column) ?? index;
    const isChosen = this.#found.get(other)?.how === 'chosen';
    const otherName = this.names[other] ?? '';
    this.problems.push(isChosen ? displacedColumn(name, column, otherName) : secondColumn(name, otherName));
    return this.#take(index, 'unknown', []);
  }

  #matchSynonym(name: string, index: number): boolean {
    const meant = inOtherWords(name);
    const free = meant.filter((column) => !this.indexes.has(column));
    const [column] = meant;
    if (column === undefined) return false;
    if (free.length === 0) {
      this.problems.push(takenColumn(name, column, this.#other(column, index) ?? ''));
      return this.#take(index, 'unknown', []);
    }
    this.problems.push(nearlyNamedColumn(name, free));
    return this.#take(index, 'synonym', free);
  }

  /** A chosen header stands for more columns, as far as no other header has them. */
  #addColumns(index: number, more: (column: string, header: string) => readonly string[]): void {
    const { columns = [], header = '' } = this.#found.get(index) ?? {};
    const [column] = columns;
    if (column === undefined) return;
    const free = more(column, header).filter((other) => !this.indexes.has(other));
    if (free.length > 0) this.#take(index, 'chosen', [...columns, ...free]);
  }

  /** The other header that has this column, if there is one. */
  #other(column: string, index: number): string | undefined {
    const other = this.indexes.get(column);
    return other === undefined || other === index ? undefined : this.names[other];
  }

  #take(index: number, how: HeaderMatch, columns: readonly string[]): true {
    for (const column of columns) this.indexes.set(column, index);
    this.#found.set(index, { header: this.names[index] ?? '', how, columns });
    return true;
  }
}

function duplicateHeaders(names: readonly string[]): SheetProblem[] {
  const places = groupBy(
    [...names.entries()],
    ([, name]) => name,
    ([index]) => index + 1,
  );
  return [...places].flatMap(([name, columns]) => {
    if (name === '' || columns.length < 2) return [];
    return {
      severity: 'error',
      code: 'duplicate-header',
      column: name,
      ...domainWords.problems.header.duplicate(quoteCell(name), columns.map(letterOf)),
    };
  });
}

function secondColumn(name: string, other: string): SheetProblem {
  return {
    severity: 'error',
    code: 'duplicate-header',
    column: name,
    ...domainWords.problems.header.sameColumn(quoteCell(other), quoteCell(name)),
  };
}

function displacedColumn(name: string, column: string, other: string): SheetProblem {
  return {
    severity: 'warning',
    code: 'unknown-column',
    column: name,
    ...domainWords.problems.header.displaced(quoteCell(name), quoteCell(column), quoteCell(other)),
  };
}

/** Two headers mean the same column, one of them in other words. */
function takenColumn(name: string, column: string, other: string): SheetProblem {
  return {
    severity: 'warning',
    code: 'unknown-column',
    column: name,
    ...domainWords.problems.header.taken(quoteCell(name), quoteCell(column), quoteCell(other)),
  };
}

function noHeader(header: string, names: readonly string[]): SheetProblem {
  const nearest = nearestName(
    header,
    names.filter((name) => name !== ''),
  );
  return {
    severity: 'warning',
    code: 'mapping-unknown',
    column: header,
    ...domainWords.problems.header.chosenForNone(quoteCell(header), nearest && quoteCell(nearest)),
  };
}

function noColumn(header: string, column: string): SheetProblem {
  const nearest = nearestName(column, KNOWN_COLUMNS);
  return {
    severity: 'error',
    code: 'mapping-unknown',
    column: header,
    ...domainWords.problems.header.chosenAsNone(quoteCell(header), quoteCell(column), nearest && quoteCell(nearest)),
  };
}

function unknownColumn(name: string): SheetProblem {
  const meant = hintsOf(name);
  const nearest = nearestName(name, KNOWN_COLUMNS);
  return {
    severity: 'warning',
    code: 'unknown-column',
    column: name,
    // A word that people use for a field says more than a name that looks like it.
    ...domainWords.problems.header.unknown(quoteCell(name), meant.map(quoteCell), nearest && quoteCell(nearest)),
  };
}

function nearlyNamedColumn(name: string, columns: readonly string[]): SheetProblem {
  return {
    severity: 'warning',
    code: 'header-matched',
    column: name,
    ...domainWords.problems.header.matched(quoteCell(name), columns.map(quoteCell)),
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

/** What the sheet's author calls a column: its header; the column's own name where the sheet has none. */
export function headerOfColumn({ headers, indexes }: SheetLayout, column: string): string {
  const index = indexes.get(column);
  return index === undefined ? column : (headers[index] ?? column).trim();
}

/** A column under the name that the sheet's author knows it by. */
export interface SentColumn extends Column {
  readonly header: string;
}

/** One operation's view of a sheet: which cells it sends, and which it does not use. */
export interface OperationLayout {
  readonly operation: Operation;
  readonly sent: readonly { readonly column: SentColumn; readonly index: number }[];
  /** Indexes of cells that are fields of other operations. */
  readonly unused: readonly number[];
}

/** The columns of a sheet as one operation sees them. */
export function layOutOperation(layout: SheetLayout, operation: Operation): OperationLayout {
  const sent = columnsOf(operation).flatMap((column) => {
    const index = layout.indexes.get(column.column);
    return index === undefined ? [] : [{ column: { ...column, header: headerOfColumn(layout, column.column) }, index }];
  });
  const used = new Set(sent.map((cell) => cell.index));
  for (const name of [...RESERVED_COLUMNS, SEED_COLUMN]) used.add(layout.indexes.get(name) ?? -1);
  const unused = [...new Set(layout.indexes.values())].filter((index) => !used.has(index));
  return { operation, sent, unused };
}
