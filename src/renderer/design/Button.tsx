import type { LucideIcon } from 'lucide-react';
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useCallback, useState } from 'react';
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

/** A button with a word and an optional icon before it. */
export function Button({ look = 'secondary', size = 'medium', icon: Icon, children, className, ...rest }: ButtonProps) {
  return (
    <button type="button" className={joinClasses(styles.button, styles[look], styles[size], className)} {...rest}>
      {Icon && <Icon size={size === 'large' ? 18 : 15} strokeWidth={1.75} aria-hidden />}
      {children}
    </button>
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
    <button
      type="button"
      className={joinClasses(styles.button, styles.icon, className)}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden />
    </button>
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
