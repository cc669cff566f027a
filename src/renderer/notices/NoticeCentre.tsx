import { Bell } from 'lucide-react';
// oxlint-disable-next-line eslint/no-restricted-imports -- neither a dialog, a menu nor a list to choose from
import { Popover } from 'radix-ui';
import { useRef, useState, type MouseEvent } from 'react';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { LEVEL_ICONS } from '../design/Callout.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { formatNearby } from '../format/times.ts';
import { shownText } from '../format/shown-text.ts';
import { commandButton } from '../shell/commands.ts';
import { focusPlaceOf, type FocusPlace } from '../shell/focus-place.ts';
import { withKeys } from '../shell/shortcuts.ts';
import { useAppModel, useBatches, useNow } from '../state/app-context.ts';
import { type Notice, unreadIn } from '../state/notices-store.ts';
import { UnderWay, useWorks, WorkList } from './UnderWay.tsx';
import styles from './NoticeCentre.module.css';

const MINUTE_MS = 60_000;

/** The bell in the side bar: what is under way, how many notices are unread, and the list of all of the session. */
export function NoticeCentre() {
  const { notices: model } = useAppModel();
  const isOpen = useStore(model.store, (state) => state.isOpen);
  const unread = useStore(model.store, unreadIn);
  const working = useWorks().length;
  const name = words.shell.bell(unread, working);
  // Where the user was: the key opens the list from anywhere.
  const before = useRef<FocusPlace>(undefined);
  return (
    <>
      <UnderWay />
      <Popover.Root open={isOpen} onOpenChange={(open) => model.setOpen(open)}>
        <Popover.Trigger asChild>
          <button
            type="button"
            className={joinClasses('row full', styles.bell)}
            aria-label={name}
            title={name}
            data-working={working > 0}
            {...commandButton('notices')}
          >
            <Bell size={16} strokeWidth={1.75} aria-hidden />
            <span className="grow cut hidden-when-narrow">{words.shell.notices}</span>
            {unread > 0 && (
              <span className={joinClasses('tabular', styles.unread)}>{unread > 99 ? '99+' : unread}</span>
            )}
          </button>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            className={joinClasses('stack', styles.panel)}
            aria-label={words.shell.notices}
            side="right"
            align="end"
            sideOffset={10}
            collisionPadding={8}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              const { activeElement } = document;
              before.current = activeElement instanceof HTMLElement ? focusPlaceOf(activeElement) : undefined;
              if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              // A user who went elsewhere has the focus there, or gets it from the screen that comes.
              if (document.activeElement === document.body) before.current?.take();
            }}
            onKeyDown={(event) => {
              if (event.key !== 'F9') return;
              // The window's own key would open it again.
              event.preventDefault();
              event.stopPropagation();
              model.setOpen(false);
            }}
          >
            <Panel onGoing={() => (before.current = undefined)} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </>
  );
}

interface PanelProps {
  /** Called before a notice leads to another screen, which takes the focus itself. */
  readonly onGoing: () => void;
}

function Panel({ onGoing }: PanelProps) {
  const model = useAppModel();
  const notices = useStore(model.notices.store, (state) => state.notices);
  const works = useWorks();
  const batches = useBatches();
  // Notices that are there when the list opens were announced before, or are read here.
  const [openedAt] = useState(() => Date.now());
  const now = useNow(MINUTE_MS);
  const show = (batchId: string): void => {
    onGoing();
    model.notices.setOpen(false);
    model.go({ kind: 'batch', batchId });
  };
  const clear = ({ currentTarget }: MouseEvent): void => {
    // The button is disabled by it.
    if (currentTarget instanceof Element) currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus();
    model.notices.clear();
  };
  return (
    <>
      {works.length > 0 && (
        <section className={styles.working}>
          <h2 className={styles.title}>{words.shell.works.underWay}</h2>
          <WorkList works={works} />
        </section>
      )}
      <header className={joinClasses('row', styles.head)}>
        <h2 className={joinClasses('grow', styles.title)}>{words.shell.notices}</h2>
        <Button size="small" look="quiet" disabled={notices.length === 0} onClick={clear}>
          {words.shell.clearNotices}
        </Button>
      </header>
      {notices.length === 0 && <p className={joinClasses('soft', styles.none)}>{words.shell.noNotices}</p>}
      <ul className={joinClasses('scroll', styles.list)} aria-live="polite" aria-relevant="additions text">
        {notices.map((notice) => (
          <Entry
            key={notice.id}
            notice={notice}
            now={now}
            isAlert={notice.level === 'error' && notice.at > openedAt}
            onAct={() => model.notices.act(notice.id)}
            onShowBatch={batches.some(({ id }) => id === notice.batchId) ? show : undefined}
          />
        ))}
      </ul>
    </>
  );
}

interface EntryProps {
  readonly notice: Notice;
  readonly now: number;
  readonly isAlert: boolean;
  readonly onAct: () => void;
  /** Undefined if there is no such batch. */
  readonly onShowBatch: ((batchId: string) => void) | undefined;
}

function Entry({ notice, now, isAlert, onAct, onShowBatch }: EntryProps) {
  const { level, title, message, at, count, isUnread, action, done, batchId } = notice;
  const Icon = LEVEL_ICONS[level];
  return (
    <li className={joinClasses('row', styles.entry)} data-level={level} data-unread={isUnread}>
      <Icon className={styles.icon} size={17} strokeWidth={1.75} aria-hidden />
      <span className="visually-hidden">{words.shell.levels[level]}</span>
      <div className="grow" role={isAlert ? 'alert' : undefined}>
        <p className="name selectable">
          {isUnread && <span className="visually-hidden">{words.shell.unread}</span>}
          {shownText(title)}
        </p>
        {message !== '' && (
          <p className={joinClasses('soft selectable', styles.text)}>{withKeys(shownText(message))}</p>
        )}
        <p className={joinClasses('faint tabular', styles.when)}>
          <time dateTime={new Date(at).toISOString()}>{formatNearby(at, now)}</time>
          {count > 1 && ` · ${words.common.times(count)}`}
          {done !== undefined && ` · ${done}`}
        </p>
        {(action !== undefined || onShowBatch !== undefined) && (
          <div className={joinClasses('row', styles.actions)}>
            {action !== undefined && (
              <Button size="small" onClick={onAct}>
                {action.words}
              </Button>
            )}
            {batchId !== undefined && onShowBatch !== undefined && (
              <Button size="small" onClick={() => onShowBatch(batchId)}>
                {words.shell.showBatch}
              </Button>
            )}
          </div>
        )}
      </div>
    </li>
  );
}
