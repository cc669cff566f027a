/** What the user says about files: accepted, rejected, picked. */
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import type { FileReview, VerdictChange } from '../../shared/domain/review/verdict.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { Scheduler } from '../night/scheduler.ts';
import type { Entry } from '../night/task-journal.ts';
import type { Clock } from '../ports/base.ts';
import type { TaskReader } from '../ports/task-store.ts';
import {
  fileReviewEntries,
  reviewEntries,
  reviewRefusal,
  type ReviewedFiles,
  type ReviewRefusal,
} from '../review/file-review.ts';
import type { FileTidier } from '../review/tidy-files.ts';
import type { BatchStarts } from './batch-starts.ts';

/** How often to try to record what the user says about files whose tasks keep changing. */
const REVIEW_TRIES = 5;

interface ReviewParts {
  readonly store: TaskReader;
  readonly views: BatchViews;
  readonly scheduler: Pick<Scheduler, 'decide' | 'pausesOf' | 'untilDone'>;
  readonly files: FileTidier;
  readonly clock: Clock;
  readonly keys: { readonly finder: KeyFinder };
  readonly starts: BatchStarts;
}

/**
 * Records what the user says about files, in the order in which the user says it. A known key in a note is blotted out:
 * the documents of the media folder show it.
 */
export class FileReviews {
  readonly #parts: ReviewParts;
  readonly #turns = new WorkSlots(1);

  constructor(parts: ReviewParts) {
    this.#parts = parts;
  }

  /**
   * Records what the user says about files of a row; returns their paths in the media folder. It sends nothing: rows
   * that were waiting for a pick are rendered once their batch runs.
   */
  async review(
    batchId: string,
    files: ReviewedFiles,
    change: VerdictChange,
  ): Promise<Result<readonly string[], ReviewRefusal>> {
    const recorded = await this.#recordReview(async () => {
      const entries = await reviewEntries(this.#parts.store, batchId, files, this.#withoutKeys(change));
      return entries.ok ? ok({ entries: entries.value }) : entries;
    });
    if (!recorded.ok) return recorded;
    await this.#parts.files.tidy(batchId);
    const paths = recorded.value.entries.map(async ({ outputId, path: before }) => {
      return (await this.#parts.views.outputFile(outputId))?.path ?? before;
    });
    return ok(await Promise.all(paths));
  }

  #withoutKeys<Said extends { readonly note?: string | null | undefined }>(said: Said): Said {
    return typeof said.note === 'string' ? { ...said, note: this.#parts.keys.finder.hide(said.note) } : said;
  }

  /** One at a time: each reads the picks before it, to know which is the last. */
  #recordReview<Said extends { readonly entries: readonly Entry[] }>(
    read: () => Promise<Result<Said, ReviewRefusal>>,
  ): Promise<Result<Said, ReviewRefusal>> {
    return this.#turns.take(() => this.#recordInTurn(read));
  }

  /**
   * A worker or a gate may have written to a task at the same moment, so this tries again: it changes nothing twice.
   */
  async #recordInTurn<Said extends { readonly entries: readonly Entry[] }>(
    read: () => Promise<Result<Said, ReviewRefusal>>,
  ): Promise<Result<Said, ReviewRefusal>> {
    for (let tries = 1; tries <= REVIEW_TRIES; tries += 1) {
      const said = await read();
      if (!said.ok) return said;
      const { entries } = said.value;
      if ((await this.#parts.scheduler.decide(entries)) === entries.length) return said;
    }
    return err(reviewRefusal(reason('review.changing'), 'sayAgain'));
  }

  /**
   * Records what the user says about one file, by its id. A pick lets a running or finished batch go on with the rows
   * that waited for it; a batch that is paused or was never started stays so.
   */
  reviewFile(outputId: string, review: FileReview): Promise<Result<undefined, ReviewRefusal>> {
    // What is said as the window closes is still recorded, and its file moved, before the night ends.
    return this.#parts.scheduler.untilDone(this.#reviewFile(outputId, review));
  }

  async #reviewFile(outputId: string, review: FileReview): Promise<Result<undefined, ReviewRefusal>> {
    let pauses = 0;
    let isWaited = false;
    const recorded = await this.#recordReview(async () => {
      const found = await fileReviewEntries(
        this.#parts.store,
        outputId,
        this.#withoutKeys(review),
        this.#parts.clock.now(),
      );
      if (!found.ok) return found;
      const { batchId, pickedFor } = found.value;
      pauses = this.#parts.scheduler.pausesOf(batchId);
      isWaited ||= pickedFor !== undefined && (await this.awaitsPick(batchId, pickedFor));
      if (isWaited) await this.#parts.starts.attach(batchId);
      return found;
    });
    if (!recorded.ok) return recorded;
    const { batchId, pickedFor } = recorded.value;
    void this.#parts.scheduler.untilDone(this.#parts.files.tidySoon(batchId, outputId));
    // A running batch goes on by itself, with the fuse it has. If a start fails, the next pick makes up for it.
    const goesOn = pickedFor !== undefined && (await this.#hasEndedWithWork(batchId, isWaited));
    if (goesOn) await this.#parts.starts.start(batchId, pauses, { unlessHeld: true });
    return ok(undefined);
  }

  /** Whether rows of a batch that runs or is finished wait for the user's pick of this row. */
  async awaitsPick(batchId: string, rowId: string): Promise<boolean> {
    const state = (await this.#parts.store.batch(batchId))?.state;
    if (state !== 'running' && state !== 'finished') return false;
    const waiting = await this.#parts.store.tasks(await this.#parts.store.taskIdsBlockedBy(batchId, rowId));
    return waiting.some(({ status, awaitsPick }) => status === 'queued' && awaitsPick === true);
  }

  /** @param isWaited Rows of the batch have just stopped waiting. */
  async #hasEndedWithWork(batchId: string, isWaited: boolean): Promise<boolean> {
    if ((await this.#parts.store.batch(batchId))?.state !== 'finished') return false;
    if (isWaited) return true;
    const left = await this.#parts.store.workLeft([batchId], this.#parts.clock.now());
    return left.get(batchId)?.firstDueAt !== undefined;
  }
}
