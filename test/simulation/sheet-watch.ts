import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../../src/shared/domain/base/result.ts';
import type { EditResult } from '../../src/shared/ipc/editing.ts';
import type { Life } from './life.ts';
import type { Watch } from './watch.ts';

/** The cells of a sheet by the key of their row. */
type Texts = ReadonlyMap<number, Readonly<Record<string, string>>>;

interface Step {
  readonly before: Texts;
  readonly after: Texts;
}

/** What must hold of edits: each touches the rows that it names and no other, and its undo is its inverse. */
export class SheetWatch {
  readonly #watch: Watch;
  /** By batch; of the process that lives. */
  #steps = new Map<string, Step[]>();
  /** How many edits have begun and ended in each batch: others are not judged while several are under way. */
  #marks = new Map<string, { begun: number; ended: number }>();

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  /** The process has died, and with it what can be undone. */
  processDied(): void {
    this.#steps = new Map();
    this.#marks = new Map();
  }

  /** Carries an edit out that names these rows. */
  async edit(life: Life, batchId: string, keys: readonly number[], work: () => Promise<Result<EditResult, string>>) {
    return this.#alone(life, batchId, work, (before, after, { changedRows }) => {
      const others = differing(before, after).filter((key) => !keys.includes(key));
      if (others.length > 0)
        this.#watch.report('edit', `rows ${others.join()} have changed, where ${keys.join()} were named`);
      if (changedRows > 0) this.#stepsOf(batchId).push({ before, after });
    });
  }

  async undo(life: Life, batchId: string): Promise<unknown> {
    return this.#alone(
      life,
      batchId,
      () => life.engine.editor.undo(batchId),
      (before, after, { refusedRows }) => {
        const step = this.#stepsOf(batchId).pop();
        if (step === undefined || refusedRows > 0 || !isDeepStrictEqual(before, step.after)) return;
        const wrong = differing(after, step.before);
        if (wrong.length > 0) this.#watch.report('undo', `rows ${wrong.join()} are not as they were before the edit`);
      },
    );
  }

  /** Whatever else changes the sheet: nothing from before it is judged any more. */
  async other(batchId: string, work: () => Promise<unknown>): Promise<unknown> {
    const mark = this.#markOf(batchId);
    mark.begun += 1;
    try {
      return await work();
    } finally {
      mark.ended += 1;
      this.#steps.delete(batchId);
    }
  }

  async #alone(
    { now }: Life,
    batchId: string,
    work: () => Promise<Result<EditResult, string>>,
    judge: (before: Texts, after: Texts, result: EditResult) => void,
  ): Promise<unknown> {
    const mark = this.#markOf(batchId);
    mark.begun += 1;
    const { begun, ended } = mark;
    const before = textsOf(now, batchId);
    try {
      const result = await work();
      const isAlone = begun === ended + 1 && mark.begun === begun;
      if (isAlone && result.ok) judge(before, textsOf(now, batchId), result.value);
      else this.#steps.delete(batchId);
      return result;
    } finally {
      mark.ended += 1;
    }
  }

  #stepsOf(batchId: string): Step[] {
    const steps = this.#steps.get(batchId) ?? [];
    this.#steps.set(batchId, steps);
    return steps;
  }

  #markOf(batchId: string): { begun: number; ended: number } {
    const mark = this.#marks.get(batchId) ?? { begun: 0, ended: 0 };
    this.#marks.set(batchId, mark);
    return mark;
  }
}

function textsOf({ sheets }: Life['now'], batchId: string): Texts {
  return new Map(Array.from(sheets.allRows(batchId), ({ key, row }) => [key, row.cells]));
}

/** Keys of the rows that are not the same in both. */
function differing(one: Texts, other: Texts): readonly number[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => !isDeepStrictEqual(one.get(key), other.get(key)));
}
