import { describe, expect, test } from 'vitest';
import type { Unsaved } from '../../src/engine/night/night-end.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { accepted } from '../support/scripted-gateway.ts';

const SECOND = 1000;

/** What a full disk throws. */
function diskFull(): Error {
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

/** A store whose disk refuses commits while `refuses` says so. */
function refusing(store: TaskStore, refuses: () => boolean): TaskStore {
  return {
    ...store,
    commit(changes) {
      if (refuses()) throw diskFull();
      return store.commit(changes);
    },
  };
}

/** What could not be saved of a night that waits a second for its answers; undefined if it has not ended then. */
async function ended(night: NightHarness, withinMs: number): Promise<readonly Unsaved[] | undefined> {
  let unsaved: readonly Unsaved[] | undefined;
  void night.scheduler.end(SECOND).then((found) => (unsaved = found));
  await night.clock.advance(withinMs);
  return unsaved;
}

describe('whoever listens and throws', () => {
  test('does not keep a submit back whose intent is committed, and is reported as a bug', async () => {
    const night = new NightHarness();
    let isBroken = true;
    night.onTaskChanged = (task) => {
      if (task.status !== 'submitting' || !isBroken) return;
      isBroken = false;
      throw new Error('a listener is broken');
    };
    const id = await night.bringIn(rows(2), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(night.gateway.submits).toHaveLength(2);
    expect(night.bugs.map(String)).toEqual(['Error: a listener is broken']);
  });

  test('at an answer does not lose it', async () => {
    const night = new NightHarness();
    night.onTaskChanged = (task) => {
      if (task.status === 'rendering') throw new Error('a listener is broken');
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(await night.state(id)).toBe('finished');
  });

  test('at a change of a batch does not stop the night', async () => {
    const night = new NightHarness();
    night.onBatchChanged = () => {
      throw new Error('a listener is broken');
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.state(id)) === 'finished');
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.bugs.length).toBeGreaterThan(0);
  });
});

describe('an exception', () => {
  test('in a commit that is not the disk’s is a bug, not a full disk', async () => {
    const night = new NightHarness();
    let isBroken = false;
    night.open((store) => ({
      ...store,
      commit(changes) {
        if (isBroken) throw new TypeError('changes is not iterable');
        return store.commit(changes);
      },
    }));
    const id = await night.bringIn(rows(2));
    isBroken = true;
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'INTERNAL' } } });
    expect(night.bugs).toHaveLength(1);
    expect(night.gateway.submits).toEqual([]);
  });

  test('anywhere in a tick pauses what runs as a bug, and the night can go on', async () => {
    const night = new NightHarness();
    let isBroken = true;
    night.open((store) => ({
      ...store,
      nextToSubmit: (...query) => {
        if (isBroken) throw new TypeError('it is a bug');
        return store.nextToSubmit(...query);
      },
    }));
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'INTERNAL' } } });
    isBroken = false;
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.state(id)) === 'finished');
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('of the disk in a tick is the disk’s', async () => {
    const night = new NightHarness();
    let isBroken = true;
    night.open((store) => ({
      ...store,
      nextToSubmit: (...query) => {
        if (isBroken) throw Object.assign(new Error('I/O error'), { code: 'EIO' });
        return store.nextToSubmit(...query);
      },
    }));
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    expect(night.bugs).toEqual([]);
    isBroken = false;
    await night.clock.advanceUntil(async () => (await night.state(id)) === 'finished');
  });

  test('of one entry does not keep the others of its group from being recorded', async () => {
    const night = new NightHarness();
    night.open((store) => ({
      ...store,
      commit(changes) {
        if (changes.some(({ event }) => event.kind === 'accepted' && event.taskCode === 'code-2')) {
          throw new TypeError('it is a bug');
        }
        return store.commit(changes);
      },
    }));
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.clock.advance(SECOND);
    expect((await night.tasks(id)).map((task) => task.taskCode)).toEqual(['code-1', undefined, 'code-3']);
    // Its attempt stays open: what became of it is unknown when it is found at the next start.
    night.open();
    await night.scheduler.attach(id);
    expect((await night.statuses(id))[1]).toBe('submit-unknown');
    expect(night.gateway.submits).toHaveLength(3);
  });
});

describe('the end of a night whose disk refuses', () => {
  test('comes within a bounded time, and says what is not on the disk', async () => {
    const night = new NightHarness();
    let refuses = false;
    night.open((store) => refusing(store, () => refuses));
    night.gateway.onSubmit = (_, nth) => {
      refuses = true;
      return accepted(`code-${nth}`);
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    let unsaved: readonly unknown[] | undefined;
    void night.scheduler.end().then((found) => (unsaved = found));
    await night.clock.advance(60 * SECOND);
    expect(unsaved).toMatchObject([{ row: 'r1', taskCode: 'code-1' }]);
    // What was not saved is as the last commit has it, and nothing is written behind the end.
    refuses = false;
    await night.clock.advance(60 * SECOND);
    expect(await night.statuses(id)).toEqual(['submitting']);
  });

  test('waits for a disk that comes back', async () => {
    const night = new NightHarness();
    let refuses = false;
    night.open((store) => refusing(store, () => refuses));
    night.gateway.onSubmit = (_, nth) => {
      refuses = true;
      return accepted(`code-${nth}`);
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    let unsaved: readonly unknown[] | undefined;
    void night.scheduler.end().then((found) => (unsaved = found));
    await night.clock.advance(5 * SECOND);
    refuses = false;
    await night.clock.advance(10 * SECOND);
    expect(unsaved).toEqual([]);
    expect((await night.tasks(id))[0]?.taskCode).toBe('code-1');
  });

  test('waits for an answer that was paid for, whatever else waits for the disk', async () => {
    const night = new NightHarness();
    let refuses = false;
    night.open((store) => refusing(store, () => refuses));
    let answer = (): void => undefined;
    night.gateway.onSubmit = (_, nth) =>
      nth === 1 ? accepted('code-1') : new Promise((resolve) => (answer = () => resolve(accepted('code-2'))));
    // A download that does not wait for what it records.
    night.folder.fetch = (_request, _profile, journal, signal) => {
      refuses = true;
      journal.generationStarted(1, undefined).catch(() => undefined);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'interrupted' }));
      });
    };
    const id = await night.bringIn(rows(2));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => refuses && night.gateway.submits.length === 2);
    await night.clock.advance(SECOND);
    let unsaved: readonly unknown[] | undefined;
    void night.scheduler.end().then((found) => (unsaved = found));
    await night.clock.advance(40 * SECOND);
    expect(unsaved).toBeUndefined();
    refuses = false;
    answer();
    await night.clock.advance(10 * SECOND);
    expect(unsaved).toEqual([]);
    expect((await night.tasks(id)).map(({ taskCode }) => taskCode)).toContain('code-2');
  });

  test('comes although a request never ends', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => new Promise(() => undefined);
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    let unsaved: readonly unknown[] | undefined;
    void night.scheduler.end().then((found) => (unsaved = found));
    await night.clock.advance(10 * 60 * SECOND);
    expect(unsaved).toMatchObject([{ row: 'r1' }]);
  });
});

describe('an answer that comes in the last seconds of a night', () => {
  /** A night with a paid request under way, whose answer comes while the connections close. */
  async function nightWithLateAnswer(refuses: () => boolean) {
    const night = new NightHarness();
    night.open((store) => refusing(store, refuses));
    let answer = (): void => undefined;
    night.gateway.onSubmit = () => new Promise((resolve) => (answer = () => resolve(accepted('code-1'))));
    night.gateway.close = () => {
      night.clock.setTimer(SECOND, () => answer());
      return new Promise(() => undefined);
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    return { night, id };
  }

  test('is saved', async () => {
    const { night, id } = await nightWithLateAnswer(() => false);
    expect(await ended(night, 60 * SECOND)).toEqual([]);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'rendering', taskCode: 'code-1' });
  });

  test('is named where the disk does not take it', async () => {
    let refuses = false;
    const { night } = await nightWithLateAnswer(() => refuses);
    refuses = true;
    expect(await ended(night, 60 * SECOND)).toMatchObject([{ row: 'r1', kind: 'submit', taskCode: 'code-1' }]);
  });
});

describe('the end of a night whose store is gone', () => {
  test.each([
    ['that refuses everything', () => Promise.reject(new Error('The thread of the store has ended.'))],
    ['that answers nothing', () => new Promise<never>(() => undefined)],
  ])('%s still names the codes that were paid for', async (_, answer) => {
    const night = new NightHarness();
    let isGone = false;
    night.open((store) => {
      const orGone = ([name, method]: [string, (...args: readonly unknown[]) => unknown]): [string, unknown] => [
        name,
        (...args: readonly unknown[]) => (isGone ? answer() : method(...args)),
      ];
      return Object.fromEntries(Object.entries(store).map(orGone)) as unknown as TaskStore;
    });
    night.gateway.onSubmit = (_call, nth) => {
      isGone = true;
      return accepted(`code-${nth}`);
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    await night.clock.advance(SECOND);
    let unsaved: readonly unknown[] | undefined;
    void night.scheduler.end().then((found) => (unsaved = found));
    await night.clock.advance(10 * 60 * SECOND);
    expect(unsaved).toMatchObject([{ row: 'r1', kind: 'submit', taskCode: 'code-1' }]);
  });

  test('sends nothing whose intent is committed only when nobody waits for it any more', async () => {
    const night = new NightHarness();
    let goOn = (): void => undefined;
    const isLate = new Promise<void>((resolve) => (goOn = resolve));
    night.open((store) => ({
      ...store,
      commit: async (changes) => {
        if (changes.some(({ openAttempt }) => openAttempt !== undefined)) await isLate;
        return store.commit(changes);
      },
    }));
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(SECOND);
    let hasEnded = false;
    void night.scheduler.end(SECOND).then(() => (hasEnded = true));
    await night.clock.advance(60 * SECOND);
    expect(hasEnded).toBe(true);
    goOn();
    await night.clock.advance(SECOND);
    expect(await night.statuses(id)).toEqual(['submitting']);
    expect(night.gateway.submits).toEqual([]);
  });
});
