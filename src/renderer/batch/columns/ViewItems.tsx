import { ArrowDownNarrowWide, ArrowDownWideNarrow, ListRestart } from 'lucide-react';
import type { RowSortBy } from '../../../shared/domain/task/batch-view.ts';
import { words } from '../../../shared/words/words.ts';
import { MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { useAppModel, useRows } from '../../state/app-context.ts';
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
