/** The thread that has a store open: it answers questions in the order in which they were asked. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { present } from '../../../shared/domain/base/result.ts';
import { passCrashPointsOn } from '../../crash-point.ts';
import type { TaskChange } from '../../ports/task-change.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { openStore } from '../open/open-store.ts';
import type { OpenStore } from '../open/store-on.ts';
import { isRefusedByDisk, StoreTakenError } from '../open/store-problem.ts';
import { isStream, answeringParts } from './promised.ts';
import {
  receivedRows,
  sentError,
  type FromStoreThread,
  type Piece,
  type StoreAnswer,
  type StoreRequest,
  type StoreThreadInput,
} from './store-messages.ts';

/** A few hundred items are worth a message, and hold nobody else up. */
const ITEMS_SENT = 200;
/** At most this many answers wait for each other. */
const ANSWERS_SENT = 50;
/** A few hundred rows: whatever is asked of fewer takes some milliseconds. */
const LARGE_BYTES = 4 << 20;

type Call = Extract<StoreRequest, { kind: 'call' }>;
type Callable = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const { dataDir, server, as, noted, isShared, tellsLarge, watched } = workerData as StoreThreadInput;
const port = parentPort;
if (port === null) throw new Error('This is the program of a thread.');
const asked: StoreRequest[] = [];
/** Not yet sent: answers go together, because each message wakes the thread that it goes to. */
let unsent: StoreAnswer[] = [];
const streams = new Map<number, Iterator<unknown>>();
let isLargeToBeTold = tellsLarge === true;

if (watched !== undefined) {
  passCrashPointsOn(watched, (name) => say({ kind: 'crash-point', name }));
}

try {
  const random = { next: Math.random };
  const opened = openStore(dataDir, {
    owner: as === 'owner',
    isSound: as === 'reader',
    random,
    ...present({ noted, server, isShared }),
  });
  if (opened.ok) serve(opened.value);
  else say({ kind: 'refused', problem: opened.error });
} catch (error) {
  say({ kind: 'failed', error: sentError(error) });
}

function say(message: FromStoreThread): void {
  port?.postMessage(message, []);
}

function answer(...answers: readonly StoreAnswer[]): void {
  unsent.push(...answers);
  if (unsent.length >= ANSWERS_SENT) sendAnswers();
}

function sendAnswers(): void {
  const answers = unsent;
  unsent = [];
  if (answers.length > 0) send(answers);
}

function send(answers: readonly StoreAnswer[]): void {
  try {
    say({ kind: 'answers', answers });
  } catch (error) {
    // Something in one of the answers cannot be sent, so each goes by itself.
    const [only] = answers;
    if (answers.length > 1) for (const one of answers) send([one]);
    else if (only !== undefined) say({ kind: 'answers', answers: [{ id: only.id, error: sentError(error) }] });
  }
}

function noteSize(): void {
  if (!isLargeToBeTold) return;
  isLargeToBeTold = (statSync(join(dataDir, 'nocturne.db'), { throwIfNoEntry: false })?.size ?? 0) < LARGE_BYTES;
  if (!isLargeToBeTold) say({ kind: 'large' });
}

function serve(opened: OpenStore): void {
  const parts = answeringParts(opened);
  port?.on('message', (requests: readonly StoreRequest[]) => {
    asked.push(...requests);
    for (let next = nextAsked(); next !== undefined; next = nextAsked()) {
      // Finished answers do not wait for the disk.
      if (!isQuick(next)) sendAnswers();
      if (isCommit(next)) commitTogether(opened, [next, ...furtherCommits()]);
      else carryOut(opened, parts as unknown as Readonly<Record<string, Callable>>, next);
    }
    noteSize();
    sendAnswers();
  });
  noteSize();
  const { store, sheets, views, ledger, leases, whole } = parts;
  const methods = {
    store: Object.keys(store),
    sheets: Object.keys(sheets),
    views: Object.keys(views),
    ledger: Object.keys(ledger),
    leases: Object.keys(leases),
    whole: Object.keys(whole),
  };
  say({ kind: 'opened', methods, isOlderCopy: opened.isOlderCopy });
}

function isCommit(request: StoreRequest): request is Call {
  return request.kind === 'call' && request.part === 'store' && request.method === 'commit';
}

/** Methods that wait for the disk. */
const WRITES: ReadonlySet<string> = new Set([
  'commit',
  'setBatchState',
  'makeDue',
  'updateBatchSettings',
  'removeBatch',
  'markDocuments',
  'countDocuments',
] satisfies readonly (keyof TaskStore)[]);

/** True for a request that mostly reads a few pages. */
function isQuick(request: StoreRequest): boolean {
  switch (request.kind) {
    case 'call':
      return request.part === 'store' && !WRITES.has(request.method);
    case 'more':
    case 'enough':
      return true;
    case 'import':
    case 'close':
      return false;
  }
}

/** The next request; requests that have come meanwhile are answered with the rest. */
function nextAsked(): StoreRequest | undefined {
  if (asked.length === 0) receiveMore();
  return asked.shift();
}

function receiveMore(): void {
  if (port === null) return;
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    asked.push(...(more as { readonly message: readonly StoreRequest[] }).message);
  }
}

/** The commits that have come since, up to the first question, which must see what was committed before it. */
function furtherCommits(): readonly Call[] {
  receiveMore();
  const first = asked.findIndex((request) => !isCommit(request));
  return asked.splice(0, first < 0 ? asked.length : first) as readonly StoreRequest[] as readonly Call[];
}

/**
 * Commits in one transaction, so the disk is waited for only once. Each change is its own compare-and-set, so each gets
 * its own answer.
 */
function commitTogether({ store }: Pick<OpenStore, 'store'>, calls: readonly Call[]): void {
  const groups = calls.map(({ args }) => args[0] as readonly TaskChange[]);
  try {
    const outcomes = store.commit(groups.flat());
    let at = 0;
    answer(...calls.map(({ id }, i) => ({ id, value: outcomes.slice(at, (at += groups[i]?.length ?? 0)) })));
  } catch (error) {
    if (error instanceof StoreTakenError) {
      // This owner must not answer anything any more; what it holds is gone with its process.
      say({ kind: 'refused', problem: error.problem });
      return;
    }
    // Nothing was written. A caller with a bug must not cost the others their commits.
    if (calls.length > 1 && !isRefusedByDisk(error)) for (const call of calls) commitTogether({ store }, [call]);
    else answer(...calls.map(({ id }) => ({ id, error: sentError(error) })));
  }
}

function carryOut(opened: OpenStore, parts: Readonly<Record<string, Callable>>, request: StoreRequest): void {
  if (request.kind === 'enough') {
    streams.get(request.of)?.return?.();
    streams.delete(request.of);
    return;
  }
  const { id } = request;
  try {
    if (request.kind === 'close') {
      opened.close();
      answer({ id, value: undefined });
      // Nothing keeps the thread any longer.
      port?.unref();
      return;
    }
    answer({ id, value: opened.asItIsNow(() => valueOf(opened, parts, request)) });
  } catch (error) {
    answer({ id, error: sentError(error) });
  }
}

function valueOf(
  opened: OpenStore,
  parts: Readonly<Record<string, Callable>>,
  request: Exclude<StoreRequest, { kind: 'enough' | 'close' }>,
): unknown {
  switch (request.kind) {
    case 'call': {
      const { id, part, method, args } = request;
      const callable = Object.hasOwn(parts, part) ? parts[part] : undefined;
      if (callable === undefined || !Object.hasOwn(callable, method)) throw new Error(`No method ${part}.${method}`);
      const value = callable[method]?.(...args);
      if (!isStream(part, method)) return value;
      streams.set(id, (value as Iterable<unknown>)[Symbol.iterator]());
      return pieceOf(id);
    }
    case 'more':
      return pieceOf(request.of);
    case 'import':
      return opened.store.createBatch({ ...request.batch, rows: receivedRows(request.rows) });
  }
}

function pieceOf(stream: number): Piece {
  const iterator = streams.get(stream);
  if (iterator === undefined) throw new Error('Nothing is left of an answer that came to its end.');
  const items: unknown[] = [];
  while (items.length < ITEMS_SENT) {
    const next = iterator.next();
    if (next.done === true) {
      streams.delete(stream);
      return { items, isLast: true };
    }
    items.push(next.value);
  }
  return { items, isLast: false };
}
