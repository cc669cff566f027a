// oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events -- see the wall, which has the keys
import { Check, History } from 'lucide-react';
import { memo, type MouseEvent } from 'react';
import { GATES } from '../../shared/domain/gates/gates.ts';
import { parseOutputId } from '../../shared/domain/task/task.ts';
import type { ViewedFileView } from '../../shared/ipc/files.ts';
import { words } from '../../shared/words/words.ts';
import { OutputIcon } from '../design/drawings.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine, shownText } from '../format/shown-text.ts';
import { fileKind, lengthWords, operationTitle } from '../format/phrases.ts';
import { SmallPicture } from '../player/MediaView.tsx';
import { Flags, Marks } from '../review/ReviewStage.tsx';
import { useAnswer } from '../state/app-context.ts';
import styles from './GalleryScreen.module.css';

interface GalleryTileProps {
  readonly fileId: string;
  /** Undefined until it is known, `null` if it is gone. */
  readonly file: ViewedFileView | null | undefined;
  readonly isCurrent: boolean;
  /** The next action applies to it, alone or with others. */
  readonly isMeant: boolean;
  /** It is one of those that are selected. */
  readonly isSelected: boolean;
  /** It is in sight, and not only flying past: its picture is asked for. */
  readonly isAsked: boolean;
  readonly onChoose: () => void;
  /** It is pressed with the mouse, which may select it with others, or begin to drag it out. */
  readonly onPress: (event: MouseEvent) => void;
  readonly onDrag: () => void;
  readonly onOpen: () => void;
}

/** One file: its picture, its row and take, and what the user and the gates say about it. */
export const GalleryTile = memo(function GalleryTile(props: GalleryTileProps) {
  const { fileId, file, isCurrent, isMeant, isSelected, isAsked, onChoose, onPress, onDrag, onOpen } = props;
  const kind = file ? fileKind(file) : undefined;
  const length = file ? lengthWords(file) : undefined;
  return (
    <div
      className={styles.tile}
      role="gridcell"
      tabIndex={isCurrent ? 0 : -1}
      aria-selected={isMeant}
      draggable={Boolean(file)}
      data-file={fileId}
      data-current={isCurrent}
      data-selected={isSelected}
      data-kept={file?.verdict?.kept}
      data-earlier={file?.isEarlier}
      title={file ? tipOf(file) : undefined}
      onFocus={onChoose}
      onMouseDown={onPress}
      onClick={onPress}
      onDragStart={(event) => {
        // The system drags the file itself, not a picture of it.
        event.preventDefault();
        onDrag();
      }}
      onDoubleClick={onOpen}
    >
      <div className={styles.picture} data-kind={kind}>
        {file === null && <span className="faint">{words.gallery.tile.gone}</span>}
        {file && isAsked && (kind === 'data' ? <Words fileId={fileId} /> : <SmallPicture file={file} />)}
        {isSelected && (
          <span className={styles.tick}>
            <Check size={14} strokeWidth={2.5} aria-hidden />
          </span>
        )}
        {kind !== undefined && kind !== 'image' && (
          <span className={styles.kind}>
            <OutputIcon kind={kind} size={14} />
            {length !== undefined && <span className="tabular">{length}</span>}
          </span>
        )}
      </div>
      <div className={styles.words}>
        <div className="row">
          <span className="grow cut">{file ? shownLine(file.row) : ''}</span>
          {file && <span className="faint tabular">{takeWords(file)}</span>}
        </div>
        <div className={joinClasses('row', styles.marks)}>
          {file?.isEarlier === true && (
            <span className={joinClasses('row cut', styles.earlier)}>
              <History size={13} aria-hidden />
              <span className="cut">{words.gallery.player.versions.isEarlier}</span>
            </span>
          )}
          {file && <Marks file={file} />}
          {file && <Flags flags={file.flags} />}
        </div>
      </div>
    </div>
  );
}, isSame);

/** Which of its row's files it is: a take may have several. */
function takeWords({ id, take }: ViewedFileView): string {
  const index = parseOutputId(id)?.index ?? 1;
  return index > 1 ? words.gallery.tile.takeAndFile(take, index) : words.common.take(take);
}

/** What a tile does depends on its file and on the wall, which does not change. */
function isSame(before: GalleryTileProps, after: GalleryTileProps): boolean {
  return (
    before.fileId === after.fileId &&
    before.file === after.file &&
    before.isCurrent === after.isCurrent &&
    before.isMeant === after.isMeant &&
    before.isSelected === after.isSelected &&
    before.isAsked === after.isAsked
  );
}

/** The beginning of lyrics or of any other document. */
function Words({ fileId }: { readonly fileId: string }) {
  const document = useAnswer('file.words', { fileId });
  if (document?.problem !== undefined) return <OutputIcon kind="data" size={32} />;
  const text = [document?.title, document?.words].filter((part) => part !== undefined).join('\n\n');
  return (
    <p className={styles.text} translate="no">
      {shownText(text.slice(0, 400))}
    </p>
  );
}

function tipOf(file: ViewedFileView): string {
  const flags = file.flags.map(({ gate, message }) => words.gallery.tile.flag(GATES[gate].title, message));
  const about = shownLine(file.label) || shownLine(file.row);
  return [about, `${operationTitle(file.operation)} · ${shownLine(file.name)}`, ...flags].join('\n');
}
