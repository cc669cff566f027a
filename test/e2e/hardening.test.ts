import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { electronLaunchOptions } from '../../scripts/electron-runtime.ts';
import { launch, newFolder, REPOSITORY, test, type Launched } from './launch.ts';

// One application for all: none of these tests changes what another finds.
test.describe.configure({ mode: 'default' });

let launched: Launched;

test.beforeAll(async () => {
  launched = await launch({ dataFolder: newFolder('hardening') });
});

test.afterAll(async () => {
  await launched.close();
});

test('the page has the bridge’s two functions and nothing of Node', async () => {
  const found = await launched.page.evaluate(() => ({
    bridge: Object.keys(window.nocturne).sort(),
    globals: ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter((name) => name in window),
  }));
  expect(found).toEqual({ bridge: ['request', 'subscribe'], globals: [] });
});

test('the window is sandboxed and isolated', async () => {
  const preferences = await launched.app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>;
    };
    const preferences = contents.getLastWebPreferences();
    const { sandbox, contextIsolation, nodeIntegration, webSecurity, webviewTag } = preferences;
    const switchedOn = [
      'nodeIntegrationInSubFrames',
      'nodeIntegrationInWorker',
      'allowRunningInsecureContent',
      'experimentalFeatures',
      'enableBlinkFeatures',
    ].filter((name) => Boolean(preferences[name]));
    return { sandbox, contextIsolation, nodeIntegration, webSecurity, webviewTag, switchedOn };
  });
  expect(preferences).toEqual({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    switchedOn: [],
  });
});

test('the page cannot go elsewhere', async () => {
  const { app, page, ask, dataFolder } = launched;
  const own = page.url();
  // Asked of main: Playwright waits for a navigation that never comes.
  const inPage = (code: string): Promise<unknown> =>
    app.evaluate(
      ({ BrowserWindow }, text) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(text),
      code,
    );
  await inPage('window.isStillHere = true');
  for (const target of ['https://example.com/', 'file:///etc/passwd', 'data:text/html,hello', 'media://file/1-1']) {
    await inPage(`location.href = ${JSON.stringify(target)}`);
    await inPage(`{ const a = document.createElement('a'); a.href = ${JSON.stringify(target)}; a.click(); }`);
  }
  await expect
    .poll(() => readFileSync(join(dataFolder, 'logs', 'nocturne.log'), 'utf8'))
    .toMatch(/navigation away(.|\n)*navigation away(.|\n)*navigation away/);
  expect(await inPage('[location.href, window.isStillHere]')).toEqual([own, true]);
  expect(await inPage('nocturne.request("app.info").then((reply) => reply.ok)')).toBe(true);
  await page.reload();
  expect(await ask('app.info')).toMatchObject({ platform: process.platform });
});

test('the page cannot open a window', async () => {
  const opened = await launched.page.evaluate(() => window.open('https://example.com/') !== null);
  expect(opened).toBe(false);
  expect(launched.app.windows()).toHaveLength(1);
});

test('the page cannot have a WebView', async () => {
  const isPrevented = await launched.app.evaluate(({ BrowserWindow }) => {
    let prevented = false;
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as NodeJS.EventEmitter;
    contents.emit('will-attach-webview', { preventDefault: () => (prevented = true) }, {}, {});
    return prevented;
  });
  expect(isPrevented).toBe(true);
});

test('the page cannot run code made of text, reach the network, or embed a page', async () => {
  const results = await launched.page.evaluate(async () => {
    const script = document.createElement('script');
    // Refused already where the text is set; a script that had one after all would be refused when it is put in.
    for (const inject of [
      () => (script.textContent = 'window.wasInjected = true'),
      () => script.append('window.wasInjected = true'),
      () => document.head.append(script),
    ]) {
      try {
        inject();
      } catch {
        // What matters is whether it ran.
      }
    }
    const frame = document.createElement('iframe');
    frame.src = 'https://example.com/';
    document.body.append(frame);
    const fetched = await fetch('https://example.com/').then(
      () => 'fetched',
      () => 'blocked',
    );
    // In a task of the page's own: what a debugger evaluates is exempt from the policy.
    const evaluated = await new Promise((resolve) => {
      setTimeout(() => {
        try {
          // oxlint-disable-next-line typescript/no-implied-eval -- what the policy must forbid
          resolve(typeof new Function('return 1'));
        } catch {
          resolve('blocked');
        }
      });
    });
    frame.remove();
    script.remove();
    return { injected: 'wasInjected' in window, fetched, evaluated };
  });
  expect(results).toEqual({ injected: false, fetched: 'blocked', evaluated: 'blocked' });
});

test('the page makes no markup of text', async () => {
  const made = await launched.page.evaluate(() => {
    const tryIt = (work: () => void): string => {
      try {
        work();
        return 'made';
      } catch {
        return 'blocked';
      }
    };
    const element = document.createElement('div');
    return [
      tryIt(() => (element.innerHTML = '<img src=x>')),
      tryIt(() => element.insertAdjacentHTML('beforeend', '<b>x</b>')),
      tryIt(() => void new DOMParser().parseFromString('<b>x</b>', 'text/html')),
      tryIt(() => (document.createElement('script').src = 'data:text/javascript,1')),
      tryIt(() => {
        const { trustedTypes } = globalThis as unknown as {
          trustedTypes: { createPolicy(name: string, rules: object): void };
        };
        trustedTypes.createPolicy('mine', {});
      }),
    ];
  });
  expect(made).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 'blocked']);
});

test('no permission is given', async () => {
  const states = await launched.page.evaluate(async () => {
    const media = await navigator.mediaDevices.getUserMedia({ audio: true }).then(
      () => 'granted',
      () => 'denied',
    );
    const notifications = await Notification.requestPermission();
    return { media, notifications };
  });
  expect(states).toEqual({ media: 'denied', notifications: 'denied' });
});

test('what the contract does not know is refused', async () => {
  const { tryToAsk } = launched;
  expect(await tryToAsk('key.get')).toMatchObject({ ok: false, error: { code: 'not-found' } });
  expect(await tryToAsk('sheet.choose', { path: '/etc/passwd' })).toMatchObject({ error: { code: 'invalid-input' } });
  expect(await tryToAsk('settings.update', { theme: 'dark', more: 1 })).toMatchObject({
    error: { code: 'invalid-input' },
  });
  expect(await tryToAsk('key.set', { key: 'x'.repeat(1_100_000) })).toMatchObject({ error: { code: 'invalid-input' } });
  expect(await tryToAsk('app.info')).toMatchObject({ ok: true });
});

test('a drop that no hand made brings nothing in', async () => {
  const heard = await launched.page.evaluate(async () => {
    const events: string[] = [];
    const stop = window.nocturne.subscribe((event) => events.push(event));
    const data = new DataTransfer();
    data.items.add(new File(['operation,prompt\nlyrics,x\n'], 'a.csv'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    // A round trip: whatever the drop set off in main has been sent by the time it is answered.
    await window.nocturne.request('app.info', undefined);
    await window.nocturne.request('batch.list', undefined);
    stop();
    return events.filter((event) => event === 'sheet.opened');
  });
  expect(heard).toEqual([]);
});

test('a second start shows the first window and ends', async () => {
  const { app, dataFolder } = launched;
  // By itself: what drives a window loses its way in a program that ends at once.
  const { executablePath, args } = electronLaunchOptions(REPOSITORY, [`--user-data-dir=${dataFolder}`]);
  await once(spawn(executablePath, args, { stdio: 'ignore', cwd: REPOSITORY }), 'exit');
  expect(app.windows()).toHaveLength(1);
});
