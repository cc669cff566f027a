import { describe, expect, test } from 'vitest';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import type { BatchState } from '../../src/shared/domain/task/batch.ts';
import type { Unsaved } from '../../src/engine/night/night-end.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const SECOND = 1000;
/** One row at a time, so that one more would be sent at once wherever a batch may go on. */
const ONE_PLACE = { profile: profileWith({ activePerFamily: { musicgen: 1 } }) };

function diskFull(): Error {
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

/** A night whose disk refuses everything while it is full, and `isFullAgain` as soon as it has taken a state. */
function nightOnFullDisk() {
  const night = new NightHarness();
  const disk = { isFull: false, isFullAgain: false, states: [] as BatchState[] };
  const orFull =
    <Args extends readonly unknown[], Answer>(write: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (disk.isFull) throw diskFull();
      return write(...args);
    };
  const wrap = (store: TaskStore): TaskStore => ({
    ...store,
    commit: orFull((changes) => store.commit(changes)),
    setBatchState: orFull((id, state, ...rest) => {
      disk.states.push(state);
      disk.isFull = disk.isFullAgain;
      return store.setBatchState(id, state, ...rest);
    }),
  });
  night.open(wrap);
  return { night, disk };
}

async function ended(night: NightHarness, withinMs: number): Promise<readonly Unsaved[] | undefined> {
  let unsaved: readonly Unsaved[] | undefined;
  void night.scheduler.end().then((found) => (unsaved = found));
  await night.clock.advance(withinMs);
  return unsaved;
}

describe('a pause while the disk of the store is full', () => {
  /** A batch that renders its first row and is paused by the user, which the disk refuses. */
  async function pausedInVain() {
    const { night, disk } = nightOnFullDisk();
    const id = await night.bringIn(rows(3), ONE_PLACE);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('rendering'));
    disk.isFull = true;
    await night.scheduler.pauseByUser(id);
    expect(await night.state(id)).toBe('running');
    expect(night.scheduler.standing.unstored(id)).toMatchObject({ state: 'paused', pause: { by: 'user' } });
    return { night, disk, id };
  }

  test('holds at once, is stored as soon as the disk takes it, and outlives the process', async () => {
    const { night, disk, id } = await pausedInVain();
    await night.clock.advance(60 * SECOND);
    disk.isFull = false;
    await night.clock.advance(10 * SECOND);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { by: 'user' } });
    expect(night.scheduler.standing.unstored(id)).toBeUndefined();
    expect(night.bugs).toEqual([]);
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(600 * SECOND);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('is named at the end of the night where the disk never takes it, within a bounded time', async () => {
    const { night, id } = await pausedInVain();
    expect(await ended(night, 60 * SECOND)).toContainEqual({ kind: 'pause', batchId: id, name: 'night' });
  });

  test('is stored at the end of the night by a disk that comes back', async () => {
    const { night, disk, id } = await pausedInVain();
    const ending = ended(night, 15 * SECOND);
    await night.clock.advance(5 * SECOND);
    disk.isFull = false;
    expect(await ending).toEqual([]);
    expect(await night.state(id)).toBe('paused');
  });

  test('is stored with the start before it by a disk that is full again at once', async () => {
    const { night, disk } = nightOnFullDisk();
    const id = await night.bringIn(rows(1), ONE_PLACE);
    disk.isFull = true;
    await night.scheduler.start(id);
    await night.scheduler.pauseByUser(id);
    Object.assign(disk, { isFull: false, isFullAgain: true });
    await night.clock.advance(10 * SECOND);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { by: 'user' } });
    expect(night.scheduler.standing.unstored(id)).toBeUndefined();
  });

  test('is stored once, whatever the user says meanwhile, with the times of the first start', async () => {
    const { night, disk } = nightOnFullDisk();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(1), ONE_PLACE);
    disk.isFull = true;
    const startedAt = night.clock.now();
    await night.scheduler.start(id);
    for (let i = 0; i < 5; i += 1) {
      await night.clock.advance(SECOND);
      await night.scheduler.pauseByUser(id);
      await night.scheduler.start(id);
    }
    await night.scheduler.pauseByUser(id);
    disk.isFull = false;
    await night.clock.advance(10 * SECOND);
    expect(disk.states).toEqual(['paused']);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', startedAt, runStartedAt: startedAt });
  });
});

test('a start that the disk never takes is named at the end, and a pause that is the disk’s own is not', async () => {
  const { night, disk } = nightOnFullDisk();
  night.gateway.onPoll = () => RUNNING;
  const running = await night.bringIn(rows(2), ONE_PLACE);
  await night.scheduler.start(running);
  await night.clock.advanceUntil(async () => (await night.statuses(running)).includes('rendering'));
  const started = await night.bringIn(rows(1));
  disk.isFull = true;
  await night.scheduler.start(started);
  await night.clock.advance(60 * SECOND);
  const unsaved = (await ended(night, 60 * SECOND)) ?? [];
  expect(unsaved.filter(({ kind }) => kind !== 'other')).toEqual([{ kind: 'start', batchId: started, name: 'night' }]);
});

test('an edit after a start that the disk refused is planned for a batch that runs: it pays for nothing', async () => {
  const { night, disk } = nightOnFullDisk();
  night.gateway.onPoll = () => RUNNING;
  const rig = new SheetRig(night);
  const id = await rig.bringIn(['row', 'operation', 'prompt', 'takes'], [['s1', 'music', 'one', '1']]);
  disk.isFull = true;
  await night.scheduler.start(id);
  expect(night.scheduler.standing.unstored(id)).toMatchObject({ state: 'running' });

  await expect(rig.set(id, 0, 'takes', '3')).rejects.toThrow('no space left');
  disk.isFull = false;
  await rig.set(id, 0, 'takes', '3');
  await night.clock.advance(10 * 60 * SECOND);
  expect(night.gateway.submits).toHaveLength(1);
});

test('a request that a killed process had sent is not named at the end of one that has not looked at its batch', async () => {
  const night = new NightHarness();
  night.gateway.onSubmit = () => new Promise<never>(() => undefined);
  const id = await night.bringIn(rows(1));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
  night.open();
  const [task] = await night.tasks(id);
  expect(await night.scheduler.decide([{ taskId: task?.id ?? -1, event: { kind: 'put-on-hold' } }])).toBe(1);
  expect(await ended(night, 60 * SECOND)).toEqual([]);
  night.open();
  await night.scheduler.attach(id);
  expect(await night.statuses(id)).toEqual(['submit-unknown']);
});
