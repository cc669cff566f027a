import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { openCliNight } from './cli-night.ts';
import type { CliNight } from './cli-night.ts';

vi.setConfig({ testTimeout: 60_000 });

const KEY = 'a-key-of-some-length';
const SHEET = 'row,operation,prompt\na,image,a fox\n';

async function openUsedNight(): Promise<CliNight> {
  const night = await openCliNight(KEY);
  expect(await night.run(night.file('s.csv', SHEET), ['--profile', night.profile()])).toMatchObject({ exitCode: 0 });
  return night;
}

function database(night: CliNight): string {
  const name = readdirSync(night.data).find((file) => file.endsWith('.db'));
  return path.join(night.data, name ?? '');
}

describe('a store that cannot be trusted', () => {
  test.each<[string, (file: string) => void]>([
    ['damaged', (file) => writeFileSync(file, 'never a database '.repeat(500))],
    ['cut off', (file) => truncateSync(file, 4096 * 3)],
    [
      'of a newer version',
      (file) => {
        const bytes = readFileSync(file);
        bytes.writeUInt32BE(999, 60);
        writeFileSync(file, bytes);
      },
    ],
  ])('%s: nothing is sent, it is left as it is, and it is said', async (name, spoil) => {
    const night = await openUsedNight();
    const file = database(night);
    spoil(file);
    const before = readFileSync(file);
    for (const args of [
      ['run', night.file('t.csv', SHEET), '--out', night.out, '--profile', night.profile()],
      ['resume'],
      ['retry', 's', '--failed'],
      ['status'],
    ]) {
      const ended = await runCli([...args, '--data', night.data], { NOCTURNE_AI_KEY: KEY });
      const isShown = name === 'of a newer version' && args[0] === 'status';
      expect(ended.exitCode).toBe(isShown ? 0 : 2);
      expect(ended.stdout.includes('paid request')).toBe(isShown);
      expect(ended.stderr).toContain(file);
      expect(ended.stderr).toContain('→');
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(night.gateway.chargeLog()).toHaveLength(1);
  });
});

describe('numbers that are none', () => {
  test.each(['NaN', '-1', '0', '1e400', '1.5', '0x10', '', '9999999999'])(
    '--max-submits %j is refused',
    async (value) => {
      const night = await openCliNight(KEY);
      const ended = await night.run(night.file('s.csv', SHEET), ['--profile', night.profile(), '--max-submits', value]);
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toContain('--max-submits');
      expect(night.gateway.chargeLog()).toEqual([]);
      expect(existsSync(night.data)).toBe(false);
    },
  );

  test('in a profile they are named with their path, all at once', async () => {
    const night = await openCliNight(KEY);
    const limits = { requestsPerSecond: -1, downloads: 1e99, activePerFamily: { musicgen: 0.5 } };
    const text = JSON.stringify({ baseUrl: night.gateway.baseUrl, limits, media: { maxBytes: -5 } });
    const profile = night.file('p.json', text.replace('-5', '1e999'));
    const ended = await night.run(night.file('s.csv', SHEET), ['--profile', profile]);
    expect(ended.exitCode).toBe(2);
    for (const place of ['requestsPerSecond', 'downloads', 'activePerFamily.musicgen', 'media.maxBytes']) {
      expect(ended.stderr).toContain(place);
    }
    expect(night.gateway.chargeLog()).toEqual([]);
  });
});

describe('an environment that means no good', () => {
  test('a key with a line break is no key', async () => {
    const night = await openCliNight(KEY);
    const ended = await night.run(night.file('s.csv', SHEET), ['--profile', night.profile()], {
      NOCTURNE_AI_KEY: 'one\r\ntwo: three',
    });
    expect([2, 5]).toContain(ended.exitCode);
    expect(ended.stdout + ended.stderr).not.toContain('two: three');
    expect(night.gateway.stats()).toMatchObject({ submits: 0, polls: 0 });
  });
});
