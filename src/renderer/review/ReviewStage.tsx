// oxlint-disable jsx-a11y/no-noninteractive-element-interactions -- a file is dragged by all of its tile; its buttons have the keys
import { Check, Flag, Maximize, Pointer, Star, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { GATES } from '../../shared/domain/gates/gates.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { IconButton, PlainButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine } from '../format/shown-text.ts';
import { fileKind, sizeWords } from '../format/phrases.ts';
import { FileName, MediaView, SmallPicture } from '../player/MediaView.tsx';
import { useWindowEvent } from '../shell/keyboard.ts';
import type { RowRef } from '../state/batch/row-detail-view.ts';
import { watchFrames } from './film-frames.ts';
import { fileIdOf, filmOf, mute, tileOf } from './stage-elements.ts';
import { StageSong } from './StageSong.tsx';
import { StagePicture } from './StagePicture.tsx';
import type { FullScreenView } from './use-full-screen.ts';
import type { StageView } from './use-stage.ts';
import styles from './ReviewDialog.module.css';

interface ReviewStageProps {
  /** The row whose files these are. */
  readonly of: RowRef;
  readonly files: readonly FileView[];
  readonly chosen: string | undefined;
  readonly stage: Pick<StageView, 'place' | 'isMuted' | 'isLarge' | 'zoom' | 'changeZoom' | 'through'>;
  readonly onChoose: (fileId: string) => void;
  /** A song or a film plays as soon as it has loaded. */
  readonly startsAtOnce?: boolean;
  /** Drags a file out of the window; if absent, none can be dragged. */
  readonly onDrag?: (fileId: string) => void;
  /** The words beside the name of a file, such as that it is an earlier one. */
  readonly caption?: (file: FileView) => string | undefined;
}

interface FullScreenButtonProps {
  readonly screen: FullScreenView;
  readonly dialog: { readonly current: HTMLElement | undefined };
}

/** Gives the whole screen to the file that is being looked at; the keyboard stays with the dialog. */
export function FullScreenButton({ screen, dialog }: FullScreenButtonProps) {
  const toggle = (): void => {
    screen.toggle();
    dialog.current?.focus();
  };
  return <IconButton icon={Maximize} label={words.review.fullScreen} onClick={toggle} />;
}

/** Where dragging does not mean the file: in a seek bar, and in a picture that is zoomed into. */
const DRAGGED_ITSELF = '[data-seek], [data-zoomed="true"]';
/** More columns than this are too narrow for a film. */
const MOST_COLUMNS = 4;

/**
 * All files of a row side by side, as large as fits; or the chosen one alone, with all of them small below or beside
 * it.
 */
export function ReviewStage(props: ReviewStageProps) {
  const { of, files, chosen, stage, onChoose, startsAtOnce = false, onDrag, caption } = props;
  const { place, isMuted, isLarge, zoom } = stage;
  const pressed = useRef<Element>(undefined);
  const isSound = files.every((file) => fileKind(file) === 'music' || fileKind(file) === 'data');
  const columns = isLarge
    ? 1
    : files.length <= 3
      ? files.length
      : Math.min(MOST_COLUMNS, Math.ceil(Math.sqrt(files.length)));
  useEffect(() => {
    for (const { id } of files) mute(place.current, id, isMuted);
  }, [files, isMuted, place]);
  useEffect(() => {
    for (const { id } of files) {
      const film = filmOf(place.current, id);
      if (film !== undefined) watchFrames(film);
    }
  }, [files, place]);
  useEffect(() => {
    if (!isLarge) tileOf(place.current, chosen)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, isLarge, place]);
  // The player in a tile has been used: its file becomes the chosen one.
  useWindowEvent(['focusin'], ({ target }) => {
    const used = target instanceof Element && place.current?.contains(target) === true ? fileIdOf(target) : undefined;
    if (used !== undefined) onChoose(used);
  });
  return (
    <div className={styles.stand}>
      <ul
        ref={place}
        className={styles.stage}
        data-sound={isSound}
        data-large={isLarge}
        aria-label={words.review.stage.files}
        {...stage.through.events}
        style={{ gridTemplateColumns: `repeat(${isSound ? 1 : Math.max(1, columns)}, minmax(0, 1fr))` }}
      >
        {files.map((file) => (
          <li
            key={file.id}
            className={styles.tile}
            data-file={file.id}
            aria-current={file.id === chosen}
            data-kept={file.verdict?.kept}
            draggable={onDrag !== undefined}
            onPointerDownCapture={({ target }) => (pressed.current = target instanceof Element ? target : undefined)}
            onDragStart={(event) => {
              event.preventDefault();
              if (pressed.current?.closest(DRAGGED_ITSELF) === null) onDrag?.(file.id);
            }}
          >
            <div className={styles.media}>
              {fileKind(file) === 'image' ? (
                <StagePicture
                  file={file}
                  isLarge={isLarge}
                  zoom={file.id === chosen ? zoom : undefined}
                  onZoom={stage.changeZoom}
                  onChoose={() => onChoose(file.id)}
                />
              ) : fileKind(file) === 'music' ? (
                <StageSong of={of} file={file} isLarge={isLarge} startsAtOnce={startsAtOnce} />
              ) : (
                <MediaView file={file} size="large" startsAtOnce={startsAtOnce} />
              )}
            </div>
            <PlainButton
              className={joinClasses('row', styles.name)}
              tabIndex={-1}
              aria-pressed={file.id === chosen}
              title={[shownLine(file.name), sizeWords(file), ...(onDrag ? [words.review.stage.drag] : [])].join(' · ')}
              onClick={() => onChoose(file.id)}
            >
              <FileName name={shownLine(file.name)} />
              {caption !== undefined && <span className="soft">{caption(file)}</span>}
              {zoom !== undefined && fileKind(file) === 'image' && (
                <span className="soft tabular">{Math.round(zoom.scale * 100)}%</span>
              )}
              {stage.through.isOn && (
                <span className="soft tabular">
                  {stage.through.place}
                  {stage.through.isPaused && ` · ${words.review.stage.paused}`}
                </span>
              )}
              <Marks file={file} />
              <Flags flags={file.flags} />
            </PlainButton>
          </li>
        ))}
      </ul>
      {isLarge && files.length > 1 && <Filmstrip files={files} chosen={chosen} onChoose={onChoose} />}
    </div>
  );
}

/** All files of the row, small, in one line: the chosen one is the large one above. */
function Filmstrip({ files, chosen, onChoose }: Pick<ReviewStageProps, 'files' | 'chosen' | 'onChoose'>) {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    tileOf(strip.current, chosen)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  return (
    <nav ref={strip} className={joinClasses('row', styles.strip)} aria-label={words.review.stage.allFiles}>
      {files.map((file) => (
        <PlainButton
          key={file.id}
          className={styles.small}
          data-file={file.id}
          tabIndex={-1}
          aria-label={words.review.stage.choose(shownLine(file.name))}
          aria-pressed={file.id === chosen}
          data-kept={file.verdict?.kept}
          title={shownLine(file.name)}
          // The keys stay with the review.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(file.id)}
        >
          <SmallPicture file={file} />
        </PlainButton>
      ))}
    </nav>
  );
}

/** What was said about a file, in a few signs; the line below has it in words. */
export function Marks({ file }: { readonly file: FileView }) {
  const { kept, rating, isPicked, note } = file.verdict ?? {};
  return (
    <span className={joinClasses('row', styles.marks)}>
      {isPicked === true && (
        <span className={styles.good}>
          <Pointer size={13} aria-hidden /> {words.review.verdicts.picked}
        </span>
      )}
      {rating !== undefined && (
        <span className={joinClasses('tabular', styles.good)}>
          <Star size={13} fill="currentColor" aria-hidden /> {rating}
        </span>
      )}
      {kept === true && (
        <span className={styles.good}>
          <Check size={13} aria-hidden /> {words.review.verdicts.kept}
        </span>
      )}
      {kept === false && (
        <span className={styles.bad}>
          <X size={13} aria-hidden /> {words.review.verdicts.rejected}
        </span>
      )}
      {note !== undefined && <span>{words.review.verdict.note}</span>}
    </span>
  );
}

/** Which gates flag a file; what each of them says is in the line below, too. */
export function Flags({ flags }: Pick<FileView, 'flags'>) {
  if (flags === undefined || flags.length === 0) return null;
  return (
    <span className={joinClasses('row cut', styles.flags)}>
      <Flag size={13} aria-hidden />
      <span className="cut">{words.gallery.tile.flags(flags.map(({ gate }) => GATES[gate].title))}</span>
    </span>
  );
}
