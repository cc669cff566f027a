/**
 * Starts the installed program as it is shipped. Its fuses keep Playwright out of its main process, so this drives its
 * window alone, by Chromium's own debugger, as a user would.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { canUseSandbox } from '../../scripts/electron-runtime.ts';
import type { Bridge, RouteInput, RouteName, RouteOutput } from '../../src/shared/ipc/contract.ts';
import { pageAt, pageOf } from './debugger.ts';

declare global {
  interface Window {
    readonly nocturne: Bridge;
  }
}

export interface InstalledWindow {
  readonly page: Page;
  readonly process: ChildProcess;
  readonly ask: <R extends RouteName>(route: R, input?: RouteInput<R>) => Promise<RouteOutput<R>>;
  /** Closes the window, and waits for the program to end. Gives its exit code. */
  readonly close: () => Promise<number | null>;
}

export function startProgram(root: string, args: readonly string[]): ChildProcess {
  return start(join(root, 'usr/bin/nocturne-window'), args);
}

function start(executable: string, args: readonly string[]): ChildProcess {
  const sandbox = canUseSandbox() ? [] : ['--no-sandbox'];
  return spawn(executable, [...sandbox, '--remote-debugging-port=0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

export function startWindow(root: string, dataFolder: string, args: readonly string[] = []): Promise<InstalledWindow> {
  return startWindowOf(join(root, 'usr/bin/nocturne-window'), dataFolder, args);
}

/** Starts a program that is not installed in the system, such as an image. */
export async function startWindowOf(
  executable: string,
  dataFolder: string,
  args: readonly string[] = [],
): Promise<InstalledWindow> {
  const child = start(executable, [`--user-data-dir=${dataFolder}`, ...args]);
  const page = await pageOf(child);
  await page.waitForLoadState('load');
  return {
    page,
    process: child,
    ask: askOf(page),
    close: async () => {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      await page.evaluate(() => window.close()).catch(() => undefined);
      return ended;
    },
  };
}

/** The window of a program that another one has started: where the former listened is noted until this one listens. */
export async function windowOnData(dataFolder: string): Promise<Pick<InstalledWindow, 'page' | 'ask'>> {
  let page: Page | undefined;
  await expect(async () => {
    const [port = '', path = ''] = readFileSync(join(dataFolder, 'DevToolsActivePort'), 'utf8').split('\n');
    page = await pageAt(`ws://127.0.0.1:${port}${path}`);
    await page.waitForLoadState('load');
  }).toPass({ intervals: [100], timeout: 30_000 });
  if (page === undefined) throw new Error('There is no window.');
  return { page, ask: askOf(page) };
}

function askOf(page: Page): InstalledWindow['ask'] {
  return async <R extends RouteName>(route: R, input?: RouteInput<R>) => {
    const reply = await page.evaluate(([name, value]) => window.nocturne.request(name, value), [route, input] as const);
    if (!reply.ok) throw new Error(`${route}: ${reply.error.message}`);
    return reply.value as RouteOutput<R>;
  };
}
