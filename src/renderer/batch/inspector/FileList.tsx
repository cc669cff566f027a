import { FolderOpen } from 'lucide-react';
import { joinClasses } from '../../design/join-classes.ts';
import type { FileView } from '../../../shared/ipc/rows.ts';
import { IconButton } from '../../design/Button.tsx';
import { OutputIcon } from '../../design/drawings.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { fileKind, formatBytes } from '../../format/words.ts';
import { MediaView } from '../../player/MediaView.tsx';
import { useAppModel } from '../../state/app-context.ts';
import { InspectorSection } from './InspectorSection.tsx';
import styles from './FileList.module.css';

interface FileListProps {
  /** The title for one file, and for several. */
  readonly title: readonly [one: string, several: string];
  readonly files: readonly FileView[];
  /** Shows a picture large; without it, a picture cannot be opened. */
  readonly onLook?: (fileId: string) => void;
}

/** A row's verified files, each with its own player. */
export function FileList({ title, files, onLook }: FileListProps) {
  const model = useAppModel();
  if (files.length === 0) return null;
  const areManyPictures = files.length > 1 && files.every((file) => fileKind(file) === 'image');
  return (
    <InspectorSection title={files.length === 1 ? title[0] : title[1]}>
      {/* Pictures stand side by side, so that the user can compare takes without scrolling. */}
      <ul className={joinClasses('stack', styles.files)} data-look={areManyPictures ? 'tiles' : 'list'}>
        {files.map((file) => (
          <li key={file.id} className={joinClasses('card', styles.file)}>
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
            <div className={joinClasses('row', styles.line)}>
              <OutputIcon kind={fileKind(file)} />
              <span className="grow cut" title={shownLine(file.name)}>
                {shownLine(file.name)}
              </span>
              <span className={joinClasses('faint tabular', styles.size)}>{formatBytes(file.bytes)}</span>
              <IconButton
                icon={FolderOpen}
                label={`Show ${shownLine(file.name)} in its folder`}
                onClick={() => void model.ask('file.showInFolder', { fileId: file.id })}
              />
            </div>
          </li>
        ))}
      </ul>
    </InspectorSection>
  );
}
