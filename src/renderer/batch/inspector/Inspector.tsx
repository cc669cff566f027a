import { Ban, ChevronDown, ChevronUp, RefreshCw, Repeat2, RotateCcw, Undo2, X } from 'lucide-react';
import { useEffect, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { whyLocked } from '../../../shared/domain/task/row-status.ts';
import { TERMINAL_STATUSES } from '../../../shared/domain/task/task.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowDetail, RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { CopyMenu } from '../grid/CopyItems.tsx';
import { TurnButtons } from '../head/RowTurns.tsx';
import { hasRequest, isUnderWay, useCancelRows } from '../head/use-cancel-rows.tsx';
import { canRetry, useRetry } from '../head/use-retry.tsx';
import { StatusQuestions } from '../head/StatusQuestions.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Button, IconButton, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { SidePanel } from '../../design/Page.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { placeWords } from '../../format/phrases.ts';
import { focusRegion } from '../../shell/keyboard.ts';
import { useAppModel } from '../../state/app-context.ts';
import { canAskAgain, oneMoreTake, renderAgain } from '../../state/batch/one-more-take.ts';
import { versionsOf } from '../../state/batch/row-detail-view.ts';
import { pairOf } from '../../state/batch/row-versions.ts';
import { isCompareKey } from '../../player/Compare.tsx';
import { targetOf } from '../../review/stage-elements.ts';
import { FilesOfRow } from '../../open-sheet/start/FilesPlace.tsx';
import { FieldList, RequestPreview } from './RequestPreview.tsx';
import { EarlierTakeList } from './EarlierTakeList.tsx';
import { EditList } from './EditList.tsx';
import { EvidenceList } from './EvidenceList.tsx';
import { FileList } from './FileList.tsx';
import { RowHistory } from './RowHistory.tsx';
import { StatusStory } from './StatusStory.tsx';
import { TaskList } from './TaskList.tsx';
import { UnknownChoices } from './UnknownChoices.tsx';
import styles from './Inspector.module.css';

interface InspectorProps {
  readonly batch: BatchView;
  /** The row's name. */
  readonly row: string;
  readonly rowKey: number;
}

/** Everything about one row: its status and why, its files, what was sent, and what the gateway said. */
export function Inspector({ batch, row, rowKey: key }: InspectorProps) {
  const model = useAppModel();
  const { detail, problem } = useStore(model.detail.store);
  useEffect(() => {
    model.detail.look({ batchId: batch.id, key });
    return () => model.detail.look(undefined);
  }, [model, batch.id, key]);
  const canCompare = pairOf(versionsOf(undefined, detail)) !== undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    // Its dialogs are elsewhere on the page.
    const isInside = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (!isInside || event.defaultPrevented) return;
    const isCommand = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (event.key === 'Escape') model.rows.closeInspector();
    else if (isCommand && event.key.toLowerCase() === 'i') focusRegion('grid');
    else if (isCompareKey(event) && targetOf(event.target) !== 'field' && canCompare) model.rows.compare(key);
    else return;
    event.preventDefault();
  };
  const title = detail === undefined ? '' : shownLine(detail.row.label);
  return (
    <SidePanel
      onKeyDown={onKeyDown}
      title={shownLine(row)}
      about={detail === undefined ? '\u00a0' : placeWords(detail.row)}
      label={words.inspector.label(shownLine(row))}
      testId="inspector"
      tools={
        <>
          <IconButton icon={ChevronUp} label={words.inspector.rowAbove} onClick={() => model.rows.move(-1)} />
          <IconButton icon={ChevronDown} label={words.inspector.rowBelow} onClick={() => model.rows.move(1)} />
          <IconButton icon={X} label={words.inspector.close} onClick={() => model.rows.closeInspector()} />
        </>
      }
    >
      <div className={joinClasses(styles.body, 'stack scroll')}>
        {title !== '' && (
          <p className={joinClasses(styles.label, 'soft selectable')} translate="no">
            {title}
          </p>
        )}
        {problem !== undefined && (
          <Callout level="error" title={words.inspector.unreadable}>
            {problem}
          </Callout>
        )}
        {detail !== undefined && <RowContent batch={batch} detail={detail} />}
      </div>
    </SidePanel>
  );
}

/** All its takes have ended: only the user can ask for a new one. */
const ENDED: ReadonlySet<RowView['status']> = TERMINAL_STATUSES;

function RowContent({ batch, detail }: { readonly batch: BatchView; readonly detail: RowDetail }) {
  const model = useAppModel();
  const { row, tasks } = detail;
  const submits = tasks.reduce((sum, task) => sum + task.attempts, 0);
  return (
    <>
      <StatusStory detail={detail} batch={batch} />
      <StatusQuestions batch={batch} row={row} />
      {row.status === 'submit-unknown' && <UnknownChoices key={row.key} batch={batch} row={row} tasks={tasks} />}
      {row.status === 'submit-unknown' && (
        // Fetched again after every further request.
        <EvidenceList key={`evidence ${submits} ${row.key}`} batchId={batch.id} rowKey={row.key} />
      )}
      <FileList
        title={words.inspector.files.now}
        files={tasks.flatMap((task) => task.files)}
        review={detail.isPickWanted === true ? 'pick' : 'keep'}
        onLook={(fileId) => model.rows.look(row.key, fileId)}
      />
      <RowActions batch={batch} row={row} />
      <EditList key={`edits ${row.key}`} detail={detail} />
      <FileList
        title={words.inspector.files.earlier}
        files={detail.earlierFiles}
        review="keep"
        onLook={(fileId) => model.rows.look(row.key, fileId)}
        onCompare={(fileId) => model.rows.compare(row.key, fileId)}
      />
      <TaskList tasks={tasks} isRehearsal={batch.rehearsal} />
      <RowHistory key={`history ${row.key}`} batchId={batch.id} detail={detail} />
      <EarlierTakeList key={`earlier ${row.key}`} batch={batch} detail={detail} />
      {whyLocked([row]) === undefined && (
        <RequestPreview
          batchId={batch.id}
          rowKey={row.key}
          isOver={ENDED.has(row.status)}
          sent={submits > 0 ? detail.body : undefined}
        />
      )}
      <FilesOfRow key={`local ${row.key} ${detail.body}`} batchId={batch.id} rowKey={row.key} />
      <FieldList detail={detail} />
    </>
  );
}

/** The actions for one row. */
function RowActions({ batch, row }: { readonly batch: BatchView; readonly row: RowView }) {
  const { isRetrying, retry, retryDialog } = useRetry(batch);
  const { isCancelling, cancel, cancelDialog } = useCancelRows(batch);
  const model = useAppModel();
  const [isAsking, ask] = useBusy();
  const isBusy = isRetrying || isCancelling;
  const mayAsk = canAskAgain(row);
  return (
    <div className="row wrap">
      {canRetry(row) && (
        <Button icon={RotateCcw} disabled={isBusy} onClick={() => retry([row.key])}>
          {words.inspector.retry}
        </Button>
      )}
      {mayAsk && (
        <Button
          icon={Repeat2}
          title={words.inspector.oneMoreTakeHint}
          disabled={isAsking}
          onClick={() => ask(() => oneMoreTake(model, batch.id, [row.key]))}
        >
          {words.inspector.oneMoreTake}
        </Button>
      )}
      {mayAsk && (
        <Button
          icon={RefreshCw}
          title={words.inspector.renderAgainHint}
          disabled={isAsking}
          onClick={() => ask(() => renderAgain(model, batch.id, [row.key]))}
        >
          {words.inspector.renderAgain}
        </Button>
      )}
      {row.keepsEarlier === 'possible' && (
        <Button
          icon={Undo2}
          title={words.inspector.keepEarlierHint}
          disabled={isAsking}
          onClick={() => ask(async () => void (await model.editing.keepEarlier([row.key])))}
        >
          {words.inspector.keepEarlier}
        </Button>
      )}
      {retryDialog}
      {cancelDialog}
      <TurnButtons batch={batch} row={row} />
      {isUnderWay(row) && (
        <Button
          look="quiet"
          icon={Ban}
          disabled={isBusy}
          onClick={() => cancel({ rows: [row.key], what: words.batch.row, mayHaveRequest: hasRequest(row) })}
        >
          {words.inspector.cancel}
        </Button>
      )}
      <CopyMenu batchId={batch.id} row={row} />
    </div>
  );
}
