import { ClipboardPaste, FilePlus, FileSpreadsheet, LayoutTemplate, X, type LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { EMPTY_TEMPLATE } from '../../shared/domain/operations/templates.ts';
import type { RouteOutput } from '../../shared/ipc/contract.ts';
import { IconButton, useBusy } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { useNow, useAppModel } from '../state/app-context.ts';
import { formatNearby } from '../format/times.ts';
import { shownLine } from '../format/shown-text.ts';
import styles from './BeginPanel.module.css';

const MINUTE_MS = 60_000;

/** The ways to a sheet: a file, the clipboard, a template, nothing; and the last ones. */
export function BeginPanel() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <section className={styles.panel} aria-labelledby="begin-title">
      <h2 id="begin-title" className={styles.title}>
        Start with a sheet
      </h2>
      <div className={styles.ways}>
        <Way
          icon={FileSpreadsheet}
          title="Import a file…"
          isBusy={isBusy}
          onClick={() => run(() => model.bringIn.choose())}
        >
          CSV, TSV, Excel, OpenDocument
        </Way>
        <Way
          icon={ClipboardPaste}
          title="Paste a table"
          isBusy={isBusy}
          onClick={() => run(() => model.bringIn.paste())}
        >
          From Excel, LibreOffice, Google Sheets
        </Way>
        <Way
          icon={LayoutTemplate}
          title="From a template…"
          isBusy={isBusy}
          onClick={() => model.go({ kind: 'welcome', page: 'new' })}
        >
          Examples and chains that run
        </Way>
        <Way
          icon={FilePlus}
          title="Empty sheet"
          isBusy={isBusy}
          onClick={() => run(() => model.bringIn.begin(EMPTY_TEMPLATE, 'New sheet'))}
        >
          Start typing
        </Way>
      </div>
      <RecentList />
    </section>
  );
}

interface WayProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: string;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}

function Way({ icon: Icon, title, children, isBusy, onClick }: WayProps) {
  return (
    <button type="button" className={styles.way} disabled={isBusy} onClick={onClick}>
      <Icon size={17} strokeWidth={1.6} aria-hidden />
      <span className={styles.wayTitle}>{title}</span>
      <span className={styles.wayText}>{children}</span>
    </button>
  );
}

/** The files that were brought in last. */
function RecentList() {
  const model = useAppModel();
  const recent = useStore(model.bringIn.store, (state) => state.recent);
  useEffect(() => {
    void model.bringIn.readRecent();
  }, [model]);
  if (recent.length === 0) return null;
  return (
    <div className={styles.recent}>
      <h3 className={styles.subtitle}>Last sheets</h3>
      <ul>
        {recent.map((sheet) => (
          <RecentLine key={sheet.recentId} sheet={sheet} />
        ))}
      </ul>
    </div>
  );
}

function RecentLine({ sheet }: { readonly sheet: RouteOutput<'sheet.recent'>[number] }) {
  const model = useAppModel();
  const isOpening = useStore(model.bringIn.store, (state) => state.isOpening);
  const now = useNow(MINUTE_MS);
  const { recentId, name, folder, openedAt, isThere } = sheet;
  return (
    <li className={styles.line}>
      <button
        type="button"
        className={joinClasses(styles.open, !isThere && styles.gone)}
        disabled={!isThere || isOpening}
        title={isThere ? shownLine(folder) : 'This file is not there any more.'}
        onClick={() => void model.bringIn.openRecent(recentId)}
      >
        <span className={styles.name}>{shownLine(name)}</span>
        <span className={styles.folder}>{isThere ? shownLine(folder) : 'not there any more'}</span>
        <span className={styles.when}>{formatNearby(openedAt, now)}</span>
      </button>
      <IconButton
        icon={X}
        label={`Forget ${shownLine(name)}`}
        onClick={() => void model.bringIn.forgetRecent(recentId)}
      />
    </li>
  );
}
