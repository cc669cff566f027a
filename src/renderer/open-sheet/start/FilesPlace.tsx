import { FileUp } from 'lucide-react';
import { useId, useState } from 'react';
import type { BatchView, LocalFilesView } from '../../../shared/ipc/batches.ts';
import type { IpcError } from '../../../shared/ipc/contract.ts';
import { headerNamed } from '../../../shared/domain/sheet/problems.ts';
import { words } from '../../../shared/words/words.ts';
import { Fields, InspectorSection } from '../../batch/inspector/InspectorSection.tsx';
import { Button, PlainButton, useBusy } from '../../design/Button.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Labelled } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { formatBytes } from '../../format/phrases.ts';
import { refusedAtFields, useAnswer, useAppModel, useEditing } from '../../state/app-context.ts';
import styles from './StartPanel.module.css';

/** A place as a form or a dialog has it. */
export interface PlaceChoice {
  /** In words; undefined if there is none. */
  readonly place: string | undefined;
  /** What was found out about the files that cells name. */
  readonly found?: string | undefined;
  /** Returns what is wrong with what was chosen. */
  readonly choose: () => Promise<IpcError | undefined>;
}

/** Where files on this computer are put, and the way to name such a place. */
export function FilesPlaceField({ place, found, choose }: PlaceChoice) {
  const note = useId();
  const { isBusy, refusal, ask } = useChoosing(choose);
  return (
    <Labelled label={words.start.files.place} noteId={note} hint={found ?? words.start.files.about} refusal={refusal}>
      <div className="row">
        <code className="grow soft cut selectable" title={place} data-testid="files-place">
          {place === undefined ? words.common.none : shownLine(place)}
        </code>
        <Button size="small" icon={FileUp} disabled={isBusy} aria-describedby={note} onClick={ask}>
          {words.start.files.choose}
        </Button>
      </div>
    </Labelled>
  );
}

/** What a problem with a file on this computer offers if no place was named. */
export function NamePlace({ choose }: Pick<PlaceChoice, 'choose'>) {
  const note = useId();
  const { isBusy, refusal, ask } = useChoosing(choose);
  return (
    <div className={styles.offer}>
      <Callout level="info" title={words.start.files.named}>
        <p>{words.start.files.namedAbout}</p>
        {refusal !== undefined && (
          <p id={note} role="alert" className="wrong">
            {refusal}
          </p>
        )}
        <Button size="small" icon={FileUp} disabled={isBusy} aria-describedby={note} onClick={ask}>
          {words.start.files.choosePlace}
        </Button>
      </Callout>
    </div>
  );
}

/** Asks for a place; the reason why one was refused stays until another one is asked for. */
function useChoosing(choose: PlaceChoice['choose']) {
  const [isBusy, run] = useBusy();
  const [error, setError] = useState<IpcError>();
  const ask = (): void =>
    run(async () => {
      setError(undefined);
      setError(await choose());
    });
  return { isBusy, refusal: refusedAtFields(error).at('place'), ask };
}

/** `3 local files, 4.2 MB, are put there before their rows are paid.` */
export function foundWords({ count, bytes }: Pick<LocalFilesView, 'count' | 'bytes'>): string {
  return words.start.files.found(count, formatBytes(bytes));
}

interface FilesPlaceDialogProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

/** The place of a batch, and the files that its cells name, as they are now. */
export function FilesPlaceDialog({ batch, onClose }: FilesPlaceDialogProps) {
  const model = useAppModel();
  return (
    <Dialog title={words.start.files.title} decline={words.common.close} actions={[]} onClose={onClose}>
      <div className={joinClasses(styles.places, 'stack scroll')} data-testid="local-files">
        <FilesPlaceField place={batch.filesPlace} choose={() => model.choosePlace(batch.id)} />
        <FoundFiles key={batch.filesPlace} batch={batch} onClose={onClose} />
      </div>
    </Dialog>
  );
}

/** Looked at again each time that the dialog is opened: the files may have changed. */
function FoundFiles({ batch, onClose }: FilesPlaceDialogProps) {
  const model = useAppModel();
  const found = useAnswer('batch.localFiles', { batchId: batch.id });
  if (found === undefined) return <p className="faint">{words.start.files.looking}</p>;
  const { count, problems, problemCount, put } = found;
  const goTo = (key: number | undefined): void => {
    onClose();
    if (key !== undefined) void model.places.jumpTo(key, undefined);
  };
  return (
    <>
      {count > 0 && <p>{foundWords(found)}</p>}
      {count === 0 && problemCount === 0 && <p className="soft">{words.start.files.none}</p>}
      {put !== undefined && <p className="selectable">{shownLine(put)}</p>}
      {problemCount > 0 && (
        <Callout level="error" title={words.start.files.problems(problemCount)}>
          <ul className="stack">
            {problems.map(({ key, row, column, message }) => (
              <li key={JSON.stringify([key, column, message])}>
                <PlainButton disabled={key === undefined} onClick={() => goTo(key)}>
                  <span className="name">{shownLine(row)}</span> {shownLine(message)}
                </PlainButton>
              </li>
            ))}
          </ul>
          {problemCount > problems.length && <p>{words.start.files.moreProblems(problemCount - problems.length)}</p>}
        </Callout>
      )}
    </>
  );
}

/** The files that one row names, as they are now; nothing if it names none. */
export function FilesOfRow({ batchId, rowKey }: { readonly batchId: string; readonly rowKey: number }) {
  const found = useAnswer('batch.localFiles', { batchId, rows: [rowKey] });
  const columns = useEditing((state) => state.sheet?.columns) ?? [];
  const nameOf = (column: string): string => shownLine(headerNamed({ code: 'local-file', column }, columns) ?? column);
  if (found === undefined || found.files.length + found.problems.length === 0) return null;
  return (
    <InspectorSection title={words.start.files.title} testId="files-of-row">
      <Fields
        fields={[
          ...found.files.map(({ column, written, bytes, mediaType }) => ({
            name: nameOf(column),
            value: words.start.files.file(shownLine(written), mediaType, formatBytes(bytes)),
          })),
          ...found.problems.map(({ column, message }) => ({
            name: nameOf(column),
            value: <span className="wrong">{shownLine(message)}</span>,
          })),
        ]}
      />
    </InspectorSection>
  );
}
