/** Bringing in sheets: they are opened, read and understood, until they become batches or are left. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { present } from '../../../shared/domain/base/result.ts';
import type { IpcError, Reply, RouteInput, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { AccountsChoice } from '../../../shared/ipc/accounts.ts';
import type { SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import type { AskFrom, IpcClient } from '../../ipc-client.ts';
import { SheetKeeping, type KeepingPorts } from './sheet-keeping.ts';
import { headersOf, isSame, type LeftSheet, type SheetMark, markIn, markOf } from './left-sheets.ts';
import type { OpenSheet } from './start-forms.ts';
import {
  isWhole,
  openQuestions,
  understandingFor,
  understandingOf,
  withUnderstanding,
  type SheetUnderstanding,
} from './sheet-understanding.ts';

export interface BringingInState {
  readonly open: OpenSheet | undefined;
  /** The user is choosing one, or it is being read; a large one takes a while. */
  readonly isOpening: boolean;
  /** Rows read so far, of the sheet that is being opened or whose beginning is shown. */
  readonly rowsRead: number;
  /** The open sheet is being read or checked again. */
  readonly isChecking: boolean;
  /** The last imported files, newest first. */
  readonly recent: RouteOutput<'sheet.recent'>;
}

export interface BringingInPorts extends KeepingPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** The same, but what is refused about one of these fields is shown there. */
  readonly askFrom: AskFrom;
  readonly lacksGateway: () => boolean;
  /** Shows the open sheet. */
  readonly showSheet: () => void;
  readonly goHome: () => void;
}

type Reading = Omit<RouteInput<'sheet.reread'>, 'sheetId'>;

export class BringingIn {
  readonly store: StoreApi<BringingInState> = createStore(() => ({
    open: undefined,
    isOpening: false,
    rowsRead: 0,
    isChecking: false,
    recent: [],
  }));
  readonly keeping: SheetKeeping;
  readonly #ports: BringingInPorts;
  /** What the user wants but the window has not asked for yet, because an earlier request is under way. */
  #wanted: SheetUnderstanding | undefined;
  /** How the user wants the open sheet to be read. */
  #reading: Reading = {};
  /**
   * What the user said about the open sheet, by the headers that it then had: when it is read that way again, that
   * applies again.
   */
  readonly #said = new Map<string, SheetUnderstanding>();
  /** Grows with each way of reading that is asked for: answers about earlier ones change nothing. */
  #turn = 0;
  /** Whether the sheet that is being opened was asked for as a rehearsal; undefined if nobody said. */
  #asRehearsal: boolean | undefined;
  /** Sheets that the user left while they were being read: what still arrives of them is not shown. */
  readonly #unwanted = new Set<string>();
  /** What the open sheet is known again by, as it was first shown: corrections change its rows. */
  #mark: SheetMark | undefined;
  /** The sheet that what was kept about it does not apply to yet. */
  #applying: string | undefined;
  /** The open sheet is being read again. */
  #isRereading = false;
  /** The sheet or recent file that is taken up again while the user stays on another screen. */
  #behind: string | undefined;

  constructor(ports: BringingInPorts) {
    this.#ports = ports;
    this.keeping = new SheetKeeping({
      ...ports,
      store: this.store,
      // Until what was kept about it applies to it, that is still all there is to keep.
      isKeptAlready: () => this.#applying !== undefined,
      isRereading: () => this.#isRereading,
      aboutOpen: (open) => this.#aboutOpen(open),
      dropOpen: () => this.#dropOpen(),
      show: (sheet, isRehearsal, isBehind) => {
        if (isBehind) this.#behind = sheet.sheetId;
        this.show(sheet, isRehearsal);
      },
      openRecent: async (recentId, isRehearsal, isBehind) => {
        if (isBehind) this.#behind = recentId;
        await this.openRecent(recentId, isRehearsal);
        this.#behind = undefined;
      },
    });
  }

  /** Shows an opened sheet. Offers a rehearsal if the real gateway cannot be used anyway. */
  show(sheet: SheetView, isRehearsal = this.#ports.lacksGateway()): void {
    const { open } = this.store.getState();
    // The user may have gone elsewhere since the beginning was shown.
    if (open !== undefined && isBeginningOf(open, sheet.sheetId)) this.#put(open, sheet);
    else this.#enter(sheet, isRehearsal);
    if (this.store.getState().open?.sheet === sheet) void this.#applyLeft(sheet);
  }

  /** Shows the first rows of a large file while the rest is being read. */
  showBeginning(sheet: SheetBeginning): void {
    const { open, isChecking } = this.store.getState();
    if (open?.sheet.sheetId !== sheet.sheetId) this.#enter(sheet, this.#asRehearsal ?? this.#ports.lacksGateway());
    else if (isChecking || !isWhole(open.sheet)) {
      this.#put(open, sheet);
      // It may be read in yet another way.
      this.store.setState({ isChecking: false });
    }
  }

  /** Leaves the open sheet if only its beginning is there: the rest will not come. */
  #dropBeginning(): void {
    const { open } = this.store.getState();
    if (open === undefined || isWhole(open.sheet)) return;
    this.keeping.note();
    this.#dropOpen();
    this.#ports.goHome();
  }

  /** Opens the open file anew: there is another engine, which knows nothing of it. Until then its rows can be seen. */
  async openAnew(): Promise<void> {
    const { open } = this.store.getState();
    const isOfFile = open !== undefined && isWhole(open.sheet) && open.sheet.recentId !== undefined;
    // A pasted table is nowhere else.
    if (isOfFile) this.keeping.note(true);
    await this.keeping.takeUp(true, isOfFile ? 'again' : 'if free');
  }

  /** Opens the file dialog for a sheet. */
  async choose(isRehearsal?: boolean): Promise<void> {
    await this.#opening(() => this.#ports.ask('sheet.choose'), isRehearsal);
  }

  /** Opens one of the built-in sheets, for a rehearsal. */
  async openSample(sample: RouteInput<'sheet.sample'>['sample']): Promise<void> {
    await this.#opening(() => this.#ports.ask('sheet.sample', { sample }), true);
  }

  async openRecent(recentId: string, isRehearsal?: boolean): Promise<void> {
    const isOpened = await this.#opening(() => this.#ports.ask('sheet.openRecent', { recentId }), isRehearsal);
    if (!isOpened) await this.readRecent();
  }

  /** Opens the table on the clipboard, or says that there is none. */
  async paste(): Promise<void> {
    let isEmpty = false;
    await this.#opening(async () => {
      const reply = await this.#ports.ask('sheet.fromClipboard');
      isEmpty = reply.ok && reply.value === undefined;
      return reply;
    });
    if (!isEmpty) return;
    this.#ports.notices.show({
      level: 'info',
      title: words.notices.noTable,
      message: words.notices.copyTable,
    });
  }

  async readRecent(): Promise<void> {
    const reply = await this.#ports.ask('sheet.recent');
    if (reply.ok) this.store.setState({ recent: reply.value });
  }

  async forgetRecent(recentId: string): Promise<void> {
    this.#ports.left.forget(recentId);
    const reply = await this.#ports.ask('sheet.forgetRecent', { recentId });
    if (reply.ok) this.store.setState({ recent: reply.value });
  }

  /** Reads the open sheet again, with other settings. */
  async reread(sheetId: string, reading: Reading): Promise<void> {
    const { open, isOpening, isChecking } = this.store.getState();
    const isBeingRead = open !== undefined && isBeginningOf(open, sheetId);
    if (isChecking || (isOpening && !isBeingRead)) return;
    await this.#rereadAs(sheetId, reading);
    const whole = this.store.getState().open?.sheet;
    if (isBeingRead && whole?.sheetId === sheetId && isWhole(whole)) await this.#applyLeft(whole);
  }

  /** Returns whether it could be read in this way. */
  async #rereadAs(sheetId: string, reading: Reading): Promise<boolean> {
    const { open } = this.store.getState();
    this.store.setState({ isChecking: true });
    this.#isRereading = true;
    if (open !== undefined) {
      this.#said.set(JSON.stringify(headersOf(open.sheet)), this.#wanted ?? understandingOf(open.sheet));
    }
    // Earlier choices stay; everything else is recognised again.
    const before = this.#reading;
    this.#reading = { ...before, ...reading };
    const turn = ++this.#turn;
    const reply = await this.#ports.ask('sheet.reread', { sheetId, ...this.#reading });
    if (turn !== this.#turn) return false;
    this.#isRereading = false;
    if (!reply.ok) this.#reading = before;
    this.#replace(sheetId, reply);
    this.store.setState({ isChecking: false });
    // Trying another way of reading and going back must not lose what was said.
    if (reply.ok) await this.#sayAgain(sheetId);
    return reply.ok;
  }

  /** Returns whether the open sheet is understood as it was said. */
  async #sayAgain(sheetId: string): Promise<boolean> {
    const sheet = this.store.getState().open?.sheet;
    if (sheet?.sheetId !== sheetId) return false;
    const said = this.#said.get(JSON.stringify(headersOf(sheet)));
    if (said === undefined || JSON.stringify(said) === JSON.stringify(understandingOf(sheet))) return true;
    return this.interpret(said);
  }

  /**
   * Interprets the open sheet in another way. A change that comes meanwhile follows directly after. Returns whether it
   * is understood so now.
   */
  async interpret(change: Partial<SheetUnderstanding>): Promise<boolean> {
    const { open, isChecking } = this.store.getState();
    if (open === undefined || !isWhole(open.sheet)) return false;
    this.#wanted = { ...(this.#wanted ?? understandingOf(open.sheet)), ...change };
    // What is said while it is read again is said of the headers that are shown.
    if (this.#isRereading) this.#said.set(JSON.stringify(headersOf(open.sheet)), this.#wanted);
    if (isChecking) return false;
    this.store.setState({ isChecking: true });
    const { sheetId } = open.sheet;
    for (;;) {
      const asked: SheetUnderstanding = this.#wanted;
      const reply = await this.#ports.ask('sheet.interpret', { sheetId, ...asked });
      // The user may have dropped another sheet on the window meanwhile: it has its own choices.
      if (this.store.getState().open?.sheet.sheetId !== sheetId) return false;
      if (reply.ok && asked !== this.#wanted) continue;
      this.#wanted = undefined;
      this.#replace(sheetId, reply);
      this.store.setState({ isChecking: false });
      return reply.ok;
    }
  }

  /** Has the open sheet checked for the accounts that its rows are to go to; undefined: only one. */
  async checkFor(accounts: AccountsChoice | undefined): Promise<void> {
    await this.interpret({ accounts });
  }

  /**
   * Opens the dialog for a place of the files that the cells of the open sheet name, and has the sheet checked with it.
   * Returns what is wrong with the place, for its field.
   */
  async choosePlace(): Promise<IpcError | undefined> {
    const { open, isChecking } = this.store.getState();
    if (open === undefined || !isWhole(open.sheet) || isChecking) return undefined;
    this.store.setState({ isChecking: true });
    const { sheetId } = open.sheet;
    const reply = await this.#ports.askFrom(['place'], 'sheet.choosePlace', { sheetId });
    const refusal = reply.ok ? undefined : reply.error;
    if (this.store.getState().open?.sheet.sheetId !== sheetId) return refusal;
    this.#replace(sheetId, reply);
    this.store.setState({ isChecking: false });
    // What was said about its columns meanwhile.
    if (this.#wanted !== undefined) await this.interpret({});
    return refusal;
  }

  /** Forgets how the headers were mapped, here and for the next sheet with the same ones. */
  async forgetMapping(): Promise<void> {
    const { open } = this.store.getState();
    if (open === undefined || !isWhole(open.sheet)) return;
    const { defaultOperation: _, corrections: __, ...rest } = understandingOf(open.sheet);
    this.#wanted = { ...rest, mapping: {} };
    await this.interpret({});
  }

  /** Reports how many rows of a sheet have been read. */
  readSoFar(sheetId: string, rows: number): void {
    const { open } = this.store.getState();
    if (open === undefined || isWhole(open.sheet) || open.sheet.sheetId === sheetId) {
      this.store.setState({ rowsRead: rows });
    }
  }

  /** A sheet has become a batch. */
  imported(sheetId: string): void {
    const { open } = this.store.getState();
    if (open?.sheet.sheetId !== sheetId) return;
    this.#ports.left.drop(this.#aboutOpen(open));
    this.store.setState({ open: undefined });
    this.#ports.left.take(open.sheet);
  }

  /** Discards the open sheet, and ends the reading of its file. What was answered about it can be taken back. */
  close(): void {
    const { open } = this.store.getState();
    const about = open && this.#aboutOpen(open);
    if (open !== undefined) this.#ports.left.take(open.sheet);
    this.#dropOpen();
    if (about !== undefined) this.keeping.discarded(about);
    this.#ports.goHome();
  }

  #dropOpen(): void {
    const { open } = this.store.getState();
    this.store.setState({ open: undefined, isChecking: false });
    if (open !== undefined) this.#leave(open);
  }

  /** What was said about a sheet before it was left applies to it again, once all of it is there. */
  async #applyLeft(sheet: SheetView): Promise<void> {
    const { sheetId } = sheet;
    const { left } = this.#ports;
    if (this.#applying !== sheetId) return;
    const about = left.find(sheet);
    if (about !== undefined) {
      const isReadSo = await this.#readAs(sheetId, about);
      const now = this.store.getState().open?.sheet;
      if (now?.sheetId !== sheetId) return;
      for (const [headers, said] of Object.entries(about.said)) this.#said.set(headers, said);
      this.#said.set(JSON.stringify(about.headers), about.understanding);
      const headers = JSON.stringify(headersOf(now));
      // The file may have other columns by now, or another tab: what was said about the same ones holds.
      const said = this.#said.get(headers) ?? understandingFor(headersOf(now), about.understanding);
      if (isReadSo) this.#said.set(headers, withUnderstanding(understandingOf(now), said));
      if (isReadSo && !(await this.#sayAgain(sheetId))) await this.#sayWithoutAccounts(sheetId, said);
      if (this.#applying !== sheetId) return;
    }
    this.#applying = undefined;
    left.take(sheet);
    this.keeping.note();
  }

  /** Reads it as it was read before; returns whether that is how it is read now. */
  async #readAs(sheetId: string, about: LeftSheet): Promise<boolean> {
    const isAsShown = sheetId === about.sheetId;
    if (isAsShown) this.#reading = about.reading;
    if (isAsShown || Object.keys(about.reading).length === 0 || Object.keys(this.#reading).length > 0) return true;
    return this.#rereadAs(sheetId, about.reading);
  }

  /** An account may be gone from the settings: everything else that was said holds; without an engine, it waits. */
  async #sayWithoutAccounts(sheetId: string, said: SheetUnderstanding): Promise<void> {
    const { accounts, ...others } = said;
    const now = this.store.getState().open?.sheet;
    if (now?.sheetId !== sheetId) return;
    if (accounts !== undefined && (await this.interpret({ ...others, accounts: undefined }))) return;
    if (this.store.getState().open?.sheet === now) this.#wanted = withUnderstanding(understandingOf(now), said);
  }

  #aboutOpen({ sheet, isRehearsal }: OpenSheet): LeftSheet {
    const { sheetId } = sheet;
    const answers = this.#ports.forms.store.getState()[sheetId];
    const kept = this.#applying === sheetId ? this.#ports.left.find(sheet) : undefined;
    const isUnread = kept !== undefined && kept.sheetId !== sheetId && Object.keys(kept.reading).length > 0;
    const said = new Map(this.#said);
    // Its present columns are understood as `understanding` says.
    said.delete(JSON.stringify(headersOf(sheet)));
    return {
      ...(this.#mark ?? markOf(sheet)),
      // The application has it as it was recognised, not as it was to be read.
      sheetId: isUnread ? `${sheetId} unread` : sheetId,
      isPasted: sheet.format === 'clipboard',
      ...present({ answers }),
      isRehearsal,
      headers: kept?.headers ?? headersOf(sheet),
      reading: kept?.reading ?? this.#reading,
      understanding: kept?.understanding ?? this.#wanted ?? understandingOf(sheet),
      said: kept?.said ?? Object.fromEntries(said),
    };
  }

  #enter(sheet: OpenSheet['sheet'], isRehearsal: boolean): void {
    if (this.#unwanted.has(sheet.sheetId)) return;
    const { open: before } = this.store.getState();
    const givesWay = before !== undefined && before.sheet.sheetId !== sheet.sheetId;
    if (givesWay) {
      // The same one, opened once more, is given what was said about it.
      const about = this.#aboutOpen(before);
      if (isSame(about, markOf(sheet)) && this.#ports.importing(before.sheet.sheetId) === undefined)
        this.#ports.left.put(about);
      else void this.keeping.keepAnswered(before);
    }
    const left = this.#ports.left.find(sheet);
    this.#applying = left && sheet.sheetId;
    this.#mark = left === undefined ? markOf(sheet) : markIn(left);
    this.#wanted = undefined;
    this.#reading = {};
    this.#isRereading = false;
    this.#said.clear();
    this.#turn += 1;
    const open = { sheet, isRehearsal, hadBeginning: !isWhole(sheet), asksLate: false };
    this.store.setState({ isChecking: false, open, rowsRead: rowsIn(sheet) });
    if (left?.answers !== undefined) this.#ports.forms.store.setState({ [sheet.sheetId]: left.answers });
    if (givesWay) this.#leave(before);
    this.keeping.openedAgain(sheet);
    const isBehind = this.#behind !== undefined && [sheet.sheetId, sheet.recentId].includes(this.#behind);
    this.#behind = undefined;
    if (!isBehind) this.#ports.showSheet();
  }

  /** More of the open sheet, or the same in another way. */
  #put(open: OpenSheet, sheet: OpenSheet['sheet']): void {
    const hadBeginning = open.hadBeginning || !isWhole(sheet);
    const isRest = isWhole(sheet) && !isWhole(open.sheet);
    const asksLate = isRest ? asks(sheet) && !asks(open.sheet) : open.asksLate;
    this.store.setState({ open: { ...open, sheet, hadBeginning, asksLate }, rowsRead: rowsIn(sheet) });
  }

  #leave({ sheet }: OpenSheet): void {
    const { sheetId } = sheet;
    this.#ports.forms.forget(sheetId);
    if (isWhole(sheet)) return;
    this.#unwanted.add(sheetId);
    void this.#ports.request('sheet.close', { sheetId });
  }

  /** Opens one sheet at a time. Returns whether it opened one. */
  async #opening(open: () => Promise<Reply<SheetView | undefined>>, isRehearsal?: boolean): Promise<boolean> {
    if (this.store.getState().isOpening) return false;
    this.store.setState({ isOpening: true, rowsRead: 0 });
    this.#asRehearsal = isRehearsal;
    const reply = await open();
    this.#asRehearsal = undefined;
    this.store.setState({ isOpening: false });
    if (!reply.ok) this.#dropBeginning();
    if (!reply.ok || reply.value === undefined) return false;
    this.show(reply.value, isRehearsal);
    return true;
  }

  /** Another sheet may have been dropped on the window meanwhile. */
  #replace(sheetId: string, reply: Reply<SheetView | undefined>): void {
    const { open } = this.store.getState();
    if (!reply.ok || reply.value === undefined || open?.sheet.sheetId !== sheetId) return;
    this.#put(open, reply.value);
  }
}

function isBeginningOf({ sheet }: OpenSheet, sheetId: string): boolean {
  return sheet.sheetId === sheetId && !isWhole(sheet);
}

function asks(sheet: OpenSheet['sheet']): boolean {
  return openQuestions(sheet).length > 0;
}

function rowsIn(sheet: OpenSheet['sheet']): number {
  return isWhole(sheet) ? sheet.rowCount : sheet.preview.rows.length;
}
