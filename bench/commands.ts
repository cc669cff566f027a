import { mkdirSync } from 'node:fs';
import type { ContenderName, Figures } from './contender.ts';
import { roundsOf, type Bench, type Measure, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Line } from './support/report.ts';
import { numberOf, runContender, runInTurn } from './support/run-contender.ts';

const TIMES = 10;
const GOAL = { id: '14', bound: 'at most', value: 4 } as const;

type RunCommand = (name: ContenderName, command: '--help' | 'status', tree?: string) => Promise<Figures>;

/** How long the built command line takes to print something, against a Node that does nothing. */
export const commands: Bench = {
  isBuilt: true,
  report: async (settings) => ({
    title: 'commands: the built command line / node -e 0',
    lines: await commandLines('our-command', 'bare-node', settings),
    notes: [aboutCommands(settings)],
  }),
  withProbes: (_, work) =>
    inFolders((run) =>
      work(
        (['--help', 'status'] as const).map((command) => ({
          measures: measuresOf(`nocturne ${command}`),
          run: (tree) => run('our-command', command, tree),
        })),
      ),
    ),
};

/** Times one build of the command line against its Node. */
export function commandLines(ours: ContenderName, rival: ContenderName, settings: Settings): Promise<readonly Line[]> {
  return inFolders(async (run) => {
    const [help, status, bare] = await runInTurn(
      [() => run(ours, '--help'), () => run(ours, 'status'), () => run(rival, '--help')],
      roundsOf(settings),
    );
    if (help === undefined || status === undefined || bare === undefined) throw new Error('A contender gave nothing.');
    const line = (what: string, figure: string, found: Figures) => ({
      what,
      unit: 'ms',
      ours: numberOf(found, figure),
      rival: numberOf(bare, figure),
    });
    return [
      { ...line('nocturne --help', 'wallMs', help), goal: GOAL },
      line('nocturne --help, processor', 'cpuMs', help),
      { ...line('nocturne status', 'wallMs', status), goal: GOAL },
      line('nocturne status, processor', 'cpuMs', status),
    ];
  });
}

/** How commands are timed, in words. */
export function aboutCommands(settings: Settings): string {
  return `A store of 1,000 rows; medians of ${TIMES} starts each, ${roundsOf(settings)} rounds in turn.`;
}

function measuresOf(what: string): readonly Measure[] {
  return [
    { what, unit: 'ms', better: 'less', of: (figures) => numberOf(figures, 'wallMs') },
    { what: `${what}, processor`, unit: 'ms', better: 'less', of: (figures) => numberOf(figures, 'cpuMs') },
  ];
}

function inFolders<T>(work: (run: RunCommand) => Promise<T>): Promise<T> {
  return inTemporaryFolder((all) => {
    let count = 0;
    return work((name, command, tree) => {
      const folder = `${all}/${(count += 1)}`;
      mkdirSync(folder);
      return runContender(name, { command, folder, times: TIMES }, tree);
    });
  });
}
