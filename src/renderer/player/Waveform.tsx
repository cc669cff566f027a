import { memo, useId } from 'react';
import styles from './PlayBar.module.css';

interface WaveformProps {
  /** The loudest moment of each part of the song, from 0 to 1. */
  readonly levels: readonly number[];
  /** How much of the song has been played, from 0 to 1. */
  readonly played: number;
  /** Where its bars begin, from 0 to 1. */
  readonly beats?: readonly number[] | undefined;
}

const NO_BEATS: readonly number[] = [];

/** The waveform of a song from its beginning to its end, with the part that has been played highlighted. */
export function Waveform({ levels, played, beats = NO_BEATS }: WaveformProps) {
  const clip = useId();
  const { length } = levels;
  return (
    <svg className={styles.shape} viewBox={`0 0 ${length} 2`} preserveAspectRatio="none" aria-hidden>
      <clipPath id={clip}>
        <rect width={Math.min(1, Math.max(0, played)) * length} height="2" />
      </clipPath>
      <Shape levels={levels} />
      <g className={styles.played} clipPath={`url(#${clip})`}>
        <Shape levels={levels} />
      </g>
      {beats.length > 0 && (
        <path
          className={styles.beats}
          d={beats.map((at) => `M${(at * length).toFixed(2)} 1.9V2`).join('')}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}

/** Drawn once for a song, however often its position changes. */
const Shape = memo(function Shape({ levels }: Pick<WaveformProps, 'levels'>) {
  // Silence is a thin line, too.
  const half = levels.map((level) => Math.max(0.01, level));
  const above = half.map((level, at) => `${at} ${1 - level}L${at + 1} ${1 - level}`);
  const below = half.map((level, at) => `${at + 1} ${1 + level}L${at} ${1 + level}`).toReversed();
  return <path d={`M${[...above, ...below].join('L')}Z`} />;
});
