import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, loadSheet, type Engine } from '../../src/engine/index.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import type { Charge } from '../../src/gateway-sim/charge-log.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import { rowsReferredTo } from '../../src/shared/domain/cells/reference.ts';
import type { CheckedSheet } from '../../src/shared/domain/sheet/row.ts';
import { FastClock } from '../faults/fast-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** 20 rows over all families; all but one of them need what the first one gives. */
const SHEET = path.join(import.meta.dirname, '../../resources/samples/chain.csv');

const KEY = 'key-of-the-chain-test';
const SPEED = 30;

interface ChainNight {
  readonly engine: Engine;
  readonly gateway: ObservedGateway;
  readonly sheet: CheckedSheet;
  readonly batchId: string;
}

async function openChainNight(behaviour: BehaviourInput): Promise<ChainNight> {
  const dir = temporaryFolder();
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.001, media: { detail: 'tiny' }, auth: { keys: [KEY] }, ...behaviour },
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const opened = await createEngine({ dataDir: path.join(dir, 'data'), clock: new FastClock(SPEED) });
  if (!opened.ok) throw new Error(opened.error.message);
  const engine = opened.value;
  onTestFinished(async () => {
    await engine.stop();
    await gateway.close();
  });
  engine.setKey(new URL(gateway.baseUrl).origin, KEY);
  const sheet = await loadSheet(SHEET);
  expect(sheet.rows).toHaveLength(20);
  expect(sheet.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profile = profileSchema.parse({
    baseUrl: gateway.baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: { requestsPerSecond: 1000 },
    deadlines: { submitSeconds: 15 * SPEED, pollSeconds: 15 * SPEED, taskHours: 24 },
  });
  const settings = { folder: path.join(dir, 'media'), profile, filename: '{row}', rehearsal: false };
  return { engine, gateway, sheet, batchId: (await engine.createBatch({ sheet, name: 'chain', settings })).id };
}

async function statusesOf({
  engine,
  sheet,
  batchId,
}: ChainNight): Promise<Readonly<Record<string, string | undefined>>> {
  return Object.fromEntries(
    await Promise.all(
      sheet.rows.map(async ({ id }) => [id, (await engine.store.tasksOfRow(batchId, id))[0]?.status] as const),
    ),
  );
}

/** The one charge that ended as the task of a row. */
async function chargeOf({ engine, gateway, batchId }: ChainNight, rowId: string): Promise<Charge> {
  const code = (await engine.store.tasksOfRow(batchId, rowId))[0]?.taskCode;
  const charge = gateway.chargeLog().find(({ taskCode }) => taskCode === code);
  if (charge === undefined) throw new Error(`${rowId} was not charged.`);
  return charge;
}

/** Every row is done, and was sent after all that it refers to was finished, with nothing in it as it was written. */
async function expectChained(night: ChainNight): Promise<void> {
  expect(new Set(Object.values(await statusesOf(night)))).toEqual(new Set(['done']));
  for (const row of night.sheet.rows) {
    const charge = await chargeOf(night, row.id);
    expect(JSON.stringify(charge.body)).not.toContain('{{');
    for (const source of rowsReferredTo(row.links)) {
      expect(charge.at).toBeGreaterThanOrEqual(
        night.gateway.finishesAt((await chargeOf(night, source)).taskCode) ?? Number.POSITIVE_INFINITY,
      );
    }
  }
  expect(night.gateway.stats().rejections).toEqual([]);
}

test('a chain of 20 rows over all families ends right: each is paid once, with what the others gave', async () => {
  const night = await openChainNight({});
  await night.engine.start(night.batchId);
  expect(await night.engine.settled(night.batchId)).toMatchObject({ state: 'finished' });
  await expectChained(night);
  expect(night.gateway.chargeLog()).toHaveLength(20);
  const { gateway } = night;
  const code = async (rowId: string): Promise<string> => (await chargeOf(night, rowId)).taskCode;
  const words = gateway.dataResult(await code('words'));
  expect((await chargeOf(night, 'song')).body).toMatchObject({ prompt: words?.['text'], title: words?.['title'] });
  expect((await chargeOf(night, 'song-rich')).body).toMatchObject({
    tags: [gateway.dataResult(await code('style'))?.['upsampled_tags']],
  });
  expect((await chargeOf(night, 'second-song')).body).toMatchObject({
    persona: {
      persona_id: gateway.dataResult(await code('voice'))?.['persona_id'],
      artist_clip_id: await code('song'),
    },
  });
  expect((await chargeOf(night, 'take-in')).body).toEqual({ audioUrl: [gateway.outputs(await code('song'))[0]?.url] });
  expect(gateway.dataResult(await code('take-in'))).toMatchObject({
    clips: [{ clip_id: (await chargeOf(night, 'cover-version')).body['clip_id'] }],
  });
  expect((await chargeOf(night, 'loop')).body).toMatchObject({
    imageList: gateway.outputs(await code('cover')).map(({ url }) => url),
  });
  expect((await chargeOf(night, 'loop-longer')).body).toMatchObject({ videoId: await code('loop') });
});

test('the same chain ends right when its first row fails and is tried again; only that one is paid twice', async () => {
  const night = await openChainNight({
    faults: [{ kind: 'remote-failure', when: 'submit', operations: ['musicgen/music/lyrics'], nth: [1] }],
  });
  const { engine, gateway, batchId } = night;
  await engine.start(batchId);
  await engine.settled(batchId);
  const after = await statusesOf(night);
  expect(Object.entries(after).flatMap(([id, status]) => (status === 'done' ? [id] : []))).toEqual(['style']);
  expect(Object.values(after).filter((status) => status === 'failed')).toHaveLength(19);
  expect(gateway.chargeLog()).toHaveLength(2);
  expect((await engine.store.tasksOfRow(batchId, 'clip'))[0]?.failure?.message).toMatch(
    /“cover-wide”.*“words”.*out of memory/,
  );

  await engine.decisions.retry(batchId, ['words']);
  await engine.settled(batchId);
  await expectChained(night);
  expect(gateway.chargeLog()).toHaveLength(21);
});

test('a row that is tried again before its batch was started waits for that, and pays for nothing', async () => {
  const night = await openChainNight({});
  const { engine, gateway, batchId } = night;
  const [words] = await engine.views.rowsByIds(batchId, ['words']);
  await engine.decisions.cancel(batchId, [words?.key ?? -1]);
  expect(await engine.decisions.retry(batchId, ['words'])).toBe(1);
  expect((await engine.store.batch(batchId))?.state).toBe('ready');
  expect(gateway.chargeLog()).toEqual([]);
  await engine.start(batchId);
  await engine.settled(batchId);
  await expectChained(night);
});
