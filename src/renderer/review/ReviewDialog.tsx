import { Keyboard, ListPlus, Play, Repeat2, Square, Undo2 } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Select } from '../design/Select.tsx';
import { shownLine } from '../format/shown-text.ts';
import { operationTitle } from '../format/phrases.ts';
import { ReleaseButton } from '../batch/head/EditBar.tsx';
import { silenceOthers } from '../player/use-playback.ts';
import { scrollWords } from '../player/DocumentView.tsx';
import { useAppModel, useBatch } from '../state/app-context.ts';
import { countsOf, REVIEW_FILTERS, type ReviewFilter, type ReviewRow } from '../state/review/review-rows.ts';
import { DeleteRejected } from './DeleteRejected.tsx';
import { FileVerdict } from './FileVerdict.tsx';
import { REVIEW_KEYS, reviewCommandOf, type ReviewCommand } from './review-keys.ts';
import { targetOf, tileOf } from './stage-elements.ts';
import { FullScreenButton, ReviewStage } from './ReviewStage.tsx';
import { useFullScreen } from './use-full-screen.ts';
import { useStage } from './use-stage.ts';
import { Wipe } from './Wipe.tsx';
import styles from './ReviewDialog.module.css';

const FILTER_WORDS: Readonly<Record<ReviewFilter, string>> = { ...words.review.verdicts, all: words.review.allRows };

/** Fewer decisions than this are stored before anybody could read that they are not. */
const WORTH_SAYING = 5;

/** Goes through the rows with files, one after the other: look, listen, decide. */
export function ReviewDialog() {
  const model = useAppModel();
  const { review, playThrough } = model;
  const state = useStore(review.store);
  const dialog = useRef<HTMLElement>(undefined);
  const [hasKeys, setKeys] = useState(false);
  const [notes, setNotes] = useState<string>();
  const batch = useBatch(state.batchId ?? '');
  const { list, key, wholeLabel, files = [], arrivedFiles, chosen, said, undoable, isReading } = state;
  const stage = useStage({
    files: state.files,
    chosen,
    now: () => review.store.getState(),
    choose: (id) => review.choose(id),
  });
  const { wiped, through } = stage;
  const screen = useFullScreen();
  const throughSaid = useStore(playThrough.store, ({ said: text }) => text);
  const row = key === undefined ? undefined : (list.rows.get(key) ?? state.row);
  const file = files.find(({ id }) => id === chosen);
  const canPick = state.canPick && file?.isEarlier !== true;
  // While a note is being written, nothing goes on without it.
  const note = (fileId: string | undefined): void => {
    setNotes(fileId);
    playThrough.hold(fileId !== undefined);
  };
  const carryOut = (command: ReviewCommand): void => {
    switch (command.kind) {
      case 'keep':
      case 'reject':
        return review.decide({ kind: command.kind });
      case 'pick':
        return review.pick();
      case 'rate':
        return review.decide(command);
      case 'note':
        return review.canDecide() ? note(chosen) : undefined;
      case 'undo':
        return review.undo();
      case 'row':
        return through.isOn ? void playThrough.step(command.by) : review.step(command.by);
      case 'file':
        return through.isOn ? void playThrough.step(command.by) : review.chooseNext(command.by);
      case 'add':
        return review.addArrived();
      case 'again':
        return review.askAgain();
      case 'through':
        return through.isOn ? playThrough.stop() : void playThrough.startInReview();
      case 'screen':
        return screen.toggle();
      case 'keys':
        return setKeys(!hasKeys);
      default:
        return stage.carryOut(command);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // What is open above the dialog, such as the list of filters, takes its keys itself.
    const isAbove = event.target instanceof Node && !event.currentTarget.contains(event.target);
    if (event.defaultPrevented || isAbove) return;
    const command = reviewCommandOf(event, targetOf(event.target));
    if (command === undefined && scrollWords(tileOf(stage.place.current, chosen), event.key)) event.preventDefault();
    if (command === undefined) return;
    event.preventDefault();
    carryOut(command);
  };
  const counts = countsOf(list);
  const place = key === undefined ? -1 : list.order.indexOf(key);
  const hasArrived = list.arrived.size + arrivedFiles.length > 0;
  return (
    <Dialog
      title={
        row === undefined
          ? words.review.title
          : shownLine(row.label + (wholeLabel === undefined ? '' : '…')) || shownLine(row.row)
      }
      wholeTitle={wholeLabel}
      hint={
        row === undefined
          ? words.review.about
          : words.review.rowAndOperation(shownLine(row.row), operationTitle(row.operation))
      }
      tools={
        <div className="row">
          <Button
            look="quiet"
            icon={through.isOn ? Square : Play}
            title="T"
            disabled={row === undefined}
            onClick={() => {
              carryOut({ kind: 'through' });
              dialog.current?.focus();
            }}
          >
            {through.isOn ? words.review.stop : words.review.playThrough}
          </Button>
          <FullScreenButton screen={screen} dialog={dialog} />
          <span className="soft tabular" data-testid="review-place">
            {through.isOn
              ? through.place
              : place === -1
                ? words.common.rows(list.order.length)
                : words.review.placeOf(place + 1, list.order.length)}
            {isReading && '…'}
          </span>
          <Select
            label={words.review.whichRows}
            value={list.filter}
            options={REVIEW_FILTERS.map((value) => ({ value, words: FILTER_WORDS[value] }))}
            align="end"
            onChoose={(value) => {
              const filter = REVIEW_FILTERS.find((one) => one === value);
              if (filter !== undefined) review.filter(filter);
            }}
            onClosed={() => dialog.current?.focus()}
          />
        </div>
      }
      hasClose
      isBare
      unsaved={notes !== undefined && notes === file?.id ? words.review.noteUnsaved : undefined}
      className={joinClasses(styles.dialog, screen.isFull && styles.full, screen.isIdle && styles.idle)}
      testId="review"
      onKeyDown={onKeyDown}
      onOpenFocus={(content) => {
        // What still plays behind the dialog would be taken for a file of this row.
        silenceOthers();
        dialog.current = content;
        content.focus();
      }}
      onEscape={(event) => {
        // Escape leaves only the note, or the list of keys, or the full screen, or goes back to side by side.
        const isNote = event.target instanceof HTMLTextAreaElement;
        if (!isNote && hasKeys) setKeys(false);
        if (isNote || hasKeys || screen.leave() || stage.leave()) event.preventDefault();
      }}
      onClose={() => review.close()}
    >
      {key === undefined ? (
        <p className={joinClasses('soft', styles.empty)}>{emptyWords(list.filter, isReading)}</p>
      ) : wiped !== undefined && wiped.every(({ id }) => files.some((one) => one.id === id)) ? (
        <Wipe
          left={wiped[0]}
          right={wiped[1]}
          onClose={() => {
            stage.unwipe();
            dialog.current?.focus();
          }}
        />
      ) : (
        <ReviewStage
          of={{ batchId: state.batchId ?? '', key }}
          files={files}
          chosen={chosen}
          stage={stage}
          onChoose={(id) => review.choose(id)}
          caption={({ id }) =>
            files.some((one) => one.id === id && one.isEarlier) ? words.gallery.player.versions.isEarlier : undefined
          }
          onDrag={(id) => {
            void model.dragOut(state.batchId ?? '', [id]);
            dialog.current?.focus();
          }}
        />
      )}
      <div className={styles.bottom}>
        {hasKeys && (
          <dl className={styles.keys} aria-label={words.review.keysTitle}>
            {REVIEW_KEYS.map(([keys, action]) => (
              <div key={action}>
                <dt>
                  {keys.map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dt>
                <dd className="soft">{action}</dd>
              </div>
            ))}
          </dl>
        )}
        <footer className={joinClasses('stack', styles.foot)}>
          <div className={joinClasses('row', styles.top)}>
            <div className="grow">
              {file !== undefined && (
                <FileVerdict
                  key={file.id}
                  file={file}
                  canPick={canPick}
                  isNoting={notes === file.id}
                  onNoting={(isNoting) => {
                    note(isNoting ? file.id : undefined);
                    if (!isNoting) dialog.current?.focus();
                  }}
                  onDecide={(decision) => {
                    review.decide(decision, file.id);
                    // Enter is for the next row again, not for the button that was clicked.
                    dialog.current?.focus();
                  }}
                />
              )}
            </div>
            <output
              className={joinClasses('cut', styles.said, said?.isProblem === true ? styles.problem : 'soft')}
              title={said === undefined ? undefined : shownLine(said.words)}
            >
              {said === undefined ? '' : shownLine(said.words)}
            </output>
          </div>
          <output className="visually-hidden">
            {file !== undefined && chosenWords(file, files, row, through.isOn ? through.place : undefined)}
          </output>
          <div className={joinClasses('row', styles.line)}>
            {throughSaid !== undefined && <output className="soft">{shownLine(throughSaid)}</output>}
            {hasArrived && (
              <Button size="small" icon={ListPlus} title="R" onClick={() => review.addArrived()}>
                {words.review.arrived(list.arrived.size, arrivedFiles.length)}
              </Button>
            )}
            <span className="soft tabular cut" data-testid="review-counts">
              {[
                words.review.counts(counts.kept + counts.rejected, counts.files, counts.kept, counts.rejected),
                ...(state.unstored >= WORTH_SAYING ? [words.review.unstored(state.unstored)] : []),
                ...(stage.isMuted ? [words.review.muted] : []),
                ...(stage.loudness === undefined ? [] : [stage.loudness]),
              ].join(' · ')}
            </span>
            {state.batchId !== undefined && (
              <DeleteRejected
                batchId={state.batchId}
                isRehearsal={batch?.rehearsal === true}
                isCounted={counts.rejected > 0}
                onAsk={() => dialog.current?.focus()}
              />
            )}
            {batch !== undefined && batch.draftSubmits > 0 && (
              <ReleaseButton batch={batch} onAsk={() => dialog.current?.focus()} />
            )}
            <Button
              size="small"
              look="quiet"
              icon={Repeat2}
              title="A"
              disabled={key === undefined || !list.rows.has(key)}
              onClick={() => {
                review.askAgain();
                dialog.current?.focus();
              }}
            >
              {words.review.oneMoreTake}
            </Button>
            <Button
              size="small"
              look="quiet"
              icon={Undo2}
              title="U"
              disabled={undoable === 0}
              onClick={() => review.undo()}
            >
              {words.common.undo}
            </Button>
            <Button
              size="small"
              look="quiet"
              icon={Keyboard}
              title="?"
              aria-expanded={hasKeys}
              onClick={() => setKeys(!hasKeys)}
            >
              {words.review.keysTitle}
            </Button>
          </div>
        </footer>
      </div>
    </Dialog>
  );
}

/** Which file is chosen, for the screen reader. */
function chosenWords(
  { id, name }: FileView,
  files: readonly FileView[],
  row: Pick<ReviewRow, 'row'> | undefined,
  through: string | undefined,
): string {
  const place = files.findIndex((one) => one.id === id) + 1;
  return words.review.chosen(shownLine(row?.row ?? ''), place, files.length, shownLine(name), through);
}

function emptyWords(filter: ReviewFilter, isReading: boolean): string {
  if (isReading) return words.review.lookingForFiles;
  return filter === 'all' ? words.review.noFiles : words.review.noneLikeThis;
}
