/** Keeps what is said about sheets that are open: over the end of the page, a crash, and other sheets. */
import type { StoreApi } from 'zustand/vanilla';
import { isSheetRefused } from '../../../shared/domain/sheet/row.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { IpcClient } from '../../ipc-client.ts';
import { noticeOf, type Notices } from '../notices-store.ts';
import { isSame, type LeftSheet, type LeftSheets, markOf, saysMore } from './left-sheets.ts';
import { isWhole } from './sheet-understanding.ts';
import { beginningOf, type OpenSheet, type StartAnswers, type StartForms } from './start-forms.ts';

export interface KeepingPorts {
  /** Asks without a word if it fails. */
  readonly request: IpcClient['request'];
  readonly notices: Pick<Notices, 'show' | 'setDone'>;
  /** What was said about sheets that were left. */
  readonly left: LeftSheets;
  readonly forms: StartForms;
  readonly batchNames: () => readonly string[];
  /** The making of a batch from a sheet, while it is under way: whether there is one in the end. */
  readonly importing: (sheetId: string) => Promise<boolean> | undefined;
  /** Makes a batch of a sheet with the answers about it, and says so; returns whether it could. */
  readonly importUnstarted: (open: OpenSheet, answers: StartAnswers) => Promise<boolean>;
  /** Whether the open sheet is on screen. */
  readonly isShown: () => boolean;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

/** `if free`: unless another sheet is open by now; `again`: in its own place; `back`: as its user asks, in any place. */
type TakenUp = 'if free' | 'again' | 'back';

const NOTED_WITHIN_MS = 300;

/** What it knows of the open sheet and does with it. */
interface SheetPorts {
  readonly store: StoreApi<{ readonly open: OpenSheet | undefined; readonly isOpening: boolean }>;
  readonly isKeptAlready: () => boolean;
  readonly isRereading: () => boolean;
  /** Everything that was said about it. */
  readonly aboutOpen: (open: OpenSheet) => LeftSheet;
  readonly dropOpen: () => void;
  /** `isBehind`: the user stays on the screen that they are on. */
  readonly show: (sheet: SheetView, isRehearsal: boolean, isBehind: boolean) => void;
  readonly openRecent: (recentId: string, isRehearsal: boolean, isBehind: boolean) => Promise<void>;
}

export class SheetKeeping {
  readonly #ports: KeepingPorts & SheetPorts;
  /** The notices about sheets that were closed: they are no longer true once those are open again. */
  #told: readonly { readonly about: LeftSheet; readonly notice: number }[] = [];
  #stopNoting: (() => void) | undefined;
  /** The page ends: what still arrives is for nobody. */
  #hasLeft = false;

  constructor(ports: KeepingPorts & SheetPorts) {
    this.#ports = ports;
    ports.forms.store.subscribe((forms, before) => {
      const { sheetId = '' } = ports.store.getState().open?.sheet ?? {};
      if (forms[sheetId] !== before[sheetId]) this.#noteSoon();
    });
    ports.store.subscribe(({ open }, before) => {
      if (open !== before.open) this.#noteSoon();
    });
  }

  /** What is said about the open sheet is kept with each change, since the page may crash: many keys make one. */
  #noteSoon(): void {
    this.#stopNoting?.();
    this.#stopNoting = this.#ports.schedule(() => this.note(), NOTED_WITHIN_MS);
  }

  /** Keeps what is said about the open sheet. `always`: also if nothing is. */
  note(always = false): void {
    const { store, left, isKeptAlready, importing } = this.#ports;
    const { open } = store.getState();
    if (this.#hasLeft || open === undefined || isKeptAlready()) return;
    if (importing(open.sheet.sheetId) !== undefined) return;
    const about = this.#ports.aboutOpen(open);
    if (always || saysMore(about)) left.put({ ...about, wasOpen: this.#whereOpen() });
    else left.drop(about);
  }

  #whereOpen(): 'shown' | 'behind' {
    return this.#ports.isShown() ? 'shown' : 'behind';
  }

  /** A batch is being made of the open sheet: until there is none, it is not opened again. */
  importing(): void {
    const { store, left, aboutOpen } = this.#ports;
    const { open } = store.getState();
    if (open !== undefined) left.put({ ...aboutOpen(open), wasOpen: 'importing' });
  }

  /** The user has discarded it: nothing about it is kept, but it can be taken back. */
  discarded(about: LeftSheet): void {
    if (!saysMore(about)) return;
    const { discarded } = words.notices;
    this.#offer(about, discarded(shownLine(about.name)), '', { words: words.common.undo, done: words.common.undone });
  }

  /** Tells that a sheet is closed, and offers it once more. */
  #offer(about: LeftSheet, title: string, message: string, action: { words: string; done: string }): void {
    const { left, notices } = this.#ports;
    const run = (): void => {
      left.put({ ...about, wasOpen: 'shown' });
      void this.takeUp(true, 'back');
    };
    const notice = notices.show({ level: 'info', title, message, action: { ...action, run } });
    this.#told = [...this.#told, { about, notice }];
  }

  /** The page ends. The next one takes the open sheet up again (`takeUp`). */
  leave(): void {
    this.#hasLeft = true;
    const { open, isOpening } = this.#ports.store.getState();
    const { left, request, importing, importUnstarted } = this.#ports;
    if (open === undefined) {
      // What is being taken up again is taken up by the next page.
      if (!isOpening) left.noteClosed();
      return;
    }
    const { sheet } = open;
    const { sheetId, recentId } = sheet;
    const about = this.#ports.aboutOpen(open);
    let isImporting = importing(sheetId) !== undefined;
    // A file is read again by the next page; anything else may be nowhere but here.
    if (!isImporting && about.answers !== undefined && recentId === undefined && isImportable(sheet)) {
      isImporting = true;
      void importUnstarted(open, about.answers);
    }
    left.put({ ...about, wasOpen: isImporting ? 'importing' : this.#whereOpen() });
    // The next page would get the rest, or another way of reading, without a word.
    if (!isWhole(sheet) || this.#ports.isRereading()) void request('sheet.close', { sheetId });
  }

  /**
   * Takes up the sheet that was open when the page before this one ended: as the application has it, or else from its
   * file. `mayShow`: goes to it if it was on screen; otherwise it is only among what is open. Returns once it is there
   * or its file is being looked for.
   */
  async takeUp(mayShow: boolean, wanted: TakenUp = 'if free'): Promise<void> {
    const { left, notices } = this.#ports;
    const last = left.lastOpen();
    if (last === undefined) return;
    const { recentId, isRehearsal, wasOpen } = last;
    const isBehind = !mayShow || wasOpen === 'behind';
    const reply = await this.#understoodAgain(last, wanted);
    if (wanted === 'back') this.#dropSame(last);
    if (reply.ok) {
      // No batch has come of it.
      if (wasOpen === 'importing') left.put({ ...last, wasOpen: 'shown' });
      if (this.#givesWay(wanted)) this.#ports.show(reply.value, isRehearsal, isBehind);
      return;
    }
    if (reply.error.code !== 'not-found' && (reply.error.code === 'unavailable' || recentId === undefined)) {
      if (wanted === 'back') notices.show(noticeOf(reply.error));
      return;
    }
    const batch = await this.#batchOf(last);
    if (batch === 'unknown') return;
    if (batch !== undefined) this.#tellImported(last, batch);
    // Its batch may still be on its way: whether to open it again is for the user to say.
    else if (wasOpen === 'importing' || recentId === undefined) this.#tellGone(last);
    else void this.#takeUpFile(last, isBehind, wanted);
  }

  /** An account that it was checked for may be gone from the settings: then it is understood without them. */
  async #understoodAgain(last: LeftSheet, wanted: TakenUp): Promise<Reply<SheetView>> {
    const { sheetId, understanding } = last;
    const { request, store } = this.#ports;
    if (wanted === 'back') await this.#untilOpened();
    const reply = await request('sheet.interpret', { sheetId, ...understanding });
    if (wanted === 'back' && store.getState().isOpening) return this.#understoodAgain(last, wanted);
    if (reply.ok || reply.error.code !== 'refused' || understanding.accounts === undefined) return reply;
    const { accounts: _, ...others } = understanding;
    return request('sheet.interpret', { sheetId, ...others });
  }

  /** One sheet is opened at a time: who asks for one back gets it after the one that is being opened. */
  #untilOpened(): Promise<void> {
    const { store } = this.#ports;
    if (!store.getState().isOpening) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = store.subscribe(({ isOpening }) => {
        if (isOpening) return;
        stop();
        resolve();
      });
    });
  }

  /** The batch that was made of it; `unknown`: there is no engine to ask. A name says nothing: others may have it. */
  async #batchOf({ sheetId }: LeftSheet): Promise<BatchView | 'unknown' | undefined> {
    const reply = await this.#ports.request('batch.list');
    if (reply.ok) return reply.value.find((batch) => batch.sheetId === sheetId);
    return reply.error.code === 'unavailable' ? 'unknown' : undefined;
  }

  /** The page before has asked for a batch, at its end or because its user did. One that was started speaks for itself. */
  #tellImported(last: LeftSheet, { id, name, state }: BatchView): void {
    const { left, notices } = this.#ports;
    const { sheetKept, sheetKeptWhere } = words.notices;
    left.drop(last);
    if (state !== 'ready') return;
    notices.show({ level: 'info', title: sheetKept(shownLine(name)), message: sheetKeptWhere, batchId: id });
  }

  #tellGone(last: LeftSheet): void {
    const { left, notices } = this.#ports;
    left.noteClosed();
    if (!saysMore(last) && !last.isPasted) return;
    const message = last.isPasted ? words.notices.pasteAgain : words.notices.sheetLeftFor;
    const notice = notices.show({ level: 'info', title: words.notices.sheetGone(shownLine(last.name)), message });
    this.#told = [...this.#told, { about: last, notice }];
  }

  async #takeUpFile(last: LeftSheet, isBehind: boolean, wanted: TakenUp): Promise<void> {
    const { request, left } = this.#ports;
    const { recentId = '', isRehearsal } = last;
    const recent = await request('sheet.recent');
    const isThere = recent.ok && recent.value.some((one) => one.recentId === recentId && one.isThere);
    if (wanted === 'back') await this.#untilOpened();
    // Who asks for it is told that it is gone.
    if (!isThere && wanted !== 'back') return this.#tellGone(last);
    if (!this.#givesWay(wanted)) return;
    await this.#ports.openRecent(recentId, isRehearsal, isBehind);
    // What could not be opened is not tried at each start.
    if (this.#ports.store.getState().open?.sheet.recentId !== recentId) left.noteClosed();
  }

  /** Whether what is open now makes room: not if it was opened with the application, say. */
  #givesWay(wanted: TakenUp): boolean {
    const { open, isOpening } = this.#ports.store.getState();
    const isFree = !isOpening && (wanted !== 'if free' || open === undefined);
    if (!isFree) this.#ports.left.noteClosed();
    return isFree;
  }

  /** The same sheet was opened again by hand: what is said about it now is not what the user wants back. */
  #dropSame(left: LeftSheet): void {
    const { open } = this.#ports.store.getState();
    if (open !== undefined && isSame(left, markOf(open.sheet))) this.#ports.dropOpen();
  }

  /** The sheet gives way. What was said about it is not lost: it is imported, or else that is kept. */
  async keepAnswered(open: OpenSheet): Promise<void> {
    const { left, batchNames, importing, importUnstarted } = this.#ports;
    const about = this.#ports.aboutOpen(open);
    if (!saysMore(about)) return left.drop(about);
    const { sheet } = open;
    const mayImport = isImportable(sheet);
    // A pasted table is nowhere else, even if nothing was answered yet.
    const answers = about.answers ?? (sheet.recentId === undefined ? beginningOf(open, batchNames()) : undefined);
    const asked = importing(about.sheetId);
    const isTried = asked !== undefined || (answers !== undefined && mayImport);
    left.put(isTried ? { ...about, wasOpen: 'importing' } : about);
    if (asked !== undefined && (await asked)) return left.drop(about);
    if (answers === undefined) return;
    if (mayImport && (await importUnstarted(open, answers))) return left.drop(about);
    left.put(about);
    const { sheetLeft, sheetLeftFor, openAgain, openedAgain } = words.notices;
    this.#offer(about, sheetLeft(shownLine(sheet.name)), sheetLeftFor, { words: openAgain, done: openedAgain });
  }

  /** A sheet is open: what was told about it as a closed one is no longer true. */
  openedAgain(sheet: SheetBeginning): void {
    const isTold = ({ about }: { readonly about: LeftSheet }): boolean => isSame(about, markOf(sheet));
    for (const { notice } of this.#told.filter(isTold)) this.#ports.notices.setDone(notice, words.notices.openedAgain);
    this.#told = this.#told.filter((one) => !isTold(one));
  }
}

function isImportable(sheet: OpenSheet['sheet']): boolean {
  return isWhole(sheet) && !isSheetRefused(sheet);
}
