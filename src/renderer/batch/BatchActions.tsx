import { CircleStop, FolderOpen, Images, Pause, Play, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/ConfirmDialog.tsx';
import { useBusy } from '../design/use-busy.ts';
import { countOf } from '../format/numbers.ts';
import { useAppModel } from '../state/app-context.ts';
import { openTasks, type StatusTotals } from '../state/batch-progress.ts';
import { LivingMenu } from '../living/LivingMenu.tsx';
import { StartDialog } from '../sheet/StartDialog.tsx';
import { RetryDialog } from './RetryDialog.tsx';
import styles from './BatchActions.module.css';

interface BatchActionsProps {
  readonly batch: BatchView;
  readonly totals: StatusTotals;
}

/** What can be done with a whole batch now. */
export function BatchActions({ batch, totals }: BatchActionsProps) {
  const model = useAppModel();
  const [asks, setAsks] = useState<'cancel' | 'retry'>();
  const [isBusy, run] = useBusy();
  const retryable = totals.failed + totals.cancelled;
  const stoppable = openTasks(totals) - totals['submit-unknown'];
  const retry = (): void => run(() => model.retry(batch.id));
  const openFiles = (route: 'batch.openFolder' | 'batch.openGallery') => () =>
    run(async () => void (await model.ask(route, { batchId: batch.id })));
  return (
    <div className={styles.actions}>
      {batch.state !== 'finished' && stoppable > 0 && (
        <Button
          look="quiet"
          icon={CircleStop}
          title="Cancel what is left"
          disabled={isBusy}
          onClick={() => setAsks('cancel')}
        >
          <span className={styles.word}>Cancel</span>
        </Button>
      )}
      <Button
        look="quiet"
        icon={Images}
        title="Open the gallery"
        disabled={isBusy}
        onClick={openFiles('batch.openGallery')}
      >
        <span className={styles.word}>Gallery</span>
      </Button>
      <Button
        look="quiet"
        icon={FolderOpen}
        title="Open the folder"
        disabled={isBusy}
        onClick={openFiles('batch.openFolder')}
      >
        <span className={styles.word}>Open folder</span>
      </Button>
      <LivingMenu batch={batch} className={styles.word} />
      {retryable > 0 && (
        <Button icon={RotateCcw} disabled={isBusy} onClick={() => (batch.rehearsal ? retry() : setAsks('retry'))}>
          Retry failed
        </Button>
      )}
      <MainAction batch={batch} isBusy={isBusy} run={run} />
      <ConfirmDialog
        isOpen={asks === 'cancel'}
        title="Cancel what is left?"
        confirm={`Cancel ${countOf(stoppable, 'take')}`}
        decline="Leave it running"
        onConfirm={() => run(() => model.command('batch.cancel', batch.id))}
        onClose={() => setAsks(undefined)}
      >
        {countOf(stoppable, 'take')} that are not done yet will not be rendered. What the gateway has accepted already
        may be charged all the same. Files that are in the folder stay there.
      </ConfirmDialog>
      <RetryDialog
        isOpen={asks === 'retry'}
        what={countOf(retryable, 'take')}
        onConfirm={retry}
        onClose={() => setAsks(undefined)}
      />
    </div>
  );
}

/** What has not been started is asked about first: where it is rendered, and how much it may cost. */
function StartAction({ batch, isBusy }: Pick<MainActionProps, 'batch' | 'isBusy'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" icon={Play} disabled={isBusy} onClick={() => setOpen(true)}>
        Start…
      </Button>
      <StartDialog batch={batch} isOpen={isOpen} onClose={() => setOpen(false)} />
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
        <Button icon={Pause} disabled={isBusy} onClick={() => run(() => model.command('batch.pause', batch.id))}>
          Pause
        </Button>
      );
    case 'paused':
      return (
        <Button
          look="primary"
          icon={Play}
          disabled={isBusy}
          onClick={() => run(() => model.command('batch.resume', batch.id))}
        >
          Resume
        </Button>
      );
    case 'finished':
      return null;
  }
}
