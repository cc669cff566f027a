/** Bringing in sheets: they are opened, read and understood, until they become batches or are left. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { present } from '../../../shared/domain/base/result.ts';
import { freeName } from '../../../shared/domain/base/text.ts';
import { isSheetRefused } from '../../../shared/domain/sheet/row.ts';
import type { IpcError, Reply, RouteInput, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { AccountsChoice } from '../../../shared/ipc/accounts.ts';
import type { SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import type { AskFrom, IpcClient } from '../../ipc-client.ts';
import { shownLine } from '../../format/shown-text.ts';
import { noticeOf, type Notices } from '../notices-store.ts';
import { headersOf, isSame, type LeftSheet, type LeftSheets, markOf } from './left-sheets.ts';
import type { StartAnswers, StartForms } from './start-forms.ts';
import {
  isWhole,
  openQuestions,
  understandingFor,
  understandingOf,
  withUnderstanding,
  type SheetUnderstanding,
} from './sheet-understanding.ts';

/** An opened sheet, and where its rows will be rendered. */
export interface OpenSheet {
  /** Only its beginning while the rest of a large file is being read. */
  readonly sheet: SheetBeginning | SheetView;
  readonly isRehearsal: boolean;
  /** Its first rows were shown before the rest was there. */
  readonly hadBeginning: boolean;
  /** A row after the first ones raised the first question about its columns or cells. */
  readonly asksLate: boolean;
}

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

export interface BringingInPorts {
  /** Asks without a word if it fails. */
  readonly request: IpcClient['request'];
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** The same, but what is refused about one of these fields is shown there. */
  readonly askFrom: AskFrom;
  readonly notices: Pick<Notices, 'show' | 'setDone'>;
  /** What was said about sheets that were left. */
  readonly left: LeftSheets;
  readonly forms: StartForms;
  readonly lacksGateway: () => boolean;
  readonly batchNames: () => readonly string[];
  /** The making of a batch from a sheet, while it is under way: whether there is one in the end. */
  readonly importing: (sheetId: string) => Promise<boolean> | undefined;
  /** Makes a batch of a sheet with the answers about it, and says so; returns whether it could. */
  readonly importUnstarted: (open: OpenSheet, answers: StartAnswers) => Promise<boolean>;
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
  /** The notices about sheets that were closed: they are no longer true once those are open again. */
  #told: readonly { readonly about: LeftSheet; readonly notice: number }[] = [];
  /** Grows with each way of reading that is asked for: answers about earlier ones change nothing. */
  #turn = 0;
  /** Whether the sheet that is being opened was asked for as a rehearsal; undefined if nobody said. */
  #asRehearsal: boolean | undefined;
  /** Sheets that the user left while they were being read: what still arrives of them is not shown. */
  readonly #unwanted = new Set<string>();
  /** The sheet that what was kept about it does not apply to yet. */
  #applying: string | undefined;
  /** The open sheet is being read again. */
  #isRereading = false;
  /** The sheet or recent file that is taken up again while the user stays on another screen. */
  #behind: string | undefined;

  constructor(ports: BringingInPorts) {
    this.#ports = ports;
    ports.forms.store.subscribe(() => this.#note());
    this.store.subscribe(({ open }, before) => {
      if (open !== before.open) this.#note();
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
    const about = this.#leftOf(open);
    if (saysMore(about)) this.#ports.left.put(about);
    this.#leave(open);
    this.store.setState({ open: undefined, isChecking: false });
    this.#ports.goHome();
  }

  /** Opens the open file anew: there is another engine, which knows nothing of it. */
  async openAnew(isShown: boolean): Promise<void> {
    const { open } = this.store.getState();
    // A pasted table is nowhere else: its rows can still be looked at.
    if (open === undefined || open.sheet.recentId === undefined) return this.takeUp(true);
    this.#ports.left.put({ ...this.#leftOf(open), wasOpen: isShown ? 'shown' : 'behind' });
    this.#leave(open);
    this.store.setState({ open: undefined, isOpening: false, isChecking: false });
    return this.takeUp(true);
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

  async #rereadAs(sheetId: string, reading: Reading): Promise<void> {
    const { open } = this.store.getState();
    this.store.setState({ isChecking: true });
    this.#isRereading = true;
    if (open !== undefined) {
      this.#said.set(JSON.stringify(headersOf(open.sheet)), this.#wanted ?? understandingOf(open.sheet));
    }
    // Earlier choices stay; everything else is recognised again.
    this.#reading = { ...this.#reading, ...reading };
    const turn = ++this.#turn;
    const reply = await this.#ports.ask('sheet.reread', { sheetId, ...this.#reading });
    if (turn !== this.#turn) return;
    this.#isRereading = false;
    this.#replace(sheetId, reply);
    this.store.setState({ isChecking: false });
    // Trying another way of reading and going back must not lose what was said.
    if (reply.ok) await this.#sayAgain(sheetId);
  }

  async #sayAgain(sheetId: string): Promise<void> {
    const sheet = this.store.getState().open?.sheet;
    if (sheet?.sheetId !== sheetId) return;
    const said = this.#said.get(JSON.stringify(headersOf(sheet)));
    if (said !== undefined && JSON.stringify(said) !== JSON.stringify(understandingOf(sheet)))
      await this.interpret(said);
  }

  /** Interprets the open sheet in another way. A change that comes meanwhile follows directly after. */
  async interpret(change: Partial<SheetUnderstanding>): Promise<void> {
    const { open, isChecking } = this.store.getState();
    if (open === undefined || !isWhole(open.sheet)) return;
    this.#wanted = { ...(this.#wanted ?? understandingOf(open.sheet)), ...change };
    if (isChecking) return;
    this.store.setState({ isChecking: true });
    const { sheetId } = open.sheet;
    for (;;) {
      const asked: SheetUnderstanding = this.#wanted;
      const reply = await this.#ports.ask('sheet.interpret', { sheetId, ...asked });
      // The user may have dropped another sheet on the window meanwhile: it has its own choices.
      if (this.store.getState().open?.sheet.sheetId !== sheetId) return;
      if (reply.ok && asked !== this.#wanted) continue;
      this.#wanted = undefined;
      this.#replace(sheetId, reply);
      this.store.setState({ isChecking: false });
      return;
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
    this.store.setState({ open: undefined });
    this.#ports.left.take(open.sheet);
  }

  /** What is said about the open sheet is kept with each change: the page may crash. */
  #note(): void {
    const { open } = this.store.getState();
    const { left, importing } = this.#ports;
    // Until what was kept about it applies to it, that is still all there is to keep.
    if (open === undefined || this.#applying !== undefined || importing(open.sheet.sheetId) !== undefined) return;
    const about = this.#leftOf(open);
    if (saysMore(about)) left.put({ ...about, wasOpen: 'shown' });
  }

  /** Discards the open sheet, and ends the reading of its file. What was answered about it can be taken back. */
  close(): void {
    const { open } = this.store.getState();
    if (open !== undefined) {
      const about = this.#leftOf(open);
      this.#leave(open);
      this.#ports.left.take(open.sheet);
      if (saysMore(about)) this.#offerAgain(about);
    }
    this.store.setState({ open: undefined, isChecking: false });
    this.#ports.goHome();
  }

  #offerAgain(about: LeftSheet): void {
    const { discarded } = words.notices;
    this.#offer(about, discarded(shownLine(about.name)), '', { words: words.common.undo, done: words.common.undone });
  }

  /** Tells that a sheet is closed, and offers it once more. */
  #offer(about: LeftSheet, title: string, message: string, action: { words: string; done: string }): void {
    const { left, notices } = this.#ports;
    const run = (): void => {
      left.put({ ...about, wasOpen: 'shown' });
      void this.takeUp(true, true);
    };
    const notice = notices.show({ level: 'info', title, message, action: { ...action, run } });
    this.#told = [...this.#told, { about, notice }];
  }

  /** The page ends. The next one takes the open sheet up again (`takeUp`). */
  leave(isShown: boolean): void {
    const { open, isOpening } = this.store.getState();
    const { left, forms, request, importing, importUnstarted } = this.#ports;
    if (open === undefined) {
      // What is being taken up again is taken up by the next page.
      if (!isOpening) left.noteClosed();
      return;
    }
    const { sheet } = open;
    const { sheetId, recentId } = sheet;
    const about = this.#leftOf(open);
    const answers = forms.store.getState()[sheetId];
    const isNowhereElse = recentId === undefined && isWhole(sheet) && !isSheetRefused(sheet);
    if (isNowhereElse && answers !== undefined && importing(sheetId) === undefined) {
      void importUnstarted(open, answers);
      left.put({ ...about, wasOpen: 'importing' });
    } else if (importing(sheetId) === undefined) left.put({ ...about, wasOpen: isShown ? 'shown' : 'behind' });
    else left.put({ ...about, wasOpen: 'importing' });
    // The next page would get the rest, or another way of reading, without a word.
    if (!isWhole(sheet) || this.#isRereading) void request('sheet.close', { sheetId });
  }

  /**
   * Takes up the sheet that was open when the page before this one ended: as the application has it, or else from its
   * file. `mayShow`: goes to it if it was on screen; otherwise it is only among what is open. `isAsked`: the user wants
   * it back, in place of the one that is open. Returns once it is there or its file is being looked for.
   */
  async takeUp(mayShow: boolean, isAsked = false): Promise<void> {
    const { left, request, notices } = this.#ports;
    const last = left.lastOpen();
    if (last === undefined) return;
    const { sheetId, recentId, understanding, isRehearsal, wasOpen } = last;
    const isBehind = !mayShow || wasOpen === 'behind';
    const reply = await request('sheet.interpret', { sheetId, ...understanding });
    if (isAsked) this.#dropSame(last);
    if (reply.ok) {
      if (!this.#givesWay(isAsked)) return;
      if (isBehind) this.#behind = sheetId;
      this.show(reply.value, isRehearsal);
      return;
    }
    if (reply.error.code === 'unavailable') {
      if (isAsked) notices.show(noticeOf(reply.error));
    } else if (wasOpen === 'importing') this.#tellImported(last);
    else if (recentId === undefined) this.#tellGone(last, words.notices.pasteAgain);
    else void this.#takeUpFile(last, isBehind, isAsked);
  }

  /** The page before has asked for a batch at its end. */
  #tellImported(last: LeftSheet): void {
    const { left, notices, batchNames } = this.#ports;
    left.drop(last);
    const { name = '' } = last.answers ?? {};
    const { sheetKept, sheetKeptWhere } = words.notices;
    if (!batchNames().includes(name.trim())) return;
    notices.show({ level: 'info', title: sheetKept(shownLine(name)), message: sheetKeptWhere });
  }

  #tellGone(last: LeftSheet, message: string): void {
    const { left, notices } = this.#ports;
    left.noteClosed();
    const notice = notices.show({ level: 'info', title: words.notices.sheetGone(shownLine(last.name)), message });
    this.#told = [...this.#told, { about: last, notice }];
  }

  async #takeUpFile(last: LeftSheet, isBehind: boolean, isAsked: boolean): Promise<void> {
    const { request } = this.#ports;
    const { recentId = '', isRehearsal } = last;
    const recent = await request('sheet.recent');
    const isThere = recent.ok && recent.value.some((one) => one.recentId === recentId && one.isThere);
    if (!isThere && !isAsked) this.#tellGone(last, words.notices.sheetLeftFor);
    else if (this.#givesWay(isAsked)) {
      if (isBehind) this.#behind = recentId;
      await this.openRecent(recentId, isRehearsal);
    }
  }

  /** Whether what is open now makes room: not if it was opened with the application, say. */
  #givesWay(isAsked: boolean): boolean {
    const { open, isOpening } = this.store.getState();
    const isFree = !isOpening && (isAsked || open === undefined);
    if (!isFree) this.#ports.left.noteClosed();
    return isFree;
  }

  /** The same sheet was opened again by hand: what is said about it now is not what the user wants back. */
  #dropSame(left: LeftSheet): void {
    const { open } = this.store.getState();
    if (open === undefined || !isSame(left, markOf(open.sheet))) return;
    this.#leave(open);
    this.store.setState({ open: undefined });
  }

  /** What was said about a sheet before it was left applies to it again, once all of it is there. */
  async #applyLeft(sheet: SheetView): Promise<void> {
    const { sheetId } = sheet;
    const { left } = this.#ports;
    const about = this.#applying === sheetId ? left.find(sheet) : undefined;
    if (about === undefined) return;
    if (sheetId === about.sheetId) this.#reading = about.reading;
    else if (Object.keys({ ...this.#reading }).length === 0 && Object.keys(about.reading).length > 0) {
      await this.#rereadAs(sheetId, about.reading);
    }
    const now = this.store.getState().open?.sheet;
    if (now?.sheetId !== sheetId) return;
    for (const [headers, said] of Object.entries(about.said)) this.#said.set(headers, said);
    // The file may have other columns by now: what was said about the others holds.
    const said = understandingFor(headersOf(now), about.understanding);
    this.#said.set(JSON.stringify(headersOf(now)), withUnderstanding(understandingOf(now), said));
    await this.#sayAgain(sheetId);
    if (this.#applying !== sheetId) return;
    this.#applying = undefined;
    left.take(sheet);
    this.#note();
  }

  #leftOf({ sheet, isRehearsal }: OpenSheet): LeftSheet {
    const { sheetId } = sheet;
    const answers = this.#ports.forms.store.getState()[sheetId];
    const kept = this.#applying === sheetId ? this.#ports.left.find(sheet) : undefined;
    return {
      ...markOf(sheet),
      sheetId: kept?.sheetId ?? sheetId,
      ...present({ answers }),
      isRehearsal,
      headers: kept?.headers ?? headersOf(sheet),
      reading: kept?.reading ?? this.#reading,
      understanding: kept?.understanding ?? this.#wanted ?? understandingOf(sheet),
      said: kept?.said ?? Object.fromEntries(this.#said),
    };
  }

  /** The sheet gives way. What was said about it is not lost: it is imported, or else that is kept. */
  async #keepAnswered(open: OpenSheet): Promise<void> {
    const { left, batchNames, importing, importUnstarted } = this.#ports;
    const about = this.#leftOf(open);
    if (!saysMore(about)) return left.drop(about);
    left.put(about);
    const asked = importing(about.sheetId);
    if (asked !== undefined && (await asked)) return left.drop(about);
    const { sheet } = open;
    const isImportable = isWhole(sheet) && !isSheetRefused(sheet);
    // A pasted table is nowhere else, even if nothing was answered yet.
    const answers = about.answers ?? (sheet.recentId === undefined ? beginningOf(open, batchNames()) : undefined);
    if (answers === undefined) return;
    if (isImportable && (await importUnstarted(open, answers))) return left.drop(about);
    const { sheetLeft, sheetLeftFor, openAgain, openedAgain } = words.notices;
    this.#offer(about, sheetLeft(shownLine(sheet.name)), sheetLeftFor, { words: openAgain, done: openedAgain });
  }

  #enter(sheet: OpenSheet['sheet'], isRehearsal: boolean): void {
    if (this.#unwanted.has(sheet.sheetId)) return;
    const { open: before } = this.store.getState();
    const givesWay = before !== undefined && before.sheet.sheetId !== sheet.sheetId;
    if (givesWay) {
      // The same one, opened once more, is given what was said about it.
      if (isSame(markOf(before.sheet), markOf(sheet))) this.#ports.left.put(this.#leftOf(before));
      else void this.#keepAnswered(before);
    }
    const left = this.#ports.left.find(sheet);
    this.#applying = left && sheet.sheetId;
    this.#wanted = undefined;
    this.#reading = {};
    this.#isRereading = false;
    this.#said.clear();
    this.#turn += 1;
    const open = { sheet, isRehearsal, hadBeginning: !isWhole(sheet), asksLate: false };
    this.store.setState({ isChecking: false, open, rowsRead: rowsIn(sheet) });
    if (left?.answers !== undefined) this.#ports.forms.store.setState({ [sheet.sheetId]: left.answers });
    if (givesWay) this.#leave(before);
    const isTold = ({ about }: { readonly about: LeftSheet }): boolean => isSame(about, markOf(sheet));
    for (const { notice } of this.#told.filter(isTold)) this.#ports.notices.setDone(notice, words.notices.openedAgain);
    this.#told = this.#told.filter((one) => !isTold(one));
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

/** Whether anything was said about a sheet that is not known again by its headers alone. */
function saysMore({ answers, reading, understanding }: LeftSheet): boolean {
  const { variables, choices, accounts, ignored } = understanding;
  const isPlain = choices === 'draw' && accounts === undefined && ignored === undefined;
  const isRecognised = Object.keys({ ...reading, ...variables }).length === 0;
  return answers !== undefined || !isPlain || !isRecognised;
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

/** The answers for a sheet before the user has said anything. */
export function beginningOf({ sheet, isRehearsal }: OpenSheet, names: readonly string[]): StartAnswers {
  return {
    name: freeName(sheet.name.replace(/\.[a-z0-9]{1,5}$/iu, ''), names),
    wantsRehearsal: isRehearsal,
    folder: undefined,
    limitText: '',
  };
}
