/**
 * Types one cell of a batch of three rows, and reports which files of `src` it passed and how often the window asked
 * main, until the cell is saved and the window knows the state of its row.
 *
 * Everything is real except Electron: the window's state, main's router and routes, the engine's process with its store
 * in a temporary folder. The bridge and the drawing components are not part of it. A file counts as passed if one of
 * its functions is called between the key and the end; types and schemas have none. Run alone, it prints what it found.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineProcess } from '../../src/main/engine-process/engine-host.ts';
import type { HandlerContext } from '../../src/main/ipc/app-handlers.ts';
import type { Bridge } from '../../src/shared/ipc/contract.ts';

const TYPED = 'A lullaby about a lighthouse';
/** Longer than any wait on the way. */
const QUIET_MS = 300;
const ROOT = join(import.meta.dirname, '../..');

/** Files whose functions are called although nobody following a typed cell would open them, and why. */
const NOT_ON_THE_WAY: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^src\/shared\/domain\//u, 'rules that the way asks: what a text means, whether a row is locked; each is one call'],
  [/^src\/shared\/words\//u, 'what an edit is called: messages and nothing else'],
  [/^src\/engine\/store\/(?!sheets\/sqlite-sheet-store\.ts)/u, 'tables and statements below the port of the store'],
  [
    /^src\/engine\/(?:night\/|gateway\/|sheet-files\/|request-body)/u,
    'asked or told beside it: the night, the keys, the lists of words',
  ],
  [/\/(?:batch-files|folder-documents|living-sheet-service)\.ts$/u, 'told of the change; nothing comes of it here'],
  [/^src\/renderer\/(?:format\/|state\/batches-store\.ts$)/u, 'numbers in words, and the list of all batches'],
  [
    /\/(?:system-clock|crash-point|heartbeat|change-feed|report-changes|event-sequence|works)\.ts$/u,
    'clocks, counters, timers, and who says how long it takes',
  ],
  [/^src\/renderer\/state\/under-way\//u, 'told of work that takes long, on a machine on which this does'],
  [/^src\/engine\/own-thread\.ts$/u, 'hears of garbage, whenever some is collected'],
];

/** The result of one typed cell. */
export interface TypedCell {
  /** Requests of the window, in order. */
  readonly trips: readonly string[];
  /** Files of `src` on the way. */
  readonly files: readonly string[];
}

type AppEvent = Parameters<Parameters<Bridge['subscribe']>[0]>;

async function typeOneCell(folder: string): Promise<TypedCell> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const typeCell = await openApplication(folder);
  // Counting restarts with this.
  await session.post('Profiler.takePreciseCoverage');
  const trips = await typeCell();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ functions }) => functions.some(({ ranges: [range] }) => wasCalled(range)))
    .flatMap(({ url }) => (url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)).replaceAll('\\', '/') : []))
    .filter((path) => path.startsWith('src/') && !NOT_ON_THE_WAY.some(([beside]) => beside.test(path)));
  return { trips, files: files.toSorted() };
}

/** The function that begins where its file begins is the file itself. */
function wasCalled(range: { readonly startOffset: number; readonly count: number } | undefined): boolean {
  return range !== undefined && range.startOffset > 0 && range.count > 0;
}

/**
 * Opens the application without Electron, with a batch on screen. The returned function types a cell, waits until
 * nothing moves, and reports what the window asked for meanwhile.
 */
async function openApplication(folder: string): Promise<() => Promise<readonly string[]>> {
  const engineProcess = await startEngineProcess();
  const { EngineHost } = await import('../../src/main/engine-process/engine-host.ts');
  const { createIpcRouter, EventFeed } = await import('../../src/main/ipc/bridge.ts');
  const { createRoutes } = await import('../../src/main/ipc/route-handlers.ts');
  const { DEFAULT_PROFILE } = await import('../../src/shared/domain/gateway/profile.ts');
  const { AppModel } = await import('../../src/renderer/state/app-model.ts');

  const listeners = new Set<(...event: AppEvent) => void>();
  const feed = new EventFeed((name, payload) => {
    for (const listener of listeners) listener(name, structuredClone(payload));
  });
  const log = (level: string, line: string): never => {
    throw new Error(`${level}: ${line}`);
  };
  const engine = new EngineHost({
    storeFolder: join(folder, 'store'),
    incarnationFile: join(folder, 'incarnation.json'),
    isRestoreTold: false,
    language: () => 'en',
    spawn: () => engineProcess,
    spawnSheetReader: () => {
      throw new Error('No sheet is read here.');
    },
    keys: () => [],
    onState: () => undefined,
    onEvent: (told) => feed.pass(told),
    monotonicMs: () => performance.now(),
    everyTick: () => undefined,
    log,
  });
  // Nothing here needs Electron or the gateway.
  const { handlers, additions } = createRoutes({
    engine,
    settings: { current: { profile: DEFAULT_PROFILE, otherProfiles: [], defaultFolder: folder } },
    gateway: { isConnected: () => false, keyStatus: { present: false } },
    store: { isShared: false, view: { kind: 'folder' } },
    feed,
    desktop: {},
    app: { version: '', platform: '', electron: '', folder: '' },
    logFolder: folder,
    documentsFolder: folder,
    applyTheme: () => undefined,
  } as unknown as HandlerContext);
  const route = createIpcRouter({ handlers, engine, additions, isOwnAddress: () => true, log });
  engine.start();

  let trips: string[] = [];
  let moved = 0;
  const bridge: Bridge = {
    request: async (name, input) => {
      trips.push(name);
      moved += 1;
      try {
        return structuredClone(await route({ isTopFrame: true, url: '' }, name, structuredClone(input)));
      } finally {
        moved += 1;
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const model = new AppModel({
    bridge,
    schedule: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  /** Nothing was asked or answered for a while. */
  const rest = async (): Promise<void> => {
    for (let before = -1; before !== moved;) {
      before = moved;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
  };
  model.client.subscribe(
    () => (moved += 1),
    () => log('error', 'an event is not understood'),
  );
  model.start();
  const batch = await model.ask('sheet.new', { template: 'lyrics', name: 'House' });
  if (!batch.ok) throw new Error(batch.error.message);
  model.go({ kind: 'batch', batchId: batch.value.id });
  await rest();
  return async () => {
    trips = [];
    const row = model.rows.pages.rowAt(0);
    const header = model.editing.store.getState().sheet?.columns.find(({ column }) => column === 'prompt')?.header;
    if (row === undefined || header === undefined) throw new Error('The batch does not show what is typed into.');
    if (!(await model.editing.typed.commit(0, row.key, header, TYPED))) throw new Error('The cell was refused.');
    await rest();
    if (model.rows.pages.rowAt(0)?.cells?.includes(TYPED) !== true) throw new Error('The view is not current.');
    return trips;
  };
}

/** Runs the engine's process inside this one: it gets here what Electron would give it. */
async function startEngineProcess(): Promise<EngineProcess> {
  const toEngine = new Set<(message: { data: unknown; ports: [] }) => void>();
  const toMain = new Set<(message: unknown) => void>();
  const parentPort = {
    on: (_: 'message', listener: (message: { data: unknown; ports: [] }) => void) => toEngine.add(listener),
    postMessage: (message: object) => deliver(toMain, message),
  };
  // Otherwise it would depend on the machine's speed whether its heartbeat counts.
  Object.assign(globalThis, { setInterval: () => undefined });
  Object.assign(process, { parentPort });
  await import('../../src/main/engine-process/engine-process.ts');
  return {
    post: (message) => deliver(toEngine, { data: message, ports: [] }),
    onMessage: (listener) => toMain.add(listener),
    onExit: () => undefined,
    kill: () => undefined,
  };
}

function deliver<T>(listeners: ReadonlySet<(message: T) => void>, message: T): void {
  const copy = structuredClone(message);
  setImmediate(() => {
    for (const listener of listeners) listener(copy);
  });
}

const folder = mkdtempSync(join(tmpdir(), 'nocturne-house-'));
try {
  console.log(JSON.stringify(await typeOneCell(folder)));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
// The engine's process would keep running.
process.exit();
