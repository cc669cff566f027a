import { ArrowDownNarrowWide, ArrowDownWideNarrow, ListFilter, ListRestart, PencilLine } from 'lucide-react';
import { LONGEST_COMMON_TEXT } from '../../../shared/domain/cells/cell-order.ts';
import type { RowSortBy } from '../../../shared/domain/task/batch-view.ts';
import { words } from '../../../shared/words/words.ts';
import { MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { useAppModel, useRows } from '../../state/app-context.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { Grid } from '../grid/use-grid.ts';
import { isSortedBy } from '../../state/batch/rows-view.ts';

/** Sorts the rows of the view by a column; the sheet stays as it is. */
export function SortItems({ by }: { readonly by: RowSortBy }) {
  const model = useAppModel();
  const sort = useRows((state) => state.sort);
  return (
    <MenuGroup>
      <MenuItem icon={ArrowDownNarrowWide} onSelect={() => model.rows.sort({ ...by, direction: 'ascending' })}>
        {words.grid.header.ascending}
      </MenuItem>
      <MenuItem icon={ArrowDownWideNarrow} onSelect={() => model.rows.sort({ ...by, direction: 'descending' })}>
        {words.grid.header.descending}
      </MenuItem>
      {isSortedBy(sort, by) && (
        <MenuItem icon={ListRestart} onSelect={() => model.rows.sort()}>
          {words.grid.header.asInSheet}
        </MenuItem>
      )}
    </MenuGroup>
  );
}

/** How much of a text a menu shows. */
const TEXT_SHOWN = 32;

/** Shows only the rows that have something in common with the cursor's row, or were edited. */
export function OnlyItems({ grid }: { readonly grid: Grid }) {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  return (
    <MenuGroup>
      <SameTextItem grid={grid} />
      {filter.isEdited === undefined && (
        <MenuItem icon={PencilLine} onSelect={() => model.rows.setFilter({ ...filter, isEdited: true })}>
          {words.grid.row.onlyEdited}
        </MenuItem>
      )}
    </MenuGroup>
  );
}

/** Shows only the rows that have the text of the cursor's cell in its column. */
function SameTextItem({ grid: { current } }: { readonly grid: Grid }) {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  const sheet = current?.about.sheet;
  if (sheet === undefined || current?.row === undefined) return null;
  const { header, cell } = sheet;
  const text = model.editing.textOf(current.row, header, cell).trim();
  const letters = Array.from(shownLine(text));
  const isTooLong = text.length > LONGEST_COMMON_TEXT;
  const shown = letters.length > TEXT_SHOWN ? `${letters.slice(0, TEXT_SHOWN).join('')}…` : letters.join('');
  return (
    <MenuItem
      icon={ListFilter}
      isDisabled={isTooLong}
      title={isTooLong ? words.find.filter.tooLong(LONGEST_COMMON_TEXT) : undefined}
      onSelect={() => model.rows.setFilter({ ...filter, cell: { header, text } })}
    >
      {words.grid.row.onlyWith(shown)}
    </MenuItem>
  );
}
