import { useEffect, useEffectEvent } from 'react';
import { PlayBar, type PlayBarProps } from './PlayBar.tsx';
import { usePlayback } from './use-playback.ts';

export interface AudioPlayerProps extends Pick<PlayBarProps, 'name' | 'brokenWords' | 'levels' | 'beats'> {
  readonly src: string;
  readonly startsAtOnce?: boolean;
  /** Called with the place in the song and its length, in seconds, while it plays and when the user seeks. */
  readonly onPlace?: ((position: number, length: number) => void) | undefined;
}

/** Plays one sound file: play, pause, and a seek bar. */
export function AudioPlayer({ src, startsAtOnce = false, onPlace, ...bar }: AudioPlayerProps) {
  const [audio, playback] = usePlayback<HTMLAudioElement>(bar.levels !== undefined);
  const { position, length } = playback;
  const place = useEffectEvent((now: number, whole: number) => onPlace?.(now, whole));
  useEffect(() => place(position, length), [position, length]);
  return (
    <div className="row full" data-testid="audio-player">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the gateway gives songs, and no captions with them */}
      <audio ref={audio} src={src} preload="metadata" autoPlay={startsAtOnce} {...playback.events} />
      <PlayBar {...bar} playback={playback} />
    </div>
  );
}
