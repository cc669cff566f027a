import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import { incarnationFileOf } from '../../src/engine/store/open/data-dir.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { runCli, startCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test starts processes of its own, several of them; a busy machine takes its time for each.
vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-5f2a9c';
let dir: string;

async function gatewayWith(): Promise<ObservedGateway> {
  const started = await startObservedGateway({ behaviour: { timeScale: 0.001 }, acceptKey: (key) => key === KEY });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** A folder with a sheet and a profile for a gateway; gives the sheet's path. */
function prepare(gateway: ObservedGateway, sheet: string): string {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const activePerFamily = { musicgen: 64, 'videogen-a': 8, 'videogen-b': 8 };
  const profile = {
    name: 'test',
    baseUrl: gateway.baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: { requestsPerSecond: 1_000, activePerFamily, downloads: 8 },
    prices: { 'musicgen/music/lyrics': { amount: 0.02, currency: 'USD' } },
  };
  const folder = temporaryFolder();
  dir = folder;
  writeFileSync(path.join(folder, 'profile.json'), JSON.stringify(profile));
  const file = path.join(folder, 'songs.csv');
  writeFileSync(file, sheet);
  return file;
}

function cli(...args: readonly string[]): Promise<CliEnd> {
  return runCli([...args, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: KEY });
}

/** Runs the command line and kills every process that it looks into a sheet with. */
async function cliWithDyingReaders(...args: readonly string[]): Promise<CliEnd> {
  const running = startCli([...args, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: KEY });
  await vi.waitFor(
    () => {
      const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(running.process.pid)]);
      const [, pid] = /^ *(\d+) .*sheet-reader-process/m.exec(stdout.toString()) ?? [];
      if (pid !== undefined) process.kill(Number(pid), 'SIGSEGV');
      expect(running.process.exitCode).not.toBeNull();
    },
    { timeout: 60_000, interval: 5 },
  );
  return running.ended;
}

async function bringIn(sheet: string): Promise<CliEnd> {
  return cli('run', sheet, '--out', path.join(dir, 'out'), '--profile', path.join(dir, 'profile.json'));
}

test('one edited prompt of a finished batch of 1,000 rows is one more submit, and nothing else', async () => {
  const gateway = await gatewayWith();
  const line = (i: number): string => `song-${i},lyrics,"a song about the ${i}th owl"`;
  const lines = Array.from({ length: 1_000 }, (_, i) => line(i + 1));
  const sheet = prepare(gateway, ['row,operation,prompt', ...lines, ''].join('\n'));
  expect((await bringIn(sheet)).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(1_000);

  lines[499] = 'song-500,lyrics,"a song about a fox, for once"';
  writeFileSync(sheet, ['row,operation,prompt', ...lines, ''].join('\n'));
  const looked = await cli('update', 'songs', '--dry-run', '--json');
  expect(JSON.parse(looked.stdout)).toMatchObject({ submits: 1, counts: { changed: 1, unchanged: 999 } });
  expect(JSON.parse(looked.stdout)).toMatchObject({ costs: [{ amount: 0.02, currency: 'USD' }], takesWithoutPrice: 0 });
  expect((await cli('update', 'songs', '--dry-run')).stdout).toContain(
    '; 1 paid request, 0.02 USD by the profile’s prices',
  );
  expect(gateway.chargeLog()).toHaveLength(1_000);

  const updated = await cli('update', 'songs');
  expect(updated).toMatchObject({ exitCode: 0 });
  expect(gateway.chargeLog()).toHaveLength(1_001);
  const verified = await cli('verify', path.join(dir, 'out'), '--json');
  expect(verified.exitCode).toBe(0);
  expect((await cli('update', 'songs')).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(1_001);
});

test('a prompt that is what it was before is not paid for again, nor are the takes that were', async () => {
  const gateway = await gatewayWith();
  const write = (prompt: string, takes = 1): string => `row,operation,prompt,takes\na,lyrics,${prompt},${takes}\n`;
  const sheet = prepare(gateway, write('owl'));
  expect((await bringIn(sheet)).exitCode).toBe(0);
  writeFileSync(sheet, write('fox'));
  expect((await cli('update', 'songs')).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(2);

  writeFileSync(sheet, write('owl'));
  const looked = await cli('update', 'songs', '--dry-run', '--json');
  expect(JSON.parse(looked.stdout)).toMatchObject({ submits: 0, counts: { changed: 1, drafts: 0 } });
  expect((await cli('update', 'songs')).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(2);
  expect((await cli('verify', path.join(dir, 'out'))).exitCode).toBe(0);

  writeFileSync(sheet, write('fox', 2));
  const more = await cli('update', 'songs', '--dry-run', '--json');
  expect(JSON.parse(more.stdout)).toMatchObject({ submits: 1 });
  expect((await cli('update', 'songs')).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(3);
  expect((await cli('verify', path.join(dir, 'out'))).exitCode).toBe(0);

  // Fewer takes are neither a note nor a name.
  writeFileSync(sheet, write('fox', 1));
  expect((await cli('update', 'songs', '--dry-run')).stdout).toContain('1 with changes that need no request');
});

test('results go beside the sheet, and bringing that copy in again changes nothing', async () => {
  const gateway = await gatewayWith();
  const sheet = prepare(gateway, 'row;operation;prompt\r\na;lyrics;"an owl; at night"\r\nb;lyrics;=fox\r\n');
  expect((await bringIn(sheet)).exitCode).toBe(0);
  const written = await cli('results', 'songs', '--json');
  const { file } = JSON.parse(written.stdout) as { file: string };
  expect(path.basename(file)).toBe('songs.results.csv');
  const [header, first, second] = readFileSync(file, 'utf8').split('\r\n');
  expect(header).toBe('row;operation;prompt;status;files;taskCode;failure');
  expect(first).toMatch(/^a;lyrics;"an owl; at night";done;data\/a-[^;]*\.json;[^;]+;$/);
  expect(second).toMatch(/^b;lyrics;=fox;done;/);
  const again = await cli('update', 'songs', file, '--dry-run', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ submits: 0, counts: { unchanged: 2, changed: 0, details: 0 } });
  expect(readFileSync(sheet, 'utf8')).not.toContain('done');
  expect((await cli('results', 'songs', '--into-original')).exitCode).toBe(0);
  expect(readFileSync(sheet, 'utf8')).toContain(';done;');
  expect(readFileSync(`${sheet}.bak`, 'utf8')).not.toContain('done');
});

test('a sheet that cannot be read leaves the batch as it was, with 2', async () => {
  const gateway = await gatewayWith();
  const sheet = prepare(gateway, 'row,operation,prompt\na,lyrics,owl\n');
  expect((await bringIn(sheet)).exitCode).toBe(0);
  rmSync(sheet);
  const missing = await cli('update', 'songs');
  expect(missing.exitCode).toBe(2);
  expect(missing.stderr).toContain('There is no file');
  expect(gateway.chargeLog()).toHaveLength(1);
});

test('what is gone from the file stays, and is said to; a row that is done is not retried, and why is said', async () => {
  const gateway = await gatewayWith();
  const sheet = prepare(gateway, 'row,operation,prompt\na,lyrics,owl\nb,lyrics,fox\n');
  expect((await bringIn(sheet)).exitCode).toBe(0);
  writeFileSync(sheet, 'row,operation,prompt\na,lyrics,owl\n');
  const kept = await cli('update', 'songs');
  expect(kept.stdout).toContain('not in the file: row b');
  expect(kept.stdout).toContain('--remove');
  expect(kept.stdout).not.toContain('removed');
  const retried = await cli('retry', 'songs', '--row', 'b');
  expect(retried.stderr).toContain('row b is done');
  expect(retried.stderr).toContain('nocturne update');
  expect((await cli('update', 'songs', '--remove')).stdout).toContain('removed row b');
  expect(gateway.chargeLog()).toHaveLength(2);
});

test('what was taken over by an update that was stopped before it began is rendered by the next one', async () => {
  const gateway = await gatewayWith();
  const sheet = prepare(gateway, 'row,operation,prompt\na,lyrics,owl\n');
  expect((await bringIn(sheet)).exitCode).toBe(0);
  writeFileSync(sheet, 'row,operation,prompt\na,lyrics,fox\nb,lyrics,hen\nc,lyrics,\n');
  const dataDir = path.join(dir, 'data');
  const opened = await createEngine({ dataDir, incarnationFile: incarnationFileOf(dataDir), onBug: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  const engine = opened.value;
  const batchId = (await engine.store.batches())[0]?.id ?? '';
  const compared = await engine.living.compare(batchId);
  if (!compared.ok) throw new Error(compared.error);
  await engine.sheets.applyDifference(batchId, compared.value.id, {
    removed: 'keep',
    withDependents: false,
    releases: false,
  });
  await engine.stop();

  const looked = await cli('update', 'songs', '--dry-run', '--json');
  expect(JSON.parse(looked.stdout)).toMatchObject({ submits: 2, counts: { unchanged: 3, drafts: 2 } });
  expect(gateway.chargeLog()).toHaveLength(1);
  expect((await cli('update', 'songs')).exitCode).toBe(3);
  expect(gateway.chargeLog()).toHaveLength(3);
});

test('a reader that dies over a sheet ends the command with a reason, and nothing else', async () => {
  const gateway = await gatewayWith();
  // Long enough to be killed over, and one row for all that.
  const sheet = prepare(gateway, `row,operation,prompt\na,lyrics,owl\n${`${','.repeat(20)}\n`.repeat(200_000)}`);
  expect((await bringIn(sheet)).exitCode).toBe(0);
  const died = `${sheet} could not be read: its reader ended without an answer (SIGSEGV).`;
  for (const command of [
    ['check', sheet],
    ['update', 'songs'],
    ['results', 'songs'],
  ]) {
    const end = await cliWithDyingReaders(...command);
    expect(end).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(died) as string });
    expect(end.stderr).not.toContain('bug');
  }
  expect((await cli('update', 'songs')).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(1);
});
