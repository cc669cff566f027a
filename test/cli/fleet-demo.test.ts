import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beyondLimits, type AccountAtGateway } from '../../src/cli/fleet/demo/fleet-tables.ts';
import type { WorkOfAccount } from '../../src/cli/fleet/demo/worker-process.ts';
import { CLI_SPEED } from '../support/built-cli.ts';
import { startCli, type RunningCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 240_000 });

const ROWS = 30;

function demo(rows: number): RunningCli & { readonly out: string } {
  const out = path.join(temporaryFolder(), 'out');
  const given = ['--rows', String(rows), '--workers', '2', '--accounts', '2', '--json', '--out', out];
  // Leases end by the server's clock, which no test hurries.
  const cli = startCli(['demo', '--fleet', ...given], { [CLI_SPEED]: '1' });
  onTestFinished(async () => {
    cli.process.kill('SIGTERM');
    await cli.ended;
  });
  return { ...cli, out };
}

/** What is left of a rehearsal by the number of its process: folders, and processes that name one of them. */
function leftOf({ process: { pid } }: RunningCli): readonly string[] {
  const mark = `nocturne-demo-${pid}-`;
  const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const running = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/u.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
  return [...readdirSync(base).filter((name) => name.startsWith(mark)), ...running];
}

test('a rehearsal of several workers starts everything, renders every row once, says who did what, and leaves nothing', async () => {
  const cli = demo(ROWS);
  await cli.lineWith('"event":"started"');
  // A store, and two workers at least: or nothing would be seen below.
  expect(leftOf(cli).length).toBeGreaterThan(3);
  const { exitCode, stdout, stderr } = await cli.ended;
  expect([exitCode, stderr]).toEqual([0, '']);
  // Each line is an event, also what is said of the folder.
  const events = stdout.split('\n').slice(0, -1);
  expect(events.map((one) => (JSON.parse(one) as { readonly event: string }).event)).toContain('verified');
  const line = stdout.split('\n').find((one) => one.includes('"event":"fleet"')) ?? '';
  const { charges, work, accounts, beyond } = JSON.parse(line) as {
    readonly beyond: readonly string[];
    readonly charges: number;
    readonly work: readonly WorkOfAccount[];
    readonly accounts: readonly AccountAtGateway[];
  };
  const sum = (of: (one: WorkOfAccount) => number): number => work.reduce((so, one) => so + of(one), 0);
  expect([charges, beyond]).toEqual([ROWS, []]);
  expect(new Set(work.map(({ worker }) => worker))).toEqual(new Set(['worker-1', 'worker-2']));
  expect(accounts.map(({ account }) => account)).toEqual(['account-1', 'account-2']);
  for (const { account, ...atGateway } of accounts) {
    const own = work.filter((one) => one.account === account);
    const submits = own.reduce((so, one) => so + one.submits, 0);
    expect(own.reduce((so, { polls }) => so + polls, submits)).toBe(atGateway.requests);
    // On a machine that is busy, what left in time may come together, and be refused.
    expect(submits).toBeGreaterThanOrEqual(atGateway.charges);
    expect(submits).toBeLessThanOrEqual(atGateway.charges + atGateway.refused);
    expect(atGateway.mostAtOnce).toBeLessThanOrEqual(atGateway.mayBeAtOnce);
  }
  const { files } = JSON.parse(readFileSync(path.join(cli.out, 'manifest.json'), 'utf8')) as {
    readonly files: readonly { readonly bytes: number }[];
  };
  expect([sum((one) => one.files), sum(({ bytes }) => bytes)]).toEqual([
    files.length,
    files.reduce((so, { bytes }) => so + bytes, 0),
  ]);
  expect(leftOf(cli)).toEqual([]);
});

test('a rehearsal of several workers that is interrupted leaves nothing running', async () => {
  const cli = demo(1_000);
  await cli.lineWith('"event":"progress"');
  cli.process.kill('SIGINT');
  expect((await cli.ended).exitCode).toBe(130);
  expect(leftOf(cli)).toEqual([]);
});

test('a rehearsal is judged by what the gateway has counted, too', () => {
  const within: AccountAtGateway = {
    account: 'account-1',
    charges: 10,
    requests: 40,
    refused: 0,
    mostAhead: 15,
    mayBeAhead: 15,
    mostAtOnce: 8,
    mayBeAtOnce: 8,
  };
  const judged = (different: Partial<AccountAtGateway>, lateMs = 0): readonly string[] =>
    beyondLimits([{ ...within, ...different }], 12, lateMs);
  expect(judged({})).toEqual([]);
  expect(judged({ mostAtOnce: 9 })).toEqual(['account-1 had 9 of 8 places at once.']);
  expect(judged({ mostAhead: 15.1, refused: 1 })).toEqual([
    'account-1 was asked 15.1 requests ahead of its pace, of 15.',
  ]);
  expect(judged({ refused: 2 })).toEqual(['account-1 has refused 2 that found no place.']);
  // Half a second late, six more may come together that left in time.
  expect(judged({ mostAhead: 21, refused: 6 }, 500)).toEqual([]);
  expect(judged({ mostAhead: 21.1, refused: 6 }, 500)).toHaveLength(1);
  expect(judged({ mostAtOnce: 9, refused: 1, mostAhead: 16 }, 500)).toHaveLength(1);
});
