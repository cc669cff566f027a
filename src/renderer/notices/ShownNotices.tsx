import { X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { Button, IconButton } from '../design/Button.tsx';
import { LEVEL_ICONS } from '../design/Callout.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownText } from '../format/shown-text.ts';
import { withKeys } from '../shell/shortcuts.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './ShownNotices.module.css';

/**
 * New notices, for a while above the foot of the side bar, whose list of batches makes room for them, so that they
 * cover nothing. A notice stays while it has the pointer or the focus, or while nobody works in the window; afterwards
 * it is in the list.
 */
export function ShownNotices() {
  const { notices: model } = useAppModel();
  const { notices, shown } = useStore(model.store);
  const now = shown.flatMap(({ id, shownMs }) => {
    const notice = notices.find((one) => one.id === id);
    return notice === undefined ? [] : [{ ...notice, shownMs }];
  });
  return (
    <Toast.Provider swipeDirection="left" label={words.shell.notice}>
      {now.map(({ id, level, title, message, shownMs, action }, place) => {
        const Icon = LEVEL_ICONS[level];
        return (
          <Toast.Root
            key={id}
            className={joinClasses('row', styles.notice)}
            data-level={level}
            // If there is not enough room for all, the newest is in sight.
            style={{ order: -place }}
            type={level === 'error' ? 'foreground' : 'background'}
            duration={shownMs}
            onOpenChange={(isOpen) => !isOpen && model.hide(id)}
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
                  <Button size="small" className={styles.action} onClick={() => model.act(id)}>
                    {action.words}
                  </Button>
                </Toast.Action>
              )}
            </div>
            <Toast.Close asChild>
              <IconButton
                className={styles.close}
                icon={X}
                label={words.shell.dismiss}
                onClick={() => model.dismiss(id)}
              />
            </Toast.Close>
          </Toast.Root>
        );
      })}
      {/* By default F8 brings the focus here, and that key opens the review: the focus would be lost when the review
         is left. */}
      <div className={styles.place}>
        <Toast.Viewport className={joinClasses('stack', styles.viewport)} hotkey={[]} label={words.shell.newNotices} />
      </div>
    </Toast.Provider>
  );
}
