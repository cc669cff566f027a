/**
 * Sheets that are open but not yet a batch: how they were read, what their columns mean, and what is wrong with them.
 */
import path from 'node:path';
import {
  checkLocalFiles,
  whyNoPictures,
  type Engine,
  type ReadProgress,
  type ReadSheetOptions,
} from '../../engine/index.ts';
import type { FilesPlace } from '../../shared/domain/places/files-place.ts';
import { PLAIN_SHEET, type BatchRecord, type SheetSettings } from '../../shared/domain/task/batch.ts';
import { operationColumnByCells } from '../../shared/domain/sheet/describe-columns.ts';
import { err, ok, type Result, present } from '../../shared/domain/base/result.ts';
import type { CheckedSheet } from '../../shared/domain/sheet/row.ts';
import { layOutColumns } from '../../shared/domain/sheet/sheet-columns.ts';
import { correctCells, type RawBeginning, type SheetSource } from '../../shared/domain/sheet/sheet-raw.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import type { TellWindow } from '../engine-process/engine-protocol.ts';
import { headerSignature } from './remembered-sheets.ts';
import {
  earlierBatch,
  toSheetBeginning,
  toSheetView,
  type OpenedSheet,
  type Origin,
  type SheetContext,
  type Understanding,
} from './sheet-views.ts';
import { words } from '../../shared/words/words.ts';

/** The oldest sheets are forgotten first if there are more than this, or if they hold more rows. */
const OPEN_SHEETS_KEPT = 8;
const OPEN_ROWS_KEPT = 250_000;
const ROWS_BETWEEN_NEWS = 2_000;

/** A sheet from which a batch can be made. */
export interface ReadySheet {
  readonly sheet: CheckedSheet;
  readonly sheetPath: string | undefined;
  readonly sheetSettings: SheetSettings;
  /** The names of the accounts that the sheet was checked for; none with a single account. */
  readonly accounts: readonly string[];
  readonly filesPlace: FilesPlace | undefined;
}

export interface OpenSheetsOptions {
  readonly engine: Pick<Engine, 'sheets' | 'store'>;
  /** The user's lists, as they are now. */
  readonly lists: () => Promise<Readonly<Record<string, readonly string[]>>>;
  readonly tell: TellWindow;
}

/** A sheet before its columns and cells are understood. */
type Unread = Pick<OpenedSheet, 'name' | 'origin' | 'raw' | 'source' | 'firstLines' | 'context'>;
type FileOrigin = Extract<Origin, { path: string }>;
/** A file before it is read. `source`: how it was read before, or should be, if that is known. */
type FileSheet = Omit<Unread, 'raw'> & { readonly origin: FileOrigin };

/** A file that is being read. */
interface Reading {
  readonly stop: AbortController;
  /** The sheet as its first rows show it: enough to choose another way of reading, but never to make a batch. */
  begun: OpenedSheet | undefined;
}

/** The open sheets, by the ids that the window has for them. */
export class OpenSheets {
  readonly #options: OpenSheetsOptions;
  readonly #sheets = new Map<string, OpenedSheet>();
  readonly #readings = new Map<string, Reading>();

  constructor(options: OpenSheetsOptions) {
    this.#options = options;
  }

  /** Reads and checks a file; undefined if it was closed or read in another way before that was done. */
  async openFile(
    sheetId: string,
    origin: FileOrigin,
    name: string,
    context: SheetContext,
  ): Promise<SheetView | undefined> {
    return this.#readFile(sheetId, {}, { name, origin, source: undefined, context });
  }

  /** Opens the table in the clipboard; undefined if there is none. */
  async openTable(
    sheetId: string,
    content: { readonly name: string; readonly html: string; readonly text: string },
    context: SheetContext,
  ): Promise<SheetView | undefined> {
    const { name } = content;
    const raw = this.#options.engine.sheets.readTable(content, name);
    return raw && this.#open(sheetId, { name, origin: { kind: 'table' }, raw, context });
  }

  /**
   * Reads a file again in another way, even while it is still being read. The error is in words for the user; undefined
   * for a sheet that is gone. Gives no view if this reading was overtaken in turn.
   */
  async reread(
    sheetId: string,
    reading: ReadSheetOptions,
    prices: SheetContext['prices'],
  ): Promise<Result<SheetView | undefined, string> | undefined> {
    const open = this.#readings.get(sheetId)?.begun ?? this.#sheets.get(sheetId);
    if (open === undefined) return undefined;
    const obstacle = readingObstacle(open, reading);
    const { name, origin, firstLines } = open;
    if (obstacle !== undefined || origin.kind === 'table') return err(obstacle ?? '');
    // A file that cannot be read this way keeps its format, and the choice of another way.
    const source = sourceAsChosen(open.source, reading);
    return ok(
      await this.#readFile(sheetId, reading, {
        name,
        origin,
        source,
        firstLines,
        context: { ...open.context, prices },
      }),
    );
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
    const guess = withGuess(open.raw, understanding);
    const next = await this.#checkAnew({ ...open, ...guess, context, isMappingKept: false });
    return this.#sheets.has(sheetId) ? this.#keep(sheetId, next) : undefined;
  }

  /**
   * Gives an open sheet a place for files of this computer, and checks those files; undefined for a sheet that is gone.
   */
  async setPlace(
    sheetId: string,
    filesPlace: FilesPlace,
    prices: SheetContext['prices'],
  ): Promise<SheetView | undefined> {
    const open = this.#sheets.get(sheetId);
    if (open === undefined) return undefined;
    const next = await this.#checkAnew({ ...open, filesPlace, context: { ...open.context, prices } });
    return this.#sheets.has(sheetId) ? this.#keep(sheetId, next) : undefined;
  }

  /** A sheet that is to become a batch; undefined if it is gone. */
  find(sheetId: string): ReadySheet | undefined {
    const open = this.#sheets.get(sheetId);
    if (open === undefined) return undefined;
    const { origin, checked, source, filesPlace } = open;
    const { accounts, ...settings } = open.understanding;
    return {
      sheet: checked,
      sheetPath: origin.kind === 'file' ? origin.path : undefined,
      sheetSettings: { ...PLAIN_SHEET, ...present({ ...settings, source }) },
      accounts: (accounts?.list ?? []).map(({ name }) => name),
      filesPlace,
    };
  }

  /** Forgets a sheet, and ends the reading of its file. */
  forget(sheetId: string): void {
    this.#sheets.delete(sheetId);
    this.#endReading(sheetId);
  }

  /** Reads a file in one way and ends any other reading of it; undefined if this one was ended. */
  async #readFile(sheetId: string, way: ReadSheetOptions, opened: FileSheet): Promise<SheetView | undefined> {
    this.#endReading(sheetId);
    const reading: Reading = { stop: new AbortController(), begun: undefined };
    this.#readings.set(sheetId, reading);
    try {
      const raw = await this.#options.engine.sheets.read(opened.origin.path, way, {
        signal: reading.stop.signal,
        onBeginning: (beginning) => {
          // Whatever makes this fail makes the whole reading fail, and that is reported.
          this.#tellBeginning(sheetId, reading, opened, beginning).catch(() => undefined);
        },
        onProgress: this.#progressOf(sheetId),
      });
      if (reading.stop.signal.aborted) return undefined;
      const { source, firstLines } = raw.ok ? raw.value : opened;
      const next = await this.#understand(sheetId, { ...opened, raw, source, firstLines });
      if (reading.stop.signal.aborted) return undefined;
      this.#endReading(sheetId);
      return await this.#keep(sheetId, next);
    } finally {
      if (this.#readings.get(sheetId) === reading) this.#readings.delete(sheetId);
    }
  }

  #endReading(sheetId: string): void {
    this.#readings.get(sheetId)?.stop.abort();
    this.#readings.delete(sheetId);
  }

  /** Shows the window the first rows, unless all rows have arrived or nobody wants them any more. */
  async #tellBeginning(
    sheetId: string,
    reading: Reading,
    opened: FileSheet,
    { source, ...rows }: RawBeginning,
  ): Promise<void> {
    const raw = { ...rows, problems: [], source: { ...source, bytes: 0, sha256: '' } };
    const { firstLines } = rows;
    const begun = await this.#understand(sheetId, { ...opened, raw: ok(raw), source: raw.source, firstLines });
    const earlier = await this.#earlier(begun);
    // Without rows, there is nothing to show: problems with the columns are reported for the whole sheet.
    if (reading.stop.signal.aborted || begun.checked.rows.length === 0) return;
    reading.begun = begun;
    this.#options.tell('sheet.beginning', { sheet: toSheetBeginning(sheetId, begun, earlier) });
  }

  #progressOf(sheetId: string): (progress: ReadProgress) => void {
    let told = 0;
    return ({ rows }) => {
      if (rows < told + ROWS_BETWEEN_NEWS) return;
      told = rows;
      this.#options.tell('sheet.progress', { sheetId, rows });
    };
  }

  /** What the user said about the columns holds for every way of reading that finds the same headers. */
  #understand(sheetId: string, opened: Unread): Promise<OpenedSheet> {
    const before = this.#sheets.get(sheetId);
    const { raw } = opened;
    const isSameHeader = raw.ok && before?.raw.ok === true && isSame(raw.value.headers, before.raw.value.headers);
    return isSameHeader ? this.#checkAnew({ ...before, ...opened }) : this.#begin(opened);
  }

  async #open(sheetId: string, opened: Pick<OpenedSheet, 'name' | 'origin' | 'raw' | 'context'>): Promise<SheetView> {
    const source = opened.raw.ok ? opened.raw.value.source : undefined;
    return this.#keep(sheetId, await this.#begin({ ...opened, source }));
  }

  /** A sheet with new headers: uses the mapping from the last time these headers occurred, if there is one. */
  #begin(opened: Unread): Promise<OpenedSheet> {
    const { raw, context } = opened;
    const kept = raw.ok ? context.kept?.[headerSignature(raw.value.headers)] : undefined;
    const understanding: Understanding = {
      mapping: kept?.mapping ?? {},
      defaultOperation: kept?.defaultOperation,
      corrections: kept?.corrections,
      variables: {},
      choices: 'draw',
    };
    return this.#checkAnew({ ...opened, ...withGuess(raw, understanding), isMappingKept: kept !== undefined });
  }

  async #checkAnew(read: Omit<OpenedSheet, 'checked' | 'listNames' | 'localFiles'>): Promise<OpenedSheet> {
    const { sheets } = this.#options.engine;
    const firstLines = read.firstLines?.map(({ line, text }) => ({ line, text: sheets.withoutKeys(text) }));
    const opened = { ...read, firstLines };
    const { raw, understanding, context, filesPlace, origin } = opened;
    if (!raw.ok) return { ...opened, listNames: [], checked: { headers: [], rows: [], problems: [raw.error] } };
    const lists = await this.#options.lists();
    const { corrections, accounts, ...rest } = understanding;
    // With one account, the column `account` means nothing.
    const names = (accounts?.list ?? []).map(({ name }) => name);
    const options = present({ ...rest, prices: context.prices, lists, accounts: names });
    const checked = this.#options.engine.sheets.check(correctCells(raw.value, corrections), {
      ...options,
      putsFiles: filesPlace !== undefined,
    });
    const known = { ...opened, listNames: Object.keys(lists) };
    if (filesPlace === undefined) return { ...known, checked };
    const folder = origin.kind === 'file' ? path.dirname(origin.path) : undefined;
    const { sheet, files } = await checkLocalFiles(checked, filesPlace, folder, whyNoPictures(undefined));
    return { ...known, checked: sheet, localFiles: files };
  }

  async #keep(sheetId: string, open: OpenedSheet): Promise<SheetView> {
    this.#sheets.delete(sheetId);
    this.#sheets.set(sheetId, open);
    this.#makeRoom(sheetId);
    return toSheetView(sheetId, open, await this.#earlier(open));
  }

  async #earlier({ origin }: OpenedSheet): Promise<BatchRecord | undefined> {
    return origin.kind === 'file' ? earlierBatch(this.#options.engine.store, origin.path) : undefined;
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
  raw: OpenedSheet['raw'],
  said: Understanding,
): { readonly understanding: Understanding; readonly guessed: readonly string[] } {
  const header = raw.ok ? operationColumnByCells(raw.value, layOutColumns(raw.value.headers, said.mapping)) : undefined;
  if (header === undefined || Object.hasOwn(said.mapping, header)) return { understanding: said, guessed: [] };
  return { understanding: { ...said, mapping: { ...said.mapping, [header]: 'operation' } }, guessed: [header] };
}

/** Why a sheet cannot be read this way, whatever is in it. */
function readingObstacle({ origin, source }: OpenedSheet, reading: ReadSheetOptions): string | undefined {
  if (origin.kind === 'table') return words.desktop.sheet.pastedOnce;
  const isText = source?.encoding !== undefined;
  if ((reading.encoding !== undefined || reading.delimiter !== undefined) && !isText) {
    return words.desktop.sheet.noText;
  }
  if (reading.sheet !== undefined && source?.sheets?.includes(reading.sheet) !== true) {
    return words.desktop.sheet.noTab(reading.sheet);
  }
  return undefined;
}

function sourceAsChosen(source: SheetSource | undefined, reading: ReadSheetOptions): SheetSource | undefined {
  return source && { ...source, ...present(reading) };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((header, index) => header === b[index]);
}
