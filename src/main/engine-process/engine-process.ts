/** The engine's own process: builds the engine once main names its store, and answers until it is told to stop. */
import {
  createEngine,
  FolderDocuments,
  problemOfError,
  StoreWriteError,
  systemClock,
  type Engine,
  type StoreAddress,
  type StoreProblem,
  type WorkWatch,
} from '../../engine/index.ts';
import { join } from 'node:path';
import { ok, present, type Result } from '../../shared/domain/base/result.ts';
import { INTERNAL_REPLY, refuse, type News, type Reply } from '../../shared/ipc/contract.ts';
import { speakLanguage } from '../../shared/words/catalogues.ts';
import { reportChanges, type Reporting } from './report-changes.ts';
import {
  ALIVE_EVERY_MS,
  engineRequests,
  toEngine,
  type EngineEvent,
  type FromEngine,
  type TellWindow,
  type ToEngine,
} from './engine-protocol.ts';
import { EngineService } from './engine-service.ts';
import { FAILURE_POLICIES, failureText } from '../../shared/domain/base/failure.ts';
import { RehearsalGateway } from './rehearsal-gateway.ts';
import { addressOf, lookAt, needsStore, ServerWatch } from './server-watch.ts';
import { restoreBackup, StoreLook, storeProblemText } from './store-look.ts';
import { UtilitySheetReader } from './utility-sheet-reader.ts';
import { isEndOf, Works } from './works.ts';
import { words } from '../../shared/words/words.ts';

/** A predecessor that was killed may need a moment to release the store. */
const OWNED_RETRIES = 20;
const OWNED_RETRY_DELAY_MS = 250;

const port = process.parentPort;
let service: EngineService | undefined;
let look: StoreLook | undefined;
let reporting: Reporting | undefined;
let isStoreAnswering = (): boolean => true;
/** For a store on a server. */
let watch: ServerWatch | undefined;

/**
 * Files of sheets are read in processes that main starts: a file that makes its reader run wild only ends that reader.
 */
const sheetReader = new UtilitySheetReader(send);

// The compiler cannot follow a union of events.
const tell: TellWindow = (event, payload) => send({ kind: 'event', told: { event, payload } as EngineEvent });

/** Work that somebody waits for. */
const works = new Works({ clock: systemClock, tell });

// An engine whose store does not answer is not alive.
setInterval(() => {
  if (isStoreAnswering()) send({ kind: 'alive' });
}, ALIVE_EVERY_MS);

port.on('message', ({ data, ports }) => {
  const message = toEngine.parse(data);
  switch (message.kind) {
    case 'start':
      start(message).catch((error: unknown) => {
        reportBug(error);
        send({ kind: 'refused', message: words.desktop.engine.notStarted(messageOf(error)) });
      });
      break;
    case 'speak':
      speakLanguage(message.language);
      break;
    case 'restore':
      restoreBackup(message, Date.now()).then(
        (restored) => send({ kind: 'restored', ...restored }),
        (error: unknown) => die(error instanceof Error ? error : new Error(String(error))),
      );
      break;
    case 'look':
      send({ kind: 'looked', found: lookAt(message.server) });
      break;
    case 'sheetReader':
      sheetReader.give(message.id, ports[0]);
      break;
    case 'request':
      answer(message).catch(reportBug);
      break;
  }
});

async function start(message: Extract<ToEngine, { kind: 'start' }>): Promise<void> {
  const { storeFolder, keys, isRestoreTold, server } = message;
  const opened = await openEngine(message);
  if (!opened.ok) {
    const reason = storeProblemText(opened.error);
    look = server === undefined ? await StoreLook.open(storeFolder, opened.error, works) : undefined;
    send(look === undefined ? { kind: 'refused', message: reason } : { kind: 'started', readOnly: reason });
    return;
  }
  const { engine, shared } = opened.value;
  if (engine.isOlderCopy && !isRestoreTold) {
    // Only batches that ran or were paused show this by themselves.
    const { title, remedy } = FAILURE_POLICIES.STORE_RESTORED;
    tell('notice', { level: 'warning', title, message: remedy, isKept: true });
  }
  // A server that is away is waited for; another process would find it no sooner.
  if (server === undefined) isStoreAnswering = () => engine.isStoreAnswering(ALIVE_EVERY_MS);
  for (const { origin, key, name } of keys) engine.setKey(origin, key, undefined, name);
  const unwritten = new Map<string, readonly News<'notice'>[]>();
  const documents = new FolderDocuments({
    write: (batchId) => engine.exportBatch(batchId),
    marks: engine.documentMarks,
    onProblem: async (batchId, problem) => {
      const name = (await engine.store.batch(batchId))?.name ?? batchId;
      const title = words.desktop.engine.galleryNotWritten(name);
      const notice = { level: 'warning', title, message: failureText(problem), batchId, isKept: true } as const;
      const others = (unwritten.get(batchId) ?? []).filter(({ message }) => message !== notice.message);
      unwritten.set(batchId, [...others, notice]);
      tell('notice', notice);
    },
    onWritten: (batchId) => {
      const done = words.desktop.engine.galleryWritten;
      for (const notice of unwritten.get(batchId) ?? []) tell('notice', { ...notice, done });
      unwritten.delete(batchId);
    },
  });
  const rehearsal = new RehearsalGateway(join(storeFolder, 'rehearsal'), server !== undefined);
  service = new EngineService({
    engine,
    documents,
    rehearsal,
    storeFolder,
    works,
    ...present({ server: shared?.shown }),
    isStoreAway: () => watch?.awayWords !== undefined,
    tell,
    onStopping: (leftUndone) => send({ kind: 'stopping', leftUndone: [...leftUndone] }),
    onBug: reportBug,
  });
  reporting = await reportChanges(engine, service, tell, reportBug);
  await service.takeUp();
  if (shared !== undefined) {
    watch = new ServerWatch({
      engine,
      shown: shared.shown,
      clock: systemClock,
      onState: (state) => send({ kind: 'server', state }),
      onUnusable: (problem) => send({ kind: 'refused', message: storeProblemText(problem) }),
    });
    watch.start();
  }
  send({ kind: 'started' });
}

async function openEngine({
  storeFolder,
  incarnationFile,
  windowPictures,
  server: access,
}: Extract<ToEngine, { kind: 'start' }>): Promise<
  Result<{ readonly engine: Engine; readonly shared?: StoreAddress }, StoreProblem>
> {
  const server = access === undefined ? undefined : addressOf(access);
  if (server?.ok === false) return server;
  for (let tries = 0; ; tries += 1) {
    const opened = await createEngine({
      dataDir: storeFolder,
      incarnationFile,
      ...present({ windowPictures }),
      ...(server === undefined ? {} : { server: server.value, tellsOfOthers: true }),
      sheetReader,
      onBug: reportBug,
      onStoreLost: die,
    });
    if (opened.ok) return ok({ engine: opened.value, ...present({ shared: server?.value }) });
    if (opened.error.kind !== 'owned' || server !== undefined || tries === OWNED_RETRIES) return opened;
    await new Promise<void>((resolve) => systemClock.setTimer(OWNED_RETRY_DELAY_MS, resolve));
  }
}

async function answer({ id, name, input }: Extract<ToEngine, { kind: 'request' }>): Promise<void> {
  if (name === 'engine.stop') {
    // This comes first, so that nothing more is sent while a large edit is completed.
    service?.beginToEnd();
    await works.kept();
    await reporting?.stop();
  }
  const reply = await carryOut(name, input);
  // After the reply to a stop, main ends this process: a process that exits by itself may be gone before its reply has
  // left.
  send({ kind: 'reply', id, reply });
}

async function carryOut(name: keyof typeof engineRequests, input: unknown): Promise<Reply<unknown>> {
  const parsed = engineRequests[name].input.safeParse(input);
  if (!parsed.success) return refuse('invalid-input', parsed.error.message);
  return works.run(name, parsed.data, (work) => handle(name, parsed.data, work));
}

async function handle(name: keyof typeof engineRequests, input: unknown, work: WorkWatch): Promise<Reply<unknown>> {
  if (look !== undefined) return look.answer(name, input, work);
  if (service === undefined) return refuse('unavailable', words.desktop.engine.starting);
  const away = watch?.awayWords;
  if (away !== undefined && needsStore(name)) return refuse(codeOf(name), away);
  // The request's own schema has just parsed the input; the compiler cannot follow a union of requests.
  const carry = service.handlers[name] as Handler;
  try {
    const reply = await carry(input, work);
    // The window is told the outcome before the answer: if it is closed right after the answer, main must know that a
    // night has begun.
    if (engineRequests[name].kind !== 'quick') await reporting?.flush();
    return reply;
  } catch (error) {
    // Its end was requested.
    if (isEndOf(error, work.signal)) throw error;
    if (error instanceof StoreWriteError) return refuse('refused', storeProblemText(error.problem));
    const problem = watch === undefined ? undefined : problemOfError(error, watch.shown);
    if (problem !== undefined) return refuse(codeOf(name), storeProblemText(problem));
    reportBug(error);
    return INTERNAL_REPLY;
  }
}

type Handler = (input: unknown, work: WorkWatch) => Promise<Reply<unknown>> | Reply<unknown>;

/** A command has its own title for what did not happen; a request that only shows something is made again later. */
function codeOf(name: keyof typeof engineRequests): 'refused' | 'unavailable' {
  return engineRequests[name].kind === 'command' ? 'refused' : 'unavailable';
}

/** Main restarts this process, and the next engine continues where this one stopped. */
function die(error: Error): void {
  reportBug(error);
  process.exit(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function reportBug(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}

function send(message: FromEngine): void {
  port.postMessage(message);
}
