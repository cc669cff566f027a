import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../../src/engine/index.ts';
import { engineRequests } from '../../../src/main/engine-process/engine-protocol.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import type { ShownTakes } from '../../../src/shared/ipc/batches.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A rehearsal waits a quarter of a second, not 2.5, before it first asks for a task. */
const NIGHT_BEGAN = Date.now();

const SHEET = [
  'row,operation,prompt,lyrics_model,takes',
  'one,lyrics,A lullaby about a lighthouse,v1,2',
  'two,lyrics,A lullaby about a harbour,v1,1',
].join('\n');

async function value<T>(reply: Promise<Reply<T>> | Reply<T>): Promise<T> {
  const answered = await reply;
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value;
}

/** A batch of three takes at a gateway that takes every submit and never says what became of it; one is submitted. */
async function withOneUnknown() {
  const bodies: string[] = [];
  const server = createServer((request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const created = await createEngine({
    dataDir: join(folder, 'store'),
    clock: fastClock(10, NIGHT_BEGAN),
    openStore: storeAtOnce,
  });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const { handlers } = new EngineService({
    engine,
    documents: new FolderDocuments({ write: (id) => engine.exportBatch(id), onProblem: () => undefined }),
    rehearsal: new RehearsalGateway(join(folder, 'rehearsal')),
    storeFolder: join(folder, 'store'),
  });
  onTestFinished(async () => {
    await handlers['engine.stop'](undefined);
    server.close();
  });
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, SHEET);
  await value(handlers['key.set']({ origin, key: 'sk-lossy-77aa88bb' }));
  await value(handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' }));
  const { id: batchId } = await value(
    handlers['batch.create']({
      sheetId: 's',
      name: 'Lossy',
      folder: join(folder, 'media'),
      rehearsal: false,
      profile: { ...DEFAULT_PROFILE, baseUrl: `${origin}/api` },
      maxSubmits: 1,
      start: true,
    }),
  );
  await engine.settled(batchId);
  /** Lets the rest be submitted, too. */
  const submitAll = async (): Promise<void> => {
    const batch = await engine.store.batch(batchId);
    if (batch === undefined) throw new Error('no batch');
    await engine.config.configure(batchId, { ...batch.settings, maxSubmits: 100 });
    await value(handlers['batch.start']({ batchId }));
    await engine.settled(batchId);
  };
  const unknown = async (rows?: number[]) => {
    const summary = await value(handlers['batch.unknown']({ batchId, ...(rows === undefined ? {} : { rows }) }));
    expect(engineRequests['batch.unknown'].output.parse(summary)).toEqual(summary);
    return summary;
  };
  const resubmit = async (takes: ShownTakes) => {
    const outcome = await value(handlers['batch.settle']({ batchId, takes, decision: 'resubmit' }));
    await engine.settled(batchId);
    return outcome;
  };
  return { engine, handlers, batchId, bodies, submitAll, unknown, resubmit };
}

test('what turns unknown after the user was shown what to resubmit is not paid for again', async () => {
  const { bodies, submitAll, unknown, resubmit } = await withOneUnknown();
  const { shown, rows, takes } = await unknown();
  expect({ rows, takes, sent: bodies.length }).toEqual({ rows: 1, takes: 1, sent: 1 });
  await submitAll();
  expect(bodies).toHaveLength(3);
  // Of the same row, too: another take of it was not shown.
  expect(await resubmit(shown)).toEqual({ tasks: 1, left: 0 });
  expect(bodies).toHaveLength(4);
});

test('a take that was submitted again since it was shown is left as it is, which is said', async () => {
  const { bodies, unknown, resubmit, submitAll } = await withOneUnknown();
  const { shown } = await unknown();
  await submitAll();
  await resubmit(shown);
  const sent = bodies.length;
  expect(await resubmit(shown)).toEqual({ tasks: 0, left: 1 });
  expect(bodies).toHaveLength(sent);
  expect((await unknown()).takes).toBe(3);
});

test('what is resubmitted in a paused batch waits with the rest of it until the batch is resumed', async () => {
  const { engine, handlers, batchId, bodies, submitAll, unknown, resubmit } = await withOneUnknown();
  const batch = await engine.store.batch(batchId);
  await engine.config.configure(batchId, { ...batch!.settings, maxSubmits: 100 });
  await value(handlers['batch.pause']({ batchId }));
  expect(await resubmit((await unknown()).shown)).toEqual({ tasks: 1, left: 0 });
  expect((await engine.store.batch(batchId))?.state).toBe('paused');
  expect(bodies).toHaveLength(1);
  await submitAll();
  expect(bodies.length).toBeGreaterThan(1);
});

test('what is retried in a batch that was never started sends nothing of it', async () => {
  const { engine, handlers, batchId, bodies } = await withOneUnknown();
  const from = { kind: 'batch', batchId } as const;
  const { profile } = (await engine.store.batch(batchId))!.settings;
  const other = await value(handlers['batch.new']({ from, folder: temporaryFolder(), rehearsal: false, profile }));
  const { rows: views } = await value(
    handlers['rows.page']({
      batchId: other.id,
      filter: {},
      sort: { column: 'line', direction: 'ascending' },
      offset: 1,
      limit: 1,
    }),
  );
  const rows = views.map(({ key }) => key);
  await value(handlers['batch.cancelRows']({ batchId: other.id, rows }));
  const { takes } = await value(handlers['batch.retryable']({ batchId: other.id, rows }));
  expect(await value(handlers['batch.retry']({ batchId: other.id, takes }))).toEqual({ tasks: 1, left: 0 });
  expect((await engine.store.batch(other.id))?.state).toBe('ready');
  expect(bodies).toHaveLength(1);
});

test('takes of another batch are not settled by the way', async () => {
  const { handlers, engine, batchId, unknown } = await withOneUnknown();
  const { shown } = await unknown();
  const other = await value(
    handlers['batch.new']({
      from: { kind: 'batch', batchId },
      folder: temporaryFolder(),
      rehearsal: true,
      profile: DEFAULT_PROFILE,
    }),
  );
  const settle = { batchId: other.id, takes: shown, decision: 'write-off' } as const;
  expect(await value(handlers['batch.settle'](settle))).toEqual({ tasks: 0, left: 1 });
  expect((await engine.store.task(shown[0]?.id ?? -1))?.status).toBe('submit-unknown');
});

test('rows are meant by their keys, whatever they are called by then', async () => {
  const { engine, batchId, submitAll, unknown } = await withOneUnknown();
  await submitAll();
  const [one = -1, two = -1] = await engine.rows.keysInView(batchId, {}, 0, 2);
  expect(await unknown([two])).toMatchObject({ rows: 1, takes: 1 });
  expect(await unknown([one])).toMatchObject({ rows: 1, takes: 2 });
});

test('a code is adopted for the take that was shown, and for none that was settled since', async () => {
  const { handlers, batchId, unknown } = await withOneUnknown();
  const [take] = (await unknown()).shown;
  if (take === undefined) throw new Error('no take');
  await value(handlers['batch.settle']({ batchId, takes: [take], decision: 'write-off' }));
  expect(await handlers['batch.adopt']({ batchId, take, taskCode: 'mine' })).toMatchObject({
    ok: false,
    error: { message: 'This row was decided in the meantime. Look at the row again.' },
  });
});
