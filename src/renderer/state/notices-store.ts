import { asSentence } from '../../shared/domain/base/text.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventPayload, IpcError, RouteName } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';

/** A message to the user. Unless it is kept, it disappears after a while, sooner on another screen. */
export interface Notice extends NewNotice {
  readonly id: number;
  /** How long it is shown, in milliseconds; infinite where it is kept. */
  readonly shownMs: number;
}

/** What the caller gives; the store adds the rest. */
export interface NewNotice extends Pick<EventPayload<'notice'>, 'level' | 'title' | 'message' | 'isKept'> {
  /** What the user may do about it; the notice is gone once they have. */
  readonly action?: { readonly words: string; readonly run: () => void };
}

export interface NoticesState {
  /** Oldest first. */
  readonly notices: readonly Notice[];
}

/** Nobody can read more at once; the oldest make room, but one that is kept only for others that are. */
const NOTICES_SHOWN = 3;
/** Long enough to be read twice; the user may notice an error only after looking elsewhere. */
const SHOWN_MS: Readonly<Record<Notice['level'], number>> = { info: 5_000, warning: 12_000, error: 30_000 };
/** On another screen, notices about the previous one are only in the way. */
const LEFT_MS = 4_000;

export class Notices {
  readonly store: StoreApi<NoticesState> = createStore(() => ({ notices: [] }));
  #nextId = 1;

  /** Shows a notice, its title as a sentence, unless the same one is already there. */
  show(notice: NewNotice): void {
    const { notices } = this.store.getState();
    const { level, message, isKept, action } = notice;
    const title = asSentence(notice.title);
    if (notices.some((other) => other.title === title && other.message === message)) return;
    const shownMs = isKept ? Infinity : action === undefined ? SHOWN_MS[level] : SHOWN_MS.error;
    const shown = { id: this.#nextId, level, title, message, shownMs, ...(action && { action }) };
    const isAlike = (other: Notice): boolean => Number.isFinite(other.shownMs) === Number.isFinite(shownMs);
    const [oldest, ...others] = notices.filter(isAlike);
    const staying = others.length < NOTICES_SHOWN - 1 ? notices : notices.filter((other) => other !== oldest);
    this.store.setState({ notices: [...staying, shown] });
    this.#nextId += 1;
  }

  /** The user has gone to another screen: the notices that are not kept disappear soon. */
  leave(): void {
    const soon = ({ shownMs, ...notice }: Notice): Notice => ({
      ...notice,
      // What can be undone is about no screen.
      shownMs: Number.isFinite(shownMs) && notice.action === undefined ? Math.min(shownMs, LEFT_MS) : shownMs,
    });
    this.store.setState(({ notices }) => ({ notices: notices.map(soon) }));
  }

  /** A place for files was named after all: why it could not be is said no more. */
  placeNamed(): void {
    const title = asSentence(PLACE_REFUSED);
    this.store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.title !== title) }));
  }

  dismiss(id: number): void {
    this.store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }
}

const { errors: TITLES, failed: NOT_DONE } = words.notices;

const PLACE_REFUSED = NOT_DONE.placed;

/** Titles that say what did not happen, because an error's own words may not. */
const FAILED: Partial<Record<RouteName, string>> = {
  'batch.create': NOT_DONE.imported,
  'batch.configure': NOT_DONE.configured,
  'batch.deliver': NOT_DONE.delivered,
  'batch.choosePlace': PLACE_REFUSED,
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
  'sheet.choosePlace': PLACE_REFUSED,
  'results.write': NOT_DONE.resultsWritten,
  'evidence.export': NOT_DONE.evidence,
  'store.backup': NOT_DONE.backedUp,
  'store.use': NOT_DONE.storeChanged,
  'batch.pauseAll': NOT_DONE.paused,
  'store.restore': NOT_DONE.restored,
  'diagnostics.save': NOT_DONE.diagnostics,
};

/** The notice for a request that the application could not fulfil. */
export function noticeOf(
  error: IpcError,
  route?: RouteName,
): { readonly level: 'error'; readonly title: string; readonly message: string } {
  const failed = error.code === 'refused' && route !== undefined ? FAILED[route] : undefined;
  const title = failed ?? TITLES[error.code];
  return { level: 'error', title, message: error.message };
}
