/** A sheet behind the bridge, small and without an engine: rows, edits, undo, a clipboard. For the window's side alone. */
import { OPERATION_PATHS } from '../../../src/shared/domain/operations.ts';
import { pasteBlock } from '../../../src/shared/domain/paste-block.ts';
import type { RouteInput, RouteName, RouteOutput } from '../../../src/shared/ipc/contract.ts';
import type { CellPlace, EditResult, RowRange, RowsInView, SheetEdit } from '../../../src/shared/ipc/sheet-views.ts';
import type { ColumnView, RowView } from '../../../src/shared/ipc/views.ts';
import { makeRow } from './make-view.ts';

interface ScriptedRow {
  readonly key: number;
  cells: string[];
  locked?: string;
  cut?: readonly number[];
  problems?: RowView['cellProblems'];
}

interface Step {
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
  shows: (view: RowsInView, key: number) => boolean = () => true;
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

  /** What a route answers; undefined for routes that are not about the sheet. */
  answer(route: RouteName, input: unknown): unknown {
    switch (route) {
      case 'rows.page':
        return this.#page(input as RouteInput<'rows.page'>);
      case 'sheet.get':
        return this.#view((input as RouteInput<'sheet.get'>).batchId);
      case 'sheet.cell': {
        const { key, header } = input as RouteInput<'sheet.cell'>;
        return { text: this.#row(key)?.cells[this.headers.indexOf(header)] ?? '' };
      }
      case 'sheet.place': {
        const { view, key } = input as RouteInput<'sheet.place'>;
        const offset = this.#rowsIn(view).findIndex((row) => row.key === key);
        return offset === -1 ? {} : { offset };
      }
      case 'sheet.edit':
        return this.#edit((input as RouteInput<'sheet.edit'>).edit);
      case 'sheet.undo':
        return this.#turnBack(this.#undo, this.#redo);
      case 'sheet.redo':
        return this.#turnBack(this.#redo, this.#undo);
      case 'sheet.copy':
        return this.#copy(input as RouteInput<'sheet.copy'>);
      case 'sheet.paste': {
        const { at, headers, ...selection } = input as RouteInput<'sheet.paste'>;
        const { values, width, rows } = pasteBlock(this.clipboard, selection);
        return this.#edit({ kind: 'set-cells', at, headers: headers.slice(0, width), values, rows });
      }
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

  #rowsIn(view: RowsInView): readonly ScriptedRow[] {
    return this.rows.filter(({ key }) => this.shows(view, key));
  }

  #page({ offset, limit, ...view }: RouteInput<'rows.page'>): RouteOutput<'rows.page'> {
    const shown = this.#rowsIn(view);
    const rows = shown.slice(offset, offset + limit).map((row, index): RowView => {
      const long = row.cells.flatMap((text, cell) => (text.length > SHOWN ? cell : []));
      return makeRow({
        key: row.key,
        row: this.#id(row),
        line: offset + index + 2,
        cells: row.cells.map((text) => text.slice(0, SHOWN)),
        ...(long.length === 0 ? {} : { cutCells: long }),
        ...(row.locked === undefined ? {} : { locked: row.locked, status: 'rendering' }),
        ...(row.problems === undefined ? {} : { cellProblems: row.problems }),
      });
    });
    return { sequence: this.#sequence, total: shown.length, rows };
  }

  #view(batchId: string): RouteOutput<'sheet.get'> {
    return {
      batchId,
      columns: this.headers.map((header): ColumnView => ({ header, column: header, how: 'exact', suggestions: [] })),
      variables: {},
      choices: 'draw',
      isWatched: false,
      operations: [OPERATION_PATHS[0]],
      errorCount: this.rows.filter(({ problems }) => problems !== undefined).length,
      warningCount: 0,
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
    this.#undo.push({ label: edit.kind, rows: this.#copyOfRows(), headers: [...this.headers] });
    this.#redo.length = 0;
    this.#sequence += 1;
    return { ...this.#apply(edit), ...this.#labels() };
  }

  #apply(edit: SheetEdit): EditResult {
    switch (edit.kind) {
      case 'set-cells': {
        const count = Math.max(edit.values.length, edit.rows ?? 1);
        const first = this.#offsetOf(edit.at);
        const inserted = this.#grow(first + count);
        const lines = Array.from({ length: count }, (_, line) => edit.values[line % edit.values.length] ?? []);
        return { ...this.#write(first, edit.headers, lines), inserted };
      }
      case 'fill-down': {
        const { offset, count } = this.#checked(edit.range);
        const source = edit.headers.map((header) => this.cell(offset, header) ?? '');
        return this.#write(
          offset + 1,
          edit.headers,
          Array.from({ length: count - 1 }, () => source),
        );
      }
      case 'clear-cells':
        return sumOf(
          edit.ranges.map((range) =>
            this.#write(
              this.#checked(range).offset,
              edit.headers,
              Array.from({ length: range.count }, () => edit.headers.map(() => '')),
            ),
          ),
        );
      case 'insert-rows': {
        const at = this.#offsetOf(edit.at) + (edit.at.kind === 'row' && edit.where === 'below' ? 1 : 0);
        const rows = Array.from({ length: edit.count }, () => this.#newRow());
        this.rows.splice(at, 0, ...rows);
        return { ...NO_RESULT, changedRows: edit.count, inserted: rows.map(({ key }) => key) };
      }
      case 'remove-rows':
        for (const range of edit.ranges.toReversed()) this.rows.splice(this.#checked(range).offset, range.count);
        return { ...NO_RESULT, changedRows: edit.ranges.reduce((sum, { count }) => sum + count, 0) };
      case 'duplicate-rows':
      case 'move-rows': {
        const [range] = edit.ranges;
        if (range === undefined) return NO_RESULT;
        const { offset, count } = this.#checked(range);
        if (edit.kind === 'duplicate-rows') {
          const copies = this.rows.slice(offset, offset + count).map(({ cells }) => ({ ...this.#newRow(), cells }));
          this.rows.splice(offset + count, 0, ...copies);
          return { ...NO_RESULT, changedRows: count, inserted: copies.map(({ key }) => key) };
        }
        const moved = this.rows.splice(offset, count);
        const to = this.rows.findIndex(({ key }) => key === edit.to) + (edit.where === 'below' ? 1 : 0);
        this.rows.splice(to, 0, ...moved);
        return { ...NO_RESULT, changedRows: count };
      }
      case 'replace': {
        const headers = edit.headers ?? this.headers;
        const ranges = edit.ranges?.map((range) => this.#checked(range)) ?? [{ offset: 0, count: this.rows.length }];
        return sumOf(
          ranges.map(({ offset, count }) =>
            this.#write(
              offset,
              headers,
              this.rows
                .slice(offset, offset + count)
                .map(({ cells }) =>
                  headers.map((header) =>
                    (cells[this.headers.indexOf(header)] ?? '').replaceAll(edit.find, edit.replaceWith),
                  ),
                ),
            ),
          ),
        );
      }
      case 'add-column': {
        const at = edit.after === undefined ? 0 : this.headers.indexOf(edit.after) + 1;
        this.headers.splice(at, 0, edit.header);
        for (const row of this.rows) row.cells.splice(at, 0, '');
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
      case 'set-default-operation':
        return NO_RESULT;
    }
  }

  #write(first: number, headers: readonly string[], lines: readonly (readonly string[])[]): EditResult {
    const refused: EditResult['refused'] = [];
    let changedRows = 0;
    for (const [line, texts] of lines.entries()) {
      const row = this.rows[first + line];
      if (row === undefined) continue;
      if (row.locked !== undefined) {
        refused.push({ row: this.#id(row), line: first + line + 2, reason: row.locked });
        continue;
      }
      changedRows += 1;
      row.cells = row.cells.map((before, cell) => {
        const at = headers.indexOf(this.headers[cell] ?? '');
        return at === -1 ? before : (texts[at] ?? before);
      });
    }
    return {
      ...NO_RESULT,
      changedRows,
      changedCells: changedRows * headers.length,
      refusedRows: refused.length,
      refused,
    };
  }

  #copy({ ranges, headers, isCut }: RouteInput<'sheet.copy'>): EditResult {
    const lines = ranges.flatMap((range) => {
      const { offset, count } = this.#checked(range);
      return Array.from({ length: count }, (_, line) =>
        headers.map((header) => this.cell(offset + line, header) ?? ''),
      );
    });
    this.clipboard = lines;
    const changedCells = lines.length * headers.length;
    if (isCut) return this.#edit({ kind: 'clear-cells', ranges, headers });
    return { ...NO_RESULT, changedRows: lines.length, changedCells, ...this.#labels() };
  }

  #turnBack(from: Step[], to: Step[]): EditResult {
    const step = from.pop();
    if (step === undefined) return { ...NO_RESULT, ...this.#labels() };
    to.push({ label: step.label, rows: this.rows, headers: this.headers });
    this.rows = step.rows;
    this.headers = step.headers;
    this.#sequence += 1;
    return { ...NO_RESULT, changedRows: 1, ...this.#labels() };
  }

  #copyOfRows(): ScriptedRow[] {
    return this.rows.map((row) => ({ ...row, cells: [...row.cells] }));
  }

  /** A range, as long as the row that the window saw is still there. */
  #checked(range: RowRange): RowRange {
    if (this.rows[range.offset]?.key !== range.firstKey) throw new StaleView();
    return range;
  }

  #offsetOf(at: CellPlace): number {
    if (at.kind === 'end') return this.rows.length;
    if (this.#rowsIn(at.view)[at.offset]?.key !== at.key) throw new StaleView();
    return this.rows.findIndex(({ key }) => key === at.key);
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

/** Another row stands where the window saw one: the edit is refused. */
export class StaleView extends Error {}

function sumOf(results: readonly EditResult[]): EditResult {
  const total = (of: (result: EditResult) => number): number => results.reduce((sum, result) => sum + of(result), 0);
  return {
    ...NO_RESULT,
    changedRows: total((result) => result.changedRows),
    changedCells: total((result) => result.changedCells),
    refusedRows: total((result) => result.refusedRows),
    refused: results.flatMap((result) => result.refused),
  };
}
