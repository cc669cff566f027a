/** What the user says of files: accepted, rejected, picked. */
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { Turns } from '../../shared/domain/base/turns.ts';
import type { FileReview, VerdictChange } from '../../shared/domain/review/verdict.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { Scheduler } from '../night/scheduler.ts';
import type { Entry } from '../night/task-journal.ts';
import type { Clock, TaskReader } from '../ports.ts';
import {
  fileReviewEntries,
  reviewEntries,
  reviewRefusal,
  type ReviewedFiles,
  type ReviewRefusal,
} from '../review/file-review.ts';
import type { FileTidier } from '../review/tidy-files.ts';

/** How often what the user says of files is recorded anew where their tasks have just changed. */
const REVIEW_TRIES = 5;

interface ReviewParts {
  readonly store: TaskReader;
  readonly views: BatchViews;
  readonly scheduler: Pick<Scheduler, 'decide' | 'pausesOf' | 'untilDone'>;
  readonly files: FileTidier;
  readonly clock: Clock;
  /** See `Engine.attach`. */
  readonly attach: (batchId: string) => Promise<void>;
  /** Starts a batch unless it is held by anything. */
  readonly start: (batchId: string, pauses: number) => Promise<void>;
}

/** Records what the user says of files, in the order in which it is said. */
export class FileReviews {
  readonly #parts: ReviewParts;
  readonly #turns = new Turns(1);

  constructor(parts: ReviewParts) {
    this.#parts = parts;
  }

  /**
   * Records what the user says of files of a row; returns their paths in the media folder. It sends nothing: rows that were
   * waiting for a pick are rendered once their batch runs.
   */
  async review(
    batchId: string,
    files: ReviewedFiles,
    change: VerdictChange,
  ): Promise<Result<readonly string[], ReviewRefusal>> {
    const recorded = await this.#recordReview(async () => {
      const entries = await reviewEntries(this.#parts.store, batchId, files, change);
      return entries.ok ? ok({ entries: entries.value }) : entries;
    });
    if (!recorded.ok) return recorded;
    await this.#parts.files.tidy(batchId);
    const paths = recorded.value.entries.map(async ({ outputId, path: before }) => {
      return (await this.#parts.views.outputFile(outputId))?.path ?? before;
    });
    return ok(await Promise.all(paths));
  }

  /** One after the other: which pick is the last, each reads of those before it. */
  #recordReview<Said extends { readonly entries: readonly Entry[] }>(
    read: () => Promise<Result<Said, ReviewRefusal>>,
  ): Promise<Result<Said, ReviewRefusal>> {
    return this.#turns.take(() => this.#recordInTurn(read));
  }

  /** A worker, or a gate, may have written to a task at the same moment: said again, it changes nothing more. */
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
   * Records what the user says of one file, by its identity. A pick lets a batch that runs or is finished go on with the rows
   * that waited for it; one that is paused, or was never started, stays so.
   */
  reviewFile(outputId: string, review: FileReview): Promise<Result<undefined, ReviewRefusal>> {
    // Said as the window closes, it is recorded, and its file moved, before the night's end.
    return this.#parts.scheduler.untilDone(this.#reviewFile(outputId, review));
  }

  async #reviewFile(outputId: string, review: FileReview): Promise<Result<undefined, ReviewRefusal>> {
    let pauses = 0;
    let isWaited = false;
    const recorded = await this.#recordReview(async () => {
      const found = await fileReviewEntries(this.#parts.store, outputId, review, this.#parts.clock.now());
      if (!found.ok) return found;
      const { batchId, pickedFor } = found.value;
      pauses = this.#parts.scheduler.pausesOf(batchId);
      isWaited ||= pickedFor !== undefined && (await this.awaitsPick(batchId, pickedFor));
      if (isWaited) await this.#parts.attach(batchId);
      return found;
    });
    if (!recorded.ok) return recorded;
    const { batchId, pickedFor } = recorded.value;
    void this.#parts.scheduler.untilDone(this.#parts.files.tidySoon(batchId, outputId));
    // One that runs goes on by itself, under the fuse that it has. A start that failed is made up for by the next pick.
    const goesOn = pickedFor !== undefined && (await this.#hasEndedWithWork(batchId, isWaited));
    if (goesOn) await this.#parts.start(batchId, pauses);
    return ok(undefined);
  }

  /** Whether rows of a batch that runs or is finished wait for the user's pick of this row. */
  async awaitsPick(batchId: string, rowId: string): Promise<boolean> {
    const state = (await this.#parts.store.batch(batchId))?.state;
    if (state !== 'running' && state !== 'finished') return false;
    const waiting = await this.#parts.store.tasks(await this.#parts.store.taskIdsBlockedBy(batchId, rowId));
    return waiting.some(({ status, awaitsPick }) => status === 'queued' && awaitsPick === true);
  }

  /** @param isWaited Rows of it have just ceased to wait. */
  async #hasEndedWithWork(batchId: string, isWaited: boolean): Promise<boolean> {
    if ((await this.#parts.store.batch(batchId))?.state !== 'finished') return false;
    if (isWaited) return true;
    const left = await this.#parts.store.workLeft([batchId], this.#parts.clock.now());
    return left.get(batchId)?.firstDueAt !== undefined;
  }
}
