/** Puts the engine together: every adapter is made here and nowhere else. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import { ok, present, type Result } from '../shared/domain/base/result.ts';
import { accountsOf } from '../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { Limit } from '../shared/domain/task/spending.ts';
import { TERMINAL_STATUSES, type Task } from '../shared/domain/task/task.ts';
import { isOfFile } from '../shared/domain/task/task-event.ts';
import type { CheckOptions } from '../shared/domain/sheet/sheet-checker.ts';
import { ChangeFeed } from './change-feed.ts';
import { LivingSheets } from './edit/living/living-sheet.ts';
import { SheetEditor } from './edit/sheet-editor.ts';
import { Engine } from './engine.ts';
import type { ChangesSince, FleetMember, LeaseStore } from './ports/fleet.ts';
import { createFilePlaces } from './file-places/file-places.ts';
import { KeyOrigins } from './gateway/key-origins.ts';
import { KeyRing } from './gateway/key-ring.ts';
import { createMediaGateway } from './gateway/undici-media-gateway.ts';
import { createPictureMaker } from './gates/make-picture.ts';
import { createFileMeasurer } from './gates/measure-files.ts';
import { createAnyFolder } from './media-folder/any-folder.ts';
import { almostDoneNotice, type Pace } from './night/expected-end.ts';
import { laneName } from './night/lanes.ts';
import { watchedGateway, type NightWatch } from './night/fleet/night-watch.ts';
import { workerMark } from './own-mark.ts';
import { Scheduler } from './night/scheduler.ts';
import { OthersChanges } from './others-changes.ts';
import { boundYoungMemory } from './own-thread.ts';
import type { Clock, Random } from './ports/base.ts';
import { WordListFolder } from './sheet-files/lists/word-lists.ts';
import { forkedSheetReader } from './sheet-files/reader-process/load-sheet.ts';
import type { SheetReader } from './sheet-files/reader-process/sheet-reader.ts';
import { Sheets } from './sheets.ts';
import { isRefusedByDisk, type StoreProblem } from './store/open/store-problem.ts';
import type { StoreAddress } from './store/postgres/store-address.ts';
import type { PromisedStore } from './store/thread/promised.ts';
import { placesNoteOf } from './store/open/data-dir.ts';
import { openStoreThread, type StoreThreadOptions } from './store/thread/store-thread.ts';
import { systemClock } from './system-clock.ts';

export interface EngineOptions {
  /** Absolute path of the store's folder; created if missing. */
  readonly dataDir: string;
  /** The server that holds the store, if it is not in the folder. */
  readonly server?: StoreAddress;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where the store's last opening is noted (see `incarnationFileOf`); without it an older copy goes unnoticed. */
  readonly incarnationFile?: string;
  /** Opens the store in a folder; by default, in threads of its own. */
  readonly openStore?: typeof openStoreThread;
  readonly sparesReader?: StoreThreadOptions['sparesReader'];
  /** Reads sheet files; by default, each in a process of its own. */
  readonly sheetReader?: SheetReader;
  /**
   * The most that all batches except rehearsals may spend through this engine from noon to noon, in requests and in
   * money. It holds in addition to the user's own limits, and nothing raises it. On a server, where workers send what
   * this engine starts, it is kept with each batch that this engine starts, and all workers observe it.
   */
  readonly ceiling?: Limit;
  /**
   * Which of several processes this one is; it takes part from {@link Engine.join} on. Without this, the engine only
   * follows what others do with a store on a server, and has a store in a folder to itself.
   */
  readonly fleet?: MemberOptions;
  /** Is told what this process does, so that it can be counted. */
  readonly watch?: NightWatch;
  /** What other processes change on a server is reported like the changes of this one, within about a second. */
  readonly tellsOfOthers?: true;
  /** The folder in which the window keeps small pictures of files; documents use them. */
  readonly windowPictures?: string;
  /** Called with unexpected exceptions. */
  readonly onBug?: (error: unknown) => void;
  /**
   * Called when the store's thread has ended by itself. Nothing continues without it: by default, the exception ends
   * the process, and the next start continues from there.
   */
  readonly onStoreLost?: (error: Error) => void;
}

/** One of several processes, before it has a store. */
export type MemberOptions = Omit<FleetMember, 'leases'>;

/** This much of a store's id distinguishes it from the few others that share a media folder with it. */
const OWNER_LENGTH = 8;

function endProcess(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}

/** Opens the store and builds the engine on it. The problem says why the store does not open, and what to do. */
export async function createEngine(options: EngineOptions): Promise<Result<Engine, StoreProblem>> {
  const { incarnationFile, dataDir, server, clock = systemClock, random = { next: Math.random } } = options;
  const { onStoreLost: onLost = endProcess, openStore = openStoreThread } = options;
  boundYoungMemory();
  const noted = incarnationFile === undefined ? undefined : { file: incarnationFile, now: clock.now() };
  const opened = await openStore(dataDir, {
    onLost,
    isShared: server !== undefined || options.fleet !== undefined,
    ...present({ noted, server, sparesReader: options.sparesReader }),
  });
  if (!opened.ok) return opened;
  const { storeId } = await opened.value.whole.incarnation();
  const engine = compose(opened.value, { ...options, storeId, clock, random });
  if (server !== undefined && options.fleet === undefined) await engine.join();
  return ok(engine);
}

/** On a server, every process is one of several. */
function memberOf(
  leases: LeaseStore,
  { server, fleet }: EngineOptions,
  onHeard: FleetMember['onHeard'],
): FleetMember | undefined {
  if (fleet !== undefined) return { ...fleet, leases };
  return server && { leases, holder: `${hostname()} ${randomUUID()}`, takesAccounts: false, ...present({ onHeard }) };
}

function compose(
  opened: PromisedStore,
  options: EngineOptions & Required<Pick<EngineOptions, 'clock' | 'random'>> & { readonly storeId: string },
): Engine {
  const { store, views, ledger, sheets: rows, leases } = opened;
  const {
    dataDir,
    incarnationFile,
    clock,
    random,
    sheetReader: reader = forkedSheetReader(),
    onBug = () => undefined,
    watch,
  } = options;
  const changes = new ChangeFeed(onBug);
  const keys = new KeyRing();
  const paces = new Map<string, Pace>();
  const holdsKey = (text: string): boolean => keys.finder.holds(text);
  const others = options.tellsOfOthers && new OthersChanges({ store, changes, onEnd: (task) => noteEnd(task) });
  const onHeard = others && ((heard: ChangesSince): Promise<void> => others.tell(heard));
  const fleet = memberOf(leases, options, onHeard);
  const noteEnd = ({ batchId, family }: Task): void => paces.get(batchId)?.ended(family, clock.now());
  const folder = createAnyFolder({
    clock,
    holdsKey,
    holdsKeyPlainly: (bytes) => keys.isPlainlyIn(bytes),
    keysKnown: () => keys.known,
    owner: options.storeId.slice(0, OWNER_LENGTH),
    spool: path.join(dataDir, 'spool'),
    ...present({ worker: fleet?.takesAccounts === true ? workerMark(fleet.holder) : undefined }),
  });
  const files = createFilePlaces({
    folder: path.join(dataDir, 'files-place'),
    placesNote: incarnationFile && placesNoteOf(incarnationFile, options.storeId),
    clock,
    random,
    pictures: createPictureMaker({ clock }),
    environment: process.env,
    // On a shared store, nobody knows what others have just read; an older copy does not know what was sent since.
    batches: fleet === undefined && !opened.isOlderCopy ? store : undefined,
    onBug,
  });
  const scheduler = new Scheduler({
    store,
    ...present({ fleet }),
    folder,
    files,
    clock,
    random,
    gatewayFor: (access) => {
      const gateway = createMediaGateway({
        profile: access.profile,
        clock,
        key: () => keys.of(access) ?? '',
        keyName: access.keyName,
        beforeKeyIsSent: () => keys.beforeSent(access),
        keyFinder: () => keys.finder,
      });
      if (watch === undefined) return gateway;
      return watchedGateway(gateway, (kind, outcome) => {
        const account = laneName(gateway.origin, keys.fingerprintOf(access));
        watch.onRequest({ account, kind, outcome });
      });
    },
    measurer: createFileMeasurer({ clock }),
    onCommitted: watch?.onCommitted,
    keyFingerprint: (access) => keys.fingerprintOf(access),
    holdsKey,
    ceiling: options.ceiling,
    onTaskChanged: (task, event, isAfterEnd) => {
      const isEnd = TERMINAL_STATUSES.has(task.status) && task.superseded !== true && !isOfFile(event.kind);
      if (isEnd) noteEnd(task);
      changes.tell({ kind: 'task', task, isAlmostDone: isAlmostDone(task), isAfterEnd });
    },
    onOpened: (batchId) => paces.get(batchId)?.restart(clock.now()),
    onBatchChanged: (batch) => changes.tell({ kind: 'batch', batch }),
    onBug,
    isRefusedByDisk,
  });
  const isAlmostDone = almostDoneNotice((batchId) => scheduler.standing.isLeftWithRetries(batchId));
  const lists = new WordListFolder(path.join(dataDir, 'lists'));
  const living = new LivingSheets({
    store,
    sheets: rows,
    views,
    clock: scheduler.clock,
    night: scheduler,
    read: (file, reading) => reader.read(file, reading),
    checkOptions: async (batch) => ({
      ...checkOptions(batch),
      keyFinder: keys.finder,
      lists: await lists.current(),
    }),
  });
  const editor = new SheetEditor({
    store,
    sheets: rows,
    clock: scheduler.clock,
    keys,
    lists,
    night: scheduler,
    changes,
  });
  return new Engine({
    store,
    views,
    ledger,
    rows,
    sheets: new Sheets({ store, views, rows, editor, living, reader, lists, clock, keyFinder: () => keys.finder }),
    editor,
    living,
    lists,
    scheduler,
    folder,
    files,
    ...present({ fleet }),
    keys,
    keyOrigins: () => new KeyOrigins(dataDir, async (fingerprint) => store.originsOfKey(fingerprint)),
    paces,
    changes,
    clock,
    onBug,
    closeStore: () => opened.close(),
    storeWaitingMs: () => opened.waitingMs(),
    isOlderCopy: opened.isOlderCopy,
    ...present({ ceiling: options.ceiling, windowPictures: options.windowPictures }),
  });
}

/** What a re-imported sheet is checked with. */
function checkOptions({ sheet, settings }: BatchRecord): CheckOptions {
  const { mapping, defaultOperation, variables, choices } = sheet;
  return {
    mapping,
    variables,
    choices,
    prices: settings.profile.prices,
    accounts: accountsOf(settings).map(({ name }) => name),
    putsFiles: settings.filesPlace !== undefined,
    ...(defaultOperation === undefined ? {} : { defaultOperation }),
  };
}
