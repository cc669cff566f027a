import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { rowsReferredTo } from '../../shared/domain/cells/reference.ts';
import type { CheckedRow } from '../../shared/domain/sheet/check-row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { cellTexts, type Row } from '../../shared/domain/sheet/row.ts';
import type { RowEdits } from '../../shared/domain/cells/row-edits.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { SheetStore, StoredRow } from '../ports/sheet-store.ts';
import type { Superseded } from './edit-by-row.ts';

/** What is known about a batch and would take long to find out again. */
export interface SheetMemory {
  /** How many rows insert each column by name; undefined until it is counted. */
  named: ReadonlyMap<number, number> | undefined;
  /** Rows that want an id that another row has: they may get it when that row gives it up. */
  contested: ReadonlySet<number> | undefined;
}

/** What an edit is planned with. */
export interface PlanContext {
  readonly batch: BatchRecord;
  readonly checker: SheetChecker;
  readonly sheets: SheetStore;
  /** A task of the batch, even a superseded one. */
  readonly task: (id: number) => Promise<Task | undefined>;
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
  /** Problems of its own. */
  readonly own: readonly SheetProblem[];
  /** Its problems because of other rows. */
  readonly cross: readonly SheetProblem[];
  /** What this edit found in its cells; undefined for a row that it did not check. */
  readonly checked: CheckedRow | undefined;
  readonly tasks: readonly Task[];
  readonly isDraft: boolean;
}

/** A row with its new cells. */
export interface EditedRow {
  readonly key: number;
  /** Undefined for a new row. */
  readonly before: RowPlan | undefined;
  readonly cells: Row['cells'];
  /** Headers of the cells whose text changes. */
  readonly changed: readonly string[];
  readonly line: number;
  readonly position: number;
  /** Its former id, for a row that becomes what it was. */
  readonly was: string | undefined;
  /** In flight: only parts that are not sent change. */
  readonly isLocked: boolean;
  /** It needs an id: it is new, its id cell has changed, or its id is `again` assigned although the cell stays. */
  readonly claimsId: boolean | 'again';
  /** Its finished takes are requested once more. */
  readonly rendersAgain: true | undefined;
  readonly superseded: Superseded | undefined;
  /** What was kept of its edits, for a row that is put back. */
  readonly edits?: RowEdits;
}

/** Problems found by comparing several rows. */
const CROSS_CODES: ReadonlySet<SheetProblem['code']> = new Set<SheetProblem['code']>([
  'reference-missing',
  'reference-cycle',
  'reference-blocked',
  'duplicate-request',
  'unused-column',
]);

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
 * is written. Rows are loaded in advance, many at once, so that decisions about them need not wait for the store.
 */
export class SheetPlan {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  /** The rows that were loaded; undefined for those that do not exist. */
  readonly #stored = new Map<number, StoredRow | undefined>();
  readonly #changed = new Map<number, RowPlan>();
  readonly #removed = new Set<number>();
  readonly #keysById = new Map<string, Set<number>>();

  constructor(sheets: SheetStore, batchId: string) {
    this.#sheets = sheets;
    this.#batchId = batchId;
  }

  /** Loads rows that will be needed, all at once. */
  async load(keys: Iterable<number>): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => key >= 0 && !this.#stored.has(key));
    if (missing.length === 0) return;
    const rows = await this.#sheets.rowsByKeys(this.#batchId, missing);
    for (const key of missing) this.#stored.set(key, undefined);
    for (const row of rows) this.#stored.set(row.key, row);
  }

  /** The stored row, which must be loaded; undefined for a new one. */
  stored(key: number): StoredRow | undefined {
    if (key >= 0 && !this.#stored.has(key)) throw new Error(`Row ${key} was not loaded.`);
    return this.#stored.get(key);
  }

  /** The row's present state; it must be loaded. Undefined if it does not exist, or no longer does. */
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
    const id = foldRowId(row.row.id);
    const keys = this.#keysById.get(id);
    if (keys === undefined) this.#keysById.set(id, new Set([row.key]));
    else keys.add(row.key);
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
  }

  /** True for a row that has been changed or removed so far. */
  isTouched(key: number): boolean {
    return this.#changed.has(key) || this.#removed.has(key);
  }

  /** The number of such rows. */
  get touched(): number {
    return this.#changed.size + this.#removed.size;
  }

  /** The rows placed so far, stored and new ones. */
  changed(): readonly RowPlan[] {
    return [...this.#changed.values()];
  }

  get removed(): ReadonlySet<number> {
    return this.#removed;
  }

  /** Present keys of the rows with these folded ids. */
  async keysByIds(foldedIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    if (foldedIds.length === 0) return new Map();
    const stored = await this.#sheets.keysByIds(this.#batchId, foldedIds);
    const found = new Map<string, readonly number[]>();
    for (const id of foldedIds) {
      const untouched = (stored.get(id) ?? []).filter((key) => !this.isTouched(key));
      const keys = [...untouched, ...(this.#keysById.get(id) ?? [])];
      if (keys.length > 0) found.set(id, keys);
    }
    return found;
  }

  /** Present keys of the rows that refer to one of these ids. */
  async keysReferringTo(foldedIds: readonly string[]): Promise<readonly number[]> {
    if (foldedIds.length === 0) return [];
    const wanted = new Set(foldedIds);
    const stored = await this.#sheets.keysReferringTo(this.#batchId, foldedIds);
    const refers = ({ row }: RowPlan): boolean => rowsReferredTo(row.links).some((id) => wanted.has(foldRowId(id)));
    const untouched = stored.filter((key) => !this.isTouched(key));
    return [...untouched, ...this.changed().flatMap((row) => (row.row.links && refers(row) ? [row.key] : []))];
  }
}

function asItIs({ key, position, row, problems, tasks, isDraft }: StoredRow): RowPlan {
  const own = problems.filter(({ code }) => !CROSS_CODES.has(code));
  const cross = problems.filter(({ code }) => CROSS_CODES.has(code));
  return { key, position, row, own, cross, checked: undefined, tasks, isDraft };
}

/** A row checked with its present cells and id. */
export function checkAsItIs(row: Row, { checker }: Pick<PlanContext, 'checker'>): CheckedRow {
  const known = CHECKED_AS_IT_IS.get(row);
  if (known?.checker === checker) return known.checked;
  const { id, line, cells } = row;
  const checked = checker.checkRecord({ line, cells: cellTexts(cells, checker.layout.headers) }, id);
  CHECKED_AS_IT_IS.set(row, { checker, checked });
  return checked;
}

/** An edit asks for the same row several times, and checking it is half the work of planning it. */
const CHECKED_AS_IT_IS = new WeakMap<Row, { readonly checker: SheetChecker; readonly checked: CheckedRow }>();

/** The header of a column; undefined if there is none. */
export function headerOf({ checker: { layout } }: Pick<PlanContext, 'checker'>, column: string): string | undefined {
  return layout.headers[layout.indexes.get(column) ?? -1];
}
