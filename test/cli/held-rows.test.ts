import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEngine, loadSheet } from '../../src/engine/index.ts';
import { incarnationFileOf } from '../../src/engine/store/open/data-dir.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, type CliEnd } from '../support/run-cli.ts';
import { serveIn } from '../support/served-door.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-77b1e0';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

/** A sheet of lyrics with these prompts of rows, of which one request was allowed so far. */
async function runOne(prompts: Readonly<Record<string, string>>) {
  const started = await startObservedGateway({ behaviour: { timeScale: 0.001 }, acceptKey: (key) => key === KEY });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const dir = temporaryFolder();
  const profile = path.join(dir, 'profile.json');
  writeFileSync(profile, JSON.stringify({ baseUrl: started.value.baseUrl, status: { musicgen: STATUS } }));
  const sheet = path.join(dir, 'sheet.csv');
  const lines = Object.entries(prompts).map(([row, prompt]) => `${row},lyrics,${prompt}`);
  writeFileSync(sheet, ['row,operation,prompt', ...lines].join('\n'));
  const say = (...args: readonly string[]): Promise<CliEnd> =>
    runCli([...args, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: KEY });
  const run = await say('run', sheet, '--out', path.join(dir, 'out'), '--profile', profile, '--max-submits', '1');
  expect(run.exitCode).toBe(5);
  const batch = /Batch (\S+):/.exec(run.stdout)?.[1] ?? '';
  return { gateway: started.value, dir, say, batch };
}

/** Marks a row to be rendered again, as the window does. */
async function renderAgain(dir: string, batch: string, id: string): Promise<void> {
  const dataDir = path.join(dir, 'data');
  const opened = await createEngine({ dataDir, incarnationFile: incarnationFileOf(dataDir), onBug: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  const engine = opened.value;
  const [row] = await engine.views.rowsByIds(batch, [id]);
  expect(await engine.editor.edit(batch, { kind: 'render-again', rows: [row?.key ?? -1] })).toMatchObject({ ok: true });
  await engine.stop();
}

test('a held row is left out of the run, needs its user at the end, and is rendered once it is released', async () => {
  const rows = ['r0', 'r1', 'r2', 'r3'].map((row) => [row, `a song about ${row}`]);
  const { gateway, dir, say, batch } = await runOne(Object.fromEntries(rows) as Record<string, string>);
  const sent = (): readonly (string | undefined)[] =>
    gateway.chargeLog().map(({ body }) => /about (r\d)/.exec(JSON.stringify(body))?.[1]);
  const held = await say('hold', batch, '--row', 'r1', '--row', 'r2');
  expect(held).toMatchObject({ exitCode: 0 });
  expect(held.stdout).toContain('2 takes of batch');
  expect((await say('hold', batch, '--row', 'r9')).exitCode).toBe(2);
  expect((await say('next', batch, '--row', 'r1')).exitCode).toBe(0);

  const resumed = await say('resume', batch, '--max-submits', '9', '--first');
  expect(resumed.exitCode).toBe(4);
  expect(resumed.stdout).toContain('Finished – needs you');
  expect(resumed.stdout).toContain(`nocturne release ${batch} --row ID`);
  expect(sent()).toEqual(['r0', 'r1', 'r3']);
  expect(JSON.parse((await say('status', batch, '--json')).stdout)).toMatchObject([{ priority: 1 }]);
  const ledger = await say('ledger', batch);
  expect(ledger.stdout).toContain('Held by you');
  expect(ledger.stdout).toContain(`nocturne release ${batch} --row r2`);

  const renamed = await say('rename', batch, 'Songs of the sea');
  expect(renamed).toMatchObject({ exitCode: 0 });
  expect(renamed.stdout).toContain(path.join(dir, 'out'));
  expect((await say('rename', batch, ' ')).exitCode).toBe(2);
  const [status] = JSON.parse((await say('status', 'Songs of the sea', '--json')).stdout) as readonly unknown[];
  expect(status).toMatchObject({ id: batch, name: 'Songs of the sea', folder: path.join(dir, 'out') });

  expect((await say('release', batch, '--row', 'r2')).exitCode).toBe(0);
  expect(sent()).toEqual(['r0', 'r1', 'r3', 'r2']);

  // It has started anew, in its turn.
  expect(status).toHaveProperty('priority', 1);
  const [later] = JSON.parse((await say('status', batch, '--json')).stdout) as readonly unknown[];
  expect(later).not.toHaveProperty('priority');
  expect((await say('resume', batch, '--first')).exitCode).toBe(0);
  expect(JSON.parse((await say('status', batch, '--json')).stdout)).toMatchObject([{ priority: 1 }]);
});

test('a row that waits for one that is to be rendered again needs its user at the end, who is told why', async () => {
  const { gateway, dir, say, batch } = await runOne({ a: 'a song', b: 'after {{a.taskId}}' });
  await renderAgain(dir, batch, 'a');

  const resumed = await say('resume', batch, '--max-submits', '9');
  expect(resumed.exitCode).toBe(4);
  expect(resumed.stdout).toContain('1 draft row not started, and rows that refer to one wait.');
  expect(resumed.stdout).not.toContain('nocturne release');
  expect(gateway.chargeLog()).toHaveLength(1);
  expect((await say('update', batch)).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(3);
});

test('a draft row that refers to a changed one is counted and started once with an update', async () => {
  const { gateway, dir, say, batch } = await runOne({ a: 'a song', b: 'after {{a.taskId}}' });
  expect((await say('resume', batch, '--max-submits', '9')).exitCode).toBe(0);
  await renderAgain(dir, batch, 'b');
  writeFileSync(path.join(dir, 'sheet.csv'), 'row,operation,prompt\na,lyrics,another\nb,lyrics,after {{a.taskId}}');
  const looked = await say('update', batch, '--with-dependents', '--dry-run', '--json');
  expect(JSON.parse(looked.stdout)).toMatchObject({ submits: 2, counts: { changed: 1, dependent: 1, drafts: 1 } });
  expect(JSON.parse(looked.stdout)).toMatchObject({ dependents: ['b'] });
  expect((await say('update', batch, '--with-dependents', '--dry-run')).stdout).toContain(
    '1 unchanged row with a reference to a changed row (b), rendered again too',
  );
  expect(await say('update', batch, '--with-dependents')).toMatchObject({ exitCode: 0 });
  expect(gateway.chargeLog()).toHaveLength(4);
});

test('a cancelled row that is tried again before its batch was started waits for that', async () => {
  const dir = temporaryFolder();
  const dataDir = path.join(dir, 'data');
  const sheet = path.join(dir, 'sheet.csv');
  writeFileSync(sheet, 'row,operation,prompt\na,lyrics,a song\nb,lyrics,another');
  const opened = await createEngine({ dataDir, incarnationFile: incarnationFileOf(dataDir), onBug: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  const engine = opened.value;
  const profile = profileSchema.parse({ baseUrl: 'https://gateway.example' });
  const settings = { folder: path.join(dir, 'out'), profile, filename: '{row}', rehearsal: false };
  const { id } = await engine.createBatch({ sheet: await loadSheet(sheet), name: 'songs', settings });
  const rows = await engine.views.rowsByIds(id, ['a', 'b']);
  expect(
    await engine.decisions.cancel(
      id,
      rows.map(({ key }) => key),
    ),
  ).toBe(2);
  await engine.stop();

  // Nothing is sent, so no key is asked for.
  const retried = await runCli(['retry', id, '--row', 'a', '--data', dataDir]);
  expect(retried).toMatchObject({ exitCode: 0, stderr: '' });
  expect(retried.stdout).toContain('(songs) to be sent once it is started.');
  expect(retried.stdout).toContain(`It was never started. With all of its rows: nocturne resume ${id}`);

  const profileFile = path.join(dir, 'profile.json');
  writeFileSync(profileFile, JSON.stringify(profile));
  const door = await serveIn(dir, ['--profile', profileFile, '--max-requests', '5'], { NOCTURNE_AI_KEY: KEY });
  const { status, body } = await door.ask('retry_rows', { batchId: id, rows: ['b'] });
  expect(status).toBe(200);
  expect(body).toMatchObject({ takes: 1, paid: 0, askedAgain: 0, batch: { state: 'ready' } });
  expect(body['message']).toContain('start_batch starts it, with all of its rows');
});
