import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { loadSheet } from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { csvLine } from '../../src/shared/domain/base/csv-text.ts';
import { places, sheetFile } from '../support/sheet-files.ts';
import { openCliNight } from './cli-night.ts';

vi.setConfig({ testTimeout: 60_000 });

const KEY = 'canary-key-2b81f0';
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Texts that somebody who means harm, or nothing at all, writes into a cell. */
const PROMPTS: readonly string[] = [
  `=cmd|' /C calc'!A0`,
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  'photo\u202Egpj.exe \u2066hidden\u2069',
  '\u001b[31mred\u001b[0m\u0007 \u009b2J',
  'one\ntwo\r\nthree\rfour',
  '👨‍👩‍👧‍👦 family, 世界, e\u0301 and é',
  '{rov} ${HOME} $(id) %PATH% `id`',
  '../../etc/passwd',
  "'; DROP TABLE task; --",
  '\u2028line\u2029paragraph\u200bzero',
  '__proto__',
];

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('what a sheet says', () => {
  test('is sent byte for byte, and harms neither terminal, nor spreadsheet, nor page', async () => {
    const night = await openCliNight(KEY);
    const lines = PROMPTS.map((prompt, i) => `r${i},lyrics,${quoted(prompt)}\n`);
    const sheet = night.file('s.csv', `row,operation,prompt\n${lines.join('')}`);
    const ended = await night.run(sheet, ['--profile', night.profile()]);
    expect(ended).toMatchObject({ exitCode: 0 });
    const sent = night.gateway.chargeLog().map((charge) => charge.body);
    expect(new Set(sent.map((body) => body['prompt']))).toEqual(new Set(PROMPTS));
    expect(ended.stdout + ended.stderr).not.toMatch(CONTROLS);
    const page = readFileSync(path.join(night.out, 'index.html'), 'utf8');
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('<script>alert');
    for (const name of ['sheet.results.csv', 'manifest.csv']) {
      const text = readFileSync(path.join(night.out, name), 'utf8');
      expect(text).not.toMatch(/(^|,|\n)"?[=+@\t-]/m);
    }
  });

  test('of more than 100 kB is warned of before it is paid for', async () => {
    const sheet = await loadSheet(sheetFile(`row,operation,prompt\na,lyrics,${'x'.repeat(100_001)}\n`));
    expect(places(sheet.problems)).toEqual(['warning value-long 2 a prompt']);
  });

  test('is written as a spreadsheet takes it, whatever begins it', () => {
    for (const prompt of PROMPTS) expect(csvLine([prompt])).not.toMatch(/^"?[=+@\t-]/);
  });

  test('is replaced once at most: what looks like a reference is an error of its row, and costs nothing', async () => {
    const sheet = await loadSheet(
      sheetFile('row,operation,prompt\na,lyrics,sing {{b.result}} now\nb,lyrics,{{{{a}}}}\n'),
    );
    expect(places(sheet.problems)).toEqual([
      'error reference-invalid 2 a prompt',
      'error reference-invalid 3 b prompt',
    ]);
  });

  test('is blocked where it holds the key, and the key is not repeated', async () => {
    const night = await openCliNight(KEY);
    const sheet = night.file(
      's.csv',
      `row,operation,prompt,note\na,lyrics,key ${KEY},\nb,lyrics,fine,${KEY}\nc,lyrics,fine,\n`,
    );
    const ended = await night.run(sheet, ['--profile', night.profile()]);
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toMatch(/line 2.*key/);
    expect(ended.stderr).toMatch(/line 3.*key/);
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
    expect(night.gateway.chargeLog()).toHaveLength(1);
  });

  test('the same sheet imported again is warned of before it is paid for again', async () => {
    const night = await openCliNight(KEY);
    const sheet = night.file('s.csv', 'row,operation,prompt\na,lyrics,once\n');
    const more = ['--profile', night.profile()];
    expect((await night.run(sheet, more)).stderr).not.toContain('imported before');
    const again = await night.run(sheet, more);
    expect(again.stderr).toMatch(/was imported before as \S+; this run renders and pays for all of it again/);
    expect(again.stderr).toContain('nocturne resume');
    expect(again.stdout).toContain('1 paid request');
  });
});
