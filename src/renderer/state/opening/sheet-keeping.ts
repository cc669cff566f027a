/** Keeps what is said about sheets that are open: over the end of the page, a crash, and other sheets. */
import type { StoreApi } from 'zustand/vanilla';
import { isSheetRefused } from '../../../shared/domain/sheet/row.ts';
import type { SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
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
}

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

  constructor(ports: KeepingPorts & SheetPorts) {
    this.#ports = ports;
    ports.forms.store.subscribe(() => this.note());
    ports.store.subscribe(({ open }, before) => {
      if (open !== before.open) this.note();
    });
  }

  /** What is said about the open sheet is kept with each change: the page may crash. */
  note(): void {
    const { store, left, isKeptAlready, importing } = this.#ports;
    const { open } = store.getState();
    if (open === undefined || isKeptAlready() || importing(open.sheet.sheetId) !== undefined) return;
    const about = this.#ports.aboutOpen(open);
    if (saysMore(about)) left.put({ ...about, wasOpen: 'shown' });
  }

  /** The user has discarded it: nothing about it is kept, but it can be taken back. */
  discarded(about: LeftSheet): void {
    this.#ports.left.drop(about);
    if (!saysMore(about)) return;
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
    const { open, isOpening } = this.#ports.store.getState();
    const { left, forms, request, importing, importUnstarted } = this.#ports;
    if (open === undefined) {
      // What is being taken up again is taken up by the next page.
      if (!isOpening) left.noteClosed();
      return;
    }
    const { sheet } = open;
    const { sheetId, recentId } = sheet;
    const about = this.#ports.aboutOpen(open);
    const answers = forms.store.getState()[sheetId];
    const isNowhereElse = recentId === undefined && isWhole(sheet) && !isSheetRefused(sheet);
    if (isNowhereElse && answers !== undefined && importing(sheetId) === undefined) {
      void importUnstarted(open, answers);
      left.put({ ...about, wasOpen: 'importing' });
    } else if (importing(sheetId) === undefined) left.put({ ...about, wasOpen: isShown ? 'shown' : 'behind' });
    else left.put({ ...about, wasOpen: 'importing' });
    // The next page would get the rest, or another way of reading, without a word.
    if (!isWhole(sheet) || this.#ports.isRereading()) void request('sheet.close', { sheetId });
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
      this.#ports.show(reply.value, isRehearsal, isBehind);
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
    else if (this.#givesWay(isAsked)) await this.#ports.openRecent(recentId, isRehearsal, isBehind);
  }

  /** Whether what is open now makes room: not if it was opened with the application, say. */
  #givesWay(isAsked: boolean): boolean {
    const { open, isOpening } = this.#ports.store.getState();
    const isFree = !isOpening && (isAsked || open === undefined);
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

  /** A sheet is open: what was told about it as a closed one is no longer true. */
  openedAgain(sheet: SheetBeginning): void {
    const isTold = ({ about }: { readonly about: LeftSheet }): boolean => isSame(about, markOf(sheet));
    for (const { notice } of this.#told.filter(isTold)) this.#ports.notices.setDone(notice, words.notices.openedAgain);
    this.#told = this.#told.filter((one) => !isTold(one));
  }
}
