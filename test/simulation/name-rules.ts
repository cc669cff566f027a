/** What must hold when rows get other ids, or are copied. */
import { isDeepStrictEqual } from 'node:util';
import { isBlank } from '../../src/shared/domain/base/text.ts';
import { foldRowId } from '../../src/shared/domain/sheet/sheet-row-ids.ts';
import type { SeenRow, SeenTake, Sight } from './sight.ts';
import { sourceIn } from './sim-sheet.ts';

/** A row that was given an id. */
interface Given {
  readonly keys: readonly number[];
  readonly id: string;
}

/** What is wrong with the ids of a sheet after an edit, and with the references to them; undefined if nothing is. */
export function wrongNames(before: Sight, after: Sight, given?: Given): string | undefined {
  const [was, is] = [holdersIn(before), holdersIn(after)];
  if (is.size < after.size) return `rows share an id: ${Array.from(after.values(), ({ id }) => id).join()}`;
  for (const key of given?.keys ?? []) {
    const says = wrongGiven(key, given?.id ?? '', before, after);
    if (says !== undefined) return says;
  }
  const isNews = (id: string): boolean => was.get(id) !== is.get(id);
  for (const [key, row] of after) {
    const wanted = wantedBy(row);
    if (wanted !== '' && isNews(wanted) && !is.has(wanted)) return `row ${key} wants ${wanted}, which nobody has`;
    const source = foldRowId(sourceIn(row.cells) ?? '');
    // What is on its way stays as it was when it was sent.
    if (source === '' || !isNews(source) || [before.get(key), row].some(isUnderWay)) continue;
    if (!is.has(source) && row.errors.length === 0) return `row ${key} refers to ${source}, which nobody has`;
    if (is.has(source) && row.errors.includes('reference-missing')) return `row ${key} does not find ${source}`;
  }
  return undefined;
}

function wrongGiven(key: number, id: string, before: Sight, after: Sight): string | undefined {
  const row = after.get(key);
  // A file that was read again may have changed how the cell is written.
  if (row === undefined || isBlank(id) || before.get(key)?.cells['row'] === id) return undefined;
  const holder = holdersIn(before).get(foldRowId(id)) ?? key;
  const isRefused = row.errors.includes('row-id-duplicate');
  if (holder !== key) return isRefused ? undefined : `row ${key} is ${row.id}, and ${id} is row ${holder}`;
  return row.id === id && !isRefused ? undefined : `row ${key} is ${row.id}, and was given ${id}, which was free`;
}

/** What is wrong with copies of rows, each of which must be below its row; undefined if nothing is. */
export function wrongCopies(
  before: Sight,
  after: Sight,
  keys: readonly number[],
  inserted: readonly number[],
): string | undefined {
  const order = [...after.keys()];
  const added = order.filter((key) => !before.has(key));
  if (added.length !== keys.length || added.some((key) => !inserted.includes(key)))
    return `of ${keys.join()}, ${added.join()} are copies, and ${inserted.join()} were named`;
  for (const key of keys) {
    const [row, copy] = [before.get(key), after.get(order[order.indexOf(key) + 1] ?? -1)];
    const { row: id = '', ...cells } = row?.cells ?? {};
    const { row: copyId = '', ...copied } = copy?.cells ?? {};
    const isNamed = id === '' ? copyId === '' : /-copy(?:-\d+)?$/u.test(copyId) && copy?.id === copyId;
    if (!isNamed || !isDeepStrictEqual(cells, copied)) return `below ${key} is ${JSON.stringify(copy)}`;
  }
  return undefined;
}

/** Whether what was done is done, and what waited goes on waiting in rows that can run. */
export function haveWhatTheyHad(before: Sight, after: Sight): boolean {
  return [...before].every(([key, { takes }]) => {
    const { takes: now, errors = [] } = after.get(key) ?? {};
    return [...takes].every(([take, was]) => {
      const found = now?.get(take);
      if (was.is === 'ended')
        return was.status !== 'done' || isDeepStrictEqual(found, was) || isMadeAgainSince(was.task, found);
      if (was.is === 'lacking') return true;
      return errors.length > 0 || (found !== undefined && found.is !== 'lacking');
    });
  });
}

/** Whether a gate has flagged what was done, and had it rendered again, while the edit was carried out. */
function isMadeAgainSince(task: number, found: SeenTake | undefined): boolean {
  if (found === undefined || found.is === 'lacking' || !found.isAgain) return false;
  return found.is === 'under way' || found.task > task;
}

function holdersIn(sight: Sight): ReadonlyMap<string, number> {
  return new Map(Array.from(sight, ([key, { id }]) => [foldRowId(id), key]));
}

/** The id that a row names and does not have; blank if there is none. */
function wantedBy({ id, cells }: SeenRow): string {
  const wanted = foldRowId(cells['row']?.trim() ?? '');
  return wanted === foldRowId(id) ? '' : wanted;
}

function isUnderWay(row: SeenRow | undefined): boolean {
  return row !== undefined && [...row.takes.values()].some(({ is }) => is === 'under way');
}
