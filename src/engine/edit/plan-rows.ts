/** The rows of an edit: which of them may change, each checked by itself with its new cells. */
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import { isBlank } from '../../shared/domain/base/text.ts';
import { asFarAsUsed } from '../../shared/domain/sheet/unused-columns.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { requestText, cellText, cellTexts, type Row } from '../../shared/domain/sheet/row.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import { isAnew, type RefusedRow, type RowEdit } from './edit-by-row.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import { takesToKeep } from '../../shared/domain/task/plan-tasks.ts';
import { requestNumber } from './cross-checks.ts';
import { placeRows } from './place-rows.ts';
import { type GivenId, giveIds, heirsOf } from './row-ids.ts';
import {
  checkAsItIs,
  type EditedRow,
  headerOf,
  isBlockedRow,
  isError,
  type PlanContext,
  type RowPlan,
  type SheetPlan,
} from './sheet-plan.ts';

/** The rows of an edit, as far as it can be granted; all except the refused ones are in the plan. */
export interface PlannedRows {
  readonly edited: readonly EditedRow[];
  /** The removed rows as they were. */
  readonly removed: readonly RowPlan[];
  /** The moved rows as they were. */
  readonly moved: readonly RowPlan[];
  /** Rows that got an id they had wanted before, as they were. */
  readonly heirs: readonly RowPlan[];
  readonly refused: readonly RefusedRow[];
  /** Folded ids that appeared, disappeared, or belong to another row now. */
  readonly changedIds: ReadonlySet<string>;
  /** The lines below are renumbered: rows were added, removed, or moved above others. */
  readonly isRenumbered: boolean;
}

type EditOf<K extends RowEdit['kind']> = Extract<RowEdit, { kind: K }>;

/** Many times what a cell of a workbook can hold; anything longer got there by accident. */
const MOST_CELL_CHARACTERS = 1_000_000;

/** What only a file's reader can find about a row: kept until its cell (any cell, if it names none) is edited. */
const FOUND_BY_READING: ReadonlySet<SheetProblem['code']> = new Set<SheetProblem['code']>([
  'value-formula',
  'number-imprecise',
  'quotes-broken',
  'extra-cells',
  'external-link',
  'unreadable',
]);

const NO_IDS: ReadonlyMap<number, GivenId> = new Map();

/** Grants an edit row by row, and checks the rows. Undefined if there is no room between two rows. */
export async function planRows(
  edits: readonly RowEdit[],
  plan: SheetPlan,
  context: PlanContext,
): Promise<PlannedRows | undefined> {
  await plan.load(
    edits.flatMap((row) => ('after' in row && typeof row.after === 'number' ? [row.key, row.after] : row.key)),
  );
  return new RowPlanner(plan, context).plan(await withEarlier(edits, plan, context));
}

/** Names the takes that rows are to keep, as the store has them now. */
async function withEarlier(
  edits: readonly RowEdit[],
  plan: SheetPlan,
  { sheets, batch, checker }: PlanContext,
): Promise<readonly RowEdit[]> {
  const keys = edits.flatMap((edit) => (edit.kind === 'cells' && edit.keepsEarlier === true ? edit.key : []));
  if (keys.length === 0) return edits;
  const earlier = await sheets.earlierTasks(batch.id, keys);
  return edits.map((edit): RowEdit => {
    const before = plan.row(edit.key);
    if (edit.kind !== 'cells' || edit.keepsEarlier !== true || before === undefined) return edit;
    const request = requestNumber(before, checker);
    if (request === undefined) return { ...edit, rendersAgain: true };
    const superseded = (earlier.get(edit.key) ?? []).map(({ task }) => task);
    const tasks = takesToKeep(request, before.tasks, superseded).map(({ id, take }) => ({ id, take }));
    return { ...edit, rendersAgain: true, superseded: { request, tasks } };
  });
}

/** Whether the edit of a row would put the gateway's key into a cell: it is then refused. */
export function wouldHoldKey(edit: RowEdit, finder: KeyFinder): boolean {
  switch (edit.kind) {
    case 'cells':
      return haveKey([...edit.cells.values()], finder);
    case 'insert':
      return haveKey(Object.values(edit.cells), finder);
    case 'remove':
    case 'move':
      return false;
    default:
      return assertNever(edit);
  }
}

function haveKey(texts: readonly string[], finder: KeyFinder): boolean {
  return texts.some((text) => finder.finds(text));
}

class RowPlanner {
  readonly #plan: SheetPlan;
  readonly #context: PlanContext;
  /** The header of the row ids. */
  readonly #idHeader: string | undefined;
  readonly #edited: EditedRow[] = [];
  readonly #inserts: EditOf<'insert'>[] = [];
  readonly #moves: EditOf<'move'>[] = [];
  readonly #removed: RowPlan[] = [];
  readonly #refused: RefusedRow[] = [];
  readonly #changedIds = new Set<string>();

  constructor(plan: SheetPlan, context: PlanContext) {
    this.#plan = plan;
    this.#context = context;
    this.#idHeader = headerOf(context, 'row');
  }

  async plan(edits: readonly RowEdit[]): Promise<PlannedRows | undefined> {
    for (const edit of edits) this.#grant(edit);
    const placed = [...this.#inserts, ...this.#moves];
    const places = placed.length === 0 ? undefined : await placeRows(placed, this.#plan, this.#context);
    if (places === 'no-room') return undefined;
    for (const { key, cells, was, superseded } of this.#inserts) {
      const { position = 0, line = 0 } = places?.get(key) ?? {};
      const changed = Object.keys(cells).filter((header) => cells[header] !== '');
      const place = { key, before: undefined, line, position, was: was?.id };
      this.#edited.push({
        ...place,
        cells,
        changed,
        isLocked: false,
        claimsId: true,
        rendersAgain: undefined,
        superseded,
        ...present({ edits: was?.edits }),
      });
    }
    for (const { key, row } of this.#removed) {
      this.#plan.remove(key);
      this.#changedIds.add(foldRowId(row.id));
    }
    await this.#checkAll(this.#edited);
    // An id that becomes free goes to the first row that wanted it.
    const [header, ids] = [this.#idHeader, this.#changedIds];
    const hasNoHeir = header === undefined || ids.size === 0;
    const heirs = hasNoHeir ? [] : await heirsOf(ids, header, this.#edited, this.#plan, this.#context);
    await this.#checkAll(heirs);
    const moved = this.#moves.flatMap(({ key }) => this.#plan.row(key) ?? []);
    for (const row of moved) this.#plan.put({ ...row, position: places?.get(row.key)?.position ?? 0 });
    return {
      edited: this.#edited,
      removed: this.#removed,
      moved,
      heirs: heirs.flatMap(({ before }) => before ?? []),
      refused: this.#refused,
      changedIds: ids,
      isRenumbered: moved.length > 0 || this.#removed.length > 0 || (await this.#isInMiddle()),
    };
  }

  async #isInMiddle(): Promise<boolean> {
    if (this.#inserts.length === 0) return false;
    const last = await this.#context.sheets.lastPosition(this.#context.batch.id);
    return this.#edited.some(({ before, position }) => before === undefined && position < last);
  }

  #grant(edit: RowEdit): void {
    const row = this.#plan.row(edit.key);
    switch (edit.kind) {
      case 'insert':
        if (row === undefined && !this.#refuses(undefined, edit.was?.id ?? '', Object.values(edit.cells))) {
          this.#inserts.push(edit);
        }
        break;
      case 'cells':
        if (row !== undefined) this.#grantCells(row, edit);
        else this.#refused.push({ key: undefined, row: '', reason: domainWords.problems.edits.gone.row });
        break;
      case 'remove':
        if (row !== undefined && !this.#refusesLocked(row)) this.#removed.push(row);
        break;
      case 'move':
        if (row !== undefined) this.#moves.push(edit);
        break;
      default:
        assertNever(edit);
    }
  }

  #grantCells(before: RowPlan, edit: EditOf<'cells'>): void {
    const { key, cells, id, superseded, reclaimsId, rendersAgain } = edit;
    const { position, row } = before;
    const texts = [...cells].filter(([header, text]) => cellText(row.cells, header) !== text);
    const changed = texts.map(([header]) => header);
    if (rendersAgain && this.#refusesAgain(before, edit)) return;
    // A word about what the row asked for then: an edit since could not be undone, because its takes were sent.
    if (rendersAgain && superseded !== undefined && superseded.request !== this.#context.checker.requestKey(row))
      return;
    const isAsBefore = changed.length === 0 && superseded === undefined && !reclaimsId && !rendersAgain;
    if (isAsBefore && !this.#context.isRecheck) return;
    const isLocked = whyLocked(before.tasks) !== undefined;
    if (isLocked && !this.#isNote(changed)) {
      if (changed.length > 0 || this.#asksForOther(row)) this.#refusesLocked(before);
      return;
    }
    if (
      this.#refuses(
        key,
        row.id,
        texts.map(([, text]) => text),
      )
    )
      return;
    const claimsId = reclaimsId ? 'again' : this.#idHeader !== undefined && changed.includes(this.#idHeader);
    const place = { key, before, line: row.line, position, was: id };
    const newCells = { ...row.cells, ...Object.fromEntries(texts) };
    this.#edited.push({ ...place, cells: newCells, changed, isLocked, claimsId, rendersAgain, superseded });
  }

  /** Without a finished take there is nothing to render again, and what is under way may still give one. */
  #refusesAgain(before: RowPlan, { superseded, keepsEarlier }: EditOf<'cells'>): boolean {
    const { key } = before;
    const { id, skip, takes } = before.row;
    const isForNewTakes = isAnew(superseded);
    if (keepsEarlier === true) {
      const { nothingToKeep, alreadySent } = domainWords.problems.edits;
      const isSent = whyLocked(before.tasks) !== undefined;
      const reason = isForNewTakes ? nothingToKeep : isSent ? alreadySent : undefined;
      if (reason !== undefined) this.#refused.push({ key, row: id, reason });
      return reason !== undefined;
    }
    if (this.#refusesLocked(before)) return true;
    if (!isForNewTakes) return false;
    const isFinished = before.tasks.some(({ status, take }) => status === 'done' && take <= takes);
    const canRender = !skip && !isBlockedRow(before) && isFinished;
    if (!canRender) this.#refused.push({ key, row: id, reason: domainWords.problems.edits.nothingFinished });
    return !canRender;
  }

  /** Whether an edit is only about notes: they can always be written, because they are not sent. */
  #isNote(headers: readonly string[]): boolean {
    const note = headerOf(this.#context, 'note');
    return !this.#context.isRecheck && headers.every((header) => header === note);
  }

  /** Whether a row that is checked again would ask for something other than what it was sent for. */
  #asksForOther(row: Row): boolean {
    return requestText(checkAsItIs(row, this.#context).row) !== requestText(row);
  }

  #refusesLocked({ key, row: { id }, tasks }: RowPlan): boolean {
    const reason = whyLocked(tasks);
    if (reason !== undefined) this.#refused.push({ key, row: id, reason });
    return reason !== undefined;
  }

  #refuses(key: number | undefined, row: string, texts: readonly string[]): boolean {
    const isTooLong = texts.some((text) => text.length > MOST_CELL_CHARACTERS);
    if (!isTooLong && !haveKey(texts, this.#context.keyFinder)) return false;
    const { cellTooLong, holdsKey } = domainWords.problems.edits;
    this.#refused.push({ key, row, reason: isTooLong ? cellTooLong(MOST_CELL_CHARACTERS / 1_000_000) : holdsKey });
    return true;
  }

  /** Checks rows one by one and puts them into the plan. */
  async #checkAll(rows: readonly EditedRow[]): Promise<void> {
    // A row in flight keeps the id with which it was sent, whoever wants it back.
    const claims = rows.filter(({ claimsId, isLocked }) => claimsId !== false && !isLocked);
    const given = claims.length === 0 ? NO_IDS : await giveIds(claims, this.#idHeader, this.#plan, this.#context);
    for (const row of rows) {
      const id = given.get(row.key);
      const former = row.before?.row.id;
      if (id !== undefined && id.id !== former) {
        for (const one of [id.id, ...(former === undefined ? [] : [former])]) this.#changedIds.add(foldRowId(one));
      }
      this.#plan.put(checkOne(row, id, this.#context));
    }
  }
}

function checkOne(edit: EditedRow, given: GivenId | undefined, context: PlanContext): RowPlan {
  const { key, before, cells, changed, line, position, isLocked } = edit;
  const texts = cellTexts(cells, context.checker.layout.headers);
  const found = context.checker.checkRecord({ line, cells: texts }, given?.id ?? before?.row.id ?? '');
  const isEmpty = texts.every(isBlank);
  const row = isEmpty ? { ...found.row, skip: true } : withSameRequest(found.row, edit, context);
  const { layout } = context.checker;
  const kept = keptProblems(before, changed, given !== undefined).map((one) => asFarAsUsed(one, found, layout));
  const broken = new Set(kept.filter(isError).map(({ column }) => column));
  const own = [
    ...(given?.problem === undefined ? [] : [given.problem]),
    ...(row.skip ? kept.filter(isIdProblem) : kept),
    ...(isEmpty ? [] : found.problems.filter(({ column }) => column === undefined || !broken.has(column))),
  ];
  const { tasks = [], isDraft = false, cross = [] } = before ?? {};
  return {
    key,
    position,
    row,
    own: isLocked ? (before?.own ?? own) : own,
    // After a change of the columns, their use is determined for all rows together.
    cross: context.isRecheck ? cross.filter(({ code }) => code !== 'unused-column') : cross,
    // A line without any cell is not a row of a file: it asks for nothing and has no problems.
    checked: isEmpty ? { ...found, row, unusedCells: [], namedCells: [] } : { ...found, row },
    tasks,
    isDraft,
  };
}

/**
 * The checked row. It keeps its earlier request if the edit does not affect that: lists that cells draw from may have
 * changed since, and a new note must not have a row rendered again.
 */
function withSameRequest(row: Row, { before, isLocked }: EditedRow, context: PlanContext): Row {
  if (before === undefined || before.tasks.length === 0) return row;
  const { body, links, operation } = before.row;
  if (isLocked) return { ...before.row, note: row.note, cells: row.cells };
  if (context.isRecheck) return row;
  if (requestText(checkAsItIs(before.row, context).row) !== requestText(row)) return row;
  const { links: _, ...rest } = row;
  return { ...rest, operation, body, ...(links === undefined ? {} : { links }) };
}

/** Earlier findings about a row that checking its cells does not repeat. */
function keptProblems(
  before: RowPlan | undefined,
  changed: readonly string[],
  hasNewId: boolean,
): readonly SheetProblem[] {
  if (before === undefined) return [];
  return before.own.filter((problem) => {
    if (isIdProblem(problem)) return !hasNewId;
    const { code, column } = problem;
    const isStill = column === undefined ? changed.length === 0 : !changed.includes(column);
    return FOUND_BY_READING.has(code) && isStill;
  });
}

function isIdProblem({ code, column }: SheetProblem): boolean {
  return code.startsWith('row-id-') || (code === 'reserved-value' && column === 'row');
}
