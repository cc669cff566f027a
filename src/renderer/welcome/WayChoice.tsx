import { ArrowRight, Moon, Plug, type LucideIcon } from 'lucide-react';
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
        title="Rehearse with the built-in gateway"
        text={
          isOnServer
            ? 'Only in the store on this computer. The settings lead there.'
            : 'A whole night on this machine: real files, nothing is paid, and no key is needed.'
        }
        onClick={() =>
          model.go(isOnServer ? { kind: 'settings', part: 'store' } : { kind: 'welcome', page: 'rehearse' })
        }
      />
      <Way
        icon={Plug}
        title="Connect your gateway"
        text={
          baseUrl === ''
            ? 'Its base URL and your key. Nothing is sent until you start a batch.'
            : `Now: ${baseUrl}. Change it, or enter another key.`
        }
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
