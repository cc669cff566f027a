import { isDeepStrictEqual } from 'node:util';
import type { Limit, SpendingLimits } from '../../../shared/domain/task/spending.ts';
import { accountsOf } from '../../../shared/domain/task/accounts/account.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { NightBatch } from '../batches/night-batch.ts';

type LimitsStore = Pick<TaskStore, 'spendingLimits' | 'setSpendingLimits'>;

/**
 * The spending limits that the user has set for all batches. They may change during the night, also by another process.
 */
export class NightLimits {
  readonly #store: LimitsStore;
  #current: SpendingLimits | undefined;

  /** What may be spent through this process alone in a night, whatever the user's limits allow; rehearsals excepted. */
  readonly ceiling: Limit | undefined;

  constructor(store: LimitsStore, ceiling?: Limit) {
    this.#store = store;
    this.ceiling = ceiling;
  }

  /** Reads the limits, once. */
  async known(): Promise<void> {
    if (this.#current !== undefined) return;
    const stored = await this.#store.spendingLimits();
    this.#current ??= stored;
  }

  /** Takes over what another process has set. */
  async readAgain(): Promise<void> {
    const stored = await this.#store.spendingLimits();
    if (!isDeepStrictEqual(stored, this.#current)) this.#current = stored;
  }

  get current(): SpendingLimits {
    if (this.#current === undefined) throw new Error('The limits of spending have not been read.');
    return this.#current;
  }

  /**
   * The limits hold from now on; resolves when they are stored. Rejects if the disk refuses them: the next start then
   * uses the earlier ones.
   */
  async set(limits: SpendingLimits): Promise<void> {
    this.#current = limits;
    await this.#store.setSpendingLimits(limits);
  }

  /** Whether anything limits what a batch may spend. */
  areFor({ record: { settings } }: NightBatch): boolean {
    const { maxSubmits, maxCost, ceiling } = settings;
    if ([maxSubmits, maxCost, ceiling].some((limit) => limit !== undefined)) return true;
    if (settings.accounts !== undefined && accountsOf(settings).some(({ limit }) => limit !== undefined)) return true;
    const { night, month } = this.current;
    return !settings.rehearsal && [night, month, this.ceiling].some((limit) => limit !== undefined);
  }
}
