import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, type Engine } from '../../../src/engine/index.ts';
import { engineRequests } from '../../../src/main/engine-process/engine-protocol.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { profileSchema } from '../../../src/shared/domain/gateway/profile.ts';
import { present } from '../../../src/shared/domain/base/result.ts';
import { withProfiles } from '../../../src/shared/domain/task/accounts/account.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import { nightOf } from '../../support/accounts-night.ts';
import { NightHarness, row, rows } from '../../support/night-harness.ts';
import { record } from '../../support/scripted-gateway.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';

const PRICES = { 'musicgen/music/generate': { amount: 0.1, currency: 'EUR' } };
const ASKED = { family: 'musicgen', status: '3' } as const;

function value<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(reply.error.message);
  return reply.value;
}

function serviceOf(engine: Engine, dataDir: string): EngineService {
  const service = new EngineService({
    engine,
    documents: new FolderDocuments({ write: () => Promise.resolve(undefined), onProblem: () => undefined }),
    rehearsal: new RehearsalGateway(join(dataDir, 'rehearsal')),
    storeFolder: dataDir,
  });
  onTestFinished(async () => {
    await service.handlers['engine.stop'](undefined);
  });
  return service;
}

/** Two batches of one gateway and one of another, each with a row whose failure was inferred from status 3. */
async function afterTheNight() {
  const night = new NightHarness();
  const refused = record({ status: '3', message: 'contains sensitive words', endTime: '2026-01-15 22:01:00' });
  night.gateway.onPoll = () => ({ answer: { kind: 'record', record: refused } });
  const ids: string[] = [];
  for (const host of ['gateway', 'gateway', 'other']) {
    const profile = profileSchema.parse({ baseUrl: `https://${host}.example/api`, prices: PRICES });
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.untilRest(id);
    ids.push(id);
  }
  night.close();
  const created = await createEngine({ dataDir: night.dataDir, openStore: storeAtOnce });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const { handlers } = serviceOf(engine, night.dataDir);
  const questions = async (batchId = '') => {
    const view = value(await handlers['batch.get']({ batchId }));
    expect(engineRequests['batch.get'].output.parse(view)).toEqual(view);
    return view.statusQuestions;
  };
  const failureOf = async (batchId = '') => {
    const [view] = await engine.views.rowsByIds(batchId, ['r1']);
    return value(await handlers['row.detail']({ batchId, key: view?.key ?? -1 })).row.failure;
  };
  const answer = async (batchId = '', said: 'failed' | 'inferred' = 'failed') =>
    value(await handlers['batch.answerStatus']({ batchId, question: ASKED, answer: said }));
  return { engine, handlers, ids, questions, failureOf, answer };
}

test('a yes makes certain what was inferred from the status, in every batch of the gateway, and is not asked again', async () => {
  const { engine, ids, questions, failureOf, answer } = await afterTheNight();
  const [first, second, other] = ids;
  expect(await questions(first)).toEqual([{ ...ASKED, tasks: 2 }]);
  expect(await failureOf(first)).toMatchObject({ code: 'MODERATED', suspected: true, status: '3' });
  expect(await answer(first)).toEqual({ tasks: 2 });
  for (const id of [first, second]) {
    expect(await questions(id)).toBeUndefined();
    expect(await failureOf(id)).toEqual({ code: 'MODERATED', message: 'contains sensitive words', isForeign: true });
    expect((await engine.store.batch(id ?? ''))?.settings.profile.status).toEqual({ musicgen: { '3': 'failed' } });
    expect(await engine.store.watchedTasks(id ?? '')).toEqual([]);
  }
  expect(await questions(other)).toEqual([{ ...ASKED, tasks: 1 }]);
  expect(await failureOf(other)).toMatchObject({ suspected: true });
});

test('a no is kept, too: it is not asked again, and the failure stays an inference that a late success overturns', async () => {
  const { engine, ids, questions, failureOf, answer } = await afterTheNight();
  const [first] = ids;
  expect(await answer(first, 'inferred')).toEqual({ tasks: 0 });
  expect(await questions(first)).toBeUndefined();
  expect(await failureOf(first)).toMatchObject({ suspected: true });
  expect(await engine.store.watchedTasks(first ?? '')).toHaveLength(1);
});

test('what moderation refused stands apart before a retry, and costs something once that is certain', async () => {
  const { handlers, ids, answer } = await afterTheNight();
  const [batchId = ''] = ids;
  const { takes } = value(await handlers['batch.retryable']({ batchId }));
  expect(takes).toHaveLength(1);
  const asked = value(await handlers['batch.retryCost']({ batchId, takes }));
  expect(engineRequests['batch.retryCost'].output.parse(asked)).toEqual(asked);
  const nothing = { shown: [], following: 0, cost: [], takesWithoutPrice: 0, inferred: 0, fetched: 0 };
  expect(asked).toEqual({
    others: nothing,
    refused: { shown: takes, following: 0, cost: [], takesWithoutPrice: 0, inferred: 1, fetched: 0 },
  });
  await answer(batchId);
  expect(value(await handlers['batch.retryCost']({ batchId, takes })).refused).toEqual({
    shown: takes,
    following: 0,
    cost: [{ amount: 0.1, currency: 'EUR' }],
    takesWithoutPrice: 0,
    inferred: 0,
    fetched: 0,
  });
  // A take that is not there is asked for nothing.
  const gone = [{ id: 999, attempts: 1 }];
  expect(value(await handlers['batch.retryCost']({ batchId, takes: gone })).others).toEqual({
    ...nothing,
    shown: gone,
  });
});

test('a yes about one account says nothing of what failed on another gateway', async () => {
  const { night, gateways, settings } = nightOf({ a: {}, b: {} });
  const { profile = profileSchema.parse({}), accounts } = settings;
  const own = { profile, ...present({ accounts }) };
  const unanswered = withProfiles(own, (account) => ({ ...account.profile, status: {} }));
  const refused = record({ status: '3', message: 'contains sensitive words', endTime: '2026-01-15 22:01:00' });
  for (const gateway of [gateways.a, gateways.b])
    gateway.onPoll = () => ({ answer: { kind: 'record', record: refused } });
  const pinned = [row('r1', 2, { account: 'a' }), row('r2', 3, { account: 'b' })];
  const id = await night.bringIn(pinned, { ...settings, ...unanswered });
  await night.scheduler.start(id);
  await night.untilRest(id);
  night.close();
  const created = await createEngine({ dataDir: night.dataDir, openStore: storeAtOnce });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const { handlers } = serviceOf(engine, night.dataDir);
  const questions = async () => value(await handlers['batch.get']({ batchId: id })).statusQuestions;
  expect(await engine.store.watchedTasks(id)).toHaveLength(2);
  expect(await questions()).toEqual([
    { ...ASKED, account: 'a', tasks: 1 },
    { ...ASKED, account: 'b', tasks: 1 },
  ]);
  const question = { ...ASKED, account: 'b' };
  expect(value(await handlers['batch.answerStatus']({ batchId: id, question, answer: 'failed' }))).toEqual({
    tasks: 1,
  });
  expect(await engine.store.watchedTasks(id)).toMatchObject([{ account: 'a' }]);
  expect(await questions()).toEqual([{ ...ASKED, account: 'a', tasks: 1 }]);
});
