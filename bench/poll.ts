import type { Bench, Measure } from './support/bench.ts';
import { IN_FLIGHT, LAWS, leastPolls, simulatePolls } from './support/poll-simulation.ts';
import type { Line, Report } from './support/report.ts';
import { numberOf, runContender } from './support/run-contender.ts';

const AT_ONCE = 10;
const FIXED_MS = 5000;
const WORDS = { 'the truth': 'says “queued” and “running”', nothing: 'says neither' } as const;
const CASES = (['lognormal', 'uniform'] as const).flatMap((law) => [
  { law, atOnce: AT_ONCE, words: 'the truth' } as const,
  { law, atOnce: AT_ONCE, words: 'nothing' } as const,
  { law, atOnce: IN_FLIGHT, words: 'nothing' } as const,
]);
type Case = (typeof CASES)[number];

/** How often a task is polled, and how late its end is noticed, in simulated time. */
export const poll: Bench = {
  report: async (): Promise<Report> => {
    const lines: Line[] = [];
    for (const one of CASES) lines.push(...(await linesOf(one)));
    return {
      title: `poll: ${IN_FLIGHT} in flight, simulated time`,
      lines,
      notes: [
        '3,000 tasks by a seeded law, the first 50 not counted, or 200 behind a queue. The bound knows the law, and when the gateway',
        'begins with a task; it asks about each by itself, at intervals of 1/√hazard, so often that it is as late as we are.',
      ],
    };
  },
  withProbes: (_, work) =>
    work(
      CASES.map((one) => ({
        isExact: true,
        measures: measuresOf(one),
        run: (tree) => runContender('our-polls', one, tree),
      })),
    ),
};

function nameOf({ law, atOnce, words }: Case): string {
  const { name } = LAWS[law];
  return atOnce === AT_ONCE ? `first in, first out on ${AT_ONCE}, ${WORDS[words]}; ${name}` : `all at once; ${name}`;
}

function measuresOf(one: Case): readonly Measure[] {
  const where = nameOf(one);
  return [
    { what: `polls: ${where}`, unit: 'per task', better: 'less', of: (figures) => numberOf(figures, 'polls') },
    { what: `latency: ${where}`, unit: 's', better: 'less', of: (figures) => numberOf(figures, 'latencyS') },
  ];
}

async function linesOf(one: Case): Promise<readonly Line[]> {
  const figures = await runContender('our-polls', one);
  const [polls, latencyS] = [numberOf(figures, 'polls'), numberOf(figures, 'latencyS')];
  const law = LAWS[one.law];
  const fixed = simulatePolls(law, one.atOnce, () => FIXED_MS);
  const asLate = simulatePolls(law, one.atOnce, () => 2000 * latencyS);
  const bound = leastPolls(law, one.atOnce, latencyS);
  const where = nameOf(one);
  const of = { unit: 'per task', ours: polls };
  const fixedLine = { ...of, what: `polls: ${where} / every 5 s`, rival: fixed.polls };
  const boundLine = { ...of, what: `polls: ${where} / the bound`, rival: bound.polls };
  if (one.words === 'the truth') {
    return [
      { ...of, what: `polls: ${where}`, goal: { id: '9', bound: 'at most', value: 4 } },
      { what: `latency: ${where}`, unit: 's', ours: latencyS, goal: { id: '9', bound: 'at most', value: 2.5 } },
      fixedLine,
      boundLine,
    ];
  }
  if (one.atOnce === AT_ONCE) {
    return [
      { ...boundLine, goal: { id: '9b', bound: 'at most', value: 1.15 } },
      { what: `latency: ${where}`, unit: 's', ours: latencyS },
      fixedLine,
    ];
  }
  return [
    { ...boundLine, goal: { id: '10', bound: 'at most', value: 1.15 } },
    {
      ...of,
      what: `polls: ${where} / a fixed interval, as late`,
      rival: asLate.polls,
      goal: { id: '10', bound: 'at most', value: 1 },
    },
    { what: `latency: ${where} / every 5 s`, unit: 's', ours: latencyS, rival: fixed.latencyS },
  ];
}
