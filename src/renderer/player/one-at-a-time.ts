let playing: HTMLMediaElement | undefined;

/** Call it when something begins to play: what played before falls silent. */
export function silenceOthers(media: HTMLMediaElement): void {
  if (playing !== undefined && playing !== media) playing.pause();
  playing = media;
}
