import type { LucideIcon } from 'lucide-react';
import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, type Ref, useCallback, useState } from 'react';
import { withKeys } from '../shell/shortcuts.ts';
import { joinClasses } from './join-classes.ts';
import styles from './Button.module.css';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` is what to press next, one on a screen; `danger` cannot be undone. */
  readonly look?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly size?: 'small' | 'medium' | 'large';
  readonly icon?: LucideIcon;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

/**
 * The platform's button, but it keeps the focus while it is disabled: the platform would drop the focus, and with it
 * the user's place in the window. Keys in its tooltip or name are written as on this computer.
 */
export function PlainButton(
  props: ButtonHTMLAttributes<HTMLButtonElement> & { readonly ref?: Ref<HTMLButtonElement> },
) {
  const { disabled = false, onClick, onPointerDown, onKeyDown, title, 'aria-label': label, ...rest } = props;
  const presses = disabled ? { 'aria-disabled': true, onClick: refuse } : { onClick, onPointerDown, onKeyDown };
  const named = { title: title && withKeys(title), 'aria-label': label && withKeys(label) };
  return <button type="button" {...presses} {...named} {...rest} />;
}

/** A form's button must not submit it either. */
function refuse(event: MouseEvent): void {
  event.preventDefault();
}

/** A button with a word and an optional icon before it. */
export function Button({ look = 'secondary', size = 'medium', icon: Icon, children, className, ...rest }: ButtonProps) {
  return (
    <PlainButton className={joinClasses(styles.button, styles[look], styles[size], className)} {...rest}>
      {Icon && <Icon size={size === 'large' ? 18 : 15} strokeWidth={1.75} aria-hidden />}
      {children}
    </PlainButton>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Its name, for the screen reader and the tooltip. */
  readonly label: string;
  readonly icon: LucideIcon;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button that is only an icon. */
export function IconButton({ label, icon: Icon, className, ...rest }: IconButtonProps) {
  return (
    <PlainButton
      className={joinClasses(styles.button, styles.icon, className)}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden />
    </PlainButton>
  );
}

/** Runs one action at a time: while it runs, `isBusy` is true and no other one starts. */
export function useBusy(): readonly [isBusy: boolean, run: (work: () => Promise<void>) => void] {
  const [isBusy, setBusy] = useState(false);
  const run = useCallback(
    (work: () => Promise<void>) => {
      if (isBusy) return;
      setBusy(true);
      void work().finally(() => setBusy(false));
    },
    [isBusy],
  );
  return [isBusy, run];
}
