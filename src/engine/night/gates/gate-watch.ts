import type { JsonObject } from '../../../shared/domain/base/json.ts';
import { askGates } from '../../../shared/domain/gates/ask-gates.ts';
import {
  askedIn,
  isForGood,
  printOf,
  type MeasuredFile,
  type OtherTake,
} from '../../../shared/domain/gates/measured-file.ts';
import { timesAgain } from '../../../shared/domain/task/batch.ts';
import { kindOfMediaType } from '../../../shared/domain/files/media-type.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { isToMakeAgain, outputIdOf, type Output, type Task } from '../../../shared/domain/task/task.ts';
import type { EventOf } from '../../../shared/domain/task/task-event.ts';
import type { FileMeasurer } from '../../ports/file-looks.ts';
import type { Placement } from '../../ports/media-folder.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Night } from '../night.ts';

/** How many files are measured at once. */
const AT_ONCE = 2;
const READ_AT_ONCE = 250;
/** How long the end of a run waits for a check to begin or to end. */
export const LONGEST_WAIT_MS = 10 * 60_000;
/** Others may change the same task at the same time, but not for ever. */
const MOST_TRIES = 5;

interface FileToCheck {
  readonly batch: NightBatch;
  readonly taskId: number;
  readonly index: number;
}

/** What is known about the files of a batch. */
interface Checks {
  /** Files that wait or are being checked, by the ids of their outputs. */
  readonly left: Map<string, FileToCheck>;
  /**
   * Files that could not be looked at since the batch last began to run, and flagged takes of rows that no longer want
   * them.
   */
  readonly inVain: Set<string>;
  readonly notWanted: Set<number>;
  readonly onIdle: Set<() => void>;
  /** The last look at the batch at rest. */
  look?: { isOver: boolean } | undefined;
}

export interface GateWatchOptions {
  readonly night: Pick<Night, 'store' | 'journal' | 'clock' | 'ending' | 'batches' | 'wake'>;
  readonly measurer: FileMeasurer;
  /** Whether the take is awaited (see {@link GateWatch.isAwaited}) may have changed. */
  readonly onLooked: (task: Task) => void;
  /** A new task of its row waits for what its row refers to. */
  readonly onMadeAgain: (task: Task) => Promise<void>;
  /** An exception: the file stays unchecked until the next start. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Has the gates of each batch look at its files, after everything else: no row waits for this, and nothing that goes
 * wrong here affects a row. What was not checked by the end of the night is checked after the next start of the batch.
 *
 * If the gates of a batch say so, a take with a flagged file is rendered again. This follows from what is stored alone,
 * so whoever looks next, here, after a kill or in another process, decides the same, and the store lets only one of
 * them act on it.
 */
export class GateWatch {
  readonly #options: GateWatchOptions;
  #waiting: FileToCheck[] = [];
  readonly #checks = new Map<string, Checks>();
  #running = 0;
  /** When a check last began or ended, whichever batch it was for: all batches share the turns. */
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Files are judged one at a time: of two that are alike, the later one is flagged. */
  #judging: Promise<void> = Promise.resolve();

  constructor(options: GateWatchOptions) {
    this.#options = options;
    options.night.ending.addEventListener('abort', () => this.#drop());
  }

  #of(batchId: string): Checks {
    const known = this.#checks.get(batchId);
    if (known !== undefined) return known;
    const checks = {
      left: new Map(),
      inVain: new Set<string>(),
      notWanted: new Set<number>(),
      onIdle: new Set<() => void>(),
    };
    this.#checks.set(batchId, checks);
    return checks;
  }

  /**
   * A batch is about to run: what kept its takes from being rendered again may be gone, and nobody goes on without them
   * before that is known.
   */
  begin(batchId: string): void {
    const checks = this.#of(batchId);
    checks.inVain.clear();
    checks.notWanted.clear();
    checks.look = undefined;
  }

  /** A file of a batch is in place. */
  note(batch: NightBatch, taskId: number, index: number): void {
    const { night } = this.#options;
    const id = outputIdOf(taskId, index);
    const { left } = this.#of(batch.id);
    if (batch.record.settings.gates === undefined || night.ending.aborted || left.has(id)) return;
    const file = { batch, taskId, index };
    left.set(id, file);
    this.#waiting.push(file);
    this.#next();
  }

  /** Finds the files of a batch that are in place and were not checked, and the takes that are to be rendered again. */
  async takeUp(batch: NightBatch): Promise<void> {
    if (batch.record.settings.gates === undefined) return;
    const { store } = this.#options.night;
    const ids = await store.tasksForGates(batch.id);
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      for (const task of await store.tasks(ids.slice(at, at + READ_AT_ONCE))) {
        for (const output of task.outputs) if (toCheck(output) !== undefined) this.note(batch, task.id, output.index);
        await this.#makeAgain(batch, task);
      }
    }
  }

  /** Whether a take that is done may still be rendered again: a gate flags a file of it, or has not looked. */
  isAwaited(task: Task): boolean {
    const batch = this.#options.night.batches.all.get(task.batchId);
    const again = batch === undefined ? 0 : timesAgain(batch.record, task);
    const { inVain, notWanted } = this.#of(task.batchId);
    if (isToMakeAgain(task, again)) return !notWanted.has(task.id);
    const isUnknown = (output: Output): boolean =>
      toCheck(output) !== undefined && !inVain.has(outputIdOf(task.id, output.index));
    const { madeAgain = 0, outputs } = task;
    return madeAgain < again && outputs.every(({ verdict }) => verdict === undefined) && outputs.some(isUnknown);
  }

  /**
   * Whether the gates of a batch will have nothing rendered again: asked at each tick, because only then has a batch at
   * rest ended. Files that another process has fetched are looked at, too. This takes no longer than {@link idle}.
   */
  hasLooked(batch: NightBatch, isAtRest: boolean): boolean {
    const { night, onTrouble } = this.#options;
    const checks = this.#of(batch.id);
    if (!isAtRest || batch.record.state !== 'running' || !rendersAgain(batch)) {
      checks.look = undefined;
      return true;
    }
    if (checks.look !== undefined) {
      const { isOver } = checks.look;
      // This holds for one end only: a batch that is started again is looked at again.
      if (isOver) checks.look = undefined;
      return isOver;
    }
    const look = { isOver: false };
    checks.look = look;
    void this.takeUp(batch)
      .then(() => this.idle(batch.id))
      .then(() => this.#giveUp(checks))
      .catch(onTrouble)
      .finally(() => {
        look.isOver = true;
        night.wake();
      });
    return false;
  }

  /**
   * Resolves when every file of a batch that is known now was checked or given up, when the night ends, or when no
   * check has ended for so long that nobody waits for the others.
   */
  idle(batchId: string): Promise<void> {
    const { clock } = this.#options.night;
    const { left, inVain, onIdle } = this.#of(batchId);
    return new Promise((resolve) => {
      let cancel = (): void => undefined;
      const look = (): void => {
        cancel();
        const ms = this.#lastAt + LONGEST_WAIT_MS - clock.monotonic();
        const isWaiting = ms > 0 && [...left.keys()].some((id) => !inVain.has(id));
        if (isWaiting) {
          onIdle.add(look);
          cancel = clock.setTimer(ms, look);
          return;
        }
        onIdle.delete(look);
        resolve();
      };
      look();
    });
  }

  /**
   * What is left of the files of a batch is not waited for: the batch ends, and what refers to its rows goes on,
   * without them.
   */
  async #giveUp({ left, inVain }: Checks): Promise<void> {
    const { night, onLooked } = this.#options;
    const given = [...left].filter(([id]) => !inVain.has(id));
    if (given.length === 0 || night.ending.aborted) return;
    for (const [id] of given) inVain.add(id);
    for (const task of await night.store.tasks(given.map(([, { taskId }]) => taskId))) onLooked(task);
  }

  #drop(): void {
    for (const file of this.#waiting.splice(0)) this.#done(file);
  }

  #next(): void {
    while (this.#running < AT_ONCE) {
      const file = this.#waiting.shift();
      if (file === undefined) return;
      this.#running += 1;
      this.#lastAt = this.#options.night.clock.monotonic();
      void this.#check(file)
        .catch((error: unknown) => this.#options.onTrouble(error))
        .then(() => this.#conclude(file))
        .catch((error: unknown) => this.#options.onTrouble(error))
        .finally(() => {
          this.#running -= 1;
          this.#lastAt = this.#options.night.clock.monotonic();
          this.#done(file);
          this.#next();
        });
    }
  }

  #done({ batch, taskId, index }: FileToCheck): void {
    const { left, onIdle } = this.#of(batch.id);
    left.delete(outputIdOf(taskId, index));
    if (left.size === 0) for (const look of onIdle) look();
  }

  async #check({ batch, taskId, index }: FileToCheck): Promise<void> {
    const { night, measurer } = this.#options;
    const placement = await this.#placementOf(taskId, index);
    if (placement === undefined) return;
    const { folder } = batch.record.settings;
    const file = await measurer.measure({ folder, ...placement }, night.ending);
    if (night.ending.aborted) return;
    const judged = this.#judging.then(() => this.#judge({ batch, taskId, index }, file));
    this.#judging = judged.catch(() => undefined);
    await judged;
  }

  /** What follows from a look, whatever it found. */
  async #conclude({ batch, taskId, index }: FileToCheck): Promise<void> {
    const { night, onLooked } = this.#options;
    if (!rendersAgain(batch) || night.ending.aborted) return;
    const task = await night.store.task(taskId);
    if (task === undefined) return;
    const isUnchecked = task.outputs.some((output) => output.index === index && toCheck(output) !== undefined);
    if (isUnchecked) this.#of(batch.id).inVain.add(outputIdOf(taskId, index));
    await this.#makeAgain(batch, task);
    onLooked(task);
    night.wake();
  }

  async #makeAgain(batch: NightBatch, task: Task): Promise<void> {
    const { store, journal, ending } = this.#options.night;
    if (ending.aborted || !isToMakeAgain(task, timesAgain(batch.record, task))) return;
    const { notWanted } = this.#of(batch.id);
    const { kind } = await journal.record({ taskId: task.id, event: { kind: 'made-again' }, asRead: task });
    // While its batch is paused, nothing is made again, but nothing goes on without it either.
    const isForGood = kind === 'not-wanted' && (await store.batch(batch.id))?.state === 'running';
    if (isForGood) notWanted.add(task.id);
    else notWanted.delete(task.id);
    if (kind === 'committed') await this.#options.onMadeAgain(task);
  }

  async #placementOf(taskId: number, index: number): Promise<Placement | undefined> {
    const task = await this.#options.night.store.task(taskId);
    const output = task?.outputs.find((one) => one.index === index);
    return output && toCheck(output);
  }

  /** Asks the gates as they are now, and records what they say. */
  async #judge({ batch, taskId, index }: FileToCheck, file: MeasuredFile): Promise<void> {
    const { store, journal } = this.#options.night;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const on = batch.record.settings.gates?.on;
      const task = await store.task(taskId);
      const output = task?.outputs.find((one) => one.index === index);
      if (on === undefined || task === undefined || output === undefined) return;
      if (toCheck(output)?.sha256 !== file.sha256) return;
      const [row, { sent }] = await Promise.all([store.tasksOfRow(task.batchId, task.rowId), store.namingFacts(task)]);
      const asked = askedIn(sent === undefined ? {} : objectOf(sent), task.operation);
      const { flags, why } = askGates(file, { on, asked, others: othersIn(row, task, index) });
      // The file is looked at again once what was missing is there; what is too much for a check would be too much
      // again.
      if (why !== undefined && !isForGood(why) && flags.length === 0) return;
      const event: EventOf<'file-checked'> = {
        kind: 'file-checked',
        index,
        flags,
        ...present({ print: printOf(file) }),
      };
      if ((await journal.record({ taskId, event })).kind !== 'stale') return;
    }
  }
}

function rendersAgain({ record }: NightBatch): boolean {
  return (record.settings.gates?.again ?? 0) > 0;
}

/** Where a file that no gate has looked at is; undefined for any other file, and for data. */
function toCheck({ state, path, sha256, bytes, mediaType, flags }: Output): Placement | undefined {
  if (state !== 'verified' || flags !== undefined) return undefined;
  if (path === undefined || sha256 === undefined || bytes === undefined || mediaType === undefined) return undefined;
  return kindOfMediaType(mediaType) === 'data' ? undefined : { path, sha256, bytes, mediaType };
}

/** The files of a row that were checked before this one. */
function othersIn(row: readonly Task[], task: Task, index: number): readonly OtherTake[] {
  return row.flatMap(({ id, outputs }) =>
    outputs.flatMap(({ index: place, state, path, sha256, flags, print }): OtherTake[] => {
      const isOther = (id !== task.id || place !== index) && state === 'verified' && flags !== undefined;
      return isOther && path !== undefined && sha256 !== undefined ? [{ path, sha256, ...present({ print }) }] : [];
    }),
  );
}

function objectOf(body: Uint8Array): JsonObject {
  return JSON.parse(new TextDecoder().decode(body)) as JsonObject;
}
