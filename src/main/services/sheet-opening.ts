/** Opens sheets for the window, using what is remembered about earlier ones: files, and mappings of headers. */
import { randomUUID } from 'node:crypto';
import { basename, extname } from 'node:path';
import { ok, present } from '../../shared/domain/base/result.ts';
import { refuse, type Reply, type RouteInput } from '../../shared/ipc/contract.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import { accountsOf, dearestPrices } from '../../shared/domain/task/accounts/account.ts';
import type { SettingsFile } from './app-settings.ts';
import type { EngineHost } from '../engine-process/engine-host.ts';
import { chosenAccounts } from './kept-profiles.ts';
import { headerSignature, withMapping, withSheet } from './remembered-sheets.ts';
import type { ClipboardContent } from '../shell/desktop.ts';
import { words } from '../../shared/words/words.ts';

export interface SheetOpeningOptions {
  readonly engine: Pick<EngineHost, 'request'>;
  readonly settings: Pick<SettingsFile, 'current' | 'update'>;
  readonly now: () => number;
}

/** The ways to open and interpret sheets. */
export class SheetOpening {
  readonly #options: SheetOpeningOptions;

  constructor(options: SheetOpeningOptions) {
    this.#options = options;
  }

  /** Opens one of the user's files and remembers it; undefined if the user closed it while it was being read. */
  async open(path: string): Promise<Reply<SheetView | undefined>> {
    const { settings, now } = this.#options;
    const opened = await this.#openFile(path, basename(path, extname(path)));
    // One that was closed before it was read is opened again as well, if the user wants it back.
    const isReadable = opened.ok && opened.value?.format !== '';
    if (isReadable) this.#remember({ recentSheets: withSheet(settings.current.recentSheets, path, now()) });
    return opened;
  }

  /** Opens a sheet that comes with the application. */
  async openSample(path: string, name: string): Promise<Reply<SheetView>> {
    const opened = await this.#openFile(path, name, { isSample: true });
    if (!opened.ok) return opened;
    return opened.value === undefined ? refuse('not-found', words.desktop.sheet.closed) : ok(opened.value);
  }

  /** Opens the table in the clipboard; undefined if there is none. */
  openTable(content: ClipboardContent): Promise<Reply<SheetView | undefined>> {
    const input = { sheetId: randomUUID(), name: words.desktop.sheet.pastedTable, ...content, ...this.#context() };
    return this.#options.engine.request('sheet.openTable', input);
  }

  /** Interprets an open sheet in another way, and remembers that for the next sheet with the same headers. */
  async interpret(input: RouteInput<'sheet.interpret'>): Promise<Reply<SheetView>> {
    const { engine, settings, now } = this.#options;
    const several = input.accounts && chosenAccounts(input.accounts, settings.current);
    if (several?.ok === false) return refuse('refused', several.error);
    const prices = several === undefined ? this.#prices() : dearestPrices(accountsOf(several.value));
    const reply = await engine.request('sheet.interpret', { ...input, prices });
    if (!reply.ok) return reply;
    const { mapping, defaultOperation, corrections } = input;
    const headers = reply.value.columns.map(({ header }) => header);
    const kept = present({ mapping, defaultOperation, corrections, keptAt: now() });
    this.#remember({ mappings: withMapping(settings.current.mappings, headers, kept) });
    return reply;
  }

  /** Remembers what the user has mapped the columns of a batch to, for the next sheet with the same headers. */
  async keepMapping(batchId: string): Promise<Reply<undefined>> {
    const { engine, settings, now } = this.#options;
    const sheet = await engine.request('sheet.get', { batchId });
    if (!sheet.ok) return sheet;
    // The file's headers, without the blanks around them, as an import has them.
    const columns = sheet.value.columns.map((column) => ({ ...column, header: column.header.trim() }));
    const chosen = columns.filter(({ how }) => how === 'chosen' || how === 'ignored');
    const mapping = Object.fromEntries(chosen.map(({ header, column }) => [header, column]));
    const headers = columns.map(({ header }) => header);
    const { mappings } = settings.current;
    const before = mappings[headerSignature(headers)];
    this.#remember({ mappings: withMapping(mappings, headers, { ...before, mapping, keptAt: now() }) });
    return ok(undefined);
  }

  #openFile(
    path: string,
    name: string,
    about: { readonly isSample?: true } = {},
  ): Promise<Reply<SheetView | undefined>> {
    const input = { sheetId: randomUUID(), path, name, ...about, ...this.#context() };
    return this.#options.engine.request('sheet.open', input);
  }

  #context() {
    return { prices: this.#prices(), kept: this.#options.settings.current.mappings };
  }

  #prices() {
    return this.#options.settings.current.profile.prices;
  }

  #remember(change: Parameters<SettingsFile['update']>[0]): void {
    try {
      this.#options.settings.update(change);
    } catch {
      // If this cannot be kept, it is only not offered next time; the sheet is open all the same.
    }
  }
}
