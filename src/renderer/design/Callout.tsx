import { CircleAlert, CirclePause, Info, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { joinClasses } from './join-classes.ts';
import styles from './Callout.module.css';

type Level = 'info' | 'paused' | 'warning' | 'error';

export const LEVEL_ICONS: Readonly<Record<Level, LucideIcon>> = {
  info: Info,
  paused: CirclePause,
  warning: TriangleAlert,
  error: CircleAlert,
};

export interface CalloutProps {
  readonly level: Level;
  readonly title: string;
  readonly children?: ReactNode;
  /** On one line with its title, for narrow places. */
  readonly isSlim?: boolean;
  /** Buttons at its end. */
  readonly actions?: ReactNode;
}

/** A message in its place: what happened, why, and what to do. */
export function Callout({ level, title, children, isSlim = false, actions }: CalloutProps) {
  const Icon = LEVEL_ICONS[level];
  return (
    <div
      className={joinClasses('card row', styles.callout, styles[level], isSlim && styles.slim)}
      role={level === 'error' ? 'alert' : 'status'}
    >
      <Icon className={styles.icon} size={17} strokeWidth={1.75} aria-hidden />
      <div className={joinClasses('grow', styles.words)}>
        <p className="name">{title}</p>
        {children !== undefined && <div className="soft selectable">{children}</div>}
      </div>
      {actions !== undefined && <div className={joinClasses('row', styles.actions)}>{actions}</div>}
    </div>
  );
}
