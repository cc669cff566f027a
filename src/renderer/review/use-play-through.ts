/** Plays the chosen file while the review is played through, and says when it has ended. */
import { useEffect, useRef, type RefObject, type SyntheticEvent } from 'react';
import { useStore } from 'zustand';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { fileKind } from '../format/phrases.ts';
import { useAppModel } from '../state/app-context.ts';
import type { PlayThroughState } from '../state/review/play-through.ts';
import { fileIdOf, loopFilms, pauseAllBut, playFile } from './stage-elements.ts';

/** The events of the elements of a stage; media events do not bubble, so they are caught on their way down. */
interface StageEvents {
  readonly onPlayCapture: (event: SyntheticEvent) => void;
  readonly onPauseCapture: (event: SyntheticEvent) => void;
  readonly onEndedCapture: (event: SyntheticEvent) => void;
  readonly onErrorCapture: (event: SyntheticEvent) => void;
}

export interface ThroughView {
  /** The review is played through. */
  readonly isOn: boolean;
  /** Which of how many it is, such as `3 of 41`; empty if it is off. */
  readonly place: string;
  readonly isPaused: boolean;
  /** The last file has been played. */
  readonly isOver: boolean;
  readonly events: StageEvents;
}

export function usePlayThrough(
  stage: RefObject<HTMLElement | null>,
  files: readonly FileView[] | undefined,
  chosen: string | undefined,
): ThroughView {
  const { playThrough } = useAppModel();
  const state = useStore(playThrough.store);
  const { isPaused, isOver, turn } = state;
  const begun = useRef(0);
  const isOn = isPlayedThrough(state);
  const file = files?.find(({ id }) => id === chosen);
  const kind = file && fileKind(file);
  const name = file?.name ?? '';
  // New films may appear with each drawing.
  useEffect(() => loopFilms(stage.current, !isOn));
  useEffect(() => {
    if (!isOn || chosen === undefined || kind === undefined || isOver) return;
    if (isPaused) {
      pauseAllBut(stage.current, undefined);
      return;
    }
    const isNew = begun.current !== turn;
    begun.current = turn;
    const isPlayed = playFile(stage.current, chosen, isNew);
    if (!isPlayed && kind !== 'image') playThrough.failed(chosen, shownLine(name));
  }, [stage, playThrough, chosen, kind, name, isOn, isPaused, isOver, turn]);
  useEffect(() => {
    const elements = stage.current;
    return isOn ? () => pauseAllBut(elements, undefined) : undefined;
  }, [stage, isOn]);

  const ofChosen =
    (tell: (fileId: string, element: Element) => void) =>
    ({ target }: SyntheticEvent): void => {
      const fileId = target instanceof Element && target.isConnected ? fileIdOf(target) : undefined;
      if (isOn && fileId !== undefined && fileId === chosen) tell(fileId, target as Element);
    };
  return {
    isOn,
    place: placeIn(state),
    isPaused: isOn && isPaused,
    isOver,
    events: {
      onPlayCapture: ofChosen(() => playThrough.setPaused(false)),
      // A file that has ended was not paused by the user.
      onPauseCapture: ofChosen((_, media) => {
        if (media instanceof HTMLMediaElement && !media.ended) playThrough.setPaused(true);
      }),
      onEndedCapture: ofChosen((fileId) => playThrough.ended(fileId)),
      onErrorCapture: ofChosen((fileId) => playThrough.failed(fileId, shownLine(name))),
    },
  };
}

function isPlayedThrough({ order, at }: PlayThroughState): boolean {
  return order !== undefined && at >= 0;
}

function placeIn({ order, at }: PlayThroughState): string {
  return order === undefined || at < 0 ? '' : words.review.placeOf(at + 1, order.length);
}
