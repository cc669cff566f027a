/** What is on the screen, and what a quit does, while a backup is put in its place before there is a window. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron, expect } from '@playwright/test';
import { electronLaunchOptions } from '../../scripts/electron-runtime.ts';
import { launch, newFolder, REPOSITORY, test } from './launch.ts';

test('a restore is on the screen, a quit waits for its end, and the next start tells of it', async () => {
  const dataFolder = newFolder('data');
  const note = join(dataFolder, 'restore.json');
  const file = join(newFolder('backups'), 'all.db');
  // Whoever opens it to read waits until somebody writes to it.
  execFileSync('mkfifo', [file]);
  writeFileSync(note, JSON.stringify({ state: 'wanted', file, at: Date.now() }));
  const app = await _electron.launch(electronLaunchOptions(REPOSITORY, [`--user-data-dir=${dataFolder}`]));
  const page = await app.firstWindow();
  await expect(page.getByRole('status')).toContainText('The backup is being restored.');
  await app.evaluate((electron) => electron.app.quit());
  // It has heard of the quit, and still shows the restore.
  await expect(page.getByRole('status')).toBeVisible();
  expect(app.process().exitCode).toBeNull();
  expect(JSON.parse(readFileSync(note, 'utf8'))).toEqual({ state: 'begun', file });
  const ended = app.waitForEvent('close');
  closeSync(openSync(file, constants.O_WRONLY));
  await ended;
  const next = await launch({ dataFolder });
  await expect(next.page.getByText('The backup was not restored.', { exact: true })).toBeVisible();
  await next.close();
});
