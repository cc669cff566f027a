import {
  CalendarClock,
  CircleStop,
  Ellipsis,
  FileUp,
  FolderOpen,
  Gauge,
  Images,
  ListChecks,
  Pause,
  Play,
  RotateCcw,
  ScanEye,
  ScrollText,
  Send,
} from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton, useBusy } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Menu, MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { useAppModel } from '../../state/app-context.ts';
import type { BatchDialog } from '../../state/app-state.ts';
import { offersDialog, openTasks, retryWords, type StatusTotals } from '../../state/batch/batch-progress.ts';
import { tourPlace } from '../../state/tour.ts';
import { DeliverDialog } from '../../gallery/DeliverDialog.tsx';
import { LivingMenu } from '../../living/SheetFile.tsx';
import { commandButton } from '../../shell/commands.ts';
import { RUN_SHORTCUT } from '../../shell/keyboard.ts';
import { FilesPlaceDialog } from '../../open-sheet/start/FilesPlace.tsx';
import { GatesDialog } from '../../open-sheet/start/GatesDialog.tsx';
import { StartDialog } from '../../open-sheet/start/StartDialog.tsx';
import { LimitsDialog } from './LimitsDialog.tsx';
import styles from './BatchHead.module.css';
import { isOfAll, limitFieldId, mainActionId, useLimitReached } from './ChangeLimit.tsx';
import { useRetry } from './use-retry.tsx';
import { WhenDialog } from './WhenDialog.tsx';

interface BatchActionsProps {
  readonly batch: BatchView;
  readonly totals: StatusTotals;
}

/** The actions for a whole batch in its current state. */
export function BatchActions({ batch, totals }: BatchActionsProps) {
  const model = useAppModel();
  const open = useStore(model.batchDialog, (state) => (state.batchId === batch.id ? state.open : undefined));
  const show = (dialog: BatchDialog): void => model.batchDialog.setState({ batchId: batch.id, open: dialog });
  const close = (): void => model.batchDialog.setState({ open: undefined });
  const [isDelivering, setDelivering] = useState(false);
  const [isBusy, run] = useBusy();
  const toRetry = retryWords(totals);
  const stoppable = openTasks(totals) - totals['submit-unknown'];
  const { isRetrying, retry, retryDialog } = useRetry(batch);
  const offers = (dialog: BatchDialog): boolean => offersDialog(batch, dialog);
  const hasMore = offers('gates') || offers('filesPlace');
  return (
    <div className={joinClasses('row wrap', styles.actions)} data-state={batch.state} data-testid="batch-actions">
      <Button
        look="quiet"
        icon={Images}
        title={words.batch.actions.galleryHint}
        onClick={() => model.go({ kind: 'gallery', batchId: batch.id })}
      >
        <span className={joinClasses('hidden-when-tight', styles.gallery)}>{words.batch.actions.gallery}</span>
      </Button>
      <Button
        look="quiet"
        icon={FolderOpen}
        title={words.batch.actions.folderHint}
        {...commandButton('folder')}
        disabled={isBusy}
        onClick={() => run(async () => void (await model.ask('batch.openFolder', { batchId: batch.id })))}
      >
        <span className="hidden-when-tight" data-word="least-used">
          {words.batch.actions.folder}
        </span>
      </Button>
      {totals.done > 0 && (
        <Button
          look="quiet"
          icon={ListChecks}
          title={words.batch.actions.reviewHint}
          {...commandButton('review')}
          {...tourPlace('review')}
          onClick={() => model.review.open(batch.id)}
        >
          <span className="hidden-when-tight" data-word="used">
            {words.batch.actions.review}
          </span>
        </Button>
      )}
      {totals.done > 0 && batch.state !== 'running' && (
        <Button
          look="quiet"
          icon={Send}
          title={words.batch.actions.deliverHint}
          onClick={() => setDelivering(true)}
          {...commandButton('deliver')}
        >
          <span className="hidden-when-tight" data-word="used">
            {words.batch.actions.deliver}
          </span>
        </Button>
      )}
      {batch.state !== 'ready' && (
        <Button
          look="quiet"
          icon={ScrollText}
          title={words.batch.actions.ledgerHint}
          {...tourPlace('ledger')}
          onClick={() => model.go({ kind: 'ledger', batchId: batch.id })}
        >
          <span className="hidden-when-tight" data-word="least-used">
            {words.batch.actions.ledger}
          </span>
        </Button>
      )}
      <LivingMenu batch={batch} />
      {hasMore && (
        <Menu align="end" button={<IconButton icon={Ellipsis} label={words.common.more} />}>
          <MenuGroup>
            {offers('when') && (
              <MenuItem icon={CalendarClock} onSelect={() => show('when')}>
                {words.batch.actions.when}
              </MenuItem>
            )}
            {offers('limits') && (
              <MenuItem icon={Gauge} onSelect={() => show('limits')}>
                {words.batch.actions.limits}
              </MenuItem>
            )}
            {offers('gates') && (
              <MenuItem icon={ScanEye} onSelect={() => show('gates')}>
                {words.batch.actions.gates}
              </MenuItem>
            )}
            {offers('filesPlace') && (
              <MenuItem icon={FileUp} onSelect={() => show('filesPlace')}>
                {words.batch.actions.filesPlace}
              </MenuItem>
            )}
          </MenuGroup>
          {offers('cancel') && (
            <MenuGroup>
              <MenuItem icon={CircleStop} isDisabled={isBusy} onSelect={() => show('cancel')}>
                {words.batch.actions.cancelRest}
              </MenuItem>
            </MenuGroup>
          )}
        </Menu>
      )}
      {toRetry !== undefined && (
        <Button icon={RotateCcw} disabled={isBusy || isRetrying} onClick={() => retry()} {...commandButton('retry')}>
          {toRetry}
        </Button>
      )}
      <MainAction batch={batch} isBusy={isBusy} run={run} />
      {open === 'cancel' && (
        <ConfirmDialog
          title={words.batch.cancelRest.title}
          confirm={words.batch.cancelRest.confirm(stoppable)}
          decline={words.batch.cancelRest.decline}
          // Whatever else is under way: nobody would know that nothing was cancelled.
          onConfirm={() => void model.batchCommands.command('batch.cancel', batch.id)}
          onClose={close}
        >
          {words.batch.cancelRest.text(stoppable)}
        </ConfirmDialog>
      )}
      {open === 'limits' && <LimitsDialog batch={batch} onClose={close} />}
      {open === 'gates' && <GatesDialog batch={batch} onClose={close} />}
      {isDelivering && <DeliverDialog batch={batch} onClose={() => setDelivering(false)} />}
      {open === 'filesPlace' && <FilesPlaceDialog batch={batch} onClose={close} />}
      {open === 'when' && <WhenDialog batch={batch} onClose={close} />}
      {retryDialog}
    </div>
  );
}

/** Before a batch starts, a dialog asks where to render it and how much it may cost. */
function StartAction({ batch, isBusy }: Pick<MainActionProps, 'batch' | 'isBusy'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        look="primary"
        icon={Play}
        disabled={isBusy}
        onClick={() => setOpen(true)}
        {...RUN_SHORTCUT}
        {...tourPlace('start')}
      >
        {words.batch.actions.start}
      </Button>
      {isOpen && <StartDialog batch={batch} onClose={() => setOpen(false)} />}
    </>
  );
}

interface MainActionProps {
  readonly batch: BatchView;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<void>) => void;
}

function MainAction({ batch, isBusy, run }: MainActionProps) {
  const model = useAppModel();
  const reached = useLimitReached(batch);
  const showLimit = (): void => {
    if (isOfAll(reached)) model.go({ kind: 'settings', part: 'spending' });
    else if (reached === 'account') model.batchDialog.setState({ batchId: batch.id, open: 'limits' });
    else document.getElementById(limitFieldId(batch))?.focus();
  };
  switch (batch.state) {
    case 'ready':
      return <StartAction batch={batch} isBusy={isBusy} />;
    case 'running':
      return (
        <Button
          id={mainActionId(batch)}
          icon={Pause}
          disabled={isBusy}
          onClick={() => run(() => model.batchCommands.command('batch.pause', batch.id))}
          {...commandButton('pause')}
        >
          {words.batch.actions.pause}
        </Button>
      );
    case 'paused':
      // Resuming would pause it again at once: it needs a higher limit.
      if (reached !== undefined) {
        return (
          <Button id={mainActionId(batch)} look="primary" icon={Gauge} onClick={showLimit}>
            {words.batch.actions.raiseLimit}
          </Button>
        );
      }
      return (
        <Button
          id={mainActionId(batch)}
          look="primary"
          icon={Play}
          disabled={isBusy}
          onClick={() => run(() => model.batchCommands.command('batch.resume', batch.id))}
          {...RUN_SHORTCUT}
        >
          {words.batch.actions.resume}
        </Button>
      );
    case 'finished':
      return null;
  }
}
