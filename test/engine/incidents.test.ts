import { describe, expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { accepted, notSent, rendered, RUNNING } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;

describe('downloads', () => {
  test('a download that fails is tried again, and never rendered again', async () => {
    const night = new NightHarness();
    night.folder.onFetch = (_, nth) =>
      nth <= 3 ? { kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', 'cut') } : undefined;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('an expired address is asked for again', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code, nth) => rendered(`https://media.example/${code}?n=${nth}`);
    night.folder.onFetch = (request) =>
      request.url.endsWith('n=1') ? { kind: 'url-expired', failure: failure('RESULT_EXPIRED', '410') } : undefined;
    const id = await night.bringIn(rows(1, { operation: 'videogen-a/video/generate' }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.folder.fetched.map((f) => f.url.slice(-3))).toEqual(['n=1', 'n=2']);
  });

  test('a file that always fails ends as a failed row, after a bounded number of tries', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => ({ kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', 'cut') });
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
    expect(night.folder.fetched).toHaveLength(13);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('a full disk pauses before the next paid submit and loses nothing', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => ({ kind: 'disk-failed', failure: failure('DISK_FULL', 'no space left') });
    const id = await night.bringIn(rows(10), { profile: profileWith({ activePerFamily: { musicgen: 2 } }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const paid = night.gateway.submits.length;
    await night.clock.advance(10 * MINUTE);
    expect(night.gateway.submits).toHaveLength(paid);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    night.folder.onFetch = () => undefined;
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(Array(10).fill('done'));
    expect(night.gateway.submits).toHaveLength(10);
  });

  test('a folder that cannot be written keeps everything back before anything is paid', async () => {
    const night = new NightHarness();
    night.folder.problem = failure('DISK_DENIED', 'read-only');
    const id = await night.bringIn(rows(2));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toEqual([]);
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'DISK_DENIED' } } });
  });

  test('two rows that want the same name both get their file', async () => {
    const night = new NightHarness();
    const id = await night.bringIn([row('a', 2, { filename: 'same' }), row('b', 3, { filename: 'SAME' })]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(new Set([...night.folder.placed.keys()].map((path) => path.toLowerCase())).size).toBe(2);
  });
});

describe('the user’s word', () => {
  test('a pause keeps new submits back and still fetches what was paid for', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(9), { profile: profileWith({ activePerFamily: { musicgen: 2 } }) });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 2);
    await night.scheduler.pauseByUser(id);
    await night.clock.advance(10 * MINUTE);
    expect(night.gateway.submits).toHaveLength(2);
    expect((await night.store.counts(id))['musicgen']).toMatchObject({ done: 2, queued: 7 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(Array(9).fill('done'));
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
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => given !== undefined);
    await night.scheduler.decide(
      (await night.tasks(id)).map((task) => ({ taskId: task.id, event: { kind: 'cancel-requested' } })),
    );
    await night.untilRest(id);
    expect(given?.aborted).toBe(true);
    expect(await night.statuses(id)).toEqual(['cancelled']);
  });
});

describe('after a kill', () => {
  test('a submit that was under way is unknown, never sent again', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => new Promise(() => undefined);
    const id = await night.bringIn(rows(2), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    night.open();
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['submit-unknown', 'done']);
    expect(night.gateway.submits.map((s) => s.body)).toEqual([
      '{"prompt":"a song about r1"}',
      '{"prompt":"a song about r2"}',
    ]);
    const [first] = await night.tasks(id);
    expect(await night.store.attempts(first?.id ?? 0)).toMatchObject([
      { outcome: 'interrupted', keyFingerprint: 'fingerprint' },
    ]);
  });

  test('what was rendering is asked about, what was downloading is fetched', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) => (code === 'code-1' ? RUNNING : rendered('https://media.example/2'));
    night.folder.onFetch = () => new Promise(() => undefined);
    const id = await night.bringIn(rows(2));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.folder.fetched.length === 1);
    night.open();
    night.gateway.onPoll = () => rendered('https://media.example/late');
    night.folder.onFetch = () => undefined;
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(night.gateway.submits).toHaveLength(2);
  });
});

describe('the end of a night', () => {
  test('the answer of a submit under way is waited for and kept', async () => {
    const night = new NightHarness();
    let answer: (report: ReturnType<typeof accepted>) => void = () => undefined;
    night.gateway.onSubmit = () => new Promise((resolve) => (answer = resolve));
    const id = await night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 1);
    let ended = false;
    const end = night.scheduler.end().then(() => (ended = true));
    await night.clock.advance(1000);
    expect(ended).toBe(false);
    answer(accepted('late-code'));
    await night.clock.advanceUntil(() => ended);
    await end;
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'rendering', taskCode: 'late-code' });
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('leaves no timer behind: a process that has nothing else to do ends at once', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id)).every((status) => status === 'done'));
    await night.scheduler.end();
    expect(night.clock.timers()).toBe(0);
  });
});

describe('a disk that refuses the store', () => {
  test('an answer that was paid for is kept until it can be written, and nothing new is sent meanwhile', async () => {
    const night = new NightHarness();
    let refuses = false;
    night.open((store) => ({
      ...store,
      commit: (changes) => {
        if (refuses) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
        return store.commit(changes);
      },
    }));
    night.gateway.onSubmit = (_, nth) => {
      refuses = true;
      return accepted(`code-${nth}`);
    };
    const id = await night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(1);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    refuses = false;
    await night.clock.advance(MINUTE);
    expect((await night.tasks(id))[0]?.taskCode).toBe('code-1');
  });
});

describe('pauses that end by themselves', () => {
  test('a disk that has room again goes on without a word of the user', async () => {
    const night = new NightHarness();
    night.folder.problem = failure('DISK_FULL', 'no space left');
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.clock.advance(5 * MINUTE);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'DISK_FULL' } } });
    expect(night.gateway.submits).toEqual([]);
    night.folder.problem = undefined;
    await night.clock.advanceUntil(async () => (await night.state(id)) === 'finished');
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('a pause of the user while the disk is full stays when it has room again', async () => {
    const night = new NightHarness();
    night.folder.problem = failure('DISK_FULL', 'no space left');
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await night.scheduler.pauseByUser(id);
    night.folder.problem = undefined;
    await night.clock.advance(5 * MINUTE);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { by: 'user' } });
    expect(night.gateway.submits).toEqual([]);
  });

  test('a pause of the user while the disk refuses a file keeps files back, and says both', async () => {
    const night = new NightHarness();
    const full = failure('DISK_FULL', 'no space left');
    night.folder.onFetch = () => ({ kind: 'disk-failed', failure: full });
    const id = await night.bringIn(rows(5), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    night.folder.problem = full;
    const tries = night.folder.fetched.length;
    const paid = night.gateway.submits.length;
    await night.scheduler.pauseByUser(id);
    await night.clock.advance(60 * MINUTE);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { by: 'user', disk: full } });
    expect(night.folder.fetched).toHaveLength(tries);
    // Another process goes on like this one.
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(60 * MINUTE);
    expect(night.folder.fetched).toHaveLength(tries);
    night.folder.problem = undefined;
    night.folder.onFetch = () => undefined;
    await night.clock.advance(5 * MINUTE);
    expect((await night.store.batch(id))?.pause).toEqual({ by: 'user' });
    expect(paid).toBeLessThan(5);
    expect((await night.statuses(id)).filter((status) => status === 'done')).toHaveLength(paid);
    expect(night.gateway.submits).toHaveLength(paid);
  });

  test('a disk that becomes full during a pause of the user keeps files back, too', async () => {
    const night = new NightHarness();
    const full = failure('DISK_FULL', 'no space left');
    night.folder.onFetch = () => {
      night.folder.problem = full;
      return { kind: 'disk-failed', failure: full };
    };
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    await night.scheduler.pauseByUser(id);
    await night.clock.advance(60 * MINUTE);
    expect(night.folder.fetched.length).toBeLessThanOrEqual(3);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { by: 'user', disk: full } });
  });

  test('a rejected key does not', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => ({ outcome: { kind: 'held', failure: failure('AUTH_REJECTED', 'invalid key') } });
    const id = await night.bringIn(rows(3), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.clock.advance(600 * MINUTE);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('while the gateway cannot be reached the batch says what it waits for, and goes on by itself', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => notSent();
    const id = await night.bringIn(rows(3));
    await night.scheduler.start(id);
    await night.clock.advance(5 * MINUTE);
    expect(await night.state(id)).toBe('running');
    expect(night.scheduler.standing.trouble(id)).toMatchObject({ code: 'NETWORK_NOT_SENT' });
    night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect(night.scheduler.standing.trouble(id)).toBeUndefined();
  });

  test('a gateway that asks to slow down does answer: the batch says until when it waits, and for no longer', async () => {
    const night = new NightHarness();
    const tooMany = failure('RATE_LIMITED', 'too many requests');
    night.gateway.onSubmit = (_, nth) =>
      nth === 1
        ? { outcome: { kind: 'rate-limited', failure: tooMany, retryAfterMs: 2 * MINUTE } }
        : accepted(`code-${nth}`);
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(rows(1));
    const startedAt = night.clock.now();
    const heldFor = (): number =>
      Math.round(((night.scheduler.standing.heldUntil(id) ?? startedAt) - startedAt) / 1_000);
    const told: number[] = [];
    night.onBatchChanged = () => void told.push(heldFor());
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(heldFor()).toBe(120);
    expect(told).toContain(120);
    expect(night.scheduler.standing.trouble(id)).toBeUndefined();
    await night.clock.advance(1.5 * MINUTE);
    expect(await night.statuses(id)).toEqual(['rendering']);
    expect(night.scheduler.standing.heldUntil(id)).toBeUndefined();
    night.gateway.onPoll = () => ({
      answer: { kind: 'refused', means: 'rate', failure: tooMany, retryAfterMs: 30 * MINUTE },
    });
    await night.clock.advance(10 * MINUTE);
    expect(night.scheduler.standing.heldUntil(id)).toBeGreaterThan(night.clock.now());
    expect(night.scheduler.standing.trouble(id)).toBeUndefined();
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}`);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.scheduler.standing.heldUntil(id)).toBeUndefined();
  });
});

test('parts that an interrupted download left behind are swept, those that are still wanted and a stranger’s are not', async () => {
  const night = new NightHarness();
  night.folder.onFetch = (request) => (request.stem === 'r2' ? new Promise(() => undefined) : undefined);
  const id = await night.bringIn(rows(2));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(
    async () => (await night.statuses(id)).includes('done') && (await night.statuses(id)).includes('downloading'),
  );
  const [done, downloading] = await night.tasks(id);
  night.open();
  night.folder.parts = [`${done?.id}-1`, `${downloading?.id}-1`, '999-1'];
  await night.scheduler.attach(id);
  await night.clock.advance(1000);
  expect(night.folder.parts).toEqual([`${downloading?.id}-1`, '999-1']);
});

test('a folder may be made for a batch without files, never again once it has some', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(2), { maxSubmits: 1 });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => night.folder.mayMake !== undefined);
  expect(night.folder.mayMake).toBe(true);
  await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('done'));
  night.open();
  await night.scheduler.start(id);
  await night.clock.advance(1000);
  expect(night.folder.mayMake).toBe(false);
});

test('a folder is prepared for the files that the tasks may still give, not for all that their families can', async () => {
  const night = new NightHarness();
  const picture = row('picture', 3, { operation: 'videogen-b/image/generate' });
  const id = await night.bringIn([row('song', 2), picture], { maxSubmits: 1 });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => night.folder.kinds !== undefined);
  expect(night.folder.kinds).toEqual(['music', 'image']);
  await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('done'));
  night.open();
  await night.scheduler.start(id);
  await night.clock.advance(1000);
  expect(night.folder.kinds).toEqual(['image']);
});
