import { Check, type LucideIcon } from 'lucide-react';
import { ContextMenu as OfPlace, DropdownMenu as OfButton } from 'radix-ui';
import { createContext, use, type ReactNode } from 'react';
import { withKeys } from '../shell/shortcuts.ts';
import { joinClasses } from './join-classes.ts';
import styles from './Popup.module.css';

// Every menu has the same items; Radix has the parts under two names.
type Parts = Pick<typeof OfButton, 'Item' | 'CheckboxItem' | 'Group' | 'Label' | 'Separator'>;
const MenuParts = createContext<Parts>(OfButton);
const MENU_CLASS = joinClasses(styles.popup, styles.menu);

interface MenuProps {
  /** Its content: {@link MenuItem}, {@link MenuGroup} and the like. */
  readonly children: ReactNode;
}

interface ButtonMenuProps extends MenuProps {
  /** The button that opens it. */
  readonly button: ReactNode;
  readonly align?: 'start' | 'end';
}

/** A button's menu. */
export function Menu({ button, align = 'start', children }: ButtonMenuProps) {
  return (
    <OfButton.Root modal={false}>
      <OfButton.Trigger asChild>{button}</OfButton.Trigger>
      <OfButton.Portal>
        <OfButton.Content className={MENU_CLASS} align={align} sideOffset={5} collisionPadding={8}>
          {children}
        </OfButton.Content>
      </OfButton.Portal>
    </OfButton.Root>
  );
}

interface PlacedMenuProps extends MenuProps {
  /** Where it opens, in screen coordinates. */
  readonly at: { readonly x: number; readonly y: number };
  readonly label: string;
  readonly testId?: string;
  readonly onClose: () => void;
  /** Moves the focus when the menu closes and nothing else has it. */
  readonly onFocusBack: () => void;
}

/** A menu that is open as long as it is rendered, at a place without a button. */
export function PlacedMenu({ at, label, testId, onClose, onFocusBack, children }: PlacedMenuProps) {
  return (
    <OfButton.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <OfButton.Trigger asChild>
        <span className={styles.anchor} style={{ left: at.x, top: at.y }} aria-hidden />
      </OfButton.Trigger>
      <OfButton.Portal>
        <OfButton.Content
          className={MENU_CLASS}
          align="start"
          collisionPadding={8}
          data-testid={testId}
          aria-label={label}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === document.body) onFocusBack();
          }}
        >
          {children}
        </OfButton.Content>
      </OfButton.Portal>
    </OfButton.Root>
  );
}

interface ContextMenuProps extends MenuProps {
  /** The element whose menu it is; exactly one. */
  readonly of: ReactNode;
  /** Names it for assistive technology. */
  readonly label: string;
  /** Takes the focus back; by default, whatever had it before does. */
  readonly onFocusBack?: () => void;
}

/** The menu that a right-click or Shift F10 opens. */
export function ContextMenu({ of, label, onFocusBack, children }: ContextMenuProps) {
  return (
    <OfPlace.Root modal={false}>
      <OfPlace.Trigger asChild>{of}</OfPlace.Trigger>
      <OfPlace.Portal>
        <OfPlace.Content
          className={MENU_CLASS}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={(event) => {
            if (onFocusBack === undefined) return;
            event.preventDefault();
            onFocusBack();
          }}
        >
          <MenuParts value={OfPlace}>{children}</MenuParts>
        </OfPlace.Content>
      </OfPlace.Portal>
    </OfPlace.Root>
  );
}

interface MenuItemProps {
  readonly icon?: LucideIcon;
  /** Its keyboard shortcut, as `Ctrl+Shift+A`. */
  readonly keys?: string;
  readonly isDisabled?: boolean;
  /** What else there is to say about it, such as why it is disabled. */
  readonly title?: string | undefined;
  readonly onSelect: () => unknown;
  readonly children: ReactNode;
}

export function MenuItem({ icon: Icon, keys, isDisabled = false, title, onSelect, children }: MenuItemProps) {
  const { Item } = use(MenuParts);
  return (
    <Item className={styles.item} disabled={isDisabled} title={title} onSelect={() => void onSelect()}>
      {Icon !== undefined && <Icon size={15} strokeWidth={1.75} aria-hidden />}
      {children}
      {keys !== undefined && <kbd>{withKeys(keys)}</kbd>}
    </Item>
  );
}

interface MenuCheckProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}

/** An item that is on or off. */
export function MenuCheck({ isChecked, onChange, children }: MenuCheckProps) {
  const { CheckboxItem } = use(MenuParts);
  return (
    <CheckboxItem className={styles.item} checked={isChecked} onCheckedChange={onChange}>
      <span className={styles.check}>{isChecked && <Check size={15} strokeWidth={2} aria-hidden />}</span>
      {children}
    </CheckboxItem>
  );
}

/** Items that belong together, under a title. */
export function MenuGroup({ title, children }: { readonly title?: string; readonly children?: ReactNode }) {
  const { Group, Label } = use(MenuParts);
  return (
    <Group className={styles.group}>
      {title !== undefined && <Label className={joinClasses(styles.title, 'cut')}>{title}</Label>}
      {children}
    </Group>
  );
}
