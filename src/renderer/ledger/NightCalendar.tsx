import { joinClasses } from '../design/join-classes.ts';
import { moneyText } from '../../shared/domain/base/money.ts';
import { countText } from '../../shared/domain/base/text.ts';
import type { NightView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import { Phrase } from '../design/Page.tsx';
import { nightCost } from '../format/costs.ts';
import { formatClock, formatDuration } from '../format/times.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './NightCalendar.module.css';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7].map((day) => dateText(new Date(2024, 0, day), { weekday: 'short' }));
const MONTHS_SHOWN = 12;

/** Every night with what it gave and cost, month by month; each opens its ledger. */
export function NightCalendar({
  nights,
  current,
}: {
  readonly nights: readonly NightView[];
  readonly current: number | undefined;
}) {
  const months = [...grouped(nights, monthOf)].slice(0, MONTHS_SHOWN);
  return (
    <>
      {months.map(([month, ofMonth]) => (
        <Month key={month} month={month} nights={ofMonth} current={current} />
      ))}
    </>
  );
}

interface MonthProps {
  /** `2026-11` */
  readonly month: string;
  readonly nights: readonly NightView[];
  readonly current: number | undefined;
}

function Month({ month, nights, current }: MonthProps) {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  const days = new Date(year, number, 0).getDate();
  const offset = (new Date(year, number - 1, 1).getDay() + 6) % 7;
  const byDay = grouped(nights, ({ beganAt }) => new Date(beganAt).getDate());
  const weeks = Array.from({ length: Math.ceil((offset + days) / 7) }, (_week, week) =>
    WEEKDAYS.map((_day, weekday) => week * 7 + weekday - offset + 1),
  );
  return (
    <table className={styles.month}>
      <caption>{dateText(new Date(year, number - 1, 1), { month: 'long', year: 'numeric' })}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((day) => (
            <th key={day} scope="col" className="faint">
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <td key={day}>
                {day >= 1 && day <= days && <span className={joinClasses('faint', styles.day)}>{day}</span>}
                {(byDay.get(day) ?? []).map((night) => (
                  <NightButton key={night.id} night={night} isCurrent={night.id === current} />
                ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NightButton({ night, isCurrent }: { readonly night: NightView; readonly isCurrent: boolean }) {
  const model = useAppModel();
  const { id, beganAt, endedAt, interruptedAt, verified, rehearsal } = night;
  const to = endedAt ?? interruptedAt;
  const { running, interrupted } = words.ledger.nights;
  const open = to === undefined ? running : interrupted(formatDuration(to - beganAt));
  const length = endedAt === undefined ? open : formatDuration(endedAt - beganAt);
  const from = formatClock(beganAt);
  return (
    <button
      type="button"
      className={joinClasses('tabular', styles.night)}
      data-rehearsal={rehearsal || undefined}
      aria-current={isCurrent ? 'page' : undefined}
      title={words.ledger.nights.about(id, from, length, verified, nightCost(night))}
      onClick={() => model.go({ kind: 'ledger', night: id })}
    >
      <span className="visually-hidden">{words.ledger.nights.from(id, from, length)}</span>
      <span>
        <Phrase of={words.ledger.nights.verified(<strong>{countText(verified)}</strong>)} />
      </span>
      <span>{rehearsal ? words.ledger.nights.rehearsal : shortCost(night)}</span>
    </button>
  );
}

function shortCost({ requests, costs: [first] }: NightView): string {
  return first === undefined ? words.common.requests(requests) : moneyText(first);
}

function dateText(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(words.common.locale, options).format(date);
}

/** A night is listed on the day on which it began, as in the heading of its ledger. */
function monthOf({ beganAt }: NightView): string {
  const day = new Date(beganAt);
  return `${day.getFullYear()}-${day.getMonth() + 1}`;
}

function grouped<K>(
  nights: readonly NightView[],
  keyOf: (night: NightView) => K,
): ReadonlyMap<K, readonly NightView[]> {
  const groups = new Map<K, NightView[]>();
  for (const night of nights) groups.set(keyOf(night), [...(groups.get(keyOf(night)) ?? []), night]);
  return groups;
}
