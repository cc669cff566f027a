import { listOf } from '../../src/shared/domain/base/result.ts';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/index.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { auditCharges } from '../faults/charge-audit.ts';
import { openFaultNight, songRows, type FaultNight } from '../faults/fault-night.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROWS = 90;
const FEW_ROWS = 12;
const EVERY = 10;

/** Every tenth request for a file is answered badly, in turn by each of these. */
const BAD_ANSWERS = [
  { kind: 'mislabelled', as: 'html' },
  { kind: 'empty' },
  { kind: 'truncated', lengthDeclared: 'short' },
  { kind: 'truncated', lengthDeclared: false },
  { kind: 'truncated', lengthDeclared: true },
  { kind: 'http', status: 200, body: '{"error":"busy"}' },
] as const;

const TENTH: NonNullable<BehaviourInput['faults']> = BAD_ANSWERS.map((fault, i) => ({
  ...fault,
  when: 'download',
  nth: nths(1 + i * EVERY, EVERY * BAD_ANSWERS.length),
}));

function nths(first: number, step: number): [number, ...number[]] {
  return [first, ...Array.from({ length: 9 }, (_, i) => first + (i + 1) * step)];
}

const limits = { activePerFamily: { musicgen: 10 }, downloads: 4 };
/** On a fast clock: what a busy machine answers late must not be taken for a lost answer. */
const deadlines = { submitSeconds: 900, pollSeconds: 300 };

vi.setConfig({ testTimeout: 120_000 });

test('one bad answer in ten from the host of the files: every row is done, without a word, and nothing is rendered anew', async (context) => {
  const night = await openFaultNight(context, {
    rows: songRows(ROWS),
    limits,
    deadlines,
    behaviour: { faults: TENTH },
  });
  await night.engine.start(night.batchId);
  await night.engine.settled(night.batchId);
  await expectAllDone(night, ROWS);
  expect(night.gateway.stats().downloads).toBeGreaterThanOrEqual(ROWS + ROWS / EVERY);
  const aside = await readdir(join(night.folder, 'set-aside'));
  expect(aside.length).toBeGreaterThan(2);
});

test('the same with a restart in the middle of it: the schedule goes on, and every row is done', async (context) => {
  const dataDir = join(temporaryFolder(), 'data');
  // A host that knows its files only some minutes later: at the first tries nothing is sound.
  const behaviour: BehaviourInput = { faults: [{ kind: 'mislabelled', when: 'download', times: 4 * FEW_ROWS }] };
  const night = await openFaultNight(context, { rows: songRows(FEW_ROWS), limits, deadlines, behaviour, dataDir });
  await night.engine.start(night.batchId);
  await night.until(async () => (await mostTries(night.engine, night.batchId)) >= 3);
  await night.stop();
  const engine = await openAgain(night, dataDir);
  expect(await mostTries(engine, night.batchId)).toBeGreaterThanOrEqual(3);
  await engine.attach(night.batchId);
  await engine.settled(night.batchId);
  const batch = await engine.store.batch(night.batchId);
  await expectAllDone({ ...night, engine, batch: () => batch }, FEW_ROWS);
  await engine.stop();
});

async function openAgain({ clock, bugs }: FaultNight, dataDir: string): Promise<Engine> {
  const opened = await createEngine({ dataDir, clock, onBug: (bug) => (bugs as unknown[]).push(bug) });
  if (!opened.ok) throw new Error(opened.error.message);
  for (const { settings } of await opened.value.store.batches()) {
    opened.value.setKey(new URL(settings.profile.baseUrl).origin, 'fault-night-key');
  }
  return opened.value;
}

async function mostTries({ store }: Engine, batchId: string): Promise<number> {
  const tasks = await listOf(store.tasksByStatus(['downloading', 'rendering'], batchId));
  return Math.max(0, ...tasks.flatMap(({ outputs }) => outputs.map(({ tries }) => tries)));
}

async function expectAllDone(night: FaultNight, rows: number): Promise<void> {
  const audit = await auditCharges(night);
  expect(audit).toMatchObject({ duplicates: [], losses: [], charges: rows, rightFiles: rows });
  expect(audit.statuses).toEqual({ done: rows });
  expect(night.bugs).toEqual([]);
}
