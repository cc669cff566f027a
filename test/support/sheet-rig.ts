import { listOf } from '../../src/shared/domain/base/result.ts';
import { SheetEditor } from '../../src/engine/edit/sheet-editor.ts';
import type { SheetStore, StoredRow } from '../../src/engine/ports/sheet-store.ts';
import { PLAIN_SHEET, type BatchSettings, type SheetSettings } from '../../src/shared/domain/task/batch.ts';
import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import type { Result } from '../../src/shared/domain/base/result.ts';
import type { CheckedSheet } from '../../src/shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import type { EditResult, SheetEdit } from '../../src/shared/ipc/editing.ts';
import { NightHarness, profileWith } from './night-harness.ts';

/** The whole sheet in its own order. */
export const ALL = { filter: {}, sort: { column: 'line', direction: 'ascending' } } as const;

/** An editor of sheets on a real store, in a night whose gateway a test controls. */
export class SheetRig {
  readonly night: NightHarness;
  /** Batches whose sheet was said to have changed. */
  readonly changed: string[] = [];
  readonly knownKeys = { finder: new KeyFinder([]) };
  lists: Readonly<Record<string, readonly string[]>> = {};
  editor!: SheetEditor;
  readonly #through: <Part extends object>(part: Part) => Part;

  /** @param through What the editor asks the store through. */
  constructor(night = new NightHarness(), through: <Part extends object>(part: Part) => Part = (part) => part) {
    this.night = night;
    this.#through = through;
    this.reopen();
  }

  get sheets(): SheetStore {
    return this.night.opened.sheets;
  }

  /** An editor without a memory, on the store of the night as it is. */
  reopen(): void {
    this.editor = new SheetEditor({
      store: this.#through(this.night.store),
      sheets: this.#through(this.sheets),
      clock: this.night.scheduler.clock,
      keys: this.knownKeys,
      lists: { current: () => Promise.resolve(this.lists) },
      night: {
        sheetChanged: (id) => this.night.scheduler.sheetChanged(id),
        stateStored: (id) => this.night.scheduler.stateStored(id),
        holdingSubmits: (id, work) => this.night.scheduler.holdingSubmits(id, work),
      },
      changes: {
        tell: ({ batchId }) => {
          this.changed.push(batchId);
        },
      },
    });
  }

  /** A batch that is not started, of a sheet with these headers and lines. */
  async bringIn(
    headers: readonly string[],
    lines: readonly (readonly string[])[],
    {
      sheet = {},
      settings = {},
      found = [],
    }: {
      sheet?: Partial<SheetSettings>;
      settings?: Partial<BatchSettings>;
      /** What the reader of its file has found. */
      found?: readonly SheetProblem[];
    } = {},
  ): Promise<string> {
    const { mapping = {}, variables = {}, defaultOperation } = sheet;
    const options = {
      mapping,
      variables,
      lists: this.lists,
      ...(defaultOperation === undefined ? {} : { defaultOperation }),
    };
    const checked = checkLines(headers, lines, options, found);
    return (
      await this.night.store.createBatch({
        name: 'night',
        headers,
        sheet: { ...PLAIN_SHEET, ...sheet },
        settings: { folder: '/media', profile: profileWith(), filename: '{row}', rehearsal: false, ...settings },
        createdAt: this.night.clock.now(),
        rows: checked.rows,
        problems: checked.problems,
        ...(checked.unusedCells === undefined ? {} : { unusedCells: checked.unusedCells }),
      })
    ).id;
  }

  /** All rows in order. */
  async rows(batchId: string): Promise<readonly StoredRow[]> {
    return listOf(this.sheets.allRows(batchId));
  }

  /** Texts of these columns, line by line. */
  async texts(batchId: string, ...headers: string[]): Promise<readonly (readonly string[])[]> {
    return (await this.rows(batchId)).map(({ row }) => headers.map((header) => row.cells[header] ?? ''));
  }

  /** The keys of `count` rows, beginning at a place of the whole sheet. */
  async keys(batchId: string, offset: number, count = 1): Promise<number[]> {
    return [...(await this.sheets.keysInView(batchId, {}, offset, count))];
  }

  /** Beside the row at a place of the whole sheet. */
  async at(batchId: string, offset: number): Promise<Extract<SheetEdit, { kind: 'insert-rows' }>['at']> {
    const [key = -1] = await this.keys(batchId, offset);
    return { kind: 'row', key };
  }

  /** Cells, beginning at a place of the whole sheet; what does not fit below is appended. */
  async block(
    batchId: string,
    offset: number,
    headers: readonly string[],
    values: readonly (readonly string[])[],
    rows = values.length,
  ): Promise<Extract<SheetEdit, { kind: 'set-cells' }>> {
    const keys = await this.keys(batchId, offset, rows);
    return {
      kind: 'set-cells',
      rows: keys,
      added: rows - keys.length,
      headers: [...headers],
      values: values.map((line) => [...line]),
    };
  }

  /** Carries an edit out that must not be refused. */
  async edit(batchId: string, edit: SheetEdit): Promise<EditResult> {
    return must(await this.editor.edit(batchId, edit));
  }

  async undo(batchId: string): Promise<EditResult> {
    return must(await this.editor.undo(batchId));
  }

  async redo(batchId: string): Promise<EditResult> {
    return must(await this.editor.redo(batchId));
  }

  /** Writes one cell. */
  async set(batchId: string, offset: number, header: string, text: string): Promise<EditResult> {
    return this.edit(batchId, await this.block(batchId, offset, [header], [[text]]));
  }
}

function must(result: Result<EditResult, string>): EditResult {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

/** The full check of a sheet of these lines, the first of them line 2. */
export function checkLines(
  headers: readonly string[],
  lines: readonly (readonly string[])[],
  options: Parameters<typeof checkSheet>[1] = {},
  problems: readonly SheetProblem[] = [],
): CheckedSheet {
  const raw: RawSheet = {
    headers,
    records: lines.map((cells, i) => ({ line: i + 2, cells })),
    problems,
    source: { format: 'csv', bytes: 0, sha256: '' },
  };
  return checkSheet(raw, options);
}

/** What matters when problems are compared: what is wrong where. */
export function placesOf(
  problems: readonly SheetProblem[],
  placeOf: (row: string) => number | undefined,
): readonly string[] {
  return problems
    .map(({ severity, code, row, column }) => {
      const place = row === undefined ? 'sheet' : (placeOf(row) ?? `unknown row ${row}`);
      return `${severity} ${code} ${place} ${column ?? ''}`;
    })
    .toSorted();
}
