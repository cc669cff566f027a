import { asSentence } from '../../shared/domain/base/text.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventPayload, IpcError, RouteName } from '../../shared/ipc/contract.ts';

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

const TITLES: Readonly<Record<IpcError['code'], string>> = {
  'invalid-input': 'Not understood',
  forbidden: 'Not allowed',
  'not-found': 'No longer there',
  refused: 'That did not work',
  unavailable: 'The engine does not answer',
  internal: 'A bug in Nocturne',
};

const PLACE_REFUSED = 'The files place was not changed';

/** Titles that say what did not happen, because an error's own words may not. */
const FAILED: Partial<Record<RouteName, string>> = {
  'batch.create': 'The sheet was not imported',
  'batch.configure': 'The batch was not changed',
  'batch.deliver': 'Not everything was delivered',
  'batch.choosePlace': PLACE_REFUSED,
  'batch.shelve': 'The batch stays where it is',
  'batch.start': 'The batch was not started',
  'batch.resume': 'The batch was not resumed',
  'batch.retry': 'Nothing was retried',
  'batch.turn': 'The rows stay as they were',
  'batch.release': 'Nothing was started',
  'batch.settle': 'The rows were not resolved',
  'sheet.edit': 'The sheet was not changed',
  'sheet.paste': 'Nothing was pasted',
  'sheet.compare': 'The file was not compared',
  'sheet.apply': 'The changes were not applied',
  'sheet.reread': 'The file was not read again',
  'sheet.choosePlace': PLACE_REFUSED,
  'results.write': 'The results were not written',
  'evidence.export': 'The evidence was not exported',
  'store.backup': 'The store was not backed up',
  'store.use': 'The store is the one that it was',
  'batch.pauseAll': 'Nothing was paused',
  'store.restore': 'The backup was not restored',
  'diagnostics.save': 'The diagnostics were not saved',
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
