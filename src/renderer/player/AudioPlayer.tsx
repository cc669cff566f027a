import { Pause, Play } from 'lucide-react';
import { Slider } from 'radix-ui';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { words } from '../../shared/words/words.ts';
import { PlainButton } from '../design/Button.tsx';
import { formatPosition } from '../format/times.ts';
import { joinClasses } from '../design/join-classes.ts';
import { Waveform } from './Waveform.tsx';
import styles from './AudioPlayer.module.css';

export interface AudioPlayerProps {
  readonly src: string;
  /** The file's name, for the screen reader. */
  readonly name: string;
  readonly startsAtOnce?: boolean;
  /** What is said of a file that does not play. */
  readonly brokenWords: string;
  /** Its waveform is the seek bar; until it is known, a plain one. */
  readonly levels?: readonly number[] | undefined;
  /** When its bars begin, in seconds. */
  readonly beats?: readonly number[] | undefined;
  /** Called with the place in the song and its length, in seconds, while it plays and when it is sought. */
  readonly onPlace?: ((position: number, length: number) => void) | undefined;
}

/** Plays one sound file: play, pause, and a seek bar. */
export function AudioPlayer({
  src,
  name,
  startsAtOnce = false,
  brokenWords,
  levels,
  beats,
  onPlace,
}: AudioPlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  const [length, setLength] = useState(0);
  const [isBroken, setBroken] = useState(false);
  const place = useEffectEvent((now: number, whole: number) => onPlace?.(now, whole));
  useEffect(() => place(position, length), [position, length]);
  const isSmooth = isPlaying && levels !== undefined;
  useEffect(() => {
    if (!isSmooth || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
    // The player itself tells its place four times a second: over a waveform, that jumps.
    let frame = requestAnimationFrame(function follow() {
      setPosition(audio.current?.currentTime ?? 0);
      frame = requestAnimationFrame(follow);
    });
    return () => cancelAnimationFrame(frame);
  }, [isSmooth]);
  const toggle = (): void => {
    const element = audio.current;
    if (element === null) return;
    if (element.paused) void element.play().catch(() => setBroken(true));
    else element.pause();
  };
  return (
    <div className="row full" data-testid="audio-player">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the gateway gives songs, and no captions with them */}
      <audio
        ref={audio}
        src={src}
        preload="metadata"
        autoPlay={startsAtOnce}
        onPlay={(event) => {
          silenceOthers(event.currentTarget);
          setPlaying(true);
        }}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setPosition(event.currentTarget.currentTime)}
        onDurationChange={(event) => setLength(event.currentTarget.duration)}
        onError={() => setBroken(true)}
      />
      <PlainButton
        className={styles.play}
        aria-label={isPlaying ? words.gallery.player.pause(name) : words.gallery.player.play(name)}
        disabled={isBroken}
        onClick={toggle}
      >
        {isPlaying ? (
          <Pause size={16} fill="currentColor" strokeWidth={0} aria-hidden />
        ) : (
          <Play size={16} fill="currentColor" strokeWidth={0} aria-hidden />
        )}
      </PlainButton>
      <span className={joinClasses('tabular', styles.time)}>{formatPosition(position)}</span>
      {isBroken ? (
        <span className="grow soft">{brokenWords}</span>
      ) : (
        <Slider.Root
          className={joinClasses('row grow', styles.slider, levels !== undefined && styles.tall)}
          min={0}
          max={Number.isFinite(length) && length > 0 ? length : 1}
          step={0.1}
          value={[position]}
          aria-label={words.gallery.player.placeIn(name)}
          onValueChange={([value]) => {
            if (audio.current !== null && value !== undefined) audio.current.currentTime = value;
          }}
        >
          <Slider.Track className={levels === undefined ? styles.track : styles.wave}>
            {levels !== undefined && (
              <Waveform
                levels={levels}
                played={length > 0 ? position / length : 0}
                beats={beats?.map((at) => at / length)}
              />
            )}
            <Slider.Range className={levels === undefined ? styles.range : undefined} />
          </Slider.Track>
          <Slider.Thumb
            className={levels === undefined ? styles.thumb : styles.cursor}
            aria-label={words.gallery.player.placeIn(name)}
            aria-valuetext={words.gallery.player.placeOf(formatPosition(position), formatPosition(length))}
          />
        </Slider.Root>
      )}
      {!isBroken && <span className={joinClasses('tabular', styles.time)}>{formatPosition(length)}</span>}
    </div>
  );
}

let playing: HTMLMediaElement | undefined;

/** Call it when something starts to play, or when nothing is to: whatever played before stops. */
export function silenceOthers(media?: HTMLMediaElement): void {
  if (playing !== undefined && playing !== media) playing.pause();
  playing = media;
}
