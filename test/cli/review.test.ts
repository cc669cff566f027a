import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Manifest, ManifestFile } from '../../src/shared/domain/files/manifest.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-77b1e0';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

/** A built-in gateway, a sheet of these lines, and the command line on a store of its own. */
async function prepare(lines: readonly string[]) {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.001, media: { detail: 'tiny' } },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  onTestFinished(() => gateway.close());
  const dir = temporaryFolder();
  const profile = path.join(dir, 'profile.json');
  const status = { 'videogen-a': STATUS, 'videogen-b': STATUS };
  writeFileSync(profile, JSON.stringify({ baseUrl: gateway.baseUrl, status }));
  const sheet = path.join(dir, 'sheet.csv');
  writeFileSync(sheet, lines.join('\n'));
  const out = path.join(dir, 'out');
  const say = (...args: readonly string[]): Promise<CliEnd> =>
    runCli([...args, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: KEY });
  return {
    gateway,
    say,
    run: (...more: readonly string[]) => say('run', sheet, '--out', out, '--profile', profile, ...more),
    out,
  };
}

test('files are kept, rejected, rated and picked; a film waits for its pick, and is made of that picture', async () => {
  const lines = [
    'row,operation,prompt,images,takes,pick',
    'cover,image,a lighthouse,,3,yes',
    'film,video-a,the light turns,{{cover.output.1.url}},1,',
  ];
  const { gateway, say, run: runs, out } = await prepare(lines);
  const filesOf = (row: string): readonly ManifestFile[] =>
    (JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8')) as Manifest).files.filter(
      (file) => file.row === row,
    );

  const run = await runs();
  expect(run.exitCode).toBe(4);
  expect(run.stdout).toContain('Rows wait for your pick of “cover”.');
  expect(run.stdout).not.toContain('nocturne release');
  const batch = /Batch (\S+):/.exec(run.stdout)?.[1] ?? '';
  expect(gateway.chargeLog()).toHaveLength(3);
  const ledger = await say('ledger', batch);
  expect(ledger.stdout).toContain('Waiting for your pick');

  expect((await say('review', batch, '--row', 'cover', '--take', '1', '--reject', '--note', 'too dark')).exitCode).toBe(
    0,
  );
  expect((await say('review', batch, '--row', 'cover', '--take', '2', '--keep', '--rate', '4')).exitCode).toBe(0);
  const several = await say('review', batch, '--row', 'cover', '--pick');
  expect(several).toMatchObject({ exitCode: 2 });
  expect(several.stderr).toContain('name its take with --take');
  expect((await say('review', batch, '--row', 'cover', '--take', '9', '--keep')).exitCode).toBe(2);
  expect((await say('review', batch, '--row', 'cover')).exitCode).toBe(2);
  expect((await say('review', batch, '--row', 'cover', '--keep', '--reject')).exitCode).toBe(2);
  expect((await say('review', batch, '--row', 'cover', '--rate', '6')).exitCode).toBe(2);
  const picked = await say('review', batch, '--row', 'cover', '--take', '3', '--pick');
  expect(picked.stdout).toContain(`nocturne resume ${batch}`);
  expect(gateway.chargeLog()).toHaveLength(3);

  expect(
    filesOf('cover').map(({ take, kept, rating, note, picked: isPicked }) => [take, kept, rating, note, isPicked]),
  ).toEqual([
    [1, false, undefined, 'too dark', undefined],
    [2, true, 4, undefined, undefined],
    [3, undefined, undefined, undefined, true],
  ]);

  // The rejected one has gone to its own folder, with its content; taken back and rejected anew, it goes twice more.
  expect(filesOf('cover').map(({ path: lies }) => lies.split('/')[0])).toEqual(['rejected', 'image', 'image']);
  expect((await say('verify', out)).exitCode).toBe(0);
  expect((await say('review', batch, '--row', 'cover', '--take', '1', '--clear')).exitCode).toBe(0);
  expect(filesOf('cover').map(({ path: lies }) => lies.split('/')[0])).toEqual(['image', 'image', 'image']);
  const rejected = await say('review', batch, '--row', 'cover', '--take', '1', '--reject', '--json');
  const [first] = filesOf('cover');
  expect(rejected.stdout).toContain(first?.path);
  const listed = await say('rejected', batch);
  expect(listed).toMatchObject({ exitCode: 0 });
  expect(listed.stdout).toContain(path.join(out, first?.path ?? ''));
  expect(listed.stdout).toContain('1 file of');
  expect(readFileSync(path.join(out, 'sheet.results.csv'), 'utf8')).not.toContain('rejected/');
  const deleted = await say('rejected', batch, '--delete');
  expect(deleted).toMatchObject({ exitCode: 0 });
  expect(deleted.stdout).toContain('1 file deleted for good');
  expect(readdirSync(path.join(out, 'rejected'))).toEqual([]);
  expect(filesOf('cover').map(({ take }) => take)).toEqual([2, 3]);
  expect((await say('review', batch, '--row', 'cover', '--take', '1', '--keep')).exitCode).toBe(2);
  expect((await say('verify', out)).exitCode).toBe(0);

  const resumed = await say('resume', batch);
  expect(resumed.exitCode).toBe(0);
  const charges = gateway.chargeLog();
  expect(charges).toHaveLength(4);
  const third = charges.findIndex(({ taskCode }) => taskCode === filesOf('cover')[1]?.taskCode);
  // The built-in gateway names a file after the number of its charge.
  expect(JSON.stringify(charges[3]?.body)).toContain(`/${third + 1}-0.png`);
  expect((await say('verify', out)).exitCode).toBe(0);
});

test('with --pick, every row that refers to another waits for a pick of it', async () => {
  const lines = ['row,operation,prompt,images', 'cover,image,a lighthouse,', 'film,video-a,x,{{cover.output.1.url}}'];
  const { gateway, run } = await prepare(lines);
  const end = await run('--pick');
  expect(end).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('your pick of “cover”') as string });
  expect(gateway.chargeLog()).toHaveLength(1);
});

test('what is to be copied into a shell holds nothing of the sheet that it would run', async () => {
  const { run } = await prepare([
    'row,operation,prompt,images,takes,pick',
    'a; touch b,image,a lighthouse,,2,yes',
    'film,video-a,the light turns,{{a; touch b.output.1.url}},1,',
  ]);
  const { stdout } = await run();
  expect(stdout).toContain('Rows wait for your pick of “a; touch b”.');
  expect(stdout).toMatch(/nocturne review \S+ --row ROW --take N --pick/u);
});
