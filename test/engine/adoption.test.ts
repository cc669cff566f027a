import { describe, expect, test } from 'vitest';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { accepted, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';
import type { AdoptionRefusal } from '../../src/engine/night/adopt.ts';
import { say } from '../../src/shared/domain/base/reason.ts';
import { err, mapRecord, type Result } from '../../src/shared/domain/base/result.ts';

/** A night with so many rows whose submit's outcome is unknown. */
async function withUnknown(count: number): Promise<{ night: NightHarness; id: string; tasks: readonly Task[] }> {
  const night = new NightHarness();
  night.gateway.onSubmit = () => unknownOutcome();
  night.gateway.onPoll = () => RUNNING;
  const id = await night.bringIn(rows(count));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await night.statuses(id)).every((status) => status === 'submit-unknown'));
  return { night, id, tasks: await night.tasks(id) };
}

function at(tasks: readonly Task[], index: number): Task {
  const task = tasks[index];
  if (task === undefined) throw new Error(`no task ${index}`);
  return task;
}

/** A refusal as the user reads it. */
function inWords(adopted: Result<undefined, AdoptionRefusal>) {
  return adopted.ok ? adopted : err(mapRecord({ ...adopted.error }, (_, said) => say(said)));
}

describe('adopting a task code', () => {
  test('of two that adopt one code at the same time one succeeds, the other is told whose it is', async () => {
    const { night, id, tasks } = await withUnknown(2);
    const both = await Promise.all([
      night.scheduler.adopt(at(tasks, 0), 'mine'),
      night.scheduler.adopt(at(tasks, 1), 'mine'),
    ]);
    expect(both.map(inWords)).toMatchObject([
      { ok: true },
      { ok: false, error: { message: 'That code already belongs to row r1.' } },
    ]);
    expect(await night.statuses(id)).toEqual(['rendering', 'submit-unknown']);
  });

  test('days after its submit, it is fetched: it is not overdue at the moment at which the gateway shows it', async () => {
    const { night, id, tasks } = await withUnknown(1);
    await night.clock.advance(60 * 3_600_000);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.scheduler.adopt(at(tasks, 0), 'mine');
    await night.clock.advance(60_000);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('without a stored key says so: the gateway rejected nothing, for it was not asked', async () => {
    const { night, tasks } = await withUnknown(1);
    const why = failure('KEY_MISSING', 'No key is stored for https://gateway.example.');
    night.gateway.onPoll = () => ({ answer: { kind: 'refused', means: 'auth', failure: why } });
    expect(inWords(await night.scheduler.adopt(at(tasks, 0), 'mine'))).toMatchObject({
      error: { message: why.message, remedy: 'Enter the key, then try again.' },
    });
  });

  test('of another row says which, before the gateway is asked', async () => {
    const { night, tasks } = await withUnknown(2);
    await night.scheduler.adopt(at(tasks, 0), 'mine');
    const asked = night.gateway.polls.length;
    expect(inWords(await night.scheduler.adopt(at(tasks, 1), 'mine'))).toMatchObject({
      error: { message: 'That code already belongs to row r1.' },
    });
    expect(night.gateway.polls).toHaveLength(asked);
  });

  test('of another batch names that batch', async () => {
    const { night, tasks } = await withUnknown(1);
    const other = await night.bringIn(rows(1, { id: 'k14' }));
    const [queued] = await night.tasks(other);
    if (queued === undefined) throw new Error('no task');
    const next = { ...queued, revision: 1, status: 'rendering' as const, taskCode: 'theirs' };
    await night.store.commit([{ expectedRevision: 0, next, event: { kind: 'submit-started' }, at: 1 }]);
    expect(inWords(await night.scheduler.adopt(at(tasks, 0), 'theirs'))).toMatchObject({
      error: { message: 'That code already belongs to row k14 of the batch “night”.' },
    });
  });

  test('that the gateway does not know says so, and leaves the row as it was', async () => {
    const { night, id, tasks } = await withUnknown(1);
    const words = failure('GATEWAY_UNAVAILABLE', 'task not found (HTTP 200, code 404)');
    night.gateway.onPoll = () => ({ answer: { kind: 'refused', means: 'not-found', failure: words } });
    expect(inWords(await night.scheduler.adopt(at(tasks, 0), 'abc-123'))).toEqual({
      ok: false,
      error: { message: 'The gateway knows no task abc-123.', remedy: 'Check the code.' },
    });
    expect(await night.statuses(id)).toEqual(['submit-unknown']);
  });

  test('while the gateway gives no answer asks to try again', async () => {
    const { night, tasks } = await withUnknown(1);
    const words = failure('GATEWAY_UNAVAILABLE', 'the connection was refused');
    night.gateway.onPoll = () => ({ answer: { kind: 'error', failure: words } });
    expect(inWords(await night.scheduler.adopt(at(tasks, 0), 'abc'))).toMatchObject({
      error: { message: 'The gateway gave no answer: the connection was refused', remedy: 'Try again.' },
    });
  });

  test('of a row that was settled meanwhile changes nothing', async () => {
    const { night, id, tasks } = await withUnknown(1);
    night.gateway.onPoll = async () => {
      await night.scheduler.decide([{ taskId: at(tasks, 0).id, event: { kind: 'written-off' } }]);
      return RUNNING;
    };
    expect(inWords(await night.scheduler.adopt(at(tasks, 0), 'abc'))).toMatchObject({
      error: { message: 'This row was decided in the meantime.' },
    });
    expect(await night.statuses(id)).toEqual(['failed']);
  });
});

describe('a task code that comes twice', () => {
  test('from one gateway leaves the second submit unknown and pauses the batch', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => accepted('same');
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['rendering', 'submit-unknown']);
    const [, second] = await night.tasks(id);
    expect(second).toMatchObject({ failure: { data: { duplicateTaskCode: true } } });
    expect(second?.taskCode).toBeUndefined();
    expect(await night.store.attempts(second?.id ?? 0)).toMatchObject([{ outcome: 'unknown' }]);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'paused',
      pause: { failure: { code: 'GATEWAY_PROTOCOL' } },
    });
  });

  test('is said until the user’s word, also where nothing is left to be done', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => accepted('same');
    const id = await night.bringIn(rows(2));
    await night.scheduler.start(id);
    await night.clock.advance(10 * 60_000);
    expect(await night.statuses(id)).toEqual(['done', 'submit-unknown']);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'paused',
      pause: { failure: { code: 'GATEWAY_PROTOCOL' } },
    });
    const settled = night.scheduler.settled(id);
    await night.clock.advance(1000);
    expect(await settled).toMatchObject({ state: 'paused' });
    await night.scheduler.start(id);
    await night.clock.advance(1000);
    expect(await night.state(id)).toBe('finished');
  });

  test('from two gateways at the same moment is each one’s own', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => accepted('1001');
    night.gateway.onPoll = () => RUNNING;
    const here = await night.bringIn(rows(1));
    const there = await night.bringIn(rows(1), { profile: { ...profileWith(), baseUrl: 'https://other.example/api' } });
    await night.scheduler.start(here);
    await night.scheduler.start(there);
    await night.clock.advance(1000);
    expect([...(await night.statuses(here)), ...(await night.statuses(there))]).toEqual(['rendering', 'rendering']);
  });
});
