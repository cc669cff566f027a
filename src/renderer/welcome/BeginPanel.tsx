import { ClipboardPaste, FilePlus, FileSpreadsheet, LayoutTemplate, X } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { EMPTY_TEMPLATE } from '../../shared/domain/operations/templates.ts';
import type { RouteOutput } from '../../shared/ipc/contract.ts';
import { IconButton, PlainButton, useBusy } from '../design/Button.tsx';
import { Section } from '../design/Page.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { useNow, useAppModel } from '../state/app-context.ts';
import { formatNearby } from '../format/times.ts';
import { shownLine } from '../format/shown-text.ts';
import { Tile, TileGrid } from './Tile.tsx';
import styles from './BeginPanel.module.css';

const MINUTE_MS = 60_000;

/** The ways to get a sheet: a file, the clipboard, a template, an empty one, and recent files. */
export function BeginPanel() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <Section title="Start with a sheet">
      <TileGrid columns={4}>
        <Tile
          icon={FileSpreadsheet}
          title="Import a file…"
          isDisabled={isBusy}
          onClick={() => run(() => model.bringIn.choose())}
        >
          CSV, TSV, Excel, OpenDocument
        </Tile>
        <Tile
          icon={ClipboardPaste}
          title="Paste a table"
          isDisabled={isBusy}
          onClick={() => run(() => model.bringIn.paste())}
        >
          From Excel, LibreOffice, Google Sheets
        </Tile>
        <Tile
          icon={LayoutTemplate}
          title="From a template…"
          isDisabled={isBusy}
          onClick={() => model.go({ kind: 'welcome', page: 'new' })}
        >
          Examples and chains that run
        </Tile>
        <Tile
          icon={FilePlus}
          title="Empty sheet"
          isDisabled={isBusy}
          onClick={() => run(() => model.bringIn.begin(EMPTY_TEMPLATE, 'New sheet'))}
        >
          Start typing
        </Tile>
      </TileGrid>
      <RecentList />
    </Section>
  );
}

/** The last imported files. */
function RecentList() {
  const model = useAppModel();
  const recent = useStore(model.bringIn.store, (state) => state.recent);
  useEffect(() => {
    void model.bringIn.readRecent();
  }, [model]);
  if (recent.length === 0) return null;
  return (
    <div>
      <h3 className={joinClasses('faint', styles.subtitle)}>Recent sheets</h3>
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
    <li className="row">
      <PlainButton
        className={joinClasses(styles.open, !isThere && styles.gone)}
        disabled={!isThere || isOpening}
        title={isThere ? shownLine(folder) : 'This file is no longer there.'}
        onClick={() => void model.bringIn.openRecent(recentId)}
      >
        <span className="name cut">{shownLine(name)}</span>
        <span className="faint cut">{isThere ? shownLine(folder) : 'no longer there'}</span>
        <span className="faint">{formatNearby(openedAt, now)}</span>
      </PlainButton>
      <IconButton
        icon={X}
        label={`Forget ${shownLine(name)}`}
        onClick={() => void model.bringIn.forgetRecent(recentId)}
      />
    </li>
  );
}
