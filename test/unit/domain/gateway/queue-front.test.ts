import { describe, expect, test } from 'vitest';
import { QueueFront, type Sighting } from '../../../../src/shared/domain/gateway/queue-front.ts';
import { OurPolls } from '../../../../bench/rivals/our-polls.ts';
import {
  EachByItself,
  LAWS,
  normal,
  simulate,
  type PollOutcome,
  type SimulationOptions,
} from '../../../../bench/support/poll-simulation.ts';
import type { GatewayKind, Law } from '../../../../bench/support/simulated-gateway.ts';

const IN_ORDER: GatewayKind = {
  durationMs: LAWS.lognormal.durationMs,
  atOnce: () => 10,
  order: 'first',
  words: 'the truth',
};
/** Past the start of a night, in which the order is not known yet. */
const LATER = { tasks: 500, warmUp: 200 } as const;

const DURATIONS: Readonly<Record<string, Law['durationMs']>> = {
  constant: () => 60_000,
  narrow: (random) => 60_000 * (1 + 0.05 * normal(random)),
  uniform: LAWS.uniform.durationMs,
  exponential: (random) => -60_000 * Math.log(1 - random()),
  lognormal: LAWS.lognormal.durationMs,
  'lognormal and wide': (random) => 60_000 * Math.exp(normal(random)),
  'of two kinds': (random) => (random() < 0.8 ? 30_000 + 5000 * random() : 150_000 + 20_000 * random()),
  'with a heavy tail': (random) => 20_000 / (1 - random()) ** (1 / 1.5),
  'of seconds': (random) => 1000 + 2000 * random(),
  'that become longer': (random, task) => (30_000 + 60_000 * random()) * (1 + task / 700),
  'that become shorter': (random, task) => (60_000 + 60_000 * random()) / (1 + task / 500),
};

function ours(kind: GatewayKind, options: SimulationOptions = LATER): PollOutcome {
  return simulate(kind, new OurPolls(), options);
}

/** Polls of ours for one poll of a fixed interval that is as late. */
function againstFixed(kind: GatewayKind, options: SimulationOptions = LATER): number {
  const { polls, latencyS } = ours(kind, options);
  const fixed = simulate(kind, new EachByItself(() => 2000 * latencyS), options);
  return (polls * latencyS) / (fixed.polls * fixed.latencyS);
}

describe('first in, first out', () => {
  test.each([LAWS.lognormal, LAWS.uniform])('a gateway that says so is asked about 5 times a task: $name', (law) => {
    const { polls, latencyS } = ours({ ...IN_ORDER, durationMs: law.durationMs });
    expect(polls).toBeLessThan(6);
    expect(latencyS).toBeLessThan(2.7);
  });

  test.each([LAWS.lognormal, LAWS.uniform])(
    'one that does not is recognised by the order of its ends: $name',
    (law) => {
      const { polls, latencyS } = ours({ ...IN_ORDER, words: 'nothing', durationMs: law.durationMs });
      expect(polls).toBeLessThan(10.5);
      expect(latencyS).toBeLessThan(3.6);
    },
  );

  test.each(Object.entries(DURATIONS))('beats a fixed interval by far, with durations %s', (_name, durationMs) => {
    for (const words of ['the truth', 'nothing'] as const)
      expect(againstFixed({ ...IN_ORDER, durationMs, words })).toBeLessThan(0.35);
  });
});

describe('no worse than a fixed interval that is as late', () => {
  test.each(['last', 'random', 'batches'] as const)('with another order: %s', (order) => {
    for (const words of ['the truth', 'nothing'] as const)
      expect(againstFixed({ ...IN_ORDER, order, words })).toBeLessThan(1.05);
  });

  test.each(['always queued', 'always running', 'anything'] as const)('with words that are not true: %s', (words) => {
    expect(againstFixed({ ...IN_ORDER, words })).toBeLessThan(1.05);
  });

  const places = (now: number): number => [10, 20, 5][Math.floor(now / 600_000) % 3] ?? 10;
  test.each<[string, Partial<GatewayKind>]>([
    ['a changing number of places', { atOnce: places }],
    ['half an hour in which nothing is rendered', { stall: [900_000, 2_700_000] }],
    ['an order that is only roughly kept', { jitterMs: 20_000 }],
    ['one place', { atOnce: () => 1 }],
    ['no queue at all', { atOnce: () => 100 }],
  ])('with %s', (_name, special) => {
    for (const words of ['the truth', 'nothing'] as const)
      expect(againstFixed({ ...IN_ORDER, words, ...special })).toBeLessThan(1.05);
  });

  test('with no queue, and durations for which a fixed interval is the best', () => {
    const durationMs = DURATIONS['exponential'] ?? IN_ORDER.durationMs;
    const kind: GatewayKind = { ...IN_ORDER, words: 'nothing', atOnce: () => 100, durationMs };
    expect(againstFixed(kind, { tasks: 1500, warmUp: 500 })).toBeLessThan(1.12);
  });
});

const MINUTE = 60_000;

/** A front that was shown 20 tasks on 2 places, in order, until it decides. */
function decidingFront(): { readonly front: QueueFront; readonly now: number } {
  const front = new QueueFront();
  let now = 0;
  for (let id = 0; id < 20; id += 1) front.accepted(id, 0, 0, now);
  const show = (id: number, sighting: Sighting): void => front.answered(id, sighting, now);
  for (let ended = 0; ended < 5; ended += 1) {
    now += MINUTE;
    show(ended, 'ended');
    show(ended + 1, 'running');
    show(ended + 2, 'running');
    show(ended + 3, 'queued');
  }
  return { front, now };
}

describe('what the front decides', () => {
  test('nothing, while nothing is known', () => {
    const front = new QueueFront();
    front.accepted(1, 0, 0, 0);
    expect(front.decides(1)).toBe(false);
    expect(front.next(0)).toBeUndefined();
  });

  test('the head of the queue or one before it is asked, never one behind', () => {
    const { front, now } = decidingFront();
    let at = now;
    for (let asked = 0; asked < 50; asked += 1) {
      const look = front.next(at);
      expect(look?.id).toBeLessThanOrEqual(7);
      at = Math.max(at, look?.at ?? 0);
      front.answered(look?.id ?? 0, (look?.id ?? 0) <= 6 ? 'running' : 'queued', at);
    }
    expect(at).toBeGreaterThan(now + MINUTE);
  });

  test('each task has a longest interval, after which it is asked anyway', () => {
    const { front } = decidingFront();
    expect(front.decides(15)).toBe(true);
    expect(front.longestMs).toBeGreaterThanOrEqual(MINUTE);
    expect(front.longestMs).toBeLessThanOrEqual(30 * MINUTE);
  });

  test('a head that runs is followed by a search for the one that has ended', () => {
    const { front, now } = decidingFront();
    const later = now + 1000;
    // Counted first, so that it knows of two places.
    for (let look = front.next(later); look !== undefined && look.at <= later; look = front.next(later))
      front.answered(look.id, look.id <= 6 ? 'running' : 'queued', later);
    const then = now + MINUTE / 2;
    front.answered(7, 'running', then);
    expect([5, 6]).toContain(front.next(then)?.id);
  });

  test('a task that takes minutes is not asked about every second because those before it took seconds', () => {
    const front = new QueueFront();
    let now = 0;
    for (let id = 0; id < 20; id += 1) front.accepted(id, 0, 0, now);
    for (let ended = 0; ended < 8; ended += 1) {
      front.answered(ended + 1, 'queued', now);
      now += ended % 4 === 3 ? 2 * MINUTE : 2000;
      front.answered(ended, 'ended', now);
      front.answered(ended + 1, 'running', now);
    }
    let polls = 0;
    for (const end = now + 10 * MINUTE; now < end; polls += 1) {
      const look = front.next(now);
      if (look === undefined) break;
      now = Math.max(now, look.at) + 100;
      front.asking(look.id);
      front.answered(look.id, look.id === 8 ? 'running' : 'queued', now);
    }
    expect(polls).toBeGreaterThan(10);
    expect(polls).toBeLessThan(150);
  });

  test('a task whose request is under way is not asked again', () => {
    const { front, now } = decidingFront();
    const asked = new Set<number>();
    for (let at = now; at < now + 10 * MINUTE && asked.size < 30; at += 1000) {
      const look = front.next(at);
      if (look === undefined || look.at > at) continue;
      expect(asked).not.toContain(look.id);
      asked.add(look.id);
      front.asking(look.id);
    }
    expect(asked.size).toBeGreaterThan(0);
  });

  test('without an answer nobody is asked for a while', () => {
    const { front, now } = decidingFront();
    front.asking(5);
    front.answered(5, 'nothing', now);
    expect(front.next(now)?.at).toBeGreaterThanOrEqual(now + 5000);
  });

  test('queued tasks that were passed over end it, and every task is asked once', () => {
    const { front, now } = decidingFront();
    for (const id of [15, 16, 17, 18, 19]) {
      front.answered(id, 'ended', now);
      front.forget(id, now);
    }
    for (const id of [7, 8, 9, 10, 11]) front.answered(id, 'queued', now);
    expect(front.decides(12)).toBe(false);
    const swept = new Set<number>();
    let at = now;
    for (let look = front.next(at); look !== undefined; look = front.next(at)) {
      at = Math.max(at, look.at);
      swept.add(look.id);
      front.answered(look.id, 'unfinished', at);
    }
    expect(swept.size).toBeGreaterThanOrEqual(9);
    expect(at).toBeLessThan(now + MINUTE);
  });

  test('a task of another night that is due only much later is asked soon', () => {
    const front = new QueueFront();
    front.accepted(1, 0, 30 * MINUTE, 10 * MINUTE);
    front.accepted(2, 0, 10 * MINUTE + 5000, 10 * MINUTE);
    expect(front.next(10 * MINUTE)?.id).toBe(1);
    front.answered(1, 'unfinished', 10 * MINUTE);
    expect(front.next(10 * MINUTE)).toBeUndefined();
  });

  test('a head whose profile does not know the words is left to its own due time, not asked again and again', () => {
    const { front, now } = decidingFront();
    let asked = 0;
    let at = now;
    for (let look = front.next(at); look !== undefined && look.at < now + MINUTE; look = front.next(at)) {
      at = Math.max(at + 500, look.at);
      if (look.id === 7) asked += 1;
      front.answered(look.id, look.id < 7 ? 'running' : look.id === 7 ? 'unfinished' : 'queued', at);
    }
    expect(asked).toBe(1);
    expect(front.decides(7)).toBe(false);
  });

  test('what is forgotten is never asked', () => {
    const { front, now } = decidingFront();
    for (let id = 5; id < 20; id += 1) front.forget(id, now);
    expect(front.next(now)).toBeUndefined();
  });
});
