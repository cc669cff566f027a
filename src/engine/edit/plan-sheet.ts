import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { rowsReferredTo } from '../../shared/domain/cells/reference.ts';
import type { CheckedRow } from '../../shared/domain/sheet/check-row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { SheetStore, StoredRow } from '../sheet-ports.ts';
import { cellText, type Superseded } from './edit-by-row.ts';

/** What is known of a batch and would take long to find out again. */
export interface SheetMemory {
  /** How many rows insert each column by name; undefined until it is counted. */
  named: ReadonlyMap<number, number> | undefined;
  /** Rows whose id is another row's: they may get it when that one gives it up. */
  contested: Set<number> | undefined;
}

/** What an edit is planned with. */
export interface PlanContext {
  readonly batch: BatchRecord;
  readonly checker: SheetChecker;
  readonly sheets: SheetStore;
  /** A task of the batch, even a superseded one. */
  readonly task: (id: number) => Task | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Finds gateway keys: no cell may contain one after an edit. */
  readonly keyFinder: KeyFinder;
  readonly memory: SheetMemory;
  /** Rows are checked again although their cells stay, because the header line or the settings have changed. */
  readonly isRecheck: boolean;
  /** The use of each column may have changed for every row. */
  readonly isColumnChange: boolean;
}

/** A row of a sheet in the middle of an edit. */
export interface RowPlan {
  readonly key: number;
  readonly position: number;
  readonly row: Row;
  /** Its own problems. */
  readonly own: readonly SheetProblem[];
  /** Its problems because of other rows. */
  readonly cross: readonly SheetProblem[];
  /** Its cells that its operation does not use; undefined for a row that was not checked in this edit. */
  readonly unused: readonly number[] | undefined;
  readonly tasks: readonly Task[];
  readonly isDraft: boolean;
}

/** A row with its new cells. */
export interface EditedRow {
  readonly key: number;
  readonly before: RowPlan | undefined;
  readonly cells: Readonly<Record<string, string>>;
  /** Headers of the cells whose text changes. */
  readonly changed: readonly string[];
  readonly line: number;
  readonly position: number;
  /** Its former id, for a row that becomes what it was. */
  readonly was: string | undefined;
  /** In flight: only parts that are not sent change. */
  readonly isLocked: boolean;
  /** Its id is assigned again, whether or not its cell has changed. */
  readonly reclaimsId: boolean;
  readonly superseded: Superseded | undefined;
}

/** Problems found by comparing several rows. */
const CROSS_CODES: ReadonlySet<SheetProblem['code']> = new Set<SheetProblem['code']>([
  'reference-missing',
  'reference-cycle',
  'reference-blocked',
  'duplicate-request',
  'unused-column',
]);

/** True for a problem that a row has because of other rows. */
export function isCrossProblem(problem: SheetProblem): boolean {
  return CROSS_CODES.has(problem.code);
}

/** True for a row that has an error and cannot run. */
export function isBlockedRow({ own, cross }: Pick<RowPlan, 'own' | 'cross'>): boolean {
  return own.some(isError) || cross.some(isError);
}

/** True for a problem that keeps a row from running. */
export function isError(problem: SheetProblem): boolean {
  return problem.severity === 'error';
}

/**
 * The sheet as it will be after an edit: the stored rows, overlaid with those that the edit has changed so far. Nothing
 * is written.
 */
export class SheetPlan {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  readonly #stored = new Map<number, StoredRow>();
  readonly #changed = new Map<number, RowPlan>();
  readonly #removed = new Set<number>();
  readonly #keysById = new Map<string, Set<number>>();
  readonly #keysByRequest = new Map<number, Set<number>>();
  readonly #requestKey: (row: Row) => number;

  constructor(sheets: SheetStore, batchId: string, requestKey: (row: Row) => number) {
    this.#sheets = sheets;
    this.#batchId = batchId;
    this.#requestKey = requestKey;
  }

  /** Loads rows that will be needed, all at once. */
  load(keys: Iterable<number>): void {
    const missing = [...new Set(keys)].filter((key) => key >= 0 && !this.#stored.has(key));
    for (const row of this.#sheets.rowsByKeys(this.#batchId, missing)) this.#stored.set(row.key, row);
  }

  /** The stored row. */
  stored(key: number): StoredRow | undefined {
    if (!this.#stored.has(key)) this.load([key]);
    return this.#stored.get(key);
  }

  /** The row's present state; undefined if it does not exist, or no longer. */
  row(key: number): RowPlan | undefined {
    if (this.#removed.has(key)) return undefined;
    const changed = this.#changed.get(key);
    if (changed !== undefined) return changed;
    const stored = this.stored(key);
    return stored && asItIs(stored);
  }

  put(row: RowPlan): void {
    this.#forget(row.key);
    this.#changed.set(row.key, row);
    add(this.#keysById, foldRowId(row.row.id), row.key);
    const request = this.requestOf(row);
    if (request !== undefined) add(this.#keysByRequest, request, row.key);
  }

  remove(key: number): void {
    this.#forget(key);
    this.#removed.add(key);
  }

  #forget(key: number): void {
    const before = this.#changed.get(key);
    if (before === undefined) return;
    this.#changed.delete(key);
    this.#keysById.get(foldRowId(before.row.id))?.delete(key);
    const request = this.requestOf(before);
    if (request !== undefined) this.#keysByRequest.get(request)?.delete(key);
  }

  isChanged(key: number): boolean {
    return this.#changed.has(key);
  }

  /** The rows placed so far, stored and new ones. */
  changed(): readonly RowPlan[] {
    return [...this.#changed.values()];
  }

  get removed(): ReadonlySet<number> {
    return this.#removed;
  }

  /** The number of a row's request; undefined for a row that cannot run. */
  requestOf(row: Pick<RowPlan, 'row' | 'own' | 'cross'>): number | undefined {
    if (row.row.skip || row.row.operation === undefined || isBlockedRow(row)) return undefined;
    return this.#requestKey(row.row);
  }

  /** Present keys of the rows with these folded ids. */
  keysByIds(foldedIds: readonly string[]): ReadonlyMap<string, readonly number[]> {
    const stored = this.#sheets.keysByIds(this.#batchId, foldedIds);
    const found = new Map<string, readonly number[]>();
    for (const id of foldedIds) {
      const unchanged = (stored.get(id) ?? []).filter((key) => this.#isAsStored(key));
      const keys = [...unchanged, ...(this.#keysById.get(id) ?? [])];
      if (keys.length > 0) found.set(id, keys);
    }
    return found;
  }

  /** Present keys of the rows that refer to one of these ids. */
  keysReferringTo(foldedIds: readonly string[]): readonly number[] {
    if (foldedIds.length === 0) return [];
    const wanted = new Set(foldedIds);
    const stored = this.#sheets.keysReferringTo(this.#batchId, foldedIds).filter((key) => this.#isAsStored(key));
    const refers = ({ row }: RowPlan): boolean => rowsReferredTo(row.links).some((id) => wanted.has(foldRowId(id)));
    return [...stored, ...this.changed().flatMap((row) => (row.row.links && refers(row) ? [row.key] : []))];
  }

  /** Keys of the first rows with this request number, at most `limit`, by position: as stored, and at present. */
  keysByRequest(
    request: number,
    limit: number,
  ): { readonly before: readonly number[]; readonly after: readonly number[] } {
    // Every row that the edit takes away lets another one move up.
    const most = limit + this.#changed.size + this.#removed.size;
    const stored = this.#sheets.keysByRequest(this.#batchId, request, most);
    return { before: stored.slice(0, limit), after: this.#keysAfter(request, stored).slice(0, limit) };
  }

  /** Those of these requests that only one row has, before and after the edit: there is nothing to compare. */
  lonelyRequests(requests: readonly number[]): ReadonlySet<number> {
    const stored = this.#sheets.knownRequests(this.#batchId, requests);
    return new Set(
      requests.filter((request) => {
        const changed = this.#keysByRequest.get(request)?.size ?? 0;
        return stored.get(request) === undefined ? changed <= 1 : stored.get(request) === 'one' && changed === 0;
      }),
    );
  }

  /** Present keys of the edited rows that ask for this. */
  changedByRequest(request: number): readonly number[] {
    return [...(this.#keysByRequest.get(request) ?? [])];
  }

  #keysAfter(request: number, before: readonly number[]): readonly number[] {
    const stored = before.filter((key) => this.#isAsStored(key));
    const changed = [...(this.#keysByRequest.get(request) ?? [])];
    if (changed.length === 0) return stored;
    const positionOf = (key: number): number => this.#changed.get(key)?.position ?? 0;
    return this.#inOrder(
      stored,
      changed.sort((a, b) => positionOf(a) - positionOf(b)),
    );
  }

  /** Merges two lists in order of position. Of many stored rows, it reads only those that decide about the others. */
  #inOrder(stored: readonly number[], changed: readonly number[]): readonly number[] {
    const merged: number[] = [];
    let at = 0;
    for (const key of changed) {
      const position = this.row(key)?.position ?? 0;
      let end = stored.length;
      // The first of the remaining rows that stands behind.
      for (let start = at; start < end;) {
        const middle = (start + end) >> 1;
        if ((this.row(stored[middle] ?? 0)?.position ?? 0) < position) start = middle + 1;
        else end = middle;
      }
      // One by one: there may be more rows than a call can have arguments.
      for (; at < end; at += 1) merged.push(stored[at] ?? 0);
      merged.push(key);
    }
    return [...merged, ...stored.slice(at)];
  }

  #isAsStored(key: number): boolean {
    return !this.#changed.has(key) && !this.#removed.has(key);
  }
}

function add<K>(groups: Map<K, Set<number>>, name: K, key: number): void {
  const keys = groups.get(name);
  if (keys === undefined) groups.set(name, new Set([key]));
  else keys.add(key);
}

function asItIs({ key, position, row, problems, tasks, isDraft }: StoredRow): RowPlan {
  return {
    key,
    position,
    row,
    own: problems.filter((problem) => !isCrossProblem(problem)),
    cross: problems.filter(isCrossProblem),
    unused: undefined,
    tasks,
    isDraft,
  };
}

/** A row checked with its present cells and id. */
export function checkAsItIs(row: Row, { checker }: Pick<PlanContext, 'checker'>): CheckedRow {
  const known = CHECKED_AS_IT_IS.get(row);
  if (known?.checker === checker) return known.checked;
  const { id, line, cells } = row;
  const checked = checker.checkRecord({ line, cells: textsOf(checker.layout.headers, cells) }, id);
  CHECKED_AS_IT_IS.set(row, { checker, checked });
  return checked;
}

/** An edit asks for the same row several times, and checking it is half of planning it. */
const CHECKED_AS_IT_IS = new WeakMap<Row, { readonly checker: SheetChecker; readonly checked: CheckedRow }>();

/** The header of a column; undefined if there is none. */
export function headerOf({ checker: { layout } }: Pick<PlanContext, 'checker'>, column: string): string | undefined {
  return layout.headers[layout.indexes.get(column) ?? -1];
}

/** The cells of a row as a line of the sheet. */
export function textsOf(headers: readonly string[], cells: Readonly<Record<string, string>>): readonly string[] {
  return headers.map((header) => cellText(cells, header));
}
