import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { SeededRandom } from '../../src/gateway-sim/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runCampaign } from './campaign.ts';
import type { CampaignReport } from './campaign.ts';
import { loadTarget, TARGET_NAMES } from './targets.ts';

vi.setConfig({ testTimeout: 300_000 });

const folder = temporaryFolder();

function campaign(targets: readonly string[], hangMs = 60_000): Promise<CampaignReport> {
  const jobs = targets.map((target) => ({ target, seed: 7, first: 0, count: 2 }));
  return runCampaign({ jobs, width: 2, folder, limits: { hangMs, memoryMb: 192 } });
}

test.concurrent.each([
  ['broken-hang', 'hang', 'It was not over after 2 s.'],
  ['broken-wait', 'hang', 'It was not over after 2 s.'],
  ['broken-throw', 'thrown', 'TypeError: thrown by the reader'],
  ['broken-rejection', 'uncaught', 'Error: left alone by the reader'],
  ['broken-memory', 'memory', 'MiB were resident.'],
  ['broken-heap', 'memory', 'heap'],
  ['broken-exit', 'crash', 'The process ended (3).'],
  ['broken-prototype', 'uncaught', 'A prototype was given polluted.'],
])('%s is found out, once, with its input', async (target, kind, words) => {
  const { findings, passing } = await campaign([target], kind === 'hang' ? 2000 : undefined);
  expect(findings).toMatchObject([{ target, kind, index: 0, seed: 7 }]);
  expect(findings[0]?.detail).toContain(words);
  expect([...readFileSync(findings[0]?.file ?? '')]).toEqual([1, 2, 3]);
  expect(passing).toEqual([]);
});

test('an input that takes long to be made is no hang of who reads it', async () => {
  const { cases, findings } = await campaign(['broken-slow-input'], 2000);
  expect(findings).toEqual([]);
  expect(Object.fromEntries(cases)).toEqual({ 'broken-slow-input': 2 });
});

test('what is sound is run as often as it was asked for, also beside what is not', async () => {
  const { cases, findings } = await campaign(['broken-sound', 'broken-throw', 'broken-exit']);
  expect(findings.map(({ target }) => target).sort()).toEqual(['broken-exit', 'broken-throw']);
  expect(Object.fromEntries(cases)).toEqual({ 'broken-sound': 2, 'broken-throw': 2, 'broken-exit': 2 });
});

test.each(TARGET_NAMES)('%s makes the same inputs of the same numbers', async (name) => {
  const target = await loadTarget(name);
  for (let index = 0; index < 5; index += 1) {
    const [first, second] = [1, 2].map(() => target.makeInput(new SeededRandom(3, target.name, index)));
    expect(Buffer.from(second ?? []).equals(Buffer.from(first ?? [1]))).toBe(true);
  }
});
