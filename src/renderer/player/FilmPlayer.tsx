import { Maximize, Minimize, Volume2, VolumeX } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { words } from '../../shared/words/words.ts';
import { IconButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { toggleFullScreen } from '../review/use-full-screen.ts';
import { useWindowEvent } from '../shell/keyboard.ts';
import { PlayBar, type PlayBarProps } from './PlayBar.tsx';
import { changeSpeed, usePlayback } from './use-playback.ts';
import styles from './FilmPlayer.module.css';

interface FilmPlayerProps extends Pick<PlayBarProps, 'name' | 'brokenWords'> {
  readonly src: string;
  readonly size: 'small' | 'large';
  readonly startsAtOnce: boolean;
}

/** The keys that a button or the seek bar handles itself. */
const CONTROL_KEYS: ReadonlySet<string> = new Set(['Enter', ' ', 'ArrowLeft', 'ArrowRight', 'Home', 'End']);
const SEEK_S = 5;

/** Plays one film. A click on it plays or pauses, a double click switches to the full screen. */
export function FilmPlayer({ src, size, startsAtOnce, ...bar }: FilmPlayerProps) {
  const place = useRef<HTMLDivElement>(null);
  const [film, playback] = usePlayback<HTMLVideoElement>(true);
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const onChange = (): void => {
      const { current: player } = place;
      const isOn = player !== null && document.fullscreenElement === player;
      setFull(isOn);
      // Its keys need the focus in it.
      if (isOn && !player.contains(document.activeElement)) player.querySelector('button')?.focus();
    };
    document.addEventListener('fullscreenchange', onChange);
    return () => document.removeEventListener('fullscreenchange', onChange);
  }, []);
  const toggleFull = (): void => {
    if (place.current !== null && (isFull || !playback.isBroken)) toggleFullScreen(place.current);
  };
  useWindowEvent(
    ['keydown'],
    (event) => {
      const { key, target } = event;
      if (!isFull || key === 'Tab') return;
      const isForControl = target instanceof Element && target.closest('button, [role="slider"]') !== null;
      if (isForControl && CONTROL_KEYS.has(key)) return;
      // What is behind the film cannot be seen, so nothing there may act.
      event.stopImmediatePropagation();
      event.preventDefault();
      if (key === 'Escape') toggleFull();
      else if (key === ' ') playback.toggle();
      else if (key === '<' || key === '>') changeSpeed(key === '>' ? 1 : -1);
      else if (key === 'ArrowLeft') playback.seek(Math.max(0, playback.position - SEEK_S));
      else if (key === 'ArrowRight') playback.seek(Math.min(playback.length, playback.position + SEEK_S));
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
