import type { LedgerView } from '../../shared/ipc/ledger.ts';
import { MINUTE_MS } from '../../shared/domain/base/wall-clock.ts';
import { words } from '../../shared/words/words.ts';
import { formatClock, formatClockSeconds } from '../format/times.ts';
import styles from './NightTimeline.module.css';

export type NightTime = NonNullable<LedgerView['timeline']>;

/** The picture's own width; it is scaled to that of its place. */
const WIDE = 1_000;
const HIGH = 120;
/** So thin a line can still be seen. */
const LEAST_WIDE = 2;
const HOURS_NAMED = 6;

interface NightPictureProps {
  readonly timeline: NightTime;
  /** The stretch that is pointed at. */
  readonly pointed: number | undefined;
  readonly onPointed: (index: number) => void;
}

/**
 * The night as a picture: bars for what was verified and failed, a line for what was under way, and pauses behind them;
 * beside it, the most of each.
 */
export function NightPicture({ timeline, pointed, onPointed }: NightPictureProps) {
  const { points, pauses, from, to, stepMs } = timeline;
  const step = WIDE / points.length;
  const most = Math.max(1, ...points.map(({ verified, failed }) => verified + failed));
  const mostActive = Math.max(1, ...points.map(({ active }) => active));
  const x = (at: number): number => Math.max(0, ((at - from) / (points.length * stepMs)) * WIDE);
  const high = (count: number): number => (count / most) * HIGH;
  return (
    <div className={styles.picture} aria-hidden>
      <span className={styles.most}>{words.ledger.timeline.mostEnded(most)}</span>
      <svg
        viewBox={`0 0 ${WIDE} ${HIGH}`}
        preserveAspectRatio="none"
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          if (width > 0) onPointed(Math.floor(((clientX - left) / width) * points.length));
        }}
      >
        {pauses.map((pause) => (
          <rect
            key={`${pause.batchId} ${pause.from}`}
            className={styles.pause}
            x={x(pause.from)}
            width={Math.max(LEAST_WIDE, x(pause.to ?? to) - x(pause.from))}
            height={HIGH}
          />
        ))}
        {pointed !== undefined && <rect className={styles.pointed} x={pointed * step} width={step} height={HIGH} />}
        {points.map(({ at, verified, failed }, index) => (
          <g key={at}>
            <Bar kind="verified" x={index * step} width={step} from={0} height={high(verified)} />
            <Bar kind="failed" x={index * step} width={step} from={high(verified)} height={high(failed)} />
          </g>
        ))}
        <polyline
          className={styles.active}
          points={points
            .map(({ active }, index) => `${(index + 0.5) * step},${HIGH - (active / mostActive) * (HIGH - 2) - 1}`)
            .join(' ')}
        />
      </svg>
      <span className={styles.most}>{words.ledger.timeline.mostActive(mostActive)}</span>
      <Hours timeline={timeline} />
    </div>
  );
}

interface BarProps {
  readonly kind: 'verified' | 'failed';
  readonly x: number;
  readonly width: number;
  /** Where it begins, from below. */
  readonly from: number;
  readonly height: number;
}

function Bar({ kind, x, width, from, height }: BarProps) {
  if (height === 0) return null;
  return (
    <rect className={styles[kind]} x={x + width * 0.1} width={width * 0.8} y={HIGH - from - height} height={height} />
  );
}

/** The time of day below it. */
function Hours({ timeline: { points, stepMs, from } }: { readonly timeline: NightTime }) {
  // In a short night, several stretches begin in the same minute.
  const clock = stepMs < MINUTE_MS ? formatClockSeconds : formatClock;
  const each = Math.max(1, Math.ceil(points.length / HOURS_NAMED));
  const named = points.filter((_, index) => index % each === 0);
  return (
    <p className={styles.hours}>
      {named.map(({ at }) => (
        <span key={at} style={{ left: `${((at - from) / (points.length * stepMs)) * 100}%` }}>
          {clock(at)}
        </span>
      ))}
    </p>
  );
}
