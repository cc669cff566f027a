/** The processes of a fleet: the one that imports a batch and starts it, and the workers that render it. */
import path from 'node:path';
import { createEngine, storeAddress, type Engine, type StoreAddress } from '../../src/engine/index.ts';
import { OPERATIONS } from '../../src/shared/domain/operations/operations.ts';
import { profileSchema, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { maxRssMiB, measure } from '../support/measure.ts';
import { rowsOf } from './our-night.ts';

const OPERATION = 'videogen-a/video/generate';
/** How often to check for something that no change event reports. */
const LOOK_MS = 200;

/**
 * Imports a batch into the store. Input: `baseUrl`, `folder`, `store` (empty: in the folder), `accounts`, `inFlight`
 * and `perSecond` (of an account: tasks, and requests), `rows`, `submits` (after how many the batch ends), `workers`.
 */
export async function importFleetBatch(input: ContenderInput): Promise<Figures> {
  const engine = await openEngine(input);
  const rows = [...rowsOf(numberIn(input, 'rows'), OPERATION)];
  const cost = await measure(async () => {
    await engine.createBatch({
      sheet: { headers: ['row', 'operation', 'prompt'], rows, problems: [] },
      name: 'Bench',
      settings: settingsOf(input),
    });
  });
  await engine.stop();
  return { ...cost, rssMiB: maxRssMiB() };
}

/**
 * Starts the batch once all workers are there, and waits for its end; without workers, renders the batch itself. Same
 * input.
 */
export async function runFleetBatch(input: ContenderInput): Promise<Figures> {
  const engine = await openEngine(input);
  const [batch] = await engine.store.batches();
  if (batch === undefined) throw new Error('No batch was brought in.');
  await until(async () => ((await engine.fleet())?.workers.length ?? 0) >= numberIn(input, 'workers'));
  const cost = await measure(async () => {
    await engine.start(batch.id);
    await until(async () => (await engine.store.batch(batch.id))?.state !== 'running' && isAtRest(engine, batch.id));
  });
  const { done } = (await engine.store.counts(batch.id))['videogen-a'];
  const counted = await measure(async () => void (await engine.views.batchSummary(batch.id)));
  await engine.stop();
  return { ...cost, tasks: done, countMs: counted.wallMs };
}

/** Renders what runs until that has ended. Input as above, and `name`. */
export async function runFleetWorker(input: ContenderInput): Promise<Figures> {
  const name = textIn(input, 'name');
  const engine = await openEngine(input, name);
  let done = 0;
  engine.onChange((change) => {
    if (change.kind === 'task') done += change.task.status === 'done' ? 1 : 0;
  });
  const cost = await measure(async () => {
    await engine.join();
    // At its limit a batch pauses, and what was paid for is still fetched. A worker without an account is told about
    // neither.
    await until(async () => {
      const [batch] = await engine.store.batches();
      const hasEnded = batch?.startedAt !== undefined && batch.state !== 'running';
      return hasEnded && (await isAtRest(engine, batch.id));
    });
  });
  await engine.quiesce();
  await engine.stop();
  return { ...cost, done };
}

async function isAtRest(engine: Engine, batchId: string): Promise<boolean> {
  const { submitting, rendering, downloading } = (await engine.store.counts(batchId))['videogen-a'];
  return submitting + rendering + downloading === 0;
}

async function openEngine(input: ContenderInput, worker?: string): Promise<Engine> {
  const server = serverIn(input);
  const opened = await createEngine({
    dataDir: path.join(textIn(input, 'folder'), worker ?? 'data'),
    ...(server === undefined ? {} : { server }),
    ...(worker === undefined ? {} : { fleet: { holder: worker, takesAccounts: true } }),
    onBug: (error) => {
      throw error;
    },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const { origin } = new URL(textIn(input, 'baseUrl'));
  for (const name of accountNames(input)) opened.value.setKey(origin, `bench-${name}`, undefined, name);
  return opened.value;
}

function serverIn(input: ContenderInput): StoreAddress | undefined {
  const store = textIn(input, 'store');
  if (store === '') return undefined;
  const address = storeAddress(store);
  if (!address.ok) throw new Error(address.error.message);
  return address.value;
}

function accountNames(input: ContenderInput): readonly string[] {
  return Array.from({ length: numberIn(input, 'accounts') }, (_, i) => `account-${i}`);
}

function settingsOf(input: ContenderInput): BatchSettings {
  const [first = '', ...others] = accountNames(input);
  const submits = numberIn(input, 'submits');
  return {
    folder: path.join(textIn(input, 'folder'), 'media'),
    profile: profileOf(first, input),
    accounts: {
      first: { name: first, keyName: first },
      others: others.map((name) => ({ name, keyName: name, profile: profileOf(name, input) })),
    },
    filename: '{row}',
    rehearsal: false,
    ...(submits < numberIn(input, 'rows') ? { maxSubmits: submits } : {}),
  };
}

function profileOf(name: string, input: ContenderInput): Profile {
  const inFlight = numberIn(input, 'inFlight');
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' } as const;
  const { family } = OPERATIONS.find((one) => one.path === OPERATION) ?? { family: 'videogen-a' };
  return profileSchema.parse({
    name,
    baseUrl: textIn(input, 'baseUrl'),
    status: { [family]: status },
    limits: {
      requestsPerSecond: numberIn(input, 'perSecond'),
      activePerFamily: { [family]: inFlight },
      downloads: 16,
    },
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
