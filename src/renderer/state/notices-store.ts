import { createStore, type StoreApi } from 'zustand/vanilla';
import { asSentence } from '../format/words.ts';
import type { EventPayload } from '../../shared/ipc/contract.ts';

/** Something to know now. It goes after a while, sooner once the user has gone to another screen. */
export interface Notice extends Pick<EventPayload<'notice'>, 'level' | 'title' | 'message'> {
  readonly id: number;
  /** How long it is shown, in milliseconds. */
  readonly shownMs: number;
}

/** What somebody tells; the rest of a notice is given here. */
export type NewNotice = Pick<Notice, 'level' | 'title' | 'message'>;

export interface NoticesState {
  /** The oldest first. */
  readonly notices: readonly Notice[];
}

/** More cannot be read at once; the oldest make room. */
const NOTICES_SHOWN = 3;
/** Long enough to be read twice; what went wrong may be seen only after a look elsewhere. */
const SHOWN_MS: Readonly<Record<Notice['level'], number>> = { info: 5_000, warning: 12_000, error: 30_000 };
/** On another screen, what was told about the one before is only in the way. */
const LEFT_MS = 4_000;

export class Notices {
  readonly store: StoreApi<NoticesState> = createStore(() => ({ notices: [] }));
  #nextId = 1;

  /** Shows a notice, its title as a sentence, unless the same one is on show already. */
  show(notice: NewNotice): void {
    const { notices } = this.store.getState();
    const { level, message } = notice;
    const title = asSentence(notice.title);
    if (notices.some((other) => other.title === title && other.message === message)) return;
    const shown = { id: this.#nextId, level, title, message, shownMs: SHOWN_MS[level] };
    this.store.setState({ notices: [...notices, shown].slice(-NOTICES_SHOWN) });
    this.#nextId += 1;
  }

  /** The user has gone to another screen: what is on show goes soon. */
  leave(): void {
    const soon = ({ shownMs, ...notice }: Notice): Notice => ({ ...notice, shownMs: Math.min(shownMs, LEFT_MS) });
    this.store.setState(({ notices }) => ({ notices: notices.map(soon) }));
  }

  dismiss(id: number): void {
    this.store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }
}
