import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { EarlierFileView, RowDetail, RowView } from '../../../shared/ipc/rows.ts';

/** A row of a batch by its key. */
export interface RowRef {
  readonly batchId: string;
  readonly key: number;
}

export interface RowDetailState {
  /** The row to look at; undefined if none. */
  readonly ref: RowRef | undefined;
  /** The detail of exactly that row, if known. */
  readonly detail: RowDetail | undefined;
  /** Why it could not be read. */
  readonly problem: string | undefined;
}

export interface RowDetailPorts {
  readonly fetchDetail: (ref: RowRef) => Promise<Reply<RowDetail>>;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

const RELOAD_DELAY_MS = 400;
const NOTHING: RowDetailState = { ref: undefined, detail: undefined, problem: undefined };

/** The inspector's row, kept up to date while the user looks at it. */
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

  /** The row has changed: reads it again soon, once for many changes. */
  changed(ref: RowRef): void {
    if (!isSame(ref, this.store.getState().ref)) return;
    this.#stopReload ??= this.#ports.schedule(() => {
      this.#stopReload = undefined;
      void this.reload();
    }, RELOAD_DELAY_MS);
  }

  /** Reads the row again now. */
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

/** A file of a row in one of its versions. */
export interface FileVersion extends EarlierFileView {
  /** Its row has another file now, or is to get one. */
  readonly isEarlier: boolean;
}

/** What is known about a row's files: from its detail or, until that is read, from its line in the grid. */
export function versionsOf(row: RowView | undefined, detail: RowDetail | undefined): readonly FileVersion[] {
  const now = detail?.tasks.flatMap(({ files }) => files) ?? row?.files ?? [];
  const before = detail?.earlierFiles ?? row?.earlier?.files ?? [];
  return [
    ...now.map((file) => ({ ...file, isEarlier: false })),
    ...before.map((file) => ({ ...file, isEarlier: true })),
  ];
}
