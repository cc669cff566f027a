import { AlarmClock, CalendarClock, Play, Plus, X } from 'lucide-react';
import { WEEKDAYS, type DailyWindow, type Weekday } from '../../../shared/domain/task/schedule.ts';
import { readClock } from '../../../shared/domain/task/schedule-text.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton } from '../../design/Button.tsx';
import { Choices, Labelled, TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useNow } from '../../state/app-context.ts';
import {
  momentIn,
  OVER_WORDS,
  readAt,
  readFinish,
  readWhen,
  USUAL_HOURS,
  whenWords,
  type WhenAnswers,
} from '../../state/opening/when-answers.ts';
import styles from './WhenFields.module.css';

const ICON = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const CLOCK_INTERVAL_MS = 15_000;

interface WhenFieldsProps {
  readonly answers: WhenAnswers;
  readonly onChange: (answers: WhenAnswers) => void;
}

/** When a batch may submit: at once, from a time on, or within hours of the day; and when it should be done. */
export function WhenFields({ answers, onChange }: WhenFieldsProps) {
  const now = useNow(CLOCK_INTERVAL_MS);
  const change = (changed: Partial<WhenAnswers>): void => onChange({ ...answers, ...changed });
  const { begin, atText, windows, finishText, zone } = answers;
  const at = readAt(answers, now);
  const finish = readFinish(answers, now);
  const whole = readWhen(answers, now);
  // Said at the field that it is about.
  const finishProblem = finish.ok ? (!whole.ok && whole.error === OVER_WORDS ? OVER_WORDS : undefined) : finish.error;
  const hasProblem = (begin !== 'now' && atText !== '' && !at.ok) || finishProblem !== undefined;
  return (
    <>
      <Labelled
        label={words.start.when.title}
        hint={whole.ok ? whenWords(whole.value, now) : undefined}
        problem={whole.ok || hasProblem ? undefined : whole.error}
      >
        <Choices
          label={words.start.when.title}
          value={begin}
          onChoose={(chosen) => change({ begin: chosen })}
          options={[
            { value: 'now', title: words.start.when.now, text: words.start.when.nowAbout, icon: <Play {...ICON} /> },
            { value: 'at', title: words.start.when.at, text: words.start.when.atAbout, icon: <AlarmClock {...ICON} /> },
            {
              value: 'hours',
              title: words.start.when.within,
              text: words.start.when.withinAbout,
              icon: <CalendarClock {...ICON} />,
            },
          ]}
        />
      </Labelled>
      {begin !== 'now' && (
        <TextField
          label={words.start.when.notBefore}
          placeholder={words.start.when.timeExamples}
          value={atText}
          onChange={(event) => change({ atText: event.target.value })}
          problem={at.ok || atText === '' ? undefined : at.error}
          hint={
            at.ok
              ? momentIn(zone, at.value, now)
              : begin === 'hours'
                ? words.start.when.optionalTimeHint
                : words.start.when.timeHint
          }
        />
      )}
      {begin === 'hours' && <Hours windows={windows} onChange={(changed) => change({ windows: changed })} />}
      <TextField
        label={words.start.when.finishBy}
        placeholder={words.start.when.noFinish}
        value={finishText}
        onChange={(event) => change({ finishText: event.target.value })}
        problem={finishProblem}
        hint={
          finish.ok && finish.value !== undefined
            ? words.start.when.doneBy(momentIn(zone, finish.value, now))
            : words.start.when.finishHint
        }
      />
    </>
  );
}

interface HoursProps {
  readonly windows: readonly DailyWindow[];
  readonly onChange: (windows: readonly DailyWindow[]) => void;
}

function Hours({ windows, onChange }: HoursProps) {
  const put = (at: number, window: DailyWindow): void => onChange(windows.with(at, window));
  return (
    <div className={joinClasses('stack', styles.hours)}>
      {windows.map((window, i) => (
        // The hours have no identity but their place, and none of them moves.
        // oxlint-disable-next-line react/no-array-index-key
        <fieldset key={i} className={styles.window}>
          <legend className="visually-hidden">
            {windows.length > 1 ? words.start.when.numberedHours(i + 1) : words.start.when.hours}
          </legend>
          <div className="row">
            <TimeField
              label={words.start.when.from}
              value={window.from}
              onChange={(from) => put(i, { ...window, from })}
            />
            <TimeField label={words.start.when.to} value={window.to} onChange={(to) => put(i, { ...window, to })} />
            {windows.length > 1 && (
              <IconButton
                icon={X}
                label={words.start.when.removeHours}
                onClick={() => onChange(windows.toSpliced(i, 1))}
              />
            )}
          </div>
          <Days days={window.days} onChange={(days) => put(i, { ...window, days })} />
          {isOverMidnight(window) && <p className="faint">{words.start.when.nextMorning}</p>}
        </fieldset>
      ))}
      <div>
        <Button size="small" look="quiet" icon={Plus} onClick={() => onChange([...windows, USUAL_HOURS])}>
          {words.start.when.moreHours}
        </Button>
      </div>
    </div>
  );
}

function isOverMidnight({ from, to }: DailyWindow): boolean {
  const [opens, closes] = [readClock(from), readClock(to)];
  return opens !== undefined && closes !== undefined && closes <= opens;
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <label className={joinClasses('row', styles.time)}>
      <span className="soft">{label}</span>
      <input
        className={joinClasses('input tabular', styles.clock)}
        // Not the browser’s time field, which shows times as the system does: everything else here uses 24 hours.
        placeholder="22:00"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={readClock(value) === undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** The days on which the hours begin. */
function Days({
  days,
  onChange,
}: {
  readonly days: readonly Weekday[];
  readonly onChange: (days: readonly Weekday[]) => void;
}) {
  return (
    <fieldset className={styles.days}>
      <legend className="visually-hidden">{words.start.when.days}</legend>
      {WEEKDAYS.map((day) => {
        const isChosen = days.includes(day);
        return (
          <label key={day} className={styles.day}>
            <input
              type="checkbox"
              aria-label={words.start.when.longDays[day]}
              checked={isChosen}
              onChange={() => onChange(WEEKDAYS.filter((one) => (one === day ? !isChosen : days.includes(one))))}
            />
            <span aria-hidden>{words.start.when.shortDays[day]}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
