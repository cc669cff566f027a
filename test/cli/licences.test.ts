import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

test('nocturne licences lists what is shipped, shows one, and says that a package is not there', async () => {
  const listed = await runCli(['licences']);
  expect(listed.exitCode).toBe(0);
  expect(listed.stdout).toMatch(/^undici \d+\.\d+\.\d+ +MIT$/mu);
  const shown = await runCli(['licenses', 'undici', '--json']);
  expect(JSON.parse(shown.stdout)).toEqual([
    expect.objectContaining({ name: 'undici', text: expect.stringContaining('Copyright') as string }),
  ]);
  const wrong = await runCli(['licences', 'nonsense']);
  expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  expect(wrong.stderr).toContain('nocturne licences');
});
