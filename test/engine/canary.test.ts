import { describe, expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { NightHarness, profileWith, row } from '../support/night-harness.ts';
import { accepted, rendered, RUNNING, unknownOutcome, type ScriptedGateway } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const profile = profileWith({ activePerFamily: { musicgen: 5, 'videogen-a': 5, 'videogen-b': 5 } });
const canary = { profile, canary: 'first' } as const;

/** Rows of two kinds in turn: one with a prompt, one with a tempo as well. */
function twoKinds(count: number): Row[] {
  return Array.from({ length: count }, (_, i) =>
    row(`r${i + 1}`, i + 2, { body: { prompt: `song ${i + 1}`, ...(i % 2 === 0 ? {} : { tempo: 90 }) } }),
  );
}

function hasTempo(body: string): boolean {
  return body.includes('tempo');
}

function refusesTempo(gateway: ScriptedGateway): void {
  const why = failure('INPUT_INVALID', 'unknown field tempo');
  gateway.onSubmit = ({ body }, nth) =>
    hasTempo(body) ? { outcome: { kind: 'rejected', failure: why } } : accepted(`code-${nth}`);
}

describe('one row of each kind goes first', () => {
  test('and the rest of its kind only once its file is verified, whatever becomes of other kinds', async () => {
    const night = new NightHarness();
    const rendering = new Set<string>();
    night.gateway.onPoll = (code) => (rendering.has(code) ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    night.gateway.onSubmit = ({ body }, nth) => {
      if (hasTempo(body) && nth <= 2) rendering.add(`code-${nth}`);
      return accepted(`code-${nth}`);
    };
    const id = await night.bringIn(twoKinds(20), canary);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id)).filter((s) => s === 'done').length === 10);
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits.slice(0, 2).map(({ body }) => hasTempo(body))).toEqual([false, true]);
    expect(night.gateway.submits.filter(({ body }) => hasTempo(body))).toHaveLength(1);
    rendering.clear();
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(Array.from({ length: 20 }, () => 'done'));
    expect(night.gateway.submits).toHaveLength(20);
  });

  test('and is not enough while its file is only rendered', async () => {
    const night = new NightHarness();
    night.folder.onFetch = () => ({ kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', 'cut off') });
    const id = await night.bringIn(twoKinds(20), canary);
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('and costs one request of its kind where that is refused', async () => {
    const night = new NightHarness();
    refusesTempo(night.gateway);
    const id = await night.bringIn(twoKinds(60), canary);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits.filter(({ body }) => hasTempo(body))).toHaveLength(1);
    expect(await night.store.batch(id)).toMatchObject({
      state: 'paused',
      pause: { failure: { code: 'CANARY_FAILED', data: { row: 'r2', kind: 'music with prompt, tempo', waiting: 29 } } },
    });
    await night.clock.advance(MINUTE);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits.filter(({ body }) => hasTempo(body))).toHaveLength(2);
    expect((await night.statuses(id)).filter((status) => status === 'done').length).toBeGreaterThan(0);
  });

  test('and the user may send the rest anyway', async () => {
    const night = new NightHarness();
    refusesTempo(night.gateway);
    const id = await night.bringIn(twoKinds(12), canary);
    await night.scheduler.start(id);
    await night.untilRest(id);
    const { settings, pause } = (await night.store.batch(id)) ?? {};
    if (settings === undefined || pause?.by !== 'failure') throw new Error('not paused');
    const kind = Number(pause.failure.data?.['requestKind']);
    // Without a fuse: all of the rest is refused.
    await night.scheduler.configure(id, { ...settings, canaryReleased: [kind], fuse: 0 });
    await night.clock.advance(MINUTE);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    expect(night.gateway.submits).toHaveLength(12);
  });

  test('and nothing of its kind follows while its outcome is unknown; the batch says so at the end', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = ({ body }, nth) => (hasTempo(body) ? unknownOutcome() : accepted(`code-${nth}`));
    const id = await night.bringIn(twoKinds(20), canary);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits.filter(({ body }) => hasTempo(body))).toHaveLength(1);
    expect((await night.statuses(id)).filter((status) => status === 'done')).toHaveLength(10);
    expect(await night.store.batch(id)).toMatchObject({
      pause: { failure: { code: 'CANARY_FAILED', data: { why: 'unknown', waiting: 9 } } },
    });
  });

  test('and a kind whose rows wait for others is tried when the first of them may start', async () => {
    const night = new NightHarness();
    const link = {
      column: 'prompt',
      value: { kind: 'text' as const, text: [{ row: 'r1', path: { kind: 'task-code' as const }, text: 'r1.taskId' }] },
    };
    const body = { prompt: '{{r1.taskId}}', tempo: 90 };
    const sheet = [row('r1', 2), ...[2, 3, 4, 5].map((n) => row(`r${n}`, n + 1, { body, links: [link] }))];
    const id = await night.bringIn(sheet, canary);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 2);
    night.gateway.onPoll = () => RUNNING;
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('and a kill while it runs, or just after it failed, changes none of that', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(twoKinds(20), canary);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(
      async () => (await night.statuses(id)).filter((s) => s === 'rendering').length === 2,
    );
    night.open();
    await night.scheduler.attach(id);
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(2);
    // The failure is committed; the process ends before the pause is.
    const failed = {
      status: '3',
      message: 'no',
      urls: [],
      document: '{}',
      addTime: '',
      endTime: '',
      taskId: '',
      ids: {},
    };
    night.gateway.onPoll = () => ({ answer: { kind: 'record', record: failed } });
    night.open((store) => ({ ...store, setBatchState: () => new Promise(() => undefined) }));
    await night.scheduler.attach(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('failed'));
    night.open();
    expect(await night.state(id)).toBe('running');
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(2);
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'CANARY_FAILED' } } });
  });

  test('and one that is sent again under its key holds its kind up until it is settled, and the batch not at all', async () => {
    const night = new NightHarness();
    const codes = new Map<string, string>();
    night.gateway.onSubmit = ({ key = '' }, nth) => {
      const known = codes.get(key);
      const code = known ?? `code-${nth}`;
      codes.set(key, code);
      // The first of each kind is among those whose answers are lost.
      if (known === undefined && (codes.size <= 2 || codes.size % 5 === 0)) return unknownOutcome();
      return known === undefined ? accepted(code) : { ...accepted(code), again: 'settles' };
    };
    const idempotency = { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 } as const;
    const id = await night.bringIn(twoKinds(60), { ...canary, profile: { ...profile, idempotency } });
    await night.scheduler.start(id);
    await night.clock.advance(20_000);
    expect(night.gateway.submits).toHaveLength(2);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    expect(await night.statuses(id)).toEqual(Array.from({ length: 60 }, () => 'done'));
    expect(codes.size).toBe(60);
  });

  test('and one that would be sent again, but that the user holds, pauses the batch with its kind held up', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = ({ body }, nth) => (hasTempo(body) ? unknownOutcome() : accepted(`code-${nth}`));
    const idempotency = { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 } as const;
    const id = await night.bringIn(twoKinds(20), { ...canary, profile: { ...profile, idempotency } });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[1] === 'submit-unknown');
    const taskId = (await night.tasks(id))[1]?.id ?? 0;
    await night.scheduler.decide([{ taskId, event: { kind: 'put-on-hold' } }]);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({
      pause: { failure: { code: 'CANARY_FAILED', data: { why: 'unknown', row: 'r2', waiting: 9 } } },
    });
    // Nothing of a held row leaves; released, it settles the kind.
    const { length: sent } = night.gateway.submits;
    night.gateway.onSubmit = (_, nth) => ({ ...accepted(`code-${nth}`), again: 'settles' });
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(sent);
    await night.scheduler.decide([{ taskId, event: { kind: 'released' } }]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(Array.from({ length: 20 }, () => 'done'));
  });

  test('and words that moderation refuses say nothing of the kind: the next row is tried, three at most', async () => {
    const night = new NightHarness();
    const moderated = failure('MODERATED', 'not these words');
    night.gateway.onSubmit = ({ body }, nth) =>
      hasTempo(body) || body.includes('song 1"')
        ? { outcome: { kind: 'rejected', failure: moderated } }
        : accepted(`code-${nth}`);
    const id = await night.bringIn(twoKinds(20), canary);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits.filter(({ body }) => hasTempo(body))).toHaveLength(3);
    expect(night.gateway.submits.some(({ body }) => body.includes('song 3"'))).toBe(true);
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'CANARY_FAILED' } } });
  });

  test('and holds though it was started by a clock that was ahead and has been set since', async () => {
    const night = new NightHarness();
    const DAY = 24 * 60 * MINUTE;
    refusesTempo(night.gateway);
    night.clock.jump(2 * DAY);
    night.open();
    const id = await night.bringIn(twoKinds(20), canary);
    await night.scheduler.start(id);
    night.clock.jump(-2 * DAY);
    night.open();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(night.gateway.submits.filter(({ body }) => hasTempo(body))).toHaveLength(1);
    expect(await night.store.batch(id)).toMatchObject({ pause: { failure: { code: 'CANARY_FAILED' } } });
  });
});
