/** Keeps manifest, results sheet and gallery of the media folders up to date: when a batch comes to rest, and at the end. */
import type { Failure } from '../shared/domain/failure.ts';

export interface FolderDocumentsOptions {
  /** Writes the documents of a batch; gives what kept it from that. */
  readonly write: (batchId: string) => Promise<Failure | undefined>;
  readonly onProblem: (batchId: string, problem: Failure) => void;
}

/** Writes a batch's documents one at a time, and again when something changed meanwhile. */
export class FolderDocuments {
  readonly #options: FolderDocumentsOptions;
  readonly #outdated = new Set<string>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: FolderDocumentsOptions) {
    this.#options = options;
  }

  /** Notes that a batch's documents say something else than the store. */
  outdate(batchId: string): void {
    this.#outdated.add(batchId);
  }

  /** Brings the documents of a batch up to date. */
  async refresh(batchId: string): Promise<void> {
    const running = this.#writing.get(batchId);
    if (running !== undefined) return running;
    const writing = this.#write(batchId).finally(() => this.#writing.delete(batchId));
    this.#writing.set(batchId, writing);
    return writing;
  }

  /** Brings everything up to date. */
  async refreshAll(): Promise<void> {
    await Promise.all([...this.#outdated].map((batchId) => this.refresh(batchId)));
    await Promise.all(this.#writing.values());
  }

  async #write(batchId: string): Promise<void> {
    while (this.#outdated.delete(batchId)) {
      const problem = await this.#options.write(batchId);
      if (problem === undefined) continue;
      this.#options.onProblem(batchId, problem);
      return;
    }
  }
}
