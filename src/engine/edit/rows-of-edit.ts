/** Turns the edit that the user asks for into changes of single rows. */
import { isBlank } from '../../shared/domain/base/text.ts';
import { assertNever, err, ok, type Result } from '../../shared/domain/base/result.ts';
import { cellText } from '../../shared/domain/sheet/row.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { SheetEdit } from '../../shared/ipc/editing.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import type { SheetStore } from '../ports/sheet-store.ts';
import { type Anchor, countRows, type NamedEdit, type RowEdit } from './edit-by-row.ts';
import { editOfColumns, noColumn } from './edit-of-columns.ts';
import { rowsOfCorrections, rowsOfReplace } from './find-cells.ts';
import { rowsOfUnused } from './rows-of-unused.ts';

/** As many rows as a spreadsheet has. */
const MOST_ROWS = 1_048_576;

type EditOf<K extends SheetEdit['kind']> = Extract<SheetEdit, { kind: K }>;

/**
 * What an edit does to the rows of a batch, named for the undo list. Changes nothing; the error says in words what
 * prevents the edit.
 */
export async function rowsOfEdit(
  edit: SheetEdit,
  sheets: SheetStore,
  batch: BatchRecord,
  signal?: AbortSignal,
): Promise<Result<NamedEdit, string>> {
  const named = 'headers' in edit ? (edit.headers ?? []) : [];
  const missing = named.find((header) => !batch.headers.includes(header));
  if (missing !== undefined) return err(noColumn(missing));
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
    case 'render-again':
      return rows.renderAgain(edit);
    case 'keep-earlier':
      return rows.keepEarlier(edit);
    case 'duplicate-rows':
      return rows.duplicateRows(edit);
    case 'move-rows':
      return rows.moveRows(edit);
    case 'replace':
      return rowsOfReplace(sheets, batch, edit, signal);
    case 'correct-cells':
      return rowsOfCorrections(sheets, batch, edit);
    case 'clear-unused':
      return rowsOfUnused(edit, sheets, batch, signal);
    case 'add-column':
    case 'remove-column':
    case 'move-column':
    case 'map-column':
    case 'set-variables':
    case 'set-default-operation':
    case 'ignore-warnings':
      return editOfColumns(edit, batch);
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
    const widest = values.reduce((most, line) => Math.max(most, line.length), 0);
    if (widest > headers.length) return err(tooWide(widest, headers.length));
    const keys = eachOnce(rows);
    const count = keys.length + added;
    if (count === 0) return err(domainWords.problems.edits.chooseRows);
    if (this.#batch.rowCount + added > MOST_ROWS) return err(domainWords.problems.edits.mostRows(MOST_ROWS));
    const cellsOf = values.map((line) => new Map(headers.map((header, column) => [header, line[column] ?? ''])));
    const edits = Array.from({ length: count }, (_, i): RowEdit => {
      const cells = cellsOf[i % values.length] ?? new Map<string, string>();
      const key = keys[i];
      if (key !== undefined) return { kind: 'cells', key, cells };
      return { kind: 'insert', key: -1 - i, after: 'end', cells: Object.fromEntries(cells) };
    });
    const cells = count * headers.length;
    return named(cells === 1 ? oneCell(headers[0] ?? '') : countCells('paste', cells), edits);
  }

  async fillDown({ rows, headers }: EditOf<'fill-down'>): Promise<Result<NamedEdit, string>> {
    const [firstKey, ...others] = eachOnce(rows);
    if (firstKey === undefined || others.length === 0) return err(domainWords.problems.edits.chooseTwo);
    const [first] = await this.#sheets.rowsByKeys(this.#batch.id, [firstKey]);
    if (first === undefined) return err(domainWords.problems.edits.gone.fill);
    const cells = new Map(headers.map((header) => [header, cellText(first.row.cells, header)]));
    const edits = others.map((key): RowEdit => ({ kind: 'cells', key, cells }));
    return named(countRows('fillDown'), edits);
  }

  clearCells({ rows, headers }: EditOf<'clear-cells'>): Result<NamedEdit, string> {
    const cells = new Map(headers.map((header) => [header, '']));
    const edits = eachOnce(rows).map((key): RowEdit => ({ kind: 'cells', key, cells }));
    return named(countCells('clear'), edits);
  }

  async insertRows({ at, where, count }: EditOf<'insert-rows'>): Promise<Result<NamedEdit, string>> {
    if (this.#batch.rowCount + count > MOST_ROWS) return err(domainWords.problems.edits.mostRows(MOST_ROWS));
    if (at.kind === 'row' && !(await this.#exists(at.key))) return err(domainWords.problems.edits.gone.insert);
    const first = at.kind === 'end' ? 'end' : await this.#anchor(at.key, where);
    const edits = Array.from({ length: count }, (_, i): RowEdit => {
      return { kind: 'insert', key: -1 - i, after: i === 0 ? first : -i, cells: {} };
    });
    return named(countRows('insert'), edits);
  }

  removeRows({ rows }: EditOf<'remove-rows'>): Result<NamedEdit, string> {
    const edits = eachOnce(rows).map((key): RowEdit => ({ kind: 'remove', key }));
    return named(countRows('remove'), edits);
  }

  renderAgain({ rows }: EditOf<'render-again'>): Result<NamedEdit, string> {
    const edits = eachOnce(rows).map((key): RowEdit => ({ kind: 'cells', key, cells: new Map(), rendersAgain: true }));
    return named(countRows('renderAgain'), edits);
  }

  keepEarlier({ rows }: EditOf<'keep-earlier'>): Result<NamedEdit, string> {
    const edits = eachOnce(rows).map((key): RowEdit => ({ kind: 'cells', key, cells: new Map(), keepsEarlier: true }));
    return named(countRows('keepEarlier'), edits);
  }

  async duplicateRows({ rows }: EditOf<'duplicate-rows'>): Promise<Result<NamedEdit, string>> {
    const layout = layOutColumns(this.#batch.headers, this.#batch.sheet.mapping);
    const header = layout.headers[layout.indexes.get('row') ?? -1];
    const found = await this.#sheets.rowsByKeys(this.#batch.id, eachOnce(rows));
    const ids = found.map(({ row: { cells } }) => (header === undefined ? '' : cellText(cells, header).trim()));
    const copies = await this.#idsOfCopies(ids);
    const edits = found.map(({ key, row: { cells } }, i): RowEdit => {
      const copy = copies[i];
      const own = header === undefined || copy === undefined ? {} : { [header]: copy };
      return { kind: 'insert', key: -1 - i, after: key, cells: { ...cells, ...own } };
    });
    return named(countRows('duplicate'), edits);
  }

  async moveRows({ rows, to, where }: EditOf<'move-rows'>): Promise<Result<NamedEdit, string>> {
    if (!(await this.#exists(to))) return err(domainWords.problems.edits.gone.move);
    const moved = new Set(rows);
    const keys = [...moved];
    const first = moved.has(to) ? await this.#stayingAbove(to, moved) : await this.#anchor(to, where);
    const edits = keys.map((key, i): RowEdit => ({ kind: 'move', key, after: keys[i - 1] ?? first }));
    return named(countRows('move'), edits);
  }

  async #exists(key: number): Promise<boolean> {
    return (await this.#sheets.rowsByKeys(this.#batch.id, [key])).length > 0;
  }

  async #anchor(key: number, where: 'above' | 'below'): Promise<Anchor> {
    if (where === 'below') return key;
    const beside = await this.#sheets.neighboursOf(this.#batch.id, [key]);
    return beside.get(key)?.before?.key ?? 'start';
  }

  /** The next row above a moving one, among the rows that stay. */
  async #stayingAbove(key: number, moved: ReadonlySet<number>): Promise<Anchor> {
    const beside = await this.#sheets.neighboursOf(this.#batch.id, [...moved]);
    let above: Anchor = key;
    while (typeof above === 'number' && moved.has(above)) above = beside.get(above)?.before?.key ?? 'start';
    return above;
  }

  /** Fresh ids for copies of rows: `intro-copy`, `intro-copy-2`; undefined for rows without an id. */
  async #idsOfCopies(ids: readonly string[]): Promise<readonly (string | undefined)[]> {
    // A copy of a copy is named after the original.
    const bases = ids.map((id) => `${id.replace(/-copy(?:-\d+)?$/, '')}-copy`);
    const idOf = (base: string, number: number): string => (number === 1 ? base : `${base}-${number}`);
    const groups = new Map<string, { readonly waiting: number[]; next: number }>();
    for (const [row, base] of bases.entries()) {
      if (isBlank(ids[row] ?? '')) continue;
      const group = groups.get(foldRowId(base)) ?? { waiting: [], next: 1 };
      groups.set(foldRowId(base), group);
      group.waiting.push(row);
    }
    const copies: (string | undefined)[] = ids.map(() => undefined);
    for (let tried = triesOf(groups); tried.length > 0; tried = triesOf(groups)) {
      const folded = tried.map(({ base, number }) => idOf(base, number));
      const taken = await this.#sheets.keysByIds(this.#batch.id, folded);
      for (const [at, { number, waiting }] of tried.entries()) {
        const row = taken.has(folded[at] ?? '') ? undefined : waiting.shift();
        if (row !== undefined) copies[row] = idOf(bases[row] ?? '', number);
      }
    }
    return copies;
  }
}

/** The next numbers to try: for each base, as many as there are rows waiting for one. */
function triesOf(groups: ReadonlyMap<string, { readonly waiting: number[]; next: number }>) {
  return [...groups].flatMap(([base, group]) => {
    const first = group.next;
    group.next += group.waiting.length;
    return group.waiting.map((_, i) => ({ base, number: first + i, waiting: group.waiting }));
  });
}

function named(labelOf: NamedEdit['labelOf'], rows: readonly RowEdit[]): Result<NamedEdit, string> {
  return ok({ labelOf, edit: { rows } });
}

function oneCell(header: string): NamedEdit['labelOf'] {
  return () => domainWords.problems.edits.labels.editCell(header);
}

/** @param blank What counts where rows were added without a text in them. */
function countCells(kind: 'paste' | 'clear', blank = 0): NamedEdit['labelOf'] {
  return ({ changedCells }) => domainWords.problems.edits.labels[kind](changedCells === 0 ? blank : changedCells);
}

function eachOnce(keys: readonly number[]): readonly number[] {
  return [...new Set(keys)];
}

function tooWide(cells: number, columns: number): string {
  return domainWords.problems.edits.tooWide(cells, columns);
}
