import { describe, expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/failure.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { accepted, notSent, record, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;

describe('a night without incidents', () => {
  test('every row is submitted once with its exact body, rendered, fetched and placed', async () => {
    const night = new NightHarness();
    const id = night.bringIn(rows(5));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.state(id)).toBe('finished');
    expect(night.statuses(id)).toEqual(Array(5).fill('done'));
    expect(night.gateway.submits.map((s) => s.body)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `{"prompt":"a song about r${n}"}`),
    );
    expect([...night.folder.placed.keys()].toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `music/r${n}.mp3`));
    expect(night.bugs).toEqual([]);
  });

  test('takes of a row are submits of their own and give files of their own', async () => {
    const night = new NightHarness();
    const id = night.bringIn([row('a', 2, { takes: 3 })]);
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(3);
    expect(night.folder.placed.size).toBe(3);
  });

  test('higher priority goes first, then the order of the sheet', async () => {
    const night = new NightHarness();
    const id = night.bringIn([row('low', 2), row('high', 3, { priority: 5 }), row('next', 4)], {
      profile: profileWith({ activePerFamily: { musicgen: 1 } }),
    });
    night.scheduler.start(id);
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
    const id = night.bringIn([row('words', 2, { operation: 'musicgen/music/lyrics' })]);
    night.scheduler.start(id);
    await night.untilRest(id);
    expect([...night.folder.placed.keys()]).toEqual(['data/words.json']);
  });
});

describe('limits and caps', () => {
  test('the gateway never has more tasks of a family than the profile allows', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = night.bringIn([
      ...rows(9),
      ...rows(3, { operation: 'videogen-b/image/generate' }).map((r) => ({ ...r, id: `v${r.id}` })),
    ]);
    night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(night.store.counts(id)['musicgen']).toMatchObject({ rendering: 3, queued: 6 });
    expect(night.store.counts(id)['videogen-b']).toMatchObject({ rendering: 3, queued: 0 });
  });

  test('requests keep to the rate of the profile', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = night.bringIn(rows(40), {
      profile: profileWith({ requestsPerSecond: 2, activePerFamily: { musicgen: 40 } }),
    });
    night.scheduler.start(id);
    await night.clock.advance(10_000);
    // A burst of one second's worth at the start, then two a second.
    expect(night.gateway.submits.length + night.gateway.polls.length).toBeLessThanOrEqual(22);
    expect(night.gateway.submits.length + night.gateway.polls.length).toBeGreaterThanOrEqual(18);
  });

  test('spending stops exactly at the cap, and the batch says so', async () => {
    const night = new NightHarness();
    const id = night.bringIn(rows(10), { maxSubmits: 4 });
    night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(10 * MINUTE);
    expect(night.gateway.submits).toHaveLength(4);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'CAP_REACHED' } } });
    // What was paid for is still fetched.
    expect(night.store.counts(id)['musicgen']).toMatchObject({ done: 4, queued: 6 });
  });
});

describe('what the network and the gateway do', () => {
  test('what was surely not sent is sent later, and counts as one submit only', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth <= 2 ? notSent() : accepted(`code-${nth}`));
    const id = night.bringIn(rows(1), { maxSubmits: 1 });
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(3);
    expect(night.store.submitsUsed(id)).toBe(1);
  });

  test('an outcome that the network hid is never resent by itself; three in a row pause the batch', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => unknownOutcome();
    const id = night.bringIn(rows(10), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(60 * MINUTE);
    expect(night.gateway.submits).toHaveLength(3);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'FUSE_BLOWN' } } });
    expect(night.store.counts(id)['musicgen']).toMatchObject({ 'submit-unknown': 3, queued: 7 });
  });

  test('a rejected key pauses the night; the row keeps its place and goes on after the user’s word', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({ outcome: { kind: 'held', failure: failure('AUTH_REJECTED', 'invalid key') } });
    const id = night.bringIn(rows(3));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'AUTH_REJECTED' } } });
    expect(night.store.counts(id)['musicgen']).toMatchObject({ queued: 3 });
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('without a key nothing is sent', async () => {
    const night = new NightHarness();
    night.key = undefined;
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toEqual([]);
    expect(night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'AUTH_REJECTED' } } });
  });

  test('a 429 storm slows the night down and loses no row', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) =>
      nth % 3 === 0
        ? accepted(`code-${nth}`)
        : { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'too many'), retryAfterMs: 20_000 } };
    const id = night.bringIn(rows(6));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.state(id)).toBe('finished');
    expect(night.statuses(id)).toEqual(Array(6).fill('done'));
    expect(night.tasks(id).every((task) => task.attempts === 1)).toBe(true);
  });

  test('a task code that another task has pauses the batch and is not believed', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => accepted('always-the-same');
    night.gateway.onPoll = () => RUNNING;
    const id = night.bringIn(rows(5), { profile: profileWith({ activePerFamily: { musicgen: 2 } }) });
    night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'GATEWAY_PROTOCOL' } } });
    expect(night.gateway.submits).toHaveLength(2);
    expect(night.store.counts(id)['musicgen']).toMatchObject({ rendering: 1, 'submit-unknown': 1, queued: 3 });
  });

  test('the gateway’s own words are what a failed row says', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => ({
      answer: { kind: 'record', record: record({ status: '3', message: 'out of tune' }) },
    });
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.tasks(id)[0]).toMatchObject({ status: 'failed', failure: { code: 'REMOTE_FAILED' } });
    expect(night.tasks(id)[0]?.failure?.message).toContain('out of tune');
  });

  test('what is not finished at the deadline is overdue, not resubmitted', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.tasks(id)[0]).toMatchObject({ status: 'failed', failure: { code: 'OVERDUE' } });
    expect(night.gateway.submits).toHaveLength(1);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    night.scheduler.decide([{ taskId: night.tasks(id)[0]?.id ?? 0, event: { kind: 'user-retry' } }]);
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
  });
});

describe('the clock', () => {
  test('set back by a day, it keeps nothing waiting', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth <= 1 ? notSent() : accepted(`code-${nth}`));
    const id = night.bringIn(rows(3));
    night.scheduler.start(id);
    await night.clock.advance(1000);
    night.clock.jump(-24 * 60 * MINUTE);
    await night.clock.advance(10 * MINUTE);
    expect(night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('what was finished while the machine slept past its deadline is fetched', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    night.gateway.onPoll = (code, nth) =>
      nth <= 6
        ? { answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'no network yet') } }
        : rendered(`https://media.example/${code}.mp3`);
    night.clock.jump(72 * 60 * MINUTE);
    await night.clock.advance(10 * MINUTE);
    expect(night.statuses(id)).toEqual(['done']);
  });

  test('past its deadline, a task is asked about for an hour after the sleep, not for ever', async () => {
    const night = new NightHarness();
    const id = night.bringIn(rows(1));
    night.gateway.onPoll = () => RUNNING;
    night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    night.clock.jump(72 * 60 * MINUTE);
    await night.clock.advance(50 * MINUTE);
    expect(night.statuses(id)).toEqual(['rendering']);
    await night.clock.advance(30 * MINUTE);
    expect(night.tasks(id)[0]).toMatchObject({ status: 'failed', failure: { code: 'OVERDUE' } });
  });
});

describe('downloads', () => {
  test('a download that fails is tried again, and never rendered again', async () => {
    const night = new NightHarness();
    night.folder.onFetch = (_, nth) =>
      nth <= 3 ? { kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', 'cut') } : undefined;
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('an expired address is asked for again', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code, nth) => rendered(`https://media.example/${code}?n=${nth}`);
    night.folder.onFetch = (request) =>
      request.url.endsWith('n=1') ? { kind: 'url-expired', failure: failure('RESULT_EXPIRED', '410') } : undefined;
    const id = night.bringIn(rows(1, { operation: 'videogen-a/video/generate' }));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done']);
    expect(night.folder.fetched.map((f) => f.url.slice(-3))).toEqual(['n=1', 'n=2']);
  });

  test('a file that always fails ends as a failed row, after a bounded number of tries', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => ({ kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', 'cut') });
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.tasks(id)[0]).toMatchObject({ status: 'failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
    expect(night.folder.fetched).toHaveLength(6);
  });

  test('a full disk pauses before the next paid submit and loses nothing', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => ({ kind: 'disk-failed', failure: failure('DISK_FULL', 'no space left') });
    const id = night.bringIn(rows(10), { profile: profileWith({ activePerFamily: { musicgen: 2 } }) });
    night.scheduler.start(id);
    await night.untilRest(id);
    const paid = night.gateway.submits.length;
    await night.clock.advance(10 * MINUTE);
    expect(night.gateway.submits).toHaveLength(paid);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    night.folder.onFetch = () => undefined;
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(Array(10).fill('done'));
    expect(night.gateway.submits).toHaveLength(10);
  });

  test('a folder that cannot be written keeps everything back before anything is paid', async () => {
    const night = new NightHarness();
    night.folder.problem = failure('DISK_DENIED', 'read-only');
    const id = night.bringIn(rows(2));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toEqual([]);
    expect(night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'DISK_DENIED' } } });
  });

  test('two rows that want the same name both get their file', async () => {
    const night = new NightHarness();
    const id = night.bringIn([row('a', 2, { filename: 'same' }), row('b', 3, { filename: 'SAME' })]);
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done', 'done']);
    expect(new Set([...night.folder.placed.keys()].map((path) => path.toLowerCase())).size).toBe(2);
  });
});

describe('the user’s word', () => {
  test('a pause keeps new submits back and still fetches what was paid for', async () => {
    const night = new NightHarness();
    const id = night.bringIn(rows(9), { profile: profileWith({ activePerFamily: { musicgen: 2 } }) });
    night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 2);
    night.scheduler.pauseByUser(id);
    await night.clock.advance(10 * MINUTE);
    expect(night.gateway.submits).toHaveLength(2);
    expect(night.store.counts(id)['musicgen']).toMatchObject({ done: 2, queued: 7 });
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(Array(9).fill('done'));
  });

  test('a task that is cancelled while its file is fetched stays cancelled', async () => {
    const night = new NightHarness();
    let given: AbortSignal | undefined;
    night.folder.onFetch = (_, __, signal) => {
      given = signal;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve({ kind: 'interrupted' });
        });
      });
    };
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.clock.advanceUntil(() => given !== undefined);
    night.scheduler.decide(night.tasks(id).map((task) => ({ taskId: task.id, event: { kind: 'cancel-requested' } })));
    await night.untilRest(id);
    expect(given?.aborted).toBe(true);
    expect(night.statuses(id)).toEqual(['cancelled']);
  });
});

describe('after a kill', () => {
  test('a submit that was under way is unknown, never sent again', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => new Promise(() => undefined);
    const id = night.bringIn(rows(2), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    night.open();
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['submit-unknown', 'done']);
    expect(night.gateway.submits.map((s) => s.body)).toEqual([
      '{"prompt":"a song about r1"}',
      '{"prompt":"a song about r2"}',
    ]);
    const [first] = night.tasks(id);
    expect(night.store.attempts(first?.id ?? 0)).toMatchObject([
      { outcome: 'interrupted', keyFingerprint: 'fingerprint' },
    ]);
  });

  test('what was rendering is asked about, what was downloading is fetched', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) => (code === 'code-1' ? RUNNING : rendered('https://media.example/2'));
    night.folder.onFetch = () => new Promise(() => undefined);
    const id = night.bringIn(rows(2));
    night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.folder.fetched.length === 1);
    night.open();
    night.gateway.onPoll = () => rendered('https://media.example/late');
    night.folder.onFetch = () => undefined;
    night.scheduler.attach(id);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done', 'done']);
    expect(night.gateway.submits).toHaveLength(2);
  });
});

describe('the end of a night', () => {
  test('the answer of a submit under way is waited for and kept', async () => {
    const night = new NightHarness();
    let answer: (report: ReturnType<typeof accepted>) => void = () => undefined;
    night.gateway.onSubmit = () => new Promise((resolve) => (answer = resolve));
    const id = night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    let ended = false;
    const end = night.scheduler.end().then(() => (ended = true));
    await night.clock.advance(1000);
    expect(ended).toBe(false);
    answer(accepted('late-code'));
    await night.clock.advanceUntil(() => ended);
    await end;
    expect(night.tasks(id)[0]).toMatchObject({ status: 'rendering', taskCode: 'late-code' });
    expect(night.gateway.submits).toHaveLength(1);
  });
});

describe('a disk that refuses the store', () => {
  test('an answer that was paid for is kept until it can be written, and nothing new is sent meanwhile', async () => {
    const night = new NightHarness();
    let refuses = false;
    night.open((store) => ({
      ...store,
      commit: (changes) => {
        if (refuses) throw new Error('disk full');
        return store.commit(changes);
      },
    }));
    night.gateway.onSubmit = (_, nth) => {
      refuses = true;
      return accepted(`code-${nth}`);
    };
    const id = night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    refuses = false;
    await night.clock.advance(MINUTE);
    expect(night.tasks(id)[0]?.taskCode).toBe('code-1');
  });
});

describe('pauses that end by themselves', () => {
  test('a disk that has room again goes on without a word of the user', async () => {
    const night = new NightHarness();
    night.folder.problem = failure('DISK_FULL', 'no space left');
    const id = night.bringIn(rows(3));
    night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(5 * MINUTE);
    expect(night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    expect(night.gateway.submits).toEqual([]);
    night.folder.problem = undefined;
    await night.clock.advanceUntil(() => night.state(id) === 'finished');
    expect(night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('a rejected key does not', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({ outcome: { kind: 'held', failure: failure('AUTH_REJECTED', 'invalid key') } });
    const id = night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    night.scheduler.start(id);
    await night.untilRest(id);
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.clock.advance(600 * MINUTE);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('while the gateway cannot be reached the batch says what it waits for, and goes on by itself', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => notSent();
    const id = night.bringIn(rows(3));
    night.scheduler.start(id);
    await night.clock.advance(5 * MINUTE);
    expect(night.state(id)).toBe('running');
    expect(night.scheduler.trouble(id)).toMatchObject({ code: 'NETWORK_NOT_SENT' });
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect(night.scheduler.trouble(id)).toBeUndefined();
  });
});

test('a batch that is paused does not slow another one down', async () => {
  const night = new NightHarness();
  const refused = failure('AUTH_REJECTED', 'invalid key');
  night.gateway.onPoll = (code) =>
    code === 'code-1' ? { answer: { kind: 'refused', means: 'auth', failure: refused } } : RUNNING;
  const paused = night.bringIn(rows(1), { profile: { ...profileWith(), name: 'one' } });
  const other = night.bringIn(rows(1), { profile: { ...profileWith(), name: 'other' } });
  night.scheduler.start(paused);
  await night.untilRest(paused);
  night.scheduler.start(other);
  await night.clock.advance(MINUTE);
  expect(night.state(paused)).toBe('paused');
  expect(night.gateway.polls.filter((code) => code === 'code-2').length).toBeGreaterThan(4);
});

test('parts that an interrupted download left behind are swept, those that are still wanted and a stranger’s are not', async () => {
  const night = new NightHarness();
  night.folder.onFetch = (request) => (request.stem === 'r2' ? new Promise(() => undefined) : undefined);
  const id = night.bringIn(rows(2));
  night.scheduler.start(id);
  await night.clock.advanceUntil(
    () => night.statuses(id).includes('done') && night.statuses(id).includes('downloading'),
  );
  const [done, downloading] = night.tasks(id);
  night.open();
  night.folder.parts = [`${done?.id}-1`, `${downloading?.id}-1`, '999-1'];
  night.scheduler.attach(id);
  await night.clock.advance(1000);
  expect(night.folder.parts).toEqual([`${downloading?.id}-1`, '999-1']);
});

test('a folder may be made for a batch without files, never again once it has some', async () => {
  const night = new NightHarness();
  const id = night.bringIn(rows(2), { maxSubmits: 1 });
  night.scheduler.start(id);
  await night.clock.advanceUntil(() => night.folder.mayMake !== undefined);
  expect(night.folder.mayMake).toBe(true);
  await night.clock.advanceUntil(() => night.statuses(id).includes('done'));
  night.open();
  night.scheduler.start(id);
  await night.clock.advance(1000);
  expect(night.folder.mayMake).toBe(false);
});

test('one address for two rows: both get their file, and the later one says so', async () => {
  const night = new NightHarness();
  night.gateway.onPoll = () => rendered('https://media.example/the-same.mp4');
  const id = night.bringIn(rows(2, { operation: 'videogen-a/video/generate' }), {
    profile: profileWith({ activePerFamily: { 'videogen-a': 1 } }),
  });
  night.scheduler.start(id);
  await night.untilRest(id);
  expect(night.statuses(id)).toEqual(['done', 'done']);
  expect(night.tasks(id).map((task) => task.sameAddressAs)).toEqual([undefined, 'r1']);
});
