/** Starts the application as a user would, and speaks with it through its window. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { _electron, expect, test, type ElectronApplication, type Page } from '@playwright/test';
import { electronLaunchOptions } from '../../scripts/electron-runtime.ts';
import { moveToOwnDesktop } from './desktop.ts';
import type { Bridge, Reply, RouteInput, RouteName, RouteOutput } from '../../src/shared/ipc/contract.ts';

await moveToOwnDesktop();

export const REPOSITORY = join(import.meta.dirname, '..', '..');
const HURRIED = join(import.meta.dirname, 'hurried-app');

export interface LaunchOptions {
  /** The application's data; kept between two launches to see what outlives an end. */
  readonly dataFolder: string;
  readonly args?: readonly string[];
  /** The engine's time passes so many times faster, until `hurry` says otherwise; by default, the machine's own does. */
  readonly speed?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The running application. */
export interface Launched {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly dataFolder: string;
  /** Asks through the window's bridge; fails the test when the answer is no. */
  readonly ask: <R extends RouteName>(route: R, input?: RouteInput<R>) => Promise<RouteOutput<R>>;
  /** Asks through the window's bridge with anything, and gives whatever comes back. */
  readonly tryToAsk: (route: string, input?: unknown) => Promise<Reply<unknown>>;
  /** Lets time pass so many times faster from now on, in an application that was launched with a speed. */
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
  const { outputDir } = test.info();
  mkdirSync(outputDir, { recursive: true });
  return mkdtempSync(join(outputDir, `${name}-`));
}

export async function launch(options: LaunchOptions): Promise<Launched> {
  const { dataFolder, args = [], speed, env = {} } = options;
  const [folder, ...pace] = speed === undefined ? [REPOSITORY] : [HURRIED, `--speed=${speed}`];
  const app = await _electron.launch({
    ...electronLaunchOptions(folder, [`--user-data-dir=${dataFolder}`, ...pace, ...args]),
    env: { ...definedEnvironment(), ...env },
  });
  const page = await app.firstWindow();
  await page.waitForLoadState('load');
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
      app.evaluate(
        (_electron, [hurried, to]) => {
          (globalThis as unknown as { hurry(part: string, speed: number): void }).hurry(hurried, to);
        },
        [part, times] as const,
      ),
    close: async () => {
      await answerQuestions(app, 'Stop and quit');
      await app.close();
    },
    kill: async () => {
      const child = app.process();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Answers the next dialogs with these paths, as a user's choice would; a test's way, not the product's. */
export async function answerDialogs(app: ElectronApplication, paths: readonly string[]): Promise<void> {
  await app.evaluate(({ dialog }, filePaths) => {
    const answers = [...filePaths];
    dialog.showOpenDialog = () => {
      const next = answers.shift();
      return Promise.resolve({ canceled: next === undefined, filePaths: next === undefined ? [] : [next] });
    };
  }, paths);
}

/** Answers every question from now on by the button with this label, as a user's click would, and notes it in `questions`. */
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

/** The questions that were asked since they are answered. */
export function questionsOf(app: ElectronApplication): Promise<readonly string[]> {
  return app.evaluate(() => (globalThis as typeof globalThis & { questions?: string[] }).questions ?? []);
}

/** Waits until a batch has come to an end, or to another state. */
export async function waitForState(
  { ask }: Pick<Launched, 'ask'>,
  batchId: string,
  state: RouteOutput<'batch.get'>['state'],
): Promise<RouteOutput<'batch.get'>> {
  await expect
    .poll(async () => (await ask('batch.get', { batchId })).state, { intervals: [200], timeout: 90_000 })
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
