/** Finding and replacing texts in the cells of a sheet. */
import { createContext, Script } from 'node:vm';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { replaceInCell, searchPattern } from '../../shared/domain/cells/cell-search.ts';
import { quoteCell } from '../../shared/domain/cells/cell-value.ts';
import { cellText } from '../../shared/domain/sheet/row.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { SheetEdit } from '../../shared/ipc/editing.ts';
import type { WorkWatch } from '../ports/base.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import type { ViewOfRows, SheetStore, StoredRow } from '../ports/sheet-store.ts';
import { countRows, type NamedEdit, type RowEdit } from './edit-by-row.ts';
import { letOthers } from './edit-parts.ts';

/** What to find, and where to start. */
export interface SearchFrom {
  readonly view: ViewOfRows;
  /** The keys of its rows, if they are known. */
  readonly rows?: readonly number[] | undefined;
  readonly text: string;
  readonly isCaseSensitive: boolean;
  readonly isWholeCell: boolean;
  readonly isPattern: boolean;
  /**
   * The cell shown now; `column` counts the sheet's columns from 0. Without a row of the view: before the first one.
   */
  readonly from: { readonly key?: number | undefined; readonly column: number };
  readonly direction: 'forward' | 'backward';
}

export interface FoundCell {
  readonly key: number;
  readonly header: string;
  /** Cells in the whole view that contain it. */
  readonly matches: number;
  /** Which of them this one is, from 1, in the order of the view. */
  readonly nth: number;
}

const ROWS_AT_A_TIME = 500;
/**
 * How long a pattern may take for this many rows: a slower one would hang on the next cells, too. It gets a second,
 * longer try, because on a busy machine other programs may have taken the time.
 */
const LIMITS_MS: readonly number[] = [250, 1000];

/** Replaces a text in these rows. */
export async function rowsOfReplace(
  sheets: SheetStore,
  batch: BatchRecord,
  edit: Extract<SheetEdit, { kind: 'replace' }>,
  signal?: AbortSignal,
): Promise<Result<NamedEdit, string>> {
  const { find, replaceWith, isPattern, headers = batch.headers, rows: keys } = edit;
  const pattern = searchPattern({ ...edit, text: find });
  if (!pattern.ok) return pattern;
  const replace = ({ key, row }: StoredRow): readonly RowEdit[] => {
    const cells = headers.flatMap((header): [string, string][] => {
      const before = cellText(row.cells, header);
      const { text, count } = replaceInCell(before, pattern.value, replaceWith, isPattern);
      return count === 0 || text === before ? [] : [[header, text]];
    });
    return cells.length === 0 ? [] : [{ kind: 'cells', key, cells: new Map(cells) }];
  };
  const edits: RowEdit[] = [];
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    signal?.throwIfAborted();
    const rows = await sheets.rowsByKeys(batch.id, keys.slice(from, from + ROWS_AT_A_TIME));
    const found = runLimited(() => rows.flatMap(replace), isPattern);
    if (found === undefined) return err(domainWords.problems.edits.patternTooSlow);
    edits.push(...found.value);
    await letOthers();
  }
  const quoted = quoteCell(find);
  return ok({
    labelOf: ({ changedRows }) => domainWords.problems.edits.labels.replace(quoted, changedRows),
    edit: { rows: edits },
  });
}

/** Replaces whole texts in these rows with other texts, but only where a cell still holds what the user saw. */
export async function rowsOfCorrections(
  sheets: SheetStore,
  batch: BatchRecord,
  { corrections, rows: keys }: Extract<SheetEdit, { kind: 'correct-cells' }>,
): Promise<Result<NamedEdit, string>> {
  const texts = Object.entries(corrections)
    .filter(([header]) => batch.headers.includes(header))
    .map(([header, own]) => [header, new Map(Object.entries(own))] as const);
  const correct = ({ key, row }: StoredRow): readonly RowEdit[] => {
    const cells = texts.flatMap(([header, own]): [string, string][] => {
      const instead = own.get(cellText(row.cells, header));
      return instead === undefined ? [] : [[header, instead]];
    });
    return cells.length === 0 ? [] : [{ kind: 'cells', key, cells: new Map(cells) }];
  };
  const edits: RowEdit[] = [];
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    const rows = await sheets.rowsByKeys(batch.id, keys.slice(from, from + ROWS_AT_A_TIME));
    edits.push(...rows.flatMap(correct));
    await letOthers();
  }
  return ok({ labelOf: countRows('correct'), edit: { rows: edits } });
}

/** The next cell that contains a text, wrapping at the end of the view; undefined if no cell does. */
export async function findCell(
  sheets: SheetStore,
  batch: BatchRecord,
  search: SearchFrom,
  { signal, onProgress }: WorkWatch = {},
): Promise<Result<FoundCell | undefined, string>> {
  const pattern = searchPattern(search);
  if (!pattern.ok) return pattern;
  const { headers } = batch;
  const keys = search.rows ?? (await sheets.keysInView(batch.id, search.view, 0, Number.MAX_SAFE_INTEGER));
  const { key, column: fromColumn } = search.from;
  const offset = key === undefined ? -1 : keys.indexOf(key);
  const choice = new NextCell({ offset, column: fromColumn }, search.direction, headers.length);
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    signal?.throwIfAborted();
    onProgress?.(from, keys.length);
    const some = keys.slice(from, from + ROWS_AT_A_TIME);
    const rows = await sheets.rowsByKeys(batch.id, some);
    const found = runLimited(
      () => new Map(rows.map((row) => [row.key, columnsWith(row, headers, pattern.value)])),
      search.isPattern,
    );
    if (found === undefined) return err(domainWords.problems.edits.patternTooSlow);
    // A row that was removed in the meantime leaves its place empty.
    for (const [index, one] of some.entries()) {
      for (const column of found.value.get(one) ?? []) choice.add(from + index, column);
    }
    await letOthers();
  }
  const { next, matches } = choice;
  if (next === undefined) return ok(undefined);
  return ok({ key: keys[next.offset] ?? 0, header: headers[next.column] ?? '', matches, nth: next.nth });
}

function columnsWith({ row }: StoredRow, headers: readonly string[], pattern: RegExp): readonly number[] {
  return headers.flatMap((header, column) => {
    pattern.lastIndex = 0;
    return pattern.test(cellText(row.cells, header)) ? [column] : [];
  });
}

/** A cell that contains the text: its row's place in the view, its column, and which match it is. */
interface Match {
  readonly offset: number;
  readonly column: number;
  readonly nth: number;
}

/** Finds the next cell after or before a given one, among cells in view order; otherwise the first or last of all. */
class NextCell {
  readonly #from: number;
  readonly #isForward: boolean;
  readonly #columns: number;
  #matches = 0;
  #first: Match | undefined;
  #last: Match | undefined;
  #after: Match | undefined;
  #before: Match | undefined;

  constructor(
    from: { readonly offset: number; readonly column: number },
    direction: SearchFrom['direction'],
    columns: number,
  ) {
    this.#columns = columns;
    this.#isForward = direction === 'forward';
    this.#from = from.offset < 0 ? -1 : from.offset * columns + from.column;
  }

  add(offset: number, column: number): void {
    const place = offset * this.#columns + column;
    this.#matches += 1;
    const match = { offset, column, nth: this.#matches };
    this.#first ??= match;
    this.#last = match;
    if (place > this.#from) this.#after ??= match;
    if (place < this.#from) this.#before = match;
  }

  get matches(): number {
    return this.#matches;
  }

  get next(): Match | undefined {
    return this.#isForward ? (this.#after ?? this.#first) : (this.#before ?? this.#last);
  }
}

/** A context that holds nothing but the code run in it; created once, because creating one takes milliseconds. */
const WORLD: { run: () => void } = { run: () => undefined };
const CONTEXT = createContext(WORLD);
const CALL = new Script('run()');

/**
 * Runs a short piece of code. With a pattern that somebody typed, the code is stopped when its time is up, wherever it
 * is, and the result is undefined; with plain text, it takes no longer than the cells are long.
 */
function runLimited<T>(run: () => T, isPattern: boolean): { readonly value: T } | undefined {
  if (!isPattern) return { value: run() };
  for (const timeout of LIMITS_MS) {
    let value: { readonly value: T } | undefined;
    WORLD.run = () => {
      value = { value: run() };
    };
    try {
      CALL.runInContext(CONTEXT, { timeout });
      return value;
    } catch (error) {
      if (!isTimeout(error)) throw error;
    } finally {
      WORLD.run = () => undefined;
    }
  }
  return undefined;
}

/** The error belongs to the context's own realm: it is not an `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
