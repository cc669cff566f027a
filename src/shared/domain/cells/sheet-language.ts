import { foldName, nearestName } from '../base/nearest-name.ts';
import { isBlank } from '../base/text.ts';
import { isResultColumn } from '../base/result-columns.ts';

/** What `{name}` stands for. */
export type Named =
  | { readonly kind: 'row-id' }
  | { readonly kind: 'column'; readonly index: number }
  | { readonly kind: 'variable'; readonly text: string };

/** A row, as far as cells can refer to it. */
export interface LanguageRow {
  readonly record: { readonly cells: readonly string[] };
  readonly id: string;
}

/** The columns of a sheet, as far as cells can refer to them: its headers, and the cell index of each known column. */
interface LanguageColumns {
  readonly headers: readonly string[];
  readonly indexes: ReadonlyMap<string, number>;
}

export interface LanguageOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** Searches for nearest names at most this often: a sheet may have a million wrong ones. */
const MOST_LOOKUPS = 1000;

/** What the cells of a sheet can name: its columns, the variables of the batch and the user's lists. */
export class SheetLanguage {
  readonly #exact = new Map<string, Named>();
  readonly #folded = new Map<string, Named>();
  readonly #lists: ReadonlyMap<string, readonly string[]>;
  readonly #foldedLists: ReadonlyMap<string, readonly string[]>;
  readonly #nearest = new Map<string, string | undefined>();
  readonly #seedIndex: number | undefined;
  /** Columns that Nocturne fills with results: what a cell names must not change when they are written. */
  readonly #results: ReadonlySet<string>;

  constructor(layout: LanguageColumns, { variables = {}, lists = {} }: LanguageOptions) {
    const rowIndex = layout.indexes.get('row');
    this.#seedIndex = layout.indexes.get('seed');
    const named = layout.headers.map((header, index) => [header.trim(), index] as const);
    const own = named.filter(([name]) => !isResultColumn(name));
    this.#results = new Set(named.flatMap(([name]) => (isResultColumn(name) ? foldName(name) : [])));
    const columns = [...own, ...layout.indexes];
    this.#add(columns.map(([name, index]) => [name, index === rowIndex ? ROW_ID : { kind: 'column', index }]));
    this.#add([['row', ROW_ID]]);
    this.#add(Object.entries(variables).map(([name, text]) => [name.trim(), { kind: 'variable', text }]));
    const entries = Object.entries(lists);
    this.#lists = new Map(entries);
    this.#foldedLists = new Map(entries.map(([name, items]) => [foldName(name), items]));
  }

  /** Earlier names win; a name is also found by a near spelling, unless another name has that spelling exactly. */
  #add(entries: readonly (readonly [name: string, named: Named])[]): void {
    for (const [name, named] of entries) {
      const folded = foldName(name);
      if (name !== '' && !this.#exact.has(name)) this.#exact.set(name, named);
      if (folded !== '' && !this.#folded.has(folded)) this.#folded.set(folded, named);
    }
  }

  /** What a name in braces stands for: a column, with an exact or near name, wins over a variable. */
  find(name: string): Named | undefined {
    const exact = this.#exact.get(name);
    if (exact !== undefined && exact.kind !== 'variable') return exact;
    const nearly = this.#folded.get(foldName(name));
    return nearly?.kind === 'variable' ? (exact ?? nearly) : (nearly ?? exact);
  }

  /** Whether a name that `find` does not know is that of a column of results. */
  isResult(name: string): boolean {
    return this.#results.has(foldName(name));
  }

  listOf(name: string): readonly string[] | undefined {
    return this.#lists.get(name) ?? this.#foldedLists.get(foldName(name));
  }

  /** The name that the user most likely meant if `find` knew none. */
  nearestName(name: string): string | undefined {
    return this.#lookUp(name, [...this.#exact.keys()]);
  }

  /** The list that the user most likely meant if `listOf` knew none. */
  nearestList(name: string): string | undefined {
    return this.#lookUp(`__${name}`, [...this.#lists.keys()], name);
  }

  #lookUp(key: string, known: readonly string[], name = key): string | undefined {
    if (this.#nearest.has(key) || this.#nearest.size >= MOST_LOOKUPS) return this.#nearest.get(key);
    const nearest = nearestName(name, known);
    this.#nearest.set(key, nearest);
    return nearest;
  }

  /** The seed of a row's draws. */
  seedOf({ record, id }: LanguageRow): string {
    const cell = this.#seedIndex === undefined ? undefined : record.cells[this.#seedIndex];
    return cell === undefined || isBlank(cell) ? id : cell.trim();
  }
}

const ROW_ID = { kind: 'row-id' } as const;
