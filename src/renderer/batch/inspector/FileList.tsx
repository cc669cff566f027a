import { FolderOpen } from 'lucide-react';
import type { FileView } from '../../../shared/ipc/rows.ts';
import { IconButton } from '../../design/Button.tsx';
import { OutputIcon } from '../../design/drawings.tsx';
import { formatBytes } from '../../format/numbers.ts';
import { shownLine } from '../../format/shown-text.ts';
import { fileKind } from '../../format/words.ts';
import { MediaView } from '../../player/MediaView.tsx';
import { useAppModel } from '../../state/app-context.ts';
import inspector from './Inspector.module.css';
import styles from './FileList.module.css';

interface FileListProps {
  /** Of one file, and of several. */
  readonly title: readonly [one: string, several: string];
  readonly files: readonly FileView[];
  /** Shows a picture large; without it, pictures are only what they are here. */
  readonly onLook?: (fileId: string) => void;
}

/** Verified files of a row, each to be played where it stands. */
export function FileList({ title, files, onLook }: FileListProps) {
  const model = useAppModel();
  if (files.length === 0) return null;
  const areManyPictures = files.length > 1 && files.every((file) => fileKind(file) === 'image');
  return (
    <section className={inspector.section}>
      <h3 className={inspector.sectionTitle}>{files.length === 1 ? title[0] : title[1]}</h3>
      {/* Takes of a picture are compared with each other: beside each other, not one screen below the other. */}
      <ul className={styles.files} data-look={areManyPictures ? 'tiles' : 'list'}>
        {files.map((file) => (
          <li key={file.id} className={styles.file}>
            {fileKind(file) === 'image' && onLook !== undefined ? (
              <button
                type="button"
                className={styles.look}
                aria-label={`Look at ${shownLine(file.name)}`}
                onClick={() => onLook(file.id)}
              >
                <MediaView file={file} size="small" />
              </button>
            ) : (
              fileKind(file) !== 'data' && <MediaView file={file} size="small" />
            )}
            <div className={styles.line}>
              <OutputIcon kind={fileKind(file)} />
              <span className={styles.name} title={shownLine(file.name)}>
                {shownLine(file.name)}
              </span>
              <span className={styles.size}>{formatBytes(file.bytes)}</span>
              <IconButton
                icon={FolderOpen}
                label={`Show ${shownLine(file.name)} in its folder`}
                onClick={() => void model.ask('file.showInFolder', { fileId: file.id })}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
