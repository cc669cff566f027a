/** A change of the header line or of the settings: every row is checked again, one part at a time. */
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { cellText } from '../../shared/domain/sheet/row.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import type { BatchRecord, SheetSettings } from '../../shared/domain/task/batch.ts';
import type { WorkWatch } from '../ports/base.ts';
import type { RowChange, SheetStore } from '../ports/sheet-store.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import { ColumnUse, foundByReading, type RowUse, storedUse } from './column-use.ts';
import type { EditByRow, EditOutcome, RefusedRow, RowEdit } from './edit-by-row.ts';
import { letOthers, type QueueHolder, untilWritten } from './edit-parts.ts';
import { type EditPlan, planEdit } from './plan-edit.ts';
import { isError, type PlanContext } from './sheet-plan.ts';

/** How many rows to handle at a time: few enough that the process is never busy with them for long. */
const ROWS_AT_A_TIME = 100;

export interface ColumnChangeOptions extends QueueHolder {
  readonly sheets: SheetStore;
  /** The batch as it is now; read again for each part. */
  readonly batch: () => Promise<BatchRecord>;
  /** What rows are planned with, given the present state of a batch. */
  readonly contextOf: (batch: BatchRecord, columnsChange: boolean) => PlanContext;
}

/** The settings of a sheet, overridden by those of an edit. */
export function settingsWith(sheet: SheetSettings, changed: EditByRow['sheet']): SheetSettings {
  if (changed === undefined) return sheet;
  const { defaultOperation: _, ...rest } = sheet;
  return { ...rest, ...changed };
}

/**
 * Carries out such an edit; other work continues between its parts. Each part is a transaction, and the sheet is marked
 * until all of them are done.
 */
export async function changeColumns(
  edit: EditByRow,
  options: ColumnChangeOptions,
  { onProgress, onBound }: WorkWatch = {},
): Promise<Result<EditOutcome, string>> {
  const { sheets } = options;
  const before = await options.batch();
  const headers = edit.headers ?? before.headers;
  const sheet = { ...settingsWith(before.sheet, edit.sheet), isUnchecked: true };
  const known = options.contextOf(before, false).checker;
  const refusal = whyRefused(options.contextOf({ ...before, headers, sheet }, true).checker, known);
  if (refusal !== undefined) return err(refusal);
  // A change in the meaning of every cell cannot be half taken back.
  onBound?.();
  await sheets.change(before.id, { headers, sheet, rows: [], at: options.contextOf(before, false).now });
  const change = new ColumnChange(edit, before, options);
  for (let from = 0; from < before.rowCount; from += ROWS_AT_A_TIME) {
    await letOthers();
    onProgress?.(from, before.rowCount);
    await change.part(await sheets.keysInView(before.id, {}, from, ROWS_AT_A_TIME));
  }
  await letOthers();
  return ok(await change.finish());
}

/** A sheet that cannot run at all is refused at once, unless it is in that state already. */
function whyRefused(checker: SheetChecker, before: SheetChecker): string | undefined {
  const known = new Set(before.problems.map(({ message }) => message));
  const problem = checker.problems.find((one) => isError(one) && !known.has(one.message));
  return problem && domainWords.common.sentences([problem.message, problem.remedy]);
}

/** The texts of a row, by header. */
interface LostTexts {
  readonly key: number;
  readonly id: string;
  readonly texts: readonly (readonly [header: string, text: string])[];
}

class ColumnChange {
  readonly #options: ColumnChangeOptions;
  readonly #before: BatchRecord;
  readonly #rows: ReadonlyMap<number, RowEdit>;
  readonly #columnsChange: boolean;
  readonly #use = new ColumnUse();
  readonly #edit: EditByRow;
  readonly #removedHeaders: readonly string[];
  readonly #takeBack: RowEdit[] = [];
  readonly #refused: RefusedRow[] = [];
  #changedRows = 0;

  constructor(edit: EditByRow, before: BatchRecord, options: ColumnChangeOptions) {
    this.#options = options;
    this.#edit = edit;
    this.#before = before;
    this.#rows = new Map(edit.rows.map((row) => [row.key, row]));
    const { mapping, defaultOperation } = settingsWith(before.sheet, edit.sheet);
    this.#columnsChange =
      edit.headers !== undefined ||
      before.sheet.isUnchecked === true ||
      mapping !== before.sheet.mapping ||
      defaultOperation !== before.sheet.defaultOperation;
    this.#removedHeaders =
      edit.headers === undefined ? [] : before.headers.filter((header) => edit.headers?.includes(header) === false);
  }

  async part(keys: readonly number[]): Promise<void> {
    const lost = await this.#lostTexts(keys);
    const edits = keys.map((key): RowEdit => this.#rows.get(key) ?? { kind: 'cells', key, cells: NO_CELLS });
    const { plan, inserted, context } = await this.#write(edits);
    const { refused, inverse } = plan.outcome(inserted);
    this.#changedRows += plan.change.rows.length;
    this.#refused.push(...refused);
    this.#noteTakeBack(inverse?.rows ?? [], lost);
    await this.#noteUses(keys, plan.uses, context);
  }

  async #write(edits: readonly RowEdit[]): Promise<{
    readonly plan: EditPlan;
    readonly inserted: readonly number[];
    readonly context: PlanContext;
  }> {
    const { sheets, batch, contextOf } = this.#options;
    const written = await untilWritten(this.#before.id, this.#options, async () => {
      const context = contextOf(await batch(), this.#columnsChange);
      const planned = await planEdit(edits, context);
      if (planned.kind !== 'planned') throw new Error(`A check of rows cannot be planned: ${planned.kind}`);
      const change = await sheets.change(this.#before.id, planned.plan.change);
      return change.kind === 'stale' ? undefined : { plan: planned.plan, inserted: change.inserted, context };
    });
    if (written === undefined) throw new Error('Rows kept changing while they were being checked.');
    return written;
  }

  /** Rows in flight were not checked: they count as they are. */
  async #noteUses(keys: readonly number[], uses: readonly RowUse[], context: PlanContext): Promise<void> {
    const done = new Set(uses.map(({ key }) => key));
    const left = keys.filter((key) => !done.has(key));
    for (const use of uses) this.#use.add(use);
    if (left.length === 0) return;
    const rows = await this.#options.sheets.rowsByKeys(this.#before.id, left);
    for (const row of rows) this.#use.add(storedUse(row, context));
  }

  /** What rows hold in removed columns. */
  async #lostTexts(keys: readonly number[]): Promise<readonly LostTexts[]> {
    if (this.#removedHeaders.length === 0) return [];
    const rows = await this.#options.sheets.rowsByKeys(this.#before.id, keys);
    return rows.flatMap(({ key, row }): LostTexts[] => {
      const texts = this.#removedHeaders.flatMap((header): [string, string][] => {
        const text = cellText(row.cells, header);
        return text === '' ? [] : [[header, text]];
      });
      return texts.length === 0 ? [] : [{ key, id: row.id, texts }];
    });
  }

  /** The contents of a restored column come back with it. */
  #noteTakeBack(edits: readonly RowEdit[], lost: readonly LostTexts[]): void {
    const lostOf = new Map(lost.map((one) => [one.key, one]));
    for (const edit of edits) {
      const texts = lostOf.get(edit.key)?.texts ?? [];
      lostOf.delete(edit.key);
      this.#takeBack.push(edit.kind === 'cells' ? { ...edit, cells: new Map([...edit.cells, ...texts]) } : edit);
    }
    for (const { key, id, texts } of lostOf.values()) {
      this.#takeBack.push({ kind: 'cells', key, cells: new Map(texts), id });
    }
  }

  async finish(): Promise<EditOutcome> {
    const { sheets, batch, contextOf } = this.#options;
    const now = await batch();
    const context = contextOf(now, false);
    const { id } = now;
    const [named, problems] = await Promise.all([sheets.rowsByKeys(id, this.#use.keys), sheets.sheetProblems(id)]);
    const rowOf = new Map(named.map((row) => [row.key, row]));
    const found = this.#use.problems(context.checker, (key) => rowOf.get(key)?.row);
    const rows = [...found.rows].flatMap(([key, own]): RowChange[] => {
      const row = rowOf.get(key);
      return row === undefined ? [] : [{ kind: 'problems', key, problems: [...row.problems, ...own] }];
    });
    const { isUnchecked: _, ...sheet } = now.sheet;
    const sheetProblems = [...foundByReading(problems), ...this.#use.headerProblems(context.checker), ...found.sheet];
    await sheets.change(id, { sheet, sheetProblems, rows, at: context.now });
    context.memory.named = this.#use.named;
    context.memory.contested = undefined;
    const { headers } = this.#before;
    const { mapping, variables, defaultOperation } = this.#before.sheet;
    const former = { mapping, variables, ...(defaultOperation === undefined ? {} : { defaultOperation }) };
    return {
      changedRows: this.#changedRows,
      changedCells: 0,
      refused: this.#refused,
      inserted: [],
      changed: undefined,
      inverse: {
        ...(this.#edit.headers === undefined ? {} : { headers }),
        ...(this.#edit.sheet === undefined ? {} : { sheet: former }),
        rows: this.#takeBack,
      },
    };
  }
}

const NO_CELLS: ReadonlyMap<string, string> = new Map();
