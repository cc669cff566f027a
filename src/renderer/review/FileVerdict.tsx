import { Check, Pointer, Star, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { GATES } from '../../shared/domain/gates/gates.ts';
import { BEST_RATING, LONGEST_VERDICT_NOTE } from '../../shared/domain/review/verdict.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { Button, PlainButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine, shownText } from '../format/shown-text.ts';
import type { FileDecision } from '../state/review/file-decision.ts';
import styles from './FileVerdict.module.css';

interface FileVerdictProps {
  readonly file: FileView;
  /** Rows wait for this file to be picked, or may be made of it. */
  readonly canPick: boolean;
  /** The note is being written: its field is open. */
  readonly isNoting: boolean;
  readonly onNoting: (isNoting: boolean) => void;
  readonly onDecide: (decision: FileDecision) => void;
}

/** What the user says about a file: each button shows whether it applies, and a second press takes it back. */
export function FileVerdict({ file, canPick, isNoting, onNoting, onDecide }: FileVerdictProps) {
  const { kept, rating, note, isPicked = false } = file.verdict ?? {};
  const name = shownLine(file.name);
  const toggle = { size: 'small', look: 'quiet' } as const;
  return (
    <div className={joinClasses('stack', styles.verdict)}>
      <div className="row wrap">
        <Button
          {...toggle}
          className={joinClasses(kept === true && styles.kept)}
          icon={Check}
          aria-label={words.review.verdict.keepFile(name)}
          aria-pressed={kept === true}
          onClick={() => onDecide({ kind: 'keep' })}
        >
          {kept === true ? words.review.verdicts.kept : words.review.verdict.keep}
        </Button>
        <Button
          {...toggle}
          className={joinClasses(kept === false && styles.rejected)}
          icon={X}
          aria-label={words.review.verdict.rejectFile(name)}
          aria-pressed={kept === false}
          onClick={() => onDecide({ kind: 'reject' })}
        >
          {kept === false ? words.review.verdicts.rejected : words.review.verdict.reject}
        </Button>
        {(canPick || isPicked) && (
          <Button
            {...toggle}
            className={joinClasses(isPicked && styles.picked)}
            icon={Pointer}
            aria-label={words.review.verdict.pickFile(name)}
            title={words.review.verdict.pickMeans}
            aria-pressed={isPicked}
            onClick={() => onDecide({ kind: 'pick' })}
          >
            {isPicked ? words.review.verdicts.picked : words.review.verdict.pick}
          </Button>
        )}
        <fieldset className={joinClasses('row', styles.stars)} aria-label={words.review.verdict.ratingOf(name)}>
          {RATINGS.map((stars) => (
            <PlainButton
              key={stars}
              className={styles.star}
              data-lit={rating !== undefined && stars > 0 && stars <= rating}
              aria-label={words.review.verdict.stars(stars, BEST_RATING)}
              aria-pressed={rating === stars}
              title={words.review.verdict.starsShort(stars, BEST_RATING)}
              onClick={() => onDecide({ kind: 'rate', rating: stars })}
            >
              {stars === 0 ? <span className="tabular">0</span> : <Star size={14} strokeWidth={1.75} aria-hidden />}
            </PlainButton>
          ))}
        </fieldset>
        {!isNoting && (
          <Button {...toggle} aria-label={words.review.verdict.noteOn(name)} onClick={() => onNoting(true)}>
            {note === undefined ? words.review.verdict.note : words.review.verdict.editNote}
          </Button>
        )}
      </div>
      {isNoting ? (
        <NoteField
          name={name}
          note={note ?? ''}
          onDone={(text) => {
            onNoting(false);
            if (text !== undefined && text.trim() !== (note ?? '')) onDecide({ kind: 'note', text });
          }}
        />
      ) : (
        note !== undefined && <p className={joinClasses('selectable', styles.note)}>{shownText(note)}</p>
      )}
      {isPicked && <p className="faint">{words.review.verdict.isPicked}</p>}
      {file.flags?.map(({ gate, message }) => (
        <p key={gate} className={styles.flag}>
          {words.gallery.tile.flag(GATES[gate].title, message)}
        </p>
      ))}
    </div>
  );
}

const RATINGS = Array.from({ length: BEST_RATING + 1 }, (_, stars) => stars);

interface NoteFieldProps {
  readonly name: string;
  readonly note: string;
  /** Undefined: as it was. */
  readonly onDone: (text: string | undefined) => void;
}

/** Enter, or leaving the field, stores the note; Escape leaves it as it was. */
function NoteField({ name, note, onDone }: NoteFieldProps) {
  const [text, setText] = useState(note);
  const isDone = useRef(false);
  // Once answered, it also loses the focus: that is no second answer.
  const finish = (answer: string | undefined): void => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(answer);
  };
  return (
    <textarea
      className={joinClasses('input', styles.field)}
      aria-label={words.review.verdict.noteOn(name)}
      placeholder={words.review.verdict.noteHint}
      rows={2}
      maxLength={LONGEST_VERDICT_NOTE}
      value={text}
      ref={(field) => {
        if (field !== null && document.activeElement !== field) field.focus();
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => finish(text)}
      onKeyDown={(event) => {
        const isLeft = event.key === 'Escape';
        // An input method takes both keys for itself.
        if (event.nativeEvent.isComposing || (!isLeft && (event.key !== 'Enter' || event.shiftKey))) return;
        event.preventDefault();
        event.stopPropagation();
        finish(isLeft ? undefined : text);
      }}
    />
  );
}
