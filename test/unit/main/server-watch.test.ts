import { expect, test } from 'vitest';
import { StoreWriteError, type Fleet } from '../../../src/engine/index.ts';
import { storeProblem } from '../../../src/engine/store/open/store-problem.ts';
import type { ServerState } from '../../../src/main/engine-process/engine-protocol.ts';
import { needsStore, ServerWatch, workerViews } from '../../../src/main/engine-process/server-watch.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const FLEET: Fleet = {
  at: 0,
  workers: [
    { holder: 'render 1 0b3e2b1c-6d7a-4a53-9c1e-0123456789ab', wishes: [], since: 0, seen: 0 },
    { holder: 'spare', wishes: [], since: 0, seen: 0, clockAheadMs: 40_000 },
  ],
  leases: [
    { account: 'https://a.example key-1', epoch: 1, holder: 'render 1 0b3e2b1c-6d7a-4a53-9c1e-0123456789ab', until: 9 },
    { account: 'https://b.example key-1', epoch: 1, holder: 'somebody', until: 9 },
  ],
};
const WORKERS = [
  { name: 'render 1', gateways: ['https://a.example'] },
  { name: 'spare', gateways: [], isClockOff: true },
];

function setUp() {
  const clock = new FakeClock();
  const states: ServerState[] = [];
  const problems: string[] = [];
  const server = { answers: (): Promise<Fleet> => Promise.resolve(FLEET), isOwnerBusy: false };
  const watch = new ServerWatch({
    engine: { fleet: () => server.answers(), isStoreAnswering: () => !server.isOwnerBusy },
    shown: 'postgres://db.example/nights',
    clock,
    onState: (state) => states.push(state),
    onUnusable: ({ message }) => problems.push(message),
  });
  watch.start();
  return { clock, states, problems, server, watch };
}

test('workers have the names that their users gave them, and the accounts that they hold', () => {
  expect(workerViews(FLEET)).toEqual(WORKERS);
});

test('a server that is silent is away since it was asked, and back with its first answer; each is told once', async () => {
  const { clock, states, server, watch } = setUp();
  await clock.advance(5_000);
  expect(states).toEqual([{ workers: WORKERS }]);
  let answer: (fleet: Fleet) => void = () => undefined;
  server.answers = () => new Promise((resolve) => (answer = resolve));
  server.isOwnerBusy = true;
  await clock.advance(1_000);
  const askedAt = clock.now();
  await clock.advance(3_000);
  expect(watch.awayWords).toBeUndefined();
  await clock.advance(60_000);
  const [away] = states.slice(1);
  expect([states.length, Math.abs((away?.awaySince ?? 0) - askedAt) < 2_000]).toEqual([2, true]);
  expect(watch.awayWords).toContain('postgres://db.example/nights has not answered since');
  server.answers = () => Promise.resolve(FLEET);
  answer(FLEET);
  await clock.advance(1);
  expect([states.length, states.at(-1), watch.awayWords]).toEqual([3, { workers: WORKERS }, undefined]);
});

test('one thread that is busy is no server that is away; one that refuses is', async () => {
  const { clock, states, server } = setUp();
  await clock.advance(1);
  server.answers = () => new Promise(() => undefined);
  await clock.advance(30_000);
  expect(states).toHaveLength(1);
  // Then it falls silent, too, with the question still open.
  server.isOwnerBusy = true;
  await clock.advance(4_000);
  expect(states).toHaveLength(2);
  const other = setUp();
  other.server.answers = () => Promise.reject(new Error('connect ECONNREFUSED'));
  await other.clock.advance(2_000);
  expect([other.states.length, other.watch.awayWords !== undefined]).toEqual([2, true]);
});

test('a store that has become another version, or is elsewhere, is asked no more', async () => {
  const { clock, problems, server } = setUp();
  await clock.advance(1);
  let asked = 0;
  server.answers = () => {
    asked += 1;
    return Promise.reject(new StoreWriteError(storeProblem('newer', 'It is newer.'), undefined));
  };
  await clock.advance(60_000);
  expect([problems, asked]).toEqual([['It is newer.'], 1]);
});

test('only what needs the store waits for its server', () => {
  expect((['batch.start', 'sheet.edit', 'rows.page'] as const).map(needsStore)).toEqual([true, true, true]);
  expect((['sheet.open', 'engine.stop', 'key.set'] as const).map(needsStore)).toEqual([false, false, false]);
});
