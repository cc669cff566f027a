import { describe, expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { accepted, notSent, record, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;

describe('a night without incidents', () => {
  test('every row is submitted once with its exact body, rendered, fetched and placed', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(5));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    expect(await night.statuses(id)).toEqual(Array(5).fill('done'));
    expect(night.gateway.submits.map((s) => s.body)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `{"prompt":"a song about r${n}"}`),
    );
    expect([...night.folder.placed.keys()].toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `music/r${n}.mp3`));
    expect(night.bugs).toEqual([]);
  });

  test('takes of a row are submits of their own and give files of their own', async () => {
    const night = new NightHarness();
    const id = await night.bringIn([row('a', 2, { takes: 3 })]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(3);
    expect(night.folder.placed.size).toBe(3);
  });

  test('higher priority goes first, then the order of the sheet', async () => {
    const night = new NightHarness();
    const id = await night.bringIn([row('low', 2), row('high', 3, { priority: 5 }), row('next', 4)], {
      profile: profileWith({ activePerFamily: { musicgen: 1 } }),
    });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits.map((s) => s.body)).toEqual(
      ['high', 'low', 'next'].map((n) => `{"prompt":"a song about ${n}"}`),
    );
  });

  test('a result that is data becomes a JSON document of the row', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => ({
      answer: { kind: 'record', record: record({ status: '2', document: '{"message":"la la"}', endTime: '2026' }) },
    });
    const id = await night.bringIn([row('words', 2, { operation: 'musicgen/music/lyrics' })]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([...night.folder.placed.keys()]).toEqual(['data/words.json']);
  });
});

describe('limits and caps', () => {
  test('the gateway never has more tasks of a family than the profile allows', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn([
      ...rows(9),
      ...rows(3, { operation: 'videogen-b/image/generate' }).map((r) => ({ ...r, id: `v${r.id}` })),
    ]);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect((await night.store.counts(id))['musicgen']).toMatchObject({ rendering: 3, queued: 6 });
    expect((await night.store.counts(id))['videogen-b']).toMatchObject({ rendering: 3, queued: 0 });
  });

  test('requests keep to the rate of the profile', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(40), {
      profile: profileWith({ requestsPerSecond: 2, activePerFamily: { musicgen: 40 } }),
    });
    await night.scheduler.start(id);
    await night.clock.advance(10_000);
    // A burst of one second's worth at the start, then two a second.
    expect(night.gateway.submits.length + night.gateway.polls.length).toBeLessThanOrEqual(22);
    expect(night.gateway.submits.length + night.gateway.polls.length).toBeGreaterThanOrEqual(18);
  });

  test('spending stops exactly at the cap, and the batch says so', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(10), { maxSubmits: 4 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(10 * MINUTE);
    expect(night.gateway.submits).toHaveLength(4);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'CAP_REACHED' } } });
    // What was paid for is still fetched.
    expect((await night.store.counts(id))['musicgen']).toMatchObject({ done: 4, queued: 6 });
  });
});

describe('while the store is asked what to submit', () => {
  /** Something happens during the first such question. */
  async function meanwhile(happens: (night: NightHarness, id: string) => Promise<void>) {
    const night = new NightHarness();
    let isFirst = true;
    night.open((store) => ({
      ...store,
      nextToSubmit: async (...query) => {
        const found = await store.nextToSubmit(...query);
        if (isFirst) await happens(night, query[0][0]?.batchId ?? '');
        isFirst = false;
        return found;
      },
    }));
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => !isFirst);
    await night.clock.advance(1000);
    return { night, id };
  }

  const denied = failure('DISK_DENIED', 'permission denied');

  test('another folder is checked before anything is paid for it', async () => {
    const { night, id } = await meanwhile(async (changed, batchId) => {
      changed.folder.problem = denied;
      void changed.scheduler.configure(batchId, ({ settings }) => ({ ...settings, folder: '/denied' }));
      while ((await changed.store.batch(batchId))?.settings.folder !== '/denied');
    });
    expect(night.gateway.submits).toEqual([]);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: denied } });
  });

  test('a pause and a start are followed by a check of the folder', async () => {
    const { night, id } = await meanwhile(async (changed, batchId) => {
      changed.folder.problem = denied;
      void changed.scheduler.pauseByUser(batchId);
      await changed.scheduler.start(batchId);
    });
    expect(night.gateway.submits).toEqual([]);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: denied } });
  });
});

describe('what the network and the gateway do', () => {
  test('what was surely not sent is sent later, and counts as one submit only', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth <= 2 ? notSent() : accepted(`code-${nth}`));
    const id = await night.bringIn(rows(1), { maxSubmits: 1 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(3);
    expect(await night.store.submitsUsed(id)).toBe(1);
  });

  test('an outcome that the network hid is never resent by itself; three in a row pause the batch', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => unknownOutcome();
    const id = await night.bringIn(rows(10), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(60 * MINUTE);
    expect(night.gateway.submits).toHaveLength(3);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'FUSE_BLOWN' } } });
    expect((await night.store.counts(id))['musicgen']).toMatchObject({ 'submit-unknown': 3, queued: 7 });
  });

  test('a rejected key pauses the night; the row keeps its place and goes on after the user’s word', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({ outcome: { kind: 'held', failure: failure('AUTH_REJECTED', 'invalid key') } });
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'paused',
      pause: { failure: { code: 'AUTH_REJECTED' } },
    });
    expect((await night.store.counts(id))['musicgen']).toMatchObject({ queued: 3 });
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('without a key nothing is sent', async () => {
    const night = new NightHarness();
    night.key = undefined;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toEqual([]);
    const { origin } = night.gateway;
    expect(await night.store.batch(id)).toMatchObject({
      pause: { failure: { code: 'KEY_MISSING', message: `No key is stored for ${origin}.`, data: { origin } } },
    });
  });

  test('with a profile that was kept and does not hold any more nothing is sent, until the batch has another one', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(1));
    const settings = (await night.store.batch(id))?.settings;
    if (settings === undefined) throw new Error('no batch');
    for (const different of [{ rejectedHttp: [400, 502] }, { errors: [{ match: '(?=x)', means: 'rate' as const }] }]) {
      await night.scheduler.configure(id, { ...settings, profile: { ...settings.profile, ...different } });
      await night.scheduler.start(id);
      await night.untilRest(id);
      expect(await night.store.batch(id)).toMatchObject({
        state: 'paused',
        pause: { failure: { code: 'PROFILE_INVALID' } },
      });
      expect(JSON.stringify((await night.store.batch(id))?.pause)).toContain(Object.keys(different)[0]);
    }
    expect(night.gateway.submits).toEqual([]);
    await night.scheduler.configure(id, settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('a 429 storm slows the night down and loses no row', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) =>
      nth % 3 === 0
        ? accepted(`code-${nth}`)
        : { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'too many'), retryAfterMs: 20_000 } };
    const id = await night.bringIn(rows(6));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    expect(await night.statuses(id)).toEqual(Array(6).fill('done'));
    expect((await night.tasks(id)).every((task) => task.attempts === 1)).toBe(true);
  });

  test('what only words say was refused for its rate is not sent without end; the others go on', async () => {
    const night = new NightHarness();
    const inWords = {
      kind: 'rate-limited',
      failure: failure('RATE_LIMITED', 'too many requests', { httpStatus: 503 }),
      byWordsAlone: true,
    } as const;
    night.gateway.onSubmit = ({ body }, nth) => (body.includes('r2') ? { outcome: inWords } : accepted(`code-${nth}`));
    const id = await night.bringIn(rows(4));
    await night.scheduler.start(id);
    await night.clock.advance(12 * 60 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done', 'submit-unknown', 'done', 'done']);
    expect(night.gateway.submits.filter(({ body }) => body.includes('r2'))).toHaveLength(8);
    const refused = (await night.tasks(id))[1];
    expect(refused?.failure?.message).toContain('8 times');
    // Each of them may have been charged.
    const attempts = await night.store.attempts(refused?.id ?? 0);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(Array(8).fill('unknown'));
    expect(await night.store.submitsUsed(id)).toBe(3 + 8);
    expect((await night.store.spending(night.clock.now(), [id])).month.requests).toBe(3 + 8);
  });

  test('such refusals are counted also where others come in between', async () => {
    const night = new NightHarness();
    const words = {
      outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'too many requests'), byWordsAlone: true },
    } as const;
    const status429 = { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'slow') } } as const;
    night.gateway.onSubmit = (_, nth) => [words, status429, notSent()][nth % 3] ?? words;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(12 * 60 * MINUTE);
    expect(await night.statuses(id)).toEqual(['submit-unknown']);
    expect(night.gateway.submits.length).toBeLessThanOrEqual(8 * 3);
  });

  test('a gateway that refuses every row in words alone pauses the night, and soon', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({
      outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'too many requests'), byWordsAlone: true },
    });
    const id = await night.bringIn(rows(20));
    await night.scheduler.start(id);
    await night.clock.advance(12 * 60 * MINUTE);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'FUSE_BLOWN' } } });
    expect(night.gateway.submits.length).toBeLessThanOrEqual(20 * 8);
  });

  test('HTTP 429 is waited for all night, and uses up no cap', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) =>
      nth > 100
        ? accepted(`code-${nth}`)
        : { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'too many', { httpStatus: 429 }) } };
    const id = await night.bringIn(rows(2), { maxSubmits: 2 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
  });

  test('a task code that another task has pauses the batch and is not believed', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => accepted('always-the-same');
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(5), { profile: profileWith({ activePerFamily: { musicgen: 2 } }) });
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'paused',
      pause: { failure: { code: 'GATEWAY_PROTOCOL' } },
    });
    expect(night.gateway.submits).toHaveLength(2);
    expect((await night.store.counts(id))['musicgen']).toMatchObject({ rendering: 1, 'submit-unknown': 1, queued: 3 });
  });

  test('the gateway’s own words are what a failed row says', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => ({
      answer: { kind: 'record', record: record({ status: '3', message: 'out of tune' }) },
    });
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: { code: 'REMOTE_FAILED' } });
    expect((await night.tasks(id))[0]?.failure?.message).toContain('out of tune');
  });

  test('what is not finished at the deadline is overdue, not resubmitted', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: { code: 'OVERDUE' } });
    expect(night.gateway.submits).toHaveLength(1);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.scheduler.decide([{ taskId: (await night.tasks(id))[0]?.id ?? 0, event: { kind: 'user-retry' } }]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
  });
});

test('a key that is replaced while an intent is committed pays for nothing that names the one before', async () => {
  const night = new NightHarness();
  night.open((store) => ({
    ...store,
    commit: async (changes) => {
      const committed = await store.commit(changes);
      if (changes.some(({ openAttempt }) => openAttempt?.keyFingerprint === 'fingerprint')) night.key = 'another';
      return committed;
    },
  }));
  const id = await night.bringIn(rows(1));
  await night.scheduler.start(id);
  await night.untilRest(id);
  const [task] = await night.tasks(id);
  const attempts = await night.store.attempts(task?.id ?? 0);
  expect(attempts.map(({ keyFingerprint, outcome }) => `${keyFingerprint} ${outcome}`)).toEqual([
    'fingerprint not-sent',
    'another accepted',
  ]);
  expect(night.gateway.submits).toHaveLength(1);
});

test('what is refused behind a pause that lets polls go on is asked again now and then, not as fast as the limits allow', async () => {
  const auth = { kind: 'refused', means: 'auth', failure: failure('AUTH_REJECTED', 'invalid key') } as const;
  const balance = { kind: 'refused', means: 'balance', failure: failure('BALANCE_EXHAUSTED', 'top up') } as const;
  for (const answer of [auth, balance]) {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    if (answer === auth) await night.scheduler.pauseByUser(id);
    night.gateway.onPoll = () => ({ answer });
    const before = night.gateway.polls.length;
    await night.clock.advance(30 * MINUTE);
    expect(night.gateway.polls.length - before).toBeLessThan(10);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done']);
  }
});

describe('the clock', () => {
  test('set back by a day, it keeps nothing waiting', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth <= 1 ? notSent() : accepted(`code-${nth}`));
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.clock.advance(1000);
    night.clock.jump(-24 * 60 * MINUTE);
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('set back by a day before a restart, it keeps nothing waiting: not the queue, not polls, not files', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => ({ kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', 'cut off') });
    night.gateway.onPoll = (code) => (code === 'code-1' ? rendered('https://media.example/one.mp3') : RUNNING);
    const id = await night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    const left = 'downloading, rendering, queued';
    await night.clock.advanceUntil(async () => (await night.statuses(id)).join(', ') === left);
    night.clock.jump(-24 * 60 * MINUTE);
    night.folder.onFetch = () => undefined;
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    night.open();
    await night.scheduler.start(id);
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('set back by a day before a restart, it keeps nothing waiting that an edit has loaded again', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    night.clock.jump(-24 * 60 * MINUTE);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    night.open();
    await night.scheduler.attach(id);
    await night.scheduler.sheetChanged(id);
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('set back by a day before a restart, what has ended without a file is given up in minutes', async () => {
    const night = new NightHarness();
    const ended = { kind: 'record', record: record({ status: '2', urls: [], message: 'It did not work.' }) } as const;
    night.gateway.onPoll = () => ({ answer: ended });
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.polls.length === 2);
    await night.clock.advance(MINUTE / 60);
    night.clock.jump(-24 * 60 * MINUTE);
    night.open();
    await night.scheduler.start(id);
    await night.clock.advance(30 * MINUTE);
    expect(await night.statuses(id)).toEqual(['failed']);
  });

  test('what was finished while the machine slept past its deadline is fetched', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    night.gateway.onPoll = (code, nth) =>
      nth <= 6
        ? { answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'no network yet') } }
        : rendered(`https://media.example/${code}.mp3`);
    night.clock.jump(72 * 60 * MINUTE);
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('what was finished while a rejected key kept it from being asked about past its deadline is fetched', async () => {
    const night = new NightHarness();
    const refused = failure('AUTH_REJECTED', 'invalid key');
    night.gateway.onPoll = () => ({ answer: { kind: 'refused', means: 'auth', failure: refused } });
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(25 * 60 * MINUTE);
    expect([await night.state(id), await night.statuses(id)]).toEqual(['paused', ['rendering']]);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.scheduler.start(id);
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('past its deadline, a task is asked about for an hour after the sleep, not for ever', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(1));
    night.gateway.onPoll = () => RUNNING;
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    night.clock.jump(72 * 60 * MINUTE);
    await night.clock.advance(50 * MINUTE);
    expect(await night.statuses(id)).toEqual(['rendering']);
    await night.clock.advance(30 * MINUTE);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: { code: 'OVERDUE' } });
  });
});

test('a batch that is paused does not slow another one down', async () => {
  const night = new NightHarness();
  const refused = failure('AUTH_REJECTED', 'invalid key');
  night.gateway.onPoll = (code) =>
    code === 'code-1' ? { answer: { kind: 'refused', means: 'auth', failure: refused } } : RUNNING;
  const paused = await night.bringIn(rows(1), { profile: { ...profileWith(), name: 'one' } });
  const other = await night.bringIn(rows(1), { profile: { ...profileWith(), name: 'other' } });
  await night.scheduler.start(paused);
  await night.untilRest(paused);
  await night.scheduler.start(other);
  await night.clock.advance(MINUTE);
  expect(await night.state(paused)).toBe('paused');
  expect(night.gateway.polls.filter((code) => code === 'code-2').length).toBeGreaterThan(4);
});

test('one address for two rows: both get their file, and the later one says so', async () => {
  const night = new NightHarness();
  night.gateway.onPoll = () => rendered('https://media.example/the-same.mp4');
  const id = await night.bringIn(rows(2, { operation: 'videogen-a/video/generate' }), {
    profile: profileWith({ activePerFamily: { 'videogen-a': 1 } }),
  });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.statuses(id)).toEqual(['done', 'done']);
  expect((await night.tasks(id)).map((task) => task.sameAddressAs)).toEqual([undefined, 'r1']);
});

test('one address for two rows that are seen at the same time: the later one says so', async () => {
  const night = new NightHarness();
  night.gateway.onPoll = () => rendered('https://media.example/the-same.mp4');
  const id = await night.bringIn(rows(2, { operation: 'videogen-a/video/generate' }));
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect((await night.tasks(id)).map((task) => task.sameAddressAs)).toEqual([undefined, 'r1']);
});

test('an answer of the store that comes late does not bring back what has left meanwhile', async () => {
  const night = new NightHarness();
  let goOn = (): void => undefined;
  const isLate = new Promise<void>((resolve) => (goOn = resolve));
  let isHeld = false;
  night.open((store) => ({
    ...store,
    tasks: async (ids) => {
      const found = await store.tasks(ids);
      if (isHeld) await isLate;
      return found;
    },
  }));
  const id = await night.bringIn(rows(1));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'rendering');
  isHeld = true;
  const changed = night.scheduler.sheetChanged(id);
  await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
  const polls = night.gateway.polls.length;
  goOn();
  await changed;
  await night.clock.advance(60_000);
  expect(night.gateway.polls).toHaveLength(polls);
  expect(await night.state(id)).toBe('finished');
});

test('a start that was asked for before a pause does not end it', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(2), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
  await night.scheduler.start(id);
  const asked = night.scheduler.pausesOf(id);
  await night.scheduler.pauseByUser(id);
  await night.scheduler.start(id, asked);
  expect(await night.state(id)).toBe('paused');
  await night.scheduler.start(id);
  expect(await night.state(id)).toBe('running');
});
