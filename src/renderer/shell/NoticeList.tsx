import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { Button, IconButton } from '../design/Button.tsx';
import { LEVEL_ICONS } from '../design/Callout.tsx';
import { shownText } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';
import { withKeys } from './shortcuts.ts';
import { joinClasses } from '../design/join-classes.ts';
import styles from './NoticeList.module.css';

/** Notices at the foot of the side bar, where they cover no work. They disappear by themselves. */
export function NoticeList() {
  const { notices: model } = useAppModel();
  const notices = useStore(model.store, (state) => state.notices);
  return (
    <Toast.Provider swipeDirection="left" label={words.shell.notice}>
      {notices.map(({ id, level, title, message, shownMs, action }) => {
        const Icon = LEVEL_ICONS[level];
        return (
          <Toast.Root
            key={id}
            className={joinClasses('row', styles.notice)}
            data-level={level}
            type={level === 'info' ? 'background' : 'foreground'}
            duration={shownMs}
            onOpenChange={(isOpen) => !isOpen && model.dismiss(id)}
          >
            <Icon className={styles.icon} size={17} strokeWidth={1.75} aria-hidden />
            <div className="grow">
              <Toast.Title className="name">{shownText(title)}</Toast.Title>
              {message !== '' && (
                <Toast.Description className={joinClasses('soft selectable', styles.text)}>
                  {withKeys(shownText(message))}
                </Toast.Description>
              )}
              {action !== undefined && (
                <Toast.Action asChild altText={words.shell.noticeAction(action.words, shownText(title))}>
                  <Button size="small" className={styles.action} onClick={action.run}>
                    {action.words}
                  </Button>
                </Toast.Action>
              )}
            </div>
            <Toast.Close asChild>
              <IconButton className={styles.close} icon={X} label={words.shell.dismiss} />
            </Toast.Close>
          </Toast.Root>
        );
      })}
      {/* By default F8 brings the focus here, and that key opens the review: the focus would be lost as it is left. */}
      <Toast.Viewport className={joinClasses('stack', styles.viewport)} hotkey={[]} label={words.shell.notices} />
    </Toast.Provider>
  );
}
