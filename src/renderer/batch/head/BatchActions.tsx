import {
  CalendarClock,
  CircleStop,
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
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { isAtLimit, openTasks, retryWords, type StatusTotals } from '../../state/batch/batch-progress.ts';
import { DeliverDialog } from '../../gallery/DeliverDialog.tsx';
import { LivingMenu } from '../../living/SheetFile.tsx';
import { commandButton } from '../../shell/commands.ts';
import { RUN_SHORTCUT } from '../../shell/keyboard.ts';
import { FilesPlaceDialog } from '../../open-sheet/start/FilesPlace.tsx';
import { GatesDialog } from '../../open-sheet/start/GatesDialog.tsx';
import { StartDialog } from '../../open-sheet/start/StartDialog.tsx';
import { LimitsDialog } from './LimitsDialog.tsx';
import styles from './BatchHead.module.css';
import { limitFieldId } from './ChangeLimit.tsx';
import { useRetry } from './use-retry.tsx';
import { WhenDialog } from './WhenDialog.tsx';

interface BatchActionsProps {
  readonly batch: BatchView;
  readonly totals: StatusTotals;
}

/** The actions for a whole batch in its current state. */
export function BatchActions({ batch, totals }: BatchActionsProps) {
  const model = useAppModel();
  const [asksToCancel, setAsksToCancel] = useState(false);
  const [areLimitsOpen, setOpenLimits] = useState(false);
  const [areGatesOpen, setOpenGates] = useState(false);
  const [isDelivering, setDelivering] = useState(false);
  const [isPlaceOpen, setOpenPlace] = useState(false);
  const [isWhenOpen, setOpenWhen] = useState(false);
  const [isBusy, run] = useBusy();
  const toRetry = retryWords(totals);
  const stoppable = openTasks(totals) - totals['submit-unknown'];
  const { isRetrying, retry, retryDialog } = useRetry(batch);
  return (
    <div className={joinClasses('row wrap', styles.actions)}>
      <Button
        look="quiet"
        icon={Images}
        title="All files at a glance (F7)"
        onClick={() => model.go({ kind: 'gallery', batchId: batch.id })}
      >
        <span className="hidden-when-tight">Gallery</span>
      </Button>
      <Button
        look="quiet"
        icon={FolderOpen}
        title="Open the folder"
        {...commandButton('folder')}
        disabled={isBusy}
        onClick={() => run(async () => void (await model.ask('batch.openFolder', { batchId: batch.id })))}
      >
        <span className="hidden-when-tight">Open folder</span>
      </Button>
      {totals.done > 0 && (
        <Button
          look="quiet"
          icon={ListChecks}
          title="Look, listen, keep or reject (F8)"
          {...commandButton('review')}
          onClick={() => model.review.open(batch.id)}
        >
          <span className="hidden-when-tight">Review</span>
        </Button>
      )}
      {totals.done > 0 && batch.state !== 'running' && (
        <Button
          look="quiet"
          icon={Send}
          title="Copies for others"
          onClick={() => setDelivering(true)}
          {...commandButton('deliver')}
        >
          <span className="hidden-when-tight">Deliver</span>
        </Button>
      )}
      {batch.state !== 'ready' && (
        <Button
          look="quiet"
          icon={ScrollText}
          title="What became of it, and what to do"
          onClick={() => model.go({ kind: 'ledger', batchId: batch.id })}
        >
          <span className="hidden-when-tight">Ledger</span>
        </Button>
      )}
      <LivingMenu batch={batch} />
      {(batch.state === 'running' || batch.state === 'paused') && (
        <Button
          look="quiet"
          icon={CalendarClock}
          title="Change when it runs"
          {...commandButton('when')}
          onClick={() => setOpenWhen(true)}
        >
          <span className="hidden-when-tight">When</span>
        </Button>
      )}
      {(batch.state === 'running' || batch.state === 'paused') && (
        <Button
          look="quiet"
          icon={Gauge}
          title="Change its limits"
          {...commandButton('limits')}
          onClick={() => setOpenLimits(true)}
        >
          <span className="hidden-when-tight">Limits</span>
        </Button>
      )}
      {batch.state !== 'ready' && (
        <Button
          look="quiet"
          icon={ScanEye}
          title="Change what looks at its files"
          {...commandButton('gates')}
          onClick={() => setOpenGates(true)}
        >
          <span className="hidden-when-tight">Gates</span>
        </Button>
      )}
      {batch.filesPlace !== undefined && (
        <Button
          look="quiet"
          icon={FileUp}
          title="Where files on this computer are put, and what was found of them"
          {...commandButton('filesPlace')}
          onClick={() => setOpenPlace(true)}
        >
          <span className="hidden-when-tight">Files place</span>
        </Button>
      )}
      {(batch.state === 'running' || batch.state === 'paused') && stoppable > 0 && (
        <Button
          look="quiet"
          icon={CircleStop}
          title="Cancel the remaining takes"
          {...commandButton('cancel')}
          disabled={isBusy}
          onClick={() => setAsksToCancel(true)}
        >
          <span className="hidden-when-tight">Cancel</span>
        </Button>
      )}
      {toRetry !== undefined && (
        <Button icon={RotateCcw} disabled={isBusy || isRetrying} onClick={() => retry()} {...commandButton('retry')}>
          {toRetry}
        </Button>
      )}
      <MainAction batch={batch} isBusy={isBusy} run={run} />
      {asksToCancel && (
        <ConfirmDialog
          title="Cancel the remaining takes?"
          confirm={`Cancel ${countOf(stoppable, 'take')}`}
          decline="Keep"
          onConfirm={() => run(() => model.command('batch.cancel', batch.id))}
          onClose={() => setAsksToCancel(false)}
        >
          {countOf(stoppable, 'take')} will not be rendered. What the gateway has already accepted may still be charged.
          Files in the folder stay there.
        </ConfirmDialog>
      )}
      {areLimitsOpen && <LimitsDialog batch={batch} onClose={() => setOpenLimits(false)} />}
      {areGatesOpen && <GatesDialog batch={batch} onClose={() => setOpenGates(false)} />}
      {isDelivering && <DeliverDialog batch={batch} onClose={() => setDelivering(false)} />}
      {isPlaceOpen && <FilesPlaceDialog batch={batch} onClose={() => setOpenPlace(false)} />}
      {isWhenOpen && <WhenDialog batch={batch} onClose={() => setOpenWhen(false)} />}
      {retryDialog}
    </div>
  );
}

/** Before a batch starts, a dialog asks where to render it and how much it may cost. */
function StartAction({ batch, isBusy }: Pick<MainActionProps, 'batch' | 'isBusy'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" icon={Play} disabled={isBusy} onClick={() => setOpen(true)} {...RUN_SHORTCUT}>
        Start…
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
  switch (batch.state) {
    case 'ready':
      return <StartAction batch={batch} isBusy={isBusy} />;
    case 'running':
      return (
        <Button
          icon={Pause}
          disabled={isBusy}
          onClick={() => run(() => model.command('batch.pause', batch.id))}
          {...commandButton('pause')}
        >
          Pause
        </Button>
      );
    case 'paused':
      // Resuming would pause it again at once: it needs a higher limit.
      if (isAtLimit(batch)) {
        return (
          <Button look="primary" icon={Gauge} onClick={() => document.getElementById(limitFieldId(batch))?.focus()}>
            Raise limit…
          </Button>
        );
      }
      return (
        <Button
          look="primary"
          icon={Play}
          disabled={isBusy}
          onClick={() => run(() => model.command('batch.resume', batch.id))}
          {...RUN_SHORTCUT}
        >
          Resume
        </Button>
      );
    case 'finished':
      return null;
  }
}
