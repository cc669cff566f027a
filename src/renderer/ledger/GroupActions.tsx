import { assertNever } from '../../shared/domain/base/result.ts';
import type { RowViewStatus } from '../../shared/domain/task/row-status.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { LedgerGroupView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import { ReleaseButton } from '../batch/head/EditBar.tsx';
import { Remedy } from '../batch/head/PauseBanner.tsx';
import { ExportEvidence, settledWords, useSettling } from '../batch/head/SettleDialog.tsx';
import { useRetry } from '../batch/head/use-retry.tsx';
import { Button, useBusy } from '../design/Button.tsx';
import { useAppModel } from '../state/app-context.ts';
import type { AppModel } from '../state/app-model.ts';
import { KeyField, keyWantedBy } from '../settings/gateways/Keys.tsx';
import { useUnknownSummary } from '../state/batch/use-unknown-summary.ts';

interface GroupProps {
  readonly group: LedgerGroupView;
  readonly batch: BatchView;
}

/** The buttons for a group: the ones that the batch has for it, or the way to its rows. */
export function GroupActions({ group, batch }: GroupProps) {
  switch (group.group) {
    case 'correct':
      return <CorrectRows group={group} />;
    case 'retry':
      return <RetryGroup group={group} batch={batch} label={words.ledger.group.tryAgain(group.takes)} />;
    case 'download':
      return <ResumeDownloads group={group} batch={batch} />;
    case 'check-charge':
      return <CheckCharge group={group} batch={batch} />;
    case 'raise-limit':
      return (
        <>
          <HeldRemedy batch={batch} />
          <ResumeAtLimit batch={batch} />
        </>
      );
    case 'look':
      return (
        <>
          <ShowRows batch={batch} status="failed" label={words.ledger.group.showFailed} />
          <HeldRemedy batch={batch} />
          <Resume batch={batch} />
        </>
      );
    case 'enter-key':
      // Its field and its button are below.
      return null;
    case 'check-settings':
    case 'change-time':
    case 'top-up':
    case 'free-disk':
      return (
        <>
          <HeldRemedy batch={batch} />
          <Resume batch={batch} />
        </>
      );
    case 'resume':
      return <Resume batch={batch} />;
    case 'start':
      return <ToBatch batch={batch} />;
    case 'held':
      return <ReleaseHeld group={group} batch={batch} />;
    case 'drafts':
      return batch.draftSubmits > 0 ? <ReleaseButton batch={batch} /> : null;
    case 'invalid':
      return <CorrectInvalid batch={batch} />;
    case 'written-off':
    case 'cancelled':
      return <RetryGroup group={group} batch={batch} label={words.ledger.group.retry} isQuiet />;
    case 'deleted':
      return <BringBack batch={batch} />;
    case 'pick':
      return <PickFile group={group} />;
    case 'settle-other-row':
    case 'wait-hours':
    case 'wait':
    case 'skipped':
      return null;
    default:
      return assertNever(group.group);
  }
}

/** Leads to the first row of a group, by its key. */
function ToFirstRow({
  group: { batchId, group },
  label,
  way,
}: Pick<GroupProps, 'group'> & {
  readonly label: string;
  readonly way: Parameters<AppModel['ways']['openFirst']>[1];
}) {
  const { ways } = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <Button size="small" disabled={isBusy} onClick={() => run(() => ways.openFirst({ batchId, group }, way))}>
      {label}
    </Button>
  );
}

/**
 * Shows the first row of the group in the sheet, with the cursor in its prompt: once that is corrected, the row is no
 * longer in the group.
 */
function CorrectRows({ group }: Pick<GroupProps, 'group'>) {
  return <ToFirstRow group={group} label={words.ledger.group.correct} way="openPrompt" />;
}

/** Shows what is wrong with the sheet, with the cursor in the first cell to correct. */
function CorrectInvalid({ batch }: Pick<GroupProps, 'batch'>) {
  const model = useAppModel();
  return (
    <Button size="small" onClick={() => void model.ways.openInvalid(batch.id)}>
      {words.ledger.group.correct}
    </Button>
  );
}

/** Shows the files of the row to pick from, for the first row that waits. */
function PickFile({ group }: Pick<GroupProps, 'group'>) {
  return <ToFirstRow group={group} label={words.ledger.group.pick} way="showPick" />;
}

/** Shows the rows of the batch with a status, in the sheet, with the cursor on the first of the group. */
function ShowRows({
  batch,
  status,
  label,
}: {
  readonly batch: BatchView;
  readonly status: RowViewStatus;
  readonly label: string;
}) {
  const model = useAppModel();
  const show = (): void => {
    model.go({ kind: 'batch', batchId: batch.id });
    model.rows.setFilter({ status: [status] });
  };
  return (
    <Button size="small" onClick={show}>
      {label}
    </Button>
  );
}

function RetryGroup({
  group,
  batch,
  label,
  isQuiet = false,
}: GroupProps & { readonly label: string; readonly isQuiet?: boolean }) {
  const model = useAppModel();
  const { isRetrying, retryTakes, retryDialog } = useRetry(batch);
  const [isBusy, run] = useBusy();
  const retry = (): void =>
    run(async () => {
      const takes = await model.batchCommands.takesOfGroup(group);
      if (takes !== undefined) await retryTakes(takes);
    });
  return (
    <>
      <Button size="small" look={isQuiet ? 'quiet' : 'secondary'} disabled={isBusy || isRetrying} onClick={retry}>
        {label}
      </Button>
      {retryDialog}
    </>
  );
}

/** Nothing is paid for a file that is fetched again: no question. */
function ResumeDownloads({ group }: GroupProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const resume = (): void =>
    run(async () => {
      const takes = await model.batchCommands.takesOfGroup(group);
      if (takes !== undefined) await model.batchCommands.retry(group.batchId, takes, true);
    });
  return (
    <Button size="small" disabled={isBusy} onClick={resume}>
      {words.ledger.group.resumeDownloads(group.takes)}
    </Button>
  );
}

/** Releases all held rows of the batch: the group has no others. */
function ReleaseHeld({ group, batch }: GroupProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <Button
      size="small"
      disabled={isBusy}
      onClick={() => run(() => model.batchCommands.setTurn(batch.id, undefined, 'release'))}
    >
      {words.ledger.group.release(group.takes)}
    </Button>
  );
}

/** A code is adopted row by row, in the row's inspector. */
function CheckCharge({ group, batch }: GroupProps) {
  const { isBusy, ask, settleDialog } = useSettling(batch);
  const { summary, isCurrent } = useUnknownSummary(batch, undefined);
  const isHeld = isBusy || !isCurrent || summary === undefined;
  const what = summary && settledWords(summary);
  return (
    <>
      <ToFirstRow group={group} label={words.ledger.group.adopt} way="inspectRow" />
      <ExportEvidence batchId={batch.id} rows={undefined} isDisabled={isHeld} />
      <Button size="small" disabled={isHeld} onClick={() => summary && ask({ decision: 'write-off', summary })}>
        {words.ledger.group.writeOff(what)}
      </Button>
      <Button
        size="small"
        look="danger"
        disabled={isHeld}
        onClick={() => summary && ask({ decision: 'resubmit', summary })}
      >
        {words.ledger.group.resubmit(what)}
      </Button>
      {settleDialog}
    </>
  );
}

/** Takes the key where it is missing; the button that resumes the batch comes after it, also for the keyboard. */
export function EnterKey({ batch }: { readonly batch: BatchView }) {
  return (
    <div className="stack">
      <KeyField place={keyWantedBy(batch)} />
      <div className="row">
        <Resume batch={batch} />
      </div>
    </div>
  );
}

/** The way to what holds the batch: the same as above its sheet. */
function HeldRemedy({ batch }: { readonly batch: BatchView }) {
  const { pause } = batch;
  const failure = pause?.by === 'failure' ? pause.failure : pause?.disk;
  return failure === undefined ? null : <Remedy batch={batch} failure={failure} />;
}

/** A limit of the batch is raised here, which resumes the batch; one for all batches is changed elsewhere first. */
function ResumeAtLimit({ batch }: { readonly batch: BatchView }) {
  const of = batch.pause?.by === 'failure' ? batch.pause.failure.cap?.of : undefined;
  return of === 'night' || of === 'month' ? <Resume batch={batch} /> : null;
}

function ToBatch({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  return (
    <Button size="small" onClick={() => model.go({ kind: 'batch', batchId: batch.id })}>
      {words.ledger.openBatch}
    </Button>
  );
}

/** Shown as long as a deleted batch can be brought back. */
function BringBack({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  if (batch.shelf?.is !== 'deleted') return null;
  return (
    <Button size="small" disabled={isBusy} onClick={() => run(() => model.shelf.bringBack(batch.id))}>
      {words.shell.batchLink.bringBack}
    </Button>
  );
}

function Resume({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  if (batch.state !== 'paused' && batch.state !== 'finished') return null;
  return (
    <Button
      size="small"
      disabled={isBusy}
      onClick={() => run(() => model.batchCommands.command('batch.resume', batch.id))}
    >
      {words.ledger.group.resume}
    </Button>
  );
}
