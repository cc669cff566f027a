import { ClipboardPaste, FilePlus, FileSpreadsheet, LayoutTemplate, X } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { EMPTY_TEMPLATE } from '../../shared/domain/operations/templates.ts';
import type { RouteOutput } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
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
  // One file is read at a time.
  const isOpening = useStore(model.bringIn.store, (state) => state.isOpening);
  return (
    <Section title={words.home.begin.title}>
      <TileGrid columns={4}>
        <Tile
          icon={FileSpreadsheet}
          title={words.home.begin.importFile}
          isDisabled={isBusy || isOpening}
          onClick={() => run(() => model.bringIn.choose())}
        >
          {words.home.begin.importAbout}
        </Tile>
        <Tile
          icon={ClipboardPaste}
          title={words.home.begin.paste}
          isDisabled={isBusy || isOpening}
          onClick={() => run(() => model.bringIn.paste())}
        >
          {words.home.begin.pasteAbout}
        </Tile>
        <Tile
          icon={LayoutTemplate}
          title={words.home.begin.template}
          isDisabled={isBusy}
          onClick={() => model.go({ kind: 'welcome', page: 'new' })}
        >
          {words.home.begin.templateAbout}
        </Tile>
        <Tile
          icon={FilePlus}
          title={words.home.begin.empty}
          isDisabled={isBusy}
          onClick={() => run(() => model.newBatches.begin(EMPTY_TEMPLATE, words.home.begin.newSheet))}
        >
          {words.home.begin.emptyAbout}
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
      <h3 className={joinClasses('faint', styles.subtitle)}>{words.home.begin.recent}</h3>
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
        title={isThere ? shownLine(folder) : words.home.begin.gone}
        onClick={() => void model.bringIn.openRecent(recentId)}
      >
        <span className="name cut">{shownLine(name)}</span>
        <span className="faint cut">{isThere ? shownLine(folder) : words.home.begin.goneShort}</span>
        <span className="faint">{formatNearby(openedAt, now)}</span>
      </PlainButton>
      <IconButton
        icon={X}
        label={words.home.begin.forget(shownLine(name))}
        onClick={() => void model.bringIn.forgetRecent(recentId)}
      />
    </li>
  );
}
