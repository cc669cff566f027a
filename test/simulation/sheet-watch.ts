import { isDeepStrictEqual } from 'node:util';
import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import type { Database } from '../../src/engine/store/open/database.ts';
import { isRefusedByDisk } from '../../src/engine/store/open/store-problem.ts';
import { present, type Result } from '../../src/shared/domain/base/result.ts';
import { cellText, cellTexts } from '../../src/shared/domain/sheet/row.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import { foldRowId } from '../../src/shared/domain/sheet/sheet-row-ids.ts';
import type { EditResult } from '../../src/shared/ipc/editing.ts';
import { Ended, Endings } from './endings.ts';
import type { Life } from './life.ts';
import { wrongNames } from './name-rules.ts';
import { newestTask, sightOf, type Sight } from './sight.ts';
import { areLeftAlone, wishesIn, wrongTake } from './took-back.ts';
import type { Watch } from './watch.ts';
import { WrittenSheets } from './written-sheets.ts';

/** An edit that can be undone and redone. */
interface Step {
  readonly before: Sight;
  readonly after: Sight;
  /** The newest task then. */
  readonly lastTask: number;
  /** Everything that happened to the takes meanwhile, this edit did. */
  readonly isOnly: boolean;
  /** How many takes of each row are to be rendered once more, by the row's id. */
  readonly wishes: ReadonlyMap<string, number>;
}

type Way = 'undo' | 'redo';

/** A file that is imported, and what happens to the rows that it does not have. */
interface TakenOver {
  readonly file: RawSheet;
  readonly removed: 'keep' | 'remove';
  /** Called when it is imported as a whole. */
  readonly onWhole: () => void;
}

/** What an edit is for. */
export interface Wanted {
  /** The rows that it names. */
  readonly keys: readonly number[];
  /** It makes new rows. */
  readonly adds?: boolean;
  /** The sheet that it makes, as far as its cells are concerned; undefined if that cannot be said. */
  readonly of: (before: Sight) => Sight | undefined;
  /** Called with the result, to judge it further. */
  readonly onJudged?: (turn: Turn, result: EditResult) => void;
  readonly onRefused?: (found: Sight, why: string) => void;
}

/** Carries something out, until the user ends it. */
type Work<T> = (signal?: AbortSignal) => Promise<Result<T, string>>;

/** How something is carried out. */
interface Asked {
  /** The sheet that it makes; undefined if that cannot be said. */
  readonly of: (found: Sight) => Sight | undefined;
  /** After how many turns the user ends it. */
  readonly endsIn?: number | undefined;
  readonly onRefused?: (found: Sight, why: string) => void;
}

/** What a sheet was and is, if nothing else was done to it meanwhile. */
export interface Turn {
  readonly before: Sight;
  readonly after: Sight;
  /** The batch had not been started. */
  readonly isReady: boolean;
  /** Nor is it known to be since: the disk may have refused for a while that it was. */
  readonly isReadyStill: boolean;
  /** The user did nothing else meanwhile, not even elsewhere. */
  readonly isOnly: boolean;
}

/** Called with how many takes of rows the user wants rendered once more; with -1 if that is taken back. */
export type OnWishes = (takes: ReadonlyMap<string, number>, sign: 1 | -1) => void;

/**
 * What must hold of edits: each touches the rows that it names and no other, its undo is its inverse, and one that the
 * user ends changes nothing; and of a file that is read again: the sheet is then what the file is.
 */
export class SheetWatch {
  readonly #watch: Watch;
  readonly #db: Database;
  readonly #onWishes: OnWishes;
  readonly #written: WrittenSheets;
  /** By batch, for the process that is alive. */
  #steps = new Map<string, Record<Way, Step[]>>();
  /** How many edits have begun and ended in each batch: others are not judged while several are under way. */
  #marks = new Map<string, { begun: number; ended: number }>();
  /**
   * Batches for which the disk has refused something: when that is completed later, nothing before it can be undone.
   */
  readonly #refused = new Set<string>();
  /** The same for whatever the user does. */
  readonly deeds = { begun: 0, ended: 0 };
  readonly #endings = new Endings();

  constructor(watch: Watch, db: Database, onWishes: OnWishes) {
    this.#watch = watch;
    this.#db = db;
    this.#onWishes = onWishes;
    this.#written = new WrittenSheets(watch);
  }

  /** The process has died, and with it all that could be undone. `isKilled`: it could not end in order. */
  processDied(isKilled: boolean): void {
    this.#written.processDied(isKilled);
    this.#endings.forget();
    this.#steps = new Map();
    this.#marks = new Map();
    this.#refused.clear();
    this.deeds.ended = this.deeds.begun;
  }

  /** The user learns that an edit of a batch is completed after all. */
  hearsOfEdit(batchId: string): void {
    this.#written.isCompleted(batchId);
  }

  /** After each turn. */
  look(life: Life): void {
    this.#endings.turned();
    this.#written.look(life, (batchId) => sightOf(life.now, batchId));
  }

  /** Carries out an edit, which the user may end after a number of turns. */
  async edit(life: Life, batchId: string, wanted: Wanted, work: Work<EditResult>, endsIn?: number) {
    const { keys, of, onRefused } = wanted;
    const asked = { of, endsIn, ...present({ onRefused }) };
    return this.#alone(life, batchId, asked, work, (turn, result) => {
      const { before, after, isOnly } = turn;
      const isNamed = (key: number): boolean => keys.includes(key) || (wanted.adds === true && !before.has(key));
      const others = differing(before, after).filter((key) => !isNamed(key));
      if (others.length > 0)
        this.#watch.report('edit', `rows ${others.join()} have changed, where ${keys.join()} were named`);
      const stays = (key: number): boolean => before.has(key) && after.has(key) && !keys.includes(key);
      const [former, order] = [before, after].map((rows) => [...rows.keys()].filter(stays).join());
      if (order !== former) this.#watch.report('edit', `other rows were in the order ${former}, and are in ${order}`);
      if (result.changedRows > 0) this.#note(batchId, { before, after, isOnly });
      wanted.onJudged?.(turn, result);
    });
  }

  /** Notes what can be undone. What was undone before it cannot be redone any more. */
  #note(batchId: string, { before, after, isOnly }: Pick<Turn, 'before' | 'after' | 'isOnly'>): void {
    const steps = this.#stepsOf(batchId);
    const wishes = wishesIn(before, after);
    this.#onWishes(wishes, 1);
    steps.undo.push({ before, after, lastTask: newestTask(this.#db), isOnly, wishes });
    steps.redo = [];
  }

  /** Undoes or redoes one edit. */
  async go(life: Life, batchId: string, way: Way, work: Work<EditResult>, endsIn?: number) {
    const step = this.#stepsOf(batchId)[way].at(-1);
    const [from, to] = way === 'undo' ? (['after', 'before'] as const) : (['before', 'after'] as const);
    const of = (found: Sight): Sight | undefined =>
      step !== undefined && areSame(found, step[from]) ? step[to] : undefined;
    const onRefused = (found: Sight, why: string): void => {
      if (step === undefined || this.#refused.has(batchId) || !areSame(found, step[from])) return;
      this.#watch.report(way, `there is nothing to go to: ${why}`);
    };
    return this.#alone(
      life,
      batchId,
      { of, endsIn, onRefused },
      work,
      ({ before, after, isReadyStill: isReady, isOnly }, { refusedRows, changedRows }) => {
        // If other edits came after it, only a part of an edit can be undone.
        if (step === undefined || refusedRows > 0 || !areSame(before, step[from])) return this.#dropSteps(batchId);
        const steps = this.#stepsOf(batchId);
        steps[way].pop();
        // What is done again is undone to how it was then: what the user has let run since the edit may have waited.
        const redone = { ...step, before, lastTask: newestTask(this.#db), isOnly: isOnly && step.isOnly };
        if (changedRows > 0 && way === 'undo') steps.redo.push(step);
        else if (changedRows > 0) steps.undo.push(redone);
        const wrong = differing(after, step[to]);
        if (wrong.length > 0) this.#watch.report(way, `rows ${wrong.join()} are not as they were ${to} the edit`);
        const names = idsIn(before) === idsIn(step[from]) && idsIn(after) !== idsIn(step[to]);
        if (names) this.#watch.report(way, `rows are ${idsIn(after)}, and were ${idsIn(step[to])} ${to} the edit`);
        const lost = wrongNames(before, after);
        if (lost !== undefined) this.#watch.report(way, lost);
        const [keys, wanted] = [after, step[to]].map((rows) => [...rows.keys()].join());
        if (keys !== wanted)
          this.#watch.report(way, `rows are in the order ${keys}, and were in ${wanted} ${to} the edit`);
        for (const [key, row] of isOnly && step.isOnly ? step[to] : []) {
          const found = after.get(key);
          // Between the edit and now, the night or the user may have done something else about it.
          if (found === undefined || !isDeepStrictEqual(before.get(key), step[from].get(key))) continue;
          const back = { key, wanted: row, found, lastTask: step.lastTask, isReady };
          const says = wrongTake(this.#db, back);
          if (says !== undefined) this.#watch.report(way, `row ${key} is not as it was ${to} the edit: ${says}`);
        }
        this.#onWishes(step.wishes, way === 'undo' ? -1 : 1);
      },
    );
  }

  /** Imports a file. */
  async import<T extends { readonly left: readonly string[] }>(
    life: Life,
    batchId: string,
    taken: TakenOver,
    work: () => Promise<Result<T, string>>,
  ): Promise<Result<T, string>> {
    const result = await this.#alone(life, batchId, { of: () => undefined }, work, ({ before, after }, { left }) => {
      const { headers } = taken.file;
      // Rows that lack the id that they name are found in other ways.
      if (!haveTheirIds(before)) return undefined;
      const found = JSON.stringify(Array.from(after.values(), ({ cells }) => cellTexts(cells, headers)));
      const wanted = JSON.stringify(sheetAfter(before, taken, left).map((cells) => cellTexts(cells, headers)));
      if (found !== wanted) this.#watch.report('import', `${found} came of ${wanted}`);
      const changed = [...before].filter(([key, { cells }]) => {
        const one = after.get(key);
        return one !== undefined && foldedIdOf(one.cells) !== foldedIdOf(cells);
      });
      if (changed.length > 0) this.#watch.report('import', `rows ${changed.map(([key]) => key).join()} are other rows`);
      this.#checkErrors(life, batchId, taken, left);
      if (left.length === 0) taken.onWhole();
      return undefined;
    });
    // What was edited before would not fit.
    this.#dropSteps(batchId);
    return result;
  }

  /** Only what is in the file now keeps a row from running. */
  #checkErrors({ now }: Life, batchId: string, { file }: TakenOver, left: readonly string[]): void {
    const found = new Set(checkSheet(file).problems.flatMap(({ severity, row }) => (severity === 'error' ? row : [])));
    const inFile = new Set(file.records.map(({ cells }) => cells[0]));
    const problems = now.sheets.problems(batchId, Number.MAX_SAFE_INTEGER);
    for (const { problem } of problems) {
      const { severity, row, message } = problem;
      if (severity !== 'error' || row === undefined || !inFile.has(row) || found.has(row) || left.includes(row))
        continue;
      this.#watch.report('import', `${row} cannot run, and the file does not say so: ${message}`);
    }
  }

  /** For a deed under way: returns a function that says whether the user has done nothing else since. */
  isOnlyFromNow(): () => boolean {
    const { begun, ended } = this.deeds;
    return () => begun === ended + 1 && this.deeds.begun === begun;
  }

  /** Anything else that changes the sheet: nothing from before it is judged any more. */
  async other(batchId: string, work: () => Promise<unknown>): Promise<unknown> {
    const mark = this.#markOf(batchId);
    mark.begun += 1;
    try {
      return await work();
    } finally {
      mark.ended += 1;
      this.#written.forget(batchId);
      this.#dropSteps(batchId);
    }
  }

  /** Carries out something, and judges it if nothing else was done to the sheet meanwhile. */
  async #alone<T>(
    { now }: Life,
    batchId: string,
    { of, endsIn, onRefused }: Asked,
    work: Work<T>,
    judge: (turn: Turn, result: T) => void,
  ): Promise<Result<T, string>> {
    const mark = this.#markOf(batchId);
    mark.begun += 1;
    const { begun, ended } = mark;
    const isAlone = (): boolean => begun === ended + 1 && mark.begun === begun;
    const isOnly = this.isOnlyFromNow();
    const before = sightOf(now, batchId);
    const batch = now.store.batch(batchId);
    const isReady = batch?.state === 'ready';
    const turnTo = (after: Sight): Turn => {
      const isReadyStill = isReady && now.store.batch(batchId)?.state === 'ready';
      return { before, after, isReady, isReadyStill, isOnly: isOnly() };
    };
    // An edit that was left half done when the previous process died is completed before anything else.
    const isWhole = batch?.sheet.isHalfEdited !== true;
    if (isAlone()) this.#written.begins(batchId, before, isWhole ? of(before) : undefined, isReady);
    const wish = this.#endings.begin(endsIn);
    try {
      const result = await work(wish.signal);
      const after = sightOf(now, batchId);
      if (isAlone()) this.#written.ends(batchId, after);
      if (isAlone() && isWhole && result.ok) judge(turnTo(after), result.value);
      else if (!isAlone() || !isWhole || !areSame(before, after)) this.#dropSteps(batchId);
      if (isAlone() && isWhole && !result.ok) onRefused?.(before, result.error);
      return result;
    } catch (error) {
      const after = sightOf(now, batchId);
      const hasEnded = error instanceof Ended;
      if (hasEnded && isAlone() && isWhole) this.#judgeEnded(batchId, turnTo(after));
      if (hasEnded && isAlone()) this.#written.ends(batchId, after);
      if (isRefusedByDisk(error)) {
        this.#written.isRefused(batchId, after, wish.signal?.aborted === true);
        this.#refused.add(batchId);
      }
      // The edit is there although something was refused: nobody can say what can be undone.
      if (!isAlone() || !areSame(before, after)) this.#dropSteps(batchId);
      throw error;
    } finally {
      wish.over();
      if (!isAlone()) this.#written.forget(batchId);
      mark.ended += 1;
    }
  }

  /** None of it is there, and what it took out of the queue waits as before. */
  #judgeEnded(batchId: string, { before, after, isReadyStill, isOnly }: Turn): void {
    const [order, wanted] = [after, before].map((sight) => [...sight.keys()].join());
    const isRight =
      areSame(before, after) && order === wanted && (!isOnly || areLeftAlone(before, after, isReadyStill));
    if (isRight) return;
    const [is, was] = [after, before].map((sight) =>
      JSON.stringify(Array.from(sight, ([key, { takes }]) => [key, ...takes])),
    );
    const says = `${is} instead of ${was}`;
    this.#watch.report('ended', `${batchId} is not as it was before an edit that the user has ended: ${says}`);
  }

  /** Nobody knows any more what can be undone; a wish that was taken back may be there again. */
  #dropSteps(batchId: string): void {
    for (const { wishes } of this.#steps.get(batchId)?.redo ?? []) this.#onWishes(wishes, 1);
    this.#steps.delete(batchId);
  }

  #stepsOf(batchId: string): Record<Way, Step[]> {
    const steps = this.#steps.get(batchId) ?? { undo: [], redo: [] };
    this.#steps.set(batchId, steps);
    return steps;
  }

  #markOf(batchId: string): { begun: number; ended: number } {
    const mark = this.#marks.get(batchId) ?? { begun: 0, ended: 0 };
    this.#marks.set(batchId, mark);
    return mark;
  }
}

function idOf(cells: Readonly<Record<string, string>>): string {
  return cellText(cells, 'row').trim();
}

function foldedIdOf(cells: Readonly<Record<string, string>>): string {
  return foldRowId(idOf(cells));
}

function haveTheirIds(sight: Sight): boolean {
  return [...sight.values()].every(({ id, cells }) => foldRowId(id) === foldedIdOf(cells));
}

/** The ids of all rows that have the one that they name; others may get a new one each time. */
function idsIn(sight: Sight): string {
  return Array.from(sight.values(), ({ id, cells }) => (foldRowId(id) === foldedIdOf(cells) ? id : '–')).join();
}

/** The cells of every row once a file is imported, in order. */
function sheetAfter(
  before: Sight,
  { file, removed }: TakenOver,
  left: readonly string[],
): readonly Readonly<Record<string, string>>[] {
  const known = new Map(Array.from(before.values(), ({ cells }) => [foldedIdOf(cells), cells]));
  const inFile = file.records.map(({ cells }) =>
    Object.fromEntries(file.headers.map((header, i) => [header, cells[i] ?? ''])),
  );
  const ids = new Set(inFile.map(foldedIdOf));
  const leftIds = new Set(left.map(foldRowId));
  const stays = (id: string): boolean => !ids.has(id) && (removed === 'keep' || leftIds.has(id));
  return [
    ...inFile.map((cells) => (leftIds.has(foldedIdOf(cells)) ? (known.get(foldedIdOf(cells)) ?? cells) : cells)),
    ...[...known].flatMap(([id, cells]) => (stays(id) ? [cells] : [])),
  ];
}

/** Keys of the rows that do not have the same cells in both. */
function differing(one: Sight, other: Sight): readonly number[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => !isDeepStrictEqual(one.get(key)?.cells, other.get(key)?.cells));
}

function areSame(one: Sight, other: Sight): boolean {
  return differing(one, other).length === 0;
}
