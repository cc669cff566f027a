import type { Rectangle } from '@glideapps/glide-data-grid';
import {
  ArrowLeft,
  ArrowRight,
  BetweenVerticalEnd,
  BetweenVerticalStart,
  Eye,
  EyeOff,
  ListFilter,
  Pin,
  PinOff,
  Replace,
  Trash2,
} from 'lucide-react';
import { joinClasses } from '../../design/join-classes.ts';
import type { ColumnView } from '../../../shared/ipc/opening.ts';
import { MenuGroup, MenuItem, PlacedMenu } from '../../design/Menu.tsx';
import { columnHelp } from '../cell-editor/column-help.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { resultColumns, type RowColumn, type SheetColumn } from './grid-columns.ts';
import type { Grid } from '../grid/use-grid.ts';
import { SortItems } from './ViewItems.tsx';
import styles from './HeaderMenu.module.css';

/** More hidden columns than this would be a menu of their own. */
const SHOWN_BY_NAME = 6;

/** The header whose menu is open, in screen coordinates. */
export interface HeaderPlace {
  readonly column: number;
  readonly bounds: Rectangle;
}

interface HeaderMenuProps {
  readonly grid: Grid;
  readonly place: HeaderPlace | undefined;
  readonly onClose: () => void;
  /** Asks what the column maps to. */
  readonly onMeaning: (sheet: SheetColumn) => void;
  /** Asks which text rows must have in the column to be shown. */
  readonly onValue: (sheet: SheetColumn) => void;
  /** Asks which column to insert, after the one with this header or at the beginning. */
  readonly onInsert: (after: string | undefined) => void;
}

/** What a column is, and the actions for it. */
export function HeaderMenu(props: HeaderMenuProps) {
  const { grid, place, onClose } = props;
  const column = place === undefined ? undefined : grid.columns[place.column];
  if (place === undefined || column === undefined || (column.sheet ?? column.help) === undefined) return null;
  return (
    <PlacedMenu
      at={{ x: place.bounds.x, y: place.bounds.y + place.bounds.height }}
      label={words.grid.header.menu(shownLine(column.sheet?.header ?? column.title))}
      testId="header-menu"
      onClose={onClose}
      onFocusBack={() => grid.editor.current?.focus()}
    >
      {column.sheet === undefined ? (
        <ResultItems grid={grid} column={column} />
      ) : (
        <SheetItems {...props} sheet={column.sheet} sortBy={column.sortBy} />
      )}
    </PlacedMenu>
  );
}

/** The actions for a column of results. */
function ResultItems({ grid, column }: { readonly grid: Grid; readonly column: RowColumn }) {
  const { id, title, help, sortBy } = column;
  return (
    <>
      <MenuGroup>
        <div className={joinClasses('soft', styles.meaning)}>
          <p className="name cut">{title}</p>
          <p>{help}</p>
        </div>
      </MenuGroup>
      {sortBy !== undefined && <SortItems by={sortBy} />}
      <MenuGroup>
        <MenuItem
          icon={EyeOff}
          onSelect={() => grid.changeLayout((now) => ({ ...now, hiddenResults: [...now.hiddenResults, id] }))}
        >
          {words.grid.header.hide}
        </MenuItem>
        <HiddenItems grid={grid} />
      </MenuGroup>
    </>
  );
}

/** Shows hidden columns again, one by one or all. */
function HiddenItems({ grid: { batch, layout, changeLayout } }: { readonly grid: Grid }) {
  const results = resultColumns(batch.rehearsal).filter(({ id }) => layout.hiddenResults.includes(id));
  const count = results.length + layout.hidden.length;
  return (
    <>
      {count <= SHOWN_BY_NAME &&
        results.map(({ id, title }) => (
          <MenuItem
            key={id}
            icon={Eye}
            onSelect={() =>
              changeLayout((now) => ({ ...now, hiddenResults: now.hiddenResults.filter((one) => one !== id) }))
            }
          >
            {words.grid.header.show(title)}
          </MenuItem>
        ))}
      {count <= SHOWN_BY_NAME &&
        layout.hidden.map((header) => (
          <MenuItem
            key={`sheet ${header}`}
            icon={Eye}
            onSelect={() => changeLayout((now) => ({ ...now, hidden: now.hidden.filter((one) => one !== header) }))}
          >
            {words.grid.header.show(shownLine(header) || words.grid.header.noName)}
          </MenuItem>
        ))}
      {count > 1 && (
        <MenuItem icon={Eye} onSelect={() => changeLayout((now) => ({ ...now, hidden: [], hiddenResults: [] }))}>
          {words.grid.header.showAll(count)}
        </MenuItem>
      )}
    </>
  );
}

type SheetItemsProps = Omit<HeaderMenuProps, 'place' | 'onClose'> & {
  readonly sheet: SheetColumn;
  readonly sortBy: RowColumn['sortBy'];
};

/** The mapping of a column of the sheet, and the actions for it. */
function SheetItems({ grid, sheet, sortBy, onMeaning, onValue, onInsert }: SheetItemsProps) {
  const model = useAppModel();
  const { header, view } = sheet;
  const { layout, changeLayout } = grid;
  const neighbours = grid.columns.flatMap((column) => (column.id === 'row' ? [] : (column.sheet ?? [])));
  const at = neighbours.findIndex((column) => column.header === header);
  const before = neighbours[at - 1];
  const after = neighbours[at + 1];
  const isIdColumn = at === -1;
  const isFrozen = layout.frozenUpTo === header;
  const moveAfter = (other: SheetColumn | undefined): void =>
    void model.editing.edit({
      kind: 'move-column',
      header,
      ...(other === undefined ? {} : { after: other.header }),
    });
  return (
    <>
      <MenuGroup>
        <Meaning view={view} />
      </MenuGroup>
      {sortBy !== undefined && <SortItems by={sortBy} />}
      <MenuGroup>
        <MenuItem icon={ListFilter} onSelect={() => onValue(sheet)}>
          {words.grid.header.only}
        </MenuItem>
      </MenuGroup>
      <MenuGroup>
        <MenuItem icon={Replace} isDisabled={isIdColumn} onSelect={() => onMeaning(sheet)}>
          {words.grid.header.choose}
        </MenuItem>
      </MenuGroup>
      <MenuGroup>
        <MenuItem icon={BetweenVerticalStart} isDisabled={isIdColumn} onSelect={() => onInsert(before?.header)}>
          {words.grid.header.insertBefore}
        </MenuItem>
        <MenuItem icon={BetweenVerticalEnd} onSelect={() => onInsert(header)}>
          {words.grid.header.insertAfter}
        </MenuItem>
        <MenuItem
          icon={ArrowLeft}
          isDisabled={isIdColumn || before === undefined}
          onSelect={() => moveAfter(neighbours[at - 2] ?? idColumn(grid))}
        >
          {words.grid.header.moveLeft}
        </MenuItem>
        <MenuItem icon={ArrowRight} isDisabled={isIdColumn || after === undefined} onSelect={() => moveAfter(after)}>
          {words.grid.header.moveRight}
        </MenuItem>
      </MenuGroup>
      <MenuGroup>
        <MenuItem
          icon={isFrozen ? PinOff : Pin}
          isDisabled={isIdColumn}
          onSelect={() =>
            changeLayout(({ frozenUpTo: _before, ...others }) =>
              isFrozen ? others : { ...others, frozenUpTo: header },
            )
          }
        >
          {isFrozen ? words.grid.header.unfreeze : words.grid.header.freeze}
        </MenuItem>
        <MenuItem
          icon={EyeOff}
          isDisabled={isIdColumn}
          onSelect={() => changeLayout((now) => ({ ...now, hidden: [...now.hidden, header] }))}
        >
          {words.grid.header.hide}
        </MenuItem>
        <HiddenItems grid={grid} />
      </MenuGroup>
      <MenuGroup>
        <MenuItem
          icon={Trash2}
          isDisabled={isIdColumn}
          onSelect={() => void model.editing.edit({ kind: 'remove-column', header })}
        >
          {words.grid.header.remove}
        </MenuItem>
      </MenuGroup>
    </>
  );
}

function idColumn(grid: Grid): SheetColumn | undefined {
  return grid.columns.find(({ id }) => id === 'row')?.sheet;
}

/** What the header maps to, and which operations use it. */
function Meaning({ view }: { readonly view: ColumnView }) {
  const help = columnHelp(view.column);
  const operations = help?.operations.map(({ title }) => title) ?? [];
  return (
    <div className={joinClasses('soft', styles.meaning)}>
      <p className="name cut">{shownLine(view.header) || words.grid.header.noName}</p>
      {view.column === '' ? (
        <p>{words.grid.header.notSent}</p>
      ) : (
        <>
          {view.column !== view.header && <p>{words.grid.header.mapsTo(view.column)}</p>}
          <p>{help?.help}</p>
          {view.column === 'row' && <p>{words.grid.header.idsStay}</p>}
          {operations.length > 0 && <p className="faint">{words.grid.header.usedBy(operations)}</p>}
        </>
      )}
    </div>
  );
}
