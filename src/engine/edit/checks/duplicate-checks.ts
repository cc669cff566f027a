import { duplicateRequest } from '../../../shared/domain/sheet/duplicate-requests.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { requestText } from '../../../shared/domain/sheet/sheet-checker.ts';
import type { PendingSheet } from '../pending-sheet.ts';

/** Of more rows that ask for the same nobody wants to know the exact number. */
const MOST_COMPARED = 1_000;

/**
 * Looks again at which rows ask for the same, among those that ask for one of these things before or after the edit, and
 * puts those into `pending` of which something else is wrong now.
 * @param requests Numbers of what rows ask for, see `requestKey`.
 */
export function checkDuplicates(pending: PendingSheet, requests: ReadonlySet<number>, prices: Profile['prices']): void {
  const concerned = new Set<number>();
  const found = new Map<number, SheetProblem>();
  const lonely = pending.lonelyRequests([...requests]);
  for (const request of requests) {
    if (lonely.has(request) && !hasDuplicate(pending, pending.changedByRequest(request))) continue;
    const { before, after } = pending.keysByRequest(request, MOST_COMPARED);
    // A group of one before and after has nothing to say; most rows are alone.
    if (before.length <= 1 && after.length <= 1 && !hasDuplicate(pending, [...before, ...after])) continue;
    // Whatever comes behind so many rows that stay as they are makes no difference to what is said of them.
    if (after.length === MOST_COMPARED && isUntouched(pending, before, after)) continue;
    pending.load([...before, ...after]);
    for (const key of [...before, ...after]) concerned.add(key);
    for (const [key, problem] of problemsOf(pending, after, prices)) found.set(key, problem);
  }
  for (const key of concerned) setDuplicate(pending, key, found.get(key));
}

function isUntouched(pending: PendingSheet, before: readonly number[], after: readonly number[]): boolean {
  return after.every((key, at) => before[at] === key && !pending.isChanged(key));
}

function hasDuplicate(pending: PendingSheet, keys: readonly number[]): boolean {
  return keys.some((key) => pending.isChanged(key) && pending.row(key)?.cross.some(isDuplicate));
}

/** The warnings of these rows, by their keys: each stands at the second row of those that ask for the same. */
function problemsOf(
  pending: PendingSheet,
  keys: readonly number[],
  prices: Profile['prices'],
): ReadonlyMap<number, SheetProblem> {
  const groups = new Map<string, { readonly key: number; readonly row: Row }[]>();
  for (const key of keys) {
    const row = pending.row(key)?.row;
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

function setDuplicate(pending: PendingSheet, key: number, problem: SheetProblem | undefined): void {
  const row = pending.row(key);
  if (row === undefined) return;
  const present = row.cross.find(isDuplicate);
  if (present?.message === problem?.message) return;
  const others = row.cross.filter((one) => !isDuplicate(one));
  pending.put({ ...row, cross: problem === undefined ? others : [...others, problem] });
}

function isDuplicate(problem: SheetProblem): boolean {
  return problem.code === 'duplicate-request';
}
