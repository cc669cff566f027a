import {
  ChevronDown,
  ChevronRight,
  CircleHelp,
  FileSpreadsheet,
  LayoutTemplate,
  MoonStar,
  Pause,
  Plus,
  ScrollText,
  Settings,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton, useBusy } from '../design/Button.tsx';
import { Select } from '../design/Select.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Mark } from '../design/drawings.tsx';
import { foldTag, tagsOfAll } from '../../shared/domain/base/tags.ts';
import { words } from '../../shared/words/words.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { shownLine } from '../format/shown-text.ts';
import { outdatedElectronWords } from '../format/phrases.ts';
import { useApp, useAppModel, useBatches } from '../state/app-context.ts';
import { batchOnScreen, isShared, type Screen } from '../state/app-state.ts';
import { isInUse } from '../state/batches-store.ts';
import { listedBatches, listedTag } from '../state/batch-shelf.ts';
import { tourPlace } from '../state/tour.ts';
import { BatchLink } from './BatchLink.tsx';
import { ThemeSwitch } from './theme.tsx';
import styles from './SideNav.module.css';

interface SideNavProps {
  readonly screen: Screen | undefined;
  /** Where the store is, above the batches. */
  readonly store: ReactNode;
  /** New notices, between the batches and the foot. */
  readonly notices: ReactNode;
  /** The bell. */
  readonly children: ReactNode;
}

/** The navigation between screens, with every batch and its progress. */
export function SideNav({ screen, store, notices, children }: SideNavProps) {
  const model = useAppModel();
  const batches = useBatches();
  const { open, isOpening, rowsRead } = useStore(model.bringIn.store);
  const sheet = open?.sheet;
  const outdatedElectron = useApp((state) => state.info?.outdatedElectron);
  const running = batches.filter((batch) => batch.state === 'running').length;
  const tag = useStore(model.shelf.store, (state) => state.tag);
  const current = batchOnScreen(screen);
  const listed = listedBatches(batches, tag, current);
  const [inUse, putAway] = [listed.filter(isInUse), listed.filter((batch) => !isInUse(batch))];
  return (
    <nav className={styles.nav} aria-label="Nocturne" data-region="side">
      <div className={joinClasses('row', styles.brand)}>
        <Mark size={26} isLit={running > 0} />
        <span className={styles.name}>Nocturne</span>
      </div>
      <div className={styles.begin}>
        <Button
          className={joinClasses('tabular', styles.add)}
          icon={Plus}
          {...tourPlace('own')}
          disabled={isOpening}
          onClick={() => void model.bringIn.choose()}
        >
          <span className="hidden-when-narrow">
            {isOpening ? words.shell.nav.opening(rowsRead) : words.shell.nav.importSheet}
          </span>
        </Button>
        <IconButton
          icon={LayoutTemplate}
          label={words.shell.nav.newSheet}
          onClick={() => model.go({ kind: 'welcome', page: 'new' })}
        />
      </div>
      <div className={joinClasses(styles.list, 'scroll')}>
        {store}
        {sheet !== undefined && (
          <NavLink
            icon={FileSpreadsheet}
            isCurrent={screen?.kind === 'sheet'}
            onClick={() => model.go({ kind: 'sheet' })}
          >
            {shownLine(sheet.name)}
          </NavLink>
        )}
        {inUse.length > 0 && <BatchesHeading running={running} />}
        <TagFilter batches={batches} tag={tag} />
        <BatchLinks batches={inUse} current={current} />
        {putAway.length > 0 && <ArchivedBatches batches={putAway} current={current} />}
      </div>
      {notices}
      <div className={joinClasses('stack', styles.foot)}>
        {children}
        <NavLink
          icon={MoonStar}
          isCurrent={screen?.kind === 'welcome' && screen.page !== 'new'}
          onClick={() => model.go({ kind: 'welcome', page: 'choice' })}
        >
          {words.shell.nav.welcome}
        </NavLink>
        {batches.length > 0 && (
          <NavLink icon={ScrollText} isCurrent={screen?.kind === 'ledger'} onClick={() => model.go({ kind: 'ledger' })}>
            {words.shell.nav.ledger}
          </NavLink>
        )}
        <NavLink
          icon={Settings}
          isCurrent={screen?.kind === 'settings' || screen?.kind === 'gateway'}
          onClick={() => model.go({ kind: 'settings' })}
        >
          {words.shell.nav.settings}
        </NavLink>
        <NavLink icon={CircleHelp} isCurrent={screen?.kind === 'help'} onClick={() => model.go({ kind: 'help' })}>
          {words.shell.nav.help}
        </NavLink>
        {outdatedElectron !== undefined && (
          <p className={joinClasses('wrong', styles.outdated)} title={outdatedElectronWords(outdatedElectron)}>
            {words.shell.nav.outdatedElectron}
          </p>
        )}
        <div className={styles.theme}>
          <ThemeSwitch />
        </div>
      </div>
    </nav>
  );
}

interface BatchLinksProps {
  readonly batches: readonly BatchView[];
  /** The batch on screen. */
  readonly current: string | undefined;
}

function BatchLinks({ batches, current }: BatchLinksProps) {
  return (
    <ul>
      {batches.map((batch) => (
        <li key={batch.id}>
          <BatchLink batch={batch} isCurrent={batch.id === current} />
        </li>
      ))}
    </ul>
  );
}

/** What the user has put away, folded at the end; open as long as one of them is on screen. */
function ArchivedBatches({ batches, current }: BatchLinksProps) {
  const [isOpen, setOpen] = useState(false);
  const isUnfolded = isOpen || batches.some(({ id }) => id === current);
  const Icon = isUnfolded ? ChevronDown : ChevronRight;
  return (
    <>
      <button
        type="button"
        className={joinClasses('row full', styles.link, styles.fold)}
        aria-expanded={isUnfolded}
        title={words.shell.nav.archivedBatches}
        onClick={() => setOpen(!isUnfolded)}
      >
        <Icon size={14} strokeWidth={1.75} aria-hidden />
        <span className="cut hidden-when-narrow">{words.shell.nav.archived(batches.length)}</span>
      </button>
      {isUnfolded && <BatchLinks batches={batches} current={current} />}
    </>
  );
}

/** Over the batches; with one button for all that run, if these are more than the one on screen. */
function BatchesHeading({ running }: { readonly running: number }) {
  const model = useAppModel();
  const isOfServer = useApp(isShared);
  const [isBusy, run] = useBusy();
  return (
    <div className="row">
      <h2 className={joinClasses('grow', styles.heading)}>{words.shell.nav.batches}</h2>
      {running > (isOfServer ? 0 : 1) && (
        <Button
          size="small"
          look="quiet"
          icon={Pause}
          disabled={isBusy}
          title={words.shell.nav.pauseAllHint}
          onClick={() => run(async () => void (await model.ask('batch.pauseAll')))}
        >
          <span className="hidden-when-narrow">{words.shell.nav.pauseAll}</span>
        </Button>
      )}
    </div>
  );
}

/** Cannot be a tag: it has a comma. */
const ALL_TAGS = ',';

/** Lists the batches with one tag, if there are tags. */
function TagFilter({ batches, tag }: { readonly batches: readonly BatchView[]; readonly tag: string | undefined }) {
  const { shelf } = useAppModel();
  const tags = tagsOfAll(batches.filter(isInUse));
  if (tags.length === 0) return null;
  const options = tags.map((one) => ({ value: foldTag(one), words: shownLine(one) }));
  const value = listedTag(batches, tag);
  return (
    <div className={joinClasses('hidden-when-narrow', styles.tags)}>
      <Select
        label={words.shell.nav.tag}
        value={value === undefined ? ALL_TAGS : foldTag(value)}
        options={[{ value: ALL_TAGS, words: words.shell.nav.allTags }, ...options]}
        onChoose={(chosen) => shelf.list(chosen === ALL_TAGS ? undefined : chosen)}
      />
    </div>
  );
}

interface NavLinkProps {
  readonly icon: LucideIcon;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

function NavLink({ icon: Icon, isCurrent, onClick, children }: NavLinkProps) {
  return (
    <button
      type="button"
      className={joinClasses('row full', styles.link)}
      aria-current={isCurrent ? 'page' : undefined}
      title={children}
      onClick={onClick}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span className="cut hidden-when-narrow">{children}</span>
    </button>
  );
}
