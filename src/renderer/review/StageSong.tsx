import type { FileView } from '../../shared/ipc/rows.ts';
import { joinClasses } from '../design/join-classes.ts';
import { MediaView } from '../player/MediaView.tsx';
import { useAnswer } from '../state/app-context.ts';
import styles from './StageSong.module.css';

/** A song that is listened to: its player with the waveform, and how loud it is, once that is measured. */
export function StageSong({ file }: { readonly file: FileView }) {
  const sound = useAnswer('file.sound', { fileId: file.id });
  const words = [
    ...(sound?.lufs === undefined ? [] : [`${decibels(sound.lufs)} LUFS`]),
    ...(sound?.peakDb === undefined ? [] : [`peak ${decibels(sound.peakDb)} dBFS`]),
  ];
  return (
    <div className={joinClasses('stack full', styles.song)}>
      <MediaView file={file} size="large" levels={sound?.levels} />
      {words.length > 0 && (
        <p
          className={joinClasses('faint tabular', styles.loudness)}
          title="Its loudness by EBU R128, and its loudest sample"
        >
          {words.join(' · ')}
        </p>
      )}
    </div>
  );
}

/** With a minus that is as wide as a digit, and one decimal. */
function decibels(value: number): string {
  return value.toFixed(1).replace('-', '\u2212');
}
