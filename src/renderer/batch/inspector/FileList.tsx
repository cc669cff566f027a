import { Columns2, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import type { EarlierFileView, FileView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { IconButton } from '../../design/Button.tsx';
import { OutputIcon } from '../../design/drawings.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { fileKind, sizeWords } from '../../format/phrases.ts';
import { madeWords } from '../../player/Compare.tsx';
import { FileName, MediaView } from '../../player/MediaView.tsx';
import { FileVerdict } from '../../review/FileVerdict.tsx';
import { useAppModel } from '../../state/app-context.ts';
import { changeOf, wordsOf, type FileDecision } from '../../state/review/file-decision.ts';
import { InspectorSection } from './InspectorSection.tsx';
import styles from './FileList.module.css';

interface FileListProps {
  readonly title: (files: number) => string;
  readonly files: readonly EarlierFileView[];
  /** What the user can say about each file; if absent, nothing. `pick`: also which of them other rows are made of. */
  readonly review?: 'keep' | 'pick';
  /** Shows a picture large. */
  readonly onLook: (fileId: string) => void;
  /** For earlier files: puts one beside the file that took its place. */
  readonly onCompare?: (fileId: string) => void;
}

/** A row's verified files, each with its own player. */
export function FileList({ title, files, review, onLook, onCompare }: FileListProps) {
  const model = useAppModel();
  if (files.length === 0) return null;
  const areManyPictures = files.length > 1 && files.every((file) => fileKind(file) === 'image');
  return (
    <InspectorSection title={title(files.length)}>
      {/* Pictures are side by side, so that the user can compare takes without scrolling. */}
      <ul className={joinClasses('stack', styles.files)} data-look={areManyPictures ? 'tiles' : 'list'}>
        {files.map((file) => (
          <li key={file.id} className={joinClasses('card', styles.file)}>
            {fileKind(file) === 'image' ? (
              <button
                type="button"
                className={styles.look}
                aria-label={words.inspector.files.look(shownLine(file.name))}
                onClick={() => onLook(file.id)}
              >
                <MediaView file={file} size="small" />
              </button>
            ) : (
              <MediaView file={file} size="small" />
            )}
            <div className={joinClasses('row', styles.line)} title={shownLine(file.name)}>
              <OutputIcon kind={fileKind(file)} />
              <FileName name={shownLine(file.name)} />
              <span className={joinClasses('faint tabular', styles.size)}>{sizeWords(file)}</span>
              {onCompare !== undefined && file.successorId !== undefined && (
                <IconButton
                  icon={Columns2}
                  label={words.gallery.player.versions.compareFile(shownLine(file.name))}
                  onClick={() => onCompare(file.id)}
                />
              )}
              <IconButton
                icon={FolderOpen}
                label={words.inspector.files.showInFolder(shownLine(file.name))}
                onClick={() => void model.ask('file.showInFolder', { fileId: file.id })}
              />
            </div>
            {onCompare !== undefined && <p className="faint">{madeWords(file).join(' · ')}</p>}
            {review !== undefined && <ReviewedFile file={file} canPick={review === 'pick'} />}
          </li>
        ))}
      </ul>
    </InspectorSection>
  );
}

/** What is said about one file is stored at once; if it is refused, that is said here, and the row is read again. */
function ReviewedFile({ file, canPick }: { readonly file: FileView; readonly canPick: boolean }) {
  const model = useAppModel();
  const [isNoting, setNoting] = useState(false);
  const [said, setSaid] = useState({ text: '', isProblem: false });
  // The click that ends a note may decide something, too: neither waits for the other.
  const decide = async (decision: FileDecision): Promise<void> => {
    const change = changeOf(file, decision);
    const reply = await model.client.request('file.review', { fileId: file.id, ...change });
    setSaid(reply.ok ? { text: wordsOf(change), isProblem: false } : { text: reply.error.message, isProblem: true });
    await model.detail.reload();
  };
  return (
    <>
      <FileVerdict
        file={file}
        canPick={canPick}
        isNoting={isNoting}
        onNoting={setNoting}
        onDecide={(decision) => void decide(decision)}
      />
      <output className={said.isProblem ? styles.problem : 'visually-hidden'}>{said.text}</output>
    </>
  );
}
