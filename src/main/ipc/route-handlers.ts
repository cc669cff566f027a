/** What main does for each route. Whatever concerns batches is the engine's, and passes through. */
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reply, RouteInput, SettingsView } from '../../shared/ipc/contract.ts';
import type { BatchView, SheetView } from '../../shared/ipc/views.ts';
import type { SettingsFile } from '../services/app-settings.ts';
import { makeBatchFolder, removeUnusedFolder } from '../services/batch-folder.ts';
import type { Desktop } from '../shell/desktop.ts';
import { isCurrentElectron } from '../shell/electron-line.ts';
import type { EngineHost } from '../engine-process/engine-host.ts';
import type { EventFeed } from './event-feed.ts';
import type { Applied, GatewaySettings } from '../services/gateway-settings.ts';
import type { RouteHandlers } from './ipc-router.ts';
import { refuse } from './reply.ts';
import { SheetOpening } from '../services/sheet-opening.ts';
import { sheetRouteHandlers } from './sheet-route-handlers.ts';

const PROFILE_MAX_BYTES = 500_000;

const HELP_FILES = { readme: 'README.md', operations: 'docs/operations.md' } as const;

export interface RouteHandlersOptions {
  readonly engine: EngineHost;
  readonly settings: SettingsFile;
  readonly gateway: GatewaySettings;
  readonly feed: EventFeed;
  readonly desktop: Desktop;
  readonly app: {
    readonly version: string;
    readonly platform: string;
    readonly electron: string;
    readonly folder: string;
  };
  readonly logFolder: string;
  /** Where new batches go while the settings name no folder. */
  readonly documentsFolder: string;
  readonly applyTheme: (theme: SettingsView['theme']) => void;
}

/** Everything that the window may ask for, and the opening of sheets that come by another way. */
export interface Routes {
  readonly handlers: RouteHandlers;
  /** Opens a sheet that was dropped on the window or named at the start, and tells the window of it. */
  readonly openSheetUnasked: (path: string) => Promise<void>;
  /** Lets the user choose a sheet by the menu, and tells the window of it. */
  readonly chooseSheetUnasked: () => Promise<void>;
  /** Backs the store up by the menu, and tells the window of it. */
  readonly backUpUnasked: () => Promise<void>;
  settingsView(): SettingsView;
}

/** Makes the handlers of all routes. */
export function createRoutes(options: RouteHandlersOptions): Routes {
  const { engine, settings, gateway, feed, desktop } = options;
  /** Folders that the user chose, by the id that the window knows them by. */
  const chosenFolders = new Map<string, string>();

  const defaultFolder = (): string => settings.current.defaultFolder || join(options.documentsFolder, 'Nocturne');
  const settingsView = (): SettingsView => {
    const { theme, profile } = settings.current;
    const { baseUrl, allowPlainHttp, name: profileName } = profile;
    return { theme, baseUrl, allowPlainHttp, profileName, defaultFolder: defaultFolder() };
  };
  const withSettings = async (change: Promise<Reply<Applied>>): Promise<Reply<SettingsView | undefined>> => {
    const reply = await change;
    return reply.ok ? done(reply.value.applied ? settingsView() : undefined) : reply;
  };
  const sheets = new SheetOpening({ engine, settings, now: Date.now });

  const handlers: RouteHandlers = {
    'app.info': () => {
      const { state, message } = engine.state;
      const { version, platform, electron } = options.app;
      return done({
        version,
        platform,
        ...(state === 'failed' || state === 'read-only' ? { safeMode: message } : {}),
        ...(isCurrentElectron(electron) ? {} : { outdatedElectron: electron }),
      });
    },
    'settings.get': () => done(settingsView()),
    'settings.update': ({ theme }) => {
      if (theme !== undefined) {
        settings.update({ theme });
        options.applyTheme(theme);
        feed.emit('settings.changed', { settings: settingsView(), key: gateway.keyStatus });
      }
      return done(settingsView());
    },
    'gateway.setBaseUrl': ({ baseUrl }) => withSettings(gateway.setBaseUrl(baseUrl)),
    'key.set': ({ key, origin }) => gateway.setKey(key, origin),
    'key.clear': ({ origin }) => gateway.clearKey(origin),
    'key.status': () => done(gateway.keyStatus),
    'profile.get': () => done({ text: JSON.stringify(settings.current.profile, null, 2) }),
    'profile.set': ({ text }) => withSettings(gateway.setProfileText(text, 'typed')),
    'profile.import': async () => {
      const path = await desktop.chooseProfile();
      if (path === undefined) return done(undefined);
      const text = await readProfile(path);
      return text.ok ? withSettings(gateway.setProfileText(text.value, 'imported')) : text;
    },
    'sheet.choose': async () => {
      const path = await desktop.chooseSheet();
      return path === undefined ? done(undefined) : sheets.open(path);
    },
    'sheet.sample': ({ sample }) =>
      sheets.openSample(join(options.app.folder, 'resources', 'samples', `${sample}.csv`), SAMPLE_NAMES[sample]),
    'folder.choose': async () => {
      const path = await desktop.chooseFolder(defaultFolder());
      if (path === undefined) return done(undefined);
      const folderId = randomUUID();
      chosenFolders.set(folderId, path);
      return done({ folderId, path });
    },
    'batch.create': (input) => createBatch(options, input, chosenFolders, defaultFolder()),
    'batch.list': () => engine.request('batch.list', undefined),
    'batch.get': (input) => engine.request('batch.get', input),
    'batch.start': (input) => engine.request('batch.start', input),
    'batch.pause': (input) => engine.request('batch.pause', input),
    'batch.resume': (input) => engine.request('batch.resume', { ...input, profile: settings.current.profile }),
    'batch.cancel': (input) => engine.request('batch.cancel', input),
    'batch.retryable': (input) => engine.request('batch.retryable', input),
    'batch.retry': (input) => engine.request('batch.retry', input),
    'batch.cancelRows': (input) => engine.request('batch.cancelRows', input),
    'batch.adopt': (input) => engine.request('batch.adopt', input),
    'batch.settle': (input) => engine.request('batch.settle', input),
    'batch.unknown': (input) => engine.request('batch.unknown', input),
    'batch.answerStatus': (input) => answerStatus(options, input),
    'batch.openFolder': async (input) => {
      const batch = await engine.request('batch.get', input);
      return batch.ok ? open(desktop, batch.value.folder) : batch;
    },
    'batch.openGallery': async (input) => {
      const exported = await engine.request('batch.export', input);
      return exported.ok ? open(desktop, join(exported.value.folder, 'index.html')) : exported;
    },
    'rows.page': async (input) => {
      const page = await engine.request('rows.page', input);
      // Messages of the engine keep their order: every change up to this page has been numbered by now.
      return page.ok ? done({ sequence: feed.sequence, ...page.value }) : page;
    },
    'row.detail': (input) => engine.request('row.detail', input),
    'row.evidence': (input) => engine.request('row.evidence', input),
    'evidence.export': async (input) => {
      const file = await desktop.chooseNewFile({
        title: 'Export the evidence',
        path: join(options.documentsFolder, `nocturne-evidence-${today()}.json`),
        kind: { name: 'JSON', extension: 'json' },
      });
      if (file === undefined) return done(undefined);
      const written = await engine.request('evidence.write', { ...input, file });
      return written.ok ? done({ ...written.value, file }) : written;
    },
    'file.showInFolder': async (input) => {
      const file = await engine.request('file.locate', input);
      if (!file.ok) return file;
      desktop.reveal(file.value.path);
      return done(undefined);
    },
    'engine.retry': () => {
      engine.retry();
      return done(undefined);
    },
    'store.backup': async () => {
      const file = await desktop.chooseNewFile({
        title: 'Back up the store',
        path: join(options.documentsFolder, `nocturne-store-${today()}.db`),
        kind: { name: 'Stores', extension: 'db' },
      });
      if (file === undefined) return done(undefined);
      const copied = await engine.request('store.backup', { file });
      return copied.ok ? done({ file }) : copied;
    },
    'log.openFolder': () => open(desktop, options.logFolder),
    'help.open': ({ topic }) => open(desktop, join(options.app.folder, HELP_FILES[topic])),
    ...sheetRouteHandlers({ ...options, sheets, chosenFolders, defaultFolder }),
  };
  const tell = (sheet: Reply<SheetView | undefined>): void => {
    if (!sheet.ok) {
      feed.emit('notice', { level: 'error', title: 'The sheet could not be opened', message: sheet.error.message });
    } else if (sheet.value !== undefined) feed.emit('sheet.opened', { sheet: sheet.value });
  };
  return {
    handlers,
    openSheetUnasked: async (path) => tell(await sheets.open(path)),
    chooseSheetUnasked: async () => tell(await handlers['sheet.choose'](undefined)),
    backUpUnasked: async () => {
      const copied = await handlers['store.backup'](undefined);
      if (!copied.ok) {
        feed.emit('notice', { level: 'error', title: 'The store could not be copied', message: copied.error.message });
      } else if (copied.value !== undefined) {
        feed.emit('notice', { level: 'info', title: 'The store is backed up', message: copied.value.file });
      }
    },
    settingsView,
  };
}

/** For a file's name, in the zone of the machine: `2026-11-21`. */
function today(): string {
  const now = new Date();
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
}

const SAMPLE_NAMES: Readonly<Record<RouteInput<'sheet.sample'>['sample'], string>> = {
  night: 'A night of 60 rows',
  chain: 'A chain of 20 rows',
  'all-operations': 'All 13 operations',
  mistakes: 'Every kind of mistake',
};

async function createBatch(
  { engine, gateway, settings }: RouteHandlersOptions,
  input: RouteInput<'batch.create'>,
  chosenFolders: ReadonlyMap<string, string>,
  defaultFolder: string,
): Promise<Reply<BatchView>> {
  const { sheetId, name, folderId, rehearsal, maxSubmits, start } = input;
  if (!rehearsal && !gateway.isConnected) {
    return refuse(
      'refused',
      'Enter the base URL and the key of your gateway first, or rehearse with the built-in one.',
    );
  }
  const chosen = folderId === undefined ? undefined : chosenFolders.get(folderId);
  if (folderId !== undefined && chosen === undefined) return refuse('not-found', 'Choose the folder again.');
  const folder = makeBatchFolder({ chosen, defaultFolder, batchName: name });
  if (!folder.ok) return refuse('refused', folder.error);
  const made = await engine.request('batch.create', {
    sheetId,
    name,
    folder: folder.value,
    rehearsal,
    profile: settings.current.profile,
    start,
    ...(maxSubmits === undefined ? {} : { maxSubmits }),
  });
  if (!made.ok && folder.value !== chosen) removeUnusedFolder(folder.value, name);
  return made;
}

/** Only what is asked can be answered: a page cannot make a failure of whatever it likes. */
async function answerStatus(
  { engine, gateway }: RouteHandlersOptions,
  input: RouteInput<'batch.answerStatus'>,
): Promise<Reply<{ tasks: number } | undefined>> {
  const { batchId, question, answer } = input;
  const batch = await engine.request('batch.get', { batchId });
  if (!batch.ok) return batch;
  const isOpen = batch.value.statusQuestions?.some(
    ({ family, status }) => family === question.family && status === question.status,
  );
  if (isOpen !== true) return refuse('refused', 'This question is answered already.');
  const noted = await gateway.answerStatus(batch.value.gateway, question, answer);
  if (!noted.ok) return noted;
  return noted.value.applied ? engine.request('batch.answerStatus', input) : done(undefined);
}

async function readProfile(path: string): Promise<Reply<string>> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return refuse('refused', `${path} is no plain file.`);
    if (found.size > PROFILE_MAX_BYTES) return refuse('refused', `${path} is too large for a profile.`);
    return done(await readFile(path, 'utf8'));
  } catch (error) {
    return refuse('refused', `The profile cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function open(desktop: Desktop, path: string): Promise<Reply<undefined>> {
  const problem = await desktop.open(path);
  return problem === undefined ? done(undefined) : refuse('refused', `${path} cannot be opened: ${problem}`);
}

function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}
