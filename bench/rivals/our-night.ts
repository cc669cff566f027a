import path from 'node:path';
import { createEngine, type Engine } from '../../src/engine/index.ts';
import { OPERATIONS, type Operation } from '../../src/shared/domain/operations/operations.ts';
import { profileSchema, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { collectGarbage, lateness, maxRssMiB, mean, measure, watchLoop } from '../support/measure.ts';

/**
 * A whole night of our engine, durable: sheet rows in, verified files out. Input: `baseUrl`, `folder`, `rows`,
 * `inFlight`, `operation` (a path, or `all` for the 13 in turn), `sampleEvery` (0: none).
 */
export async function runOurNight(input: ContenderInput): Promise<Figures> {
  const engine = await openEngine(input);
  const sampler = sampleMemory(engine, numberIn(input, 'sampleEvery'));
  const figures = await runBatch(engine, await bringIn(engine, input));
  await engine.stop();
  return { ...figures, samplingCpuMs: sampler.cpuMs(), samples: sampler.samples };
}

/** Makes the batch of a night and leaves it to another process, which never has the sheet in memory. Same input. */
export async function prepareOurNight(input: ContenderInput): Promise<Figures> {
  const engine = await openEngine(input);
  await bringIn(engine, input);
  await engine.stop();
  return {};
}

/** The night of a batch that {@link prepareOurNight} made. Same input. */
export async function runPreparedNight(input: ContenderInput): Promise<Figures> {
  const engine = await openEngine(input);
  const [batch] = await engine.store.batches();
  if (batch === undefined) throw new Error('No batch was prepared.');
  const figures = await runBatch(engine, batch.id);
  await engine.stop();
  return figures;
}

async function openEngine(input: ContenderInput): Promise<Engine> {
  const opened = await createEngine({
    dataDir: path.join(textIn(input, 'folder'), 'data'),
    onBug: (error) => {
      throw error;
    },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  opened.value.setKey(new URL(textIn(input, 'baseUrl')).origin, 'bench');
  return opened.value;
}

async function bringIn(engine: Engine, input: ContenderInput): Promise<string> {
  const batch = await engine.createBatch({
    sheet: {
      headers: ['row', 'operation', 'prompt'],
      rows: [...rowsOf(numberIn(input, 'rows'), textIn(input, 'operation'))],
      problems: [],
    },
    name: 'Bench',
    settings: {
      folder: path.join(textIn(input, 'folder'), 'media'),
      profile: fastProfile(textIn(input, 'baseUrl'), numberIn(input, 'inFlight')),
      filename: '{row}',
      rehearsal: true,
    },
  });
  return batch.id;
}

async function runBatch(engine: Engine, batchId: string): Promise<Figures> {
  const loopP99Ms = watchLoop();
  const cost = await measure(async () => {
    await engine.start(batchId);
    await engine.settled(batchId);
  });
  // Measured before the counting below, which takes memory, too.
  const night = { ...cost, loopP99Ms: loopP99Ms(), nightRssMiB: maxRssMiB() };
  return { ...night, ...(await countsOf(engine, batchId)) };
}

function fastProfile(baseUrl: string, inFlight: number): Profile {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' } as const;
  return profileSchema.parse({
    baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: {
      requestsPerSecond: 10_000,
      activePerFamily: { musicgen: inFlight, 'videogen-a': inFlight, 'videogen-b': inFlight },
      downloads: 16,
    },
  });
}

/** The rows of a sheet, of one operation or of `all` in turn. */
export function* rowsOf(count: number, operation: string): Generator<Row> {
  const chosen = operation === 'all' ? OPERATIONS : OPERATIONS.filter((one) => one.path === operation);
  for (let i = 0; i < count; i += 1) {
    const one = chosen[i % chosen.length];
    if (one === undefined) throw new Error(`No operation ${operation}`);
    yield rowOf(i, one);
  }
}

function rowOf(i: number, operation: Operation): Row {
  const prompt = `Number ${i}: a quiet night over the harbour, slow and warm, with a lighthouse far away`;
  return {
    id: `r${i}`,
    line: i + 2,
    operation: operation.path,
    body: bodyOf(operation, prompt, i),
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: `r${i}`, operation: operation.path, prompt },
  };
}

/** The fields that make sense of each operation; the others are left to the gateway. */
function bodyOf(operation: Operation, prompt: string, i: number): Row['body'] {
  const names = new Set(operation.fields.map((field) => field.name));
  if (names.has('prompt')) return { prompt };
  if (names.has('audioUrl')) return { audioUrl: [`https://media.example/${i}.mp3`] };
  return { clip_id: `clip-${i}` };
}

interface MemorySampler {
  /** Each with done tasks, RSS, heap and memory outside the heap (bytes), and milliseconds since the start. */
  readonly samples: number[][];
  cpuMs(): number;
}

/**
 * Samples this process's memory after a garbage collection, each time that `every` tasks are done; its cost is counted
 * separately.
 */
function sampleMemory(engine: Engine, every: number): MemorySampler {
  const samples: number[][] = [];
  const startedMs = performance.now();
  let done = 0;
  let cpuUs = 0;
  engine.onChange((change) => {
    if (change.kind !== 'task' || change.task.status !== 'done') return;
    done += 1;
    if (every === 0 || done % every !== 0) return;
    const before = process.cpuUsage();
    collectGarbage();
    const { rss, heapUsed, external } = process.memoryUsage();
    samples.push([done, rss, heapUsed, external, performance.now() - startedMs]);
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
  });
  return { samples, cpuMs: () => cpuUs / 1000 };
}

/** The results of the night, and after how many polls, and how late, each end was noticed. */
async function countsOf(engine: Engine, batchId: string): Promise<Figures> {
  const latencies: number[] = [];
  const polls: number[] = [];
  let exceptions = 0;
  for await (const task of engine.store.tasksByStatus([
    'queued',
    'submit-unknown',
    'rendering',
    'failed',
    'cancelled',
  ])) {
    if (task.batchId === batchId) exceptions += 1;
  }
  for await (const task of engine.store.tasksByStatus(['done'], batchId)) {
    const answer = await engine.store.pollAnswer(task.id);
    const record = JSON.parse(Buffer.from(answer?.body ?? []).toString('utf8')) as {
      readonly result: { readonly endTime: string };
    };
    latencies.push((task.renderedAt ?? Number.NaN) - Number(record.result.endTime));
    polls.push(task.poll.polls);
  }
  return { tasks: latencies.length, exceptions, ...lateness(latencies), polls: mean(polls) };
}
