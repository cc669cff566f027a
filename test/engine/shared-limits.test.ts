import { describe, expect, test } from 'vitest';
import { profileSchema, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import { WEEKDAYS } from '../../src/shared/domain/task/schedule.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { RUNNING, rendered } from '../support/scripted-gateway.ts';

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

function named(name: string, limits: object): Profile {
  return profileSchema.parse({ ...profileWith(limits), name });
}

describe('settings that change while a batch runs', () => {
  test('a request limit that is lowered is kept to at once', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const profile = profileWith({ requestsPerSecond: 1, activePerFamily: { musicgen: 20 } });
    const id = await night.bringIn(rows(20), { profile, maxSubmits: 15 });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    const settings = (await night.store.batch(id))?.settings;
    if (settings === undefined) throw new Error('no batch');
    await night.scheduler.configure(id, { ...settings, maxSubmits: 5 });
    await night.clock.advance(60 * SECOND);
    expect(night.gateway.submits).toHaveLength(5);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'CAP_REACHED' } } });
  });

  test('a limit holds for a place that becomes free while the store is asked for another batch', async () => {
    const night = new NightHarness();
    let isHeld = false;
    let goOn = (): void => undefined;
    night.open((store) => ({
      ...store,
      workLeft: async (...asked) => {
        const left = await store.workLeft(...asked);
        if (isHeld) await new Promise<void>((resolve) => (goOn = resolve));
        return left;
      },
    }));
    const answers: (() => void)[] = [];
    night.gateway.onPoll = (code) =>
      new Promise((resolve) => {
        answers.push(() => resolve(rendered(`https://media.example/${code}`)));
      });
    const profile = profileWith({ activePerFamily: { musicgen: 1, 'videogen-a': 1, 'videogen-b': 1 } });
    const operations = ['musicgen/music/generate', 'videogen-a/video/generate', 'videogen-b/image/generate'] as const;
    const sheet = operations.flatMap((operation, i) => [
      row(`a${i}`, i + 2, { operation }),
      row(`b${i}`, i + 5, { operation }),
    ]);
    const limited = await night.bringIn(sheet, { profile, maxSubmits: 3 });
    await night.scheduler.start(limited);
    await night.clock.advanceUntil(() => answers.length === 3);
    isHeld = true;
    await night.scheduler.start(await night.bringIn(rows(1), { profile }));
    await night.clock.advance(SECOND);
    for (const answer of answers) answer();
    await night.clock.advanceUntil(async () => (await night.statuses(limited)).includes('downloading'));
    isHeld = false;
    goOn();
    await night.clock.advance(60 * SECOND);
    expect(night.gateway.submits.filter(({ body }) => /song about [ab]/.test(body))).toHaveLength(3);
    expect(await night.store.batch(limited)).toMatchObject({ pause: { failure: { code: 'CAP_REACHED' } } });
  });

  test('whatever writes the record of a batch, the night never goes by an older one', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const profile = profileWith({ requestsPerSecond: 1, activePerFamily: { musicgen: 20 } });
    const id = await night.bringIn(rows(20), { profile, maxSubmits: 15 });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    const settings = (await night.store.batch(id))?.settings;
    if (settings === undefined) throw new Error('no batch');
    await Promise.all([
      night.scheduler.sheetChanged(id),
      night.scheduler.configure(id, { ...settings, maxSubmits: 4 }),
      night.scheduler.sheetChanged(id),
    ]);
    await night.clock.advance(60 * SECOND);
    expect(night.gateway.submits).toHaveLength(4);
  });

  test('files go to the new folder as soon as the batch has another one', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) =>
      code === 'code-1'
        ? RUNNING
        : { answer: { kind: 'error', failure: { code: 'GATEWAY_UNAVAILABLE', message: '' } } };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    const settings = (await night.store.batch(id))?.settings;
    if (settings === undefined) throw new Error('no batch');
    await night.scheduler.configure(id, { ...settings, folder: '/elsewhere' });
    night.gateway.onPoll = () => ({ answer: { kind: 'record', record: { ...DONE } } });
    await night.untilRest(id);
    expect(night.folder.fetched.map((request) => request.folder)).toEqual(['/elsewhere']);
  });

  test('a pace that is lowered is kept to at once', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const fast = { requestsPerSecond: 5, activePerFamily: { musicgen: 1000 } };
    const id = await night.bringIn(rows(400), { profile: profileWith(fast) });
    await night.scheduler.start(id);
    await night.clock.advance(2 * SECOND);
    const settings = (await night.store.batch(id))?.settings;
    if (settings === undefined) throw new Error('no batch');
    await night.scheduler.configure(id, { ...settings, profile: profileWith({ ...fast, requestsPerSecond: 1 }) });
    const before = night.gateway.submits.length + night.gateway.polls.length;
    await night.clock.advance(30 * SECOND);
    expect(night.gateway.submits.length + night.gateway.polls.length - before).toBeLessThanOrEqual(31);
  });
});

const DONE = {
  status: '2',
  message: '',
  urls: ['https://media.example/1.mp3'],
  document: '{}',
  addTime: '',
  endTime: '2026-01-15 22:01:00',
  taskId: '',
  ids: {},
};

describe('two batches at one gateway', () => {
  const limits = { requestsPerSecond: 1, activePerFamily: { musicgen: 40 } };

  test('share its requests per second, whatever else their profiles say', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const one = await night.bringIn(rows(40), { profile: named('one', limits) });
    const two = await night.bringIn(rows(40), { profile: named('two', limits) });
    await night.scheduler.start(one);
    await night.scheduler.start(two);
    await night.clock.advance(30 * SECOND);
    const requests = night.gateway.submits.length + night.gateway.polls.length;
    expect(requests).toBeLessThanOrEqual(31);
    expect(requests).toBeGreaterThanOrEqual(28);
  });

  test('share what it renders at a time', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const three = { requestsPerSecond: 50, activePerFamily: { musicgen: 3 } };
    const one = await night.bringIn(rows(9), { profile: named('one', three) });
    const two = await night.bringIn(rows(9), { profile: named('two', three) });
    await night.scheduler.start(one);
    await night.scheduler.start(two);
    await night.clock.advance(60 * SECOND);
    expect(night.gateway.submits).toHaveLength(3);
  });

  describe('one of which an earlier process has left rendering', () => {
    const twoAtOnce = { requestsPerSecond: 50, activePerFamily: { musicgen: 2 } };

    /** A new process on a store in which two tasks of a batch are rendering, and nothing of another has begun. */
    async function twoLeft(isPaused: boolean, correctionMs = 0) {
      const night = new NightHarness();
      night.gateway.onPoll = () => RUNNING;
      const left = await night.bringIn(rows(4), { profile: named('left', twoAtOnce) });
      await night.scheduler.start(left);
      await night.clock.advanceUntil(() => night.gateway.submits.length === 2);
      await night.clock.advance(SECOND);
      if (isPaused) await night.scheduler.pauseByUser(left);
      night.clock.jump(correctionMs);
      const other = await night.bringIn(rows(2), { profile: named('other', twoAtOnce) });
      night.open();
      return { night, left, other };
    }

    test.each([false, true])('keep its places before it is taken up, and after; paused: %s', async (isPaused) => {
      const { night, left, other } = await twoLeft(isPaused);
      await night.scheduler.start(other);
      await night.clock.advance(10 * SECOND);
      expect(night.gateway.submits).toHaveLength(2);
      await night.scheduler.attach(left);
      await night.clock.advance(600 * SECOND);
      expect(night.gateway.submits).toHaveLength(2);
      night.gateway.onPoll = (code) => rendered(`https://media.example/${code}`);
      await night.clock.advanceUntil(async () => (await night.state(other)) === 'finished');
    });

    test.each([
      ['', 0],
      [', whose submit a wrong clock puts in the future', -DAY],
    ])('do not wait for ever for tasks that nobody asks about%s', async (_, correctionMs) => {
      const { night, other } = await twoLeft(false, correctionMs);
      night.gateway.onPoll = (code) => rendered(`https://media.example/${code}`);
      await night.scheduler.start(other);
      await night.clock.advance(60 * SECOND);
      expect(night.gateway.submits).toHaveLength(2);
      await night.clock.advance(300 * SECOND);
      expect(await night.state(other)).toBe('finished');
    });
  });

  test('go as slowly as the slower of them while both run, and faster when it has finished', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const slow = await night.bringIn(rows(1), { profile: named('slow', { ...limits, requestsPerSecond: 0.5 }) });
    const fast = await night.bringIn(rows(400), {
      profile: named('fast', { requestsPerSecond: 10, activePerFamily: { musicgen: 400 } }),
    });
    await night.scheduler.start(slow);
    await night.scheduler.start(fast);
    await night.clock.advance(20 * SECOND);
    expect(night.gateway.submits.length + night.gateway.polls.length).toBeLessThanOrEqual(12);
    await night.scheduler.decide(
      (await night.tasks(slow)).map((task) => ({ taskId: task.id, event: { kind: 'cancel-requested' } as const })),
    );
    await night.clock.advance(SECOND);
    const before = night.gateway.submits.length + night.gateway.polls.length;
    await night.clock.advance(10 * SECOND);
    expect(night.gateway.submits.length + night.gateway.polls.length - before).toBeGreaterThan(80);
  });
});

test('two batches of one account with different places submit in the order in which they were chosen', async () => {
  const night = new NightHarness();
  night.gateway.onPoll = () => RUNNING;
  const schedule = { windows: [{ from: '23:00', to: '23:30', days: WEEKDAYS }], zone: 'UTC' };
  const wide = profileWith({ requestsPerSecond: 10, activePerFamily: { musicgen: 3 } });
  const narrow = profileWith({ requestsPerSecond: 10, activePerFamily: { musicgen: 2 } });
  const sheet = (name: string) => [1, 2].map((n) => row(`${name}${n}`, n + 1, { body: { prompt: `${name}${n}` } }));
  const first = await night.bringIn(sheet('wide'), { profile: wide, schedule });
  const second = await night.bringIn(sheet('narrow'), { profile: narrow, schedule });
  await night.scheduler.start(first);
  await night.scheduler.start(second);
  await night.clock.advance(90 * 60 * SECOND);
  // The narrow one had its place while one was taken; by its profile, the wide one may have the third.
  expect(night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt)).toEqual([
    'wide1',
    'narrow1',
    'wide2',
  ]);
});

test.each([
  ['comes first all the same', 300, ['first1', 'first2', 'other1', 'other2']],
  ['holds up nobody else if it does not answer', Number.POSITIVE_INFINITY, ['other1', 'other2']],
])('a batch that comes first and whose folder is slow %s', async (_, takesMs, sent) => {
  const night = new NightHarness();
  const { folder, clock } = night;
  const prepare = folder.prepare.bind(folder);
  folder.prepare = async (where, needs) => {
    if (where === '/slow')
      await new Promise<void>((resolve) => void (takesMs < DAY && clock.setTimer(takesMs, resolve)));
    return prepare(where, needs);
  };
  night.gateway.onPoll = (code) => rendered(`https://media.example/${code}`);
  const schedule = { windows: [{ from: '23:00', to: '23:30', days: WEEKDAYS }], zone: 'UTC' };
  const settings = { profile: profileWith({ activePerFamily: { musicgen: 1 } }), schedule };
  const sheet = (name: string) => [1, 2].map((n) => row(`${name}${n}`, n + 1, { body: { prompt: `${name}${n}` } }));
  const first = await night.bringIn(sheet('first'), { ...settings, folder: '/slow', priority: 1 });
  const other = await night.bringIn(sheet('other'), settings);
  // Both may begin at the same moment.
  await night.scheduler.start(first);
  await night.scheduler.start(other);
  await clock.advanceUntil(async () => (await night.state(other)) === 'finished');
  expect(night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt)).toEqual(sent);
});

test.each([
  ['a request a second', { requestsPerSecond: 4, activePerFamily: { musicgen: 50 } }],
  ['a place', { requestsPerSecond: 50, activePerFamily: { musicgen: 4 } }],
])('%s that becomes free while the store is asked is left to the batch that comes first', async (_, limits) => {
  const night = new NightHarness();
  const { clock, gateway } = night;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimer(ms, resolve));
  let isSlow = false;
  // Two answers end a task: while the store is asked once, a place or two become free, or two requests.
  gateway.onPoll = async (code) => {
    await wait(150 * Number(code.replace('code-', '')));
    return rendered(`https://media.example/${code}`);
  };
  night.open((store) => ({
    ...store,
    nextToSubmit: async (...asked) => {
      const found = await store.nextToSubmit(...asked);
      if (isSlow) await wait(500);
      return found;
    },
  }));
  const profile = profileWith(limits);
  const first = await night.bringIn(rows(16), { profile, priority: 1 });
  const other = await night.bringIn([row('other', 2)], { profile });
  await night.scheduler.start(first);
  await clock.advanceUntil(() => gateway.submits.length === 4);
  isSlow = true;
  await night.scheduler.start(other);
  await clock.advanceUntil(() => gateway.submits.length === 17);
  expect(gateway.submits.findIndex(({ body }) => body.includes('other'))).toBe(16);
});
