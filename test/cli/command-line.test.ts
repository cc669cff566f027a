import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import { incarnationFileOf } from '../../src/engine/store/open/data-dir.ts';
import { CLI_ENTRY, CLI_SPEED } from '../support/built-cli.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { mountOver } from '../support/mounts.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test starts processes of its own, several of them; a busy machine takes its time for each.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-5f2a9c';
let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
});

function file(name: string, text: string): string {
  const target = path.join(dir, name);
  // For its user alone, as a key file must be.
  writeFileSync(target, text, { mode: 0o600 });
  return target;
}

async function gatewayWith(behaviour: BehaviourInput = {}): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** A profile for tests: fast, and with the status table that the gateway has. */
function profile(gateway: ObservedGateway, different: object = {}): string {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  return file(
    'profile.json',
    JSON.stringify({
      name: 'test',
      baseUrl: gateway.baseUrl,
      status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
      limits: {
        requestsPerSecond: 200,
        activePerFamily: { musicgen: 8, 'videogen-a': 8, 'videogen-b': 8 },
        downloads: 4,
      },
      ...different,
    }),
  );
}

const data = (): string => path.join(dir, 'data');
const out = (): string => path.join(dir, 'out');

function run(sheet: string, ...more: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  return runCli(['run', sheet, '--out', out(), '--data', data(), ...more], { NOCTURNE_AI_KEY: KEY });
}

const THREE_ROWS = 'row,operation,prompt\na,image,a red fox\nb,lyrics,a song of snow\nc,music,a lullaby\n';

test('runs from its source as well, and reads a sheet there', () => {
  const sheet = file('s.csv', THREE_ROWS);
  const source = path.join(import.meta.dirname, '../../src/cli/nocturne.ts');
  const told = execFileSync(process.execPath, [source, 'check', sheet, '--json', '--data', data()], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CONFIG_HOME: dir },
  });
  expect(JSON.parse(told)).toMatchObject({ rows: 3, runnableRows: 3 });
});

/** Every file below a folder, as paths inside it. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((f) =>
    statSync(path.join(folder, f)).isFile(),
  );
}

describe('a run', () => {
  test('renders every row once, with the gateway’s exact files; verify passes, and notices a changed byte', async () => {
    const gateway = await gatewayWith();
    const ended = await run(file('s.csv', THREE_ROWS), '--profile', profile(gateway), '--json');
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(gateway.chargeLog()).toHaveLength(3);
    const manifest = JSON.parse(readFileSync(path.join(out(), 'manifest.json'), 'utf8')) as {
      readonly files: readonly {
        readonly path: string;
        readonly sha256: string;
        readonly taskCode: string;
        readonly index: number;
      }[];
    };
    const media = manifest.files.filter((f) => !f.path.startsWith('data/'));
    expect(media.length).toBeGreaterThanOrEqual(2);
    for (const placed of media) {
      const original = gateway.outputs(placed.taskCode)[placed.index - 1];
      expect(placed.sha256).toBe(original?.sha256);
      expect(
        createHash('sha256')
          .update(readFileSync(path.join(out(), placed.path)))
          .digest('hex'),
      ).toBe(original?.sha256);
    }
    for (const name of ['index.html', 'manifest.csv', 'sheet.results.csv']) expect(filesBelow(out())).toContain(name);
    // With nothing left to do, nothing is sent and no key is asked for.
    expect(await runCli(['resume', '--data', data()])).toMatchObject({ exitCode: 0, stderr: '' });
    const retried = await runCli(['retry', 's', '--failed', '--data', data()]);
    expect(retried).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('0 tasks') as string });
    expect(gateway.chargeLog()).toHaveLength(3);
    expect((await runCli(['verify', out()])).exitCode).toBe(0);
    const victim = path.join(out(), media[0]?.path ?? '');
    const bytes = readFileSync(victim);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    writeFileSync(victim, bytes);
    const changed = await runCli(['verify', out()]);
    expect(changed.exitCode).toBe(3);
    expect(changed.stderr + changed.stdout).toContain(media[0]?.path);
  });

  test('tells events as one JSON document a line', async () => {
    const gateway = await gatewayWith();
    const { stdout } = await run(file('s.csv', THREE_ROWS), '--profile', profile(gateway), '--json');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; status?: string; exitCode?: number });
    expect(events.filter((e) => e.event === 'task' && e.status === 'done')).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ event: 'finished', exitCode: 0 });
  });

  test('ends with 3 when rows failed, with the gateway’s own words, and retry pays only for them', async () => {
    const gateway = await gatewayWith({ moderation: { words: ['forbidden'], at: 'submit' } });
    const sheet = file('s.csv', 'row,operation,prompt\na,image,a fox\nb,image,a forbidden fox\n');
    const ended = await run(sheet, '--profile', profile(gateway), '--name', 'night');
    expect(ended.exitCode).toBe(3);
    expect(ended.stdout).toContain('row b failed');
    gateway.setBehaviour({ moderation: { words: [], at: 'submit' } });
    const retried = await runCli(['retry', 'night', '--failed', '--data', data()], { NOCTURNE_AI_KEY: KEY });
    expect(retried.exitCode).toBe(0);
    expect(gateway.chargeLog().filter((charge) => charge.operation === 'videogen-b/image/generate')).toHaveLength(2);
  });

  test('a sheet that was imported before is named, with what it costs again', async () => {
    const gateway = await gatewayWith();
    const sheet = file('s.csv', 'row,operation,prompt,takes\na,lyrics,snow,2\n');
    const priced = profile(gateway, { prices: { 'musicgen/music/lyrics': { amount: 0.25, currency: 'USD' } } });
    const first = await run(sheet, '--profile', priced);
    expect(first.stderr).not.toContain('imported before');
    const second = await run(sheet, '--profile', priced);
    expect(second.stderr).toMatch(/imported before.*2 paid requests, 0\.50 USD/);
  });

  test('a folder with the documents of a batch that another store has is named before they are replaced', async () => {
    const gateway = await gatewayWith();
    mkdirSync(out());
    writeFileSync(path.join(out(), 'manifest.json'), '{"version":1,"batch":"20260101-0100-abc","rows":[]}');
    const first = await run(file('s.csv', 'row,operation,prompt\na,image,a fox\n'), '--profile', profile(gateway));
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain('holds batch 20260101-0100-abc, which is not in this store');
    const again = await run(file('t.csv', 'row,operation,prompt\nb,image,a hen\n'), '--profile', profile(gateway));
    expect(again.stderr).not.toContain('not in this store');
    expect(again.stderr).toContain('write the earlier one again');
  });

  test('the delimiter of a text file and the sheet of a workbook are read as it is told to be', async () => {
    const sheet = file('tilde.csv', 'operation~prompt\nlyrics~a\n');
    expect((await runCli(['check', sheet])).exitCode).toBe(2);
    expect((await runCli(['check', sheet, '--delimiter', '~'])).exitCode).toBe(0);
    expect((await runCli(['check', sheet, '--delimiter', 'klingon'])).stderr).toContain('--delimiter klingon');
    const workbook = path.join(import.meta.dirname, '../fixtures/sheets/openpyxl.xlsx');
    expect((await runCli(['check', workbook])).stdout).toContain('“Notes”');
    expect((await runCli(['check', workbook, '--sheet', 'tonight'])).stdout).not.toContain('“Notes”');
    expect((await runCli(['check', workbook, '--sheet', 'Morning'])).stderr).toContain('no sheet “Morning”');
  });

  test('a sheet in another encoding is read as it is told to be', async () => {
    const sheet = path.join(dir, 'latin.csv');
    writeFileSync(sheet, Buffer.from('row,operation,prompt\na,lyrics,Grüße\n', 'latin1'));
    expect((await runCli(['check', sheet, '--encoding', 'windows-1252', '--json'])).stdout).toContain('"warnings": 0');
    expect((await runCli(['check', sheet, '--encoding', 'klingon'])).exitCode).toBe(2);
  });

  test('a wrong key pauses with 5 and names the key; the right one resumes', async () => {
    const gateway = await gatewayWith();
    const wrong = await runCli(
      ['run', file('s.csv', THREE_ROWS), '--out', out(), '--data', data(), '--profile', profile(gateway)],
      { NOCTURNE_AI_KEY: 'wrong-key' },
    );
    expect(wrong.exitCode).toBe(5);
    expect(wrong.stderr).toContain('key');
    expect(gateway.chargeLog()).toEqual([]);
    const keyFile = file('key.txt', `${KEY}\n`);
    const resumed = await runCli(['resume', '--data', data(), '--key-file', keyFile]);
    expect(resumed.exitCode).toBe(0);
    expect(gateway.chargeLog()).toHaveLength(3);
  });

  test('another folder in the place of the batch’s ends with 5; one resume takes it, and the end counts what it lacks', async () => {
    const gateway = await gatewayWith();
    const sheet = file('s.csv', THREE_ROWS);
    await run(sheet, '--profile', profile(gateway), '--max-submits', '2');
    renameSync(out(), `${out()} before`);
    mkdirSync(out());
    const resume = () => runCli(['resume', '--data', data(), '--max-submits', '3'], { NOCTURNE_AI_KEY: KEY });
    expect((await resume()).exitCode).toBe(5);
    const ended = await resume();
    expect(ended.exitCode).toBe(0);
    const before = filesBelow(`${out()} before`).filter((name) => /^\w+\/[abc]/u.test(name));
    expect(ended.stderr).toContain(`${before.length} files of this batch are not in its folder`);
    expect(gateway.chargeLog()).toHaveLength(3);
  });

  test('a cap ends with 5 and is never passed; it can be raised', async () => {
    const gateway = await gatewayWith();
    const ended = await run(file('s.csv', THREE_ROWS), '--profile', profile(gateway), '--max-submits', '2');
    expect(ended.exitCode).toBe(5);
    expect(gateway.chargeLog()).toHaveLength(2);
    const raised = await runCli(['resume', '--data', data(), '--max-submits', '3'], { NOCTURNE_AI_KEY: KEY });
    expect(raised.exitCode).toBe(0);
    expect(gateway.chargeLog()).toHaveLength(3);
  });

  test('a base URL that was wrong is corrected when the batch goes on; another gateway is refused', async () => {
    const gateway = await gatewayWith();
    const wrong = profile(gateway, { baseUrl: gateway.baseUrl.replace(/\/api$/, '') });
    expect((await run(file('s.csv', THREE_ROWS), '--profile', wrong)).exitCode).toBe(5);
    const goOn = (...more: readonly string[]) =>
      runCli(['resume', '--data', data(), ...more], { NOCTURNE_AI_KEY: KEY });
    expect((await goOn('--base-url', 'https://elsewhere.example/api')).exitCode).toBe(2);
    expect(gateway.chargeLog()).toEqual([]);
    expect((await goOn('--profile', profile(gateway))).exitCode).toBe(0);
    expect(gateway.chargeLog()).toHaveLength(3);
  });

  test('an answer that was lost after the charge waits for the user with 4; adopting its code pays nothing more', async () => {
    const gateway = await gatewayWith({ faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1] }] });
    const sheet = file('s.csv', 'row,operation,prompt\na,image,a fox\n');
    const ended = await run(sheet, '--profile', profile(gateway), '--name', 'night');
    expect(ended.exitCode).toBe(4);
    const [charge] = gateway.chargeLog();
    const evidence = await runCli(['evidence', 'night', '--data', data(), '--json']);
    expect(JSON.parse(evidence.stdout)).toMatchObject({
      evidence: [
        {
          row: 'a',
          status: 'submit-unknown',
          attempts: [{ body: { text: '{"prompt":"a fox"}' }, outcome: 'unknown' }],
        },
      ],
    });
    expect(evidence.stdout).not.toContain(KEY);
    const resolve = ['resolve', 'night', '--row', 'a', '--data', data()];
    const wrong = await runCli([...resolve, '--adopt', 'no-such-code'], { NOCTURNE_AI_KEY: KEY });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('The gateway knows no task no-such-code.');
    const adopted = await runCli([...resolve, '--adopt', charge?.taskCode ?? ''], { NOCTURNE_AI_KEY: KEY });
    expect(adopted.exitCode).toBe(0);
    expect(gateway.chargeLog()).toHaveLength(1);
  });

  test('Ctrl-C keeps everything, and resume finishes it without paying twice', async () => {
    const gateway = await gatewayWith({ timeScale: 0.04 });
    const rows = Array.from({ length: 30 }, (_, i) => `r${i},image,fox number ${i}`).join('\n');
    const sheet = file('s.csv', `row,operation,prompt\n${rows}\n`);
    const running = startCli(
      ['run', sheet, '--out', out(), '--data', data(), '--profile', profile(gateway), '--json'],
      {
        NOCTURNE_AI_KEY: KEY,
      },
    );
    await running.lineWith('"event":"task"');
    const status = async (): Promise<string> => (await runCli(['status', '--data', data()])).stdout;
    expect(await status()).toContain('  Running  ');
    expect((await status()).endsWith(`\nStore: ${data()}\n`)).toBe(true);
    running.process.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(130);
    expect(await status()).toMatch(/ {2}Interrupted {2}s\n.*\n {4}Interrupted; continue with: nocturne resume /u);
    const resumed = await runCli(['resume', '--data', data()], { NOCTURNE_AI_KEY: KEY });
    expect(resumed.exitCode).toBe(0);
    expect(gateway.chargeLog()).toHaveLength(30);
    expect((await runCli(['verify', out()])).exitCode).toBe(0);
  });

  test.skipIf(process.platform === 'win32')(
    'a terminal that is closed ends no night, and leaves nothing unknown',
    async () => {
      const gateway = await gatewayWith({ timeScale: 0.04 });
      const sheet = file('s.csv', THREE_ROWS);
      const args = ['run', sheet, '--out', out(), '--data', data(), '--profile', profile(gateway), '--json'];
      const running = startCli(args, { NOCTURNE_AI_KEY: KEY });
      await running.lineWith('"event":"started"');
      running.process.kill('SIGHUP');
      expect(await running.ended).toMatchObject({ exitCode: 0, stderr: '' });
      expect(gateway.chargeLog()).toHaveLength(3);
    },
  );

  test('Ctrl-C in the moment of the start loses nothing either', async () => {
    const gateway = await gatewayWith({ timeScale: 0.1 });
    const sheet = file('s.csv', THREE_ROWS);
    const args = ['run', sheet, '--out', out(), '--data', data(), '--profile', profile(gateway), '--json'];
    const running = startCli(args, { NOCTURNE_AI_KEY: KEY });
    await running.lineWith('"event":"started"');
    running.process.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(130);
    const resumed = await runCli(['resume', '--data', data()], { NOCTURNE_AI_KEY: KEY });
    expect(resumed.exitCode).toBe(0);
    expect(gateway.chargeLog()).toHaveLength(3);
  });

  test('a second process on the same store is told so with 6, and can still look', async () => {
    const gateway = await gatewayWith({ timeScale: 1 });
    const sheet = file('s.csv', THREE_ROWS);
    const first = startCli(['run', sheet, '--out', out(), '--data', data(), '--profile', profile(gateway), '--json'], {
      NOCTURNE_AI_KEY: KEY,
    });
    await first.lineWith('"event":"started"');
    const second = await run(sheet, '--profile', profile(gateway));
    expect(second.exitCode).toBe(6);
    expect(second.stderr).toContain(String(first.process.pid));
    expect((await runCli(['status', '--data', data(), '--json'])).exitCode).toBe(0);
    const copy = path.join(dir, 'copy', 'nocturne.db');
    mkdirSync(path.dirname(copy));
    expect(await runCli(['backup', '--out', copy, '--data', data()])).toMatchObject({ exitCode: 0 });
    expect(statSync(copy).mode & 0o077).toBe(0);
    expect(await runCli(['backup', '--out', copy, '--data', data()])).toMatchObject({ exitCode: 2 });
    const copied = await runCli(['status', '--data', path.dirname(copy), '--json']);
    expect(JSON.parse(copied.stdout)).toMatchObject([{ name: 's', rowCount: 3 }]);
    expect(await runCli(['restore', copy, '--data', data()])).toMatchObject({ exitCode: 6 });
    const moved = await runCli(['restore', copy, '--data', path.join(dir, 'moved')]);
    expect(moved).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Restored 1 batch') as string });
    expect(moved.stderr).toContain('warning: 1 batch paused');
    expect(moved.stderr).toContain('counts towards no limit');
    const told = await runCli(['resume', '--data', path.join(dir, 'moved')], {});
    expect(told).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('an older copy') as string });
    expect(await runCli(['resume', '--data', path.join(dir, 'moved')], {})).toMatchObject({ exitCode: 2 });
    first.process.kill('SIGINT');
    await first.ended;
  });

  test('the key is in no file that a run leaves behind, and in nothing that it prints', async () => {
    const gateway = await gatewayWith({ faults: [{ kind: 'http', when: 'poll', status: 500, nth: [1] }] });
    const ended = await run(file('s.csv', THREE_ROWS), '--profile', profile(gateway), '--json');
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
    const leaks = [data(), out()].flatMap((folder) =>
      filesBelow(folder).filter((name) => readFileSync(path.join(folder, name)).includes(KEY)),
    );
    expect(leaks).toEqual([]);
  });
});

test('a store that was put back from a copy does not go on by itself, and pays nothing before the user’s word', async () => {
  const gateway = await gatewayWith({ timeScale: 0.04 });
  const many = Array.from({ length: 30 }, (_, i) => `r${i},image,fox number ${i}`).join('\n');
  const sheet = file('s.csv', `row,operation,prompt\n${many}\n`);
  const running = startCli(['run', sheet, '--out', out(), '--data', data(), '--profile', profile(gateway), '--json'], {
    NOCTURNE_AI_KEY: KEY,
  });
  await running.lineWith('"event":"task"');
  running.process.kill('SIGKILL');
  await running.ended;
  cpSync(data(), `${data()}-copy`, { recursive: true });
  const resumed = await runCli(['resume', '--data', data()], { NOCTURNE_AI_KEY: KEY });
  expect([0, 4]).toContain(resumed.exitCode);
  rmSync(data(), { recursive: true });
  cpSync(`${data()}-copy`, data(), { recursive: true });
  // Settling a row opens the store; nothing of the batch may run by it.
  const paid = gateway.chargeLog().length;
  const opened = await runCli(['resolve', 's', '--row', 'r0', '--write-off', '--data', data()]);
  const status = await runCli(['status', '--data', data(), '--json']);
  expect(opened.exitCode).not.toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject([
    { state: 'paused', pause: { failure: { code: 'STORE_RESTORED' } } },
  ]);
  expect(gateway.chargeLog()).toHaveLength(paid);
});

test('a copy made during the night is told when it is resumed; resuming once more is the user’s word', async () => {
  const gateway = await gatewayWith({ timeScale: 0.04 });
  const many = Array.from({ length: 60 }, (_, i) => `r${i},image,fox number ${i}`).join('\n');
  const sheet = file('s.csv', `row,operation,prompt\n${many}\n`);
  const running = startCli(['run', sheet, '--out', out(), '--data', data(), '--profile', profile(gateway), '--json'], {
    NOCTURNE_AI_KEY: KEY,
  });
  await running.lineWith('"event":"task"');
  running.process.kill('SIGSTOP');
  cpSync(data(), `${data()}-copy`, { recursive: true });
  const known = gateway.chargeLog().length;
  running.process.kill('SIGCONT');
  // More than were on their way when it was copied.
  await vi.waitFor(() => expect(gateway.chargeLog().length).toBeGreaterThan(known + 8), 60_000);
  running.process.kill('SIGKILL');
  await running.ended;
  rmSync(data(), { recursive: true });
  cpSync(`${data()}-copy`, data(), { recursive: true });
  const paid = gateway.chargeLog().length;
  const told = await runCli(['resume', '--data', data()], { NOCTURNE_AI_KEY: KEY });
  expect(told.exitCode).toBe(5);
  expect(told.stderr).toContain('The store is an older copy');
  expect(gateway.chargeLog()).toHaveLength(paid);
  const resumed = await runCli(['resume', '--data', data()], { NOCTURNE_AI_KEY: KEY });
  expect([0, 4]).toContain(resumed.exitCode);
  // The command before it may have been one that does not end there.
  expect(resumed.stderr).toContain('The store is an older copy');
});

test('a copy from before the first sheet is told when the sheet is run; running it once more is the user’s word', async () => {
  const gateway = await gatewayWith();
  const sheet = file('s.csv', 'row,operation,prompt\na,image,a fox\n');
  expect(await runCli(['results', 'none', '--data', data()])).toMatchObject({ exitCode: 2 });
  cpSync(data(), `${data()}-copy`, { recursive: true });
  expect(await run(sheet, '--profile', profile(gateway))).toMatchObject({ exitCode: 0 });
  rmSync(data(), { recursive: true });
  cpSync(`${data()}-copy`, data(), { recursive: true });
  const told = await run(sheet, '--profile', profile(gateway));
  expect(told.exitCode).toBe(5);
  expect(told.stderr).toContain('The store is an older copy');
  expect(gateway.chargeLog()).toHaveLength(1);
  expect(await run(sheet, '--profile', profile(gateway))).toMatchObject({ exitCode: 0 });
  expect(gateway.chargeLog()).toHaveLength(2);
});

describe('a gateway that it was not built against', () => {
  const rows =
    'row,operation,prompt,clip_id\na,music,a lullaby,\nb,video-a,a boat,\nc,lyrics,snow,\nd,image,a fox,\ne,wav,,clip-1\n';

  test('works with a profile file alone: other status numbers, taskId in the query, clips in a JSON string, 19 digits', async () => {
    const gateway = await gatewayWith(foreign());
    const status = { '10': 'queued', '20': 'running', '30': 'succeeded', '40': 'failed' };
    const ended = await run(
      file('s.csv', rows),
      '--profile',
      profile(gateway, {
        taskCode: { in: 'query', name: 'taskId' },
        status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
      }),
    );
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(gateway.chargeLog()).toHaveLength(5);
    expect((await runCli(['verify', out()])).exitCode).toBe(0);
  });

  test('and without a status table, by inference', async () => {
    const gateway = await gatewayWith(foreign());
    const ended = await run(
      file('s.csv', rows),
      '--profile',
      profile(gateway, { taskCode: { in: 'query', name: 'taskId' }, status: {} }),
    );
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(gateway.chargeLog()).toHaveLength(5);
  });

  function foreign(): BehaviourInput {
    return {
      status: { queued: 10, running: 20, succeeded: 30, failed: 40 },
      taskCode: { form: 'digits19', in: 'query', name: 'taskId' },
      envelope: { okCode: 1000 },
      times: { format: 'local' },
      results: { shape: 'json' },
    };
  }
});

test('a row that was cancelled in the window: the night on the command line is finished, with 1 cancelled', async () => {
  const gateway = await gatewayWith();
  const sheet = file('night.csv', 'row,operation,prompt\na,lyrics,owl\nb,lyrics,fox\nc,lyrics,hen\n');
  expect((await run(sheet, '--profile', profile(gateway), '--max-submits', '1')).exitCode).toBe(5);
  const opened = await createEngine({ dataDir: data(), incarnationFile: incarnationFileOf(data()) });
  if (!opened.ok) throw new Error(opened.error.message);
  const [batch] = await opened.value.store.batches();
  const keys = await opened.value.rows.keysInView(batch?.id ?? '', {}, 2, 1);
  expect(await opened.value.decisions.cancel(batch?.id ?? '', keys)).toBe(1);
  await opened.value.stop();
  const resumed = await runCli(['resume', '--max-submits', '3', '--data', data()], { NOCTURNE_AI_KEY: KEY });
  expect(resumed.exitCode).toBe(3);
  expect(resumed.stdout).toContain('night: Finished, 1 cancelled · 2 done · 1 cancelled');
  expect((await runCli(['status', '--data', data()])).stdout).toContain('Finished, 1 cancelled');
  expect(gateway.chargeLog()).toHaveLength(2);
});

test('whoever reads along may go: the night goes on to its end', async () => {
  const gateway = await gatewayWith();
  const args = ['run', file('s.csv', THREE_ROWS), '--out', out(), '--data', data(), '--profile', profile(gateway)];
  const running = startCli(args, { NOCTURNE_AI_KEY: KEY });
  running.process.stdout?.destroy();
  expect(await running.ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(gateway.chargeLog()).toHaveLength(3);
});

test.skipIf(process.platform !== 'linux')('a full disk under the output is said, and is no end with 0', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => {
    closeSync(full);
  });
  const { status, stderr } = spawnSync(process.execPath, [CLI_ENTRY, 'templates', '--json'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect(stderr).toContain('standard output could not be written: ENOSPC');
  expect(status).toBe(5);
});

describe('wrong input: a message with the place and the remedy, nothing sent', () => {
  test('a data folder without a store is named with the option that names another', async () => {
    const ended = await runCli(['status', '--data', data()]);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--data DIR') as string });
  });

  test('a sheet that does not exist', async () => {
    const ended = await runCli(['check', path.join(dir, 'none.csv')]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('none.csv');
    expect(ended.stderr).toContain('→');
  });

  test('a row with a mistake is named and left out; the others run', async () => {
    const gateway = await gatewayWith();
    const sheet = file('s.csv', 'row,operation,prompt,num_images\na,image,fox,\nb,image,fox,many\nc,imaeg,fox,\n');
    const ended = await run(sheet, '--profile', profile(gateway));
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toMatch(/line 3.*num_images/);
    expect(ended.stderr).toMatch(/line 4.*imaeg/);
    expect(gateway.chargeLog()).toHaveLength(1);
  });

  test('a batch’s status counts the rows that cannot run as well, and has words for an unknown outcome', async () => {
    const gateway = await gatewayWith({ faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1] }] });
    const sheet = file('s.csv', 'row,operation,prompt\na,image,a red fox\na,image,a hare\nc,image,\n');
    await run(sheet, '--profile', profile(gateway));
    const { stdout } = await runCli(['status', '--data', data()]);
    expect(stdout).toContain('1 outcome unknown · 2 invalid rows · ');
  });

  test('a check counts by operation the rows that can run, and those of a sheet that names no operation at all', async () => {
    const mixed = file('s.csv', 'row,operation,prompt\na,image,a red fox\na,image,a hare\nc,image,an owl\n');
    const { stdout } = await runCli(['check', mixed]);
    expect(stdout).toContain('3 rows, 2 can run with');
    expect(stdout).toMatch(/image +2 rows/u);
    const nameless = await runCli(['check', file('t.csv', 'prompt\na red fox\na hare\n')]);
    expect(nameless.stdout).toContain('2 rows, none of which says what to render, 0 can run');
    expect(nameless.stderr).toContain('--operation');
  });

  test('a sheet without a row that can run', async () => {
    const gateway = await gatewayWith();
    const ended = await run(file('s.csv', 'row,operation\na,nothing-known\n'), '--profile', profile(gateway));
    expect(ended.exitCode).toBe(2);
    expect(gateway.chargeLog()).toEqual([]);
  });

  test('a sheet that is refused as a whole has nothing that can run', async () => {
    const gateway = await gatewayWith();
    const sheet = file('s.csv', 'row,operation,prompt,Prompt\na,image,fox,owl\n');
    const checked = await runCli(['check', sheet, '--json']);
    expect(checked.exitCode).toBe(2);
    expect(JSON.parse(checked.stdout)).toMatchObject({ rows: 1, runnableRows: 0, submits: 0 });
    const ended = await run(sheet, '--profile', profile(gateway), '--json');
    expect(ended.exitCode).toBe(2);
    expect(JSON.parse(ended.stdout.split('\n')[0] ?? '')).toMatchObject({
      event: 'problems',
      problems: [{ code: 'duplicate-header' }],
    });
  });

  test('a profile with an unknown key and a value out of range names both', async () => {
    const bad = file('bad.json', '{"limts": {}, "limits": {"downloads": -1}}');
    const ended = await runCli(['profile', 'check', bad]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('limts');
    expect(ended.stderr).toContain('limits.downloads');
  });

  test('no gateway, a base URL that is none, no key, an empty key file', async () => {
    const sheet = file('s.csv', THREE_ROWS);
    const base = ['run', sheet, '--out', out(), '--data', data()];
    expect(await runCli(base, { NOCTURNE_AI_KEY: KEY })).toMatchObject({ exitCode: 2 });
    const noUrl = await runCli([...base, '--base-url', 'gateway.example'], { NOCTURNE_AI_KEY: KEY });
    expect(noUrl.exitCode).toBe(2);
    expect(noUrl.stderr).toContain('--base-url');
    const noKey = await runCli([...base, '--base-url', 'http://127.0.0.1:9/api']);
    expect(noKey.exitCode).toBe(2);
    expect(noKey.stderr).toContain('NOCTURNE_AI_KEY');
    const empty = await runCli([...base, '--base-url', 'http://127.0.0.1:9/api', '--key-file', file('k', '')]);
    expect(empty.exitCode).toBe(2);
  });

  test.skipIf(process.platform === 'win32')('a pipe in the place of a file is not waited for', async () => {
    const pipe = file('key-pipe', '');
    rmSync(pipe);
    execFileSync('mkfifo', ['-m', '600', pipe]);
    const base = ['run', file('s.csv', THREE_ROWS), '--out', out(), '--data', data()];
    const toGateway = [...base, '--base-url', 'http://127.0.0.1:9/api'];
    const calls: readonly (readonly string[])[] = [
      [...toGateway, '--key-file', pipe],
      [...toGateway, '--gates', pipe],
      ['gateway', '--behaviour', pipe],
      ['restore', pipe, '--data', data()],
    ];
    for (const call of calls) {
      const ended = await runCli(call, call.includes('--key-file') ? {} : { NOCTURNE_AI_KEY: KEY });
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toContain('is not a regular file');
    }
  });

  test('a media folder that cannot be made', async () => {
    const gateway = await gatewayWith();
    const blocker = file('not-a-folder', '');
    const sheet = file('s.csv', THREE_ROWS);
    const ended = await runCli(
      ['run', sheet, '--out', path.join(blocker, 'x'), '--data', data(), '--profile', profile(gateway)],
      { NOCTURNE_AI_KEY: KEY },
    );
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('not-a-folder');
    expect(gateway.chargeLog()).toEqual([]);
  });

  test('an unknown command or option', async () => {
    expect(await runCli(['rnu'])).toMatchObject({ exitCode: 2 });
    expect(await runCli(['status', '--nothing'])).toMatchObject({ exitCode: 2 });
    expect(await runCli(['--help'])).toMatchObject({ exitCode: 0 });
  });
});

describe('the built-in gateway', () => {
  test('prints one line of JSON with its base URL, and answers', async () => {
    const running = startCli(['gateway']);
    const { baseUrl } = JSON.parse(await running.lineWith('baseUrl')) as { baseUrl: string };
    const answer = await fetch(`${baseUrl}/musicgen/music/lyrics`, {
      method: 'POST',
      headers: { aiKey: 'any', 'Content-Type': 'application/json' },
      body: '{"prompt":"snow"}',
    });
    expect(await answer.json()).toMatchObject({ success: true });
    running.process.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(0);
  });

  test('refuses a behaviour file with an unknown key, and says which', async () => {
    const ended = await runCli(['gateway', '--behaviour', file('b.json', '{"taskCodes": 1}')]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('taskCodes');
  });
});

test('a folder that took all files and has no room for its documents is not called done', async (context) => {
  mkdirSync(out());
  // The disk, the mark of the folder, a folder and its four files; the manifest and what it is written by find two more.
  const disk = mountOver(context, out(), 'size=600m,nr_inodes=9');
  if (disk === undefined) return context.skip();
  const ended = await runCli(['demo', '--rows', '1', '--out', out(), '--data', data()], { [CLI_SPEED]: '1' });
  expect(ended.stdout).toContain('Finished · 2 done');
  expect(ended.stderr).toContain('→ Once they can, write them with: nocturne export');
  expect(ended.exitCode).toBe(5);
});

test('a demo renders rows of all operations, and verify passes', async () => {
  // As many as the sample of all operations has.
  // On the machine's own clock: its gateway makes real media in the same process, which may take seconds.
  const ended = await runCli(['demo', '--rows', '14', '--out', out(), '--data', data()], { [CLI_SPEED]: '1' });
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(ended.stdout).toContain(out());
  expect((await runCli(['verify', out()])).exitCode).toBe(0);
});
