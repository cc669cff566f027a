import { Pause, Play } from 'lucide-react';
import { Slider } from 'radix-ui';
import type { ReactNode } from 'react';
import { words } from '../../shared/words/words.ts';
import { PlainButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { formatPosition } from '../format/times.ts';
import { cycleSpeed, usePlaybackSpeed, type Playback } from './use-playback.ts';
import { Waveform } from './Waveform.tsx';
import styles from './PlayBar.module.css';

export interface PlayBarProps {
  readonly playback: Playback;
  /** The file's name, for the screen reader. */
  readonly name: string;
  /** What is said about a file that does not play. */
  readonly brokenWords: string;
  /** For its waveform, which is the seek bar; until the waveform is known, the bar is plain. */
  readonly levels?: readonly number[] | undefined;
  /** When its bars begin, in seconds. */
  readonly beats?: readonly number[] | undefined;
  /** Further controls, at its end. */
  readonly children?: ReactNode;
}

/** The controls of a song or a film: play, pause, a seek bar, and how fast it plays. */
export function PlayBar({ playback, name, brokenWords, levels, beats, children }: PlayBarProps) {
  const { isPlaying, position, length, isBroken } = playback;
  const speed = usePlaybackSpeed();
  return (
    <>
      <PlainButton
        className={styles.play}
        aria-label={isPlaying ? words.gallery.player.pause(name) : words.gallery.player.play(name)}
        disabled={isBroken}
        onClick={playback.toggle}
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
          max={length > 0 ? length : 1}
          step={0.1}
          value={[position]}
          aria-label={words.gallery.player.placeIn(name)}
          data-seek
          onValueChange={([value]) => {
            if (value !== undefined) playback.seek(value);
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
      {!isBroken && (
        <>
          <span className={joinClasses('tabular', styles.time)}>{formatPosition(length)}</span>
          <PlainButton
            className={joinClasses('tabular', styles.speed)}
            data-changed={speed !== 1}
            aria-label={words.gallery.player.speed(speed)}
            title={words.gallery.player.speedMeans}
            onClick={cycleSpeed}
          >
            {words.gallery.player.times(speed)}
          </PlainButton>
        </>
      )}
      {children}
    </>
  );
}
