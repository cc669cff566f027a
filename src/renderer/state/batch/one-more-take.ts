/** One more take of rows that have one: asked for in the sheet, and sent once the user has seen what it costs. */
import { countOf } from '../../../shared/domain/base/text.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { AppModel } from '../app-model.ts';

/** As many as one answer holds. */
const ROWS_AT_ONCE = 500;

/** It has a finished take, and so something that another one may be better than. */
export function canAskAgain({ takesDone }: Pick<RowView, 'takesDone'>): boolean {
  return takesDone > 0;
}

/** Asks for one more take of each of these rows that has one, in one edit. Nothing is sent by it. */
export async function oneMoreTake(
  { client, editing, notices }: Pick<AppModel, 'client' | 'editing' | 'notices'>,
  batchId: string,
  keys: readonly number[],
): Promise<void> {
  const rows: RowView[] = [];
  for (let first = 0; first < keys.length; first += ROWS_AT_ONCE) {
    // As they are now: the rows may never have been in sight.
    const found = await client.request('rows.get', { batchId, keys: keys.slice(first, first + ROWS_AT_ONCE) });
    if (!found.ok) {
      notices.show({ level: 'error', title: NOTHING_ASKED, message: found.error.message });
      return;
    }
    rows.push(...found.value.rows.filter(canAskAgain));
  }
  const [row] = rows;
  if (row === undefined) {
    notices.show({ level: 'info', title: NOTHING_ASKED, message: 'No row here has a finished take.' });
    return;
  }
  const refusal = await editing.setTakes(rows.map(({ key, takes }) => ({ key, takes: takes + 1 })));
  if (refusal !== undefined) {
    notices.show({ level: 'warning', title: NOTHING_ASKED, message: refusal });
    return;
  }
  const of = rows.length === 1 ? shownLine(row.row) : countOf(rows.length, 'row');
  const title = `One more take of ${of}, once you agree to its cost`;
  notices.show({ level: 'info', title, message: '“Run”, above the sheet, says what it costs. Ctrl+Z takes it back.' });
}

const NOTHING_ASKED = 'No take was asked for';
