import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { ContenderName, Figures } from './contender.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Line, Report } from './support/report.ts';
import { numberOf, runContender, runInTurn, withFileServer } from './support/run-contender.ts';

const ROUNDS = 3;
const MIB = 2 ** 20;

/** Verified downloads: one large file, many small ones. */
export function download(): Promise<Report> {
  return inTemporaryFolder((folder) =>
    withFileServer(async (baseUrl) => {
      const hasCurl = ['curl', 'openssl'].every((tool) => spawnSync(tool, ['version']).error === undefined);
      const large = await compare(baseUrl, folder, 1, 256 * MIB, hasCurl);
      const small = await compare(baseUrl, folder, 500, MIB, hasCurl);
      return {
        title: 'download: verified by sha256',
        lines: [
          ...linesOf('1 × 256 MiB', large, 256, { curl: 1, fetch: 1.6 }),
          ...linesOf('500 × 1 MiB', small, 500, { curl: 3, fetch: 1.6 }),
        ],
        notes: [
          'Ours also checks the container, syncs each file and its folder to the medium, and never replaces a file;',
          `the rivals hash and write, and leave the rest to the system's cache. ${ROUNDS} rounds in turn.`,
          ...(hasCurl ? [] : ['curl or openssl is not installed: not compared.']),
        ],
      };
    }),
  );
}

interface Compared {
  readonly ours: Figures;
  readonly fetch: Figures;
  readonly curl: Figures | undefined;
}

async function compare(
  baseUrl: string,
  folder: string,
  files: number,
  bytes: number,
  hasCurl: boolean,
): Promise<Compared> {
  let run = 0;
  const contender = (name: ContenderName) => async () => {
    const own = `${folder}/${files}-${(run += 1)}`;
    const figures = await runContender(name, { baseUrl, folder: own, files, bytes });
    rmSync(own, { recursive: true });
    return figures;
  };
  const names: ContenderName[] = ['our-download', 'fetch-download', ...(hasCurl ? (['curl-download'] as const) : [])];
  const [ours, fetch, curl] = await runInTurn(names.map(contender), ROUNDS);
  if (ours === undefined || fetch === undefined) throw new Error('A contender gave nothing.');
  return { ours, fetch, curl };
}

function linesOf(
  what: string,
  { ours, fetch, curl }: Compared,
  mebibytes: number,
  least: { readonly curl: number; readonly fetch: number },
): readonly Line[] {
  const speed = (figures: Figures): number => (mebibytes / numberOf(figures, 'wallMs')) * 1000;
  return [
    ...(curl === undefined
      ? []
      : [
          {
            what: `${what} / curl and openssl`,
            unit: 'MiB/s',
            ours: speed(ours),
            rival: speed(curl),
            goal: { bound: 'at least', value: least.curl },
          } as const,
        ]),
    {
      what: `${what} / fetch + sha256`,
      unit: 'MiB/s',
      ours: speed(ours),
      rival: speed(fetch),
      goal: { bound: 'at least', value: least.fetch },
    },
    {
      what: `${what}, CPU / fetch + sha256`,
      unit: 'ms',
      ours: numberOf(ours, 'cpuMs'),
      rival: numberOf(fetch, 'cpuMs'),
    },
  ];
}
