import { gatewayKey, type BatchRecord } from '../../../shared/domain/task/batch.ts';
import { renderingMs, type Task } from '../../../shared/domain/task/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';

type RunningBatch = Pick<NightBatch, 'id' | 'record'>;
type NamedAccount = Pick<NightAccount, 'name'>;

/** As many as the store keeps. */
const TIMES_KEPT = 64;
/** New times are passed on once they are more than this part of those known: each time, a law is learned from them. */
const NEWS_PART = 1 / 16;
/** How many kinds to keep, by gateway, operation and model; the one that was not used for longest makes room. */
const KEYS_KEPT = 200;

/**
 * How long renderings take, by gateway, operation and model: read from the store when first asked for, then kept nearly
 * up to date with what this night commits.
 */
export class LearnedTimes {
  readonly #store: Pick<TaskStore, 'completions'>;
  readonly #known = new Map<string, Promise<readonly number[]>>();
  /** Learned since, newest first. */
  readonly #news = new Map<string, readonly number[]>();

  constructor(store: Pick<TaskStore, 'completions'>) {
    this.#store = store;
  }

  /** The latest times of a task's kind, newest first, in milliseconds; none if the store does not say. */
  of({ id, record }: RunningBatch, { name }: NamedAccount, { operation, model }: Task): Promise<readonly number[]> {
    const key = keyOf(record, name, operation, model);
    const known = this.#known.get(key) ?? this.#read(key, id, name, operation, model);
    this.#keep(key, known);
    return known.catch(() => []);
  }

  /** Learns from a task that is now done. */
  learn({ record }: RunningBatch, task: Task): void {
    const key = keyOf(record, task.account, task.operation, task.model);
    const known = this.#known.get(key);
    const ms = renderingMs(task);
    // A kind that nobody has asked for is read from the store when somebody does.
    if (known === undefined || ms === undefined) return;
    this.#keep(
      key,
      known.then((times) => {
        const news = [ms, ...(this.#news.get(key) ?? [])];
        const isEnough = news.length > times.length * NEWS_PART;
        this.#news.set(key, isEnough ? [] : news);
        return isEnough ? [...news, ...times].slice(0, TIMES_KEPT) : times;
      }),
    );
  }

  async #read(
    key: string,
    batchId: string,
    account: string | undefined,
    operation: Task['operation'],
    model: string,
  ): Promise<readonly number[]> {
    try {
      const times = await this.#store.completions(batchId, operation, model, account);
      return times;
    } catch (error) {
      this.#known.delete(key);
      this.#news.delete(key);
      throw error;
    }
  }

  #keep(key: string, times: Promise<readonly number[]>): void {
    // Whoever asks for the times learns of a failure.
    times.catch(() => undefined);
    this.#known.delete(key);
    this.#known.set(key, times);
    const [oldest] = this.#known.keys();
    if (this.#known.size <= KEYS_KEPT || oldest === undefined) return;
    this.#known.delete(oldest);
    this.#news.delete(oldest);
  }
}

function keyOf(
  { id, settings }: BatchRecord,
  account: string | undefined,
  operation: Task['operation'],
  model: string,
): string {
  return JSON.stringify([gatewayKey(id, settings, account), operation, model]);
}
