import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventPayload } from '../../shared/ipc/contract.ts';

/** Something to know now. It stays until it is dismissed; those that only inform go by themselves. */
export interface Notice extends Pick<EventPayload<'notice'>, 'level' | 'title' | 'message'> {
  readonly id: number;
}

export interface NoticesState {
  /** The oldest first. */
  readonly notices: readonly Notice[];
}

/** More would hide the screen; the oldest make room. */
const NOTICES_SHOWN = 4;

export class Notices {
  readonly store: StoreApi<NoticesState> = createStore(() => ({ notices: [] }));
  #nextId = 1;

  /** Shows a notice, unless the same one is on show already. */
  show(notice: Omit<Notice, 'id'>): void {
    const { notices } = this.store.getState();
    if (notices.some((other) => other.title === notice.title && other.message === notice.message)) return;
    const { level, title, message } = notice;
    this.store.setState({ notices: [...notices, { id: this.#nextId, level, title, message }].slice(-NOTICES_SHOWN) });
    this.#nextId += 1;
  }

  dismiss(id: number): void {
    this.store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }
}
