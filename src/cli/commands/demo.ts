import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSheet } from '../../engine/index.ts';
import { startGateway } from '../../gateway-sim/start-gateway.ts';
import { rehearsalProfile } from '../../shared/domain/gateway/profile-presets.ts';
import type { CheckedSheet, Row } from '../../shared/domain/sheet/row.ts';
import type { Console } from '../console.ts';
import { EXIT, CommandFailure, wrongUsage, type ExitCode } from '../ending.ts';
import { withEngine } from '../open-engine.ts';
import { serverOf } from '../with-store.ts';
import { localFolderOf, seedOf } from '../given.ts';
import { wholeNumber, type CommonOptions } from '../options/common-options.ts';
import { gatewayFailure } from './gateway.ts';
import { bringInAndRun, loadRunnableSheet } from './run.ts';

const SAMPLES = fileURLToPath(new URL('../../../resources/samples/', import.meta.url));

export interface DemoOptions extends CommonOptions {
  readonly out?: string;
  readonly rows?: string;
  readonly seed?: string;
  readonly fleet?: true;
  readonly workers?: string;
  readonly accounts?: string;
}

/** The rows of a rehearsal of several workers, unless `--rows` says otherwise. */
const FLEET_ROWS = 2_000;

/**
 * A rehearsal night on the built-in gateway: all 13 operations and a realistic night of 60 rows, from sheet to folder;
 * nothing is paid. With `--rows` it takes that many rows, and starts over when the samples run out. With `--fleet`,
 * several workers render the rows, on a PostgreSQL server that is started for this.
 */
export async function demoCommand(console: Console, options: DemoOptions): Promise<ExitCode> {
  if (serverOf(options) !== undefined) {
    throw wrongUsage(
      'A rehearsal cannot use a shared store: its gateway ends with this command.',
      'Leave --store out, or name a folder with --data.',
    );
  }
  const seed = seedOf(options);
  const rows = wholeNumber('--rows', options.rows, 1, 100_000);
  const workers = wholeNumber('--workers', options.workers, 1, 32);
  const accounts = wholeNumber('--accounts', options.accounts, 2, 32);
  if (options.fleet === true) {
    const { fleetDemo } = await import('./fleet/demo-fleet.ts');
    const sheet = await demoSheet(console, rows ?? FLEET_ROWS, (row) => !row.skip);
    const folder = path.resolve(options.out ?? freeFolder('nocturne-fleet-demo'));
    const once = { ...sheet, rows: sheet.rows.map((row) => ({ ...row, takes: 1 })) };
    return fleetDemo(console, options, { sheet: once, folder, seed, workers: workers ?? 4, accounts: accounts ?? 8 });
  }
  if (workers !== undefined || accounts !== undefined) {
    throw wrongUsage('--workers and --accounts are for a rehearsal of several workers.', 'Add --fleet.');
  }
  const sheet = await demoSheet(console, rows);
  return withEngine(options, async (engine) => {
    const started = await startGateway({ seed });
    if (!started.ok) throw gatewayFailure(started.error);
    const gateway = started.value;
    try {
      const profile = rehearsalProfile(gateway.baseUrl);
      engine.setRehearsalKey(new URL(gateway.baseUrl).origin, 'rehearsal');
      console.line('A rehearsal on the built-in gateway: nothing is paid for.');
      return await bringInAndRun(console, engine, {
        sheet,
        name: 'Rehearsal night',
        folder: localFolderOf('--out', options.out ?? freeFolder('nocturne-demo')),
        profile,
        rehearsal: true,
      });
    } finally {
      await gateway.close();
    }
  });
}

async function demoSheet(
  console: Console,
  rows: number | undefined,
  isWanted: (row: Row) => boolean = () => true,
): Promise<CheckedSheet> {
  const everything = await loadRunnableSheet(console, path.join(SAMPLES, 'all-operations.csv'));
  const night = await loadSheet(path.join(SAMPLES, 'night.csv'));
  const samples = [...everything.rows, ...night.rows].filter(isWanted);
  const headers = [...new Set([...everything.headers, ...night.headers])];
  const wanted = rows ?? samples.length;
  const taken = Array.from({ length: wanted }, (_, i): Row => {
    const row = samples[i % samples.length];
    if (row === undefined)
      throw new CommandFailure(EXIT.bug, 'The sample sheets are empty.', 'Install Nocturne again.');
    const round = Math.floor(i / samples.length);
    return { ...row, id: round === 0 ? row.id : `${row.id}-${round + 1}`, line: i + 2 };
  });
  return { headers, rows: taken, problems: [] };
}

/** A new folder for every rehearsal, beside the earlier ones. */
function freeFolder(name: string): string {
  let folder = name;
  for (let n = 2; existsSync(folder); n++) folder = `${name}-${n}`;
  return folder;
}
