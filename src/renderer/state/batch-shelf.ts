/** What the user does with a batch as a whole: its name, its tags, its turn, and whether it is put away. */
import { createStore } from 'zustand/vanilla';
import { statusTotals } from './batch/batch-progress.ts';
import { isInUse, type Batches } from './batches-store.ts';
import type { Notices } from './notices-store.ts';
import { whyNotArchived, whyNotDeleted, type QueueMove } from '../../shared/domain/task/batch-standing.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { hasTag } from '../../shared/domain/base/tags.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import type { IpcClient } from '../ipc-client.ts';

interface ShelfPorts {
  /** Asks the application, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  readonly notices: Notices;
  readonly batches: Batches;
  /** Called when the batch is no longer there for a user who is looking at it. */
  readonly onAway: (batchId: string) => void;
}

/** The question that is open, about a batch. */
export interface ShelfQuestion {
  readonly about: 'name' | 'tags' | 'deletion';
  readonly batchId: string;
}

/** Why a batch cannot be archived, or deleted, as far as the window knows; undefined if it can. */
export function whyNotShelved(batch: BatchView, to: 'archived' | 'deleted'): string | undefined {
  return to === 'archived' ? whyNotArchived(batch) : whyNotDeleted({ ...batch, takes: statusTotals(batch.counts) });
}

interface ShelfState {
  readonly question: ShelfQuestion | undefined;
  /** The side bar lists the batches with this tag; all of them, if none has it. */
  readonly tag: string | undefined;
}

/**
 * The tag by which the side bar lists batches; undefined if it lists all, for example because no batch in use has that
 * tag any more.
 */
export function listedTag(batches: readonly BatchView[], tag: string | undefined): string | undefined {
  return tag === undefined || !batches.some((batch) => isInUse(batch) && hasTag(batch, tag)) ? undefined : tag;
}

/** The batches that the side bar lists: those with the tag, and the one on screen. */
export function listedBatches(
  batches: readonly BatchView[],
  tag: string | undefined,
  current: string | undefined,
): readonly BatchView[] {
  const listed = listedTag(batches, tag);
  return listed === undefined ? batches : batches.filter((batch) => batch.id === current || hasTag(batch, listed));
}

export class BatchShelf {
  readonly store = createStore<ShelfState>(() => ({ question: undefined, tag: undefined }));
  readonly #ports: ShelfPorts;

  constructor(ports: ShelfPorts) {
    this.#ports = ports;
  }

  ask(question: ShelfQuestion | undefined): void {
    this.store.setState({ question });
  }

  /** Gives a batch another name. False if it could not be given. */
  async rename(batchId: string, name: string): Promise<boolean> {
    const reply = await this.#ports.ask('batch.configure', { batchId, name });
    if (reply.ok) this.#ports.batches.put(reply.value);
    return reply.ok;
  }

  /** Lists the batches with a tag in the side bar, or all. */
  list(tag: string | undefined): void {
    this.store.setState({ tag });
  }

  /** Gives a batch these tags. False if they could not be given. */
  async tag(batchId: string, tags: readonly string[]): Promise<boolean> {
    const reply = await this.#ports.ask('batch.tag', { batchId, tags: [...tags] });
    if (reply.ok) this.#ports.batches.put(reply.value);
    return reply.ok;
  }

  /** Moves a batch among those that run. */
  async moveInQueue(batchId: string, to: QueueMove): Promise<void> {
    const reply = await this.#ports.ask('batch.order', { batchId, to });
    if (reply.ok) this.#ports.batches.put(reply.value);
  }

  /**
   * Archives or deletes a batch, and offers to bring it back for a while; its entry in the side bar does so for longer.
   */
  async putAway(batchId: string, to: 'archived' | 'deleted'): Promise<void> {
    const { batches, notices, onAway } = this.#ports;
    const before = batches.find(batchId)?.shelf?.is;
    const reply = await this.#ports.ask('batch.shelve', { batchId, to });
    if (!reply.ok) return;
    batches.put(reply.value);
    if (to === 'deleted') onAway(batchId);
    const { shelved } = words.notices;
    notices.show({
      level: 'info',
      title: shelved[to](shownLine(reply.value.name)),
      message: to === 'deleted' ? shelved.bringBack : '',
      batchId,
      action: {
        words: words.common.undo,
        run: () => void this.#undo(batchId, to, before),
        done: words.common.undone,
      },
    });
  }

  async bringBack(batchId: string): Promise<void> {
    const reply = await this.#ports.ask('batch.shelve', { batchId, to: 'back' });
    if (reply.ok) this.#ports.batches.put(reply.value);
  }

  /** Puts it back where it was: a batch that was archived when it was deleted is archived again. */
  async #undo(batchId: string, to: 'archived' | 'deleted', before: typeof to | undefined): Promise<void> {
    // Offered as long as the notice is listed: by now the user may have moved the batch elsewhere.
    if (this.#ports.batches.find(batchId)?.shelf?.is !== to) return;
    await this.bringBack(batchId);
    if (before !== 'archived') return;
    const reply = await this.#ports.ask('batch.shelve', { batchId, to: 'archived' });
    if (reply.ok) this.#ports.batches.put(reply.value);
  }
}
