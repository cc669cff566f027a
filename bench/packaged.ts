import { aboutCommands, commandLines } from './commands.ts';
import { roundsOf, type Bench, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Report } from './support/report.ts';
import { runInTurn } from './support/run-contender.ts';
import { packageTree, THIS_TREE } from './support/trees.ts';
import { aboutCold, startLines, windowsIn } from './window.ts';

/** Starts of the window and of the command line as they are shipped, for Linux. */
export const packaged: Bench = { isBuilt: true, report };

async function report(settings: Settings): Promise<Report> {
  await packageTree(THIS_TREE);
  const rounds = roundsOf(settings);
  const [start, empty] = await inTemporaryFolder((all) => {
    const run = windowsIn(all);
    return runInTurn([() => run('packaged-start', {}), () => run('packaged-empty-start', {})], rounds);
  });
  if (start === undefined || empty === undefined) throw new Error('A contender gave nothing.');
  const commands = await commandLines('packaged-command', 'packaged-node', settings);
  return {
    title: 'packaged: what users start, for Linux',
    lines: [...startLines(start, empty), ...commands].map((line) => ({ ...line, what: `packaged: ${line.what}` })),
    notes: [
      `The program as it is installed, driven by Chromium’s debugger; ${rounds} rounds in turn, clock times. The empty window`,
      'is a copy of the same Electron with nothing but such a window as its application, driven in the same way.',
      aboutCold(start),
      `The command line by its own script and Node, against that Node. ${aboutCommands(settings)}`,
    ],
  };
}
