import { cellTexts, type Row } from '../../../shared/domain/sheet/row.ts';

/**
 * Texts by the numbers of their columns, null if a row has no such cell; by name in a row that an older version wrote,
 * or for which there were too many numbers.
 */
export type StoredCells = readonly (string | null)[] | Row['cells'];

/**
 * How many names there may be for each header. If a sheet's columns got new names night after night, each name would
 * make every row longer: beyond this, cells are stored by name.
 */
const MOST_NAMES_PER_HEADER = 2;

/**
 * The columns of a batch as its rows store their cells: without names, which took up a sixth of all stored data. Each
 * name keeps its number for good, and new names get new numbers, so renaming, moving or removing a column leaves rows
 * as they were written. A name that was added in a rolled-back transaction keeps its number, and is stored with the
 * next change.
 */
export class CellColumns {
  readonly #names: string[];
  readonly #numbers: Map<string, number>;
  readonly #headers: readonly string[];
  /** A row with an empty cell under each header: copying and filling it is faster than adding name by name. */
  readonly #blank: Row['cells'];
  /** By number. */
  readonly #isHeader: readonly boolean[];
  readonly #isByName: boolean;

  /** @param names In the order of their numbers; those of `headers` follow, unless rows are written by name. */
  constructor(names: readonly string[], headers: readonly string[]) {
    const all = new Set([...names, ...headers]);
    this.#isByName = all.size > headers.length * MOST_NAMES_PER_HEADER;
    this.#names = this.#isByName ? [...names] : [...all];
    this.#numbers = new Map(this.#names.map((name, number) => [name, number]));
    this.#headers = headers;
    const known = new Set(headers);
    this.#isHeader = this.#names.map((name) => known.has(name));
    this.#blank = Object.fromEntries(headers.map((header) => [header, '']));
  }

  /** In the order of their numbers. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Cells as they are stored; if they are stored by number, a name without one gets the next. */
  stored(cells: Row['cells']): StoredCells {
    if (this.#isByName) return cells;
    const texts = this.#names.map((): string | null => null);
    Object.keys(cells).forEach((name, i) => {
      // The order is nearly always the same.
      const number = this.#names[i] === name ? i : this.#numberOf(name);
      texts[number] = cells[name] ?? null;
    });
    return texts;
  }

  /** Cells as they were before they were stored: first those under headers, in their order. */
  cells(stored: StoredCells): Row['cells'] {
    if (!isList(stored)) return stored;
    const cells: Record<string, string> = { ...this.#blank };
    stored.forEach((text, number) => {
      const name = this.#names[number];
      if (name === undefined || text === null) return;
      if (this.#isHeader[number] === true) cells[name] = text;
      // Not by assignment, which would lose a column named `__proto__`.
      else Object.defineProperty(cells, name, { ...OWN, value: text });
    });
    for (const header of this.#headers) {
      const number = this.#numbers.get(header);
      if (number === undefined || typeof stored[number] !== 'string') Reflect.deleteProperty(cells, header);
    }
    return cells;
  }

  /** The texts of a row under these headers, in their order; empty if it has no such cell. */
  texts(stored: StoredCells, headers: readonly string[]): readonly string[] {
    if (!isList(stored)) return cellTexts(stored, headers);
    return headers.map((header) => stored[this.#numbers.get(header) ?? -1] ?? '');
  }

  /** The number under which rows store their cells of a column; if there is none, a number that no column has. */
  placeOf(header: string): number {
    return this.#numbers.get(header) ?? this.#names.length;
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#names.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }
}

const OWN = { writable: true, enumerable: true, configurable: true } as const;

function isList(stored: StoredCells): stored is readonly (string | null)[] {
  return Array.isArray(stored);
}
