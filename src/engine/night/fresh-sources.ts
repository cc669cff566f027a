import { rowsReferredTo, type LinkedField, type ReferenceSource } from '../../shared/domain/cells/reference.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './night-batch.ts';
import { referenceSourceOf } from './row-source.ts';

/** What a gateway gave longer ago than this is asked for once more before it is sent on: its addresses may have expired. */
const FRESH_MS = 15 * 60_000;

/**
 * What done rows give, as the gateway says it now. A night may pause between a row and the one that refers to it, and
 * an address that has expired meanwhile would be paid for and fail. Where the gateway does not say it again, what it
 * said at first is sent.
 */
export class FreshSources {
  readonly #asked = new Map<number, { readonly at: number; readonly source: ReferenceSource | undefined }>();
  readonly #asking = new Set<number>();

  /** Undefined while the gateway is asked; the night wakes when it has answered. */
  sourceOf(night: Night, batch: NightBatch, task: Task): ReferenceSource | undefined {
    const now = night.clock.now();
    const asked = this.#asked.get(task.id);
    if (now - Math.max(task.finishedAt ?? now, asked?.at ?? 0) <= FRESH_MS) {
      return asked?.source ?? referenceSourceOf(night.store, batch.gateway, task);
    }
    if (!this.#asking.has(task.id) && batch.lane.budget.tryTake(night.clock.monotonic())) {
      this.#asking.add(task.id);
      night.track(batch, this.#ask(night, batch, task));
    }
    return undefined;
  }

  async #ask(night: Night, batch: NightBatch, task: Task): Promise<void> {
    const { gateway } = batch;
    const known = referenceSourceOf(night.store, gateway, task);
    let report;
    try {
      report = await gateway.poll(task.operation, known.taskCode, night.ending);
    } finally {
      this.#asking.delete(task.id);
    }
    const { answer, raw } = report;
    const at = night.clock.now();
    for (const [id, other] of this.#asked) if (at - other.at > FRESH_MS) this.#asked.delete(id);
    const { urls } = answer.kind === 'record' ? answer.record : { urls: [] };
    // A record without its addresses says nothing new: some gateways forget them.
    const source =
      answer.kind === 'record' && raw !== undefined && urls.length >= known.outputUrls.length
        ? { ...known, result: gateway.resultOf(raw) ?? known.result, outputUrls: urls }
        : undefined;
    this.#asked.set(task.id, { at, source });
    night.wake();
  }
}

/** The rows of which these fields take more than the task code, which never expires. */
export function rowsWithAddresses(links: readonly LinkedField[]): ReadonlySet<string> {
  const expiring = links.map((link): LinkedField => {
    const items = link.value.kind === 'text' ? [link.value.text] : link.value.items;
    const kept = items.map((text) => text.filter((part) => typeof part === 'object' && part.path.kind !== 'task-code'));
    return { ...link, value: { kind: 'list', items: kept } };
  });
  return new Set(rowsReferredTo(expiring));
}
