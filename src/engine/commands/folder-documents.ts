/**
 * Keeps manifest, results sheet and gallery of media folders up to date: when a batch comes to rest, soon after anything
 * that ends later, and at the end; and at the next start, whatever a kill has prevented.
 */
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { systemSays } from '../../shared/domain/base/reason.ts';
import { groupBy } from '../../shared/domain/base/result.ts';
import { TERMINAL_STATUSES } from '../../shared/domain/task/task.ts';
import type { EngineChange } from '../change-feed.ts';
import type { Clock } from '../ports/base.ts';
import type { DocumentCounts, DocumentMarks, TaskReader } from '../ports/task-store.ts';
import { systemClock } from '../system-clock.ts';

/** What ends within this time is written together. */
const SOON_MS = 5_000;

/** When documents that could not be written are tried again: a disk may be back, or have room, and nothing else happens. */
const AGAIN_MS = 60_000;
const MOST_AGAIN_MS = 15 * 60_000;

/** What is followed: an engine. */
interface Followed {
  readonly store: Pick<TaskReader, 'batch'>;
  onChange(listener: (change: EngineChange) => void): () => void;
}

export interface FolderDocumentsOptions {
  /** Writes the documents of a batch; returns what prevented that, if anything. */
  readonly write: (batchId: string) => Promise<Failure | undefined>;
  readonly onProblem: (batchId: string, problem: Failure) => Promise<void> | void;
  /** Documents about which there was a problem are up to date after all. */
  readonly onWritten?: (batchId: string) => void;
  /** Where what is out of date is marked, so that it is known after a kill. */
  readonly marks?: DocumentMarks;
  /** Who this is among several workers that share a store, and which are at work: those write what they have marked. */
  readonly by?: string;
  readonly living?: () => Promise<readonly string[]>;
}

/** Several that write at once would each make the others write again, without end. */
const MOST_WRITES = 3;

/**
 * Writes the documents of a batch again if another process has written them meanwhile: each reads the rows before it
 * writes, and the one that read first may be the one that writes last. Returns what prevented it, if anything did.
 */
export async function writeLast(
  counts: DocumentCounts,
  batchId: string,
  write: () => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  for (let writes = 0; writes < MOST_WRITES; writes += 1) {
    const before = await counts.countDocuments(batchId, 0);
    const problem = await write();
    if (problem !== undefined) return problem;
    if ((await counts.countDocuments(batchId, 1)) === before + 1) break;
  }
  return undefined;
}

/** Writes a batch's documents one at a time, and again if something has changed in the meantime. */
export class FolderDocuments {
  readonly #options: FolderDocumentsOptions;
  readonly #outdated = new Set<string>();
  readonly #writing = new Map<string, Promise<void>>();
  /** The batches that are marked in the store, or are being marked. */
  readonly #marked = new Set<string>();
  /** Marks of workers that are gone: they go once the documents are written. */
  readonly #others = new Map<string, readonly (string | undefined)[]>();
  /** Those whose documents an earlier process has left out of date, while they are written. */
  readonly #quiet = new Set<string>();
  /** What was last told of those whose documents could not be written. */
  readonly #told = new Map<string, string>();
  /** How often the documents of a batch could not be written, while an engine is followed. */
  readonly #failed = new Map<string, number>();
  /** Those that are only tried again. */
  readonly #trying = new Set<string>();
  #refreshLater: ((batchId: string, waitMs: number) => void) | undefined;
  #isEnding = false;
  /** One mark after the other. */
  #marking: Promise<void> = Promise.resolve();
  /** By batch: its documents are to be written soon, or tried again. */
  readonly #soon = new Map<
    string,
    { readonly write: () => Promise<void>; readonly cancel: () => void; readonly waitMs: number }
  >();

  constructor(options: FolderDocumentsOptions) {
    this.#options = options;
  }

  /**
   * Writes, one batch after the other, what an earlier process has left out of date; a batch that runs is written when
   * it comes to rest. What cannot be written now is tried again at the next start, without a word: its disk may be away
   * for years.
   */
  async takeUp({ batch: find }: Pick<TaskReader, 'batch'>): Promise<void> {
    try {
      for (const [id, marks] of await this.#leftMarks()) {
        if (this.#isEnding) return;
        const { state, settings } = (await find(id)) ?? {};
        if (state === undefined || state === 'ready' || settings?.shelf?.is === 'deleted') continue;
        if (marks.includes(this.#options.by)) this.#marked.add(id);
        this.#others.set(id, marks);
        if (this.#outdated.has(id) || state === 'running') this.outdate(id);
        else await this.#refreshQuietly(id);
      }
    } catch {
      // The store is away or closed: the marks stay.
    }
  }

  /** Who has left the documents of which batches out of date, without those who still write them. */
  async #leftMarks(): Promise<ReadonlyMap<string, readonly (string | undefined)[]>> {
    const { marks, by: own, living } = this.#options;
    const all = (await marks?.outdatedDocuments()) ?? [];
    const atWork = new Set<string | undefined>(all.length === 0 ? [] : await living?.());
    const left = all.filter(({ by }) => by === own || !atWork.has(by));
    return groupBy(
      left,
      ({ batchId }) => batchId,
      ({ by }) => by,
    );
  }

  async #refreshQuietly(batchId: string): Promise<void> {
    this.#quiet.add(batchId);
    this.outdate(batchId);
    await this.refresh(batchId);
    this.#quiet.delete(batchId);
  }

  /** Keeps them in step with what an engine does until the returned function is called. */
  follow(engine: Followed, clock: Pick<Clock, 'setTimer'> = systemClock): () => void {
    this.#refreshLater = (batchId, waitMs) => this.#refreshSoon(batchId, engine, clock, waitMs);
    return engine.onChange((change) => {
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
        if (change.isAlmostDone) void this.refresh(batchId);
        else if (TERMINAL_STATUSES.has(status)) this.#refreshSoon(batchId, engine, clock);
      }
    });
  }

  /** What is at the gateway while a batch is paused, and files that are waited for, come while it does not run. */
  #refreshSoon(batchId: string, { store }: Followed, clock: Pick<Clock, 'setTimer'>, waitMs = SOON_MS): void {
    const pending = this.#soon.get(batchId);
    if (pending !== undefined && pending.waitMs <= waitMs) return;
    pending?.cancel();
    const write = async (): Promise<void> => {
      this.#soon.delete(batchId);
      cancel();
      if (waitMs !== SOON_MS) this.#trying.add(batchId);
      try {
        // One that runs is written when it comes to rest: each time, all of its rows are read.
        if ((await store.batch(batchId))?.state !== 'running') await this.refresh(batchId);
      } catch {
        // The store is away or closed: they stay out of date, and are written at the next chance.
      } finally {
        this.#trying.delete(batchId);
      }
    };
    const cancel = clock.setTimer(waitMs, () => void write());
    this.#soon.set(batchId, { write, cancel, waitMs });
  }

  /** The batches whose documents are out of date. */
  get outdated(): readonly string[] {
    return [...this.#outdated];
  }

  /** Notes that a batch's documents are out of date. */
  outdate(batchId: string): void {
    this.#outdated.add(batchId);
    if (this.#marked.has(batchId)) return;
    this.#marked.add(batchId);
    this.#mark(batchId, true, this.#options.by);
  }

  /** Nobody waits for a mark: without one, the documents are out of date after a kill, and nothing else happens. */
  #mark(batchId: string, isOutdated: boolean, by: string | undefined): void {
    const { marks } = this.#options;
    this.#marking = this.#marking.then(() => marks?.markDocuments(batchId, isOutdated, by)).catch(() => undefined);
  }

  /** Leaves the documents of batches that are gone as they are. */
  forget(batchIds: readonly string[]): void {
    for (const id of batchIds) {
      this.#outdated.delete(id);
      this.#marked.delete(id);
      this.#others.delete(id);
      this.#told.delete(id);
      this.#failed.delete(id);
    }
  }

  /** Brings the documents of a batch up to date. */
  async refresh(batchId: string): Promise<void> {
    const running = this.#writing.get(batchId);
    if (running !== undefined) return running;
    const writing = this.#write(batchId).finally(() => this.#writing.delete(batchId));
    this.#writing.set(batchId, writing);
    return writing;
  }

  /** Writes at once what is to be written soon, and waits for all that is being written. */
  async finish(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#soon.values()].map(async ({ write }) => write()));
    await Promise.all(this.#writing.values());
    await this.#marking;
  }

  /** Brings everything up to date, reporting what is left after each batch; returns the batches that failed. */
  async refreshAll(
    onLeft: (batchIds: readonly string[]) => Promise<void> | void = () => undefined,
  ): Promise<readonly string[]> {
    this.#isEnding = true;
    for (const { cancel } of this.#soon.values()) cancel();
    this.#soon.clear();
    const left = new Set([...this.#outdated, ...this.#writing.keys()]);
    await Promise.all([
      onLeft([...left]),
      ...[...left].map(async (batchId) => {
        await this.refresh(batchId);
        if (!this.#outdated.has(batchId)) left.delete(batchId);
        await onLeft([...left]);
      }),
    ]);
    await this.#marking;
    return [...left];
  }

  async #write(batchId: string): Promise<void> {
    if (!this.#outdated.has(batchId)) return;
    while (this.#outdated.delete(batchId)) {
      const problem = await this.#tryWriting(batchId);
      if (problem === undefined) continue;
      // No change since: it was only a try.
      if (this.#quiet.has(batchId) && !this.#outdated.has(batchId)) return;
      // They are still out of date: they are written at the next chance, at the end at the latest.
      this.#outdated.add(batchId);
      this.#tryLater(batchId);
      if (!this.#trying.has(batchId) || this.#told.get(batchId) !== problem.message) await this.#tell(batchId, problem);
      return;
    }
    this.#failed.delete(batchId);
    if (this.#told.delete(batchId)) this.#options.onWritten?.(batchId);
    if (this.#marked.delete(batchId)) this.#mark(batchId, false, this.#options.by);
    for (const by of this.#others.get(batchId) ?? []) if (by !== this.#options.by) this.#mark(batchId, false, by);
    this.#others.delete(batchId);
  }

  #tryLater(batchId: string): void {
    if (this.#isEnding) return;
    const failed = this.#failed.get(batchId) ?? 0;
    this.#failed.set(batchId, failed + 1);
    this.#refreshLater?.(batchId, Math.min(AGAIN_MS * 2 ** failed, MOST_AGAIN_MS));
  }

  async #tell(batchId: string, problem: Failure): Promise<void> {
    this.#told.set(batchId, problem.message);
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
