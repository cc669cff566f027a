import { useState } from 'react';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { OutputIcon } from '../design/drawings.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine } from '../format/shown-text.ts';
import { fileKind, mediaUrl, thumbnailUrl } from '../format/phrases.ts';
import { useApp } from '../state/app-context.ts';
import { isShared } from '../state/app-state.ts';
import { AudioPlayer, type AudioPlayerProps } from './AudioPlayer.tsx';
import { DocumentView } from './DocumentView.tsx';
import { FilmPlayer } from './FilmPlayer.tsx';
import styles from './MediaView.module.css';

export interface MediaViewProps extends Pick<AudioPlayerProps, 'levels' | 'beats' | 'onPlace'> {
  readonly file: FileView;
  /** `large` fills the space it gets. */
  readonly size: 'small' | 'large';
  readonly startsAtOnce?: boolean;
}

const NOT_HERE = words.gallery.player.notHere;
const OF_WORKERS = words.gallery.player.ofWorkers;

/** Shows or plays one verified file. */
export function MediaView({ file, size, startsAtOnce = false, ...ofSong }: MediaViewProps) {
  const isOnServer = useApp(isShared);
  const [unseen, setUnseen] = useState<string>();
  const kind = fileKind(file);
  const name = shownLine(file.name);
  const src = mediaUrl(file.id);
  const note = isOnServer ? () => setUnseen(file.id) : undefined;
  if (unseen === file.id) return <p className="soft">{OF_WORKERS}</p>;
  switch (kind) {
    case 'music':
      return (
        <AudioPlayer
          key={file.id}
          src={src}
          name={name}
          startsAtOnce={startsAtOnce}
          {...ofSong}
          brokenWords={isOnServer ? OF_WORKERS : NOT_HERE}
        />
      );
    case 'video':
      return (
        <FilmPlayer
          key={file.id}
          src={src}
          name={name}
          size={size}
          startsAtOnce={startsAtOnce}
          brokenWords={isOnServer ? OF_WORKERS : NOT_HERE}
        />
      );
    case 'image':
      return <img key={file.id} className={styles[size]} src={src} alt={name} onError={note} />;
    case 'data':
      return <DocumentView key={file.id} file={file} size={size} />;
    default:
      return assertNever(kind);
  }
}

/** The small picture of a file; an icon in its place for a file of which no picture can be made. */
export function SmallPicture({ file }: { readonly file: FileView }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return <OutputIcon kind={fileKind(file)} size={32} />;
  return <img src={thumbnailUrl(file.id)} alt="" draggable={false} onError={() => setMissing(true)} />;
}

/** The number of characters at the end of a name that say its take and its kind. */
const TOLD_APART = 14;

/** A file's name, cut before its end if there is no room. */
export function FileName({ name }: { readonly name: string }) {
  const letters = Array.from(name);
  return (
    <span className={styles.fileName}>
      <span className={joinClasses('cut', styles.start)}>{letters.slice(0, -TOLD_APART).join('')}</span>
      <span>{letters.slice(-TOLD_APART).join('')}</span>
    </span>
  );
}
