/** Gathers changes of batches, so that the window gets them at most ten times a second, however many there are. */
import { systemClock, type Clock, type Engine, type EngineChange } from '../../engine/index.ts';
import type { News } from '../../shared/ipc/contract.ts';
import type { TellWindow } from './engine-protocol.ts';

const INTERVAL_MS = 100;

/** What changed in a batch since the window was last told. */
export interface GatheredChange {
  readonly batchId: string;
  readonly rows: ReadonlySet<string>;
}

export class ChangeCoalescer {
  readonly #clock: Clock;
  readonly #deliver: (changes: readonly GatheredChange[]) => void;
  readonly #pending = new Map<string, Set<string>>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, deliver: (changes: readonly GatheredChange[]) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  add(batchId: string, rows: Iterable<string>): void {
    const gathered = this.#pending.get(batchId) ?? new Set<string>();
    for (const row of rows) gathered.add(row);
    this.#pending.set(batchId, gathered);
    this.#cancelTimer ??= this.#clock.setTimer(INTERVAL_MS, () => this.flush());
  }

  /** Delivers what has been gathered, now. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#pending.size === 0) return;
    const changes = [...this.#pending].map(([batchId, rows]) => ({ batchId, rows }));
    this.#pending.clear();
    this.#deliver(changes);
  }
}

export type SheetChanged = Extract<EngineChange, { kind: 'sheet' }>;

/** What the window is told of changes; undefined for a batch that is gone. */
export interface DescribesChanges {
  readonly batches: { changed(change: GatheredChange): News<'batch.changed'> | undefined };
  readonly sheets: { changed(change: SheetChanged): News<'sheet.changed'> | undefined };
}

export interface Reporting {
  /** Delivers what has been gathered, now. */
  flush(): void;
  stop(): void;
}

/** Gathers every change and tells the window, until it is stopped. */
export function reportChanges(engine: Engine, { batches, sheets }: DescribesChanges, tell: TellWindow): Reporting {
  const known = new Set(engine.store.batches().map((batch) => batch.id));
  const coalescer = new ChangeCoalescer(systemClock, (changes) => {
    for (const change of changes) {
      const changed = batches.changed(change);
      if (changed !== undefined) tell('batch.changed', changed);
    }
  });
  const stopListening = engine.onChange((change) => {
    if (change.kind === 'task') {
      coalescer.add(change.task.batchId, [change.task.rowId]);
      return;
    }
    if (change.kind === 'sheet') {
      coalescer.add(change.batchId, []);
      const changed = sheets.changed(change);
      if (changed !== undefined) tell('sheet.changed', changed);
      return;
    }
    coalescer.add(change.batch.id, []);
    if (known.has(change.batch.id)) return;
    known.add(change.batch.id);
    tell('batch.listChanged', {});
  });
  const flush = (): void => coalescer.flush();
  const stop = (): void => {
    stopListening();
    flush();
  };
  return { flush, stop };
}
