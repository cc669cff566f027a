/**
 * Deletes what was put for batches that are over, if their place asks for that: only what this installation has put,
 * one object after the other, each by its name and only if its content is still the same. Rows never wait for it, and
 * none fails because of it.
 */
import { inEnglish, reason, type Reason } from '../../shared/domain/base/reason.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import { backoffMs } from '../../shared/domain/gateway/retry.ts';
import { placeKey, placeReason, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { accountNamed } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { deadlineMs, neededUntil } from '../../shared/domain/task/next-action.ts';
import { crashPoint } from '../crash-point.ts';
import type { Clock, Random } from '../ports/base.ts';
import type { TaskReader } from '../ports/task-store.ts';
import type { GivenPlaces } from './given-places.ts';
import { inTime, placeFailed, type FileStore, type PlaceProblem, type RemoveOutcome } from './put-file.ts';
import { contentKey, type PutContentRecord, type PutRecord } from './put-record.ts';

/** The source that says which batches are over. */
export type BatchesOfPlaces = Pick<TaskReader, 'batch' | 'batches' | 'tasksByStatus' | 'watchedTasks'>;

export interface PutDeleterOptions {
  readonly record: PutRecord;
  readonly given: GivenPlaces;
  readonly batches: BatchesOfPlaces;
  readonly clock: Clock;
  readonly random: Random;
  readonly ending: AbortSignal;
  readonly open: (place: FilesPlace) => Promise<Result<FileStore, Reason>>;
  /** Whether a content is being put there at this moment. */
  readonly isBeingPut: (key: string) => boolean;
  readonly onBug: (error: unknown) => void;
}

/** How many are withheld from rows at once; rows that need them meanwhile put them again. */
const AT_ONCE = 8;
/** After this many tries, the user is told; the next end of a batch, or the next start, tries again. */
const MOST_TRIES = 4;
/** How long a failed deletion then rests. */
const REST_MS = 3_600_000;
/** After this many failures in a row, the place is at fault rather than a single file. */
const IN_A_ROW = 3;
const OPEN = ['queued', 'submitting', 'submit-unknown', 'rendering', 'downloading'] as const;

/** Deletes in the background, one pass at a time. */
export class PutDeleter {
  readonly #options: PutDeleterOptions;
  /** Contents that are being deleted, until that has ended, successfully or not. */
  readonly #going = new Map<string, Promise<void>>();
  /** Deletions that failed: how often, and until when nothing is tried. */
  readonly #troubles = new Map<string, { readonly tries: number; readonly until: number }>();
  #working: Promise<void> | undefined;
  #isWanted = false;
  /** When the first content that is still needed may no longer be needed. */
  #next = Number.POSITIVE_INFINITY;
  #endPause = (): void => undefined;
  #stopTimer = (): void => undefined;

  constructor(options: PutDeleterOptions) {
    this.#options = options;
  }

  /** Resolves when a content is no longer being deleted; undefined if it is not being deleted. */
  going(key: string): Promise<void> | undefined {
    return this.#going.get(key);
  }

  /** A batch may be over: looks soon, and again later for what has failed. */
  look(): void {
    const { ending, onBug } = this.#options;
    if (ending.aborted) return;
    this.#isWanted = true;
    this.#endPause();
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        if (!ending.aborted) onBug(error);
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** The user has named a place again: failed deletions are tried again at the next look. */
  forgive(): void {
    this.#troubles.clear();
  }

  /** Resolves when nothing is deleted and nothing is about to be tried again. */
  async idle(): Promise<void> {
    await this.#working;
  }

  close(): Promise<void> {
    this.#stopTimer();
    this.#endPause();
    return this.idle();
  }

  async #work(): Promise<void> {
    const { ending } = this.#options;
    for (let waitMs: number | undefined; this.#isWanted || waitMs !== undefined;) {
      if (!this.#isWanted && waitMs !== undefined) await this.#pause(waitMs);
      if (ending.aborted) return;
      this.#isWanted = false;
      waitMs = await this.#pass();
    }
  }

  #pause(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.setTimer(waitMs, resolve);
      this.#endPause = () => {
        stop();
        resolve();
      };
    });
  }

  /** Deletes what may go now. Returns how long to wait before trying again what has failed. */
  async #pass(): Promise<number | undefined> {
    const { record, given, clock, isBeingPut } = this.#options;
    const contents = await record.contents();
    if (!contents.some(({ by, state }) => by !== undefined && state !== 'deleted')) return undefined;
    this.#next = Number.POSITIVE_INFINITY;
    const mark = await given.mark();
    const own = contents.filter(
      (one) => one.by === mark && (one.state === undefined || one.state === 'deleting' || one.state === 'left'),
    );
    const refusals = new Refusals();
    const begun = clock.now();
    const isDue = (one: PutContentRecord): boolean =>
      (this.#troubles.get(contentKey(one))?.until ?? 0) <= begun && !isBeingPut(contentKey(one));
    const unneeded = [...(await this.#unneeded(own.filter(isDue))).keys()];
    for (let done = 0; done < unneeded.length; done += AT_ONCE) {
      const going = unneeded.slice(done, done + AT_ONCE).filter((one) => !isBeingPut(contentKey(one)));
      let release = (): void => undefined;
      const gone = new Promise<void>((resolve) => (release = resolve));
      for (const one of going) this.#going.set(contentKey(one), gone);
      try {
        // Look again, now that nobody is given their addresses any more: a row may have been tried again.
        for (const [one, place] of await this.#unneeded(going)) {
          const last = await record.last(one.place, one.sha256);
          if (last === one) await this.#delete(one, place, refusals);
        }
      } finally {
        for (const one of going) this.#going.delete(contentKey(one));
        release();
      }
    }
    this.#lookAt(this.#next);
    const waits = own.flatMap((one) => {
      const trouble = this.#troubles.get(contentKey(one));
      // What was due but was not tried is needed again: the end of a batch says when it no longer is.
      const isOver = trouble === undefined || trouble.tries >= MOST_TRIES || trouble.until <= begun;
      return isOver ? [] : [trouble.until - clock.now()];
    });
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
  }

  /**
   * The contents that no batch needs any more and that every batch that used them wants deleted, each with its place.
   */
  async #unneeded(contents: readonly PutContentRecord[]): Promise<ReadonlyMap<PutContentRecord, FilesPlace>> {
    const { record, given, batches: store, clock } = this.#options;
    const found = new Map<PutContentRecord, FilesPlace>();
    if (contents.length === 0) return found;
    const batches = new Map((await store.batches()).map((batch) => [batch.id, batch]));
    const until = new Map<string, number>();
    for (const content of contents) {
      const isHere = ({ settings: { filesPlace: own } }: BatchRecord): boolean =>
        own !== undefined && placeKey(own) === content.place;
      const noted = [...(await record.usersOf(content))];
      // Rows of a running batch may yet name it; and what was put for a row that was never sent may belong to any of
      // them.
      const others = [...batches.values()].filter(
        (one) => isHere(one) && (noted.length === 0 || one.state === 'running'),
      );
      const users = new Set([...noted, ...others.map(({ id }) => id)]);
      let place: FilesPlace | undefined;
      let neededTo = 0;
      for (const id of users) {
        const batch = batches.get(id) ?? (await store.batch(id));
        // It sends nothing any more; the other batches decide whether its files are deleted.
        if (batch?.settings.shelf?.is === 'removed') continue;
        const own = batch?.settings.filesPlace;
        if (batch === undefined || own?.deleteAfterBatch !== true || !isHere(batch) || !(await given.has(own))) {
          // The batch keeps its files, or nothing is known about it.
          neededTo = Number.POSITIVE_INFINITY;
          break;
        }
        const to = until.get(id) ?? (await neededUntilBy(store, batch));
        until.set(id, to);
        neededTo = Math.max(neededTo, to);
        place = own;
      }
      if (neededTo > clock.now()) this.#next = Math.min(this.#next, neededTo);
      else if (place !== undefined) found.set(content, place);
    }
    return found;
  }

  /** No event marks the end of a gateway's time, so a timer does. */
  #lookAt(at: number): void {
    this.#stopTimer();
    if (!Number.isFinite(at)) return;
    const { clock } = this.#options;
    this.#stopTimer = clock.setTimer(Math.min(at - clock.now() + 1, REST_MS), () => this.look());
  }

  async #delete(one: PutContentRecord, place: FilesPlace, refusals: Refusals): Promise<void> {
    const { record, clock, random } = this.#options;
    const { why: _, said: __, ...content } = one;
    const key = contentKey(one);
    const refused = refusals.of(one.place);
    const outcome = refused?.problem ?? (await this.#remove(content, place));
    if (outcome.kind !== 'failed') {
      await record.add({ ...content, state: outcome.kind === 'gone' ? 'deleted' : 'changed', at: clock.now() });
      this.#troubles.delete(key);
      refusals.end(one.place);
      return;
    }
    const said = reason('place.notDeleted', placeReason(place), outcome.said);
    const why = inEnglish(said);
    const tries = ((this.#troubles.get(key)?.tries ?? 0) % MOST_TRIES) + 1;
    const waitMs = tries < MOST_TRIES ? backoffMs(tries, random.next()) : REST_MS;
    // Contents that one refusal keeps there are tried again together.
    const until = refused?.until ?? clock.now() + waitMs;
    this.#troubles.set(key, { tries, until });
    if (refused === undefined) refusals.note(one.place, outcome, until);
    const last = await record.last(one.place, one.sha256);
    if (last?.state !== 'left' || last.why !== why) await record.add({ ...content, state: 'left', why, said });
  }

  async #remove(content: PutContentRecord, place: FilesPlace): Promise<RemoveOutcome> {
    const { record, open, clock } = this.#options;
    const opened = await open(place);
    if (!opened.ok) return { ...placeFailed(opened.error, false), ofPlace: true };
    try {
      await record.add({ ...content, state: 'deleting', at: clock.now() });
      crashPoint('file.deleting');
      const remove = (signal: AbortSignal): Promise<RemoveOutcome> => opened.value.remove(content, signal);
      // A command has its own time.
      const outcome = await (place.command === undefined
        ? inTime((minutes) => reason('place.slowDelete', minutes), content.bytes, this.#options, remove)
        : remove(this.#options.ending));
      crashPoint('file.deleted');
      return outcome;
    } finally {
      await opened.value.close();
    }
  }
}

interface Refusal {
  readonly problem: PlaceProblem;
  readonly until: number;
  readonly times: number;
}

/**
 * What places have refused in one pass, so that a place that deletes nothing is not asked for each of a thousand files.
 */
class Refusals {
  readonly #refusals = new Map<string, Refusal>();

  of(place: string): Refusal | undefined {
    const refusal = this.#refusals.get(place);
    const isOfPlace = refusal?.problem.ofPlace === true || (refusal?.times ?? 0) >= IN_A_ROW;
    return isOfPlace ? refusal : undefined;
  }

  note(place: string, problem: PlaceProblem, until: number): void {
    this.#refusals.set(place, { problem, until, times: (this.#refusals.get(place)?.times ?? 0) + 1 });
  }

  /** The place deletes after all. */
  end(place: string): void {
    this.#refusals.delete(place);
  }
}

/** Until when a batch may need what it has sent, in milliseconds since the epoch; 0 if it is over. */
async function neededUntilBy(store: BatchesOfPlaces, { id, settings }: BatchRecord): Promise<number> {
  // A row that can still be sent would have its file put again; but what its batch has put stays until the batch is
  // over.
  for await (const _ of store.tasksByStatus(OPEN, id)) return Number.POSITIVE_INFINITY;
  let until = 0;
  const deadlineOf = (account: string | undefined): number => deadlineMs(accountNamed(settings, account).profile);
  for (const task of await store.watchedTasks(id)) until = Math.max(until, neededUntil(task, deadlineOf(task.account)));
  for await (const task of store.tasksByStatus(['cancelled'], id))
    until = Math.max(until, neededUntil(task, deadlineOf(task.account)));
  return until;
}
