import { groupBy } from '../base/result.ts';
import { domainWords } from '../../words/domain-words.ts';
import {
  picturesIn,
  readReference,
  rowsReferredTo,
  type PicturePart,
  type LinkedField,
  type LinkedText,
  type Reference,
} from '../cells/reference.ts';
import { quoteCell } from '../cells/cell-value.ts';
import { nearestName } from '../base/nearest-name.ts';
import { findCircles } from '../cells/reference-circles.ts';
import type { Circle } from '../cells/reference-circles.ts';
import type { Row } from './row.ts';
import type { SheetProblem } from './problems.ts';
import { headerOfColumn, type SheetLayout } from './sheet-columns.ts';
import { operationOf, type OutputKind } from '../operations/operations.ts';
import { foldRowId } from './sheet-row-ids.ts';

/** Finds the rows of a sheet that others refer to. */
export interface RowFinder {
  /** The exact id of the row with this spelling: case and composition make no difference, as in file names. */
  find(written: string): string | undefined;
  /** The id that the user most likely meant if there is no such row. */
  nearest(written: string): string | undefined;
}

/** Searches for nearest ids at most this often: each search goes through all of them. */
const MOST_LOOKUPS = 20;

/** Finds rows among these ids; of ids that fold to the same, the first one is found. */
export function createRowFinder(ids: readonly string[]): RowFinder {
  const byFolded = new Map<string, string>();
  for (const id of ids) {
    const folded = foldRowId(id);
    if (!byFolded.has(folded)) byFolded.set(folded, id);
  }
  const nearest = new Map<string, string | undefined>();
  const find = (written: string): string | undefined => byFolded.get(foldRowId(written));
  return {
    find,
    nearest: (written) => {
      // A row with a choice in it has become several rows: `intro-1`, `intro-2`.
      const expanded = find(`${written}-1`);
      if (expanded !== undefined || nearest.has(written) || nearest.size >= MOST_LOOKUPS) {
        return expanded ?? nearest.get(written);
      }
      const found = nearestName(written, byFolded.values());
      nearest.set(written, found);
      return found;
    },
  };
}

/** The row with the exact ids of the rows that it refers to, and an error for each reference to a missing row. */
export function linkRow(
  row: Row,
  finder: RowFinder,
  layout: SheetLayout,
): { readonly row: Row; readonly problems: readonly SheetProblem[] } {
  if (row.links === undefined) return { row, problems: [] };
  const problems: SheetProblem[] = [];
  const link = (reference: Reference, column: string): Reference => {
    const readings = readReference(reference.text);
    for (const reading of readings) {
      const id = finder.find(reading.row);
      if (id === row.id) problems.push({ ...placeOf(row, column), ...selfReference(reference) });
      if (id !== undefined) return { ...reading, row: id };
    }
    // If no reading names a row, the shortest id is the likeliest one: the rest is the path.
    const likeliest = readings.at(-1) ?? reference;
    problems.push({ ...placeOf(row, column), ...missingReference(likeliest, finder.nearest(likeliest.row), layout) });
    return likeliest;
  };
  const links = row.links.map((field) => mapReferences(field, (reference) => link(reference, field.column)));
  return { row: { ...row, links }, problems: row.skip ? [] : problems };
}

/** The row with references to the ids that other rows have by now. */
export function withIdsOf(row: Row, idNow: (id: string) => string): Row {
  if (row.links === undefined) return row;
  const links = row.links.map((field) =>
    mapReferences(field, (reference) => ({ ...reference, row: idNow(reference.row) })),
  );
  return { ...row, links };
}

function mapReferences(field: LinkedField, map: (reference: Reference) => Reference): LinkedField {
  const text = (parts: LinkedText): LinkedText => parts.map((part) => (typeof part === 'string' ? part : map(part)));
  const { column, value } = field;
  return value.kind === 'text'
    ? { column, value: { kind: 'text', text: text(value.text) } }
    : { column, value: { kind: 'list', items: value.items.map(text) } };
}

/**
 * What is wrong with the references between a sheet's rows: circles, and rows that wait for a row that cannot run.
 * Takes time in proportion to the rows and their references.
 * @param rows The linked rows, in their order.
 * @param invalid Ids of the rows that already have an error.
 */
export function checkChains(rows: readonly Row[], invalid: ReadonlySet<string>, layout: SheetLayout): SheetProblem[] {
  const waiting = new Map(rows.flatMap((row) => (row.links !== undefined && !row.skip ? [[row.id, row]] : [])));
  if (waiting.size === 0) return [];
  const targets = new Map([...waiting].map(([id, row]) => [id, rowsReferredTo(row.links)]));
  const problems: SheetProblem[] = [];
  const circular = new Set<string>();
  for (const circle of findCircles(targets)) {
    const text = referenceCircle(circle);
    const members = new Set(circle.ids);
    for (const id of circle.ids) {
      circular.add(id);
      const row = waiting.get(id);
      if (row)
        problems.push({
          ...placeOf(
            row,
            columnTo(row, (target) => members.has(target)),
          ),
          ...text,
        });
    }
  }
  const byId = new Map(rows.map((row) => [row.id, row]));
  const unmade = [...waiting.values()].flatMap((row) => pictureSourceProblem(row, (id) => byId.get(id)) ?? []);
  problems.push(...unmade);
  const skipped = new Set(rows.filter((row) => row.skip).map((row) => row.id));
  const unable = withThoseBehind(targets, [
    ...invalid,
    ...circular,
    ...unmade.flatMap(({ row = [] }) => row),
    ...skipped,
  ]);
  const obstacleOf = (id: string): Obstacle | undefined =>
    skipped.has(id) ? 'skipped' : unable.has(id) ? 'invalid' : undefined;
  for (const [id, row] of waiting) {
    if (invalid.has(id) || circular.has(id) || !unable.has(id)) continue;
    const blocked = blockedReference(row, obstacleOf, layout);
    if (blocked) problems.push(blocked);
  }
  return problems;
}

/** These rows and all that wait for one of them, directly or not. */
function withThoseBehind(targets: ReadonlyMap<string, readonly string[]>, ids: readonly string[]): ReadonlySet<string> {
  const references = [...targets].flatMap(([id, rows]) => rows.map((row) => ({ id, row })));
  const behind = groupBy(
    references,
    ({ row }) => row,
    ({ id }) => id,
  );
  // Iterating over a set includes the members that are added on the way.
  const found = new Set(ids);
  for (const id of found) for (const waiting of behind.get(id) ?? []) found.add(waiting);
  return found;
}

/** What keeps a row from running: an error, or the author's choice. */
export type Obstacle = 'invalid' | 'skipped';

type ReferenceProblem = Pick<SheetProblem, 'severity' | 'code' | 'message' | 'remedy'>;
type Place = Required<Pick<SheetProblem, 'line' | 'row' | 'column'>>;

function placeOf({ line, id }: Row, column: string): Place {
  return { line, row: id, column };
}

/** The column of the first reference to such a row. */
function columnTo(row: Row, isMeant: (id: string) => boolean): string {
  const link = row.links?.find((field) => rowsReferredTo([field]).some(isMeant));
  return link?.column ?? '';
}

/** The error for a reference to a missing row. */
function missingReference(reference: Reference, nearest: string | undefined, layout: SheetLayout): ReferenceProblem {
  return {
    severity: 'error',
    code: 'reference-missing',
    ...domainWords.problems.reference.missing(
      quoteCell(`{{${reference.text}}}`),
      quoteCell(reference.row),
      nearest && quoteCell(nearest),
      headerOfColumn(layout, 'row'),
    ),
  };
}

/** The error for a row that refers to itself. */
export function selfReference(reference: Reference): ReferenceProblem {
  return {
    severity: 'error',
    code: 'reference-cycle',
    ...domainWords.problems.reference.toItself(quoteCell(`{{${reference.text}}}`)),
  };
}

const NAMED_ROWS = 10;

/** The error for every row of a circle. */
export function referenceCircle({ ids, isSimple }: Circle): ReferenceProblem {
  const named = ids.slice(0, NAMED_ROWS).map(quoteCell);
  const first = isSimple ? quoteCell(ids[0] ?? '') : undefined;
  return {
    severity: 'error',
    code: 'reference-cycle',
    ...domainWords.problems.reference.circle(named, ids.length - named.length, first),
  };
}

/** The error for a row that refers to a row that cannot run; undefined if all of them can. */
function blockedReference(
  row: Row,
  obstacleOf: (id: string) => Obstacle | undefined,
  layout: SheetLayout,
): SheetProblem | undefined {
  const target = rowsReferredTo(row.links).find((id) => obstacleOf(id) !== undefined);
  if (target === undefined) return undefined;
  const skip = obstacleOf(target) === 'skipped' ? headerOfColumn(layout, 'skip') : undefined;
  return {
    ...placeOf(
      row,
      columnTo(row, (id) => id === target),
    ),
    severity: 'error',
    code: 'reference-blocked',
    ...domainWords.problems.reference.blocked(quoteCell(target), skip),
  };
}

/** What each picture is made from. */
const MADE_OF: Readonly<Record<PicturePart, OutputKind>> = { lastFrame: 'video', cover: 'music' };

/** The error for a row that needs a picture from a row that gives nothing to make it from. */
function pictureSourceProblem(row: Row, rowOf: (id: string) => Row | undefined): SheetProblem | undefined {
  for (const link of row.links ?? []) {
    for (const { row: id, path, text } of picturesIn(link)) {
      const operation = rowOf(id)?.operation;
      if (operation === undefined || operationOf(operation).output === MADE_OF[path.part]) continue;
      return {
        severity: 'error',
        code: 'reference-invalid',
        line: row.line,
        row: row.id,
        column: link.column,
        ...domainWords.problems.reference.noPicture(
          path.part,
          quoteCell(`{{${text}}}`),
          quoteCell(id),
          operationOf(operation).short,
          `{{${id}.output.${path.index}.url}}`,
        ),
      };
    }
  }
  return undefined;
}
