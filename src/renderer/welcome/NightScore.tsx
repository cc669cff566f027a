import styles from './NightScore.module.css';

const WIDTH = 960;
const LANE_HEIGHT = 22;
const LANES = 6;
const TOP = 14;
const NOW_X = 590;
const HOURS = ['22', '23', '00', '01', '02', '03', '04', '05', '06', '07'];
/** Lengths and pauses of the clips: a picture of a night, not a measurement. */
const LENGTHS = [46, 78, 34, 60, 92, 40, 68, 52];
const PAUSES = [8, 14, 6, 22, 10];

interface Clip {
  readonly lane: number;
  readonly x: number;
  readonly length: number;
}

const CLIPS: readonly Clip[] = Array.from({ length: LANES }, (_, lane) => clipsOf(lane)).flat();

/** A night as a score: lanes of takes from evening to morning, played up to now. Decoration only. */
export function NightScore() {
  const bottom = TOP + LANES * LANE_HEIGHT;
  return (
    <svg className={styles.score} viewBox={`0 0 ${WIDTH} ${bottom + 26}`} aria-hidden>
      {Array.from({ length: LANES + 1 }, (_, line) => (
        <line
          key={line}
          stroke="var(--line)"
          x1="0"
          x2={WIDTH}
          y1={TOP + line * LANE_HEIGHT}
          y2={TOP + line * LANE_HEIGHT}
        />
      ))}
      {CLIPS.map(({ lane, x, length }) => (
        <rect
          key={`${lane}-${x}`}
          {...lookOf(x, length)}
          x={x}
          y={TOP + lane * LANE_HEIGHT + 5}
          width={length}
          height={LANE_HEIGHT - 10}
          rx="3"
        />
      ))}
      <line stroke="var(--lamp-fill)" x1={NOW_X} x2={NOW_X} y1={TOP - 4} y2={bottom} />
      <circle fill="var(--lamp-fill)" cx={NOW_X} cy={TOP - 7} r="4" />
      {HOURS.map((hour, index) => (
        <text key={hour} className={styles.hour} x={30 + index * 100} y={bottom + 18}>
          {hour}:00
        </text>
      ))}
    </svg>
  );
}

function clipsOf(lane: number): readonly Clip[] {
  const clips: Clip[] = [];
  let x = 18 + lane * 11;
  for (let turn = lane * 3; x < WIDTH - 150 + lane * 14; turn += 1) {
    const length = LENGTHS[turn % LENGTHS.length] ?? 40;
    clips.push({ lane, x, length });
    x += length + (PAUSES[(turn + lane) % PAUSES.length] ?? 8);
  }
  return clips;
}

/** A clip was played, is playing now, or waits. */
function lookOf(x: number, length: number): { readonly fill: string; readonly stroke?: string } {
  if (x + length <= NOW_X) return { fill: 'color-mix(in srgb, var(--ink) 30%, var(--ground))' };
  if (x < NOW_X) return { fill: 'var(--lamp-fill)' };
  return { fill: 'color-mix(in srgb, var(--ink) 4%, var(--ground))', stroke: 'var(--line-strong)' };
}
