/**
 * What was edited in a row since its import. A cell's earlier text is kept once, at the moment when another one takes
 * its place: the first text under a header is the imported one, and each was followed by the next one or, at the end,
 * by the cell as it is.
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

/** What is kept about the edits of a row. */
export interface RowEdits {
  /** When the user added the row, in milliseconds since the epoch; absent for a row from the file. */
  readonly addedAt?: number;
  /** Oldest first. Not called `cells`: in the row’s JSON in the store, that is how its cells are found. */
  readonly earlier: readonly CellEdit[];
}

/** An edit of a cell as it is shown. */
export interface CellChange {
  readonly at: number;
  readonly header: string;
  readonly before: string;
  readonly after: string;
  readonly isReimport?: true;
}

/**
 * How many edits of a row are kept, and how many characters, besides the imported texts and what was there before the
 * last edit.
 */
export const EDITS_KEPT = 20;
const CHARACTERS_KEPT = 20_000;

/** Cells that are given other texts. */
interface EditOfCells extends Pick<CellEdit, 'at'> {
  /** All cells of the row as they were. */
  readonly before: Readonly<Record<string, string>>;
  /** The headers of the cells that change. */
  readonly headers: readonly string[];
  /** A text without the gateway's key in it: one that was entered since the import may be in a cell. */
  readonly hide: (text: string) => string;
}

/**
 * The edits of a row with one more by the user. In a column that is new or has come back, there is nothing before it.
 */
export function withCellEdits(edits: RowEdits | undefined, edit: EditOfCells): RowEdits | undefined {
  const own = edit.headers.filter((header) => Object.hasOwn(edit.before, header));
  if (own.length === 0) return edits;
  return { ...edits, earlier: noted(edits, { ...edit, headers: own }) };
}

/**
 * What is kept about the edits of a row that matches its file: from then on, its texts count as the imported ones.
 * @param after All cells as the file has them.
 */
export function withReimport(
  edits: RowEdits | undefined,
  after: Readonly<Record<string, string>>,
  edit: EditOfCells,
): RowEdits | undefined {
  const told = new Set(edits?.earlier.map(({ header }) => header));
  const isKnown = (header: string): boolean => Object.hasOwn(edit.before, header) && Object.hasOwn(after, header);
  // A column may have been away meanwhile.
  const changed = edit.headers.filter((header) => told.has(header) || isKnown(header));
  const earlier = noted(edits, { ...edit, headers: changed }, true);
  const [headers, texts] = [Object.keys(after), Object.values(after)];
  const marked = editedIn({ earlier }, headers, texts).slice(0, 1);
  if (marked.length === 0) return earlier.length === 0 ? undefined : { earlier };
  // One note per import is enough: it changes nothing, but marks from where on edits count.
  const note = { ...edit, before: after, headers: marked.flatMap((index) => headers[index] ?? []) };
  return { earlier: noted({ earlier }, note, true) };
}

function noted(
  edits: RowEdits | undefined,
  { at, before, headers, hide }: EditOfCells,
  isReimport?: true,
): readonly CellEdit[] {
  const { earlier = [] } = edits ?? {};
  if (headers.length === 0) return earlier;
  const how = { at, ...(isReimport && { isReimport }) };
  const added = headers.map((header): CellEdit => ({ ...how, header, was: hide(before[header] ?? '') }));
  return withinBounds([...earlier, ...added], added.length);
}

/** The indexes of the cells that differ from what was imported last; none for a row that the user has added. */
export function editedIn(edits: RowEdits, headers: readonly string[], texts: readonly string[]): readonly number[] {
  if (edits.addedAt !== undefined) return [];
  const imported = new Map<string, string>();
  for (const { header, was } of sinceImport(edits)) if (!imported.has(header)) imported.set(header, was);
  return headers.flatMap((header, index) => ((imported.get(header) ?? texts[index]) === texts[index] ? [] : index));
}

/** Whether a row differs from what was imported: the user has added it, or a cell has another text. */
export function isEditedRow(edits: RowEdits, headers: readonly string[], texts: readonly string[]): boolean {
  return edits.addedAt !== undefined || editedIn(edits, headers, texts).length > 0;
}

/** What was changed in the columns that a sheet has now, newest first. */
export function cellChanges(
  { earlier }: RowEdits,
  headers: readonly string[],
  texts: readonly string[],
): readonly CellChange[] {
  const next = new Map(headers.map((header, index) => [header, texts[index] ?? '']));
  return earlier.toReversed().flatMap(({ was: before, ...edit }): readonly CellChange[] => {
    const after = next.get(edit.header);
    if (after === undefined) return [];
    next.set(edit.header, before);
    // If both texts are the same, those between them were forgotten, or the file has the cell as it was.
    return before === after ? [] : [{ ...edit, before, after }];
  });
}

function sinceImport({ earlier }: RowEdits): readonly CellEdit[] {
  return earlier.slice(importedBefore(earlier));
}

/** The index of the first edit since the file was imported last. */
function importedBefore(cells: readonly CellEdit[]): number {
  return cells.findLastIndex(({ isReimport }) => isReimport === true) + 1;
}

/**
 * Keeps the imported texts, the `newest` latest edits, and the last ones of the others. Of a cell's forgotten edits,
 * the newest takes over the imported text, which then appears to have been followed by what followed that edit.
 */
function withinBounds(cells: readonly CellEdit[], newest: number): readonly CellEdit[] {
  const imported = new Map<string, CellEdit>();
  for (const edit of cells.slice(importedBefore(cells), -newest))
    if (!imported.has(edit.header)) imported.set(edit.header, edit);
  const kept = cells.slice(-newest).toReversed();
  let [edits, characters] = [0, 0];
  for (const edit of cells.slice(0, -newest).toReversed()) {
    const { header, was } = edit;
    const first = imported.get(header);
    const isFirst = first === edit;
    if (!isFirst) [edits, characters] = [edits + 1, characters + was.length];
    const isRoom = edits <= EDITS_KEPT && characters <= CHARACTERS_KEPT;
    if (isFirst || isRoom) kept.push(edit);
    else if (first !== undefined) kept.push({ ...edit, was: first.was });
    // Its imported text has been kept by now; older edits are kept only if there is room.
    if (isFirst || !isRoom) imported.delete(header);
  }
  return kept.toReversed();
}
