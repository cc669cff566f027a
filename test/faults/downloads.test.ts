import { expect, test } from 'vitest';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { FaultPlan } from '../support/fault-proxy.ts';
import type { NetworkFault } from '../support/fault-proxy-faults.ts';
import { auditCharges } from './charge-audit.ts';
import { openFaultNight, songRow } from './fault-night.ts';

const DOWNLOADS = Number(process.env['FAULTS_DOWNLOADS'] ?? 300);
const SEED = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);

/** What rows ask for in turn, and the files that each gives. */
const MIX: readonly { readonly operation: OperationPath; readonly body: object; readonly files: number }[] = [
  { operation: 'musicgen/music/generate', body: {}, files: 4 },
  { operation: 'videogen-b/image/generate', body: { num_images: 10 }, files: 10 },
  { operation: 'videogen-a/video/generate', body: {}, files: 1 },
];
const FILES_PER_ROUND = MIX.reduce((sum, { files }) => sum + files, 0);

/** How much of each kind of request meets a fault. Of the submits only such that hide no outcome. */
const STRUCK = { submit: 0.05, poll: 0.1, download: 0.35 };

/** Bytes of the smallest answer that holds a file. */
const SMALLEST_ANSWER = 3000;

function anyFault(random: () => number): NetworkFault {
  const faults: readonly NetworkFault[] = [
    { kind: 'latency', ms: 1000 + random() * 4000 },
    { kind: 'jitter', maxMs: 3000 },
    { kind: 'bandwidth', bytesPerSecond: 500 + random() * 5000 },
    { kind: 'slow-close', ms: 2000 },
    { kind: 'reset', at: 'request' },
    { kind: 'reset', at: 'answer' },
    { kind: 'half-open' },
    { kind: 'black-hole' },
    { kind: 'cut', direction: 'up', afterBytes: 20 },
    { kind: 'cut', direction: 'down', afterBytes: Math.floor(random() * SMALLEST_ANSWER) },
    { kind: 'cut', direction: 'down', afterBytes: Math.floor(random() * SMALLEST_ANSWER) },
  ];
  return faults[Math.floor(random() * faults.length)] ?? { kind: 'black-hole' };
}

const storm: FaultPlan = (kind, _nth, random) => {
  if (random() >= STRUCK[kind]) return undefined;
  return kind === 'submit' ? { kind: 'latency', ms: random() * 5000 } : anyFault(random);
};

function mixedRows(files: number): Row[] {
  const rounds = Math.ceil(files / FILES_PER_ROUND);
  return Array.from({ length: rounds * MIX.length }, (_, index) => {
    const { operation, body } = MIX[index % MIX.length] ?? { operation: 'musicgen/music/generate', body: {} };
    const row = songRow(index + 1);
    return { ...row, operation, body: { ...row.body, ...body } };
  });
}

test(
  `${DOWNLOADS} downloads through a storm (seed ${SEED}): every file is equal to the gateway’s, without a word of the user`,
  { timeout: 150_000 + DOWNLOADS * 100 },
  async (context) => {
    const rows = mixedRows(DOWNLOADS);
    const files = (rows.length / MIX.length) * FILES_PER_ROUND;
    const active = { musicgen: 20, 'videogen-a': 20, 'videogen-b': 20 };
    const night = await openFaultNight(context, {
      rows,
      seed: SEED,
      plan: storm,
      behaviour: { results: { clips: 4 } },
      limits: { activePerFamily: active, downloads: 16 },
    });
    const { engine, batchId, proxy } = night;
    await engine.start(batchId);
    await engine.settled(batchId);
    const audit = await auditCharges(night);
    console.log(
      `${audit.rightFiles} files equal to the gateway’s of ${files}; seed ${SEED}; ${audit.charges} charges, ` +
        `${audit.duplicates.length} duplicates, ${audit.losses.length} losses; requests ${JSON.stringify(proxy.requests)}, ` +
        `struck ${JSON.stringify(proxy.faults)}`,
    );
    expect(audit).toMatchObject({
      charges: rows.length,
      duplicates: [],
      losses: [],
      rightFiles: files,
      statuses: { done: rows.length },
    });
    expect(night.bugs).toEqual([]);
  },
);
