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
  readonly #deliver: (changes: readonly GatheredChange[]) => unknown;
  readonly #pending = new Map<string, Set<string>>();
  #cancelTimer: (() => void) | undefined;
  #delivering = 0;

  /** @param deliver Never rejects; what changes until it resolves is gathered. */
  constructor(clock: Clock, deliver: (changes: readonly GatheredChange[]) => unknown) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  add(batchId: string, rows: Iterable<string>): void {
    const gathered = this.#pending.get(batchId) ?? new Set<string>();
    for (const row of rows) gathered.add(row);
    this.#pending.set(batchId, gathered);
    this.#flushLater();
  }

  /** Delivers what has been gathered, now. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#pending.size === 0) return;
    const changes = [...this.#pending].map(([batchId, rows]) => ({ batchId, rows }));
    this.#pending.clear();
    this.#delivering += 1;
    void Promise.resolve(this.#deliver(changes)).finally(() => {
      this.#delivering -= 1;
      this.#flushLater();
    });
  }

  /** Not while the window is being told: otherwise a slow store would be asked the same questions again and again. */
  #flushLater(): void {
    if (this.#delivering > 0 || this.#pending.size === 0) return;
    this.#cancelTimer ??= this.#clock.setTimer(INTERVAL_MS, () => this.flush());
  }
}

export type SheetChanged = Extract<EngineChange, { kind: 'sheet' }>;

/** What the window is told about changes; undefined for a batch that is gone. */
export interface DescribesChanges {
  readonly batches: { changed(change: GatheredChange): Promise<News<'batch.changed'> | undefined> };
  readonly sheets: { changed(change: SheetChanged): Promise<News<'sheet.changed'> | undefined> };
}

export interface Reporting {
  /**
   * Delivers what has been gathered, now; resolves when the window has been told about it and about every edit so far.
   */
  flush(): Promise<void>;
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
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    told = told.then(work).catch(onBug);
    return told;
  };
  const coalescer = new ChangeCoalescer(systemClock, (changes) =>
    Promise.all(
      changes.map((change) =>
        inOrder(async () => {
          const changed = await batches.changed(change);
          if (changed !== undefined) tell('batch.changed', changed);
        }),
      ),
    ),
  );
  const stopListening = engine.onChange((change) => {
    if (change.kind === 'task') {
      coalescer.add(change.task.batchId, [change.task.rowId]);
      return;
    }
    if (change.kind === 'sheet') {
      coalescer.add(change.batchId, []);
      void inOrder(async () => {
        const changed = await sheets.changed(change);
        if (changed !== undefined) tell('sheet.changed', changed);
      });
      return;
    }
    if (change.kind === 'removed') {
      known.delete(change.batchId);
      tell('batch.listChanged', {});
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
  return { flush, stop };
}
