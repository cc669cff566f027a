import { mkdirSync, rmSync } from 'node:fs';
import type { ContenderInput, ContenderName, Figures } from './contender.ts';
import { roundsOf, scaled, type Bench, type Measure, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Goal, Line, Report } from './support/report.ts';
import { numberOf, runInTurn, runWindow } from './support/run-contender.ts';
import { writeCsv, writeXlsx } from './support/sheet-fixture.ts';
import { COLUMNS, ROWS } from './support/sheet-report.ts';

const FEW = 100;
/** "No worse", with room for noise. */
const NO_WORSE = { id: '12', bound: 'at most', value: 1.1 } as const;
/** For the start of a window, against that of one with nothing in it. */
const STARTING = { id: '13', bound: 'at most', value: 1.3 } as const;
/** No frame over 50 ms: a longer one is noticeable. */
const NO_STUMBLE = { id: '12', bound: 'at most', value: 50 } as const;
/** Memory stays flat: small pictures that were seen come and go. */
const FLAT = { id: '12', bound: 'at most', value: 1.1 } as const;
const FRAMES = [
  ['scrolling', 'longestFrameMs'],
  ['scrolling changing', 'changingLongestMs'],
  ['typing into changing', 'typingLongestMs'],
] as const;
const FORMATS = ['csv', 'xlsx'] as const;

type RunOnDesktop = (name: ContenderName, input: ContenderInput, tree?: string) => Promise<Figures>;

/** What a user waits for: the window, the first rows of a file, a large batch; through the real window. */
export const window: Bench = {
  isBuilt: true,
  report: (settings) => withSheets(settings, (run, sheets) => compare(settings, run, sheets)),
  withProbes: (settings, work) =>
    withSheets(settings, (run, sheets) =>
      work([
        {
          measures: [measure('start, cold', 'coldMs'), measure('start, warm', 'warmMs')],
          run: (tree) => run('our-start', {}, tree),
        },
        ...FORMATS.map((format) => ({
          measures: [measure(`${format} chosen to first rows`, 'firstRowsMs')],
          run: (tree: string) => run('our-first-rows', { path: sheets.many(format) }, tree),
        })),
        {
          measures: [
            measure('large batch opened to first rows', 'firstRowsMs'),
            measure('scrolling it, frame p95', 'frameP95Ms'),
            measure('scrolling it as 2,000 rows a second change, frame p95', 'changingP95Ms'),
            measure('typing meanwhile, frame p95', 'typingP95Ms'),
          ],
          run: (tree) => run('our-batch', { rows: scaled(ROWS, settings, FEW) }, tree),
        },
      ]),
    ),
};

function measure(what: string, figure: string): Measure {
  return { what, unit: 'ms', better: 'less', of: (figures) => Number(figures[figure]) };
}

interface Sheets {
  readonly few: (format: (typeof FORMATS)[number]) => string;
  readonly many: (format: (typeof FORMATS)[number]) => string;
}

/** Runs windows on desktops of their own, each with a folder of its own below `all`. */
export function windowsIn(all: string): RunOnDesktop {
  let count = 0;
  return async (name, input, tree) => {
    const folder = `${all}/${(count += 1)}`;
    mkdirSync(folder);
    const figures = await runWindow(name, { ...input, folder }, tree);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    return figures;
  };
}

function withSheets<T>(settings: Settings, work: (run: RunOnDesktop, sheets: Sheets) => Promise<T>): Promise<T> {
  return inTemporaryFolder((all) => {
    for (const [name, rows] of [['few', FEW] as const, ['many', scaled(ROWS, settings, FEW)] as const]) {
      writeCsv(`${all}/${name}.csv`, rows, COLUMNS);
      writeXlsx(`${all}/${name}.xlsx`, rows, COLUMNS);
    }
    return work(windowsIn(all), { few: (format) => `${all}/few.${format}`, many: (format) => `${all}/many.${format}` });
  });
}

async function compare(settings: Settings, run: RunOnDesktop, sheets: Sheets): Promise<Report> {
  const rounds = roundsOf(settings);
  const rows = scaled(ROWS, settings, FEW);
  const [start, empty, manyBatch, fewBatch, results, ...files] = await runInTurn(
    [
      () => run('our-start', {}),
      () => run('empty-start', {}),
      () => run('our-batch', { rows }),
      () => run('our-batch', { rows: FEW }),
      () => run('our-results', { rows }),
      ...FORMATS.flatMap((format) => [
        () => run('our-first-rows', { path: sheets.many(format) }),
        () => run('our-first-rows', { path: sheets.few(format) }),
      ]),
    ],
    rounds,
  );
  if (!start || !empty || !manyBatch || !fewBatch || !results) throw new Error('A contender gave nothing.');
  const count = rows.toLocaleString('en-GB');
  const choosing = { id: '8b', bound: 'at most', value: 1.5 } as const;
  return {
    title: 'window: what a user waits for',
    lines: [
      ...startLines(start, empty),
      ...FORMATS.map((format, i) =>
        line(
          `${format} of ${count} rows chosen to first rows / of ${FEW}`,
          'firstRowsMs',
          files[2 * i],
          files[2 * i + 1],
          choosing,
        ),
      ),
      line(`batch of ${count} rows opened to first rows / of ${FEW}`, 'firstRowsMs', manyBatch, fewBatch, NO_WORSE),
      line(`scrolling ${count} rows, frame p95 / ${FEW}`, 'frameP95Ms', manyBatch, fewBatch, NO_WORSE),
      ...FRAMES.map(([what, figure]) => ({
        what: `${what} ${count} rows, longest frame`,
        unit: 'ms',
        ours: numberOf(manyBatch, figure),
        ...(figure === 'longestFrameMs' ? {} : { goal: NO_STUMBLE }),
      })),
      ...[...FRAMES, ['scrolling row by row', 'slowLongestMs'] as const].map(([what, figure]) => ({
        what: `${what} ${count} rows with small pictures, longest frame`,
        unit: 'ms',
        ours: numberOf(results, figure),
        goal: NO_STUMBLE,
      })),
      {
        what: 'memory of its processes after 24 s more of scrolling / before',
        unit: 'MB',
        ours: numberOf(results, 'usedMb'),
        rival: numberOf(results, 'warmMb'),
        goal: FLAT,
      },
    ],
    notes: [
      `Real windows of the same Electron on a screen of their own; ${rounds} rounds in turn, clock times. Usable: the button`,
      'that imports a sheet takes a click; the empty window has such a button and nothing else. Chosen: the click on it, with',
      'the file given to the dialog at once.',
      aboutCold(start),
      'Small pictures: every row has one of 2,048 × 2,048 pixels, none made before.',
      'Changing: the window is told of 2,000 changed rows a second, 200 each time, of which it draws those in sight.',
    ],
  };
}

function line(what: string, figure: string, ours: Figures | undefined, rival: Figures | undefined, goal?: Goal): Line {
  return {
    what,
    unit: 'ms',
    ours: numberOf(ours ?? {}, figure),
    rival: numberOf(rival ?? {}, figure),
    ...(goal && { goal }),
  };
}

/** Starts of one build of the window, against those of an empty one. */
export function startLines(ours: Figures, empty: Figures): readonly Line[] {
  return [
    line('start to usable, warm / an empty window', 'warmMs', ours, empty, STARTING),
    line('start to usable, cold / an empty window', 'coldMs', ours, empty, STARTING),
  ];
}

/** What a cold start was, in words. */
export function aboutCold(ours: Figures): string {
  return numberOf(ours, 'areForgotten') === 1
    ? 'Cold: a new profile, and the files of Electron and of the program dropped from the cache unless another holds them.'
    : 'Cold: a new profile only; this system does not drop files from its cache.';
}
