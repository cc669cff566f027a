/** Starts the application as a user would, and talks to it through its window. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { _electron, expect, test as base, type ElectronApplication, type Locator, type Page } from '@playwright/test';
import { electronLaunchOptions } from '../../scripts/electron-runtime.ts';
import { moveToOwnDesktop } from './desktop.ts';
import type { Bridge, Reply, RouteInput, RouteName, RouteOutput } from '../../src/shared/ipc/contract.ts';

await moveToOwnDesktop();

export const REPOSITORY = join(import.meta.dirname, '..', '..');
const HURRIED = join(import.meta.dirname, 'hurried-app');

export interface LaunchOptions {
  /** The application's data; kept between two launches to see what survives the end of a process. */
  readonly dataFolder: string;
  readonly args?: readonly string[];
  /**
   * How many times faster the engine's time passes, until `hurry` says otherwise; by default, as fast as the machine's.
   */
  readonly speed?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The running application. */
export interface Launched {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly dataFolder: string;
  /** Asks through the window's bridge; fails the test if the answer is an error. */
  readonly ask: <R extends RouteName>(route: R, input?: RouteInput<R>) => Promise<RouteOutput<R>>;
  /** Asks through the window's bridge with any input, and returns whatever comes back. */
  readonly tryToAsk: (route: string, input?: unknown) => Promise<Reply<unknown>>;
  /** Lets time pass this many times faster from now on, in an application that was launched with a speed. */
  readonly hurry: (part: 'engine' | 'main', speed: number) => Promise<void>;
  /** Ends the application as closing its window does. */
  readonly close: () => Promise<void>;
  /** Ends the application as a power cut would. */
  readonly kill: () => Promise<void>;
}

declare global {
  interface Window {
    readonly nocturne: Bridge;
  }
}

/** A folder of the running test's own; the next run of the tests removes it. */
export function newFolder(name: string): string {
  const { outputDir } = base.info();
  mkdirSync(outputDir, { recursive: true });
  return mkdtempSync(join(outputDir, `${name}-`));
}

/** Starts the application in a process of its own. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const app = await startProcess(options);
  const close = async (): Promise<void> => {
    await answerQuestions(app, 'Stop and quit');
    await app.close();
  };
  return launched(app, await loaded(ownWindow(app)), options.dataFolder, close);
}

/** A process in which one application follows another: most of the cost of a start is the process. */
class SharedProcess {
  #app: ElectronApplication | undefined;
  #isOpen = false;

  /** Starts the application with nothing left of the previous one; in a new process if there is none any more. */
  async open(dataFolder: string, speed: number): Promise<Launched> {
    const former = this.#app;
    const app = former ?? (await startProcess({ dataFolder, speed }));
    const shown = former === undefined ? app.firstWindow() : app.waitForEvent('window');
    if (former === undefined) {
      this.#app = app;
      app.once('close', () => (this.#app = undefined));
    } else {
      await app.evaluate((_electron, given) => (globalThis as unknown as Hurried).startApplication(...given), [
        dataFolder,
        speed,
      ] as const);
    }
    this.#isOpen = true;
    return launched(app, await loaded(shown), dataFolder, () => this.close());
  }

  /** Ends the application that is open, if there is one, but not the process. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#app?.evaluate(() => (globalThis as unknown as Hurried).endApplication());
    this.#isOpen = false;
  }

  /** Ends the process; the next application gets a new one. */
  async end(): Promise<void> {
    if (this.#isOpen && this.#app !== undefined) await answerQuestions(this.#app, 'Stop and quit');
    await this.#app?.close();
    this.#isOpen = false;
  }
}

/** What the hurried application adds for its tests. */
interface Hurried {
  startApplication(dataFolder: string, speed: number): Promise<void>;
  endApplication(): Promise<void>;
  hurry(part: string, speed: number): void;
}

/** For a test that needs an application of its own, on a data folder of its own, but no process of its own. */
export const test = base.extend<
  { readonly open: (speed?: number, dataFolder?: string) => Promise<Launched> },
  { readonly sharedProcess: SharedProcess }
>({
  sharedProcess: [
    // oxlint-disable-next-line eslint/no-empty-pattern -- Playwright reads what a fixture needs from its parameter
    async ({}, provide) => {
      const shared = new SharedProcess();
      await provide(shared);
      await shared.end();
    },
    { scope: 'worker' },
  ],
  open: async ({ sharedProcess }, provide, info) => {
    await provide((speed = 1, dataFolder = newFolder('data')) => sharedProcess.open(dataFolder, speed));
    // Nobody knows what a failed test has left behind.
    if (info.status === info.expectedStatus) await sharedProcess.close();
    else await sharedProcess.end();
  },
});

async function startProcess({ dataFolder, args = [], speed, env = {} }: LaunchOptions): Promise<ElectronApplication> {
  const [folder, ...pace] = speed === undefined ? [REPOSITORY] : [HURRIED, `--speed=${speed}`];
  return _electron.launch({
    ...electronLaunchOptions(folder, [`--user-data-dir=${dataFolder}`, ...pace, ...args]),
    env: { ...definedEnvironment(), ...env },
  });
}

/** The window of the application; before it, there may be one that only says that a backup is being restored. */
async function ownWindow(app: ElectronApplication): Promise<Page> {
  for (let page = await app.firstWindow(); ; page = await app.waitForEvent('window')) {
    // A backup may be in place before the window that says so has loaded: it closes as an empty page.
    await page.waitForURL(/^(?!about:)/u).catch((error: unknown) => {
      if (!page.isClosed()) throw error;
    });
    if (!page.isClosed() && !page.url().startsWith('data:')) return page;
    const other = app.windows().find((one) => one !== page);
    if (other !== undefined) return other;
  }
}

async function loaded(shown: Promise<Page>): Promise<Page> {
  const page = await shown;
  // A window begins with an empty page, which is loaded at once.
  await page.waitForURL(/^(?!about:)/u);
  await page.waitForLoadState('load');
  return page;
}

/** The same application in another of its windows. */
export function inWindow({ app, dataFolder, close }: Launched, page: Page): Launched {
  return launched(app, page, dataFolder, close);
}

function launched(app: ElectronApplication, page: Page, dataFolder: string, close: () => Promise<void>): Launched {
  const tryToAsk = (route: string, input?: unknown): Promise<Reply<unknown>> =>
    page.evaluate(([name, value]) => window.nocturne.request(name as RouteName, value), [route, input] as const);
  return {
    app,
    page,
    dataFolder,
    tryToAsk,
    ask: async <R extends RouteName>(route: R, input?: RouteInput<R>) => {
      const reply = await tryToAsk(route, input);
      if (!reply.ok) throw new Error(`${route}: ${reply.error.code}: ${reply.error.message}`);
      return reply.value as RouteOutput<R>;
    },
    hurry: (part, times) =>
      app.evaluate((_electron, given) => (globalThis as unknown as Hurried).hurry(...given), [part, times] as const),
    close,
    kill: async () => {
      const child = app.process();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Answers the next dialogs with these paths, as if the user had chosen them; only tests can do that. */
export async function answerDialogs(app: ElectronApplication, paths: readonly string[]): Promise<void> {
  await app.evaluate(({ dialog }, filePaths) => {
    const answers = [...filePaths];
    dialog.showOpenDialog = () => {
      const next = answers.shift();
      return Promise.resolve({ canceled: next === undefined, filePaths: next === undefined ? [] : [next] });
    };
  }, paths);
}

/** Answers every question from now on with this button, as a user's click would, and notes it in `questions`. */
export async function answerQuestions(app: ElectronApplication, button: string): Promise<void> {
  await app.evaluate(({ dialog }, label) => {
    dialog.showMessageBox = (...args: readonly unknown[]) => {
      const { buttons = [], message } = args.at(-1) as {
        readonly buttons?: readonly string[];
        readonly message: string;
      };
      const asked = globalThis as typeof globalThis & { questions?: string[] };
      (asked.questions ??= []).push(message);
      return Promise.resolve({ response: buttons.indexOf(label), checkboxChecked: false });
    };
  }, button);
}

/** The questions asked since they are being answered. */
export function questionsOf(app: ElectronApplication): Promise<readonly string[]> {
  return app.evaluate(() => (globalThis as typeof globalThis & { questions?: string[] }).questions ?? []);
}

/** A batch in the side bar, by the beginning of its name and state: other parts of the window name it, too. */
export function batchLink(page: Page, name: RegExp): Locator {
  return page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name });
}

/** Goes to the page of a gateway, through the list of all gateways in the settings. */
export async function openGateway(page: Page, name = 'My gateway'): Promise<void> {
  await page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name: 'Settings' }).click();
  await page
    .getByTestId('settings-screen')
    .getByRole('button', { name: new RegExp(`^${name} (?:https?:|No address)`, 'u') })
    .click();
  await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
}

/** Chooses an item of the menu in the head of a batch, by keyboard. */
export async function chooseMore(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: item }).press('Enter');
}

/** Waits until a batch has come to an end, or to another state. */
export async function waitForState(
  { ask }: Pick<Launched, 'ask'>,
  batchId: string,
  state: RouteOutput<'batch.get'>['state'],
): Promise<RouteOutput<'batch.get'>> {
  await expect
    .poll(async () => (await ask('batch.get', { batchId })).state, { intervals: [200], timeout: 180_000 })
    .toBe(state);
  return ask('batch.get', { batchId });
}

/** Everything about the row that has this id. */
export async function rowDetail(
  { ask }: Pick<Launched, 'ask'>,
  batchId: string,
  row: string,
): Promise<RouteOutput<'row.detail'>> {
  const sort = { column: 'line', direction: 'ascending' } as const;
  const { rows } = await ask('rows.page', { batchId, filter: {}, sort, offset: 0, limit: 500 });
  const found = rows.find((view) => view.row === row);
  if (found === undefined) throw new Error(`There is no row ${row}.`);
  return ask('row.detail', { batchId, key: found.key });
}

/** Tasks of a batch with a status, over all families. */
export function countOf(batch: RouteOutput<'batch.get'>, status: keyof (typeof batch.counts)['musicgen']): number {
  return Object.values(batch.counts).reduce((sum, counts) => sum + counts[status], 0);
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
