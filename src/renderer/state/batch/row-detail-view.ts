import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { RowDetail } from '../../../shared/ipc/rows.ts';

/** A row of a batch by its key. */
export interface RowRef {
  readonly batchId: string;
  readonly key: number;
}

export interface RowDetailState {
  /** Which row is looked at; undefined: none. */
  readonly ref: RowRef | undefined;
  /** What is known of it; of that row and no other. */
  readonly detail: RowDetail | undefined;
  /** Why nothing could be had. */
  readonly problem: string | undefined;
}

export interface RowDetailPorts {
  readonly fetchDetail: (ref: RowRef) => Promise<Reply<RowDetail>>;
  /** Calls back once after a time; gives the way to stop it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

const RELOAD_DELAY_MS = 400;
const NOTHING: RowDetailState = { ref: undefined, detail: undefined, problem: undefined };

/** The inspector's row, kept fresh while it is looked at. */
export class RowDetailView {
  readonly store: StoreApi<RowDetailState> = createStore(() => NOTHING);
  readonly #ports: RowDetailPorts;
  #stopReload: (() => void) | undefined;

  constructor(ports: RowDetailPorts) {
    this.#ports = ports;
  }

  /** Looks at a row, or at none. */
  look(ref: RowRef | undefined): void {
    const { ref: current } = this.store.getState();
    if (ref !== undefined && isSame(ref, current)) return;
    this.#stopReload?.();
    this.#stopReload = undefined;
    this.store.setState({ ...NOTHING, ref });
    void this.reload();
  }

  /** The row has changed: it is asked for again, soon, and once for many changes. */
  changed(ref: RowRef): void {
    if (!isSame(ref, this.store.getState().ref)) return;
    this.#stopReload ??= this.#ports.schedule(() => {
      this.#stopReload = undefined;
      void this.reload();
    }, RELOAD_DELAY_MS);
  }

  /** Asks for the row again now. */
  async reload(): Promise<void> {
    const { ref } = this.store.getState();
    if (ref === undefined) return;
    const reply = await this.#ports.fetchDetail(ref);
    if (!isSame(ref, this.store.getState().ref)) return;
    if (reply.ok) this.store.setState({ detail: reply.value, problem: undefined });
    else this.store.setState({ problem: reply.error.message });
  }
}

function isSame(a: RowRef, b: RowRef | undefined): boolean {
  return b !== undefined && a.batchId === b.batchId && a.key === b.key;
}
