import { ArrowRight, Moon, Plug, type LucideIcon } from 'lucide-react';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { isShared } from '../state/app-state.ts';
import styles from './WayChoice.module.css';

/** Two equal ways to begin. */
export function WayChoice() {
  const model = useAppModel();
  const isOnServer = useApp(isShared);
  const baseUrl = useApp((state) => state.settings?.baseUrl ?? '');
  return (
    <div className={styles.ways}>
      <Way
        icon={Moon}
        title={words.home.ways.rehearse}
        text={isOnServer ? words.home.ways.rehearseElsewhere : words.home.ways.rehearseAbout}
        onClick={() =>
          model.go(isOnServer ? { kind: 'settings', part: 'store' } : { kind: 'welcome', page: 'rehearse' })
        }
      />
      <Way
        icon={Plug}
        title={words.home.ways.connect}
        text={baseUrl === '' ? words.home.ways.connectAbout : words.home.ways.connected(baseUrl)}
        onClick={() => model.go({ kind: 'welcome', page: 'connect' })}
      />
    </div>
  );
}

interface WayProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text: string;
  readonly onClick: () => void;
}

function Way({ icon: Icon, title, text, onClick }: WayProps) {
  return (
    <button type="button" className={joinClasses('card stack', styles.way)} onClick={onClick}>
      <span className={styles.icon}>
        <Icon size={20} strokeWidth={1.6} aria-hidden />
      </span>
      <span className={styles.title}>{title}</span>
      <span className={joinClasses('soft', styles.text)}>{text}</span>
      <ArrowRight className={styles.arrow} size={18} strokeWidth={1.75} aria-hidden />
    </button>
  );
}
