import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'csv-parse/sync';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-5f2a9c';

/** A night of six rows: one is refused, one breaks, one is left out. Gives what calls the command line on its store. */
async function nightWithLosses(): Promise<{ dir: string; cli: (...args: readonly string[]) => Promise<CliEnd> }> {
  const started = await startObservedGateway({
    behaviour: {
      timeScale: 0.001,
      faults: [
        { kind: 'rejected', when: 'submit', info: 'content policy: <b>no</b> owls', nth: [2] },
        { kind: 'remote-failure', when: 'submit', nth: [3] },
      ],
    },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const dir = temporaryFolder();
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profile = {
    name: 'test',
    baseUrl: started.value.baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: {
      requestsPerSecond: 1_000,
      activePerFamily: { musicgen: 1, 'videogen-a': 8, 'videogen-b': 8 },
      downloads: 8,
    },
    prices: { 'musicgen/music/lyrics': { amount: 0.02, currency: 'USD' } },
  };
  writeFileSync(path.join(dir, 'profile.json'), JSON.stringify(profile));
  const rows = ['=a', 'b', 'c', 'd', 'e'].map((id) => `${id},lyrics,a song,`);
  writeFileSync(
    path.join(dir, '<songs>.csv'),
    ['row,operation,prompt,skip', ...rows, 'f,lyrics,a song,yes'].join('\n'),
  );
  const cli = (...args: readonly string[]): Promise<CliEnd> =>
    runCli([...args, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: KEY });
  const ran = await cli(
    'run',
    path.join(dir, '<songs>.csv'),
    '--out',
    path.join(dir, 'out'),
    '--profile',
    path.join(dir, 'profile.json'),
  );
  expect(ran).toMatchObject({ exitCode: 3 });
  return { dir, cli };
}

test('says what became of a night: for people, for programs, as a note, a page and a file for the accountant', async () => {
  const { dir, cli } = await nightWithLosses();

  const shown = await cli('ledger', '--json');
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  const document = JSON.parse(shown.stdout) as Record<string, unknown>;
  expect(document).toMatchObject({
    planned: 6,
    submitted: 5,
    accepted: 4,
    rendered: 3,
    downloaded: 3,
    verified: 3,
    money: { planned: 0.1, reserved: 0, spent: 0.08, unknown: 0, currency: 'USD' },
    groups: [
      { what: 'Refused by moderation', rows: ['b'], needsYou: true },
      { what: 'The gateway could not render it', rows: ['c'], group: 'retry' },
      { what: 'Skipped in the sheet', rows: ['f'] },
    ],
  });
  expect(document['timeline']).toMatchObject({ pauses: [], stepMs: 1_000 });

  const { stdout } = await cli('ledger', '<songs>');
  expect(stdout).toMatch(/^ {2}planned +6$/mu);
  expect(stdout).toMatch(/^ {2}accepted +4 {3}without 1 refused by the gateway$/mu);
  expect(stdout).toContain('spent 0.08 · unknown 0.00 USD');
  expect(stdout).toMatch(/nocturne retry \S+ --row c$/mu);

  const note = await cli('ledger', '--markdown');
  expect(note.stdout).toContain('| verified | 3 |  |');
  expect(note.stdout).toContain('\\<songs\\>');

  const page = path.join(dir, 'ledger.html');
  const csv = path.join(dir, 'paid.csv');
  expect((await cli('ledger', '--html', page, '--csv', csv)).exitCode).toBe(0);
  const html = readFileSync(page, 'utf8');
  expect(html).toContain("default-src 'none'");
  expect(html).toContain('&lt;songs&gt;');
  expect(html).not.toMatch(/<songs>|https?:|<script/u);
  const lines = parse(readFileSync(csv, 'utf8'), { bom: true });
  expect(lines[0]).toEqual('time,batch,row,take,operation,task code,outcome,price,cost,currency,account'.split(','));
  const paid = lines.slice(1).map(([time, , row, take, , code, outcome, price, , currency]) => {
    expect(Date.parse(time ?? '')).not.toBeNaN();
    return [row, take, code !== '', outcome, price, currency];
  });
  // No spreadsheet takes the first one for a formula.
  expect(paid).toEqual(["'=a", 'c', 'd', 'e'].map((row) => [row, '1', true, 'accepted', '0.02', 'USD']));

  // Written again, but never in place of what is not its own.
  expect((await cli('ledger', '--html', page)).exitCode).toBe(0);
  writeFileSync(page, 'mine');
  expect((await cli('ledger', '--html', page)).exitCode).toBe(2);
  expect(readFileSync(page, 'utf8')).toBe('mine');
  // On Windows, a name cannot be a pipe.
  if (process.platform !== 'win32') {
    rmSync(page);
    execFileSync('mkfifo', [page]);
    expect((await cli('ledger', '--html', page)).exitCode).toBe(2);
  }
});

test('a ledger that is named wrongly is wrong usage', async () => {
  const data = ['--data', temporaryFolder()];
  const ends = await Promise.all([
    runCli(['ledger', '--night', 'x', ...data]),
    runCli(['ledger', '--since', '2026-02-31', ...data]),
    runCli(['ledger', 'a', '--night', '1', ...data]),
    runCli(['ledger', '--json', '--markdown', ...data]),
  ]);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
});
