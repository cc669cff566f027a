import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { inSeconds, isHeading, lineAt, lyricLines, type LyricLine } from '../../shared/domain/review/timed-lyrics.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { shownText } from '../format/shown-text.ts';
import { MediaView } from '../player/MediaView.tsx';
import type { RowRef } from '../state/batch/row-detail-view.ts';
import { useAnswer } from '../state/app-context.ts';
import styles from './StageSong.module.css';

interface StageSongProps {
  readonly of: RowRef;
  readonly file: FileView;
  /** It is the only one: there is room for its lyrics. */
  readonly isLarge: boolean;
  readonly startsAtOnce: boolean;
}

/** A song in the review: its waveform, how loud it is and, if it is the only one, its lyrics. */
export function StageSong({ of: { batchId, key }, file, isLarge, startsAtOnce }: StageSongProps) {
  const sound = useAnswer('file.sound', { fileId: file.id });
  const sung = useAnswer('song.words', { batchId, key, fileId: file.id });
  const [length, setLength] = useState(0);
  const [current, setCurrent] = useState(-1);
  // Their times are known only once it is known how long the song is.
  const lines = useMemo(
    () => (sung === undefined ? [] : lyricLines(sung.lyrics, sung.words, length)).map((line, id) => ({ ...line, id })),
    [sung, length],
  );
  const onPlace = useCallback(
    (position: number, whole: number) => {
      setLength(whole);
      setCurrent(lineAt(lines, position));
    },
    [lines],
  );
  const beats = inSeconds(sung?.beats ?? [], length)?.flatMap((at) => at ?? []);
  const measured = [
    ...(sound?.lufs === undefined ? [] : [`${decibels(sound.lufs)} LUFS`]),
    ...(sound?.peakDb === undefined ? [] : [words.review.stage.peak(decibels(sound.peakDb))]),
  ];
  return (
    <div className={joinClasses('stack full', styles.song)}>
      <MediaView
        file={file}
        size="large"
        startsAtOnce={startsAtOnce}
        levels={sound?.levels}
        beats={beats}
        onPlace={onPlace}
      />
      {measured.length > 0 && (
        <p className={joinClasses('faint tabular', styles.loudness)} title={words.review.stage.loudnessMeans}>
          {measured.join(' · ')}
        </p>
      )}
      {isLarge && lines.length > 0 && <Lyrics lines={lines} current={current} />}
    </div>
  );
}

/** The lyrics of a song; the line that is sung is lit, and stays in the middle. */
function Lyrics({
  lines,
  current,
}: {
  readonly lines: readonly (LyricLine & { readonly id: number })[];
  readonly current: number;
}) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const place = list.current;
    const line = place?.children.item(current);
    if (!place || !(line instanceof HTMLElement)) return;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    // Only the lyrics move, and the focus stays where it is.
    const top = line.offsetTop - (place.clientHeight - line.offsetHeight) / 2;
    place.scrollTo({ top, behavior: isCalm ? 'instant' : 'smooth' });
  }, [current]);
  const isTimed = lines.some(({ start }) => start !== undefined);
  return (
    <ol
      ref={list}
      className={joinClasses('selectable', styles.lyrics)}
      translate="no"
      aria-label={words.review.stage.lyrics}
      data-timed={isTimed}
    >
      {lines.map(({ text, id }) => (
        <li key={id} data-heading={isHeading(text)} aria-current={id === current}>
          {shownText(text)}
        </li>
      ))}
    </ol>
  );
}

/** With a minus that is as wide as a digit, and one decimal. */
function decibels(value: number): string {
  return value.toFixed(1).replace('-', '\u2212');
}
