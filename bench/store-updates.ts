import { mkdirSync } from 'node:fs';
import type { ContenderName } from './contender.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Report } from './support/report.ts';
import { numberOf, runContender, runInTurn } from './support/run-contender.ts';

const ROUNDS = 3;
const TASKS = 10_000;
/** What 2,000 changes a second amount to in 50 ms. */
const GROUP = 100;

/** How many task changes a second are safely on the disk. */
export function storeUpdates(): Promise<Report> {
  return inTemporaryFolder(async (folder) => {
    let run = 0;
    const contender = (name: ContenderName, updates: number, group: number) => () => {
      const own = `${folder}/${(run += 1)}`;
      mkdirSync(own);
      return runContender(name, { folder: own, tasks: TASKS, updates, group });
    };
    const [grouped, single, conf] = await runInTurn(
      [
        contender('store-updates', 30_000, GROUP),
        contender('store-updates', 3000, 1),
        contender('conf-updates', 30, 1),
      ],
      ROUNDS,
    );
    if (grouped === undefined || single === undefined || conf === undefined)
      throw new Error('A contender gave nothing.');
    const ours = numberOf(grouped, 'perSecond');
    return {
      title: `store-updates: durable changes of ${TASKS.toLocaleString('en-GB')} tasks`,
      lines: [
        {
          what: `commits of ${GROUP} / one commit each`,
          unit: 'updates/s',
          ours,
          rival: numberOf(single, 'perSecond'),
          goal: { bound: 'at least', value: 6 },
        },
        {
          what: `commits of ${GROUP} / conf (electron-store)`,
          unit: 'updates/s',
          ours,
          rival: numberOf(conf, 'perSecond'),
          goal: { bound: 'at least', value: 30_000 },
        },
        {
          what: 'CPU of an update in a group / alone',
          unit: 'ms',
          ours: numberOf(grouped, 'cpuMs') / 30_000,
          rival: numberOf(single, 'cpuMs') / 3000,
        },
      ],
      notes: [
        `Every change with its event, synchronous=FULL; ${ROUNDS} rounds in turn. conf writes all tasks each time.`,
      ],
    };
  });
}
