import type { Failure } from '../../../shared/domain/base/failure.ts';
import type { SeenBalance } from '../../../shared/domain/gateway/charges/stated-amount.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Balances } from '../charges/balances.ts';
import type { Night } from '../night.ts';
import { fullPlacesOf, type FullPlaces } from '../submits/choose-submits.ts';

/** How batches of the night stand, beyond what the store has of them. */
export class NightStanding {
  readonly #night: Night;
  readonly #balances: Balances;

  constructor(night: Night, balances: Balances) {
    this.#night = night;
    this.#balances = balances;
  }

  /**
   * The balance of a batch's account, as last heard; undefined if its gateway does not state one.
   * @param name One of several accounts; by default, the first.
   */
  balanceOf(batchId: string, name?: string): SeenBalance | undefined {
    const account = this.#night.batches.all.get(batchId)?.accountOf({ account: name });
    return account?.profile.balance && this.#balances.of(account.lane);
  }

  /**
   * Until when the gateway of a batch asked to be left alone, in milliseconds since the epoch; undefined once that time
   * is past, or while one of several accounts may go on.
   */
  heldUntil(batchId: string): number | undefined {
    const times = this.#night.batches.all.get(batchId)?.accounts.map(({ lane }) => lane.heldUntil ?? 0) ?? [];
    const heldUntil = Math.min(...times);
    return times.length > 0 && heldUntil > this.#night.clock.now() ? heldUntil : undefined;
  }

  /** Families with no place left for another take of a batch at any of its accounts; undefined if there are none. */
  fullPlaces(batchId: string): FullPlaces | undefined {
    const batch = this.#night.batches.all.get(batchId);
    const full = batch === undefined ? [] : fullPlacesOf(this.#night, batch);
    return full.length === 0 ? undefined : full;
  }

  /** Why none of a batch's gateways answers or gives files at the moment; the batch later continues by itself. */
  trouble(batchId: string): Failure | undefined {
    const batch = this.#night.batches.all.get(batchId);
    const troubles = batch?.accounts.map(({ lane }) => lane.trouble) ?? [];
    return (troubles.includes(undefined) ? undefined : troubles[0]) ?? batch?.filesTrouble;
  }

  /** A batch as the night holds it, while the store has not taken its present state. */
  unstored(batchId: string): BatchRecord | undefined {
    const batch = this.#night.batches.all.get(batchId);
    return batch?.isUnstored === true ? batch.record : undefined;
  }

  /** Whether only files that are retried in minutes or hours are left of a batch. */
  isLeftWithRetries(batchId: string): boolean {
    const { all, rest } = this.#night.batches;
    return all.has(batchId) && rest.isLeftWithRetries(batchId);
  }

  /** When the last of the files that a batch retries in minutes or hours is due; undefined if there is none. */
  lastRetryAt(batchId: string): number | undefined {
    return this.#night.batches.rest.lastRetryAt(batchId);
  }
}
