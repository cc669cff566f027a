/** A task code that was paid for is kept whoever writes first, wherever the store is, and however the process ends that has it. */
import { expect, test } from 'vitest';
import { only } from '../contract/task-store-fixtures.ts';
import { profileWith, rows } from '../support/night-harness.ts';
import { FleetNight, type FleetProcess } from '../support/fleet-night.ts';
import { accepted, answerWith } from '../support/scripted-gateway.ts';

const GATEWAY = 'https://gateway.example/api';
const RAW = answerWith('late');
const COST = { amount: 3, currency: 'credits' };
/** Which questions whoever takes an account asks to settle what is left there. */
const SETTLING = 'tasksByStatus';

/** One row whose paid request is out at a worker that stands still, while another one takes its account and settles nothing yet. */
async function takenAndUnsettled(idempotency?: NonNullable<ReturnType<typeof profileWith>['idempotency']>) {
  const fleet = new FleetNight();
  const profile = { ...profileWith(), ...(idempotency && { idempotency }) };
  const batchId = await fleet.bringIn(rows(1), { maxSubmits: 2, profile });
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  const first = await fleet.worker('w1');
  gateway.onSubmit = () => {
    first.stop();
    return { ...accepted('code-1'), raw: RAW, cost: COST };
  };
  await fleet.clock.advanceUntil(() => gateway.submits.length === 1);
  const second = await fleet.worker('w2');
  second.lost.add(SETTLING);
  const holder = async (): Promise<string | undefined> => Object.values(await fleet.holders())[0];
  await fleet.clock.advanceUntil(async () => (await holder()) === 'w2', 60_000);
  const task = async () => only((await fleet.tasks(batchId))[0]);
  expect((await task()).status).toBe('submitting');
  /** The other one settles it. */
  const settle = async (): Promise<void> => {
    second.lost.delete(SETTLING);
    await fleet.clock.advanceUntil(async () => (await task()).status !== 'submitting', 120_000);
  };
  return { fleet, batchId, gateway, first, second, task, settle };
}

type Night = Awaited<ReturnType<typeof takenAndUnsettled>>;

/** What has become of it. */
async function endOf({ fleet, task, gateway }: Night) {
  const { id, status, taskCode, failure } = await task();
  const { submits } = gateway;
  const [attempt] = await fleet.store.attempts(id);
  return { status, taskCode, words: failure?.message, attempt, sent: submits.length, bugs: fleet.bugs };
}

const OFFERED = {
  status: 'submit-unknown',
  taskCode: 'code-1',
  words:
    'Nocturne ended while the request was under way. Its answer came late and names the task code code-1: adopt that.',
  attempt: { outcome: 'interrupted', raw: RAW, cost: COST },
  sent: 1,
  bugs: [],
} as const;

const ends: readonly (readonly [string, (night: Night) => Promise<void>])[] = [
  ['goes on', async ({ fleet }) => fleet.clock.advance(5_000)],
  ['ends in order', async ({ fleet, first }) => void (await inTime(fleet, first.end()))],
  [
    'ends at once',
    async ({ fleet, first }) => {
      await fleet.clock.advance(100);
      first.kill();
    },
  ],
];

test.each(ends)('whoever has its account settles it after the code was noted; its worker %s', async (_, andThen) => {
  const night = await takenAndUnsettled();
  night.first.goOn();
  await andThen(night);
  expect((await night.task()).status).toBe('submitting');
  await night.settle();
  expect(await endOf(night)).toMatchObject(OFFERED);
});

test.each(ends)('whoever has its account has settled it before; its worker %s', async (_, andThen) => {
  const night = await takenAndUnsettled();
  await night.settle();
  night.first.goOn();
  await andThen(night);
  expect(await endOf(night)).toMatchObject(OFFERED);
});

const cuts: readonly (readonly [string, (first: FleetProcess) => void, (first: FleetProcess) => void])[] = [
  ['the store', (first) => void (first.isCutOff = true), (first) => void (first.isCutOff = false)],
  ['its tasks', (first) => void first.lost.add('task').add('tasks'), (first) => first.lost.clear()],
  ['its requests', (first) => void first.lost.add('attempts'), (first) => first.lost.clear()],
];

test.each(cuts)('a worker that does not reach %s keeps the code until it does', async (_, leave, come) => {
  const night = await takenAndUnsettled();
  const { fleet, first } = night;
  first.goOn();
  leave(first);
  await fleet.clock.advance(30_000);
  await night.settle();
  await fleet.clock.advance(30_000);
  expect((await night.task()).taskCode).toBeUndefined();
  come(first);
  await fleet.clock.advance(30_000);
  expect(await endOf(night)).toMatchObject(OFFERED);
});

test.each(cuts)('a worker that ends without having reached %s names the code', async (_, leave) => {
  const { fleet, first, settle } = await takenAndUnsettled();
  await settle();
  first.goOn();
  leave(first);
  await fleet.clock.advance(1_000);
  expect(await inTime(fleet, first.end())).toEqual([expect.objectContaining({ kind: 'submit', taskCode: 'code-1' })]);
});

test('the code of a request stays while the same is sent once more under its key', async () => {
  const night = await takenAndUnsettled({ header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 });
  const { fleet, first, gateway, task } = night;
  gateway.onSubmit = () => new Promise(() => undefined);
  await night.settle();
  await fleet.clock.advanceUntil(() => gateway.submits.length === 2, 30 * 60_000);
  expect((await task()).status).toBe('submitting');
  first.goOn();
  await fleet.clock.advance(5_000);
  expect(await task()).toMatchObject({ status: 'submitting', taskCode: 'code-1' });
});

/** What comes of it once the clock has gone on for as long as that needs. */
async function inTime<T>(fleet: FleetNight, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  await fleet.clock.advanceUntil(() => isOver, 10 * 60_000);
  return over;
}

test('a code that another task has is noted all the same while somebody holds the row', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(2));
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  gateway.onSubmit = () => ({ ...accepted('code-1'), raw: RAW });
  await fleet.worker('w1');
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  await fleet.clock.advanceUntil(() => gateway.submits.length === 2);
  // The store has refused the code, and the task is not settled yet.
  await fleet.clock.advance(60);
  const { id } = only((await fleet.tasks(batchId))[1]);
  expect(await user.scheduler.decide([{ taskId: id, event: { kind: 'put-on-hold' } }])).toBe(1);
  await fleet.clock.advance(60_000);
  expect(await fleet.store.task(id)).toMatchObject({
    status: 'submit-unknown',
    failure: { data: { duplicateTaskCode: true } },
  });
  expect(await fleet.store.attempts(id)).toMatchObject([{ outcome: 'unknown', raw: RAW }]);
  expect(fleet.bugs).toEqual([]);
});
