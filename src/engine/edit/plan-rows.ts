import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { requestText } from '../../shared/domain/sheet/sheet-checker.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import { cellText, type EditByRow, type RefusedRow, type RowEdit } from './edit-by-row.ts';
import { type Placed, RowPlacer } from './plan-places.ts';
import { checkAsItIs, type EditedRow, type PlanContext, type RowPlan, type SheetPlan } from './plan-sheet.ts';

/** The rows of an edit, as far as it can be granted. */
export interface RowPlans {
  readonly edited: readonly EditedRow[];
  readonly removed: readonly RowPlan[];
  readonly moved: readonly { readonly row: RowPlan; readonly position: number }[];
  readonly refused: readonly RefusedRow[];
  /** Lines below are renumbered: rows were added, removed, or moved above others. */
  readonly isRenumbered: boolean;
}

/** Many times what a cell of a workbook holds; anything longer got there by accident. */
const MOST_CELL_CHARACTERS = 1_000_000;

/** Checks each row of an edit: what it changes, and what prevents it. Undefined if two rows have no room between. */
export function planRows(edit: EditByRow, plan: SheetPlan, context: PlanContext): RowPlans | undefined {
  const planner = new RowPlanner(plan, context);
  plan.load(edit.rows.map(({ key }) => key));
  plan.load(edit.rows.flatMap((row) => ('after' in row && typeof row.after === 'number' ? [row.after] : [])));
  for (const row of edit.rows) planner.add(row);
  return planner.finish();
}

/** Whether the edit of a row would put the gateway's key into a cell: then it is refused. */
export function wouldHoldKey(edit: RowEdit, finder: KeyFinder): boolean {
  switch (edit.kind) {
    case 'cells':
      return haveKey([...edit.cells.values()], finder);
    case 'insert':
      return haveKey(Object.values(edit.cells), finder);
    case 'remove':
    case 'move':
      return false;
    default:
      return assertNever(edit);
  }
}

function haveKey(texts: readonly string[], finder: KeyFinder): boolean {
  return texts.some((text) => finder.finds(text));
}

class RowPlanner {
  readonly #plan: SheetPlan;
  readonly #context: PlanContext;
  readonly #edited: EditedRow[] = [];
  readonly #inserts: Extract<RowEdit, { kind: 'insert' }>[] = [];
  readonly #moves: Placed[] = [];
  readonly #removed: RowPlan[] = [];
  readonly #refused: RefusedRow[] = [];

  constructor(plan: SheetPlan, context: PlanContext) {
    this.#plan = plan;
    this.#context = context;
  }

  add(edit: RowEdit): void {
    switch (edit.kind) {
      case 'insert':
        this.#addInsert(edit);
        break;
      case 'cells':
        this.#addCells(edit);
        break;
      case 'remove': {
        const row = this.#plan.row(edit.key);
        if (row !== undefined && !this.#refuseLocked(row)) this.#removed.push(row);
        break;
      }
      case 'move':
        if (this.#plan.row(edit.key) !== undefined) this.#moves.push(edit);
        break;
    }
  }

  #addInsert(edit: Extract<RowEdit, { kind: 'insert' }>): void {
    if (this.#plan.row(edit.key) !== undefined) return;
    const reason = this.#whyRefused(Object.values(edit.cells));
    if (reason === undefined) this.#inserts.push(edit);
    else this.#refused.push({ row: edit.was?.id ?? '', line: 0, reason });
  }

  #addCells({ key, cells, id, superseded, reclaimsId }: Extract<RowEdit, { kind: 'cells' }>): void {
    const before = this.#plan.row(key);
    if (before === undefined) {
      this.#refused.push({ row: '', line: 0, reason: 'It is no longer in the sheet.' });
      return;
    }
    const changed = [...cells].filter(([header, text]) => cellText(before.row.cells, header) !== text);
    if (changed.length === 0 && superseded === undefined && !reclaimsId && !this.#context.isRecheck) return;
    const isLocked = whyLocked(before.tasks) !== undefined;
    if (isLocked && !this.#isNote(changed.map(([header]) => header))) {
      if (changed.length > 0 || this.#asksForOther(before.row)) this.#refuseLocked(before);
      return;
    }
    const reason = this.#whyRefused(changed.map(([, text]) => text));
    if (reason !== undefined) {
      this.#refuse(before.row, reason);
      return;
    }
    const { position, row } = before;
    this.#edited.push({
      key,
      before,
      cells: { ...row.cells, ...Object.fromEntries(changed) },
      changed: changed.map(([header]) => header),
      line: row.line,
      position,
      was: id,
      isLocked,
      reclaimsId: reclaimsId === true,
      superseded,
    });
  }

  /** A note can always be written: nothing of it is sent. */
  #isNote(headers: readonly string[]): boolean {
    const { layout } = this.#context.checker;
    const note = layout.headers[layout.indexes.get('note') ?? -1];
    return !this.#context.isRecheck && headers.every((header) => header === note);
  }

  /** Whether a row that is checked again would ask for something other than what it was sent for. */
  #asksForOther(row: Row): boolean {
    return requestText(checkAsItIs(row, this.#context).row) !== requestText(row);
  }

  #refuseLocked(row: RowPlan): boolean {
    const reason = whyLocked(row.tasks);
    if (reason === undefined) return false;
    this.#refuse(row.row, reason);
    return true;
  }

  #whyRefused(texts: readonly string[]): string | undefined {
    if (texts.some((text) => text.length > MOST_CELL_CHARACTERS)) {
      return `A cell would have more than ${MOST_CELL_CHARACTERS / 1_000_000} million characters.`;
    }
    if (!haveKey(texts, this.#context.keyFinder)) return undefined;
    return 'A cell would contain your gateway key and send it with the row. Enter the key only in the settings.';
  }

  #refuse({ id, line }: Row, reason: string): void {
    this.#refused.push({ row: id, line, reason });
  }

  finish(): RowPlans | undefined {
    const { batch, sheets } = this.#context;
    const placed = [...this.#inserts, ...this.#moves];
    const placer = new RowPlacer(sheets, batch.id, (key) => this.#plan.row(key)?.position);
    const positions = placer.place(placed);
    if (positions === undefined) return undefined;
    const positionOf = (key: number): number => positions.get(key) ?? 0;
    const lines = this.#linesOfInserts();
    for (const { key, cells, was, superseded } of this.#inserts) {
      this.#edited.push({
        key,
        before: undefined,
        cells,
        changed: Object.keys(cells).filter((header) => cells[header] !== ''),
        line: lines.get(key) ?? 0,
        position: positionOf(key),
        was: was?.id,
        isLocked: false,
        reclaimsId: true,
        superseded,
      });
    }
    const last = this.#inserts.length === 0 ? 0 : sheets.lastPosition(batch.id);
    const isInMiddle = this.#inserts.some(({ key }) => positionOf(key) < last);
    return {
      edited: this.#edited,
      removed: this.#removed,
      moved: this.#moves.flatMap(({ key }) => {
        const row = this.#plan.row(key);
        return row === undefined ? [] : [{ row, position: positionOf(key) }];
      }),
      refused: this.#refused,
      isRenumbered: isInMiddle || this.#moves.length > 0 || this.#removed.length > 0,
    };
  }

  /** The lines of new rows while nothing else has moved: for their error messages. */
  #linesOfInserts(): ReadonlyMap<number, number> {
    const { batch, sheets } = this.#context;
    const anchors = this.#inserts.flatMap(({ after }) => (typeof after === 'number' && after >= 0 ? [after] : []));
    const known = new Map(anchors.length === 0 ? [] : sheets.linesOf(batch.id, anchors));
    const found = new Map<number, number>();
    let end: number | undefined;
    for (const { key, after } of this.#inserts) {
      let line: number;
      if (after === 'start') line = 1;
      else if (after === 'end') line = end ??= this.#lastLine();
      else line = found.get(after) ?? known.get(after) ?? this.#lastLine();
      found.set(key, line + 1);
      if (after === 'end') end = line + 1;
    }
    return found;
  }

  #lastLine(): number {
    const { batch, sheets } = this.#context;
    const [last] = sheets.keysInView(batch.id, {}, Math.max(batch.rowCount - 1, 0), 1);
    return (last === undefined ? undefined : sheets.linesOf(batch.id, [last]).get(last)) ?? 1;
  }
}
