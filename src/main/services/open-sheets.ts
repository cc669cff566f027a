/** Sheets that are open and not yet a batch: how they were read, what their columns mean, what is wrong with them. */
import type { Engine, ReadSheetOptions } from '../../engine/index.ts';
import { PLAIN_SHEET, type SheetSettings } from '../../shared/domain/task/batch.ts';
import { operationColumnByCells } from '../../shared/domain/sheet/describe-columns.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { CheckedSheet } from '../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import { correctCells, type RawSheet, type SheetSource } from '../../shared/domain/sheet/sheet-raw.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import { headerSignature, type KeptMappings } from './remembered-sheets.ts';
import { earlierBatch, toSheetView, type Understanding } from './sheet-views.ts';

/** The oldest sheets are forgotten first if there are more, or if they hold more rows. */
const OPEN_SHEETS_KEPT = 8;
const OPEN_ROWS_KEPT = 250_000;
const ROWS_BETWEEN_NEWS = 2_000;

/**
 * Where an open sheet came from: a file can be read again in another way, a pasted table cannot. A sample that comes
 * with the application is no file of the user's: nothing is ever written beside it.
 */
type Origin = { readonly kind: 'file' | 'sample'; readonly path: string } | { readonly kind: 'table' };

/** What main knows and the interpretation of a sheet needs. */
export interface SheetContext {
  readonly prices?: Profile['prices'] | undefined;
  readonly kept?: KeptMappings | undefined;
}

interface OpenSheet {
  readonly name: string;
  readonly origin: Origin;
  /** The sheet, or the problem that refuses the whole file. */
  readonly raw: Result<RawSheet, SheetProblem>;
  /** How the file was read, even if its last reading was refused. */
  readonly source: SheetSource | undefined;
  readonly context: SheetContext;
  readonly understanding: Understanding;
  readonly isMappingKept: boolean;
  /** Headers of the mapping that are known only by their cells: the user has not confirmed them. */
  readonly guessed: readonly string[];
  /** Names of the lists that existed when it was checked. */
  readonly listNames: readonly string[];
  readonly checked: CheckedSheet;
}

/** A sheet from which a batch can be made. */
export interface ReadySheet {
  readonly sheet: CheckedSheet;
  readonly sheetPath: string | undefined;
  readonly sheetSettings: SheetSettings;
}

export interface OpenSheetsOptions {
  readonly engine: Pick<Engine, 'sheets' | 'store'>;
  /** The user's lists, as they are now. */
  readonly lists: () => Promise<Readonly<Record<string, readonly string[]>>>;
  /** Called now and then with the number of rows read of the sheet that is being opened. */
  readonly onProgress: (rows: number) => void;
}

/** The open sheets, by the ids that the window has for them. */
export class OpenSheets {
  readonly #options: OpenSheetsOptions;
  readonly #sheets = new Map<string, OpenSheet>();

  constructor(options: OpenSheetsOptions) {
    this.#options = options;
  }

  /** Reads and checks a file. */
  async openFile(
    sheetId: string,
    origin: Extract<Origin, { path: string }>,
    name: string,
    context: SheetContext,
  ): Promise<SheetView> {
    const raw = await this.#read(origin.path, {});
    const source = raw.ok ? raw.value.source : undefined;
    return this.#keep(sheetId, await this.#begin({ name, origin, raw, source, context }));
  }

  /** Opens the table in the clipboard; undefined if there is none. */
  async openTable(
    sheetId: string,
    content: { readonly name: string; readonly html: string; readonly text: string },
    context: SheetContext,
  ): Promise<SheetView | undefined> {
    const { name } = content;
    const raw = this.#options.engine.sheets.readTable(content, name);
    if (raw === undefined) return undefined;
    const source = raw.ok ? raw.value.source : undefined;
    return this.#keep(sheetId, await this.#begin({ name, origin: { kind: 'table' }, raw, source, context }));
  }

  /** Reads an open file again in another way. The error is in the user's words; undefined for a sheet that is gone. */
  async reread(
    sheetId: string,
    reading: ReadSheetOptions,
    prices: SheetContext['prices'],
  ): Promise<Result<SheetView, string> | undefined> {
    const open = this.#sheets.get(sheetId);
    if (open === undefined) return undefined;
    const obstacle = readingObstacle(open, reading);
    if (obstacle !== undefined || open.origin.kind === 'table') return err(obstacle ?? '');
    const raw = await this.#read(open.origin.path, reading);
    if (!this.#sheets.has(sheetId)) return undefined;
    // A file that cannot be read this way keeps its format, and the choice of another way.
    const source = raw.ok ? raw.value.source : sourceAsChosen(open.source, reading);
    const context = { ...open.context, prices };
    const isSameHeader = raw.ok && open.raw.ok && isSame(raw.value.headers, open.raw.value.headers);
    const next = { ...open, raw, source, context };
    return ok(this.#keep(sheetId, isSameHeader ? await this.#checkAnew(next) : await this.#begin(next)));
  }

  /** Interprets an open sheet in another way; undefined for a sheet that is gone. */
  async interpret(
    sheetId: string,
    understanding: Understanding,
    prices: SheetContext['prices'],
  ): Promise<SheetView | undefined> {
    const open = this.#sheets.get(sheetId);
    if (open === undefined) return undefined;
    const context = { ...open.context, prices };
    const next = await this.#checkAnew({
      ...open,
      ...withGuess(open.raw, understanding),
      context,
      isMappingKept: false,
    });
    return this.#sheets.has(sheetId) ? this.#keep(sheetId, next) : undefined;
  }

  /** A sheet that is to become a batch; undefined for one that is gone. */
  find(sheetId: string): ReadySheet | undefined {
    const open = this.#sheets.get(sheetId);
    if (open === undefined) return undefined;
    const { origin, checked, source, understanding } = open;
    const { defaultOperation, corrections, mapping, variables, choices } = understanding;
    return {
      sheet: checked,
      sheetPath: origin.kind === 'file' ? origin.path : undefined,
      sheetSettings: {
        ...PLAIN_SHEET,
        mapping,
        variables,
        choices,
        ...(defaultOperation === undefined ? {} : { defaultOperation }),
        ...(corrections === undefined ? {} : { corrections }),
        ...(source === undefined ? {} : { source }),
      },
    };
  }

  forget(sheetId: string): void {
    this.#sheets.delete(sheetId);
  }

  #read(path: string, reading: ReadSheetOptions): Promise<Result<RawSheet, SheetProblem>> {
    let told = 0;
    return this.#options.engine.sheets.read(path, reading, ({ rows }) => {
      if (rows < told + ROWS_BETWEEN_NEWS) return;
      told = rows;
      this.#options.onProgress(rows);
    });
  }

  /** A sheet with new headers: uses the mapping of the last time they occurred, if there is one. */
  #begin(opened: Pick<OpenSheet, 'name' | 'origin' | 'raw' | 'source' | 'context'>): Promise<OpenSheet> {
    const { raw, context } = opened;
    const kept = raw.ok ? context.kept?.[headerSignature(raw.value.headers)] : undefined;
    const understanding: Understanding = {
      mapping: kept?.mapping ?? {},
      ...(kept?.defaultOperation === undefined ? {} : { defaultOperation: kept.defaultOperation }),
      ...(kept?.corrections === undefined ? {} : { corrections: kept.corrections }),
      variables: {},
      choices: 'draw',
    };
    return this.#checkAnew({ ...opened, ...withGuess(raw, understanding), isMappingKept: kept !== undefined });
  }

  async #checkAnew(opened: Omit<OpenSheet, 'checked' | 'listNames'>): Promise<OpenSheet> {
    const { raw, understanding, context } = opened;
    if (!raw.ok) return { ...opened, listNames: [], checked: { headers: [], rows: [], problems: [raw.error] } };
    const lists = await this.#options.lists();
    const { defaultOperation, corrections, ...rest } = understanding;
    const checked = this.#options.engine.sheets.check(correctCells(raw.value, corrections), {
      ...rest,
      ...(defaultOperation === undefined ? {} : { defaultOperation }),
      ...(context.prices === undefined ? {} : { prices: context.prices }),
      lists,
    });
    return { ...opened, listNames: Object.keys(lists), checked };
  }

  #keep(sheetId: string, open: OpenSheet): SheetView {
    this.#sheets.delete(sheetId);
    this.#sheets.set(sheetId, open);
    this.#makeRoom(sheetId);
    const { origin, raw, checked, ...about } = open;
    const earlier = origin.kind === 'file' ? earlierBatch(this.#options.engine.store, origin.path) : undefined;
    return toSheetView(checked, {
      sheetId,
      ...about,
      raw: raw.ok ? raw.value : undefined,
      prices: open.context.prices ?? {},
      earlier,
    });
  }

  #makeRoom(keep: string): void {
    let rows = 0;
    for (const { checked } of this.#sheets.values()) rows += checked.rows.length;
    for (const [sheetId, { checked }] of this.#sheets) {
      if (sheetId === keep || (this.#sheets.size <= OPEN_SHEETS_KEPT && rows <= OPEN_ROWS_KEPT)) return;
      this.#sheets.delete(sheetId);
      rows -= checked.rows.length;
    }
  }
}

/** The user's answers about a sheet, and what its cells say beyond doubt about a header without an answer. */
function withGuess(
  raw: OpenSheet['raw'],
  said: Understanding,
): { readonly understanding: Understanding; readonly guessed: readonly string[] } {
  const header = raw.ok ? operationColumnByCells(raw.value, layOutColumns(raw.value.headers, said.mapping)) : undefined;
  if (header === undefined || Object.hasOwn(said.mapping, header)) return { understanding: said, guessed: [] };
  return { understanding: { ...said, mapping: { ...said.mapping, [header]: 'operation' } }, guessed: [header] };
}

/** Why a sheet cannot be read this way, whatever is in it. */
function readingObstacle({ origin, source }: OpenSheet, reading: ReadSheetOptions): string | undefined {
  if (origin.kind === 'table') return 'A pasted table cannot be read again. Paste it once more.';
  const isText = source?.encoding !== undefined;
  if ((reading.encoding !== undefined || reading.delimiter !== undefined) && !isText) {
    return 'This is not a text file, so it has no encoding to choose.';
  }
  if (reading.sheet !== undefined && source?.sheets?.includes(reading.sheet) !== true) {
    return `The workbook has no sheet “${reading.sheet}” that can be read.`;
  }
  return undefined;
}

function sourceAsChosen(source: SheetSource | undefined, reading: ReadSheetOptions): SheetSource | undefined {
  if (source === undefined) return undefined;
  return {
    ...source,
    ...(reading.encoding === undefined ? {} : { encoding: reading.encoding }),
    ...(reading.delimiter === undefined ? {} : { delimiter: reading.delimiter }),
    ...(reading.sheet === undefined ? {} : { sheet: reading.sheet }),
    ...(reading.headerLine === undefined ? {} : { headerLine: reading.headerLine }),
  };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((header, index) => header === b[index]);
}
