import { repeatedBlock, type FillDirection } from '../../../shared/domain/cells/paste-block.ts';
import { words } from '../../../shared/words/words.ts';
import type { Notices } from '../notices-store.ts';
import type { RowsView } from './rows-view.ts';
import type { CellArea, SheetEditing } from './sheet-editing.ts';

/** What the window knows about a sheet on screen. */
interface ShownSheet {
  readonly editing: SheetEditing;
  readonly rows: RowsView;
  readonly notices: Pick<Notices, 'show'>;
}

/** Rows that are read before anything is written. */
const MOST_ROWS = 1_000;

/** Repeats the cells of one block over the one beside it, as dragging a selection's corner does. */
export async function repeatBlock(
  shown: ShownSheet,
  source: CellArea,
  target: CellArea & { readonly height: number },
  direction: FillDirection,
): Promise<void> {
  if (source.rows.length > MOST_ROWS) {
    const { tooManyToFill, fillFewer } = words.notices.edits;
    shown.notices.show({ level: 'info', title: tooManyToFill, message: fillFewer(MOST_ROWS) });
    return;
  }
  const block: string[][] = [];
  const { batchId } = shown.rows.store.getState();
  for (const key of source.rows) {
    const line = await Promise.all(source.headers.map((header) => textOf(shown, key, header)));
    const texts = line.filter((text) => text !== undefined);
    if (texts.length < line.length) return;
    block.push(texts);
  }
  // Another batch may be on screen by now.
  if (block.length === 0 || batchId !== shown.rows.store.getState().batchId) return;
  const size = { height: target.height, width: target.headers.length };
  await shown.editing.setCells(target, repeatedBlock(block, size, direction));
}

/** The whole text of a cell, which the window may know only in part. */
async function textOf(
  { editing, rows: { pages } }: ShownSheet,
  key: number,
  header: string,
): Promise<string | undefined> {
  const place = pages.placeOf(key);
  const row = place === undefined ? undefined : pages.rowAt(place);
  const cell = editing.cellIndex(header);
  if (row === undefined || row.cutCells?.includes(cell) === true) return editing.wholeText(key, header);
  return editing.textOf(row, header, cell);
}
