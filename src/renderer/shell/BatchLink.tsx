import {
  Archive,
  ArchiveRestore,
  ArrowDown,
  ArrowUp,
  Copy,
  ListOrdered,
  ListStart,
  Pencil,
  Tags,
  Trash2,
} from 'lucide-react';
import { joinClasses } from '../design/join-classes.ts';
import { ContextMenu, MenuGroup, MenuItem } from '../design/Menu.tsx';
import { SegmentedBar } from '../design/Status.tsx';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { useAppModel, useBatches } from '../state/app-context.ts';
import { canStep, queueOf } from '../state/batches-store.ts';
import { percentDone, standingOf, statusTotals } from '../state/batch/batch-progress.ts';
import { whyNotShelved } from '../state/batch-shelf.ts';
import { formatNearby } from '../format/times.ts';
import styles from './BatchLink.module.css';

/** One batch in the side bar: its name, its state as a word and a dot, and its progress. */
export function BatchLink({ batch, isCurrent }: { readonly batch: BatchView; readonly isCurrent: boolean }) {
  const model = useAppModel();
  const totals = statusTotals(batch.counts);
  const isMoving = batch.state === 'running' || batch.state === 'paused';
  const { tone, words: standing } = standingOf(batch);
  const state = batch.shelf === undefined ? standing : shelfWords(batch.shelf, standing);
  const link = (
    <button
      type="button"
      className={joinClasses('stack full', styles.link)}
      aria-current={isCurrent ? 'page' : undefined}
      title={words.shell.batchLink.named(shownLine(batch.name), state)}
      aria-keyshortcuts="F2"
      onClick={() => model.go({ kind: 'batch', batchId: batch.id })}
      onKeyDown={(event) => {
        if (event.key === 'F2') model.shelf.ask({ about: 'name', batchId: batch.id });
      }}
    >
      <span className={joinClasses('row', styles.line)}>
        <span className={styles.dot} data-tone={tone} aria-hidden />
        <span className="name cut hidden-when-narrow" translate="no">
          {shownLine(batch.name)}
        </span>
      </span>
      <span className={joinClasses('cut hidden-when-narrow', styles.state)}>
        {isMoving ? words.shell.batchLink.line(state, percentDone(totals), totals.failed) : state}
      </span>
      {batch.tags !== undefined && (
        <span className={joinClasses('cut hidden-when-narrow', styles.state)} translate="no">
          {batch.tags.map(shownLine).join(' · ')}
        </span>
      )}
      {isMoving && <SegmentedBar totals={totals} size="thin" />}
    </button>
  );
  return (
    <ContextMenu of={link} label={shownLine(batch.name)}>
      <MenuItem icon={Pencil} keys="F2" onSelect={() => model.shelf.ask({ about: 'name', batchId: batch.id })}>
        {words.shell.batchLink.rename}
      </MenuItem>
      <MenuItem icon={Tags} onSelect={() => model.shelf.ask({ about: 'tags', batchId: batch.id })}>
        {words.shell.batchLink.tags}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => model.newBatches.duplicate(batch.id)}>
        {words.common.duplicate}
      </MenuItem>
      {batch.state !== 'finished' && batch.shelf === undefined && (
        <MenuItem
          icon={batch.isFirst === true ? ListOrdered : ListStart}
          onSelect={() => model.shelf.moveInQueue(batch.id, batch.isFirst === true ? 'in-turn' : 'first')}
        >
          {batch.isFirst === true ? words.shell.batchLink.runInTurn : words.shell.batchLink.runFirst}
        </MenuItem>
      )}
      <QueueItems batchId={batch.id} />
      <MenuGroup>
        {batch.shelf === undefined ? (
          <MenuItem
            icon={Archive}
            isDisabled={whyNotShelved(batch, 'archived') !== undefined}
            onSelect={() => model.shelf.putAway(batch.id, 'archived')}
          >
            {words.shell.batchLink.archive}
          </MenuItem>
        ) : (
          <MenuItem icon={ArchiveRestore} onSelect={() => model.shelf.bringBack(batch.id)}>
            {words.shell.batchLink.bringBack}
          </MenuItem>
        )}
        {batch.shelf?.is !== 'deleted' && (
          <MenuItem icon={Trash2} onSelect={() => model.shelf.ask({ about: 'deletion', batchId: batch.id })}>
            {words.shell.batchLink.delete}
          </MenuItem>
        )}
      </MenuGroup>
    </ContextMenu>
  );
}

/** Steps among the batches that run, for one of them. */
function QueueItems({ batchId }: { readonly batchId: string }) {
  const { shelf } = useAppModel();
  const queue = queueOf(useBatches());
  const [canRise, canFall] = [canStep(queue, batchId, 'up'), canStep(queue, batchId, 'down')];
  if (!canRise && !canFall) return null;
  return (
    <>
      <MenuItem icon={ArrowUp} isDisabled={!canRise} onSelect={() => shelf.moveInQueue(batchId, 'up')}>
        {words.shell.batchLink.moveUp}
      </MenuItem>
      <MenuItem icon={ArrowDown} isDisabled={!canFall} onSelect={() => shelf.moveInQueue(batchId, 'down')}>
        {words.shell.batchLink.moveDown}
      </MenuItem>
    </>
  );
}

/** Where a batch was put, in place of its state. */
function shelfWords({ is, until }: NonNullable<BatchView['shelf']>, standing: string): string {
  if (is === 'archived') return standing;
  // Its rows are removed by a start; until one comes, it can be brought back for longer.
  const isYours = until !== undefined && until >= Date.now();
  return words.shell.batchLink.deleted(isYours ? formatNearby(until, Date.now()) : undefined);
}
