/** The user as the author of sheets: cells are edited in the window, and files are changed elsewhere and read again. */
import { isDeepStrictEqual } from 'node:util';
import { chosenOf } from '../../src/engine/edit/living/kept-rows.ts';
import { submitsUnseen } from '../../src/engine/edit/living/plan-difference.ts';
import { assertNever, present } from '../../src/shared/domain/base/result.ts';
import type { EditResult, SheetEdit } from '../../src/shared/ipc/editing.ts';
import { domainWords } from '../../src/shared/words/domain-words.ts';
import type { Life, Surroundings } from './life.ts';
import type { BatchPlan, Deed, RowPlan } from './plan.ts';
import { rowsNamed } from './row-names.ts';
import type { RowWords } from './row-words.ts';
import { fileOf, hasUnusedTitle, nameIn, promptOf, TITLE, type ProfileWords } from './sim-sheet.ts';
import type { ShownWatch } from './shown-watch.ts';
import { SheetWatch, type Turn, type Wanted } from './sheet-watch.ts';
import { newestTask, sightOf, type Sight } from './sight.ts';
import { haveWhatTheyHad, wrongCopies, wrongNames } from './name-rules.ts';
import { areLeftAlone, wrongKept } from './took-back.ts';
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

const NOTHING_SHOWN = { submits: new Map<number, number>(), dependentSubmits: new Map<number, number>() };

export class Author {
  readonly #around: Surroundings;
  readonly #rows: RowWords;
  readonly #sheets: SheetWatch;
  readonly #shown: ShownWatch;
  /** How often rows had been charged when the user asked to render them once more. */
  readonly #wishes = new WeakMap<ReadonlyMap<string, number>, { readonly charged: number; isTakenBack: boolean }>();

  constructor(around: Surroundings, rows: RowWords, shown: ShownWatch) {
    this.#around = around;
    this.#shown = shown;
    this.#rows = rows;
    this.#sheets = new SheetWatch(around.watch, around.disk.db, (wishes, sign) => this.#wish(wishes, sign));
  }

  processDied(isKilled: boolean): void {
    this.#sheets.processDied(isKilled);
  }

  hearsOfEdit(batchId: string): void {
    this.#sheets.hearsOfEdit(batchId);
  }

  /** How many deeds of the user have begun and ended. */
  get deeds(): SheetWatch['deeds'] {
    return this.#sheets.deeds;
  }

  /** For a deed that begins now: see `SheetWatch`. */
  isOnlyFromNow(): () => boolean {
    return this.#sheets.isOnlyFromNow();
  }

  /** After each turn. */
  look(life: Life): void {
    this.#sheets.look(life);
  }

  /** Undoes or redoes an edit. */
  go(life: Life, { word: { id } }: KnownBatch, { kind, endsIn }: DeedOf<'undo' | 'redo'>): Promise<unknown> {
    return this.#sheets.go(life, id, kind, (signal) => life.engine.editor[kind](id, present({ signal })), endsIn);
  }

  /** Carries an edit of a row out. */
  edit(
    life: Life,
    { plan, word }: KnownBatch,
    deed: DeedOf<'edit' | 'move' | 'rename' | 'takes' | 'remove'>,
  ): Promise<unknown> {
    const rows = this.#keys(word.id, deed.row);
    const write = (header: string, text: string): Promise<unknown> =>
      this.#edit(
        life,
        word.id,
        { keys: rows, of: (before) => withCells(before, header, new Map(rows.map((key) => [key, text]))) },
        { kind: 'set-cells', rows: [...rows], added: 0, headers: [header], values: [[text]] },
      );
    switch (deed.kind) {
      case 'edit': {
        const row = plan.rows.find(({ id }) => id === deed.row) as RowPlan;
        this.#rows.says(row, deed.version);
        return write('prompt', promptOf(row, deed.version));
      }
      case 'move': {
        const [to] = this.#keys(word.id, deed.to);
        if (to === undefined) return Promise.resolve();
        const edit = { kind: 'move-rows', rows: [...rows], to, where: 'below' } as const;
        return this.#edit(life, word.id, { keys: rows, of: (before) => before }, edit);
      }
      case 'rename':
        return this.#rename(life, word, rows.slice(deed.nth % Math.max(1, rows.length)).slice(0, 1), deed.id);
      case 'takes':
        this.#rows.asksFor(deed.row, deed.takes);
        return write('takes', String(deed.takes));
      case 'remove':
        this.#rows.givesUp(deed.row);
        return this.#edit(
          life,
          word.id,
          { keys: rows, of: (before) => withoutRows(before, rows) },
          { kind: 'remove-rows', rows: [...rows] },
        );
      default:
        return assertNever(deed);
    }
  }

  /** A row that gets another id is still the same row: it pays nothing, and has what it had. */
  #rename(life: Life, word: BatchWord, keys: readonly number[], id: string): Promise<unknown> {
    const isFree = this.#isFree(word, 'rename');
    const onJudged = (turn: Turn, { refusedRows }: EditResult): void => {
      const { before, after, isOnly, isReady } = turn;
      // What was missing until then may run: before a start, it waits for that.
      if (!isReady) isFree(turn);
      const wrong = wrongNames(before, after, refusedRows > 0 ? undefined : { keys, id });
      if (wrong !== undefined) this.#around.watch.report('rename', wrong);
      if (isOnly && !haveWhatTheyHad(before, after)) this.#around.watch.report('rename', 'a row has not what it had');
    };
    const of = (before: Sight): Sight => withCells(before, 'row', new Map(keys.map((key) => [key, id])));
    const edit: SheetEdit = { kind: 'set-cells', rows: [...keys], added: 0, headers: ['row'], values: [[id]] };
    return this.#edit(life, word.id, { keys, of, onJudged }, edit);
  }

  /** Copies rows: before a start the copies wait for it, afterwards for the user’s word. */
  duplicate(life: Life, { word }: KnownBatch, { rows }: DeedOf<'duplicate'>): Promise<unknown> {
    const named = rows.flatMap((row) =>
      this.#keys(word.id, row)
        .slice(0, 1)
        .map((key) => [key, row] as const),
    );
    for (const [, row] of named) this.#rows.isCopied(row);
    const keys = named.map(([key]) => key);
    const isFree = this.#isFree(word, 'duplicate');
    const onJudged = (turn: Turn, { inserted }: EditResult): void => {
      if (!turn.isReady) isFree(turn);
      const wrong = wrongNames(turn.before, turn.after) ?? wrongCopies(turn.before, turn.after, keys, inserted);
      if (wrong !== undefined) this.#around.watch.report('duplicate', wrong);
    };
    const wanted = { keys, adds: true, of: () => undefined, onJudged };
    return this.#edit(life, word.id, wanted, { kind: 'duplicate-rows', rows: keys });
  }

  /** Has the finished takes of rows rendered once more. */
  async renderAgain(
    life: Life,
    { word }: KnownBatch,
    { rows }: DeedOf<'render-again' | 'keep-earlier'>,
  ): Promise<unknown> {
    const keys = rows.flatMap((row) => this.#keys(word.id, row));
    // Until it is known how many takes that are.
    const atMost = new Map(rows.map((row) => [row, this.#rows.takesOf(row)]));
    for (const [row, takes] of atMost) this.#rows.paysAgain(row, takes);
    const onJudged = (): void => {
      for (const [row, takes] of atMost) this.#rows.paysAgain(row, -takes);
    };
    const wanted = { keys, of: (before: Sight) => before, onJudged };
    return this.#edit(life, word.id, wanted, { kind: 'render-again', rows: keys });
  }

  /** Has rows keep what they had, instead of having it rendered once more. */
  keepEarlier(life: Life, { word }: KnownBatch, { rows }: DeedOf<'render-again' | 'keep-earlier'>): Promise<unknown> {
    const { db } = this.#around.disk;
    const keys = rows.flatMap((row) => this.#keys(word.id, row));
    const isFree = this.#isFree(word, 'keep');
    const onJudged = (turn: Turn): void => {
      isFree(turn);
      for (const [key, before] of turn.isOnly ? turn.before : []) {
        const after = turn.after.get(key);
        const says = keys.includes(key) && after !== undefined ? wrongKept(db, key, before, after) : undefined;
        if (says !== undefined) this.#around.watch.report('keep', `row ${key} does not keep what it had: ${says}`);
      }
    };
    const wanted = { keys, of: (before: Sight) => before, onJudged };
    return this.#edit(life, word.id, wanted, { kind: 'keep-earlier', rows: keys });
  }

  /** Clears the titles of rows that use none. */
  clearUnused(life: Life, { word }: KnownBatch): Promise<unknown> {
    const report = (detail: string): void => this.#around.watch.report('unused', detail);
    const keys = [...sightOf(life.now, word.id)].flatMap(([key, { cells }]) => (hasUnusedTitle(cells) ? key : []));
    const of = (before: Sight): Sight => withCells(before, TITLE, new Map(keys.map((key) => [key, ''])));
    const isFree = this.#isFree(word, 'unused');
    const onJudged = (turn: Turn, { changedRows, refusedRows }: EditResult): void => {
      isFree(turn);
      const { before, after, isOnly, isReadyStill } = turn;
      if (isOnly && !areLeftAlone(before, after, isReadyStill))
        report('a take is not as it was before titles were cleared');
      const [cleared, left] = [of(before), before].map((sight) =>
        keys.filter((key) => isDeepStrictEqual(after.get(key)?.cells, sight.get(key)?.cells)),
      );
      if (cleared?.length !== changedRows || left?.length !== refusedRows || changedRows + refusedRows !== keys.length)
        report(`of ${keys.join()}, ${cleared?.join()} are without a title, and ${left?.join()} as before`);
    };
    const onRefused = (_: Sight, why: string): void => {
      if (keys.length > 0 && why === domainWords.problems.edits.noneUnused(TITLE)) report(`of ${keys.join()}: ${why}`);
    };
    const wanted = { keys, of, onJudged, onRefused };
    if (keys.length > 0) return this.#edit(life, word.id, wanted, { kind: 'clear-unused', header: TITLE });
    return Promise.resolve();
  }

  /** For an edit that begins now, and asks for no paid request. */
  #isFree(word: BatchWord, rule: string): (turn: Turn) => void {
    const lastTask = newestTask(this.#around.disk.db);
    return ({ isOnly }) => {
      const made = isOnly ? this.#shown.madeSince(word, lastTask) : 0;
      if (made > 0) this.#around.watch.report(rule, `${made} takes of ${word.id} were made that nobody asked for`);
    };
  }

  /** Edits all rows of a batch in parts, as long as the user wants that. */
  editAll(life: Life, { plan, word }: KnownBatch, deed: DeedOf<'edit-all'>): Promise<unknown> {
    const { does, version, lines, endsIn } = deed;
    const rows = plan.rows.flatMap((row) => this.#keys(word.id, row.id).map((key) => ({ row, key })));
    const keys = rows.map(({ key }) => key);
    const all = amongGone(keys, lines);
    if (does === 'remove') {
      for (const { row } of rows) this.#rows.givesUp(row.id);
      const wanted = { keys, of: (before: Sight) => withoutRows(before, keys) };
      return this.#edit(life, word.id, wanted, { kind: 'remove-rows', rows: all }, endsIn);
    }
    const header = does === 'words' ? 'prompt' : 'takes';
    for (const { row } of rows) {
      if (does === 'words') this.#rows.says(row, version);
      else this.#rows.asksFor(row.id, version + 1);
    }
    const texts = new Map(
      rows.map(({ row, key }) => [key, does === 'words' ? promptOf(row, version) : `${version + 1}`]),
    );
    const wanted = { keys, of: (before: Sight) => withCells(before, header, texts) };
    const values = all.map((key) => [texts.get(key) ?? '']);
    const edit: SheetEdit = { kind: 'set-cells', rows: all, added: 0, headers: [header], values };
    return this.#edit(life, word.id, wanted, edit, endsIn);
  }

  /** This many takes of rows are to be rendered once more; or no longer, if nothing has been charged since. */
  #wish(wishes: ReadonlyMap<string, number>, sign: 1 | -1): void {
    if (wishes.size === 0) return;
    const charged = this.#around.gateway.charges.filter(({ row }) => wishes.has(row)).length;
    const known = this.#wishes.get(wishes);
    const isNews =
      sign === 1 ? known?.isTakenBack !== false : known?.isTakenBack === false && known.charged === charged;
    if (!isNews) return;
    this.#wishes.set(wishes, { charged: known?.charged ?? charged, isTakenBack: sign === -1 });
    for (const [row, count] of wishes) this.#rows.paysAgain(row, sign * count);
  }

  /** Inserts a column that is sent nowhere, or removes it. */
  column({ engine }: Life, { word: { id } }: KnownBatch, isThere: boolean): Promise<unknown> {
    const edit: SheetEdit = isThere
      ? { kind: 'add-column', header: 'mine' }
      : { kind: 'remove-column', header: 'mine' };
    return this.#sheets.other(id, () => engine.editor.edit(id, edit));
  }

  /** Changes the file of a batch and imports what is different in it, at the cost that the comparison shows. */
  async import(life: Life, batch: KnownBatch, deed: DeedOf<'import'>, start: () => Promise<unknown>): Promise<unknown> {
    const { engine } = life;
    const { plan, word } = batch;
    const file = fileOf(plan, deed);
    this.#around.machine.files.set(batch.file, file);
    const isIdle = this.#shown.isIdle(word);
    // If the user does something else while it is compared, what is shown may be too much, but never too little.
    const isOnly = this.#sheets.isOnlyFromNow();
    const compared = await engine.living.compare(word.id, batch.file);
    if (!compared.ok) return undefined;
    const { removed, withDependents } = deed;
    const shown = chosenOf(compared.value, removed);
    const submits = submitsUnseen(shown, NOTHING_SHOWN, deed);
    // Starting it would let all of its rows run, about which nothing was shown.
    const releases = deed.releases && (await engine.store.batch(word.id))?.state !== 'ready';
    for (const { row, takes } of deed.rows) this.#rows.asksFor(row, takes);
    for (const [index, difference] of shown.comparison.rows.entries()) {
      const name = nameIn((difference.kind === 'removed' ? difference.before : difference.after).cells);
      if (difference.kind === 'removed' && removed === 'remove') this.#rows.givesUp(name);
      // It had another id, and is there twice from now on.
      if (difference.kind === 'new' && this.#keys(word.id, name).length > 0) this.#rows.isCopied(name);
      // Even for what was rendered before: it has since been removed, or gave nothing.
      const isAgain = shown.submits.has(index) || (withDependents && shown.dependentSubmits.has(index));
      if (isAgain && difference.kind !== 'removed') this.#rows.paysAgain(name);
    }
    if (releases) word.agreed += submits;
    const lastTask = newestTask(this.#around.disk.db);
    const onWhole = (): void => {
      if (isIdle && isOnly() && releases) this.#shown.made(word, submits, this.#shown.madeSince(word, lastTask));
    };
    const applied = await this.#sheets.import(life, word.id, { file, removed, onWhole }, () =>
      engine.sheets.applyDifference(word.id, shown.id, { removed, withDependents, releases }),
    );
    return applied.ok && releases ? start() : undefined;
  }

  async #edit(life: Life, batchId: string, wanted: Wanted, edit: SheetEdit, endsIn?: number): Promise<unknown> {
    if (wanted.keys.length === 0) return undefined;
    const { editor } = life.engine;
    return this.#sheets.edit(
      life,
      batchId,
      wanted,
      (signal) => editor.edit(batchId, edit, present({ signal })),
      endsIn,
    );
  }

  #keys(batchId: string, row: string): readonly number[] {
    return rowsNamed(this.#around.disk.db, batchId, row).map(({ key }) => key);
  }
}

/** Keys spread evenly among those of rows that are not there: this many in all, or as many as there are. */
function amongGone(keys: readonly number[], lines: number): number[] {
  const all = Array.from({ length: Math.max(lines, keys.length) }, (_, i) => GONE + i);
  for (const [i, key] of keys.entries()) all[Math.floor((i * all.length) / keys.length)] = key;
  return all;
}

/** No row of a night gets a key as high as this. */
const GONE = 1_000_000;

function withCells(before: Sight, header: string, texts: ReadonlyMap<number, string>): Sight {
  return new Map(
    Array.from(before, ([key, row]) => {
      const { [header]: _, ...others } = row.cells;
      const text = texts.get(key);
      if (text === undefined) return [key, row];
      return [key, { ...row, cells: text === '' ? others : { ...others, [header]: text } }];
    }),
  );
}

function withoutRows(before: Sight, keys: readonly number[]): Sight {
  return new Map([...before].filter(([key]) => !keys.includes(key)));
}
