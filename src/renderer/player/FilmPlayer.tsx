import { Maximize, Minimize, Volume2, VolumeX } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { words } from '../../shared/words/words.ts';
import { IconButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { useWindowEvent } from '../shell/keyboard.ts';
import { PlayBar, type PlayBarProps } from './PlayBar.tsx';
import { usePlayback } from './use-playback.ts';
import styles from './FilmPlayer.module.css';

interface FilmPlayerProps extends Pick<PlayBarProps, 'name' | 'brokenWords'> {
  readonly src: string;
  readonly size: 'small' | 'large';
  readonly startsAtOnce: boolean;
}

/** Plays one film. A click on it is the play button, a double click that of the full screen. */
export function FilmPlayer({ src, size, startsAtOnce, ...bar }: FilmPlayerProps) {
  const place = useRef<HTMLDivElement>(null);
  const [film, playback] = usePlayback<HTMLVideoElement>(true);
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const onChange = (): void => setFull(document.fullscreenElement === place.current);
    document.addEventListener('fullscreenchange', onChange);
    return () => document.removeEventListener('fullscreenchange', onChange);
  }, []);
  const toggleFull = (): void => {
    // A system may refuse: then all stays as it is.
    const change = isFull ? document.exitFullscreen() : place.current?.requestFullscreen();
    change?.catch(() => undefined);
  };
  useWindowEvent(
    ['keydown'],
    (event) => {
      if (!isFull || event.key !== 'Escape') return;
      // It is answered by this alone: whatever holds the player stays open.
      event.stopImmediatePropagation();
      event.preventDefault();
      toggleFull();
    },
    true,
  );
  return (
    <div ref={place} className={joinClasses('stack', styles.player, styles[size])} data-testid="film-player">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the gateway gives videos, and no captions with them */}
      <video
        ref={film}
        src={src}
        loop
        autoPlay={startsAtOnce}
        preload="metadata"
        aria-label={bar.name}
        {...playback.events}
        onClick={playback.toggle}
        onDoubleClick={toggleFull}
      />
      <div className={joinClasses('row', styles.bar)}>
        <PlayBar {...bar} playback={playback}>
          {!playback.isBroken && (
            <>
              <IconButton
                icon={playback.isMuted ? VolumeX : Volume2}
                label={playback.isMuted ? words.gallery.player.unmute : words.gallery.player.mute}
                onClick={playback.toggleMuted}
              />
              <IconButton
                icon={isFull ? Minimize : Maximize}
                label={isFull ? words.gallery.player.leaveFullScreen : words.gallery.player.fullScreen}
                onClick={toggleFull}
              />
            </>
          )}
        </PlayBar>
      </div>
    </div>
  );
}
