/** What the user sets for batches: limits, hours, profiles, names, and their places in the queue and on the shelf. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { present, type Result } from '../../shared/domain/base/result.ts';
import type { Money } from '../../shared/domain/base/money.ts';
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { withStatusMeaning, type StatusAnswer, type StatusQuestion } from '../../shared/domain/gateway/seen-status.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import {
  accountNamed,
  accountsOf,
  withLimitsByName,
  withProfiles,
  type Account,
} from '../../shared/domain/task/accounts/account.ts';
import {
  gatewayKey,
  settingsWithProfile,
  type BatchRecord,
  type BatchSettings,
} from '../../shared/domain/task/batch.ts';
import { priorityAfterMove, type QueueMove } from '../../shared/domain/task/batch-standing.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { Schedule } from '../../shared/domain/task/schedule.ts';
import type { Limit } from '../../shared/domain/task/spending.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { shelveBatch, withoutShelf } from '../night/batches/shelf.ts';
import { statedFailures } from '../night/adopt.ts';
import type { Scheduler } from '../night/scheduler.ts';
import type { SettingsChange } from '../night/batches/settings-changes.ts';
import type { Clock } from '../ports/base.ts';
import type { TaskReader } from '../ports/task-store.ts';

interface ConfigParts {
  readonly store: TaskReader;
  readonly views: BatchViews;
  readonly scheduler: Pick<Scheduler, 'configure' | 'decide' | 'overruleStarts'>;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly keys: { readonly finder: KeyFinder };
  /** The ceiling of this process, if other processes send what it starts: it goes with the batch. */
  readonly ceiling: Limit | undefined;
  /** See `Engine.attach`. */
  readonly attach: (batchId: string) => Promise<void>;
}

/** Changes the settings of batches, even while they run. */
export class BatchConfig {
  readonly #parts: ConfigParts;
  readonly #moves = new WorkSlots(1);

  constructor(parts: ConfigParts) {
    this.#parts = parts;
  }

  /** Sets or lifts the request limit of a batch, even while it runs: a lower limit holds from the next request on. */
  async setCap(batchId: string, maxSubmits: number | undefined): Promise<void> {
    await this.#set(batchId, 'maxSubmits', maxSubmits);
  }

  /** The same for what the batch may spend, by its profile's prices. */
  async setCostCap(batchId: string, maxCost: Money | undefined): Promise<void> {
    await this.#set(batchId, 'maxCost', maxCost);
  }

  /** Sets or lifts the limits of some accounts of a batch, by their names, even while it runs. */
  async setAccountLimits(batchId: string, limits: ReadonlyMap<string, Limit | undefined>): Promise<void> {
    if ((await this.#parts.store.batch(batchId)) === undefined) return;
    await this.configure(batchId, ({ settings }) => withLimitsByName(settings, limits));
  }

  /** Sets the length of a batch's fuse; undefined restores the default. */
  async setFuse(batchId: string, fuse: number | undefined): Promise<void> {
    await this.#set(batchId, 'fuse', fuse);
  }

  async #set<Name extends 'maxSubmits' | 'maxCost' | 'fuse'>(
    batchId: string,
    name: Name,
    value: BatchSettings[Name],
  ): Promise<void> {
    if ((await this.#parts.store.batch(batchId)) === undefined) return;
    await this.configure(batchId, ({ settings: before }) => {
      const { [name]: _, ...settings } = before;
      return { ...settings, ...present({ [name]: value }) } as BatchSettings;
    });
  }

  /**
   * Sets when a batch may submit, even while it runs: this holds from the next request on. Without a schedule, at any
   * time.
   */
  async setSchedule(batchId: string, schedule: Schedule | undefined): Promise<void> {
    await this.configure(batchId, ({ settings: before }) => {
      const { schedule: _, ...settings } = before;
      return { ...settings, ...present({ schedule }) };
    });
  }

  /** Moves a batch among those that share an account with it, from its next request on. */
  moveInQueue(batchId: string, to: QueueMove): Promise<void> {
    // One move at a time: where a batch ends up depends on the moves before it.
    return this.#moves.take(() => this.#moveInQueue(batchId, to));
  }

  async #moveInQueue(batchId: string, to: QueueMove): Promise<void> {
    const others = (await this.#parts.store.batches()).filter(({ id }) => id !== batchId);
    const running = others.filter(({ state }) => state === 'running').map(priorityOf);
    const among = { others: others.map(priorityOf), running };
    await this.configure(batchId, (batch) => {
      const { priority: _, ...settings } = batch.settings;
      const priority = priorityAfterMove(to, priorityOf(batch), among);
      if (priority === priorityOf(batch)) return undefined;
      return priority === 0 ? settings : { ...settings, priority };
    });
    // Which batch is first depends on all of them.
    for (const batch of others)
      if (batch.settings.priority !== undefined) this.#parts.changes.tell({ kind: 'batch', batch });
  }

  /** Gives a batch a corrected profile, unless it must not use that one (see `settingsWithProfile`). */
  async correctProfile(batchId: string, profile: Profile): Promise<void> {
    if ((await this.#parts.store.batch(batchId)) === undefined) return;
    await this.configure(batchId, ({ settings }) => {
      const corrected = settingsWithProfile(settings, profile);
      return corrected.ok ? corrected.value : undefined;
    });
  }

  /**
   * Changes the settings of a batch, and its name if one is given, even while it runs. A function gets the batch while
   * nothing else changes or starts it; if it returns undefined, everything stays as it is. A known key in the name is
   * blotted out: the documents of the media folder show it.
   */
  async configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    const changed = (before: BatchRecord): BatchSettings | undefined => {
      const settings = typeof change === 'function' ? change(before) : change;
      if (settings !== undefined && !isFullAddress(settings.folder))
        throw new Error(`Not an absolute path: ${settings.folder}`);
      return settings;
    };
    const { scheduler, keys } = this.#parts;
    await scheduler.configure(batchId, changed, name === undefined ? undefined : keys.finder.hide(name));
  }

  /** Renames a batch, whatever its state. Its folder keeps its name: files there are known by their paths. */
  rename(batchId: string, name: string): Promise<void> {
    return this.configure(batchId, ({ settings }) => settings, name);
  }

  /** Puts a batch away: see {@link shelveBatch}. A start brings it back. */
  shelve(batchId: string, is: 'archived' | 'deleted'): Promise<Result<undefined, string>> {
    const { store, views, scheduler } = this.#parts;
    const configure = (id: string, change: SettingsChange): Promise<void> => this.configure(id, change);
    const overruleStarts = (id: string): void => scheduler.overruleStarts(id);
    return shelveBatch({ store, views, configure, overruleStarts }, batchId, { is, at: this.#parts.clock.now() });
  }

  /**
   * Brings back a batch that was archived, or deleted within the last day.
   * @param mayBe Asked while nothing else changes or starts the batch; by default, it always may.
   */
  bringBack(batchId: string, mayBe: (batch: BatchRecord) => boolean = () => true): Promise<void> {
    return this.configure(batchId, (batch) => (mayBe(batch) ? withoutShelf(batch) : undefined));
  }

  /**
   * Writes the user's answer about a status into the profiles of all batches at the batch's gateway, or at the gateway
   * of one of its accounts. If the status means failure, failures that were inferred from it are now certain; returns
   * how many.
   */
  async answerStatus(
    batchId: string,
    question: Pick<StatusQuestion, 'family' | 'status'> & { readonly account?: string | undefined },
    answer: StatusAnswer,
  ): Promise<number> {
    const asked = await this.#parts.store.batch(batchId);
    const gateway = asked && gatewayKey(asked.id, asked.settings, question.account);
    let stated = 0;
    for (const { id, settings } of await this.#parts.store.batches()) {
      const isOf = ({ name }: Account): boolean => gatewayKey(id, settings, name) === gateway;
      if (!accountsOf(settings).some(isOf)) continue;
      await this.configure(id, ({ settings: now }) =>
        withProfiles(now, (account) =>
          isOf(account) ? withStatusMeaning(account.profile, question, answer) : account.profile,
        ),
      );
      if (answer !== 'failed') continue;
      const watched = await this.#parts.store.watchedTasks(id);
      const own = watched.filter(({ account }) => isOf(accountNamed(settings, account)));
      const entries = statedFailures(own, question, this.#parts.clock.now());
      if (entries.length === 0) continue;
      await this.#parts.attach(id);
      stated += await this.#parts.scheduler.decide(entries);
    }
    return stated;
  }

  /**
   * If other processes send what this one starts, its ceiling goes with the batch; that of another process ends here.
   */
  async setCeiling(batchId: string): Promise<void> {
    const { ceiling } = this.#parts;
    await this.configure(batchId, ({ settings: before }) => {
      if (isDeepStrictEqual(before.ceiling, ceiling)) return undefined;
      const { ceiling: _, ...settings } = before;
      return { ...settings, ...present({ ceiling }) };
    });
  }
}

/** Whether a media folder may be here: any other path would depend on where a process runs. */
export function isFullAddress(folder: string): boolean {
  return path.isAbsolute(folder) || isBucketAddress(folder);
}

function priorityOf({ settings }: BatchRecord): number {
  return settings.priority ?? 0;
}
