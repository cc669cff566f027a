import { Cloud, Copy, Users } from 'lucide-react';
import { useEffect, useState } from 'react';
import { unheldAccounts, unheldText, type UnheldAccounts } from '../../shared/domain/task/accounts/unheld-accounts.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { StorePlaceView, ShownWorker } from '../../shared/ipc/store.ts';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { Phrase } from '../design/Page.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine } from '../format/shown-text.ts';
import { formatNearby } from '../format/times.ts';
import { useApp, useAppModel, useBatches, useNow } from '../state/app-context.ts';
import styles from './StorePanel.module.css';

/** The most workers that are named. */
const NAMED = 4;
/**
 * Workers share out accounts every few seconds; an account that nobody has after this time is one whose key nobody has.
 */
const TAKEN_WITHIN_MS = 25_000;

/** Who works on a store: `2 workers: render-1 (2 accounts), render-2 (no account)`. */
export function workersText(workers: readonly ShownWorker[]): string {
  if (workers.length === 0) return words.home.store.noWorkers;
  const named = workers.slice(0, NAMED);
  return words.home.store.workers(
    workers.length,
    named.map((worker) => words.home.store.worker(shownLine(worker.name), standingText(worker))),
  );
}

/** A problem with a store, beside the address that it begins with. */
export function withoutPlace(problem: string, shown: string): string {
  return problem.startsWith(`${shown}: `) ? problem.slice(shown.length + 2) : problem;
}

function standingText({ gateways, isClockOff }: ShownWorker): string {
  return isClockOff === true ? words.home.store.clockIsOff : words.home.store.accounts(gateways.length);
}

/** Which server has the store, and who works on it; nothing for the store on this computer. */
export function StorePanel() {
  const model = useAppModel();
  const store = useApp((state) => state.store);
  if (store?.kind !== 'server') return null;
  const { shown, workers } = store;
  return (
    <section className={styles.panel} aria-label={words.home.store.title} data-testid="store-panel">
      <button
        type="button"
        className={joinClasses('row full', styles.line)}
        title={words.home.store.toChange(shown)}
        onClick={() => model.go({ kind: 'settings', part: 'store' })}
      >
        <Cloud size={14} strokeWidth={1.75} aria-hidden />
        <span className="cut hidden-when-narrow">{shownLine(placeText(shown))}</span>
      </button>
      {workers !== undefined && (
        <p className={joinClasses('row', styles.line)} title={workersText(workers)}>
          <Users size={14} strokeWidth={1.75} aria-hidden />
          <span className={joinClasses('hidden-when-narrow', styles.workers)}>{workersText(workers)}</span>
        </p>
      )}
    </section>
  );
}

/** The database and its host, without the rest of the address. */
function placeText(shown: string): string {
  const { host, pathname, searchParams } = new URL(shown);
  return words.home.store.place(pathname.slice(1), host || (searchParams.get('host') ?? undefined));
}

/** Says that the server does not answer, or that nobody renders what waits. */
export function StoreBanner() {
  const store = useApp((state) => state.store);
  const isFailed = useApp((state) => state.engine?.state === 'failed');
  const isRunning = useBatches().some(({ state }) => state === 'running');
  if (store?.kind !== 'server' || isFailed) return null;
  if (store.awaySince !== undefined) return <AwayCallout store={store} awaySince={store.awaySince} />;
  return isRunning && store.workers?.length === 0 ? <NoWorkerCallout store={store} /> : null;
}

/** Says that rows of a batch wait for a worker with another key than those that workers have. */
export function NoKeyBanner({ batch }: { readonly batch: BatchView }) {
  const store = useApp((state) => state.store);
  if (store?.kind !== 'server' || store.awaySince !== undefined || batch.state !== 'running' || batch.rehearsal)
    return null;
  // A worker that takes nothing does not report its keys.
  const able = (store.workers ?? []).filter(({ isClockOff }) => isClockOff !== true);
  if (able.length === 0) return null;
  const held = able.flatMap(({ gateways }) => gateways);
  const unheld = unheldAccounts(batch.accounts ?? [{ gateway: batch.gateway }], held);
  return unheld.map((one) => <NoKeyCallout key={one.gateway} store={store} unheld={one} />);
}

/** Shown only after a while, because an account may just be passing from one worker to another. */
function NoKeyCallout({ store, unheld }: { readonly store: ServerView; readonly unheld: UnheldAccounts }) {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLasting(true), TAKEN_WITHIN_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLasting) return null;
  const [name] = unheld.names;
  const key = name === undefined ? '--key-file FILE' : `--account-key "${shownLine(name)}=FILE"`;
  return (
    <div className="stack banners" data-testid="no-key-banner">
      <Callout isSlim level="warning" title={unheldText(unheld)}>
        <Phrase
          of={words.home.store.noKey(
            <code>
              nocturne worker --store {shownLine(store.shown)} {key}
            </code>,
          )}
        />
      </Callout>
    </div>
  );
}

type ServerView = Extract<StorePlaceView, { kind: 'server' }>;

function AwayCallout({ store, awaySince }: { readonly store: ServerView; readonly awaySince: number }) {
  const now = useNow(60_000);
  return (
    <div className="stack banners" data-testid="store-banner">
      <Callout level="warning" title={words.home.store.away(formatNearby(awaySince, now))}>
        <Phrase of={words.home.store.awayAbout(<code>{shownLine(store.shown)}</code>)} />
      </Callout>
    </div>
  );
}

function NoWorkerCallout({ store }: { readonly store: ServerView }) {
  const model = useAppModel();
  const copy = async (): Promise<void> => {
    const reply = await model.ask('store.copyWorker');
    if (reply.ok) model.notices.show({ level: 'info', title: words.home.store.commandCopied, message: '' });
  };
  return (
    <div className="stack banners" data-testid="store-banner">
      <Callout
        level="warning"
        title={words.home.store.noWorker}
        actions={
          <Button size="small" icon={Copy} onClick={() => void copy()}>
            {words.home.store.copyCommand}
          </Button>
        }
      >
        <Phrase
          of={words.home.store.noWorkerAbout(
            <code>nocturne worker --store {shownLine(store.shown)} --key-file FILE</code>,
          )}
        />
      </Callout>
    </div>
  );
}
