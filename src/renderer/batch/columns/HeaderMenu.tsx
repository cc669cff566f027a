import type { Rectangle } from '@glideapps/glide-data-grid';
import {
  ArrowLeft,
  ArrowRight,
  BetweenVerticalEnd,
  BetweenVerticalStart,
  Eye,
  EyeOff,
  Pin,
  PinOff,
  Replace,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ColumnView } from '../../../shared/ipc/views.ts';
import { columnHelp } from '../cell-editor/column-help.ts';
import { countOf } from '../../format/numbers.ts';
import { visibleLine } from '../../format/visible-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import type { SheetColumn } from './grid-columns.ts';
import type { Grid } from '../grid/use-grid.ts';
import menu from '../grid/RowMenu.module.css';
import styles from './HeaderMenu.module.css';

/** The header whose menu is open, on the screen. */
export interface HeaderPlace {
  readonly column: number;
  readonly bounds: Rectangle;
}

interface HeaderMenuProps {
  readonly grid: Grid;
  readonly place: HeaderPlace | undefined;
  readonly onClose: () => void;
  /** Asks what the column means. */
  readonly onMeaning: (sheet: SheetColumn) => void;
  /** Asks which column to insert, after the one with this header or at the beginning. */
  readonly onInsert: (after: string | undefined) => void;
}

/** What a column means, and what can be done with it. */
export function HeaderMenu({ grid, place, onClose, onMeaning, onInsert }: HeaderMenuProps) {
  const model = useAppModel();
  const sheet = place === undefined ? undefined : grid.columns[place.column]?.sheet;
  if (place === undefined || sheet === undefined) return null;
  const { header, view } = sheet;
  const { layout, changeLayout } = grid;
  const neighbours = grid.columns.flatMap((column) => (column.id === 'row' ? [] : (column.sheet ?? [])));
  const at = neighbours.findIndex((column) => column.header === header);
  const before = neighbours[at - 1];
  const after = neighbours[at + 1];
  const isIdColumn = at === -1;
  const isFrozen = layout.frozenUpTo === header;
  const moveAfter = (other: SheetColumn | undefined): void =>
    void model.editing.changeColumns({
      kind: 'move-column',
      header,
      ...(other === undefined ? {} : { after: other.header }),
    });
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span
          className={styles.anchor}
          style={{ left: place.bounds.x, top: place.bounds.y + place.bounds.height }}
          aria-hidden
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={menu.menu}
          align="start"
          collisionPadding={8}
          data-testid="header-menu"
          aria-label={`Column ${visibleLine(header)}`}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === document.body) grid.editor.current?.focus();
          }}
        >
          <Meaning view={view} />
          <DropdownMenu.Separator className={menu.separator} />
          <Item icon={Replace} onSelect={() => onMeaning(sheet)}>
            Maps to…
          </Item>
          <DropdownMenu.Separator className={menu.separator} />
          <Item icon={BetweenVerticalStart} disabled={isIdColumn} onSelect={() => onInsert(before?.header)}>
            Insert a column before…
          </Item>
          <Item icon={BetweenVerticalEnd} onSelect={() => onInsert(header)}>
            Insert a column after…
          </Item>
          <Item
            icon={ArrowLeft}
            disabled={isIdColumn || before === undefined}
            onSelect={() => moveAfter(neighbours[at - 2] ?? idColumn(grid))}
          >
            Move to the left
          </Item>
          <Item icon={ArrowRight} disabled={isIdColumn || after === undefined} onSelect={() => moveAfter(after)}>
            Move to the right
          </Item>
          <DropdownMenu.Separator className={menu.separator} />
          <Item
            icon={isFrozen ? PinOff : Pin}
            disabled={isIdColumn}
            onSelect={() =>
              changeLayout(({ frozenUpTo: _before, ...others }) =>
                isFrozen ? others : { ...others, frozenUpTo: header },
              )
            }
          >
            {isFrozen ? 'Let it scroll again' : 'Freeze up to here'}
          </Item>
          <Item
            icon={EyeOff}
            disabled={isIdColumn}
            onSelect={() => changeLayout((now) => ({ ...now, hidden: [...now.hidden, header] }))}
          >
            Hide
          </Item>
          {layout.hidden.length > 0 && (
            <Item icon={Eye} onSelect={() => changeLayout((now) => ({ ...now, hidden: [] }))}>
              Show {countOf(layout.hidden.length, 'hidden column')}
            </Item>
          )}
          <DropdownMenu.Separator className={menu.separator} />
          <Item icon={Trash2} onSelect={() => void model.editing.changeColumns({ kind: 'remove-column', header })}>
            Remove the column
          </Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function idColumn(grid: Grid): SheetColumn | undefined {
  return grid.columns.find(({ id }) => id === 'row')?.sheet;
}

/** What the header is taken for, and which operations use that. */
function Meaning({ view }: { readonly view: ColumnView }) {
  const help = columnHelp(view.column);
  const operations = help?.operations.map(({ title }) => title) ?? [];
  return (
    <div className={styles.meaning}>
      <p className={styles.name}>{visibleLine(view.header) || '(no name)'}</p>
      {view.column === '' ? (
        <p>It is not sent. Choose what it means if it should be.</p>
      ) : (
        <>
          {view.column !== view.header && <p>Taken for “{view.column}”.</p>}
          <p>{help?.help}</p>
          {operations.length > 0 && <p className={styles.uses}>Used by {operations.join(', ')}.</p>}
        </>
      )}
    </div>
  );
}

interface ItemProps {
  readonly icon: LucideIcon;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: React.ReactNode;
}

function Item({ icon: Icon, disabled = false, onSelect, children }: ItemProps) {
  return (
    <DropdownMenu.Item className={menu.item} disabled={disabled} onSelect={onSelect}>
      <Icon size={15} strokeWidth={1.75} aria-hidden />
      {children}
    </DropdownMenu.Item>
  );
}
