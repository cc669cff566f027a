/**
 * Kills spread over nights: every point as often as the others, and every night can be replayed from what is printed
 * about it.
 */
import { CRASH_POINTS } from '../../src/engine/crash-point.ts';
import { SeededRandom } from '../../src/gateway-sim/random.ts';
import type { Recovery } from './child-protocol.ts';
import { CAMPAIGN_RECIPES } from './recipes.ts';
import { runWorld, type PlannedDeath, type WorldPlan, type WorldReport } from './world.ts';

export type PointName = PlannedDeath['point'];

/** All places and manners of dying. */
export const POINTS: readonly PointName[] = [...CRASH_POINTS, 'submit.bytes-left', 'any-time'];

/** Each point must get at least one kill in this many. */
const SHARE = 20;
/** About as many as a night's rows allow. */
const DEATHS_PER_NIGHT = 14;
/**
 * A night in which no planned kill strikes any more is no progress; this many of them in a row mean that the plan is
 * wrong.
 */
const FRUITLESS_MAX = 20;
const ANY_TIME_MAX_MS = 450;
/** For points where two or three passes are not usual. */
const PASSES: Partial<Record<PointName, number>> = {
  'import.row-written': 14,
  'import.committed': 1,
  'folder.identity-written': 1,
  'folder.identity-placed': 1,
  'commit.written': 12,
  'poll.answered': 4,
};
const USUAL_PASSES = 3;

export interface CampaignReport {
  readonly nights: number;
  readonly kills: ReadonlyMap<PointName, number>;
  readonly recoveries: readonly Recovery[];
  readonly unknownByKill: number;
  readonly unknownCharged: number;
  readonly leftoverParts: number;
  readonly broken: readonly { readonly plan: WorldPlan; readonly report: WorldReport }[];
  /** Points that were not reached as often as they should have been. */
  readonly missed: readonly PointName[];
}

export interface CampaignOptions {
  readonly kills: number;
  readonly seed: string;
  /** How many nights run at the same time. */
  readonly lanes: number;
  readonly onNight: (plan: WorldPlan, report: WorldReport, killsSoFar: number) => void;
}

/** Plans one night: the points with the fewest kills so far first, those that a night passes once before all others. */
export function planNight(seed: string, number: number, kills: ReadonlyMap<PointName, number>): WorldPlan {
  const random = new SeededRandom(seed, 'night', number);
  const usual = CAMPAIGN_RECIPES[number % CAMPAIGN_RECIPES.length] ?? 'plain';
  // Its points are passed only if answers are lost: they would always be the last to get their share.
  const least = Math.min(...POINTS.map((point) => kills.get(point) ?? 0));
  const isLast = POINTS.some((point) => point.startsWith('again.') && (kills.get(point) ?? 0) === least);
  const recipe = isLast && number % 2 === 1 ? 'keyed' : usual;
  // A life that cannot pass its point lasts until the night is over.
  const reachable = POINTS.filter(
    (point) =>
      (!point.startsWith('link.') || recipe === 'chained') && (!point.startsWith('again.') || recipe === 'keyed'),
  );
  const wanted = reachable
    .map((point) => ({ point, kills: kills.get(point) ?? 0, order: random.next() }))
    .toSorted((a, b) => a.kills - b.kills || a.order - b.order)
    .slice(0, DEATHS_PER_NIGHT)
    .map(({ point }) => point);
  const isOnce = (point: PointName): boolean => point.startsWith('import.') || point.startsWith('folder.');
  const deaths = [...wanted.filter(isOnce).toSorted().toReversed(), ...wanted.filter((point) => !isOnce(point))];
  return {
    seed: `${seed}/${number}`,
    recipe,
    deaths: deaths.map((point) => plannedDeath(point, random)),
  };
}

function plannedDeath(point: PointName, random: SeededRandom): PlannedDeath {
  if (point === 'any-time') return { point, afterMs: random.below(ANY_TIME_MAX_MS) };
  // Early passes are chosen more often than late ones: a night that is over before the pass has no kill.
  return { point, pass: 1 + random.below(1 + random.below(PASSES[point] ?? USUAL_PASSES)) };
}

/** Runs nights until enough kills have struck, and each point has had its share. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const share = Math.floor(options.kills / SHARE);
  const kills = new Map<PointName, number>();
  const reports: WorldReport[] = [];
  const broken: { plan: WorldPlan; report: WorldReport }[] = [];
  let number = 0;
  let fruitless = 0;
  const total = (): number => [...kills.values()].reduce((sum, count) => sum + count, 0);
  const missed = (): readonly PointName[] => POINTS.filter((point) => (kills.get(point) ?? 0) < share);
  const isEnough = (): boolean => total() >= options.kills && missed().length === 0;

  async function lane(): Promise<void> {
    while (!isEnough() && broken.length === 0 && fruitless < FRUITLESS_MAX) {
      const plan = planNight(options.seed, number, kills);
      number += 1;
      const report = await runWorld(plan);
      for (const point of report.deaths) kills.set(point, (kills.get(point) ?? 0) + 1);
      fruitless = report.deaths.length === 0 ? fruitless + 1 : 0;
      reports.push(report);
      if (report.violations.length > 0) broken.push({ plan, report });
      options.onNight(plan, report, total());
    }
  }

  await Promise.all(Array.from({ length: options.lanes }, lane));
  const sum = (of: (report: WorldReport) => number): number => reports.reduce((so, report) => so + of(report), 0);
  return {
    nights: reports.length,
    kills,
    recoveries: reports.flatMap((report) => report.recoveries),
    unknownByKill: sum((report) => report.unknownByKill),
    unknownCharged: sum((report) => report.unknownCharged),
    leftoverParts: sum((report) => report.leftoverParts),
    broken,
    missed: broken.length > 0 ? [] : missed(),
  };
}

/** A night's plan, one word for each of its parts, which can be given on the command line again. */
export function formatPlan({ seed, recipe, deaths }: WorldPlan): readonly string[] {
  const words = deaths.map((death) => `${death.point}:${death.point === 'any-time' ? death.afterMs : death.pass}`);
  return ['--night', seed, '--recipe', recipe, '--deaths', words.join(',') || 'none'];
}

/** Reads what {@link formatPlan} wrote as deaths; throws for a point that does not exist. */
export function parseDeaths(text: string): readonly PlannedDeath[] {
  if (text === 'none') return [];
  return text.split(',').map((word): PlannedDeath => {
    const [name = '', number = ''] = word.split(':');
    const point = POINTS.find((known) => known === name);
    if (point === undefined || !/^\d+$/u.test(number)) throw new Error(`Not a death: ${word}`);
    return point === 'any-time' ? { point, afterMs: Number(number) } : { point, pass: Number(number) };
  });
}
