import { err, ok } from '../../src/shared/domain/base/result.ts';
import { expect, test } from 'vitest';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { accepted, record, rendered } from '../support/scripted-gateway.ts';

const PLACES = 2;
const IN_FLIGHT = 24;

/** A gateway that renders the first two of its tasks, about a minute each, and says which wait. */
function withQueue(night: NightHarness) {
  const freeAt = Array.from({ length: PLACES }, () => 0);
  const startsAt = new Map<string, number>();
  const endsAt = new Map<string, number>();
  const asked = new Map<string, number>();
  const latenciesMs: number[] = [];
  night.gateway.onSubmit = (_, nth) => {
    const code = `code-${nth}`;
    const place = freeAt.indexOf(Math.min(...freeAt));
    const start = Math.max(night.clock.now(), freeAt[place] ?? 0);
    const end = start + 40_000 + ((nth * 7919) % 40) * 1000;
    freeAt[place] = end;
    startsAt.set(code, start);
    endsAt.set(code, end);
    return accepted(code);
  };
  night.gateway.onPoll = (code) => {
    const now = night.clock.now();
    asked.set(code, (asked.get(code) ?? 0) + 1);
    const end = endsAt.get(code) ?? now;
    if (now < end)
      return { answer: { kind: 'record', record: record({ status: now < (startsAt.get(code) ?? 0) ? '0' : '1' }) } };
    // A song is asked about once more: another may follow it.
    if (endsAt.delete(code)) latenciesMs.push(now - end);
    return rendered(`https://media.example/${code}.mp3`);
  };
  return { asked, latenciesMs };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const profile = profileWith({ activePerFamily: { musicgen: IN_FLIGHT, 'videogen-a': 1, 'videogen-b': 1 } });

test('behind a queue, only its front is asked about', async () => {
  const night = new NightHarness();
  const { asked, latenciesMs } = withQueue(night);
  const id = await night.bringIn(rows(80), { profile });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.statuses(id)).toEqual(Array.from({ length: 80 }, () => 'done'));
  expect(night.bugs).toEqual([]);
  // They waited for six minutes each; every 5 s would be 80 polls.
  expect(mean([...asked.values()].slice(-40))).toBeLessThan(10);
  expect(mean(latenciesMs.slice(-40))).toBeLessThan(4000);
});

test('a night that goes on after a restart asks about what only the one before knew', async () => {
  const night = new NightHarness();
  const { latenciesMs } = withQueue(night);
  const id = await night.bringIn(rows(60), { profile });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => latenciesMs.length === 20);
  night.open();
  const before = latenciesMs.length;
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.statuses(id)).toEqual(Array.from({ length: 60 }, () => 'done'));
  expect(Math.max(...latenciesMs.slice(before))).toBeLessThan(60_000);
});

test('places that tasks hold which nobody may ask about cost the others a while, and not the rest of the night', async () => {
  const night = new NightHarness();
  const { latenciesMs } = withQueue(night);
  const full = failure('DISK_FULL', 'no space left on device');
  let isFull = false;
  night.folder.onFetch = ({ folder }) =>
    folder === '/full' && isFull ? { kind: 'disk-failed', failure: full } : undefined;
  night.folder.prepare = (folder) => Promise.resolve(folder === '/full' && isFull ? err(full) : ok(folder));
  const id = await night.bringIn(rows(80), { profile });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => latenciesMs.length === 20);
  const roomForMore = { activePerFamily: { musicgen: 2 * IN_FLIGHT, 'videogen-a': 1, 'videogen-b': 1 } };
  const paused = await night.bringIn(rows(12), { profile: profileWith(roomForMore), folder: '/full' });
  await night.scheduler.start(paused);
  await night.clock.advance(1000);
  isFull = true;
  await night.clock.advanceUntil(async () => (await night.state(paused)) === 'paused');
  await night.untilRest(id);
  expect(new Set(await night.statuses(id))).toEqual(new Set(['done']));
  expect(mean(latenciesMs.slice(-20))).toBeLessThan(10_000);
});

test('after a pause because of the disk the front is asked about at once', async () => {
  const night = new NightHarness();
  const { latenciesMs } = withQueue(night);
  const full = failure('DISK_FULL', 'no space left on device');
  night.folder.onFetch = () =>
    night.folder.problem === undefined ? undefined : { kind: 'disk-failed', failure: full };
  const id = await night.bringIn(rows(80), { profile });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => latenciesMs.length === 20);
  night.folder.problem = full;
  await night.clock.advanceUntil(async () => (await night.state(id)) === 'paused');
  await night.clock.advance(60_000);
  night.folder.problem = undefined;
  await night.clock.advanceUntil(async () => (await night.state(id)) === 'running');
  const found = latenciesMs.length;
  await night.clock.advance(5 * 60_000);
  // Asked only when each is due by itself, some would wait for two minutes.
  expect(latenciesMs.length - found).toBeGreaterThan(8);
  expect(Math.max(...latenciesMs.slice(found))).toBeLessThan(60_000);
});

test('how long renderings take is read once, not at each poll', async () => {
  const night = new NightHarness();
  let reads = 0;
  night.open((store): TaskStore => ({
    ...store,
    completions: (...asked) => {
      reads += 1;
      return store.completions(...asked);
    },
  }));
  const id = await night.bringIn(rows(20));
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(reads).toBe(1);
  expect(await night.store.completions(id, 'musicgen/music/generate', '')).toHaveLength(20);
});
