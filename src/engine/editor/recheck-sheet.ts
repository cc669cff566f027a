/** A change of the header line or of the settings: every row is checked anew, a part at a time. */
import type { BatchRecord, SheetSettings } from '../../shared/domain/batch.ts';
import { err, ok, type Result } from '../../shared/domain/result.ts';
import type { SheetChecker } from '../../shared/domain/sheet-checker.ts';
import type { RowChange, SheetStore, StoredRow } from '../sheet-ports.ts';
import { checkAsItIs } from './check-edits.ts';
import { ColumnUse, foundByReading, rowUse } from './column-use-checks.ts';
import type { PlanContext } from './plan-context.ts';
import { planStep } from './plan-step.ts';
import { isError } from './pending-sheet.ts';
import { cellText, type RefusedRow, type RowWish, type SheetStep, type StepOutcome } from './sheet-step.ts';

/** So few rows at a time that the process is never busy with them for long. */
const ROWS_AT_A_TIME = 200;

export interface RecheckOptions {
  readonly sheets: SheetStore;
  /** The batch as it is now; asked again for each part. */
  readonly batch: () => BatchRecord;
  /** What rows are planned with, for a batch as it is now. */
  readonly contextOf: (batch: BatchRecord, columnsChange: boolean) => PlanContext;
}

/** The settings of a sheet with those of a step in their place. */
export function settingsWith(sheet: SheetSettings, changed: SheetStep['sheet']): SheetSettings {
  if (changed === undefined) return sheet;
  const { defaultOperation: _, ...rest } = sheet;
  return { ...rest, ...changed };
}

/**
 * Carries such a step out. It yields where something else may be done for a while: each part is a transaction of its own,
 * and what was begun is marked in the sheet until it is finished.
 */
export function* recheckSheet(step: SheetStep, options: RecheckOptions): Generator<void, Result<StepOutcome, string>> {
  const { sheets } = options;
  const before = options.batch();
  const headers = step.headers ?? before.headers;
  const sheet = { ...settingsWith(before.sheet, step.sheet), isUnchecked: true };
  const known = options.contextOf(before, false).checker;
  const refusal = whyRefused(options.contextOf({ ...before, headers, sheet }, true).checker, known);
  if (refusal !== undefined) return err(refusal);
  sheets.change(before.id, { headers, sheet, rows: [], at: options.contextOf(before, false).now });
  const recheck = new Recheck(step, before, options);
  const keys = sheets.keysInView(before.id, {}, 0, before.rowCount);
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    yield;
    recheck.part(keys.slice(from, from + ROWS_AT_A_TIME));
  }
  yield;
  return ok(recheck.finish());
}

/** What makes a sheet one that cannot run at all is refused at once, unless it is so already. */
function whyRefused(checker: SheetChecker, before: SheetChecker): string | undefined {
  const known = new Set(before.problems.map(({ message }) => message));
  const problem = checker.problems.find((one) => isError(one) && !known.has(one.message));
  return problem && `${problem.message} ${problem.remedy}`;
}

class Recheck {
  readonly #options: RecheckOptions;
  readonly #before: BatchRecord;
  readonly #wishes: ReadonlyMap<number, RowWish>;
  readonly #columnsChange: boolean;
  readonly #use = new ColumnUse();
  readonly #step: SheetStep;
  readonly #removedHeaders: readonly string[];
  readonly #takeBack: RowWish[] = [];
  readonly #refused: RefusedRow[] = [];
  #changedRows = 0;

  constructor(step: SheetStep, before: BatchRecord, options: RecheckOptions) {
    this.#options = options;
    this.#step = step;
    this.#before = before;
    this.#wishes = new Map(step.rows.map((wish) => [wish.key, wish]));
    const { mapping, defaultOperation } = settingsWith(before.sheet, step.sheet);
    this.#columnsChange =
      step.headers !== undefined ||
      before.sheet.isUnchecked === true ||
      mapping !== before.sheet.mapping ||
      defaultOperation !== before.sheet.defaultOperation;
    this.#removedHeaders =
      step.headers === undefined ? [] : before.headers.filter((header) => step.headers?.includes(header) === false);
  }

  part(keys: readonly number[]): void {
    const { sheets, batch, contextOf } = this.#options;
    for (;;) {
      const context = contextOf(batch(), this.#columnsChange);
      const rows = sheets.rowsByKeys(this.#before.id, keys);
      const wishes = rows.map(({ key }): RowWish => this.#wishes.get(key) ?? { kind: 'cells', key, cells: NO_CELLS });
      const plan = planStep({ rows: wishes }, context);
      if (plan.kind !== 'planned') throw new Error(`A check of rows cannot be planned: ${plan.kind}`);
      const outcome = sheets.change(this.#before.id, plan.change);
      // Only this process changes tasks, and not in between: once more is enough.
      if (outcome.kind === 'stale') continue;
      this.#changedRows += plan.change.rows.length;
      this.#refused.push(...plan.refused);
      this.#noteTakeBack(plan.takeBack(outcome.inserted), rows);
      for (const row of sheets.rowsByKeys(this.#before.id, keys)) this.#noteUse(row, context);
      return;
    }
  }

  #noteUse(row: StoredRow, context: PlanContext): void {
    this.#use.add(rowUse(row.key, row.position, checkAsItIs(row.row, context)));
  }

  /** What a column held that is gone comes back with it. */
  #noteTakeBack(wishes: readonly RowWish[], rows: readonly StoredRow[]): void {
    const own = new Map(wishes.map((wish) => [wish.key, wish]));
    for (const { key, row } of rows) {
      const lost = this.#removedHeaders.flatMap((header): [string, string][] => {
        const text = cellText(row.cells, header);
        return text === '' ? [] : [[header, text]];
      });
      const wish = own.get(key);
      if (lost.length === 0 && wish === undefined) continue;
      const base = wish?.kind === 'cells' ? wish : { kind: 'cells' as const, key, cells: NO_CELLS, id: row.id };
      this.#takeBack.push({ ...base, cells: new Map([...base.cells, ...lost]) });
    }
  }

  finish(): StepOutcome {
    const { sheets, batch, contextOf } = this.#options;
    const now = batch();
    const context = contextOf(now, false);
    const { id } = now;
    const found = this.#use.problems(context.checker, (key) => sheets.rowsByKeys(id, [key])[0]?.row);
    const rows = [...found.rows].flatMap(([key, problems]): RowChange[] => {
      const [row] = sheets.rowsByKeys(id, [key]);
      return row === undefined ? [] : [{ kind: 'problems', key, problems: [...row.problems, ...problems] }];
    });
    const { isUnchecked: _, ...sheet } = now.sheet;
    const sheetProblems = [
      ...foundByReading(sheets.sheetProblems(id)),
      ...this.#use.headerProblems(context.checker),
      ...found.sheet,
    ];
    sheets.change(id, { sheet, sheetProblems, rows, at: context.now });
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
      inverse: {
        ...(this.#step.headers === undefined ? {} : { headers }),
        ...(this.#step.sheet === undefined ? {} : { sheet: former }),
        rows: this.#takeBack,
      },
    };
  }
}

const NO_CELLS: ReadonlyMap<string, string> = new Map();
