import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = 'sk-key-of-the-plan-1234';

/** Sixty rows of two kinds, with a price for one of them. */
function nightOfSixty(baseUrl: string) {
  const dir = temporaryFolder();
  const lines = Array.from({ length: 60 }, (_, i) => `r${i},${i % 2 === 0 ? 'music' : 'image'},song ${i}`);
  const sheet = path.join(dir, 's.csv');
  writeFileSync(sheet, `row,operation,prompt\n${lines.join('\n')}\n`);
  const profile = path.join(dir, 'profile.json');
  const prices = { 'musicgen/music/generate': { amount: 0.1, currency: 'USD' } };
  writeFileSync(profile, JSON.stringify({ baseUrl, prices }), { mode: 0o600 });
  return { sheet, profile, common: ['--data', path.join(dir, 'data'), '--out', path.join(dir, 'out')] };
}

test('a sheet with a mistake in every row costs one paid request for each kind', async () => {
  const started = await startObservedGateway({
    // Every submit is refused, and charged all the same: the log of charges counts them.
    behaviour: { faults: [{ kind: 'http', when: 'submit', status: 422, info: 'unknown field', charged: true }] },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const { sheet, profile, common } = nightOfSixty(started.value.baseUrl);
  const ended = await runCli(['run', sheet, '--profile', profile, ...common], { NOCTURNE_AI_KEY: KEY });
  expect(ended.exitCode).toBe(5);
  expect(ended.stderr).toContain('29 paid requests of this kind were not made');
  const kinds = started.value.chargeLog().map(({ operation }) => operation);
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds.length).toBeLessThanOrEqual(2);
});

test('a plan says what a run would be, and sends nothing', async () => {
  const { sheet, profile, common } = nightOfSixty('https://gateway.example/api');
  const planned = await runCli(['plan', sheet, '--profile', profile, '--max-submits', '40', '--json', ...common]);
  expect(planned.exitCode).toBe(0);
  const document = JSON.parse(planned.stdout) as Record<string, unknown>;
  expect(document).toMatchObject({
    rows: 60,
    requests: 40,
    // Images usually take less, so more of them go before the limit is reached.
    cost: { amount: 1.4, currency: 'USD' },
    unpriced: [{ operation: 'videogen-b/image/generate', requests: 26 }],
    duplicates: { rows: 0 },
    canary: true,
    beyondLimit: 20,
    limit: { of: 'batch', lacks: 'requests', limit: { requests: 40 } },
    held: { rows: 0, requests: 0 },
    closed: null,
  });
  for (const field of ['disk', 'begins', 'ends', 'windows', 'kinds', 'problems'])
    expect(document).toHaveProperty(field);
  const said = await runCli(['plan', sheet, '--profile', profile, ...common]);
  expect(said.stdout).toContain('60 rows, 60 paid requests');
  expect(said.stdout).toContain('3.00 USD by the profile’s prices; no price for 30 image');
});

test('the kinds of a plan are named once each, with what is counted', async () => {
  const sheet = path.join(temporaryFolder(), 'sheet.csv');
  const lines = ['a,music,x,true,', 'b,music,y,true,', 'c,music,z,,', 'd,lyrics,w,,'];
  writeFileSync(sheet, ['row,operation,prompt,instrumental,note', ...lines, ''].join('\n'));
  const prices = { 'musicgen/music/generate': { amount: 0.25, currency: 'USD' } };
  const profile = path.join(temporaryFolder(), 'profile.json');
  writeFileSync(profile, JSON.stringify({ prices }));
  const said = await runCli(['plan', sheet, '--profile', profile, '--data', temporaryFolder()]);
  expect(said.stdout).toMatch(
    /^ {2}Paid requests:\n {4}music +3 {2}0\.75 USD {2}in 2 kinds, by the columns that they use\n {4}lyrics +1$/mu,
  );
});
