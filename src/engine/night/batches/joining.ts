import type { FleetMember } from '../../ports/fleet.ts';
import { endForgottenAsks } from '../charges/asks.ts';
import { heedClock } from '../clock/clock-ahead.ts';
import { sweepParts } from '../fetch-step.ts';
import type { FleetWork } from '../fleet/fleet-work.ts';
import type { Flights } from '../flights.ts';
import { leftInFlight } from '../left-in-flight.ts';
import type { Night } from '../night.ts';
import type { RowLinks } from '../row-links.ts';
import type { NightBatch } from './night-batch.ts';

export interface JoiningOptions {
  readonly night: Night;
  readonly flights: Flights;
  readonly links: RowLinks;
  /** Only if other processes share the store. */
  readonly fleet: { readonly member: FleetMember; readonly work: FleetWork } | undefined;
  /** Has the gates of a batch look at files that they have not seen. */
  readonly checkFiles: (batch: NightBatch) => void;
  /** Requests a check of everything that is due, at once. */
  readonly wake: () => void;
  /** Keeps the night from ending before this work is done. */
  readonly untilDone: (work: Promise<void>) => Promise<void>;
}

/** Batches on their way into the night. */
export class JoiningBatches {
  readonly #options: JoiningOptions;
  /** Batches that are being read. */
  readonly #attaching = new Map<string, Promise<void>>();
  /** Ends the requests that must not be sent again after a clock was set back. */
  #forgetting: Promise<void> | undefined;

  constructor(options: JoiningOptions) {
    this.#options = options;
  }

  /**
   * Adds a batch to this night: work that an earlier run left in flight continues, and a submit that nobody waits for
   * becomes unknown (submit protocol, step 7). A running batch continues at once.
   */
  attach(batchId: string): Promise<void> {
    const { night, untilDone } = this.#options;
    if (night.batches.all.has(batchId)) return Promise.resolve();
    const attaching = this.#attaching.get(batchId) ?? untilDone(this.#attach(batchId));
    this.#attaching.set(batchId, attaching);
    return attaching;
  }

  async #attach(batchId: string): Promise<void> {
    const { night, flights, links, fleet, checkFiles, wake } = this.#options;
    try {
      const [batch] = await Promise.all([night.batches.read(batchId), night.limits.known()]);
      // If others may be working on it, the store's clock counts, not this computer's.
      const now = fleet === undefined ? night.clock.now() : (await fleet.member.leases.fleet()).at;
      await heedClock(night.store, batchId, now);
      await night.keyTrust.learn();
      // Not if others may be working on what was sent last: then no clock that differs from the store's is believed.
      if (fleet === undefined) await this.#forgotten();
      const inFlight = fleet === undefined ? await leftInFlight(night, batch) : [];
      // No await between these: from the first look at the batch on, the limits count what is in flight.
      night.batches.add(batch);
      for (const task of inFlight) flights.take(task);
      await this.#takeUp(batch);
      night.track(batch, sweepParts(night, batch));
      if (batch.record.state === 'running') checkFiles(batch);
      // The rows of a batch that never started or has ended are checked when it starts.
      const { state } = batch.record;
      if (state === 'running' || state === 'paused') await links.noteAll(batchId);
      wake();
    } finally {
      this.#attaching.delete(batchId);
    }
  }

  /** A batch of which it is not known what is at the accounts here is not part of the night: it is attached again. */
  async #takeUp(batch: NightBatch): Promise<void> {
    const { night, flights, fleet } = this.#options;
    try {
      await fleet?.work.takeUp(batch);
    } catch (error) {
      night.batches.letGo(batch);
      for (const { id } of flights.active.ofBatch(batch.id)) flights.letGo(id);
      throw error;
    }
  }

  /** Done once per process: nothing can be sent before. */
  async #forgotten(): Promise<void> {
    this.#forgetting ??= endForgottenAsks(this.#options.night);
    try {
      await this.#forgetting;
    } catch (error) {
      this.#forgetting = undefined;
      throw error;
    }
  }

  /** A batch of this night. Waits for a batch that is being attached: it was read before the latest changes. */
  async attached(batchId: string): Promise<NightBatch | undefined> {
    await this.#attaching.get(batchId)?.catch(() => undefined);
    return this.#options.night.batches.all.get(batchId);
  }
}
