/** Keeps manifest, results sheet and gallery of media folders up to date: when a batch rests, and at the end. */
import { systemSays } from '../../shared/domain/base/reason.ts';
import type { Engine } from '../../engine/index.ts';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';

export interface FolderDocumentsOptions {
  /** Writes the documents of a batch; returns what prevented that, if anything. */
  readonly write: (batchId: string) => Promise<Failure | undefined>;
  readonly onProblem: (batchId: string, problem: Failure) => Promise<void> | void;
}

/** Writes a batch's documents one at a time, and again if something has changed in the meantime. */
export class FolderDocuments {
  readonly #options: FolderDocumentsOptions;
  readonly #outdated = new Set<string>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: FolderDocumentsOptions) {
    this.#options = options;
  }

  /** Keeps them in step with what an engine does from now on. */
  follow(engine: Pick<Engine, 'onChange'>): void {
    engine.onChange((change) => {
      if (change.kind === 'batch') {
        const { id, state } = change.batch;
        if (state === 'finished' || state === 'paused') void this.refresh(id);
      } else if (change.kind === 'sheet') {
        // Rows may have other names now.
        this.outdate(change.batchId);
      } else if (change.kind === 'removed') {
        this.forget([change.batchId]);
      } else {
        const { batchId, status } = change.task;
        this.outdate(batchId);
        // A file that arrives after the end of its night.
        const isLate = status === 'done' && change.isAfterEnd;
        if (change.isAlmostDone || isLate) void this.refresh(batchId);
      }
    });
  }

  /** The batches whose documents are out of date. */
  get outdated(): readonly string[] {
    return [...this.#outdated];
  }

  /** Notes that a batch's documents are out of date. */
  outdate(batchId: string): void {
    this.#outdated.add(batchId);
  }

  /** Leaves the documents of batches that are gone as they are. */
  forget(batchIds: readonly string[]): void {
    for (const id of batchIds) this.#outdated.delete(id);
  }

  /** Brings the documents of a batch up to date. */
  async refresh(batchId: string): Promise<void> {
    const running = this.#writing.get(batchId);
    if (running !== undefined) return running;
    const writing = this.#write(batchId).finally(() => this.#writing.delete(batchId));
    this.#writing.set(batchId, writing);
    return writing;
  }

  /** Brings everything up to date, reporting what is left after each batch; returns the batches that failed. */
  async refreshAll(
    onLeft: (batchIds: readonly string[]) => Promise<void> | void = () => undefined,
  ): Promise<readonly string[]> {
    const left = new Set([...this.#outdated, ...this.#writing.keys()]);
    await Promise.all([
      onLeft([...left]),
      ...[...left].map(async (batchId) => {
        await this.refresh(batchId);
        if (!this.#outdated.has(batchId)) left.delete(batchId);
        await onLeft([...left]);
      }),
    ]);
    return [...left];
  }

  async #write(batchId: string): Promise<void> {
    while (this.#outdated.delete(batchId)) {
      const problem = await this.#tryWriting(batchId);
      if (problem === undefined) continue;
      // They are still out of date: they are written at the next chance, at the end at the latest.
      this.#outdated.add(batchId);
      await this.#tell(batchId, problem);
      return;
    }
  }

  async #tell(batchId: string, problem: Failure): Promise<void> {
    try {
      await this.#options.onProblem(batchId, problem);
    } catch {
      // The documents stay out of date, and are written at the next chance.
    }
  }

  /** Nobody waits for these writes: an exception that is passed on would end the whole engine. */
  async #tryWriting(batchId: string): Promise<Failure | undefined> {
    try {
      return await this.#options.write(batchId);
    } catch (error) {
      return failure('INTERNAL', systemSays(error));
    }
  }
}
