import type { Figures } from '../contender.ts';
import type { Line } from './report.ts';
import { numberOf } from './run-contender.ts';

export const ROUNDS = 3;
export const ROWS = 100_000;
export const COLUMNS = 20;
export const SHEET_SIZE = `${ROWS.toLocaleString('en-GB')} × ${COLUMNS} cells`;

/** Time, processor time and memory of two readers of one sheet; `most`: ratios ours / rival. */
export function compareSheets(
  what: string,
  ours: Figures,
  rival: Figures,
  most?: { readonly time: number; readonly rss: number },
): readonly Line[] {
  return [
    {
      what,
      unit: 'ms',
      ours: numberOf(ours, 'wallMs'),
      rival: numberOf(rival, 'wallMs'),
      ...(most && { goal: { bound: 'at most', value: most.time } as const }),
    },
    { what: `${what}, processor`, unit: 'ms', ours: numberOf(ours, 'cpuMs'), rival: numberOf(rival, 'cpuMs') },
    {
      what: `${what}, largest RSS`,
      unit: 'MiB',
      ours: numberOf(ours, 'rssMiB'),
      rival: numberOf(rival, 'rssMiB'),
      ...(most && { goal: { bound: 'at most', value: most.rss } as const }),
    },
  ];
}

/** Whether all readers found the same cells. */
export function agreement(format: string, readers: readonly Figures[]): readonly string[] {
  const digests = new Set(readers.map((figures) => figures['digest']));
  return [
    `${format}: every cell is ${digests.size === 1 ? 'the same' : 'NOT THE SAME'} by all readers.`,
    `Medians of ${ROUNDS} rounds in turn, each run in a new process.`,
  ];
}
