import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { SheetStore } from '../sheet-ports.ts';

/** What is known of a batch that would take long to find out again. */
export interface SheetMemory {
  /** How many rows put each column in by its name; undefined while nobody has looked. */
  named: ReadonlyMap<number, number> | undefined;
  /** Rows whose id is another row's: they may get it when that one gives it up. */
  contested: Set<number> | undefined;
}

/** What an edit is planned with. */
export interface PlanContext {
  readonly batch: BatchRecord;
  readonly checker: SheetChecker;
  readonly sheets: SheetStore;
  /** A task of the batch, also one that was superseded. */
  readonly task: (id: number) => Task | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Finds the keys of gateways: no cell may come to hold one. */
  readonly keyFinder: KeyFinder;
  readonly memory: SheetMemory;
  /** Rows are checked anew although their cells stay, because the header line or the settings have changed. */
  readonly isRecheck: boolean;
  /** Of what use each column is may have changed for every row. */
  readonly isColumnChange: boolean;
}
