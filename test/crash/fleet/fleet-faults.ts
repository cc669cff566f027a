/** What is done to a fleet while it works. A fault counts once it has hit something, and each reports what. */
import { existsSync, renameSync } from 'node:fs';
import type { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { assertNever } from '../../../src/shared/domain/base/result.ts';
import { hitServer, startServerMeanwhile } from '../../support/postgres-cluster.ts';
import { loseNextAnswer, openMedia, openSubmits, type WatchedAccount } from './accounts.ts';
import type { Fleet } from './fleet.ts';
import type { WorkerPoint } from './worker-protocol.ts';
import type { Worker } from './workers.ts';

export const FAULT_KINDS = [
  'killed',
  'killed at a point',
  'stopped',
  'stopped at a point',
  'cut off',
  'unheard',
  'heard late',
  'commit cut',
  'server killed',
  'answer lost',
  'folder away',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** One fault, as planned. */
export interface Fault {
  readonly kind: FaultKind;
  /** Where, for a fault that hits at a point. */
  readonly point?: WorkerPoint;
  /** Counts only if others have all its accounts before it goes on. */
  readonly isTaken?: true;
}

/** What it hit. */
export interface Hit {
  readonly fault: Fault;
  readonly worker: string | undefined;
  readonly what: string;
  /** Tasks that were in flight there. */
  readonly tasks: readonly number[];
}

/** After these, an answer may be lost. With all others, what was paid for must be kept. */
export const LOSES_ANSWERS: ReadonlySet<FaultKind> = new Set(['killed', 'killed at a point', 'answer lost']);

export const KILL_POINTS: readonly WorkerPoint[] = [
  'submit.before-intent',
  'commit.written',
  'submit.intent-committed',
  'submit.leaves',
  'submit.bytes-left',
  'submit.answered',
  'submit.answer-committed',
  'poll.answered',
  'poll.committed',
  'download.generation-committed',
  'download.bytes-written',
  'download.part-complete',
  'download.part-synced',
  'place.committed',
  'place.linked',
  'place.part-removed',
  'place.folder-synced',
];

/** Where a worker is sure of its lease, and finds that it has lost it at the next step. */
export const STOP_POINTS: readonly WorkerPoint[] = [
  'submit.before-intent',
  'submit.intent-committed',
  'submit.leaves',
  'submit.bytes-left',
  'submit.answered',
  'poll.answered',
  'download.bytes-written',
  'download.part-complete',
  'place.committed',
  'place.linked',
];

/** How long to wait for something worth hitting. */
const WORTHWHILE_MS = 6_000;
const LOOK_EVERY_MS = 15;
/**
 * Longer than a lease and the turns until somebody takes it; a process that stands still may keep everybody from taking
 * it.
 */
const TAKEN_WITHIN_MS = 8_000;

/** Carries out a fault, and everything that ends it; undefined if there was nothing to hit. */
export async function strike(
  fleet: Fleet,
  fault: Fault,
  random: SeededRandom,
  folder: string,
): Promise<Hit | undefined> {
  switch (fault.kind) {
    case 'server killed':
      return killServer(fleet, fault, random);
    case 'answer lost':
      return loseAnswer(fleet, fault, random);
    case 'folder away':
      return takeFolderAway(fleet, fault, random, folder);
    case 'killed':
    case 'killed at a point':
    case 'stopped':
    case 'stopped at a point':
    case 'cut off':
    case 'unheard':
    case 'heard late':
    case 'commit cut':
      return hitWorker(fleet, fault, random);
    default:
      return assertNever(fault.kind);
  }
}

async function hitWorker(fleet: Fleet, fault: Fault, random: SeededRandom): Promise<Hit | undefined> {
  const free = fleet.workers.filter(({ isBusy, state }) => !isBusy && state === 'running');
  const worker = free[random.below(Math.max(1, free.length))];
  if (worker === undefined) return undefined;
  worker.isBusy = true;
  try {
    return await hit(fleet, worker, fault, random);
  } finally {
    worker.continue();
    worker.proxy.heal();
    if (worker.state === 'ended') worker.start();
    worker.isBusy = false;
  }
}

async function hit(fleet: Fleet, worker: Worker, fault: Fault, random: SeededRandom): Promise<Hit | undefined> {
  const { audit } = fleet;
  const { point } = fault;
  const done = (what: string, tasks: readonly number[]): Hit => ({ fault, worker: worker.life, what, tasks });
  if (point !== undefined) {
    const act = fault.kind === 'killed at a point' ? 'die' : 'stop';
    const pass = 1 + random.below(3);
    if (!(await worker.trap({ point, pass, act }, WORTHWHILE_MS))) return undefined;
    const leases = await audit.leasesOf(worker.life);
    const tasks = await audit.inFlight(leases.keys());
    if (act === 'die') {
      await pause(random.below(2_000));
      return leases.size === 0 ? undefined : done(`${leases.size} leases held`, tasks);
    }
    const { taken, over } = await outlive(fleet, leases, fault.isTaken);
    await pause(random.below(500));
    const isInVain = fault.isTaken === true ? taken < leases.size || taken === 0 : over === 0;
    return isInVain ? undefined : done(`${taken} of ${leases.size} leases taken meanwhile`, tasks);
  }
  const found = await worthHitting(fleet, worker, random.next() < 0.75 ? 'submit' : 'media');
  if (found === undefined) return undefined;
  const { what, leases } = found;
  switch (fault.kind) {
    case 'killed': {
      await worker.kill();
      const tasks = await audit.inFlight(leases.keys());
      await pause(random.below(2_000));
      return done(what, tasks);
    }
    case 'stopped': {
      worker.stop();
      const tasks = await audit.inFlight(leases.keys());
      const { taken, over } = await outlive(fleet, leases);
      await pause(random.below(1_000));
      return over === 0 ? undefined : done(`${what}; ${taken} of ${leases.size} leases taken meanwhile`, tasks);
    }
    case 'cut off':
    case 'unheard': {
      if (worker.proxy.connections === 0) return undefined;
      if (fault.kind === 'cut off') worker.proxy.leave();
      else worker.proxy.silence();
      const tasks = await audit.inFlight(leases.keys());
      if (random.next() < 0.4) await pause(300 + random.below(1_000));
      else await outlive(fleet, leases);
      return done(what, tasks);
    }
    case 'heard late': {
      const release = worker.proxy.hold();
      const tasks = await audit.inFlight(leases.keys());
      const { taken, over } = await outlive(fleet, leases);
      release();
      return over === 0 ? undefined : done(`${what}; ${taken} of ${leases.size} leases taken meanwhile`, tasks);
    }
    case 'commit cut': {
      const { cuts } = worker.proxy;
      worker.proxy.cut(random.pick(['before', 'after', 'told', 'query'] as const));
      const isCut = await until(() => worker.proxy.cuts > cuts, WORTHWHILE_MS);
      const tasks = await audit.inFlight(leases.keys());
      await pause(random.below(500));
      return isCut ? done(what, tasks) : undefined;
    }
    case 'killed at a point':
    case 'stopped at a point':
    case 'server killed':
    case 'answer lost':
    case 'folder away':
      throw new Error(`No fault of a worker by itself: ${fault.kind}`);
    default:
      return assertNever(fault.kind);
  }
}

interface Worthwhile {
  readonly what: string;
  readonly leases: ReadonlyMap<string, number>;
}

/** Waits until a worker has an account with a request or a file under way; after that, anything in flight is enough. */
async function worthHitting(fleet: Fleet, worker: Worker, wanted: 'submit' | 'media'): Promise<Worthwhile | undefined> {
  const end = performance.now() + WORTHWHILE_MS;
  while (performance.now() < end && worker.state === 'running') {
    const leases = await fleet.audit.leasesOf(worker.life);
    const held = accountsOf(fleet, leases);
    const isLast = performance.now() > end - WORTHWHILE_MS / 2;
    if (held.some((account) => openSubmits(account) > 0)) return { what: 'a paid request out', leases };
    if ((wanted === 'media' || isLast) && held.some((account) => openMedia(account) > 0)) {
      return { what: 'a file on its way', leases };
    }
    await pause(LOOK_EVERY_MS);
  }
  return undefined;
}

function accountsOf({ accounts }: Fleet, leases: ReadonlyMap<string, number>): readonly WatchedAccount[] {
  const origins = new Set([...leases.keys()].map((account) => account.split(' ')[0]));
  return accounts.filter(({ origin }) => origins.has(origin));
}

/** Waits until all these leases have ended, and until others have taken one, or each, if they do so soon. */
async function outlive(
  { audit }: Fleet,
  leases: ReadonlyMap<string, number>,
  isEach = false,
): Promise<{ readonly over: number; readonly taken: number }> {
  const end = performance.now() + TAKEN_WITHIN_MS;
  for (;;) {
    const state = await audit.ended(leases);
    if (state.taken >= (isEach ? leases.size : 1) && state.over === leases.size) return state;
    if (performance.now() > end) return state;
    await pause(LOOK_EVERY_MS * 4);
  }
}

async function killServer(fleet: Fleet, fault: Fault, random: SeededRandom): Promise<Hit | undefined> {
  const isOut = (): boolean => fleet.accounts.some((account) => openSubmits(account) > 0);
  if (!(await until(isOut, WORTHWHILE_MS)) || fleet.isServerBusy) return undefined;
  fleet.isServerBusy = true;
  const how = random.next() < 0.5 ? 'immediate' : 'crash';
  hitServer(fleet.socket, how);
  await pause(200 + random.below(2_500));
  await startServerMeanwhile(fleet.socket);
  fleet.isServerBusy = false;
  const leases = await Promise.all(fleet.workers.map(({ life }) => fleet.audit.leasesOf(life)));
  const tasks = await fleet.audit.inFlight(leases.flatMap((held) => [...held.keys()]));
  return { fault, worker: undefined, what: `a paid request out; ${how}`, tasks };
}

async function loseAnswer(fleet: Fleet, fault: Fault, random: SeededRandom): Promise<Hit | undefined> {
  const account = random.pick(fleet.accounts);
  const before = account.arrivals.length;
  const charged = random.next() < 0.5;
  loseNextAnswer(account, charged);
  const isLost = (): boolean =>
    account.arrivals.slice(before).some(({ kind, isCut }) => kind === 'submit' && isCut === true);
  if (!(await until(isLost, WORTHWHILE_MS))) return undefined;
  return { fault, worker: undefined, what: charged ? 'after the charge' : 'before the charge', tasks: [] };
}

/** Like a network share that is not mounted for a while. */
async function takeFolderAway(
  fleet: Fleet,
  fault: Fault,
  random: SeededRandom,
  folder: string,
): Promise<Hit | undefined> {
  const isUsed = (): boolean => existsSync(folder) && fleet.accounts.some((account) => openMedia(account) > 0);
  if (!(await until(isUsed, WORTHWHILE_MS))) return undefined;
  renameSync(folder, `${folder}.away`);
  await pause(200 + random.below(1_500));
  renameSync(`${folder}.away`, folder);
  return { fault, worker: undefined, what: 'a file on its way', tasks: [] };
}

async function until(is: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!is()) {
    if (performance.now() > end) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
