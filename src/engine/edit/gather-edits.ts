import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { whyLocked } from '../../shared/domain/task/row-lock.ts';
import { requestText } from '../../shared/domain/sheet/sheet-checker.ts';
import { checkAsItIs } from './checks/check-edits.ts';
import type { PendingRow, PendingSheet } from './pending-sheet.ts';
import type { PlanContext } from './plan-context.ts';
import { RowPlacer, type Placed } from './place-rows.ts';
import { cellText, type RefusedRow, type RowWish, type SheetStep, type Superseded } from './sheet-step.ts';

/** A row with the cells that it is to have. */
export interface EditedRow {
  readonly key: number;
  readonly before: PendingRow | undefined;
  readonly cells: Readonly<Record<string, string>>;
  /** Headers of the cells that have another text than before. */
  readonly changed: readonly string[];
  readonly line: number;
  readonly position: number;
  /** Its former id, for a row that becomes what it was. */
  readonly was: string | undefined;
  /** In flight: only what is not sent of it changes. */
  readonly isLocked: boolean;
  /** Its id is given anew, whether its cell has changed or not. */
  readonly reclaimsId: boolean;
  readonly superseded: Superseded | undefined;
}

/** The wishes of a step as far as they can be granted. */
export interface GatheredEdits {
  readonly edited: readonly EditedRow[];
  readonly removed: readonly PendingRow[];
  readonly moved: readonly { readonly row: PendingRow; readonly position: number }[];
  readonly refused: readonly RefusedRow[];
  /** Lines below are counted anew: rows came to be, went, or moved above others. */
  readonly isRenumbered: boolean;
}

/** As much as a cell of a workbook holds many times over; what is longer came to be by accident. */
const MOST_CELL_CHARACTERS = 1_000_000;

/** Looks at each wish of a step: what it changes, and what keeps it. Undefined where there is no room between two rows. */
export function gatherEdits(step: SheetStep, pending: PendingSheet, context: PlanContext): GatheredEdits | undefined {
  const gatherer = new Gatherer(pending, context);
  pending.load(step.rows.map((wish) => wish.key));
  pending.load(step.rows.flatMap((wish) => ('after' in wish && typeof wish.after === 'number' ? [wish.after] : [])));
  for (const wish of step.rows) gatherer.add(wish);
  return gatherer.finish();
}

/** Whether a wish would put the gateway's key into a cell: it will be refused. */
export function holdsKey(wish: RowWish, finder: KeyFinder): boolean {
  switch (wish.kind) {
    case 'cells':
      return haveKey([...wish.cells.values()], finder);
    case 'insert':
      return haveKey(Object.values(wish.cells), finder);
    case 'remove':
    case 'move':
      return false;
    default:
      return assertNever(wish);
  }
}

function haveKey(texts: readonly string[], finder: KeyFinder): boolean {
  return texts.some((text) => finder.finds(text));
}

class Gatherer {
  readonly #pending: PendingSheet;
  readonly #context: PlanContext;
  readonly #edited: EditedRow[] = [];
  readonly #inserts: Extract<RowWish, { kind: 'insert' }>[] = [];
  readonly #moves: Placed[] = [];
  readonly #removed: PendingRow[] = [];
  readonly #refused: RefusedRow[] = [];

  constructor(pending: PendingSheet, context: PlanContext) {
    this.#pending = pending;
    this.#context = context;
  }

  add(wish: RowWish): void {
    switch (wish.kind) {
      case 'insert':
        this.#addInsert(wish);
        break;
      case 'cells':
        this.#addCells(wish);
        break;
      case 'remove': {
        const row = this.#pending.row(wish.key);
        if (row !== undefined && !this.#refuseLocked(row)) this.#removed.push(row);
        break;
      }
      case 'move':
        if (this.#pending.row(wish.key) !== undefined) this.#moves.push(wish);
        break;
    }
  }

  #addInsert(wish: Extract<RowWish, { kind: 'insert' }>): void {
    if (this.#pending.row(wish.key) !== undefined) return;
    const reason = this.#whyRefused(Object.values(wish.cells));
    if (reason === undefined) this.#inserts.push(wish);
    else this.#refused.push({ row: wish.was?.id ?? '', line: 0, reason });
  }

  #addCells({ key, cells, id, superseded, reclaimsId }: Extract<RowWish, { kind: 'cells' }>): void {
    const before = this.#pending.row(key);
    if (before === undefined) {
      this.#refused.push({ row: '', line: 0, reason: 'It is not in the sheet any more.' });
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

  /** A note may be written about a row whatever is done with it: nothing of it is sent. */
  #isNote(headers: readonly string[]): boolean {
    const { layout } = this.#context.checker;
    const note = layout.headers[layout.indexes.get('note') ?? -1];
    return !this.#context.isRecheck && headers.every((header) => header === note);
  }

  /** Whether a row that is checked anew would ask for something else than what it was sent for. */
  #asksForOther(row: Row): boolean {
    return requestText(checkAsItIs(row, this.#context).row) !== requestText(row);
  }

  #refuseLocked(row: PendingRow): boolean {
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
    return 'A cell would hold your gateway key, which would be sent with the row. The key belongs in the settings only.';
  }

  #refuse({ id, line }: Row, reason: string): void {
    this.#refused.push({ row: id, line, reason });
  }

  finish(): GatheredEdits | undefined {
    const { batch, sheets } = this.#context;
    const placed = [...this.#inserts, ...this.#moves];
    const placer = new RowPlacer(sheets, batch.id, (key) => this.#pending.row(key)?.position);
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
        const row = this.#pending.row(key);
        return row === undefined ? [] : [{ row, position: positionOf(key) }];
      }),
      refused: this.#refused,
      isRenumbered: isInMiddle || this.#moves.length > 0 || this.#removed.length > 0,
    };
  }

  /** The lines that new rows are on while nothing else has moved: for the words of what is wrong with them. */
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
