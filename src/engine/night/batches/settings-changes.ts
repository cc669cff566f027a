import { isDeepStrictEqual } from 'node:util';
import { withFolderOf, type BatchRecord, type BatchSettings } from '../../../shared/domain/task/batch.ts';
import type { Flights } from '../flights.ts';
import type { Night } from '../night.ts';
import type { RowLinks } from '../row-links.ts';
import type { JoiningBatches } from './joining.ts';
import type { NightBatch } from './night-batch.ts';

/** New settings, or a function that makes them from the present ones, which others may change at the same time. */
export type SettingsChange = BatchSettings | ((batch: BatchRecord) => BatchSettings | undefined);

export interface SettingsChangesOptions {
  readonly night: Night;
  readonly flights: Flights;
  readonly links: RowLinks;
  readonly joining: JoiningBatches;
  /** Whether other processes share the store. */
  readonly isShared: boolean;
  /** Has the gates of a batch look at files that they have not seen. */
  readonly checkFiles: (batch: NightBatch) => void;
  /** Resolves when what was committed before has left. */
  readonly submitted: () => Promise<void>;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  /** Requests a check of everything that is due, at once. */
  readonly wake: () => void;
}

/** Changes of the settings of batches, and removals: one at a time, as each starts from what the one before has left. */
export class SettingsChanges {
  readonly #options: SettingsChangesOptions;
  /** The last change of settings: the next one waits for it. */
  #configuring: Promise<void> = Promise.resolve();

  constructor(options: SettingsChangesOptions) {
    this.#options = options;
  }

  /** Resolves when the changes that were asked for so far are made. */
  get made(): Promise<void> {
    return this.#configuring;
  }

  /** See `Scheduler.configure`. */
  configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    const configured = this.#configuring.then(() => this.#configure(batchId, change, name));
    this.#configuring = configured.catch(() => undefined);
    return configured;
  }

  /** See `Scheduler.removing`. */
  removing(batchId: string, remove: () => Promise<boolean>): Promise<boolean> {
    const { night, flights, joining } = this.#options;
    const removed = this.#configuring.then(async () => {
      const batch = await joining.attached(batchId);
      if (batch === undefined) return remove();
      const isInUse = batch.record.state === 'running' || batch.holds > 0;
      if (isInUse || flights.active.ofBatch(batchId).length > 0) return false;
      night.batches.letGo(batch);
      let isRemoved = false;
      try {
        isRemoved = await remove();
      } finally {
        if (!isRemoved) await joining.attach(batchId);
      }
      return isRemoved;
    });
    this.#configuring = removed.then(
      () => undefined,
      () => undefined,
    );
    return removed;
  }

  async #configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    const { night, links, joining, isShared, checkFiles, submitted, onBatchChanged, wake } = this.#options;
    const { store, batches } = night;
    let batch = await joining.attached(batchId);
    const before = batch?.record ?? (await store.batch(batchId));
    if (before === undefined) throw new Error(`No such batch: ${batchId}`);
    const wanted = typeof change === 'function' ? change(before) : change;
    if (wanted === undefined) return;
    const settings = withFolderOf(before.settings, wanted);
    if (batch === undefined) {
      // If another process has changed the batch in the meantime, the change is made again from what is there now.
      const asRead = isShared ? before.revision : undefined;
      const revision = await store.updateBatchSettings(batchId, settings, name, asRead);
      if (revision === undefined && asRead !== undefined) {
        await this.#configure(batchId, change, name);
        return;
      }
      // The batch may have joined the night in the meantime, read with its earlier settings.
      batch = await joining.attached(batchId);
      const record = await store.batch(batchId);
      if (record !== undefined && batch === undefined) onBatchChanged(record);
    }
    if (batch === undefined) return;
    if (!(await batches.configure(batch, settings, name))) {
      await batches.readAgain(batch);
      await this.#configure(batchId, change, name);
      return;
    }
    if (batch.record.state === 'running' && !isDeepStrictEqual(before.settings.gates, settings.gates)) {
      checkFiles(batch);
      await links.noteAll(batchId);
    }
    wake();
    // Until what was committed under the earlier settings has left.
    await submitted();
  }
}
