import { ChevronLeft, ChevronRight, Columns2, FolderOpen, History } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { fileInCell } from '../batch/columns/grid-columns.ts';
import { Button, IconButton } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { shownLine } from '../format/shown-text.ts';
import { fileKind, formatBytes, operationTitle } from '../format/words.ts';
import { useAppModel } from '../state/app-context.ts';
import { pairOf, useRowVersions } from '../state/batch/row-versions.ts';
import { isCompareKey, versionWords } from './Compare.tsx';
import { scrollWords } from './DocumentView.tsx';
import { MediaView } from './MediaView.tsx';
import styles from './Look.module.css';

/** A row's files, large: the arrows go through rows and files, Space closes it. */
export function Look({ row: rowId, rowKey }: { readonly row: string; readonly rowKey: number }) {
  const model = useAppModel();
  const { row, files, isWhole } = useRowVersions(rowKey);
  const [choice, setChoice] = useState(() => ({ rowKey, fileId: model.rows.store.getState().lookFile }));
  const chosen = choice.rowKey === rowKey ? choice.fileId : undefined;
  const found = files.findIndex(({ id }) => id === (chosen ?? (row && fileInCell(row)?.id)));
  // What is asked for may be one of those that are not known yet.
  const isAwaited = found === -1 && chosen !== undefined && !isWhole;
  const index = Math.max(0, found);
  const file = isAwaited ? undefined : files[index];
  const step = (by: number): void => {
    const next = files[index + by];
    if (next !== undefined) setChoice({ rowKey, fileId: next.id });
  };
  const compare = (): void => model.rows.compare(rowKey, file?.id);
  const canCompare = pairOf(files, file?.id) !== undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    // The seek bar uses the arrows itself, and buttons use Space.
    if (event.target instanceof HTMLElement && event.target.closest('[role="slider"], button') !== null) return;
    const isText = event.target instanceof HTMLElement && event.target.closest('[data-words]') !== null;
    // Up and down are for the text that has the focus; its other keys scroll it from everywhere.
    if (isText && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) return;
    if (scrollWords(event.currentTarget, event.key)) event.preventDefault();
    if (isCompareKey(event) && canCompare) {
      event.preventDefault();
      compare();
    }
    const action = KEYS[event.key];
    if (action === undefined) return;
    event.preventDefault();
    if (action === 'close') model.rows.closeLook();
    else if (action === 'above' || action === 'below') model.rows.move(action === 'above' ? -1 : 1);
    else step(action === 'before' ? -1 : 1);
  };
  return (
    <Dialog
      title={row === undefined ? shownLine(rowId) : shownLine(row.label) || shownLine(row.row)}
      hint={
        <>
          {shownLine(rowId)} · {operationTitle(row?.operation)}
          {file !== undefined && ` · ${shownLine(file.name)} · ${formatBytes(file.bytes)}`}
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
          </>
        )
      }
      hasClose
      isWide
      isBare
      onKeyDown={onKeyDown}
      // It takes the focus itself, so that Space closes it instead of pressing its first button.
      onOpenFocus={(content) => content.focus()}
      onClose={() => model.rows.closeLook()}
    >
      <div className={joinClasses('row', styles.stage)} data-kind={file === undefined ? 'none' : fileKind(file)}>
        {file === undefined ? (
          <p className="soft" aria-busy={isAwaited}>
            {!isAwaited && words.gallery.player.noFile}
          </p>
        ) : (
          <MediaView file={file} size="large" startsAtOnce />
        )}
      </div>
      <footer className={joinClasses('row', styles.foot)}>
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
        </output>
        <span className={joinClasses('faint', styles.keys)}>
          {file !== undefined && fileKind(file) === 'data' && `${words.gallery.player.pageKeys} · `}
          {words.gallery.player.keys}
        </span>
      </footer>
    </Dialog>
  );
}

const KEYS: Readonly<Record<string, 'close' | 'above' | 'below' | 'before' | 'after'>> = {
  ' ': 'close',
  ArrowUp: 'above',
  ArrowDown: 'below',
  ArrowLeft: 'before',
  ArrowRight: 'after',
};
