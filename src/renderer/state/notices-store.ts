import { present } from '../../shared/domain/base/result.ts';
import { asSentence } from '../../shared/domain/base/text.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventPayload, IpcError, RouteName } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';

/** A message to the user: shown briefly, then listed for the rest of the session. */
export interface Notice extends Omit<NewNotice, 'isKept' | 'at'> {
  readonly id: number;
  /** When it was last shown, in milliseconds since the epoch. */
  readonly at: number;
  /** How often it was shown. */
  readonly count: number;
  readonly isUnread: boolean;
}

/** A notice as it can be handed on to another page. */
export type CarriedNotice = Omit<Notice, 'action'>;

/** What the caller gives; the store adds the rest. */
export interface NewNotice extends Pick<EventPayload<'notice'>, 'level' | 'title' | 'message' | 'isKept' | 'batchId'> {
  /** When it happened, in milliseconds since the epoch, if that was before it could be shown. */
  readonly at?: number | undefined;
  /** What the user may do about it, once. */
  readonly action?: { readonly words: string; readonly run: () => void; readonly done: string };
  /** What the user has done about it since, in a word: what it says may no longer be true. */
  readonly done?: string;
}

/** A notice while it is shown beside the work. */
export interface ShownNotice {
  readonly id: number;
  /** How long, in milliseconds, unless the pointer or the focus is on it. */
  readonly shownMs: number;
}

export interface NoticesState {
  /** All notices of the session, newest first. */
  readonly notices: readonly Notice[];
  /** Oldest first. */
  readonly shown: readonly ShownNotice[];
  /** The list of them is open. */
  readonly isOpen: boolean;
}

export interface NoticesPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether somebody is at the window. */
  readonly isLooking: () => boolean;
}

/** Nobody can read more at once; the oldest make room. */
const NOTICES_SHOWN = 3;
/** Nobody reads more than this; the oldest are removed. */
const NOTICES_LISTED = 300;
/** Long enough to be read twice; the user may notice an error only after looking elsewhere. */
const SHOWN_MS: Readonly<Record<Notice['level'], number>> = { info: 5_000, warning: 12_000, error: 30_000 };
/** On another screen, notices about the previous one are only in the way. */
const LEFT_MS = 4_000;
/** What is said again within this time is counted, but not shown again. */
const AGAIN_MS = 30_000;

export class Notices {
  readonly store: StoreApi<NoticesState> = createStore(() => ({ notices: [], shown: [], isOpen: false }));
  readonly #ports: NoticesPorts;
  #nextId: number;

  /** @param carried The list of the page that this one replaces. */
  constructor(ports: NoticesPorts, carried: readonly CarriedNotice[] = []) {
    this.#ports = ports;
    this.#nextId = Math.max(0, ...carried.map(({ id }) => id)) + 1;
    this.store.setState({ notices: carried });
  }

  /** The list for the page that replaces this one, without the actions, which end with this page. */
  carried(): readonly CarriedNotice[] {
    const { notices, shown } = this.store.getState();
    // A user who was looking at the page when it closed may not have read what it had just shown.
    const isCutShort = (id: number): boolean => shown.some((one) => one.id === id);
    return notices.map(({ action: _action, ...rest }) => ({ ...rest, isUnread: rest.isUnread || isCutShort(rest.id) }));
  }

  /**
   * Lists a notice, its title as a sentence, and shows it for a while; the same one is listed once, with a count. It
   * stays unread until it was seen in the list if it is an error, or came while nobody looked. Returns its id.
   */
  show(notice: NewNotice): number {
    const { now, isLooking } = this.#ports;
    const { level, message, isKept, action, batchId, at = now() } = notice;
    const title = asSentence(notice.title);
    const { notices, shown, isOpen } = this.store.getState();
    const isSame = (other: Notice): boolean =>
      other.title === title && other.message === message && other.batchId === batchId;
    const before = notices.find(isSame);
    const wasMissed = isKept === true || notice.at !== undefined || !isLooking();
    const listed: Notice = {
      id: before?.id ?? this.#nextId,
      level,
      title,
      message,
      at,
      count: (before?.count ?? 0) + 1,
      // A notice that comes while the list is open is seen there.
      isUnread: before?.isUnread === true || wasMissed || (level === 'error' && !isOpen),
      ...(batchId !== undefined && { batchId }),
      ...(action && { action }),
    };
    const others = notices.filter((other) => other !== before);
    this.store.setState({ notices: [listed, ...others].slice(0, NOTICES_LISTED) });
    if (before === undefined) this.#nextId += 1;
    const isSaidAlready = before !== undefined && before.done === undefined && Math.abs(at - before.at) < AGAIN_MS;
    if (isOpen || (isSaidAlready && action === undefined) || shown.some(({ id }) => id === listed.id)) return listed.id;
    const shownMs = action === undefined ? SHOWN_MS[level] : SHOWN_MS.error;
    const waiting = [...shown, { id: listed.id, shownMs }];
    // Notices that make room before their time may not have been read.
    this.#mark(waiting.slice(0, -NOTICES_SHOWN), true);
    this.store.setState({ shown: waiting.slice(-NOTICES_SHOWN) });
    return listed.id;
  }

  /** The user has gone to another screen: what is shown goes soon. */
  leave(): void {
    const { notices, shown } = this.store.getState();
    // What can be undone is not about one screen.
    const stays = ({ id }: ShownNotice): boolean => notices.some((notice) => notice.id === id && notice.action);
    const soon = (one: ShownNotice): ShownNotice =>
      stays(one) ? one : { ...one, shownMs: Math.min(one.shownMs, LEFT_MS) };
    this.store.setState({ shown: shown.map(soon) });
  }

  /** Its time is over: it stays in the list only. */
  hide(id: number): void {
    this.store.setState(({ shown }) => ({ shown: shown.filter((one) => one.id !== id) }));
  }

  /** The user has closed it where it is shown, and so has seen it. */
  dismiss(id: number): void {
    this.#mark([{ id }], false);
    this.hide(id);
  }

  /** Does what a notice offers, once. */
  act(id: number): void {
    const action = this.store.getState().notices.find((notice) => notice.id === id)?.action;
    const without = (notice: Notice): Notice => {
      const { action: acted, ...rest } = notice;
      return acted === undefined ? rest : { ...rest, done: acted.done };
    };
    this.store.setState(({ notices }) => ({
      notices: notices.map((notice) => (notice.id === id ? without(notice) : notice)),
    }));
    this.dismiss(id);
    action?.run();
  }

  /**
   * What it says is no longer true, and `done` says why: it is not shown any more. Without `done`, it is true again.
   */
  setDone(id: number, done: string | undefined): void {
    const withDone = ({ done: _before, ...rest }: Notice): Notice => ({ ...rest, ...present({ done }) });
    this.store.setState(({ notices }) => ({
      notices: notices.map((notice) => (notice.id === id ? withDone(notice) : notice)),
    }));
    if (done !== undefined) this.dismiss(id);
  }

  /** What was said is no longer true, and `done` says why. */
  settle({ title, message, batchId }: NewNotice, done: string): void {
    const said = asSentence(title);
    const listed = this.store
      .getState()
      .notices.find((one) => one.title === said && one.message === message && one.batchId === batchId);
    if (listed !== undefined) this.setDone(listed.id, done);
  }

  /** Opens the list, in which everything is seen, or closes it. */
  setOpen(isOpen: boolean): void {
    const { isOpen: wasOpen, notices } = this.store.getState();
    if (wasOpen === isOpen) return;
    // As long as it is open it shows what is new in it.
    if (!isOpen) this.#mark(notices, false);
    this.store.setState({ isOpen, shown: [] });
  }

  /** Empties the list. */
  clear(): void {
    this.store.setState({ notices: [], shown: [] });
  }

  #mark(which: readonly { readonly id: number }[], isUnread: boolean): void {
    const ids = new Set(which.map(({ id }) => id));
    if (ids.size === 0) return;
    this.store.setState(({ notices }) => ({
      notices: notices.map((notice) => (ids.has(notice.id) ? { ...notice, isUnread } : notice)),
    }));
  }
}

/** How many notices the user has not seen: none while they look at the list. */
export function unreadIn({ notices, isOpen }: NoticesState): number {
  return isOpen ? 0 : notices.filter(({ isUnread }) => isUnread).length;
}

const { errors: TITLES, failed: NOT_DONE } = words.notices;

/** Titles that say what did not happen, because an error's own words may not. */
const FAILED: Partial<Record<RouteName, string>> = {
  'batch.create': NOT_DONE.imported,
  'batch.configure': NOT_DONE.configured,
  'batch.deliver': NOT_DONE.delivered,
  'batch.choosePlace': NOT_DONE.placed,
  'batch.shelve': NOT_DONE.shelved,
  'batch.start': NOT_DONE.started,
  'batch.resume': NOT_DONE.resumed,
  'batch.retry': NOT_DONE.retried,
  'batch.turn': NOT_DONE.turned,
  'batch.release': NOT_DONE.released,
  'batch.settle': NOT_DONE.settled,
  'sheet.edit': NOT_DONE.edited,
  'sheet.paste': NOT_DONE.pasted,
  'sheet.compare': NOT_DONE.compared,
  'sheet.apply': NOT_DONE.applied,
  'sheet.reread': NOT_DONE.reread,
  'sheet.choosePlace': NOT_DONE.placed,
  'results.write': NOT_DONE.resultsWritten,
  'evidence.export': NOT_DONE.evidence,
  'store.backup': NOT_DONE.backedUp,
  'store.use': NOT_DONE.storeChanged,
  'batch.pauseAll': NOT_DONE.paused,
  'store.restore': NOT_DONE.restored,
  'diagnostics.save': NOT_DONE.diagnostics,
};

/** The notice for a request that the application could not fulfil, or that the user has ended. */
export function noticeOf(
  error: IpcError,
  route?: RouteName,
): { readonly level: 'info' | 'error'; readonly title: string; readonly message: string } {
  const failed =
    (error.code === 'refused' || error.code === 'cancelled') && route !== undefined ? FAILED[route] : undefined;
  const level = error.code === 'cancelled' ? 'info' : 'error';
  const title = failed ?? TITLES[error.code];
  return { level, title, message: error.message };
}
