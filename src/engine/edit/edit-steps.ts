/** What an edit of the window means for the rows of a sheet. */
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import { isBlank } from '../../shared/domain/sheet/sheet-raw.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { SheetEdit } from '../../shared/ipc/sheet-views.ts';
import type { SheetStore } from '../sheet-ports.ts';
import { countText } from './edit-labels.ts';
import { cellText, type Anchor, type RowWish, type SheetStep } from './sheet-step.ts';

/** An edit as a step, with its name in the list of what can be undone. */
export interface NamedStep {
  readonly label: string;
  readonly step: SheetStep;
}

/** As many rows as a spreadsheet has. */
const MOST_ROWS = 1_048_576;

type EditOf<K extends SheetEdit['kind']> = Extract<SheetEdit, { kind: K }>;

/** Makes steps of the edits of one batch's rows. Nothing is changed; the error says what keeps an edit, in words. */
export class EditSteps {
  readonly #sheets: SheetStore;
  readonly #batch: BatchRecord;

  constructor(sheets: SheetStore, batch: BatchRecord) {
    this.#sheets = sheets;
    this.#batch = batch;
  }

  setCells({ rows, added, headers, values }: EditOf<'set-cells'>): Result<NamedStep, string> {
    const missing = this.#missingHeader(headers);
    if (missing !== undefined) return err(missing);
    const widest = values.reduce((most, line) => Math.max(most, line.length), 0);
    if (widest > headers.length) return err(tooWide(widest, headers.length));
    const keys = eachOnce(rows);
    const count = keys.length + added;
    if (count === 0) return err('Choose the rows to write into.');
    if (this.#batch.rowCount + added > MOST_ROWS) return err(`A sheet has at most ${countText(MOST_ROWS)} rows.`);
    const cellsOf = values.map((line) => new Map(headers.map((header, column) => [header, line[column] ?? ''])));
    const wishes = Array.from({ length: count }, (_, i): RowWish => {
      const cells = cellsOf[i % values.length] ?? new Map<string, string>();
      const key = keys[i];
      if (key !== undefined) return { kind: 'cells', key, cells };
      return { kind: 'insert', key: -1 - i, after: 'end', cells: Object.fromEntries(cells) };
    });
    const cells = count * headers.length;
    return ok({
      label: cells === 1 ? `Edit “${headers[0]}”` : `Paste ${countText(cells)} cells`,
      step: { rows: wishes },
    });
  }

  fillDown({ rows, headers }: EditOf<'fill-down'>): Result<NamedStep, string> {
    const missing = this.#missingHeader(headers);
    if (missing !== undefined) return err(missing);
    const [firstKey, ...others] = eachOnce(rows);
    if (firstKey === undefined || others.length === 0) return err('Choose at least two rows to fill down.');
    const [first] = this.#sheets.rowsByKeys(this.#batch.id, [firstKey]);
    if (first === undefined) return err('The row to fill from is not there any more.');
    const cells = new Map(headers.map((header) => [header, cellText(first.row.cells, header)]));
    const wishes = others.map((key): RowWish => ({ kind: 'cells', key, cells }));
    return ok({ label: `Fill down ${countText(others.length)} rows`, step: { rows: wishes } });
  }

  clearCells({ rows, headers }: EditOf<'clear-cells'>): Result<NamedStep, string> {
    const missing = this.#missingHeader(headers);
    if (missing !== undefined) return err(missing);
    const cells = new Map(headers.map((header) => [header, '']));
    const wishes = eachOnce(rows).map((key): RowWish => ({ kind: 'cells', key, cells }));
    return ok({ label: `Clear ${countText(wishes.length * headers.length)} cells`, step: { rows: wishes } });
  }

  insertRows({ at, where, count }: EditOf<'insert-rows'>): Result<NamedStep, string> {
    if (this.#batch.rowCount + count > MOST_ROWS) return err(`A sheet has at most ${countText(MOST_ROWS)} rows.`);
    if (at.kind === 'row' && this.#sheets.rowsByKeys(this.#batch.id, [at.key]).length === 0) {
      return err('The row beside which to insert is not there any more.');
    }
    const first = at.kind === 'end' ? 'end' : this.#anchor(at.key, where);
    const wishes = Array.from({ length: count }, (_, i): RowWish => ({
      kind: 'insert',
      key: -1 - i,
      after: i === 0 ? first : -i,
      cells: {},
    }));
    return ok({ label: count === 1 ? 'Insert a row' : `Insert ${countText(count)} rows`, step: { rows: wishes } });
  }

  removeRows({ rows }: EditOf<'remove-rows'>): Result<NamedStep, string> {
    const wishes = eachOnce(rows).map((key): RowWish => ({ kind: 'remove', key }));
    const count = wishes.length;
    return ok({ label: count === 1 ? 'Remove a row' : `Remove ${countText(count)} rows`, step: { rows: wishes } });
  }

  duplicateRows({ rows }: EditOf<'duplicate-rows'>): Result<NamedStep, string> {
    const layout = layOutColumns(this.#batch.headers, this.#batch.sheet.mapping);
    const header = layout.headers[layout.indexes.get('row') ?? -1];
    const copies = new CopyIds(this.#sheets, this.#batch.id);
    const found = this.#sheets.rowsByKeys(this.#batch.id, eachOnce(rows));
    const wishes = found.map(({ key, row: { cells } }, i): RowWish => {
      const id = header === undefined ? '' : cellText(cells, header);
      const isNamed = header !== undefined && !isBlank(id);
      return {
        kind: 'insert',
        key: -1 - i,
        after: key,
        cells: isNamed ? { ...cells, [header]: copies.of(id.trim()) } : cells,
      };
    });
    const count = wishes.length;
    return ok({
      label: count === 1 ? 'Duplicate a row' : `Duplicate ${countText(count)} rows`,
      step: { rows: wishes },
    });
  }

  moveRows({ rows, to, where }: EditOf<'move-rows'>): Result<NamedStep, string> {
    if (this.#sheets.rowsByKeys(this.#batch.id, [to]).length === 0) {
      return err('The row beside which to move is not there any more.');
    }
    const moved = new Set(rows);
    const keys = [...moved];
    let first: Anchor = moved.has(to) ? to : this.#anchor(to, where);
    // Beside a row that moves itself: behind the next one above that stays.
    while (typeof first === 'number' && moved.has(first)) first = this.#anchor(first, 'above');
    const wishes = keys.map((key, i): RowWish => ({
      kind: 'move',
      key,
      after: i === 0 ? first : (keys[i - 1] ?? first),
    }));
    const count = wishes.length;
    return ok({ label: count === 1 ? 'Move a row' : `Move ${countText(count)} rows`, step: { rows: wishes } });
  }

  #anchor(key: number, where: 'above' | 'below'): Anchor {
    if (where === 'below') return key;
    return this.#sheets.neighboursOf(this.#batch.id, key).before?.key ?? 'start';
  }

  #missingHeader(headers: readonly string[]): string | undefined {
    const missing = headers.find((header) => !this.#batch.headers.includes(header));
    return missing === undefined ? undefined : `The sheet has no column “${missing}” any more: look at it again.`;
  }
}

function eachOnce(keys: readonly number[]): readonly number[] {
  return [...new Set(keys)];
}

function tooWide(cells: number, columns: number): string {
  return `The table is ${cells} columns wide, and from here to the last column there are ${columns}. Begin further left, or add columns first.`;
}

/** Fresh ids for copies of rows: `intro-copy`, `intro-copy-2`. */
class CopyIds {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  readonly #given = new Set<string>();

  constructor(sheets: SheetStore, batchId: string) {
    this.#sheets = sheets;
    this.#batchId = batchId;
  }

  of(id: string): string {
    // A copy of a copy is named after the first one.
    const base = `${id.replace(/-copy(?:-\d+)?$/, '')}-copy`;
    for (let number = 1; ; number += 1) {
      const copy = number === 1 ? base : `${base}-${number}`;
      const folded = foldRowId(copy);
      if (this.#given.has(folded) || this.#sheets.keysByIds(this.#batchId, [folded]).has(folded)) continue;
      this.#given.add(folded);
      return copy;
    }
  }
}
