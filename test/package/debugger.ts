/** Reaches the window of a program as it is shipped, by Chromium's own debugger: its fuses keep Playwright out. */
import type { ChildProcess } from 'node:child_process';
import { chromium, type Page } from '@playwright/test';

/** The window of a program that was started with `--remote-debugging-port=0`, and its errors in a pipe. */
export async function pageOf(child: ChildProcess): Promise<Page> {
  return pageAt(await debuggerOf(child));
}

/** The window of a program whose debugger listens at an address. */
export async function pageAt(address: string): Promise<Page> {
  const browser = await chromium.connectOverCDP(address);
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
  if (page === undefined) throw new Error('The program has no window.');
  return page;
}

/** Where Chromium's debugger listens; it says so once, to whoever started it. */
function debuggerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const address = /DevTools listening on (ws:\S+)/u.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`The program ended with ${code}:\n${said}`)));
  });
}
