import { roundsOf, scaled, type Bench, type Measure } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import { numberOf, runInTurn } from './support/run-contender.ts';
import { windowsIn } from './window.ts';

const MANY = 10_000;
const FEW = 1_000;

const MEASURES: readonly Measure[] = [
  { what: 'gallery opened to the pictures of its first screen', figure: 'firstScreenMs' },
  { what: 'the same, with pictures that are kept', figure: 'keptScreenMs' },
  { what: 'scrolling it, frame p95', figure: 'frameP95Ms' },
].map(({ what, figure }) => ({ what, unit: 'ms', better: 'less', of: (figures) => numberOf(figures, figure) }));

/** The gallery of a large batch beside that of a smaller one, and its small pictures beside ffmpeg's. */
export const gallery: Bench = {
  isBuilt: true,
  report: (settings) =>
    inTemporaryFolder(async (all) => {
      const run = windowsIn(all);
      const files = scaled(MANY, settings, FEW);
      const rounds = roundsOf(settings);
      const [many = {}, few = {}] = await runInTurn(
        [() => run('our-gallery', { rows: files }), () => run('our-gallery', { rows: FEW })],
        rounds,
      );
      const beside = (what: string, figure: string) => ({
        what,
        unit: 'ms',
        ours: numberOf(many, figure),
        rival: numberOf(few, figure),
      });
      const count = files.toLocaleString('en-GB');
      return {
        title: `gallery: ${count} pictures, beside ${FEW.toLocaleString('en-GB')}`,
        lines: [
          { ...beside('opened to its first tile', 'firstTileMs'), goal: { id: '12', bound: 'at most', value: 1.1 } },
          beside('opened to the pictures of its first screen, made anew', 'firstScreenMs'),
          beside('opened to the pictures of its first screen, kept', 'keptScreenMs'),
          beside('scrolling it, frame p95', 'frameP95Ms'),
          { what: 'scrolling it, longest frame', unit: 'ms', ours: numberOf(many, 'longestFrameMs') },
          { what: 'scrolling it for 3 s, frames over 50 ms', unit: '', ours: numberOf(many, 'longFrames') },
          {
            what: 'the page for others to the pictures of its first screen / loading the files',
            unit: 'ms',
            ours: numberOf(many, 'smallPageMs'),
            rival: numberOf(many, 'wholePageMs'),
          },
          {
            what: 'the same, pictures that are loaded for it',
            unit: 'MB',
            ours: numberOf(many, 'smallPageBytes') / 1e6,
            rival: numberOf(many, 'wholePageBytes') / 1e6,
          },
          {
            what: 'one small picture / ffmpeg',
            unit: 'ms',
            ours: numberOf(many, 'oursEachMs'),
            rival: numberOf(many, 'ffmpegEachMs'),
          },
        ],
        notes: [
          `Real windows on a screen of their own; ${rounds} rounds in turn, clock times. PNG of 2,048 × 2,048 pixels; ours are made by a`,
          'process of low priority and kept on the disk, one after the other as by ffmpeg (`-vf scale=400:-1`).',
        ],
      };
    }),
  withProbes: (settings, work) =>
    inTemporaryFolder((all) => {
      const run = windowsIn(all);
      return work([
        { measures: MEASURES, run: (tree) => run('our-gallery', { rows: scaled(MANY, settings, FEW) }, tree) },
      ]);
    }),
};
