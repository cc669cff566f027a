/**
 * More from rows that have a finished take: one more beside it, or the same rendered again in its place. Either is
 * asked for in the sheet, and sent once the user has seen what it costs.
 */
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { AppModel } from '../app-model.ts';

/** As many as one answer holds. */
const ROWS_AT_ONCE = 500;

/** The row has a finished take, and another one may be better. */
export function canAskAgain({ takesDone }: Pick<RowView, 'takesDone'>): boolean {
  return takesDone > 0;
}

/** Asks for one more take of each of these rows that has one, in one edit. This sends nothing. */
export async function oneMoreTake(
  { client, editing, notices }: Pick<AppModel, 'client' | 'editing' | 'notices'>,
  batchId: string,
  keys: readonly number[],
): Promise<void> {
  const { oneMore } = words.notices;
  const rows: RowView[] = [];
  for (let first = 0; first < keys.length; first += ROWS_AT_ONCE) {
    // As they are now: the rows may never have been in sight.
    const found = await client.request('rows.get', { batchId, keys: keys.slice(first, first + ROWS_AT_ONCE) });
    if (!found.ok) {
      notices.show({ level: 'error', title: oneMore.notAsked, message: found.error.message });
      return;
    }
    rows.push(...found.value.rows.filter(canAskAgain));
  }
  const [row] = rows;
  if (row === undefined) {
    notices.show({ level: 'info', title: oneMore.notAsked, message: oneMore.noneFinished });
    return;
  }
  const told: { id?: number } = {};
  const refusal = await editing.setTakes(
    batchId,
    rows.map(({ key, takes }) => ({ key, takes: takes + 1 })),
    (way) => {
      if (told.id !== undefined) sayTurnedBack(notices, told.id, way);
    },
  );
  if (refusal !== undefined) {
    notices.show({ level: 'warning', title: oneMore.notAsked, message: refusal });
    return;
  }
  const title = rows.length === 1 ? oneMore.ofRow(shownLine(row.row)) : oneMore.ofRows(rows.length);
  told.id = notices.show({ level: 'info', title, message: oneMore.how });
}

function sayTurnedBack(notices: AppModel['notices'], id: number, way: 'undo' | 'redo'): void {
  notices.setDone(id, way === 'undo' ? words.notices.edits.undone : undefined);
}

/**
 * Has these rows rendered again: their finished takes are set aside, with their files, and nothing is sent yet. Rows
 * for which that is refused are named, with the reason, as after any edit.
 */
export async function renderAgain(
  { editing, notices }: Pick<AppModel, 'editing' | 'notices'>,
  batchId: string,
  keys: readonly number[],
): Promise<void> {
  const result = await editing.renderAgain(batchId, keys);
  if (result === undefined || result.changedRows === 0) return;
  const { ofRows, how } = words.notices.renderAgain;
  const id = notices.show({ level: 'info', title: ofRows(result.changedRows), message: how });
  editing.onTurnedBack(result, (way) => sayTurnedBack(notices, id, way));
}

/**
 * The same for the rows of the files that are selected in the gallery. It leads to their batch, unless the user has gone
 * elsewhere meanwhile: the button there says what that costs.
 */
export async function renderShownAgain(model: AppModel): Promise<void> {
  const { batchId } = model.gallery.store.getState();
  const isHere = model.here();
  const keys = await model.gallery.readRows();
  if (batchId === undefined || keys.length === 0) return;
  if (isHere()) model.go({ kind: 'batch', batchId });
  await renderAgain(model, batchId, keys);
}
