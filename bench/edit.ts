import { mkdirSync } from 'node:fs';
import { inTemporaryFolder } from './support/measure.ts';
import type { Report } from './support/report.ts';
import { numberOf, runContender, runInTurn } from './support/run-contender.ts';

const ROUNDS = 3;
const FEW = 100;
const MANY = 100_000;
/** Hardly noticeable: a sheet of 100,000 rows feels like one of 100. */
const GOAL = { bound: 'at most', value: 3 } as const;

/** What an edit costs in a large sheet compared with a small one. */
export function edit(): Promise<Report> {
  return inTemporaryFolder(async (folder) => {
    let run = 0;
    const contender = (rows: number) => () => {
      const own = `${folder}/${(run += 1)}`;
      mkdirSync(own);
      return runContender('our-edit', { folder: own, rows });
    };
    const [many, few] = await runInTurn([contender(MANY), contender(FEW)], ROUNDS);
    if (many === undefined || few === undefined) throw new Error('A contender gave nothing.');
    const line = (what: string, figure: string) => ({
      what,
      unit: 'ms',
      ours: numberOf(many, figure),
      rival: numberOf(few, figure),
      goal: GOAL,
    });
    return {
      title: `edit: a sheet of ${MANY.toLocaleString('en-GB')} rows / of ${FEW}`,
      lines: [
        line('one cell, checked and on the disk', 'cellMs'),
        line('one row inserted in the middle', 'insertMs'),
        line('a block of 2,000 × 5 cells', 'pasteMs'),
        {
          what: 'longest block while all rows are checked anew',
          unit: 'ms',
          ours: numberOf(many, 'recheckBlockMs'),
          goal: { bound: 'at most', value: 50 },
        },
        { what: 'all rows checked anew', unit: 'ms', ours: numberOf(many, 'recheckMs') },
        {
          what: 'longest block while a cell of every row is cleared',
          unit: 'ms',
          ours: numberOf(many, 'clearBlockMs'),
          goal: { bound: 'at most', value: 100 },
        },
        { what: 'a cell of every row cleared', unit: 'ms', ours: numberOf(many, 'clearMs') },
      ],
      notes: [
        `Each edit with its checks across rows, one transaction (many rows: part by part), synchronous=FULL; medians of ${ROUNDS} rounds in turn.`,
      ],
    };
  });
}
