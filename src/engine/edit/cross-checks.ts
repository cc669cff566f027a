/** What an edit changes for rows because of other rows: references between them, and requests that are alike. */
import { groupBy } from '../../shared/domain/base/result.ts';
import { rowsPerhapsMeant, rowsReferredTo } from '../../shared/domain/cells/reference.ts';
import { duplicateRequest } from '../../shared/domain/sheet/duplicate-requests.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { requestText, type Row } from '../../shared/domain/sheet/row.ts';
import { checkChains, linkRow, type RowFinder } from '../../shared/domain/sheet/sheet-references.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import type { SheetLayout } from '../../shared/domain/sheet/sheet-columns.ts';
import type { RowPlace } from '../ports/sheet-store.ts';
import { isBlockedRow, isError, type PlanContext, type RowPlan, type SheetPlan } from './sheet-plan.ts';

/**
 * Rechecks the references of the rows that an edit may affect: those that it checked, and, if what other rows see of
 * one of them has changed, all rows that refer to it, directly or not. Puts the new problems into `plan`.
 * @param changedIds Folded ids that appeared, disappeared, or changed hands in the edit.
 */
export async function checkReferences(
  plan: SheetPlan,
  changedIds: ReadonlySet<string>,
  { layout }: SheetChecker,
): Promise<void> {
  const rows = [...(await withDependents(plan, changedIds))].flatMap((key) => plan.row(key) ?? []);
  const named = await rowsNamed(rows, plan);
  const finder = finderIn(named);
  const linked: RowPlan[] = [];
  for (const before of rows) {
    const { row, problems } = linkRow(before.row, finder, layout);
    const others = before.cross.filter(({ code }) => !code.startsWith('reference-'));
    linked.push({ ...before, row, cross: [...problems, ...others] });
  }
  for (const row of linked) plan.put(row);
  const chains = problemsOfChains(linked, named, layout);
  for (const row of linked) {
    const problems = chains.get(row.row.id);
    if (problems !== undefined) plan.put({ ...row, cross: [...row.cross, ...problems] });
  }
}

/** The checked rows, and every row that waits for one whose visible result has changed. */
async function withDependents(plan: SheetPlan, changedIds: ReadonlySet<string>): Promise<ReadonlySet<number>> {
  const checked = plan.changed().filter((row) => row.checked !== undefined);
  const touched = new Set(checked.map(({ key }) => key));
  let ids = new Set(changedIds);
  for (const row of checked) if (looksDifferent(plan, row)) ids.add(foldRowId(row.row.id));
  while (ids.size > 0) {
    const found = (await plan.keysReferringTo([...ids])).filter((key) => !touched.has(key));
    await plan.load(found);
    ids = new Set();
    for (const key of found) {
      touched.add(key);
      const row = plan.row(key);
      if (row !== undefined) ids.add(foldRowId(row.row.id));
    }
  }
  return touched;
}

/**
 * Whether a row's references, or whether it runs, may have changed. Other rows do not care what the row itself asks
 * for.
 */
function looksDifferent(plan: SheetPlan, { key, row, own }: RowPlan): boolean {
  const stored = plan.stored(key);
  if (stored === undefined) return true;
  // A picture is made from what the operation of its row gives.
  if (stored.row.operation !== row.operation) return true;
  if (stored.row.skip !== row.skip || stored.problems.some(isError) !== own.some(isError)) return true;
  // A circle can only be seen with all of its rows.
  if (stored.problems.some(({ code }) => code === 'reference-cycle')) return true;
  return textsOfLinks(stored.row) !== textsOfLinks(row);
}

function textsOfLinks({ links }: Row): string {
  return links === undefined ? '' : rowsReferredTo(links).map(foldRowId).join('\n');
}

/** The rows that these may refer to, by folded id. */
async function rowsNamed(rows: readonly RowPlan[], plan: SheetPlan): Promise<ReadonlyMap<string, RowPlan>> {
  const written = new Set(rows.flatMap(({ row }) => rowsPerhapsMeant(row.links).map(foldRowId)));
  const found = await plan.keysByIds([...written]);
  const first = [...found].flatMap(([id, [key]]) => (key === undefined ? [] : [[id, key] as const]));
  await plan.load(first.map(([, key]) => key));
  return new Map(
    first.flatMap(([id, key]) => {
      const row = plan.row(key);
      return row === undefined ? [] : [[id, row]];
    }),
  );
}

function finderIn(named: ReadonlyMap<string, RowPlan>): RowFinder {
  return {
    find: (written) => named.get(foldRowId(written))?.row.id,
    // Finding the nearest of 100,000 ids would take longer than an edit may.
    nearest: () => undefined,
  };
}

/** What is wrong with how these rows wait for others, by id. The rows that they refer to are taken as they are. */
function problemsOfChains(
  linked: readonly RowPlan[],
  named: ReadonlyMap<string, RowPlan>,
  layout: SheetLayout,
): ReadonlyMap<string, readonly SheetProblem[]> {
  const own = new Set(linked.map(({ row }) => foldRowId(row.id)));
  const targets = new Set(linked.flatMap(({ row }) => rowsReferredTo(row.links).map(foldRowId)));
  const standing = [...targets].flatMap((id) => (own.has(id) ? [] : (named.get(id) ?? [])));
  const alone = standing.map(({ row }): Row => {
    const { links: _, ...rest } = row;
    return rest;
  });
  const invalid = new Set([...linked, ...standing].filter(isBlockedRow).map(({ row }) => row.id));
  const found = checkChains([...linked.map(({ row }) => row), ...alone], invalid, layout);
  return groupBy(found, ({ row }) => row ?? '');
}

/** The same request in more rows than this is not counted exactly: nobody needs the number. */
const MOST_COMPARED = 1_000;
/** For how many requests rows are compared at once: more would take too much memory. */
const REQUESTS_AT_A_TIME = 100;

/**
 * Rechecks which rows ask for the same, among all rows that ask for what a row of the edit asks for before or after it,
 * and puts those whose problems changed into `plan`.
 */
export async function checkDuplicates(plan: SheetPlan, context: PlanContext): Promise<void> {
  const { sheets, batch, checker } = context;
  const requestOf = (row: Parameters<typeof requestNumber>[0]): number | undefined => requestNumber(row, checker);
  /** For each request, the edited rows that make it, in order of position. */
  const groups = new Map<number, RowPlan[]>();
  for (const row of plan.changed().toSorted((a, b) => a.position - b.position)) {
    const request = requestOf(row);
    const group = request === undefined ? undefined : groups.get(request);
    if (group !== undefined) group.push(row);
    else if (request !== undefined) groups.set(request, [row]);
  }
  const former = [...plan.removed, ...plan.changed().map(({ key }) => key)].flatMap((key) => {
    const stored = plan.stored(key);
    return (stored && requestOf({ row: stored.row, own: stored.problems, cross: [] })) ?? [];
  });
  const requests = [...new Set([...groups.keys(), ...former])];
  if (requests.length === 0) return;
  const known = await sheets.knownRequests(batch.id, requests);
  const compared = requests.filter((request) => {
    const edited = groups.get(request) ?? [];
    const stored = known.get(request);
    // Most rows are alone before and after the edit, so there is nothing to compare.
    const isAlone = stored === undefined ? edited.length <= 1 : stored === 'one' && edited.length === 0;
    return !isAlone || edited.some(({ key }) => isWarned(plan, key));
  });
  const concerned = new Set<number>();
  const found = new Map<number, SheetProblem>();
  for (let from = 0; from < compared.length; from += REQUESTS_AT_A_TIME) {
    const some = compared.slice(from, from + REQUESTS_AT_A_TIME);
    // Every row that the edit takes away lets another one move up.
    const places = await sheets.placesByRequests(batch.id, some, MOST_COMPARED + plan.touched);
    const asking = some.map((request) =>
      rowsAskingFor(places.get(request) ?? [], groups.get(request) ?? [], MOST_COMPARED, plan),
    );
    const changed = asking.filter((one) => mayBeWarned(one, plan));
    await plan.load(changed.flatMap(({ before, after }) => [...before, ...after]));
    for (const { before, after } of changed) {
      for (const key of [...before, ...after]) concerned.add(key);
      for (const [key, problem] of problemsOf(plan, after, context)) found.set(key, problem);
    }
  }
  for (const key of concerned) setDuplicate(plan, key, found.get(key));
}

/** Whether a warning about rows that ask for the same may appear, disappear or change. */
function mayBeWarned({ before, after }: RowsAsking, plan: SheetPlan): boolean {
  const isOne = before.length <= 1 && after.length <= 1;
  if (isOne && ![...before, ...after].some((key) => isWarned(plan, key))) return false;
  // Rows beyond this many unchanged ones do not affect the message.
  const isSame = after.every((key, at) => before[at] === key && !plan.isTouched(key));
  return after.length < MOST_COMPARED || !isSame;
}

/** Whether a row that the edit touches had a warning about a duplicate before. */
function isWarned(plan: SheetPlan, key: number): boolean {
  return plan.isTouched(key) && plan.row(key)?.cross.some(isDuplicate) === true;
}

/** The number of a row's request; undefined for a row that cannot run. */
export function requestNumber(
  row: Pick<RowPlan, 'row' | 'own' | 'cross'>,
  checker: Pick<PlanContext['checker'], 'requestKey'>,
): number | undefined {
  return row.row.skip || row.row.operation === undefined || isBlockedRow(row) ? undefined : checker.requestKey(row.row);
}

/** Keys of the first rows that ask for something, in order of position, before and after an edit. */
interface RowsAsking {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * The first rows that ask for something, at most `limit`: as `stored`, and with the `edited` rows that ask for it now.
 * Both are in order of position.
 */
export function rowsAskingFor(
  stored: readonly RowPlace[],
  edited: readonly RowPlan[],
  limit: number,
  plan: SheetPlan,
): RowsAsking {
  const untouched = stored.filter(({ key }) => !plan.isTouched(key));
  const after: number[] = [];
  let at = 0;
  for (const { key, position } of edited) {
    // One by one: there may be more rows than a call can take arguments.
    for (let next = untouched[at]; next !== undefined && next.position < position; next = untouched[(at += 1)]) {
      after.push(next.key);
    }
    after.push(key);
  }
  const keys = (places: readonly RowPlace[]): readonly number[] => places.map(({ key }) => key);
  return { before: keys(stored.slice(0, limit)), after: [...after, ...keys(untouched.slice(at))].slice(0, limit) };
}

/** The warnings of these rows, by key: each is on the second of the rows that ask for the same. */
function problemsOf(
  plan: SheetPlan,
  keys: readonly number[],
  { batch, checker }: PlanContext,
): ReadonlyMap<number, SheetProblem> {
  const rows = keys.flatMap((key) => plan.row(key) ?? []);
  const groups = groupBy(rows, ({ row }) => requestText(row));
  const found = new Map<number, SheetProblem>();
  for (const group of groups.values()) {
    const alike = group.map(({ row }) => row);
    if (group[1] !== undefined)
      found.set(group[1].key, duplicateRequest(alike, checker.layout, batch.settings.profile.prices));
  }
  return found;
}

function setDuplicate(plan: SheetPlan, key: number, problem: SheetProblem | undefined): void {
  const row = plan.row(key);
  if (row === undefined || row.cross.find(isDuplicate)?.message === problem?.message) return;
  const others = row.cross.filter((one) => !isDuplicate(one));
  plan.put({ ...row, cross: problem === undefined ? others : [...others, problem] });
}

function isDuplicate(problem: SheetProblem): boolean {
  return problem.code === 'duplicate-request';
}
