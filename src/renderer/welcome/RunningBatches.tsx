import { ArrowDown, ArrowUp } from 'lucide-react';
import { useLayoutEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { IconButton, PlainButton, useBusy } from '../design/Button.tsx';
import { Section } from '../design/Page.tsx';
import { joinClasses } from '../design/join-classes.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { formatExpectedEnd } from '../format/times.ts';
import { useAppModel, useBatches, useNow } from '../state/app-context.ts';
import { percentDone, standingOf, statusTotals } from '../state/batch/batch-progress.ts';
import { canStep, queueOf } from '../state/batches-store.ts';
import styles from './ReturnPanel.module.css';

const TEXTS = words.home.back;
const MINUTE_MS = 60_000;

/** The batches that run; if there are several, in the order of their turns, which can be changed here. */
export function RunningBatches() {
  const { shelf } = useAppModel();
  const queue = queueOf(useBatches());
  const now = useNow(MINUTE_MS);
  const [isBusy, run] = useBusy();
  const [moved, setMoved] = useState<{ readonly batchId: string; readonly focused: Element | null }>();
  useLayoutEffect(() => {
    // A line that is moved in the page loses the focus.
    if (moved?.focused instanceof HTMLElement && moved.focused.isConnected) moved.focused.focus();
  }, [moved]);
  const step = (batchId: string, to: 'up' | 'down'): void => {
    if (!canStep(queue, batchId, to)) return;
    const focused = document.activeElement;
    run(async () => {
      await shelf.moveInQueue(batchId, to);
      setMoved({ batchId, focused });
    });
  };
  const lines = queue.flatMap((rank, index) => rank.map((batch) => ({ batch, rank: index + 1 })));
  const isQueue = lines.length > 1;
  return (
    <Section title={isQueue ? TEXTS.queue : TEXTS.running}>
      {isQueue && <p className="soft">{TEXTS.queueAbout}</p>}
      <HomeLines>
        {lines.map(({ batch, rank }) => (
          <BatchLine
            key={batch.id}
            batch={batch}
            about={runWords(batch, now)}
            {...(isQueue && { place: { rank, isBusy, queue, step } })}
          />
        ))}
      </HomeLines>
      <output className="visually-hidden">{movedWords(queue, moved?.batchId)}</output>
    </Section>
  );
}

export function HomeLines({ children }: { readonly children: ReactNode }) {
  return <ul className={joinClasses('card', styles.lines)}>{children}</ul>;
}

/** Its place among others, and how to change it. */
interface QueuePlace {
  readonly rank: number;
  readonly isBusy: boolean;
  readonly queue: readonly (readonly BatchView[])[];
  readonly step: (batchId: string, to: 'up' | 'down') => void;
}

interface BatchLineProps {
  readonly batch: BatchView;
  readonly about: string;
  readonly place?: QueuePlace;
}

export function BatchLine({ batch, about, place }: BatchLineProps) {
  const model = useAppModel();
  const name = shownLine(batch.name);
  const { tags } = batch;
  const { tone } = standingOf(batch);
  const open = (): void => model.go({ kind: 'batch', batchId: batch.id });
  if (place === undefined) return <HomeLine tone={tone} name={name} tags={tags} about={about} onClick={open} />;
  const { rank, isBusy, queue, step } = place;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    step(batch.id, event.key === 'ArrowUp' ? 'up' : 'down');
  };
  return (
    <HomeLine tone={tone} rank={rank} name={name} tags={tags} about={about} onClick={open} onKeyDown={onKeyDown}>
      <IconButton
        icon={ArrowUp}
        label={TEXTS.moveUp(name)}
        disabled={isBusy || !canStep(queue, batch.id, 'up')}
        onClick={() => step(batch.id, 'up')}
      />
      <IconButton
        icon={ArrowDown}
        label={TEXTS.moveDown(name)}
        disabled={isBusy || !canStep(queue, batch.id, 'down')}
        onClick={() => step(batch.id, 'down')}
      />
    </HomeLine>
  );
}

interface LineProps {
  readonly tone: string;
  readonly rank?: number;
  readonly name: string;
  readonly tags?: readonly string[] | undefined;
  readonly about: string;
  readonly onClick: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** Buttons at its end. */
  readonly children?: ReactNode;
}

export function HomeLine({ tone, rank, name, tags, about, onClick, onKeyDown, children }: LineProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- one of its buttons that is disabled hears no key
    <li className={joinClasses('row', styles.item)} onKeyDown={onKeyDown}>
      <PlainButton
        className={joinClasses('grow', styles.line)}
        data-tone={tone}
        aria-keyshortcuts={onKeyDown && 'Alt+ArrowUp Alt+ArrowDown'}
        onClick={onClick}
      >
        <span className="row">
          {rank !== undefined && <span className={joinClasses('faint tabular', styles.rank)}>{rank}</span>}
          <span className={joinClasses('name cut', styles.batch)} translate="no">
            {name}
          </span>
          {tags !== undefined && (
            <span className="faint cut" translate="no">
              {tags.map(shownLine).join(' · ')}
            </span>
          )}
        </span>
        <span className="soft tabular">{about}</span>
      </PlainButton>
      {children}
    </li>
  );
}

function runWords(batch: BatchView, now: number): string {
  const { expectedEnd } = batch;
  const end = expectedEnd === undefined ? undefined : formatExpectedEnd(expectedEnd, now);
  return words.home.back.runs(standingOf(batch).words, percentDone(statusTotals(batch.counts)), end);
}

function movedWords(queue: readonly (readonly BatchView[])[], batchId: string | undefined): string {
  const index = queue.findIndex((rank) => rank.some(({ id }) => id === batchId));
  const batch = queue[index]?.find(({ id }) => id === batchId);
  return batch === undefined ? '' : TEXTS.moved(shownLine(batch.name), index + 1, queue[index]?.length !== 1);
}
