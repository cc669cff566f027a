import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../src/engine/ports/media-folder.ts';
import type { PollReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { RUNNING, record, rendered, unknownOutcome } from '../support/scripted-gateway.ts';

const HOUR = 3_600_000;

describe('what is learned of completion times', () => {
  test('a rendering that is found in time is learned from', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.completions(id, 'musicgen/music/generate', '')).toHaveLength(1);
  });

  test('a rendering that was found only after the machine had slept is not: later tasks would wait as long', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(1000);
    expect(await night.statuses(id)).toEqual(['rendering']);
    night.clock.jump(3 * HOUR);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(await night.store.completions(id, 'musicgen/music/generate', '')).toEqual([]);
  });

  test('a rendering that a full disk records an hour later is not', async () => {
    const night = new NightHarness();
    const fullUntil = night.clock.now() + HOUR;
    night.open((store) => ({
      ...store,
      commit(changes) {
        const isFull = night.clock.now() < fullUntil && changes.some(({ event }) => event.kind === 'rendered');
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        return store.commit(changes);
      },
    }));
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
    expect(night.clock.now()).toBeGreaterThanOrEqual(fullUntil);
    expect(await night.store.completions(id, 'musicgen/music/generate', '')).toEqual([]);
  });

  const learned = async (night: NightHarness, id: string) => night.store.completions(id, 'musicgen/music/generate', '');

  const notThere: FetchOutcome = { kind: 'download-failed', failure: failure('GATEWAY_UNAVAILABLE', 'HTTP 404') };
  const guessed = (code: string): PollReport => ({
    answer: {
      kind: 'record',
      record: record({ status: '9', urls: [`https://media.example/${code}.mp3`], endTime: 'x' }),
    },
  });

  test('an address that is there before its file teaches nothing: the rendering took longer', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = guessed;
    const id = await night.bringIn(rows(1));
    const fileAt = night.clock.now() + HOUR / 6;
    night.folder.onFetch = () => (night.clock.now() < fileAt ? notThere : undefined);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
    expect(night.clock.now()).toBeGreaterThanOrEqual(fileAt);
    expect(await learned(night, id)).toEqual([]);
  });

  test('one that is taken back teaches the time until the gateway said that it was rendered', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = guessed;
    const id = await night.bringIn(rows(1));
    const startedAt = night.clock.now();
    let fetches = 0;
    night.folder.onFetch = () => (++fetches === 1 ? notThere : undefined);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => fetches === 1);
    const saysSoFrom = startedAt + HOUR / 12;
    night.gateway.onPoll = (code) =>
      night.clock.now() < saysSoFrom ? RUNNING : rendered(`https://media.example/${code}.mp3`);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
    expect(await learned(night, id)).toHaveLength(1);
    expect((await learned(night, id))[0]).toBeGreaterThan(HOUR / 12 - 2000);
  });

  test('a rendering whose file is broken teaches nothing', async () => {
    const night = new NightHarness();
    const broken: FetchOutcome = {
      kind: 'unverifiable',
      failure: failure('OUTPUT_UNVERIFIABLE', 'cut off'),
      isFinal: true,
    };
    night.folder.onFetch = () => broken;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['failed']);
    expect(await learned(night, id)).toEqual([]);
  });

  test('a submit that was adopted hours later teaches nothing', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => unknownOutcome();
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'submit-unknown');
    await night.clock.advance(5 * HOUR);
    await night.scheduler.decide(
      (await night.tasks(id)).map((task) => ({
        taskId: task.id,
        event: { kind: 'adopted', taskCode: 'mine' } as const,
      })),
    );
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
    expect(await learned(night, id)).toEqual([]);
  });

  test('an overdue task that is retried teaches nothing', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const profile = { ...profileWith(), deadlines: { submitSeconds: 120, pollSeconds: 30, taskHours: 2 } };
    const id = await night.bringIn(rows(1), { profile });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'failed');
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.scheduler.decide(
      (await night.tasks(id)).map((task) => ({ taskId: task.id, event: { kind: 'user-retry' } as const })),
    );
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
    expect(await learned(night, id)).toEqual([]);
  });

  test('a rendering that could not be asked about for hours teaches nothing', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => ({ answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'reset') } });
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.clock.advance(3 * HOUR);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'done');
    expect(await learned(night, id)).toEqual([]);
  });
});
