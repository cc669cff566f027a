/** How the files of the row are looked at and listened to: side by side, one large, or one over the other. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { fileKind } from '../format/phrases.ts';
import { changeSpeed } from '../player/use-playback.ts';
import { useAppModel } from '../state/app-context.ts';
import type { ReviewState } from '../state/review/review-mode.ts';
import type { StageCommand } from './review-keys.ts';
import { stepFrame } from './film-frames.ts';
import { useMatchedLoudness } from './matched-loudness.ts';
import { filmOf, pauseAllBut, playOrPause, seekBy, sightOf, swapTo, tileOf } from './stage-elements.ts';
import { usePlayThrough, type ThroughView } from './use-play-through.ts';
import { PIXELS, zoomBy, type Zoom } from './zoom.ts';

export interface StageView {
  readonly place: RefObject<HTMLUListElement | null>;
  readonly isMuted: boolean;
  /** Says that its songs and films are played equally loud; undefined if they are played as they are. */
  readonly loudness: string | undefined;
  /** The chosen file has all of the place. */
  readonly isLarge: boolean;
  /** How the large picture is zoomed into, whichever picture it is; undefined if it is shown whole. */
  readonly zoom: Zoom | undefined;
  /** Two pictures, the second one over the first; undefined if there is no wipe. */
  readonly wiped: readonly [FileView, FileView] | undefined;
  /** One file after the other is played. */
  readonly through: ThroughView;
  readonly carryOut: (command: StageCommand) => void;
  readonly changeZoom: (change: (before: Zoom | undefined) => Zoom | undefined) => void;
  /** Ends the wipe. */
  readonly unwipe: () => void;
  /** Goes back to side by side, in answer to Escape; false if it was there already. */
  readonly leave: () => boolean;
}

const SEEK_S = 5;
/** The factor by which a key press zooms. */
const ZOOM_STEP = 1.25;

/** What is on a stage: files, one of which is chosen now, and another was before. */
export interface Staged {
  readonly files: readonly FileView[] | undefined;
  readonly chosen: string | undefined;
  /** The same at the moment of a key, and what was chosen before. */
  readonly now: () => Partial<Pick<ReviewState, 'files' | 'chosen' | 'before'>>;
  readonly choose: (fileId: string) => void;
  /** Its files are shown one at a time: the chosen one is always large. */
  readonly isAlone?: boolean;
}

/** The stage of a review, of a comparison or of a large file that is open, and what its keys do. */
export function useStage({ files, chosen, now: atKey, choose, isAlone: isAlwaysAlone = false }: Staged): StageView {
  const { playThrough } = useAppModel();
  const place = useRef<HTMLUListElement>(null);
  const [isMuted, setMuted] = useState(false);
  const [isMatched, setMatched] = useState(false);
  const loudness = useMatchedLoudness(place, files, isMatched);
  const [isAlone, setAlone] = useState(false);
  const [zoom, setZoom] = useState<Zoom>();
  const [wiped, setWiped] = useState<StageView['wiped']>();
  const through = usePlayThrough(place, files, chosen);
  const isLarge = isAlwaysAlone || isAlone || through.isOn;
  useEffect(() => {
    // What is not seen is not heard either.
    if (isLarge) pauseAllBut(place.current, chosen);
  }, [isLarge, chosen]);
  const showAlone = (isWanted: boolean): void => {
    setAlone(isWanted);
    setZoom(undefined);
  };
  const carryOut = (command: StageCommand): void => {
    const { files: now = [], chosen: fileId, before } = atKey();
    switch (command.kind) {
      case 'play':
        return through.isOn && !through.isOver
          ? playThrough.setPaused(!through.isPaused)
          : playOrPause(place.current, fileId);
      case 'swap':
        if (before !== undefined && now.some(({ id }) => id === before)) {
          swapTo(place.current, fileId, before);
          choose(before);
        }
        return undefined;
      case 'wipe':
        playThrough.setPaused(true);
        return setWiped(picturesOf(now, fileId, before));
      case 'large':
        return showAlone(!isAlone);
      case 'pixels':
        return isLarge ? setZoom(zoom === undefined ? PIXELS : undefined) : undefined;
      case 'zoom': {
        const sight = isLarge ? sightOf(tileOf(place.current, fileId)) : undefined;
        if (sight !== undefined) setZoom((before) => zoomBy(before, sight, ZOOM_STEP ** command.by));
        return undefined;
      }
      case 'frame': {
        const film = filmOf(place.current, fileId);
        if (film !== undefined) stepFrame(film, command.by);
        return undefined;
      }
      case 'seek':
        return seekBy(place.current, fileId, command.by * SEEK_S);
      case 'speed':
        return changeSpeed(command.by);
      case 'loudness':
        return setMatched(!isMatched);
      case 'mute':
        return setMuted(!isMuted);
      default:
        return assertNever(command);
    }
  };
  return {
    place,
    isMuted,
    loudness,
    isLarge,
    zoom,
    wiped,
    through,
    carryOut,
    changeZoom: setZoom,
    unwipe: () => setWiped(undefined),
    leave: () => {
      // The line between two pictures has the focus: Escape ends it there.
      if (wiped !== undefined) return true;
      if (isLarge) {
        playThrough.stop();
        showAlone(false);
      }
      return isLarge;
    },
  };
}

/** The picture that was chosen before, or the first other one, and the chosen one; undefined without two pictures. */
function picturesOf(
  files: readonly FileView[],
  chosen: string | undefined,
  before: string | undefined,
): readonly [FileView, FileView] | undefined {
  const pictures = files.filter((file) => fileKind(file) === 'image');
  const right = pictures.find(({ id }) => id === chosen);
  const others = pictures.filter((file) => file !== right);
  const left = others.find(({ id }) => id === before) ?? others[0];
  return left === undefined || right === undefined ? undefined : [left, right];
}
