import { rowsReferredTo } from '../../shared/domain/cells/reference.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { duplicateRequest } from '../../shared/domain/sheet/duplicate-requests.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { requestText } from '../../shared/domain/sheet/sheet-checker.ts';
import { checkChains, linkRow, type RowFinder } from '../../shared/domain/sheet/sheet-references.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import { isError, type RowPlan, type SheetPlan } from './plan-sheet.ts';

/** A row whose links and their problems were recomputed. */
interface Linked {
  readonly row: Row;
  readonly own: readonly SheetProblem[];
  readonly problems: readonly SheetProblem[];
}

/**
 * Rechecks the references of the rows that an edit may concern: the edited rows, and all that refer to one of them,
 * directly or not, if what others see of it has changed. Puts the new problems into `plan`.
 * @param changedIds Folded ids that appeared, disappeared, or changed hands in the edit.
 * @param edited Keys of the edited rows.
 */
export function checkReferences(
  plan: SheetPlan,
  edited: readonly number[],
  changedIds: ReadonlySet<string>,
): readonly number[] {
  const touched = withDependents(plan, edited, changedIds);
  const finder = finderIn(plan);
  const linked = new Map<number, Linked>();
  for (const key of touched) {
    const rowPlan = plan.row(key);
    if (rowPlan === undefined) continue;
    const { row, problems } = linkRow(rowPlan.row, finder);
    linked.set(key, { row, own: rowPlan.own, problems });
  }
  const chains = problemsOfChains(plan, linked);
  for (const [key, { row, problems }] of linked) {
    const before = plan.row(key);
    if (before === undefined) continue;
    const others = before.cross.filter((problem) => !problem.code.startsWith('reference-'));
    plan.put({ ...before, row, cross: [...problems, ...(chains.get(row.id) ?? []), ...others] });
  }
  return [...linked.keys()];
}

/** The edited rows, and every row that waits for one whose visible result has changed. */
function withDependents(
  plan: SheetPlan,
  edited: readonly number[],
  changedIds: ReadonlySet<string>,
): ReadonlySet<number> {
  const touched = new Set(edited);
  let ids = new Set(changedIds);
  for (const key of edited) {
    const row = plan.row(key);
    if (row !== undefined && looksDifferent(plan, row)) ids.add(foldRowId(row.row.id));
  }
  while (ids.size > 0) {
    const found = plan.keysReferringTo([...ids]).filter((key) => !touched.has(key));
    plan.load(found);
    ids = new Set();
    for (const key of found) {
      touched.add(key);
      const row = plan.row(key);
      if (row !== undefined) ids.add(foldRowId(row.row.id));
    }
  }
  return touched;
}

/** Whether a row's references, or whether it runs, may have changed. Others do not care what it asks for itself. */
function looksDifferent(plan: SheetPlan, { key, row, own }: RowPlan): boolean {
  const stored = key < 0 ? undefined : plan.stored(key);
  if (stored === undefined) return true;
  const wasBroken = stored.problems.some(isError);
  const isBroken = own.some(isError);
  if (stored.row.skip !== row.skip || wasBroken !== isBroken) return true;
  return textsOfLinks(stored.row) !== textsOfLinks(row);
}

function textsOfLinks({ links }: Row): string {
  return links === undefined ? '' : rowsReferredTo(links).map(foldRowId).join('\n');
}

function finderIn(plan: SheetPlan): RowFinder {
  const known = new Map<string, string | undefined>();
  return {
    find(written) {
      const folded = foldRowId(written);
      if (!known.has(folded)) {
        const [key] = plan.keysByIds([folded]).get(folded) ?? [];
        known.set(folded, key === undefined ? undefined : plan.row(key)?.row.id);
      }
      return known.get(folded);
    },
    // Finding the nearest of 100,000 ids takes longer than an edit may.
    nearest: () => undefined,
  };
}

/** What is wrong with how these rows wait for others, by id. Rows that they refer to are taken as they are. */
function problemsOfChains(
  plan: SheetPlan,
  linked: ReadonlyMap<number, Linked>,
): ReadonlyMap<string, readonly SheetProblem[]> {
  const rows = [...linked.values()].map(({ row }) => row);
  const invalid = new Set(
    [...linked.values()].filter((one) => [...one.own, ...one.problems].some(isError)).map(({ row }) => row.id),
  );
  const own = new Set(rows.map((row) => foldRowId(row.id)));
  const targets = [...new Set(rows.flatMap((row) => rowsReferredTo(row.links).map(foldRowId)))];
  const others = targets.filter((id) => !own.has(id));
  const standing: Row[] = [];
  for (const keys of plan.keysByIds(others).values()) {
    const row = keys[0] === undefined ? undefined : plan.row(keys[0]);
    if (row === undefined) continue;
    const { links: _, ...alone } = row.row;
    standing.push(alone);
    if ([...row.own, ...row.cross].some(isError)) invalid.add(row.row.id);
  }
  const found = new Map<string, SheetProblem[]>();
  for (const problem of checkChains([...rows, ...standing], invalid)) {
    const id = problem.row ?? '';
    found.set(id, [...(found.get(id) ?? []), problem]);
  }
  return found;
}

/** Nobody needs the exact number of more rows than this with the same request. */
const MOST_COMPARED = 1_000;

/**
 * Rechecks which rows ask for the same, among those that ask for one of these things before or after the edit, and puts
 * those whose problems changed into `plan`.
 * @param requests Numbers of what rows ask for, see `requestKey`.
 */
export function checkDuplicates(plan: SheetPlan, requests: ReadonlySet<number>, prices: Profile['prices']): void {
  const concerned = new Set<number>();
  const found = new Map<number, SheetProblem>();
  const lonely = plan.lonelyRequests([...requests]);
  for (const request of requests) {
    if (lonely.has(request) && !hasDuplicate(plan, plan.changedByRequest(request))) continue;
    const { before, after } = plan.keysByRequest(request, MOST_COMPARED);
    // A group of one before and after needs no warning; most rows are alone.
    if (before.length <= 1 && after.length <= 1 && !hasDuplicate(plan, [...before, ...after])) continue;
    // Rows beyond this many unchanged ones do not affect the message.
    if (after.length === MOST_COMPARED && isUntouched(plan, before, after)) continue;
    plan.load([...before, ...after]);
    for (const key of [...before, ...after]) concerned.add(key);
    for (const [key, problem] of problemsOf(plan, after, prices)) found.set(key, problem);
  }
  for (const key of concerned) setDuplicate(plan, key, found.get(key));
}

function isUntouched(plan: SheetPlan, before: readonly number[], after: readonly number[]): boolean {
  return after.every((key, at) => before[at] === key && !plan.isChanged(key));
}

function hasDuplicate(plan: SheetPlan, keys: readonly number[]): boolean {
  return keys.some((key) => plan.isChanged(key) && plan.row(key)?.cross.some(isDuplicate));
}

/** The warnings of these rows, by key: each is on the second row of those that ask for the same. */
function problemsOf(
  plan: SheetPlan,
  keys: readonly number[],
  prices: Profile['prices'],
): ReadonlyMap<number, SheetProblem> {
  const groups = new Map<string, { readonly key: number; readonly row: Row }[]>();
  for (const key of keys) {
    const row = plan.row(key)?.row;
    if (row === undefined) continue;
    const request = requestText(row);
    const group = groups.get(request);
    if (group === undefined) groups.set(request, [{ key, row }]);
    else group.push({ key, row });
  }
  const found = new Map<number, SheetProblem>();
  for (const group of groups.values()) {
    const second = group[1];
    if (second === undefined) continue;
    const rows = group.map(({ row }) => row);
    found.set(second.key, duplicateRequest(rows, prices));
  }
  return found;
}

function setDuplicate(plan: SheetPlan, key: number, problem: SheetProblem | undefined): void {
  const row = plan.row(key);
  if (row === undefined) return;
  const present = row.cross.find(isDuplicate);
  if (present?.message === problem?.message) return;
  const others = row.cross.filter((one) => !isDuplicate(one));
  plan.put({ ...row, cross: problem === undefined ? others : [...others, problem] });
}

function isDuplicate(problem: SheetProblem): boolean {
  return problem.code === 'duplicate-request';
}
