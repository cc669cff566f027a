import { expect, test } from 'vitest';
import { OWN, RequestBudget, type Lane } from '../../../../src/engine/night/lanes.ts';
import { Fronts } from '../../../../src/engine/night/polls/fronts.ts';
import type { PollVerdict } from '../../../../src/shared/domain/gateway/poll-outcome.ts';
import type { Task } from '../../../../src/shared/domain/task/task.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { makeTask } from '../../../support/make-task.ts';

const RUNNING: PollVerdict = { kind: 'running', phase: 'running' };
const QUEUED: PollVerdict = { kind: 'running', phase: 'queued' };
const RENDERED: PollVerdict = { kind: 'rendered', outputs: [], provisional: false };

/** A gateway of which 1 to 4 have ended, 5 and 6 run and 7 to 20 wait, as it says: its front is known. */
async function withFront() {
  const clock = new FakeClock();
  const budget = new RequestBudget(50, 0);
  const at = { name: 'account', right: OWN, taking: undefined, unanswered: new Map(), unsent: new Map() };
  const lane: Lane = { ...at, budget, fronts: new Map(), trouble: undefined, heldUntil: undefined, ends: [] };
  const fronts = new Fronts(clock, () => lane);
  const rendering = (id: number, dueAt = clock.now() + 100_000): Task =>
    makeTask({ id, status: 'rendering', submittedAt: clock.now(), dueAt });
  const answered = (id: number, verdict: PollVerdict): void => {
    fronts.asking(id);
    fronts.answered(id, verdict);
    fronts.asked(id);
  };
  for (let id = 1; id <= 20; id += 1) fronts.take(rendering(id));
  await clock.advance(30_000);
  for (const id of [1, 2, 3, 4]) {
    answered(id, RENDERED);
    fronts.letGo(id);
  }
  for (const id of [5, 6]) answered(id, RUNNING);
  for (let id = 7; id <= 14; id += 1) answered(id, QUEUED);
  /** It says that a task waits which it said was running. */
  const giveUp = (): void => {
    for (const id of [5, 6, 5]) {
      answered(id, RUNNING);
      answered(id, QUEUED);
    }
  };
  return { clock, fronts, rendering, answered, giveUp };
}

test('a task is asked soon if its front is given up while what it relied on is committed', async () => {
  const { clock, fronts, rendering, giveUp } = await withFront();
  const task = rendering(21);
  const longestMs = fronts.longestMs(task) ?? 0;
  expect(longestMs).toBeGreaterThan(20_000);
  giveUp();
  // The others have been asked by then.
  for (let id = 5; id <= 20; id += 1) fronts.letGo(id);
  expect(fronts.nextAt()).toBeUndefined();
  fronts.take({ ...task, dueAt: clock.now() + longestMs });
  expect(fronts.nextAt()).toBeLessThanOrEqual(clock.now() + 1000);
});

test('a task whose answer is being recorded is asked once more when the front is given up meanwhile', async () => {
  const { clock, fronts, giveUp } = await withFront();
  fronts.asking(20);
  fronts.answered(20, QUEUED);
  giveUp();
  await clock.advance(1000);
  const asked: number[] = [];
  // It is under way until its answer is recorded: it counts as asked, and is not.
  fronts.startDue((id) => asked.push(id) > 0);
  expect(asked).toContain(20);
  fronts.asked(20);
  expect(fronts.nextAt()).toBeLessThanOrEqual(clock.now());
});
