/** The deliveries that the window asks for: one of each batch at a time. */
import { deliverBatch, whyNotOwnFolder, type StoreView, type WorkWatch } from '../../engine/index.ts';
import { ok, present } from '../../shared/domain/base/result.ts';
import { say } from '../../shared/domain/base/reason.ts';
import { asSentence } from '../../shared/domain/base/text.ts';
import { deliveryOutcome, deliveryWords, progressText } from '../../shared/domain/delivery/delivery-report.ts';
import { nameColumnsOf } from '../../shared/domain/files/check-name-template.ts';
import type { FileFilter } from '../../shared/domain/task/batch-view.ts';
import type { DeliveryView } from '../../shared/ipc/batches.ts';
import { OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { newZipPath } from '../services/new-batch-folder.ts';
import { noSuchBatch } from './batch-reader.ts';
import type { EngineHandlers, EngineInput } from './engine-protocol.ts';
import { words } from '../../shared/words/words.ts';

export interface DeliveriesOptions extends Pick<StoreView, 'store' | 'views'> {
  /** Where the store is, if that is a server. */
  readonly server?: string;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #underWay = new Set<string>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  readonly handlers = {
    'batch.deliver': async (input, watch) => {
      const { batchId } = input;
      if (this.#underWay.has(batchId)) return refuse('refused', words.desktop.batch.isDelivered);
      this.#underWay.add(batchId);
      try {
        return await this.#deliver(input, watch);
      } finally {
        this.#underWay.delete(batchId);
      }
    },
    'batch.deliveryColumns': async ({ batchId }) => {
      const batch = await this.#options.store.batch(batchId);
      if (batch === undefined) return noSuchBatch();
      const found = async (filter: FileFilter): Promise<number> =>
        // Each file is named by its task and its place there.
        (await this.#options.views.filesFound(batchId, filter)).length / 2;
      const [kept, all] = [await found({ verdict: 'kept' }), await found({ version: 'now' })];
      return ok({ columns: [...nameColumnsOf(batch)], hasClips: await this.#hasClips(batchId), kept, all });
    },
  } satisfies Partial<EngineHandlers>;

  async #hasClips(batchId: string): Promise<boolean> {
    for (const { path, output } of OPERATIONS) {
      if (output !== 'music' && output !== 'video') continue;
      const { length } = await this.#options.views.filesFound(batchId, { operation: path });
      if (length > 0) return true;
    }
    return false;
  }

  async #deliver(
    { batchId, folder, template, ...wish }: EngineInput<'batch.deliver'>,
    { signal, onProgress }: WorkWatch = {},
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
      onProgress: (progress) => onProgress?.(progress.bytes, progress.ofBytes, progressText(progress)),
    });
    if (!delivered.ok) {
      // Not the remedy that a batch has: there is nothing to resume.
      const { code, message } = delivered.error;
      const remedy = words.desktop.batch.deliverAgain(code !== 'INPUT_INVALID' && !wish.isZip);
      return refuse('refused', words.desktop.withRemedy({ message: asSentence(message), remedy }));
    }
    const { value: report } = delivered;
    const outcome = deliveryOutcome(report);
    // A cancelled ZIP does not exist.
    const isThere = outcome !== 'cancelled' || !wish.isZip;
    return ok({ place: isThere ? place : folder, outcome, lines: [...deliveryWords(report, 'window')] });
  }
}
