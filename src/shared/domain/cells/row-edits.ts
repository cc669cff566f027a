/**
 * What was edited in a row since its import. A cell's earlier text is kept once, in the moment in which another one takes its
 * place: the first one under a header is the imported text, and what followed each is the next one, or the cell as it is.
 */

/** A cell was given another text. */
export interface CellEdit {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly header: string;
  /** What the cell said until then. */
  readonly was: string;
  /** The file was imported again with another text; absent where the user has edited the cell. */
  readonly isReimport?: true;
}

/** What is kept of the edits of a row. */
export interface RowEdits {
  /** When the user added the row, in milliseconds since the epoch; absent for one of the file. */
  readonly addedAt?: number;
  /** Oldest first. */
  readonly cells: readonly CellEdit[];
}

/** An edit of a cell as it is shown. */
export interface CellChange {
  readonly at: number;
  readonly header: string;
  readonly before: string;
  readonly after: string;
  readonly isReimport?: true;
}

/** So many edits of a row are kept, and so many characters; the imported texts always. */
export const EDITS_KEPT = 20;
const CHARACTERS_KEPT = 20_000;

/** Cells that are given other texts. */
interface EditOfCells extends Omit<CellEdit, 'header' | 'was'> {
  /** All cells of the row as they were. */
  readonly before: Readonly<Record<string, string>>;
  /** Of the cells that change. */
  readonly headers: readonly string[];
  /** A text without the gateway's key in it: one that was entered since the import may be in a cell. */
  readonly hide: (text: string) => string;
}

/** The edits of a row with one more. A column that is new, or back, has nothing before it. */
export function withCellEdits(
  edits: RowEdits | undefined,
  { before, headers, hide, ...how }: EditOfCells,
): RowEdits | undefined {
  const own = headers.filter((header) => Object.hasOwn(before, header));
  if (own.length === 0) return edits;
  const { addedAt, cells = [] } = edits ?? {};
  const added = own.map((header): CellEdit => ({ ...how, header, was: hide(before[header] ?? '') }));
  return {
    // A row that the file has by now is one of the file.
    ...(addedAt === undefined || how.isReimport === true ? {} : { addedAt }),
    cells: withinBounds([...cells, ...added]),
  };
}

/** The indexes of the cells that say something else than what was imported last. Those of a row that the user has added have no mark. */
export function editedIn(edits: RowEdits, headers: readonly string[], texts: readonly string[]): readonly number[] {
  if (edits.addedAt !== undefined) return [];
  const imported = new Map<string, string>();
  for (const { header, was } of sinceImport(edits)) if (!imported.has(header)) imported.set(header, was);
  return headers.flatMap((header, index) => ((imported.get(header) ?? texts[index]) === texts[index] ? [] : index));
}

/** Whether a row is not what was imported: the user has added it, or a cell says something else. */
export function isEditedRow(edits: RowEdits, headers: readonly string[], texts: readonly string[]): boolean {
  return edits.addedAt !== undefined || editedIn(edits, headers, texts).length > 0;
}

/** What was changed in the columns that a sheet has now, newest first. */
export function cellChanges(
  { cells }: RowEdits,
  headers: readonly string[],
  texts: readonly string[],
): readonly CellChange[] {
  const next = new Map(headers.map((header, index) => [header, texts[index] ?? '']));
  return cells.toReversed().flatMap(({ was: before, ...edit }): readonly CellChange[] => {
    const after = next.get(edit.header);
    if (after === undefined) return [];
    next.set(edit.header, before);
    return [{ ...edit, before, after }];
  });
}

function sinceImport({ cells }: RowEdits): readonly CellEdit[] {
  return cells.slice(cells.findLastIndex(({ isReimport }) => isReimport === true) + 1);
}

/** Forgets the oldest texts. Two edits of a cell become one by that, from the text before the first to the one after the second. */
function withinBounds(cells: readonly CellEdit[]): readonly CellEdit[] {
  let kept = cells;
  while (isTooMuch(kept)) {
    const isReimported = kept.some(({ isReimport }) => isReimport === true);
    const left = isReimported ? kept.slice(1) : joinedOnce(kept);
    if (left === undefined) break;
    kept = left;
  }
  return kept;
}

function isTooMuch(cells: readonly CellEdit[]): boolean {
  return cells.length > EDITS_KEPT || cells.reduce((sum, { was }) => sum + was.length, 0) > CHARACTERS_KEPT;
}

/** The second edit of a cell takes the first one in; undefined if each cell was edited once. */
function joinedOnce(cells: readonly CellEdit[]): readonly CellEdit[] | undefined {
  const firsts = new Map<string, CellEdit>();
  for (const second of cells) {
    const first = firsts.get(second.header);
    if (first === undefined) firsts.set(second.header, second);
    else
      return cells
        .filter((edit) => edit !== first)
        .map((edit) => (edit === second ? { ...second, was: first.was } : edit));
  }
  return undefined;
}
