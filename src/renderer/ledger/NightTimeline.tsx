import { useState } from 'react';
import { countText } from '../../shared/domain/base/text.ts';
import { MINUTE_MS } from '../../shared/domain/base/wall-clock.ts';
import { FAILURE_POLICIES } from '../../shared/domain/base/failure.ts';
import type { LedgerView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import { Disclosure } from '../design/Page.tsx';
import { shownLine } from '../format/shown-text.ts';
import { formatClock, formatClockSeconds, formatNearby } from '../format/times.ts';
import { NightPicture, type NightTime } from './NightPicture.tsx';
import styles from './NightTimeline.module.css';

type Point = NightTime['points'][number];

const timelineWords = words.ledger.timeline;

/**
 * The night over time: what was verified and failed, what was under way, what held it. The pointer or the arrow keys
 * choose a stretch.
 */
export function NightTimeline({
  timeline,
  batches,
}: {
  readonly timeline: NightTime;
  readonly batches: LedgerView['batches'];
}) {
  const { points } = timeline;
  const [pointed, setPointed] = useState<number>();
  const index = pointed === undefined ? undefined : Math.min(pointed, points.length - 1);
  const move = (to: number): void => setPointed(Math.max(0, Math.min(points.length - 1, to)));
  const point = index === undefined ? undefined : points[index];
  const pointedAt = point === undefined ? timelineWords.hint : pointWords(point, timeline, batches);
  return (
    <>
      <NightPicture timeline={timeline} pointed={index} onPointed={move} />
      <input
        className={styles.pointer}
        type="range"
        min={0}
        max={points.length - 1}
        value={index ?? 0}
        aria-label={timelineWords.label}
        aria-valuetext={pointedAt}
        data-testid="ledger-timeline"
        onChange={({ target }) => move(target.valueAsNumber)}
      />
      <p className="row wrap soft tabular" data-testid="ledger-pointed">
        <span className={styles.key} data-series="verified">
          {timelineWords.verified}
        </span>
        <span className={styles.key} data-series="failed">
          {timelineWords.failed}
        </span>
        <span className={styles.key} data-series="active">
          {timelineWords.active}
        </span>
        <span className={styles.key} data-series="pause">
          {timelineWords.paused}
        </span>
        <span className="grow">{pointedAt}</span>
      </p>
      <Disclosure head={timelineWords.asTable}>
        <TimelineTable timeline={timeline} batches={batches} />
      </Disclosure>
    </>
  );
}

function pointWords(point: Point, timeline: NightTime, batches: LedgerView['batches']): string {
  const until = point.at + timeline.stepMs;
  const pauses = timeline.pauses
    .filter(({ from, to = Infinity }) => from < until && to >= point.at)
    .map((pause) => pauseWords(pause, batches));
  return timelineWords.stretch({ ...point, at: beginningOf(point, timeline), pauses });
}

/** When a stretch begins: to the second if several begin in the same minute. */
function beginningOf({ at }: Pick<Point, 'at'>, { stepMs, to }: NightTime): string {
  return stepMs < MINUTE_MS ? formatClockSeconds(at) : formatNearby(at, to);
}

function pauseWords({ batchId, code }: NightTime['pauses'][number], batches: LedgerView['batches']): string {
  const name = batches.length > 1 ? shownLine(batches.find(({ id }) => id === batchId)?.name ?? '') : undefined;
  return timelineWords.pausedFor(code && FAILURE_POLICIES[code].title, name);
}

/** The same in words: stretches in which something happened, and the pauses. */
function TimelineTable({
  timeline,
  batches,
}: {
  readonly timeline: NightTime;
  readonly batches: LedgerView['batches'];
}) {
  const heads = timelineWords.columns;
  const busy = timeline.points.filter(
    ({ submitted, verified, failed, limited }) => submitted + verified + failed + limited > 0,
  );
  return (
    <>
      <table className="table tabular">
        <thead>
          <tr>
            {[heads.from, heads.submitted, heads.verified, heads.failed, heads.active, heads.limited].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.map(({ at, submitted, verified, failed, active, limited }) => (
            <tr key={at}>
              <th scope="row">{beginningOf({ at }, timeline)}</th>
              <td>{countText(submitted)}</td>
              <td>{countText(verified)}</td>
              <td>{countText(failed)}</td>
              <td>{countText(active)}</td>
              <td>{countText(limited)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul className="soft">
        {timeline.pauses.map((pause) => (
          <li key={`${pause.batchId} ${pause.from}`}>
            {timelineWords.pauseLine(
              formatClock(pause.from),
              pause.to === undefined ? undefined : formatClock(pause.to),
              pauseWords(pause, batches),
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
