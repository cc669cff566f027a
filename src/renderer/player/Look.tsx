import { ChevronLeft, ChevronRight, Columns2, FolderOpen, History } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { fileInCell } from '../batch/columns/grid-columns.ts';
import { Button, IconButton } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { shownLine } from '../format/shown-text.ts';
import { fileKind, operationTitle, sizeWords } from '../format/phrases.ts';
import { reviewCommandOf, type ReviewCommand } from '../review/review-keys.ts';
import reviewStyles from '../review/ReviewDialog.module.css';
import { FullScreenButton, ReviewStage } from '../review/ReviewStage.tsx';
import { targetOf } from '../review/stage-elements.ts';
import { useFullScreen } from '../review/use-full-screen.ts';
import { useStage } from '../review/use-stage.ts';
import { useAppModel, useRows } from '../state/app-context.ts';
import { pairOf, useRowVersions } from '../state/batch/row-versions.ts';
import { isCompareKey, versionWords } from './Compare.tsx';
import { scrollWords } from './DocumentView.tsx';
import styles from './Look.module.css';

/**
 * A row's files, each as large as the review shows a single one: the arrows go through rows and files, Space closes it.
 */
export function Look({ row: rowId, rowKey }: { readonly row: string; readonly rowKey: number }) {
  const model = useAppModel();
  const dialog = useRef<HTMLElement>(undefined);
  const batchId = useRows((state) => state.batchId) ?? '';
  const { row, files, isWhole } = useRowVersions(rowKey);
  const [choice, setChoice] = useState(() => ({ rowKey, fileId: model.rows.store.getState().lookFile }));
  const chosen = choice.rowKey === rowKey ? choice.fileId : undefined;
  const found = files.findIndex(({ id }) => id === (chosen ?? (row && fileInCell(row)?.id)));
  // The file asked for may be one that is not known yet.
  const isAwaited = found === -1 && chosen !== undefined && !isWhole;
  const index = Math.max(0, found);
  const file = isAwaited ? undefined : files[index];
  // Only one is there at a time: it plays by itself, and no other is loaded.
  const shown = useMemo(() => (file === undefined ? [] : [file]), [file]);
  const chosenNow = file?.id;
  const stage = useStage({
    files: shown,
    chosen: chosenNow,
    isAlone: true,
    now: () => ({ files: shown, chosen: chosenNow }),
    choose: () => undefined,
  });
  const screen = useFullScreen();
  const step = (by: number): void => {
    const next = files[index + by];
    if (next !== undefined) setChoice({ rowKey, fileId: next.id });
  };
  const compare = (): void => model.rows.compare(rowKey, file?.id);
  const canCompare = pairOf(files, file?.id) !== undefined;
  /** False for what has no meaning here. */
  const carryOut = (command: ReviewCommand): boolean => {
    switch (command.kind) {
      case 'play':
        model.rows.closeLook();
        return true;
      case 'row':
        model.rows.move(command.by);
        return true;
      case 'file':
        step(command.by);
        return true;
      case 'screen':
        screen.toggle();
        return true;
      case 'pixels':
      case 'zoom':
      case 'frame':
      case 'seek':
      case 'speed':
      case 'mute':
        stage.carryOut(command);
        return true;
      default:
        return false;
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    // Up and down are for the text if it has the focus; its other keys scroll it from anywhere.
    const isText = event.target instanceof HTMLElement && event.target.closest('[data-words]') !== null;
    if (isText && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) return;
    const command = reviewCommandOf(event, targetOf(event.target));
    const isCompare = isCompareKey(event) && canCompare;
    if (isCompare) compare();
    const isDone = isCompare || (command === undefined ? scrollWords(dialog.current, event.key) : carryOut(command));
    if (isDone) event.preventDefault();
  };
  return (
    <Dialog
      title={row === undefined ? shownLine(rowId) : shownLine(row.label) || shownLine(row.row)}
      hint={
        <>
          {shownLine(rowId)} · {operationTitle(row?.operation)}
          {file !== undefined && ` · ${shownLine(file.name)} · ${sizeWords(file)}`}
        </>
      }
      tools={
        file !== undefined && (
          <>
            {canCompare && (
              <Button look="quiet" icon={Columns2} title="C" onClick={compare}>
                {words.gallery.player.versions.compare}
              </Button>
            )}
            <Button
              look="quiet"
              icon={FolderOpen}
              onClick={() => void model.ask('file.showInFolder', { fileId: file.id })}
            >
              {words.gallery.player.showInFolder}
            </Button>
            <FullScreenButton screen={screen} dialog={dialog} />
          </>
        )
      }
      hasClose
      isBare
      className={joinClasses(
        reviewStyles.dialog,
        screen.isFull && reviewStyles.full,
        screen.isIdle && reviewStyles.idle,
      )}
      testId="look"
      onKeyDown={onKeyDown}
      // The dialog takes the focus itself, so that Space closes it instead of pressing its first button.
      onOpenFocus={(content) => {
        dialog.current = content;
        content.focus();
      }}
      onEscape={(event) => {
        if (screen.leave()) event.preventDefault();
      }}
      onClose={() => model.rows.closeLook()}
    >
      {file === undefined ? (
        <p className={joinClasses('soft', styles.none)} aria-busy={isAwaited}>
          {!isAwaited && words.gallery.player.noFile}
        </p>
      ) : (
        <ReviewStage
          of={{ batchId, key: rowKey }}
          files={shown}
          chosen={file.id}
          stage={stage}
          startsAtOnce
          onChoose={() => undefined}
        />
      )}
      <footer className={joinClasses('row', reviewStyles.bottom, styles.foot)}>
        <IconButton
          icon={ChevronLeft}
          label={words.gallery.player.previous}
          disabled={index === 0}
          onClick={() => step(-1)}
        />
        <span className="soft tabular">
          {files.length === 0 ? words.common.files(0) : words.gallery.player.fileOf(index + 1, files.length)}
        </span>
        <IconButton
          icon={ChevronRight}
          label={words.gallery.player.next}
          disabled={index >= files.length - 1}
          onClick={() => step(1)}
        />
        <output className={joinClasses('row', styles.version)}>
          {file?.isEarlier === true && (
            <>
              <History size={15} aria-hidden />
              {versionWords(file)}
            </>
          )}
          {stage.isMuted && words.review.muted}
        </output>
        <span className={joinClasses('faint cut', styles.keys)}>
          {file !== undefined && `${words.gallery.player.keysOf[fileKind(file)]} · `}
          {words.gallery.player.keys}
        </span>
      </footer>
    </Dialog>
  );
}
