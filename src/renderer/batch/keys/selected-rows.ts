import type { RowView } from '../../../shared/ipc/rows.ts';
import type { RowPages } from '../../state/batch/row-pages.ts';
import type { RowSpan } from '../../state/batch/seen-rows.ts';
import type { GridChoice } from './grid-choice.ts';
import { rowSpans } from './grid-selection.ts';

/** Rows that are chosen, in whatever pieces. */
export interface ChosenRows {
  /** Those that the window knows, from the top down. */
  readonly known: readonly RowView[];
  /** Where all of them stand. */
  readonly spans: readonly RowSpan[];
  /** False where some were never in sight: what becomes of them, only the application can tell. */
  readonly isWhole: boolean;
}

/** Every chosen row of a view of `total` rows, that is, the row that was chosen and not another that stands there now. */
export function chosenRowsOf(
  pages: Pick<RowPages, 'keysByPlace' | 'rowAt'>,
  choice: Pick<GridChoice, 'selection' | 'keyAt'>,
  total: number,
): ChosenRows {
  const spans = rowSpans(choice.selection, total);
  const known: RowView[] = [];
  let at = 0;
  for (const [place, key] of [...pages.keysByPlace()].toSorted(([a], [b]) => a - b)) {
    while (at < spans.length && place >= endOf(spans[at])) at += 1;
    const span = spans[at];
    if (span === undefined) break;
    const row = place >= span.y && choice.keyAt(place) === key ? pages.rowAt(place) : undefined;
    if (row !== undefined) known.push(row);
  }
  return { known, spans, isWhole: known.length === spans.reduce((sum, { height }) => sum + height, 0) };
}

function endOf(span: RowSpan | undefined): number {
  return span === undefined ? 0 : span.y + span.height;
}
