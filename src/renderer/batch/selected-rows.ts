import type { GridSelection } from '@glideapps/glide-data-grid';
import type { RowView } from '../../shared/ipc/views.ts';
import type { RowPages } from '../state/row-pages.ts';

const ROWS_AT_ONCE = 10_000;

/** The rows of the range under the cursor, as far as they are known: what was never in sight is not acted upon. */
export function selectedRows(pages: RowPages, selection: GridSelection): readonly RowView[] {
  const range = selection.current?.range;
  if (range === undefined) return [];
  const length = Math.min(range.height, ROWS_AT_ONCE);
  return Array.from({ length }, (_, offset) => pages.rowAt(range.y + offset)).filter((row) => row !== undefined);
}
