/** From the edit that the user asks for to the changes of single rows. */
import { countText, isBlank } from '../../shared/domain/base/text.ts';
import { assertNever, err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecord, SheetSettings } from '../../shared/domain/task/batch.ts';
import type { SheetEdit } from '../../shared/ipc/editing.ts';
import type { SheetStore } from '../sheet-ports.ts';
import { type Anchor, cellText, type NamedEdit, type RowEdit } from './edit-by-row.ts';

/** As many rows as a spreadsheet has. */
const MOST_ROWS = 1_048_576;

type EditOf<K extends SheetEdit['kind']> = Extract<SheetEdit, { kind: K }>;

/**
 * What an edit does to the rows of a batch, named for the undo list. Changes nothing; the error says in words what
 * prevents the edit. Replacing takes longer: see `rowsOfReplace`.
 */
export function rowsOfEdit(
  edit: Exclude<SheetEdit, { kind: 'replace' }>,
  sheets: SheetStore,
  batch: BatchRecord,
): Result<NamedEdit, string> {
  const rows = new RowsOfEdit(sheets, batch);
  switch (edit.kind) {
    case 'set-cells':
      return rows.setCells(edit);
    case 'fill-down':
      return rows.fillDown(edit);
    case 'clear-cells':
      return rows.clearCells(edit);
    case 'insert-rows':
      return rows.insertRows(edit);
    case 'remove-rows':
      return rows.removeRows(edit);
    case 'duplicate-rows':
      return rows.duplicateRows(edit);
    case 'move-rows':
      return rows.moveRows(edit);
    case 'add-column':
      return addColumn(edit.header, edit.after, batch.headers);
    case 'remove-column':
      return removeColumn(edit.header, batch.headers);
    case 'move-column':
      return moveColumn(edit.header, edit.after, batch.headers);
    case 'map-column':
      return mapColumn(edit, batch);
    case 'set-variables':
      return ok(withSettings(batch, { variables: edit.variables }, 'Set the variables'));
    case 'set-default-operation':
      return ok(withSettings(batch, { operation: edit.operation }, 'Set the operation of the sheet'));
    default:
      return assertNever(edit);
  }
}

class RowsOfEdit {
  readonly #sheets: SheetStore;
  readonly #batch: BatchRecord;

  constructor(sheets: SheetStore, batch: BatchRecord) {
    this.#sheets = sheets;
    this.#batch = batch;
  }

  setCells({ rows, added, headers, values }: EditOf<'set-cells'>): Result<NamedEdit, string> {
    const missing = this.#missingHeader(headers);
    if (missing !== undefined) return err(missing);
    const widest = values.reduce((most, line) => Math.max(most, line.length), 0);
    if (widest > headers.length) return err(tooWide(widest, headers.length));
    const keys = eachOnce(rows);
    const count = keys.length + added;
    if (count === 0) return err('Choose the rows to write into.');
    if (this.#batch.rowCount + added > MOST_ROWS) return err(`A sheet has at most ${countText(MOST_ROWS)} rows.`);
    const cellsOf = values.map((line) => new Map(headers.map((header, column) => [header, line[column] ?? ''])));
    const edits = Array.from({ length: count }, (_, i): RowEdit => {
      const cells = cellsOf[i % values.length] ?? new Map<string, string>();
      const key = keys[i];
      if (key !== undefined) return { kind: 'cells', key, cells };
      return { kind: 'insert', key: -1 - i, after: 'end', cells: Object.fromEntries(cells) };
    });
    const cells = count * headers.length;
    return ok({
      label: cells === 1 ? `Edit “${headers[0]}”` : `Paste ${countText(cells)} cells`,
      edit: { rows: edits },
    });
  }

  fillDown({ rows, headers }: EditOf<'fill-down'>): Result<NamedEdit, string> {
    const missing = this.#missingHeader(headers);
    if (missing !== undefined) return err(missing);
    const [firstKey, ...others] = eachOnce(rows);
    if (firstKey === undefined || others.length === 0) return err('Choose at least two rows to fill down.');
    const [first] = this.#sheets.rowsByKeys(this.#batch.id, [firstKey]);
    if (first === undefined) return err('The row to fill from no longer exists.');
    const cells = new Map(headers.map((header) => [header, cellText(first.row.cells, header)]));
    const edits = others.map((key): RowEdit => ({ kind: 'cells', key, cells }));
    return ok({ label: `Fill down ${countText(others.length)} rows`, edit: { rows: edits } });
  }

  clearCells({ rows, headers }: EditOf<'clear-cells'>): Result<NamedEdit, string> {
    const missing = this.#missingHeader(headers);
    if (missing !== undefined) return err(missing);
    const cells = new Map(headers.map((header) => [header, '']));
    const edits = eachOnce(rows).map((key): RowEdit => ({ kind: 'cells', key, cells }));
    return ok({ label: `Clear ${countText(edits.length * headers.length)} cells`, edit: { rows: edits } });
  }

  insertRows({ at, where, count }: EditOf<'insert-rows'>): Result<NamedEdit, string> {
    if (this.#batch.rowCount + count > MOST_ROWS) return err(`A sheet has at most ${countText(MOST_ROWS)} rows.`);
    if (at.kind === 'row' && this.#sheets.rowsByKeys(this.#batch.id, [at.key]).length === 0) {
      return err('The row to insert next to no longer exists.');
    }
    const first = at.kind === 'end' ? 'end' : this.#anchor(at.key, where);
    const edits = Array.from({ length: count }, (_, i): RowEdit => ({
      kind: 'insert',
      key: -1 - i,
      after: i === 0 ? first : -i,
      cells: {},
    }));
    return ok({ label: count === 1 ? 'Insert a row' : `Insert ${countText(count)} rows`, edit: { rows: edits } });
  }

  removeRows({ rows }: EditOf<'remove-rows'>): Result<NamedEdit, string> {
    const edits = eachOnce(rows).map((key): RowEdit => ({ kind: 'remove', key }));
    const count = edits.length;
    return ok({ label: count === 1 ? 'Remove a row' : `Remove ${countText(count)} rows`, edit: { rows: edits } });
  }

  duplicateRows({ rows }: EditOf<'duplicate-rows'>): Result<NamedEdit, string> {
    const layout = layOutColumns(this.#batch.headers, this.#batch.sheet.mapping);
    const header = layout.headers[layout.indexes.get('row') ?? -1];
    const copies = new CopyIds(this.#sheets, this.#batch.id);
    const found = this.#sheets.rowsByKeys(this.#batch.id, eachOnce(rows));
    const edits = found.map(({ key, row: { cells } }, i): RowEdit => {
      const id = header === undefined ? '' : cellText(cells, header);
      const isNamed = header !== undefined && !isBlank(id);
      return {
        kind: 'insert',
        key: -1 - i,
        after: key,
        cells: isNamed ? { ...cells, [header]: copies.of(id.trim()) } : cells,
      };
    });
    const count = edits.length;
    return ok({
      label: count === 1 ? 'Duplicate a row' : `Duplicate ${countText(count)} rows`,
      edit: { rows: edits },
    });
  }

  moveRows({ rows, to, where }: EditOf<'move-rows'>): Result<NamedEdit, string> {
    if (this.#sheets.rowsByKeys(this.#batch.id, [to]).length === 0) {
      return err('The row to move next to no longer exists.');
    }
    const moved = new Set(rows);
    const keys = [...moved];
    let first: Anchor = moved.has(to) ? to : this.#anchor(to, where);
    // Next to a row that itself moves: behind the next row above that stays.
    while (typeof first === 'number' && moved.has(first)) first = this.#anchor(first, 'above');
    const edits = keys.map((key, i): RowEdit => ({
      kind: 'move',
      key,
      after: i === 0 ? first : (keys[i - 1] ?? first),
    }));
    const count = edits.length;
    return ok({ label: count === 1 ? 'Move a row' : `Move ${countText(count)} rows`, edit: { rows: edits } });
  }

  #anchor(key: number, where: 'above' | 'below'): Anchor {
    if (where === 'below') return key;
    return this.#sheets.neighboursOf(this.#batch.id, key).before?.key ?? 'start';
  }

  #missingHeader(headers: readonly string[]): string | undefined {
    const missing = headers.find((header) => !this.#batch.headers.includes(header));
    return missing === undefined
      ? undefined
      : `The sheet no longer has a column “${missing}”. Look at the sheet again.`;
  }
}

function eachOnce(keys: readonly number[]): readonly number[] {
  return [...new Set(keys)];
}

function tooWide(cells: number, columns: number): string {
  return `The table is ${cells} columns wide, and from here to the last column there are ${columns}. Start further left, or add columns first.`;
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
    // A copy of a copy is named after the original.
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

const MOST_COLUMNS = 512;

function addColumn(header: string, after: string | undefined, headers: readonly string[]): Result<NamedEdit, string> {
  const name = header.trim();
  if (name === '') return err('A column needs a name.');
  if (headers.some((known) => known.trim() === name)) return err(`There is already a column “${name}”.`);
  if (headers.length >= MOST_COLUMNS) return err(`A sheet has at most ${MOST_COLUMNS} columns.`);
  const at = after === undefined ? headers.length : headers.indexOf(after) + 1;
  if (after !== undefined && at === 0) return err(noColumn(after));
  return ok({ label: `Add the column “${name}”`, edit: { headers: headers.toSpliced(at, 0, name), rows: [] } });
}

function moveColumn(header: string, after: string | undefined, headers: readonly string[]): Result<NamedEdit, string> {
  if (!headers.includes(header)) return err(noColumn(header));
  const rest = headers.filter((known) => known !== header);
  const at = after === undefined ? 0 : rest.indexOf(after) + 1;
  if (after !== undefined && at === 0) return err(noColumn(after));
  return ok({ label: `Move the column “${header}”`, edit: { headers: rest.toSpliced(at, 0, header), rows: [] } });
}

function removeColumn(header: string, headers: readonly string[]): Result<NamedEdit, string> {
  if (!headers.includes(header)) return err(noColumn(header));
  if (headers.length === 1) return err('A sheet needs at least one column.');
  const rest = headers.filter((known) => known !== header);
  return ok({ label: `Remove the column “${header}”`, edit: { headers: rest, rows: [] } });
}

function mapColumn({ header, column }: EditOf<'map-column'>, batch: BatchRecord): Result<NamedEdit, string> {
  if (!batch.headers.includes(header)) return err(noColumn(header));
  const mapping = { ...batch.sheet.mapping, [header]: column };
  const label = column === '' ? `Do not send “${header}”` : `Take “${header}” for “${column}”`;
  return ok(withSettings(batch, { mapping }, label));
}

/** How the header line is understood, with one part of that replaced. */
function withSettings(
  { sheet: { mapping, variables, defaultOperation } }: BatchRecord,
  changed: Partial<Pick<SheetSettings, 'mapping' | 'variables'>> & { readonly operation?: OperationPath | undefined },
  label: string,
): NamedEdit {
  const { operation, ...others } = { operation: defaultOperation, ...changed };
  const chosen = operation === undefined ? {} : { defaultOperation: operation };
  return { label, edit: { sheet: { mapping, variables, ...others, ...chosen }, rows: [] } };
}

function noColumn(header: string): string {
  return `The sheet no longer has a column “${header}”. Look at the sheet again.`;
}
