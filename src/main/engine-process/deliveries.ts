/** The deliveries of the window: one of each batch at a time, watched, and ended when the user or the engine ends. */
import { deliverBatch, whyNotOwnFolder, type Clock, type StoreView } from '../../engine/index.ts';
import { ok, present } from '../../shared/domain/base/result.ts';
import { say } from '../../shared/domain/base/reason.ts';
import { asSentence } from '../../shared/domain/base/text.ts';
import { deliveryOutcome, deliveryWords, type DeliveryProgress } from '../../shared/domain/delivery/delivery-report.ts';
import { nameColumnsOf } from '../../shared/domain/files/name-template.ts';
import type { DeliveryView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { newZipPath } from '../services/batch-folder.ts';
import { noSuchBatch } from './batch-reader.ts';
import type { EngineHandlers, EngineInput, TellWindow } from './engine-protocol.ts';
import { words } from '../../shared/words/words.ts';

/** Small files come faster than anybody can read. */
const TOLD_EVERY_MS = 200;

export interface DeliveriesOptions extends Pick<StoreView, 'store' | 'views'> {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Where the store is, if that is a server. */
  readonly server?: string;
  readonly tell?: TellWindow;
}

interface UnderWay {
  readonly cancelling: AbortController;
  readonly ended: Promise<unknown>;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  readonly handlers = {
    'batch.deliver': async (input) => {
      const { batchId } = input;
      if (this.#underWay.has(batchId)) return refuse('refused', words.desktop.batch.isDelivered);
      const cancelling = new AbortController();
      // No wait before this: it may be cancelled at once.
      const ended = this.#deliver(input, cancelling.signal);
      this.#underWay.set(batchId, { cancelling, ended });
      try {
        return await ended;
      } finally {
        this.#underWay.delete(batchId);
        this.#options.tell?.('delivery.changed', { batchId, isUnderWay: false });
      }
    },
    'batch.stopDelivery': ({ batchId }) => {
      this.#underWay.get(batchId)?.cancelling.abort();
      return ok(undefined);
    },
    'batch.deliveryColumns': async ({ batchId }) => {
      const batch = await this.#options.store.batch(batchId);
      return batch === undefined ? noSuchBatch() : ok({ columns: [...nameColumnsOf(batch)] });
    },
  } satisfies Partial<EngineHandlers>;

  /** Cancels all of them; resolves once what they have delivered is listed. */
  async end(): Promise<void> {
    for (const { cancelling } of this.#underWay.values()) cancelling.abort();
    await Promise.allSettled(Array.from(this.#underWay.values(), ({ ended }) => ended));
  }

  async #deliver(
    { batchId, folder, template, ...wish }: EngineInput<'batch.deliver'>,
    signal: AbortSignal,
  ): Promise<Reply<DeliveryView>> {
    const { store, views, server } = this.#options;
    const batch = await store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const whyNot = server === undefined ? undefined : await whyNotOwnFolder(batch.settings);
    if (whyNot !== undefined) return refuse('refused', say(whyNot));
    const place = wish.isZip ? newZipPath(folder, batch.name) : folder;
    const wanted = { ...wish, ...present({ template }), folder: place };
    const delivered = await deliverBatch({ store, views }, batchId, wanted, {
      signal,
      onProgress: this.#teller(batchId),
    });
    if (!delivered.ok) {
      // Not what a batch would do about it: there is nothing to resume.
      const { code, message } = delivered.error;
      const remedy = words.desktop.batch.deliverAgain(code !== 'INPUT_INVALID' && !wish.isZip);
      return refuse('refused', words.desktop.withRemedy({ message: asSentence(message), remedy }));
    }
    const { value: report } = delivered;
    const outcome = deliveryOutcome(report);
    // A ZIP that was cancelled is nowhere.
    const isThere = outcome !== 'cancelled' || !wish.isZip;
    return ok({ place: isThere ? place : folder, outcome, lines: [...deliveryWords(report)] });
  }

  /** Tells how far a delivery is, not too often; at once that it has begun. */
  #teller(batchId: string): (progress: DeliveryProgress) => void {
    const { clock, tell } = this.#options;
    let toldAt = Number.NEGATIVE_INFINITY;
    tell?.('delivery.changed', { batchId, isUnderWay: true });
    return (progress) => {
      if (clock.monotonic() - toldAt < TOLD_EVERY_MS) return;
      toldAt = clock.monotonic();
      tell?.('delivery.changed', { batchId, isUnderWay: true, progress });
    };
  }
}
