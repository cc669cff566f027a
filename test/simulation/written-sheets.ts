/** What must remain in sheets, whatever ends an edit: all of it or nothing, and nothing of one that the user ended. */
import { isDeepStrictEqual } from 'node:util';
import type { Life } from './life.ts';
import type { Sight } from './sight.ts';
import type { Watch } from './watch.ts';

/** What a sheet may be: each of its rows as it was, or as an edit wants it. */
interface Expected {
  readonly before: Sight;
  readonly wanted: Sight;
  /** The batch was not started: all rows are one or the other, and none was refused because it was on its way. */
  readonly isAll: boolean;
  /** The user ended it, and the process is alive: none of it is there. */
  readonly isEnded: boolean;
}

/** Nothing but an edit changes cells, and none of them half, then or later. */
export class WrittenSheets {
  readonly #watch: Watch;
  /** By batch; none if several edits were under way. */
  readonly #expected = new Map<string, Expected>();
  /** Edits under way; undefined if nobody knows beforehand what they make. */
  readonly #open = new Map<string, Omit<Expected, 'isEnded'> | undefined>();
  /** To be looked at once they are whole again. */
  readonly #unsure = new Set<string>();

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  /** An edit begins, the only one of its batch. */
  begins(batchId: string, found: Sight, wanted: Sight | undefined, isAll: boolean): void {
    // The rest of an earlier edit comes first: nobody knows beforehand how that leaves the sheet.
    const isSure = !this.#unsure.has(batchId);
    if (isSure) this.#check(batchId, found);
    else this.forget(batchId);
    this.#open.set(batchId, isSure && wanted !== undefined ? { before: found, wanted, isAll } : undefined);
  }

  /** It is done, or refused. */
  ends(batchId: string, found: Sight): void {
    this.#open.delete(batchId);
    this.#unsure.delete(batchId);
    this.#expected.set(batchId, asItIs(found));
  }

  /**
   * The disk has refused a part of it: the rest comes later, or is dropped if the user ended it before its last part.
   */
  isRefused(batchId: string, found: Sight, hasEnded: boolean): void {
    const open = this.#open.get(batchId);
    if (open === undefined) return this.forget(batchId);
    this.#open.delete(batchId);
    // In a batch that was started, an edit that has begun is finished.
    const isEnded = hasEnded && open.isAll && !haveSameCells(found, open.wanted);
    this.#expected.set(batchId, { ...open, isEnded });
    this.#unsure.add(batchId);
  }

  /** Nothing is known about the sheet any more. */
  forget(batchId: string): void {
    this.#open.delete(batchId);
    this.#expected.delete(batchId);
    this.#unsure.delete(batchId);
  }

  /**
   * The process is gone: nobody was told what became of the edits under way. `isKilled`: nor could it settle anything.
   */
  processDied(isKilled: boolean): void {
    for (const [batchId, open] of this.#open) {
      this.forget(batchId);
      if (open === undefined) continue;
      this.#expected.set(batchId, { ...open, isEnded: false });
      this.#unsure.add(batchId);
    }
    if (isKilled) for (const batchId of this.#unsure) this.isCompleted(batchId);
  }

  /** An edit that the user has ended may be there all the same. */
  isCompleted(batchId: string): void {
    const expected = this.#expected.get(batchId);
    if (expected !== undefined) this.#expected.set(batchId, { ...expected, isEnded: false });
  }

  /** After each turn: what was in doubt may be whole by now. */
  look({ now }: Life, sightOf: (batchId: string) => Sight): void {
    for (const batchId of this.#unsure) {
      const batch = now.store.batch(batchId);
      if (batch?.sheet.isHalfEdited === true) continue;
      this.#unsure.delete(batchId);
      // It was deleted, and is removed by now.
      if (batch === undefined) {
        this.#expected.delete(batchId);
        continue;
      }
      const found = sightOf(batchId);
      const expected = this.#expected.get(batchId);
      // Started since the edit began: what was sent meanwhile was refused.
      if (expected !== undefined && batch.state !== 'ready') this.#expected.set(batchId, { ...expected, isAll: false });
      this.#check(batchId, found);
      this.#expected.set(batchId, asItIs(found));
    }
  }

  #check(batchId: string, found: Sight): void {
    const expected = this.#expected.get(batchId);
    if (expected === undefined) return;
    const { before, wanted, isAll, isEnded } = expected;
    const isBefore = haveSameCells(found, before);
    if (isBefore) return;
    const keys = new Set([...before.keys(), ...wanted.keys(), ...found.keys()]);
    const wrong = [...keys].filter((key) => {
      const isOne = [before, wanted].some((sight) => isDeepStrictEqual(sight.get(key)?.cells, found.get(key)?.cells));
      return !isOne;
    });
    if (isEnded) this.#watch.report('ended', `${batchId} is not as it was before an edit that the user has ended`);
    else if (wrong.length > 0)
      this.#watch.report('whole', `${batchId}: nothing has made rows ${wrong.join()} like this`);
    else if (isAll && !haveSameCells(found, wanted))
      this.#watch.report('whole', `${batchId} is half as it was before an edit, and half as it wanted it`);
  }
}

function asItIs(found: Sight): Expected {
  return { before: found, wanted: found, isAll: true, isEnded: false };
}

function haveSameCells(one: Sight, other: Sight): boolean {
  const cells = (sight: Sight) => new Map(Array.from(sight, ([key, row]) => [key, row.cells]));
  return isDeepStrictEqual(cells(one), cells(other));
}
