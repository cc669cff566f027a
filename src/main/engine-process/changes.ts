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
  readonly batches: { changed(change: GatheredChange): Promise<News<'batch.changed'> | undefined> };
  readonly sheets: { changed(change: SheetChanged): Promise<News<'sheet.changed'> | undefined> };
}

export interface Reporting {
  /** Delivers what has been gathered, now; resolves when the window has been told. */
  flush(): Promise<void>;
  /** Resolves when the window has been told of every edit so far: its rows come before its answer. */
  told(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Gathers every change and tells the window, in order, until it is stopped. `onBug` receives what keeps it from reading
 * a change.
 */
export async function reportChanges(
  engine: Engine,
  { batches, sheets }: DescribesChanges,
  tell: TellWindow,
  onBug: (error: unknown) => void,
): Promise<Reporting> {
  const known = new Set((await engine.store.batches()).map((batch) => batch.id));
  let told = Promise.resolve();
  const inOrder = (work: () => Promise<void>): void => {
    told = told.then(work).catch(onBug);
  };
  const coalescer = new ChangeCoalescer(systemClock, (changes) =>
    inOrder(async () => {
      for (const change of changes) {
        const changed = await batches.changed(change);
        if (changed !== undefined) tell('batch.changed', changed);
      }
    }),
  );
  const stopListening = engine.onChange((change) => {
    if (change.kind === 'task') {
      coalescer.add(change.task.batchId, [change.task.rowId]);
      return;
    }
    if (change.kind === 'sheet') {
      coalescer.add(change.batchId, []);
      inOrder(async () => {
        const changed = await sheets.changed(change);
        if (changed !== undefined) tell('sheet.changed', changed);
      });
      return;
    }
    coalescer.add(change.batch.id, []);
    if (known.has(change.batch.id)) return;
    known.add(change.batch.id);
    tell('batch.listChanged', {});
  });
  const flush = (): Promise<void> => {
    coalescer.flush();
    return told;
  };
  const stop = (): Promise<void> => {
    stopListening();
    return flush();
  };
  return { flush, told: () => told, stop };
}
