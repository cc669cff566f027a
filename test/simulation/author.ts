/** The user as the author of sheets: cells are edited in the window, and files are changed elsewhere and read again. */
import { submitsChosen } from '../../src/engine/edit/living/plan-difference.ts';
import { assertNever } from '../../src/shared/domain/base/result.ts';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import type { Life, Surroundings } from './life.ts';
import type { BatchPlan, Deed, RowPlan } from './plan.ts';
import type { RowWords } from './row-words.ts';
import { fileOf, promptOf, type ProfileWords } from './sim-sheet.ts';
import { SheetWatch } from './sheet-watch.ts';
import type { BatchWord } from './watch.ts';

/** A batch as the user knows it. */
export interface KnownBatch {
  readonly plan: BatchPlan;
  readonly word: BatchWord;
  /** Where its file is. */
  readonly file: string;
  /** What its profile says. */
  says: ProfileWords;
}

type DeedOf<K extends Deed['kind']> = Extract<Deed, { kind: K }>;

export class Author {
  readonly #around: Surroundings;
  readonly #rows: RowWords;
  readonly #sheets: SheetWatch;

  constructor(around: Surroundings, rows: RowWords) {
    this.#around = around;
    this.#rows = rows;
    this.#sheets = new SheetWatch(around.watch);
  }

  processDied(): void {
    this.#sheets.processDied();
  }

  undo(life: Life, { word: { id } }: KnownBatch): Promise<unknown> {
    return this.#sheets.undo(life, id);
  }

  redo({ engine }: Life, { word: { id } }: KnownBatch): Promise<unknown> {
    return this.#sheets.other(id, () => engine.editor.redo(id));
  }

  /** Carries an edit of a row out. */
  edit(life: Life, { plan, word }: KnownBatch, deed: DeedOf<'edit' | 'move' | 'takes' | 'remove'>): Promise<unknown> {
    const rows = this.#keys(life, word.id, deed.row);
    const write = (header: string, text: string): Promise<unknown> =>
      this.#edit(life, word.id, rows, {
        kind: 'set-cells',
        rows: [...rows],
        added: 0,
        headers: [header],
        values: [[text]],
      });
    switch (deed.kind) {
      case 'edit': {
        const row = plan.rows.find(({ id }) => id === deed.row) as RowPlan;
        this.#rows.says(row.id, deed.version, row.after !== undefined);
        return write('prompt', promptOf(row, deed.version));
      }
      case 'move': {
        const [to] = this.#keys(life, word.id, deed.to);
        if (to === undefined) return Promise.resolve();
        return this.#edit(life, word.id, rows, { kind: 'move-rows', rows: [...rows], to, where: 'below' });
      }
      case 'takes':
        this.#rows.asksFor(deed.row, deed.takes);
        return write('takes', String(deed.takes));
      case 'remove':
        this.#rows.givesUp(deed.row);
        return this.#edit(life, word.id, rows, { kind: 'remove-rows', rows: [...rows] });
      default:
        return assertNever(deed);
    }
  }

  /** Puts a column in that is sent nowhere, or takes it out. */
  column({ engine }: Life, { word: { id } }: KnownBatch, isThere: boolean): Promise<unknown> {
    const edit: SheetEdit = isThere
      ? { kind: 'add-column', header: 'mine' }
      : { kind: 'remove-column', header: 'mine' };
    return this.#sheets.other(id, () => engine.editor.edit(id, edit));
  }

  /** Changes the file of a batch, and takes over what is otherwise in it, with what it says that this costs. */
  async import(life: Life, batch: KnownBatch, deed: DeedOf<'import'>, start: () => Promise<unknown>): Promise<unknown> {
    const { engine } = life;
    const { plan, word } = batch;
    const file = fileOf(plan, deed);
    this.#around.machine.files.set(batch.file, file);
    const compared = await engine.living.compare(word.id, batch.file);
    if (!compared.ok) return undefined;
    const { value: shown } = compared;
    const { removed, withDependents } = deed;
    const submits = submitsChosen(shown, deed);
    // To start it would let all of its rows run, of which nothing was shown.
    const releases = deed.releases && (await engine.store.batch(word.id))?.state !== 'ready';
    for (const { row, takes } of deed.rows) this.#rows.asksFor(row, takes);
    for (const [index, difference] of shown.comparison.rows.entries()) {
      if (difference.kind === 'removed' && removed === 'remove') this.#rows.givesUp(difference.before.id);
      // Also for what was rendered before: it was removed since, or gave nothing.
      const isAgain = shown.submits.has(index) || (withDependents && shown.dependentSubmits.has(index));
      if (isAgain && difference.kind !== 'removed') this.#rows.paysAgain(difference.after.id);
    }
    if (releases) word.agreed += submits;
    const applied = await this.#sheets.import(life, word.id, { file, removed }, () =>
      engine.sheets.applyDifference(word.id, shown.id, { removed, withDependents, submits, releases }),
    );
    return applied.ok && releases ? start() : undefined;
  }

  async #edit(life: Life, batchId: string, rows: readonly number[], edit: SheetEdit): Promise<unknown> {
    if (rows.length === 0) return undefined;
    return this.#sheets.edit(life, batchId, rows, () => life.engine.editor.edit(batchId, edit));
  }

  #keys({ now }: Life, batchId: string, row: string): readonly number[] {
    return now.sheets.keysByIds(batchId, [row]).get(row) ?? [];
  }
}
