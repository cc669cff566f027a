import { describe, expect, test, vi } from 'vitest';
import { almostDoneNotice } from '../../src/engine/night/expected-end.ts';
import type { FetchOutcome } from '../../src/engine/ports/media-folder.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { nightOf } from '../support/accounts-night.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { record, rendered, RUNNING } from '../support/scripted-gateway.ts';

// Nights of hours, on a clock that stands still.
vi.setConfig({ testTimeout: 60_000 });

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const OPERATION = 'videogen-a/video/generate';

const page: FetchOutcome = { kind: 'unverifiable', failure: failure('OUTPUT_UNVERIFIABLE', 'The file is a web page.') };
const brokenFilm: FetchOutcome = { ...page, likeness: 'sha of the film' };

/** Seconds since the first try, of every try. */
function watchTries(night: NightHarness, outcome: (nth: number) => FetchOutcome | undefined): number[] {
  const tries: number[] = [];
  let first: number | undefined;
  night.folder.onFetch = (_, nth) => {
    first ??= night.clock.now();
    tries.push(Math.round((night.clock.now() - first) / SECOND));
    return outcome(nth);
  };
  return tries;
}

describe('a file that was paid for and does not come', () => {
  test('is asked for again through the night, and the row is done by the morning: one submit, a fresh address each time', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code, nth) => rendered(`https://media.example/${code}?n=${nth}`);
    const tries = watchTries(night, (nth) => (nth <= 12 ? page : undefined));
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
    expect(new Set(night.folder.fetched.map(({ url }) => url)).size).toBe(13);
    expect(tries[3]).toBeLessThan(MINUTE / SECOND);
    expect(tries.at(-1)).toBeGreaterThan((5 * HOUR) / SECOND);
    expect(tries.at(-1)).toBeLessThan((5.6 * HOUR) / SECOND);
  });

  test('fails at last, for the reason that it gave', async () => {
    const night = new NightHarness();
    const tries = watchTries(night, () => page);
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: page.failure });
    expect(tries).toHaveLength(13);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('goes on with its schedule after a restart', async () => {
    const night = new NightHarness();
    const tries = watchTries(night, (nth) => (nth <= 9 ? page : undefined));
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => tries.length === 8);
    await night.clock.advance(SECOND);
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(30 * MINUTE);
    expect(tries).toHaveLength(8);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(tries).toHaveLength(10);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('says in its row what came and when it is tried again', async () => {
    const night = new NightHarness();
    const tries = watchTries(night, () => page);
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => tries.length === 9);
    await night.clock.advance(SECOND);
    const [row] = (await night.opened.views.rowPage(id, { offset: 0, limit: 1 })).rows;
    expect(row).toMatchObject({ status: 'downloading', failure: page.failure });
    expect((row?.dueAt ?? 0) - night.clock.now()).toBeGreaterThan(50 * MINUTE);
    expect(await night.state(id)).toBe('running');
  });

  test('does not hold up the other files of its row, nor other rows, whatever the limits', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}-1`, `https://media.example/${code}-2`);
    night.folder.onFetch = ({ url }) => (url.endsWith('code-1-1') || url.endsWith('code-2-1') ? page : undefined);
    const limits = { activePerFamily: { musicgen: 1 }, downloads: 1 };
    const id = await night.bringIn(rows(6), { profile: profileWith(limits) });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.store.counts(id))['musicgen'].done === 4, 10 * MINUTE);
    const stuck = (await night.tasks(id)).filter(({ status }) => status === 'downloading');
    expect(stuck.map(({ outputs }) => outputs.map(({ state }) => state).join(' '))).toEqual(
      Array(2).fill('pending verified'),
    );
  });

  test('comes from the address that is its own, though the gateway names them in another order', async () => {
    const night = new NightHarness();
    const urls = ['https://media.example/a.mp3', 'https://media.example/b.mp3'];
    let isSwapped = false;
    night.gateway.onPoll = () => rendered(...(isSwapped ? urls.toReversed() : urls));
    night.folder.onFetch = ({ url }) => {
      if (isSwapped || url.endsWith('a.mp3')) return undefined;
      isSwapped = true;
      return { kind: 'url-expired', failure: failure('RESULT_EXPIRED', '404') };
    };
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]?.outputs.map(({ state, url }) => [state, url])).toEqual(
      urls.map((url) => ['verified', url]),
    );
  });

  test.each([
    ['is asked for twice more where the same came for two outputs', 2, undefined],
    ['is taken as the same, with a warning, where nothing else comes', 9, 'same-content'],
  ])('%s', async (_, times, warning) => {
    const night = new NightHarness();
    // Addresses that do not tell which file they are of.
    night.gateway.onPoll = (_, nth) => rendered(`https://media.example/${nth}/x`, `https://media.example/${nth}/y`);
    let came = 0;
    night.folder.onFetch = ({ url, others = [] }) => {
      if (!url.endsWith('y') || ++came > times) return undefined;
      const [first = ''] = others;
      return others.length === 0 ? undefined : { ...page, likeness: first };
    };
    night.folder.contentOf = (url) => (came <= times ? 'x' : url);
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.folder.fetched).toHaveLength(4);
    expect((await night.opened.views.rowPage(id, { offset: 0, limit: 1 })).rows[0]?.problem?.code).toBe(warning);
  });

  test('does not keep others back, however many of them there are', async () => {
    const night = new NightHarness();
    // As many as would be a backlog of downloads, were they not waiting.
    night.folder.onFetch = ({ url }) => (/code-[1-9]\.mp3$/u.test(url) ? page : undefined);
    const id = await night.bringIn(rows(12, { operation: OPERATION }), { profile: profileWith({ downloads: 1 }) });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.store.counts(id))['videogen-a'].done === 3, 10 * MINUTE);
    expect((await night.store.counts(id))['videogen-a'].downloading).toBe(9);
  });

  test('lets nothing more be paid for where none comes for long, until one does, and says so', async () => {
    const night = new NightHarness();
    let isDown = true;
    night.folder.onFetch = () => (isDown ? page : undefined);
    const limits = { activePerFamily: { musicgen: 60, 'videogen-a': 60, 'videogen-b': 60 } };
    const id = await night.bringIn(rows(100, { operation: OPERATION }), {
      profile: profileWith({ ...limits, downloads: 1 }),
    });
    await night.scheduler.start(id);
    await night.clock.advance(30 * MINUTE);
    const submitted = night.gateway.submits.length;
    expect(submitted).toBeLessThan(100);
    expect(night.scheduler.standing.trouble(id)?.message).toMatch(
      /^None of the last 24 files arrived, so Nocturne makes no paid requests/u,
    );
    await night.clock.advance(30 * MINUTE);
    expect(night.gateway.submits).toHaveLength(submitted);
    isDown = false;
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(rows(100).map(() => 'done'));
    expect(night.gateway.submits).toHaveLength(100);
    expect(night.scheduler.standing.trouble(id)).toBeUndefined();
  });

  test('pauses the batch where none ever comes', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => page;
    const id = await night.bringIn(rows(100, { operation: OPERATION }), { profile: profileWith({ downloads: 1 }) });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'FUSE_BLOWN' } } });
    expect(night.gateway.submits.length).toBeLessThan(100);
  });

  test('pauses the batch with all of its accounts, whichever of them would send the next request', async () => {
    const { night, settings, sent } = nightOf({ a: {}, b: {} });
    night.folder.onFetch = () => page;
    const id = await night.bringIn(rows(150), { ...settings, fuse: 0 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const paid = Object.values(sent()).flat().length;
    expect(paid).toBeLessThan(100);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'FUSE_BLOWN' } } });
    await night.clock.advance(24 * HOUR);
    expect(Object.values(sent()).flat()).toHaveLength(paid);
  });

  test('is what a batch is left with when everything else has ended, which is said once and at every end after that', async () => {
    const night = new NightHarness();
    night.folder.onFetch = ({ url }, nth) => (/code-[12]\.mp3$/u.test(url) && nth < 14 ? page : undefined);
    const id = await night.bringIn(rows(4, { operation: OPERATION }));
    const isAlmostDone = almostDoneNotice((batchId) => night.scheduler.standing.isLeftWithRetries(batchId));
    const noticed: Promise<readonly string[]>[] = [];
    night.onTaskChanged = (task) => {
      if (isAlmostDone(task)) noticed.push(night.statuses(id));
    };
    await night.scheduler.start(id);
    await night.untilRest(id);
    const notices = (await Promise.all(noticed)).map((statuses) => statuses.toSorted().join(' '));
    expect(notices).toEqual(['done done downloading downloading', 'done done done downloading']);
  });

  test('takes no place of its family at the gateway, also where its rendering was only inferred to be finished', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) => ({
      answer: {
        kind: 'record',
        record: record({ status: '9', urls: [`https://media.example/${code}.mp4`], endTime: '2026-01-15 22:01:00' }),
      },
    });
    night.folder.onFetch = ({ url }) => (url.endsWith('code-1.mp4') ? page : undefined);
    const profile = profileWith({ activePerFamily: { 'videogen-a': 1 } });
    const id = await night.bringIn(rows(3, { operation: OPERATION }), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.store.counts(id))['videogen-a'].done === 2, HOUR);
    expect(['rendering', 'downloading']).toContain((await night.statuses(id))[0]);
  });

  test('is given up within a minute where the same broken film comes three times', async () => {
    const night = new NightHarness();
    const tries = watchTries(night, () => brokenFilm);
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: page.failure });
    expect(tries).toEqual([0, 5, 15]);
  });

  test('is not given up for a broken film that comes twice, with a page between', async () => {
    const night = new NightHarness();
    watchTries(night, (nth) => [brokenFilm, page, brokenFilm][nth - 1]);
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('is not asked for again where it is larger than is allowed', async () => {
    const night = new NightHarness();
    const tries = watchTries(night, () => ({ ...page, isFinal: true }));
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['failed']);
    expect(tries).toHaveLength(1);
  });

  test('is fetched where it was when the gateway has forgotten the task', async () => {
    const night = new NightHarness();
    const unknown = failure('REMOTE_FAILED', 'no such task');
    night.gateway.onPoll = (code, nth) =>
      nth === 1
        ? rendered(`https://media.example/${code}`)
        : { answer: { kind: 'refused', means: 'not-found', failure: unknown } };
    watchTries(night, (nth) => (nth <= 8 ? page : undefined));
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('waits for a gateway that is away for the night, without a try lost', async () => {
    const night = new NightHarness();
    let isAway = false;
    night.gateway.onPoll = (code) =>
      isAway
        ? { answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'away') } }
        : rendered(`https://media.example/${code}`);
    const tries = watchTries(night, (nth) => (nth === 1 ? page : undefined));
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => tries.length === 1);
    isAway = true;
    await night.clock.advance(8 * HOUR);
    expect(tries).toHaveLength(1);
    isAway = false;
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test.each([
    ['a web page', failure('GATEWAY_PROTOCOL', 'a web page')],
    ['HTTP 500', failure('GATEWAY_UNAVAILABLE', 'HTTP 500', { httpStatus: 500 })],
  ])('is fetched where it was when the gateway answers only with %s', async (_, why) => {
    const night = new NightHarness();
    let isBad = false;
    night.gateway.onPoll = (code) =>
      isBad ? { answer: { kind: 'error', failure: why } } : rendered(`https://media.example/${code}`);
    night.folder.onFetch = (__, nth) => {
      isBad = true;
      return nth === 1 ? { kind: 'url-expired', failure: failure('RESULT_EXPIRED', '404') } : undefined;
    };
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done', MINUTE);
    expect(night.folder.fetched).toHaveLength(2);
  });

  test('leaves a rendering that was only inferred to be finished to the gateway, which may still be at it', async () => {
    const night = new NightHarness();
    const early = {
      answer: { kind: 'record' as const, record: record({ status: '9', urls: ['https://media.example/a'] }) },
    };
    let isDone = false;
    night.gateway.onPoll = () => (isDone ? rendered('https://media.example/a') : early);
    night.folder.onFetch = () => (isDone ? undefined : { ...page, likeness: 'the beginning' });
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.clock.advance(2 * MINUTE);
    expect(['rendering', 'downloading']).toContain((await night.statuses(id))[0]);
    isDone = true;
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
  });

  test('does not keep a night from resting that waits for its key', async () => {
    const night = new NightHarness();
    const tries = watchTries(night, () => page);
    const id = await night.bringIn(rows(2, { operation: OPERATION }));
    night.gateway.onPoll = (code) =>
      tries.length === 0
        ? rendered(`https://media.example/${code}`)
        : { answer: { kind: 'refused', means: 'auth', failure: failure('AUTH_REJECTED', 'no') } };
    await night.scheduler.start(id);
    const rest = night.scheduler.settled(id);
    await night.clock.advance(10 * MINUTE);
    expect((await rest).pause).toMatchObject({ failure: { code: 'AUTH_REJECTED' } });
    night.gateway.onPoll = () => RUNNING;
    watchTries(night, () => undefined);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
  });

  test('is tried from the start again at the user’s word, and not rendered again', async () => {
    const night = new NightHarness();
    watchTries(night, () => brokenFilm);
    const id = await night.bringIn(rows(1, { operation: OPERATION }));
    await night.scheduler.start(id);
    await night.untilRest(id);
    const [task] = await night.tasks(id);
    watchTries(night, (nth) => (nth <= 5 ? brokenFilm : undefined));
    await night.scheduler.decide([{ taskId: task?.id ?? 0, event: { kind: 'user-retry' } }]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
  });
});
