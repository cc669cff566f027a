import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { Engine } from '../../src/engine/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { FaultPlan, FaultProxy } from '../support/fault-proxy.ts';
import { seededRandom, startFaultProxy } from '../support/fault-proxy.ts';
import { FastClock } from './fast-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A minute passes in two seconds: long enough for a busy machine to keep every deadline, short enough for many nights. */
const SPEED = 30;
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

export interface FaultNightOptions {
  readonly rows: readonly Row[];
  readonly plan?: FaultPlan;
  readonly seed?: number;
  readonly behaviour?: BehaviourInput;
  readonly limits?: object;
  /** Given to the engine in place of the proxy's address. */
  readonly baseUrl?: string;
  readonly deadlines?: object;
  /** Where the gateway says that its files are; at the proxy where nothing is said. */
  readonly fileOrigin?: string;
  /** Where the store and the media folder lie; temporary folders where nothing is said. */
  readonly dataDir?: string;
  readonly folder?: string;
}

/** A night of the whole engine on a real store, real files and real sockets, with a faulty line to the gateway. */
export interface FaultNight {
  readonly engine: Engine;
  readonly batchId: string;
  readonly folder: string;
  readonly clock: FastClock;
  readonly gateway: ObservedGateway;
  readonly proxy: FaultProxy;
  /** The batch as the engine told of it last: when the store cannot be written, it alone knows of a pause. */
  batch(): BatchRecord | undefined;
  /** Exceptions where none was expected. */
  readonly bugs: readonly unknown[];
  /** Resolves as soon as a look, taken at every committed change, finds it so. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Ends the engine, so that nothing of it is under way any more. */
  stop(): Promise<void>;
}

/** One row of a sheet; its prompt is its own, so that the gateway's charges tell whose they are. */
export function songRow(number: number, different: Partial<Row> = {}): Row {
  const id = `r${String(number).padStart(5, '0')}`;
  return {
    id,
    line: number + 1,
    operation: 'musicgen/music/generate',
    body: { prompt: `a song about ${id}` },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: id },
    ...different,
  };
}

export function songRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => songRow(index + 1));
}

const BEHAVIOUR: BehaviourInput = {
  timeScale: 1,
  durations: {
    musicgen: { law: 'fixed', seconds: 4 },
    'videogen-a': { law: 'fixed', seconds: 4 },
    'videogen-b': { law: 'fixed', seconds: 4 },
  },
  results: { clips: 1 },
  media: { detail: 'tiny' },
};

/**
 * Builds a night; it begins with `engine.start(batchId)`. All of it is taken down with the test, which is given because
 * several run at the same time.
 */
export async function openFaultNight(test: TestContext, options: FaultNightOptions): Promise<FaultNight> {
  const { seed = 1 } = options;
  const clock = new FastClock(SPEED);
  const temporary = temporaryFolder();
  const { dataDir = join(temporary, 'data'), folder = join(temporary, 'media') } = options;
  const gateway = await openGateway(options.behaviour ?? {}, seed, clock);
  const proxy = await startFaultProxy({
    gatewayOrigin: new URL(gateway.baseUrl).origin,
    clock,
    seed,
    plan: options.plan ?? (() => undefined),
    ...(options.fileOrigin === undefined ? {} : { fileOrigin: options.fileOrigin }),
  });
  const profile = profileSchema.parse({
    baseUrl: options.baseUrl ?? `${proxy.origin}/api`,
    status: { musicgen: STATUS, 'videogen-a': STATUS, 'videogen-b': STATUS },
    limits: { requestsPerSecond: 1000, ...options.limits },
    media: { allowHosts: options.fileOrigin === undefined ? [] : [new URL(options.fileOrigin).host] },
    deadlines: { submitSeconds: 90, pollSeconds: 30, ...options.deadlines },
  });
  const bugs: unknown[] = [];
  const opened = await createEngine({
    dataDir,
    clock,
    random: { next: seededRandom(seed) },
    onBug: (bug) => bugs.push(bug),
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const engine = opened.value;
  engine.setKey(new URL(profile.baseUrl).origin, 'fault-night-key');
  let told: BatchRecord | undefined;
  engine.onChange((change) => {
    if (change.kind === 'batch') told = change.batch;
  });
  const { id } = await engine.createBatch({
    sheet: { headers: ['row', 'operation', 'prompt'], rows: options.rows, problems: [] },
    name: 'faulty night',
    settings: { folder, profile, filename: '{row}', rehearsal: false },
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= engine.stop().then(() => undefined));
  test.onTestFinished(async () => {
    // A connection that stays silent would keep the engine waiting for an answer that was paid for.
    await Promise.all([stop(), proxy.close(), gateway.close()]);
  });
  const until = (isSo: () => boolean | Promise<boolean>): Promise<void> => whenSo(engine, isSo);
  return { engine, batchId: id, folder, clock, gateway, proxy, batch: () => told, bugs, until, stop };
}

async function openGateway(behaviour: BehaviourInput, seed: number, clock: FastClock): Promise<ObservedGateway> {
  const startedAt = clock.now();
  const started = await startObservedGateway({
    seed,
    // Its clock is that of another machine: it does not jump with ours.
    now: () => startedAt + clock.monotonic(),
    behaviour: {
      ...BEHAVIOUR,
      ...behaviour,
      results: { ...BEHAVIOUR.results, ...behaviour.results },
      media: { ...BEHAVIOUR.media, ...behaviour.media },
    },
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  return started.value;
}

function whenSo(engine: Engine, isSo: () => boolean | Promise<boolean>): Promise<void> {
  return new Promise((resolve, reject) => {
    let looked = Promise.resolve();
    let isFound = false;
    const look = (): void => {
      looked = looked.then(async () => {
        if (isFound || !(await isSo())) return;
        isFound = true;
        stopListening();
        resolve();
      });
      looked.catch(reject);
    };
    const stopListening = engine.onChange(look);
    look();
  });
}
