/** How the files of the row are looked at and listened to: side by side, one large, or one over the other. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { fileKind } from '../format/words.ts';
import type { ReviewMode } from '../state/review/review-mode.ts';
import type { StageCommand } from './review-keys.ts';
import { pauseAllBut, playOrPause, swapTo } from './stage-elements.ts';

export interface StageView {
  readonly place: RefObject<HTMLUListElement | null>;
  readonly isMuted: boolean;
  /** The chosen file has all of the place. */
  readonly isLarge: boolean;
  /** Two pictures, the second one over the first; undefined if none are laid so. */
  readonly wiped: readonly [FileView, FileView] | undefined;
  readonly carryOut: (command: StageCommand) => void;
  /** Ends the wipe. */
  readonly unwipe: () => void;
  /** Goes back to side by side, where Escape is answered by it; false if it was there already. */
  readonly leave: () => boolean;
}

/** The stage of a review that is open, and what its keys do. */
export function useStage(review: ReviewMode, chosen: string | undefined): StageView {
  const place = useRef<HTMLUListElement>(null);
  const [isMuted, setMuted] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const [wiped, setWiped] = useState<StageView['wiped']>();
  useEffect(() => {
    // What is not seen is not heard either.
    if (isLarge) pauseAllBut(place.current, chosen);
  }, [isLarge, chosen]);
  const carryOut = (command: StageCommand): void => {
    const { files = [], chosen: fileId, before } = review.store.getState();
    switch (command.kind) {
      case 'play':
        return playOrPause(place.current, fileId);
      case 'swap':
        if (before !== undefined && files.some(({ id }) => id === before)) {
          swapTo(place.current, fileId, before);
          review.choose(before);
        }
        return undefined;
      case 'wipe':
        return setWiped(picturesOf(files, fileId, before));
      case 'large':
        return setLarge(!isLarge);
      case 'mute':
        return setMuted(!isMuted);
      default:
        return assertNever(command.kind);
    }
  };
  return {
    place,
    isMuted,
    isLarge,
    wiped,
    carryOut,
    unwipe: () => setWiped(undefined),
    leave: () => {
      // The line between two pictures has the focus: Escape ends it there.
      if (wiped !== undefined) return true;
      if (isLarge) setLarge(false);
      return isLarge;
    },
  };
}

/** The picture that was chosen before, or the first other one, and the chosen one; undefined if these are not two pictures. */
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
