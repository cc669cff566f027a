/** The elements of the review: what plays, one at a time or two at the same position; and what takes keys itself. */
import { isInterruption } from '../player/use-playback.ts';
import type { KeyTarget } from './review-keys.ts';
import type { Sight } from './zoom.ts';

/** The element of the stage that shows a file. */
export function tileOf(stage: HTMLElement | null, fileId: string | undefined): Element | undefined {
  return [...(stage?.children ?? [])].find((one) => fileIdOf(one) === fileId);
}

function mediaOf(stage: HTMLElement | null, fileId: string | undefined): HTMLMediaElement | undefined {
  return tileOf(stage, fileId)?.querySelector<HTMLMediaElement>('audio, video') ?? undefined;
}

/** The film of a file; undefined for other files. */
export function filmOf(stage: HTMLElement | null, fileId: string | undefined): HTMLVideoElement | undefined {
  const media = mediaOf(stage, fileId);
  return media instanceof HTMLVideoElement ? media : undefined;
}

/** The picture in an element, and the place it has there; undefined if there is none, or it is not known yet. */
export function sightOf(within: Element | undefined): Sight | undefined {
  const picture = within?.querySelector('img');
  const place = picture?.closest('button');
  if (!picture || !place || picture.naturalWidth === 0) return undefined;
  return {
    width: place.clientWidth * devicePixelRatio,
    height: place.clientHeight * devicePixelRatio,
    pictureWidth: picture.naturalWidth,
    pictureHeight: picture.naturalHeight,
  };
}

/** The file that an element of the stage belongs to. */
export function fileIdOf(element: Element): string | undefined {
  return element.closest<HTMLElement>('[data-file]')?.dataset['file'];
}

export function mute(stage: HTMLElement | null, fileId: string, isMuted: boolean): void {
  const media = mediaOf(stage, fileId);
  if (media !== undefined) media.muted = isMuted;
}

/** From 0 to 1, which means as it is. */
export function setVolume(stage: HTMLElement | null, fileId: string, volume: number): void {
  const media = mediaOf(stage, fileId);
  if (media !== undefined) media.volume = volume;
}

/** Plays the file, or pauses it; what cannot be played says so itself. */
export function playOrPause(stage: HTMLElement | null, fileId: string | undefined): void {
  const media = mediaOf(stage, fileId);
  if (media === undefined) return;
  if (media.paused) play(media);
  else media.pause();
}

/** Pauses what plays in the stage, except for this file. */
export function pauseAllBut(stage: HTMLElement | null, fileId: string | undefined): void {
  for (const media of stage?.querySelectorAll<HTMLMediaElement>('audio, video') ?? [])
    if (fileIdOf(media) !== fileId) media.pause();
}

/** Brings the other file to the position of this one; it plays if this one does. */
export function swapTo(stage: HTMLElement | null, fileId: string | undefined, otherId: string): void {
  const [media, other] = [mediaOf(stage, fileId), mediaOf(stage, otherId)];
  if (media === undefined || other === undefined) return;
  other.currentTime = Number.isFinite(other.duration) ? Math.min(media.currentTime, other.duration) : media.currentTime;
  if (media.paused) return;
  media.pause();
  play(other);
}

/** The player shows whether the file plays, and if it does not, why. */
function play(media: HTMLMediaElement): void {
  media.play().catch((problem: unknown) => {
    if (!isInterruption(problem)) media.dispatchEvent(new Event('error'));
  });
}

/** Plays a file, from its beginning if it is new and does not play already; false if there is nothing to play. */
export function playFile(stage: HTMLElement | null, fileId: string, isNew: boolean): boolean {
  const media = mediaOf(stage, fileId);
  if (media === undefined) return false;
  if (media.paused) {
    if (isNew) media.currentTime = 0;
    play(media);
  }
  return true;
}

/** Goes forwards or back in a song or a film by this many seconds. */
export function seekBy(stage: HTMLElement | null, fileId: string | undefined, seconds: number): void {
  const media = mediaOf(stage, fileId);
  if (media === undefined || !Number.isFinite(media.duration)) return;
  media.currentTime = Math.min(Math.max(0, media.currentTime + seconds), media.duration);
}

/** Sets whether the films of the stage start again at their end. */
export function loopFilms(stage: HTMLElement | null, isLooped: boolean): void {
  for (const film of stage?.querySelectorAll('video') ?? []) film.loop = isLooped;
}

/** What the focused element does with keys itself. */
export function targetOf(target: EventTarget): KeyTarget {
  if (!(target instanceof HTMLElement)) return 'else';
  if (target.closest('input, textarea, [role="combobox"], [role="listbox"]') !== null) return 'field';
  if (target.closest('[role="slider"]') !== null) return 'slider';
  return target.closest('button') === null ? 'else' : 'button';
}
