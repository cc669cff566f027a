import type { ReactNode } from 'react';
import type { Screen } from '../state/navigation-store.ts';
import { DropOverlay } from './DropOverlay.tsx';
import { EngineBanner } from './EngineBanner.tsx';
import { NoticeList } from './NoticeList.tsx';
import { SideNav } from './SideNav.tsx';
import { usePasteTable } from './use-paste-table.ts';
import { useFocusOnScreen, useShellKeys } from './use-shell-keys.ts';
import styles from './Shell.module.css';

/** What stands around every screen: the side, the engine's state, notices, and the place to drop a sheet. */
export function Shell({ screen, children }: { readonly screen: Screen | undefined; readonly children: ReactNode }) {
  usePasteTable(screen);
  useShellKeys();
  useFocusOnScreen(screen);
  return (
    <>
      <div className={styles.shell}>
        <SideNav screen={screen} />
        <main className={styles.main} data-region="screen">
          <EngineBanner />
          <div className={styles.screen}>{children}</div>
        </main>
      </div>
      <NoticeList />
      <DropOverlay />
    </>
  );
}
