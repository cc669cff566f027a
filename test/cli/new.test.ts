import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TEMPLATES } from '../../src/shared/domain/operations/templates.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('nocturne new', () => {
  test('writes a template that checks clean, and replaces nothing', async () => {
    const file = join(temporaryFolder(), 'chain.csv');
    const written = await runCli(['new', 'lyrics-to-song', file, '--json']);
    expect(written.exitCode).toBe(0);
    expect(JSON.parse(written.stdout)).toEqual({ template: 'lyrics-to-song', file, rows: 5, submits: 5 });

    const checked = await runCli(['check', file, '--json']);
    expect(checked.exitCode).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ rows: 5, submits: 5, errors: 0, warnings: 0 });

    writeFileSync(file, 'mine');
    const again = await runCli(['new', 'lyrics-to-song', file]);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('already exists');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('says which templates there are, and that a name is none of them', async () => {
    const listed = await runCli(['templates', '--json']);
    const names = (JSON.parse(listed.stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(TEMPLATES.map(({ name }) => name));
    const wrong = await runCli(['new', 'nonsense', join(temporaryFolder(), 'x.csv')]);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain('nocturne templates');
    const workbook = await runCli(['new', 'music', join(temporaryFolder(), 'x.xlsx')]);
    expect(workbook).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
