/** Started with the session: a night goes on without a window, and without a night nothing stays. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { _electron, expect } from '@playwright/test';
import { electronLaunchOptions } from '../../scripts/electron-runtime.ts';
import { launch, newFolder, REPOSITORY, test } from './launch.ts';
import { rehearsalCharges } from './proof.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 480_000 });

const charged = (dataFolder: string): number =>
  [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);

test('at login a night goes on where it was, without its window; without a night it is gone again', async () => {
  const dataFolder = newFolder('session');
  const options = electronLaunchOptions(REPOSITORY, [`--user-data-dir=${dataFolder}`, '--background']);
  const idle = spawn(options.executablePath, options.args, { stdio: 'ignore', cwd: REPOSITORY });
  expect(await new Promise((resolve) => idle.once('exit', resolve))).toBe(0);

  const night = await launch({ dataFolder, env: { XDG_CONFIG_HOME: join(dataFolder, 'config') } });
  await startNight(night, newFolder('media'));
  await expect.poll(() => charged(dataFolder), { timeout: 60_000 }).toBeGreaterThan(0);
  await night.page.getByText('Night', { exact: true }).first().click();
  await expect(night.page.getByText('After this night')).toBeVisible();
  expect((await night.ask('presence.set', { atLogin: true })).atLogin).toBe(true);
  expect((await night.ask('presence.set', { atLogin: false })).atLogin).toBe(false);
  await night.kill();

  const before = charged(dataFolder);
  const app = await _electron.launch(options);
  await expect.poll(() => charged(dataFolder), { timeout: 60_000 }).toBeGreaterThan(before);
  expect(app.windows()).toHaveLength(0);
  const shown = app.waitForEvent('window');
  const { executablePath, args } = electronLaunchOptions(REPOSITORY, [`--user-data-dir=${dataFolder}`]);
  spawn(executablePath, args, { stdio: 'ignore', cwd: REPOSITORY });
  await (await shown).waitForLoadState('load');
  app.process().kill('SIGKILL');
});
