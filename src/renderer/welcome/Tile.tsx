import { ArrowLeft, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { words } from '../../shared/words/words.ts';
import { Button, PlainButton } from '../design/Button.tsx';
import { useAppModel } from '../state/app-context.ts';
import type { Screen } from '../state/app-state.ts';
import { joinClasses } from '../design/join-classes.ts';
import styles from './Tile.module.css';

interface TileProps {
  readonly icon?: LucideIcon;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** A line at its foot: its size. */
  readonly sum?: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

/** One of several things to begin with. */
export function Tile({ icon: Icon, title, children, sum, isDisabled = false, onClick }: TileProps) {
  return (
    <PlainButton className={joinClasses('card stack', styles.tile)} disabled={isDisabled} onClick={onClick}>
      {Icon !== undefined && <Icon size={18} strokeWidth={1.6} aria-hidden />}
      <span className="name row">{title}</span>
      <span className="grow soft">{children}</span>
      {sum !== undefined && <span className="faint">{sum}</span>}
    </PlainButton>
  );
}

interface TileGridProps {
  /** How many fit side by side if there is room. */
  readonly columns: 2 | 3 | 4;
  readonly children: ReactNode;
}

export function TileGrid({ columns, children }: TileGridProps) {
  return (
    <div className={styles.grid} data-columns={columns}>
      {children}
    </div>
  );
}

interface WelcomePanelProps {
  readonly title: string;
  /** Where “Back” leads; by default to the choice of ways. */
  readonly from?: Screen | undefined;
  /** If it is the only title of the screen. */
  readonly isFirst?: boolean;
  readonly children: ReactNode;
}

/** A page of the first screen, with its title. */
export function WelcomePanel({ title, from, isFirst = false, children }: WelcomePanelProps) {
  const model = useAppModel();
  const Title = isFirst ? 'h1' : 'h2';
  return (
    <section className={joinClasses('stack', styles.panel)} aria-label={title}>
      <div className="row">
        <Title className={joinClasses('grow', styles.title)}>{title}</Title>
        <Button
          look="quiet"
          size="small"
          icon={ArrowLeft}
          onClick={() => model.go(from ?? { kind: 'welcome', page: 'choice' })}
        >
          {words.common.back}
        </Button>
      </div>
      {children}
    </section>
  );
}
