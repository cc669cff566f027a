/**
 * Starts the installed program as it is shipped. Its fuses keep Playwright out of its main process, so this drives its
 * window alone, by Chromium's own debugger, as a user would.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { canUseSandbox } from '../../scripts/electron-runtime.ts';
import type { Bridge, RouteInput, RouteName, RouteOutput } from '../../src/shared/ipc/contract.ts';
import { pageOf } from './debugger.ts';

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
  const sandbox = canUseSandbox() ? [] : ['--no-sandbox'];
  return spawn(join(root, 'usr/bin/nocturne-window'), [...sandbox, '--remote-debugging-port=0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function startWindow(
  root: string,
  dataFolder: string,
  args: readonly string[] = [],
): Promise<InstalledWindow> {
  const child = startProgram(root, [`--user-data-dir=${dataFolder}`, ...args]);
  const page = await pageOf(child);
  await page.waitForLoadState('load');
  return {
    page,
    process: child,
    ask: async <R extends RouteName>(route: R, input?: RouteInput<R>) => {
      const reply = await page.evaluate(([name, value]) => window.nocturne.request(name, value), [
        route,
        input,
      ] as const);
      if (!reply.ok) throw new Error(`${route}: ${reply.error.message}`);
      return reply.value as RouteOutput<R>;
    },
    close: async () => {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      await page.evaluate(() => window.close()).catch(() => undefined);
      return ended;
    },
  };
}
