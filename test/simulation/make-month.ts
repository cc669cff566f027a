/** A month of nights within windows: the clocks are set back, and, in the other month, forward. */
import { WEEKDAYS } from '../../src/shared/domain/task/schedule.ts';
import type { BatchPlan, Deed, NightPlan, Spell, TimedDeed } from './plan.ts';
import { Stream } from './random.ts';

const HOUR_MS = 3_600_000;
const DAYS = 30;
const MONTH_MS = DAYS * 24 * HOUR_MS;
/** How far ahead of the evening on which a night begins: 14 March 2027, before the clocks are set forward. */
const TO_SPRING_MS = 140 * 24 * HOUR_MS;

/** Enough work to take the whole month, window by window. */
const WINDOWS: readonly (Pick<BatchPlan, 'schedule'> & { readonly rows: number })[] = [
  {
    rows: 150,
    schedule: { windows: [{ from: '22:00', to: '06:00', days: WEEKDAYS.slice(0, 5) }], zone: 'Europe/Berlin' },
  },
  // On the night of the change these times come twice, or not at all.
  { rows: 44, schedule: { windows: [{ from: '01:45', to: '02:30', days: WEEKDAYS }], zone: 'Europe/Berlin' } },
  {
    rows: 16,
    schedule: {
      windows: [
        { from: '23:30', to: '00:45', days: ['Sat'] },
        { from: '13:00', to: '14:00', days: ['Sun', 'Wed'] },
      ],
      zone: 'America/New_York',
    },
  },
];

/** The month of a seed: sleeps, kills, losses of the network and of the disk, at any time. */
export function makeMonth(seed: number, season: 'autumn' | 'spring'): NightPlan {
  const random = new Stream(seed, 'month');
  const anyTime = (): number => HOUR_MS + random.below(MONTH_MS - HOUR_MS);
  const batches = WINDOWS.map(({ rows, schedule }, number): BatchPlan => {
    const names = Array.from({ length: rows }, (_, i) => ({ id: `b${number}r${i}`, takes: 1 }));
    const shared = { account: 0, places: 2, perSecond: 1, downloads: 2, isStated: true };
    return { rows: names, ...shared, ...(schedule === undefined ? {} : { schedule }) };
  });
  const deeds: TimedDeed[] = [
    ...(season === 'spring' ? [{ atMs: 0, deed: { kind: 'leap', byMs: TO_SPRING_MS } as const }] : []),
    ...batches.map((_, batch) => ({ atMs: 1000, deed: { kind: 'start', batch } as const })),
    ...several(14, (): Deed => ({ kind: 'sleep', forMs: random.pick([HOUR_MS, 5 * HOUR_MS, 9 * HOUR_MS]) })),
    ...several(10, (): Deed => ({ kind: 'kill', turns: random.below(40), downMs: random.pick([0, HOUR_MS]) })),
    ...several(3, (): Deed => ({ kind: 'close', downMs: random.pick([0, 5 * HOUR_MS]) })),
  ];
  function several(count: number, make: () => Deed): TimedDeed[] {
    return Array.from({ length: count }, () => ({ atMs: anyTime(), deed: make() }));
  }
  const spells = Array.from({ length: 12 }, (): Spell => {
    return {
      kind: random.pick(['outage', 'outage', 'rate', 'store']),
      fromMs: anyTime(),
      forMs: random.below(2 * HOUR_MS),
    };
  });
  return {
    seed,
    batches,
    law: { kind: 'fixed', ms: 2 * HOUR_MS },
    shape: 'text',
    addressMs: 48 * HOUR_MS,
    store: 'quick',
    faults: [],
    spells,
    deeds: [...deeds, { atMs: MONTH_MS, deed: { kind: 'undo', batch: 0 } as const }].toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
  };
}
