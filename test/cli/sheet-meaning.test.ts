import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test starts processes of its own; a busy machine takes its time for each.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-91c0de';

function file(name: string, text: string): string {
  const target = path.join(temporaryFolder(), name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  return target;
}

const SHEET = 'Idea,Mood,Notes\nA {Mood} song of __animals__ in {key},calm|sad,x\n"{slow|fast} {key}",,y\n';

interface Checked {
  readonly rows: number;
  readonly submits: number;
  readonly costs: readonly { readonly amount: number; readonly currency: string }[];
  readonly takesWithoutPrice: number;
  readonly columns: readonly { readonly header: string; readonly column: string; readonly how: string }[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

async function check(...args: readonly string[]): Promise<{ exitCode: number | null; stderr: string; sheet: Checked }> {
  const ended = await runCli(['check', ...args, '--json']);
  return { ...ended, sheet: JSON.parse(ended.stdout === '' ? '{}' : ended.stdout) as Checked };
}

describe('what the command line says of a sheet', () => {
  test('operation, headers, variables, lists and choices', async () => {
    const lists = path.dirname(file('animals.txt', 'owl\nfox\n'));
    const profile = file(
      'profile.json',
      JSON.stringify({ prices: { 'musicgen/music/lyrics': { amount: 0.2, currency: 'USD' } } }),
    );
    const meaning = ['--operation', 'lyrics', '--map', 'Idea=prompt', '--map', 'Notes=', '--set', 'key=C=B sharp'];
    const more = ['--lists', lists, '--choices', 'expand', '--profile', profile];
    const { exitCode, sheet } = await check(file('s.csv', SHEET), ...meaning, ...more);
    expect(exitCode).toBe(0);
    expect(sheet).toMatchObject({ rows: 3, submits: 3, takesWithoutPrice: 0, problems: [] });
    expect(sheet.costs).toEqual([{ amount: 0.6, currency: 'USD' }]);
    expect(sheet.columns).toMatchObject([
      { header: 'Idea', column: 'prompt', how: 'chosen' },
      { header: 'Mood', column: '', how: 'unknown' },
      { header: 'Notes', column: '', how: 'ignored' },
    ]);
  });

  test('is answered by name where it is wrong', async () => {
    const sheet = file('s.csv', SHEET);
    for (const [args, word] of [
      [['--operation', 'lyric'], 'Did you mean lyrics?'],
      [['--map', 'prompt'], 'not a header and a column'],
      [['--set', '=x'], 'not a name and a value'],
      [['--choices', 'all'], 'Give draw or expand'],
      [['--lists', path.join(temporaryFolder(), 'nowhere')], 'no lists found'],
    ] as const) {
      const ended = await runCli(['check', sheet, ...args]);
      expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining(word)]);
    }
    const mapped = await check(sheet, '--operation', 'lyrics', '--map', 'Idea=promt');
    expect(mapped.exitCode).toBe(2);
    expect(mapped.sheet.problems.map(({ code }) => code)).toContain('mapping-unknown');
  });

  test('is what is sent, with the lists of the data folder; and it is kept with the batch', async () => {
    const started = await startObservedGateway({ behaviour: { timeScale: 0.01 }, acceptKey: (key) => key === KEY });
    if (!started.ok) throw new Error(JSON.stringify(started.error));
    const gateway = started.value;
    onTestFinished(() => gateway.close());
    const lists = path.dirname(file('data/lists/animals.txt', 'owl\n'));
    const data = path.dirname(lists);
    const sheet = file('s.csv', 'row,Idea\na,A song of __animals__ in {key}\nb,"Again: {{a.taskId}}"\n');
    const ended = await runCli(
      [
        'run',
        sheet,
        '--out',
        path.join(temporaryFolder(), 'out'),
        '--data',
        data,
        '--base-url',
        gateway.baseUrl,
      ].concat(['--operation', 'lyrics', '--map', 'Idea=prompt', '--set', 'key=C', '--json']),
      { NOCTURNE_AI_KEY: KEY },
    );
    expect([ended.exitCode, ended.stderr]).toEqual([0, '']);
    const [first, second] = gateway.chargeLog();
    expect(first?.body).toEqual({ prompt: 'A song of owl in C' });
    expect(second?.body).toEqual({ prompt: `Again: ${first?.taskCode}` });
  });
});
