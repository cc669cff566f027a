import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { ContenderName, Figures } from './contender.ts';
import { roundsOf, scaled, type Bench, type Measure, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Goal, Line, Report } from './support/report.ts';
import { numberOf, runContender, runInTurn, withFileServer } from './support/run-contender.ts';

const MIB = 2 ** 20;
const SIZES = [
  { name: '1 × 1 GiB', files: 1, mebibytes: 1024 },
  // The goal's 2,000 are no faster one by one.
  { name: '1,000 × 1 MiB', files: 1000, mebibytes: 1 },
] as const;
type Size = (typeof SIZES)[number];

interface Rival {
  readonly contender: ContenderName;
  readonly name: string;
  readonly tools: readonly string[];
  /** The least speed of ours relative to it: for one large file, for many small ones. */
  readonly least: readonly [large: Goal, small: Goal];
}

function least(value: number): Goal {
  return { id: '6', bound: 'at least', value };
}

const RIVALS: readonly Rival[] = [
  {
    contender: 'curl-download',
    name: 'curl, openssl and sync',
    tools: ['curl', 'openssl', 'sync'],
    least: [least(1), least(3)],
  },
  {
    contender: 'aria2c-download',
    name: 'aria2c with its checksum and sync',
    tools: ['aria2c', 'sync'],
    least: [least(3), least(3)],
  },
  { contender: 'fetch-download', name: 'fetch, sha256 and sync', tools: [], least: [least(1.6), least(1.6)] },
];

/** Verified downloads that have reached the medium: one large file, many small ones. */
export const download: Bench = {
  report: (settings) => withFiles(settings, (run) => compare(settings, run)),
  withProbes: (settings, work) =>
    withFiles(settings, (run) =>
      work(SIZES.map((size) => ({ measures: measuresOf(size), run: (tree) => run('our-download', size, tree) }))),
    ),
};

type RunDownload = (name: ContenderName, size: Size, tree?: string) => Promise<Figures>;

function withFiles<T>(settings: Settings, work: (run: RunDownload) => Promise<T>): Promise<T> {
  return inTemporaryFolder((folder) =>
    withFileServer((baseUrl) => {
      let count = 0;
      return work(async (name, size, tree) => {
        const own = `${folder}/${(count += 1)}`;
        const figures = await runContender(name, { baseUrl, folder: own, ...inputOf(size, settings) }, tree);
        rmSync(own, { recursive: true });
        return figures;
      });
    }),
  );
}

/** A scaled run has a smaller large file, or fewer small ones. */
function inputOf({ files, mebibytes }: Size, settings: Settings): { readonly files: number; readonly bytes: number } {
  return { files: scaled(files, settings), bytes: files === 1 ? scaled(mebibytes, settings) * MIB : mebibytes * MIB };
}

function speedOf(figures: Figures): number {
  return (numberOf(figures, 'mebibytes') / numberOf(figures, 'wallMs')) * 1000;
}

function measuresOf({ name }: Size): readonly Measure[] {
  return [
    { what: name, unit: 'MiB/s', better: 'more', of: speedOf },
    { what: `${name}, processor`, unit: 'ms', better: 'less', of: (figures) => numberOf(figures, 'cpuMs') },
  ];
}

async function compare(settings: Settings, run: RunDownload): Promise<Report> {
  const present = RIVALS.filter(({ tools }) => tools.every((tool) => isInstalled(tool)));
  const missing = RIVALS.filter((rival) => !present.includes(rival));
  const lines: Line[] = [];
  for (const [i, size] of SIZES.entries()) {
    const [ours, ...rivals] = await runInTurn(
      [
        () => run('our-download', size),
        ...present.map(
          ({ contender }) =>
            () =>
              run(contender, size),
        ),
      ],
      roundsOf(settings),
    );
    if (ours === undefined) throw new Error('Our side gave nothing.');
    present.forEach(({ name, contender, least }, rival) => {
      const figures = rivals[rival];
      const goal = least[i];
      if (figures === undefined || goal === undefined) return;
      const what = `${size.name} / ${name}`;
      lines.push({ what, unit: 'MiB/s', ours: speedOf(ours), rival: speedOf(figures), goal });
      if (contender !== 'fetch-download') return;
      const cpu = [numberOf(ours, 'cpuMs'), numberOf(figures, 'cpuMs')] as const;
      lines.push({ what: `${what}, processor`, unit: 'ms', ours: cpu[0], rival: cpu[1] });
    });
  }
  return {
    title: 'download: verified by sha256, on the medium',
    lines,
    notes: [
      'All hash, and wait until each file and its folder are on the medium. Ours also checks the container and never',
      `replaces a file. ${roundsOf(settings)} rounds in turn.`,
      ...missing.map(({ name }) => `Not compared, because it is not installed: ${name}.`),
    ],
  };
}

function isInstalled(tool: string): boolean {
  return spawnSync(tool, ['--version']).error === undefined;
}
