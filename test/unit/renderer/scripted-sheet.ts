/** A sheet behind the bridge, small and without an engine: rows, edits, undo, a clipboard. For the window's side alone. */
import { pasteBlock, tableWidth } from '../../../src/shared/domain/cells/paste-block.ts';
import type { EventPayload, RouteInput, RouteName, RouteOutput } from '../../../src/shared/ipc/contract.ts';
import type { EditResult, SheetEdit } from '../../../src/shared/ipc/editing.ts';
import type { ColumnView } from '../../../src/shared/ipc/opening.ts';
import type { RowView } from '../../../src/shared/ipc/rows.ts';
import type { RowsInView } from '../../../src/shared/domain/task/batch-view.ts';
import { makeRow } from './make-view.ts';

interface ScriptedRow {
  readonly key: number;
  cells: string[];
  locked?: string;
  takesDone?: number;
  cut?: readonly number[];
  problems?: RowView['cellProblems'];
}

interface Step {
  readonly id: number;
  readonly label: string;
  readonly rows: ScriptedRow[];
  readonly headers: string[];
}

const NO_RESULT: EditResult = {
  changedRows: 0,
  changedCells: 0,
  refusedRows: 0,
  refused: [],
  inserted: [],
};
/** Longer cells are cut in pages. */
const SHOWN = 200;

/** Rows `row-0` … with the given headers; a cell's text is its header and its line. */
export class ScriptedSheet {
  headers: string[];
  rows: ScriptedRow[];
  clipboard: string[][] = [];
  readonly edits: SheetEdit[] = [];
  /** Which rows a view shows. */
  shows: (view: Required<RowsInView>, key: number) => boolean = () => true;
  #nextKey: number;
  #sequence = 1;
  readonly #undo: Step[] = [];
  readonly #redo: Step[] = [];

  constructor(headers: readonly string[], count: number) {
    this.headers = [...headers];
    this.rows = Array.from({ length: count }, (_, index) => ({
      key: index,
      cells: headers.map((header) => (header === 'row' ? `row-${index}` : `${header} ${index + 1}`)),
    }));
    this.#nextKey = count;
  }

  cell(index: number, header: string): string | undefined {
    return this.rows[index]?.cells[this.headers.indexOf(header)];
  }

  /** Carries out what changes the sheet; gives what the window is told of it before it has its answer. */
  changedBy(change: () => void): Pick<EventPayload<'sheet.changed'>, 'rows'> {
    const before = new Map(this.rows.map((row) => [row.key, JSON.stringify(row)]));
    const order = this.rows.map(({ key }) => key).join();
    const headers = this.headers.join();
    change();
    if (this.rows.map(({ key }) => key).join() !== order || this.headers.join() !== headers) return {};
    return { rows: this.#viewsOf((row) => JSON.stringify(row) !== before.get(row.key)) };
  }

  /** What a route answers; undefined for routes that are not about the sheet. */
  answer(route: RouteName, input: unknown): unknown {
    switch (route) {
      case 'rows.page':
        return this.#page(input as RouteInput<'rows.page'>);
      case 'rows.get': {
        const wanted = new Set((input as RouteInput<'rows.get'>).keys);
        return { sequence: this.#sequence, rows: this.#viewsOf(({ key }) => wanted.has(key)) };
      }
      case 'sheet.get':
        return this.view((input as RouteInput<'sheet.get'>).batchId);
      case 'sheet.cell': {
        const { key, header } = input as RouteInput<'sheet.cell'>;
        return { text: this.#row(key)?.cells[this.headers.indexOf(header)] ?? '' };
      }
      case 'sheet.pasteSize':
        return { rows: this.clipboard.length, columns: tableWidth(this.clipboard) };
      case 'sheet.edit':
        return this.#edit((input as RouteInput<'sheet.edit'>).edit);
      case 'sheet.undo':
        return this.#turnBack(this.#undo, this.#redo);
      case 'sheet.redo':
        return this.#turnBack(this.#redo, this.#undo);
      case 'sheet.copy':
        return this.#copy(input as RouteInput<'sheet.copy'>);
      case 'sheet.paste': {
        const { rows, added, headers, columns } = input as RouteInput<'sheet.paste'>;
        const { values, width } = pasteBlock(this.clipboard, { rows: rows.length + added, columns });
        return this.#edit({ kind: 'set-cells', rows, added, headers: headers.slice(0, width), values });
      }
      case 'sheet.find':
        return this.#find(input as RouteInput<'sheet.find'>);
      case 'sheet.problems':
        return this.rows.flatMap((row, index) =>
          (row.problems ?? []).map((problem) => ({
            ...problem,
            code: 'value-type',
            key: row.key,
            line: index + 2,
            row: this.#id(row),
          })),
        );
      case 'sheet.preview':
        return { before: '{}', after: '{}', filledIn: [], waitsFor: [] };
      case 'lists.get':
        return [];
      default:
        return undefined;
    }
  }

  /** The first cell of the view that holds the text. */
  #find({ view, text }: RouteInput<'sheet.find'>): RouteOutput<'sheet.find'> {
    const found = this.#rowsIn(view).flatMap(({ key, cells }) =>
      cells.flatMap((cell, index) => (cell.includes(text) ? { key, header: this.headers[index] ?? '' } : [])),
    );
    return found[0] && { ...found[0], matches: found.length, nth: 1 };
  }

  #rowsIn(view: Required<RowsInView>): readonly ScriptedRow[] {
    return this.rows.filter(({ key }) => this.shows(view, key));
  }

  #page({ offset, limit, ...view }: RouteInput<'rows.page'>): RouteOutput<'rows.page'> {
    const keys = this.#rowsIn(view).map(({ key }) => key);
    const shown = new Set(keys.slice(offset, offset + limit));
    const rows = this.#viewsOf(({ key }) => shown.has(key));
    return { sequence: this.#sequence, keys: Float64Array.from(keys), rows };
  }

  #viewsOf(isMeant: (row: ScriptedRow) => boolean): RowView[] {
    return this.rows.flatMap((row, index): RowView[] => (isMeant(row) ? [this.#viewOf(row, index)] : []));
  }

  #viewOf(row: ScriptedRow, index: number): RowView {
    const long = row.cells.flatMap((text, cell) => (text.length > SHOWN ? cell : []));
    return makeRow({
      key: row.key,
      row: this.#id(row),
      line: index + 2,
      cells: row.cells.map((text) => text.slice(0, SHOWN)),
      ...(long.length === 0 ? {} : { cutCells: long }),
      ...(row.takesDone === undefined ? {} : { takesDone: row.takesDone }),
      ...(row.locked === undefined ? {} : { locked: row.locked, status: 'rendering' }),
      ...(row.problems === undefined ? {} : { cellProblems: row.problems }),
    });
  }

  view(batchId: string): RouteOutput<'sheet.get'> {
    return {
      batchId,
      columns: this.headers.map((header): ColumnView => ({
        header,
        column: header,
        also: [],
        how: 'exact',
        suggestions: [],
      })),
      variables: {},
      choices: 'draw',
      isWatched: false,
      operations: ['musicgen/music/generate'],
      errorCount: this.rows.filter(({ problems }) => problems !== undefined).length,
      warningCount: 0,
      ignored: [],
      ...this.#labels(),
    };
  }

  #labels(): Pick<EditResult, 'undo' | 'redo'> {
    const [undo, redo] = [this.#undo.at(-1), this.#redo.at(-1)];
    return {
      ...(undo === undefined ? {} : { undo: undo.label }),
      ...(redo === undefined ? {} : { redo: redo.label }),
    };
  }

  #edit(edit: SheetEdit): EditResult {
    this.edits.push(edit);
    this.#undo.push({ id: this.edits.length, label: edit.kind, rows: this.#copyOfRows(), headers: [...this.headers] });
    this.#redo.length = 0;
    this.#sequence += 1;
    return { ...this.#apply(edit), edit: this.edits.length, ...this.#labels() };
  }

  #apply(edit: SheetEdit): EditResult {
    switch (edit.kind) {
      case 'set-cells': {
        const inserted = this.#grow(this.rows.length + edit.added);
        const { values } = edit;
        return {
          ...this.#write([...edit.rows, ...inserted], edit.headers, (_, line) => values[line % values.length]),
          inserted,
        };
      }
      case 'fill-down': {
        const [first, ...others] = edit.rows;
        const source = edit.headers.map((header) => this.#row(first ?? -1)?.cells[this.headers.indexOf(header)] ?? '');
        return this.#write(others, edit.headers, () => source);
      }
      case 'clear-cells':
        return this.#write(edit.rows, edit.headers, () => edit.headers.map(() => ''));
      case 'insert-rows': {
        const at =
          edit.at.kind === 'end' ? this.rows.length : this.#place(edit.at.key) + (edit.where === 'below' ? 1 : 0);
        const rows = Array.from({ length: edit.count }, () => this.#newRow());
        this.rows.splice(at, 0, ...rows);
        return { ...NO_RESULT, changedRows: edit.count, inserted: rows.map(({ key }) => key) };
      }
      case 'remove-rows': {
        const before = this.rows.length;
        this.rows = this.rows.filter(({ key }) => !edit.rows.includes(key));
        return { ...NO_RESULT, changedRows: before - this.rows.length };
      }
      case 'render-again':
      case 'keep-earlier':
        return { ...NO_RESULT, changedRows: edit.rows.length };
      case 'duplicate-rows': {
        const copies: number[] = [];
        for (const key of edit.rows) {
          const copy = { ...this.#newRow(), cells: [...(this.#row(key)?.cells ?? [])] };
          this.rows.splice(this.#place(key) + 1, 0, copy);
          copies.push(copy.key);
        }
        return { ...NO_RESULT, changedRows: copies.length, inserted: copies };
      }
      case 'move-rows': {
        const moved = edit.rows.flatMap((key) => this.#row(key) ?? []);
        this.rows = this.rows.filter((row) => !moved.includes(row));
        this.rows.splice(this.#place(edit.to) + (edit.where === 'below' ? 1 : 0), 0, ...moved);
        return { ...NO_RESULT, changedRows: moved.length };
      }
      case 'replace': {
        const headers = edit.headers ?? this.headers;
        return this.#write(edit.rows, headers, ({ cells }) =>
          headers.map((header) => (cells[this.headers.indexOf(header)] ?? '').replaceAll(edit.find, edit.replaceWith)),
        );
      }
      case 'correct-cells': {
        const { corrections } = edit;
        return this.#write(edit.rows, this.headers, ({ cells }) =>
          this.headers.map((header, at) => corrections[header]?.[cells[at] ?? ''] ?? cells[at] ?? ''),
        );
      }
      case 'add-column': {
        const at = edit.after === undefined ? 0 : this.headers.indexOf(edit.after) + 1;
        this.headers.splice(at, 0, edit.header);
        const texts = new Map((edit.cells ?? []).map(({ key, text }) => [key, text]));
        for (const row of this.rows) row.cells.splice(at, 0, texts.get(row.key) ?? '');
        return NO_RESULT;
      }
      case 'remove-column': {
        const at = this.headers.indexOf(edit.header);
        this.headers.splice(at, 1);
        for (const row of this.rows) row.cells.splice(at, 1);
        return NO_RESULT;
      }
      case 'move-column':
      case 'map-column':
      case 'set-variables':
      case 'ignore-warnings':
      case 'set-default-operation':
      case 'clear-unused':
        return NO_RESULT;
    }
  }

  #write(
    keys: readonly number[],
    headers: readonly string[],
    textsOf: (row: ScriptedRow, line: number) => readonly string[] | undefined,
  ): EditResult {
    const refused: EditResult['refused'][number][] = [];
    const rows = new Map(this.rows.map((row) => [row.key, row]));
    let changedRows = 0;
    for (const [line, key] of keys.entries()) {
      const row = rows.get(key);
      if (row === undefined) continue;
      if (row.locked !== undefined) {
        refused.push({ row: this.#id(row), line: this.#place(key) + 2, reason: row.locked });
        continue;
      }
      changedRows += 1;
      const texts = textsOf(row, line) ?? [];
      row.cells = row.cells.map((before, cell) => {
        const at = headers.indexOf(this.headers[cell] ?? '');
        return at === -1 ? before : (texts[at] ?? before);
      });
    }
    const changedCells = changedRows * headers.length;
    return { ...NO_RESULT, changedRows, changedCells, refusedRows: refused.length, refused };
  }

  #copy({ rows, headers, isCut }: RouteInput<'sheet.copy'>): EditResult {
    this.clipboard = rows.map((key) =>
      headers.map((header) => this.#row(key)?.cells[this.headers.indexOf(header)] ?? ''),
    );
    const changedCells = rows.length * headers.length;
    if (isCut) return this.#edit({ kind: 'clear-cells', rows, headers });
    return { ...NO_RESULT, changedRows: rows.length, changedCells, ...this.#labels() };
  }

  #turnBack(from: Step[], to: Step[]): EditResult {
    const step = from.pop();
    if (step === undefined) return { ...NO_RESULT, ...this.#labels() };
    const isNothing = this.rows.every(({ locked }) => locked !== undefined);
    if (isNothing) return { ...NO_RESULT, isNothing, ...this.#labels() };
    to.push({ id: step.id, label: step.label, rows: this.rows, headers: this.headers });
    this.rows = step.rows;
    this.headers = step.headers;
    this.#sequence += 1;
    return { ...NO_RESULT, changedRows: 1, edit: step.id, ...this.#labels() };
  }

  #copyOfRows(): ScriptedRow[] {
    return this.rows.map((row) => ({ ...row, cells: [...row.cells] }));
  }

  #place(key: number): number {
    return this.rows.findIndex((row) => row.key === key);
  }

  #grow(length: number): number[] {
    const added = Array.from({ length: Math.max(0, length - this.rows.length) }, () => this.#newRow());
    this.rows.push(...added);
    return added.map(({ key }) => key);
  }

  #newRow(): ScriptedRow {
    const key = this.#nextKey;
    this.#nextKey += 1;
    return { key, cells: this.headers.map((header) => (header === 'row' ? `new-${key}` : '')) };
  }

  #row(key: number): ScriptedRow | undefined {
    return this.rows.find((row) => row.key === key);
  }

  #id(row: ScriptedRow): string {
    return row.cells[this.headers.indexOf('row')] ?? `row-${row.key}`;
  }
}
