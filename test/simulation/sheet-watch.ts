import { isDeepStrictEqual } from 'node:util';
import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import type { Result } from '../../src/shared/domain/base/result.ts';
import { cellText, cellTexts } from '../../src/shared/domain/sheet/row.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import type { EditResult } from '../../src/shared/ipc/editing.ts';
import type { Life } from './life.ts';
import type { Watch } from './watch.ts';

/** The cells of a sheet by the key of their row. */
type Texts = ReadonlyMap<number, Readonly<Record<string, string>>>;

interface Step {
  readonly before: Texts;
  readonly after: Texts;
}

/** A file that is taken over, and what becomes of the rows that it does not have. */
interface TakenOver {
  readonly file: RawSheet;
  readonly removed: 'keep' | 'remove';
}

/**
 * What must hold of edits: each touches the rows that it names and no other, and its undo is its inverse; and of a file
 * that is read again: the sheet is then what the file is.
 */
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
      const stays = (key: number): boolean => before.has(key) && after.has(key) && !keys.includes(key);
      const [former, order] = [before, after].map((texts) => [...texts.keys()].filter(stays).join());
      if (order !== former) this.#watch.report('edit', `other rows were in the order ${former}, and are in ${order}`);
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
        const [keys, wanted] = [after, step.before].map((texts) => [...texts.keys()].join());
        if (keys !== wanted) this.#watch.report('undo', `rows are in the order ${keys}, and were in ${wanted} before`);
      },
    );
  }

  /** Takes a file over. */
  async import<T extends { readonly left: readonly string[] }>(
    life: Life,
    batchId: string,
    taken: TakenOver,
    work: () => Promise<Result<T, string>>,
  ): Promise<Result<T, string>> {
    const result = await this.#alone(life, batchId, work, (before, after, { left }) => {
      const { headers } = taken.file;
      const [found, wanted] = [[...after.values()], sheetAfter(before, taken, left)].map((rows) =>
        JSON.stringify(rows.map((cells) => cellTexts(cells, headers))),
      );
      if (found !== wanted) this.#watch.report('import', `${found} came of ${wanted}`);
      const changed = [...before].filter(([key, cells]) => {
        const one = after.get(key);
        return one !== undefined && idOf(one) !== idOf(cells);
      });
      if (changed.length > 0) this.#watch.report('import', `rows ${changed.map(([key]) => key).join()} are other rows`);
      this.#checkErrors(life, batchId, taken, left);
    });
    // What was edited before would not fit.
    this.#steps.delete(batchId);
    return result;
  }

  /** Nothing keeps a row from running but what is in the file now. */
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

  async #alone<T>(
    { now }: Life,
    batchId: string,
    work: () => Promise<Result<T, string>>,
    judge: (before: Texts, after: Texts, result: T) => void,
  ): Promise<Result<T, string>> {
    const mark = this.#markOf(batchId);
    mark.begun += 1;
    const { begun, ended } = mark;
    const before = textsOf(now, batchId);
    // What an edit left half done, as the process before this one died, is completed before anything else.
    const isWhole = now.store.batch(batchId)?.sheet.isHalfEdited !== true;
    try {
      const result = await work();
      const isAlone = begun === ended + 1 && mark.begun === begun;
      if (isAlone && isWhole && result.ok) judge(before, textsOf(now, batchId), result.value);
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

/** Blank cells are left out: a row that is written again has one for each column, where it had none. */
function textsOf({ sheets }: Life['now'], batchId: string): Texts {
  const filled = (cells: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(cells).filter(([, text]) => text !== ''));
  return new Map(Array.from(sheets.allRows(batchId), ({ key, row }) => [key, filled(row.cells)]));
}

function idOf(cells: Readonly<Record<string, string>>): string {
  return cellText(cells, 'row');
}

/** The cells of every row once a file is taken over, in their order. */
function sheetAfter(
  before: Texts,
  { file, removed }: TakenOver,
  left: readonly string[],
): readonly Readonly<Record<string, string>>[] {
  const known = new Map([...before.values()].map((cells) => [idOf(cells), cells]));
  const inFile = file.records.map(({ cells }) =>
    Object.fromEntries(file.headers.map((header, i) => [header, cells[i] ?? ''])),
  );
  const ids = new Set(inFile.map(idOf));
  const stays = (id: string): boolean => !ids.has(id) && (removed === 'keep' || left.includes(id));
  return [
    ...inFile.map((cells) => (left.includes(idOf(cells)) ? (known.get(idOf(cells)) ?? cells) : cells)),
    ...[...known].flatMap(([id, cells]) => (stays(id) ? [cells] : [])),
  ];
}

/** Keys of the rows that are not the same in both. */
function differing(one: Texts, other: Texts): readonly number[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => !isDeepStrictEqual(one.get(key), other.get(key)));
}
