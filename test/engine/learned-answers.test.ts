import { expect, test } from 'vitest';
import type { AnswerSight, PollReport } from '../../src/engine/ports/media-gateway.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { lookOf } from '../../src/shared/domain/gateway/learned/answer-look.ts';
import { NightHarness, rows } from '../support/night-harness.ts';
import { accepted, answerWith, rendered, RUNNING } from '../support/scripted-gateway.ts';

const POLLS = 20;

/** A night of three songs that are asked about for a long time; returns how often the store was asked to commit. */
async function longNight(sight: AnswerSight | undefined, rehearsal = false) {
  const night = new NightHarness();
  let commits = 0;
  night.open((store): TaskStore => ({
    ...store,
    commit: (changes) => {
      commits += 1;
      return store.commit(changes);
    },
  }));
  const seen = <T extends object>(report: T): T =>
    sight === undefined ? report : { ...report, raw: answerWith('{}'), sight };
  const asked = new Map<string, number>();
  night.gateway.onSubmit = (_, nth) => seen(accepted(`code-${nth}`));
  night.gateway.onPoll = (code): PollReport => {
    asked.set(code, (asked.get(code) ?? 0) + 1);
    return seen((asked.get(code) ?? 0) < POLLS ? RUNNING : rendered(`https://media.example/${code}.mp3`));
  };
  const batchId = await night.bringIn(rows(3), { rehearsal });
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  expect(await night.statuses(batchId)).toEqual(['done', 'done', 'done']);
  return { commits, learned: await night.store.learned(), polls: night.gateway.polls.length };
}

const SIGHT: AnswerSight = {
  look: lookOf({ 'content-type': 'application/json' }, { code: 200, result: {} }, 'taskCode'),
  measures: [{ kind: 'cost', at: 'result.credits', value: 2 }],
};

test('answers are counted with the changes that are committed anyway: no commit is made for them', async () => {
  const unseen = await longNight(undefined);
  const seen = await longNight(SIGHT);
  expect(seen.commits).toBe(unseen.commits);
  expect(unseen.learned).toMatchObject({ shapes: [], measures: [] });
  expect(seen.polls).toBe(unseen.polls);
  const { shapes, measures } = seen.learned;
  expect(shapes.map(({ shape: { call, became } }) => [call, became])).toEqual(
    expect.arrayContaining([
      ['submit', 'accepted'],
      ['poll', 'running'],
      ['poll', 'rendered'],
    ]),
  );
  // Those of the last seconds may be missing.
  const counted = shapes.reduce((sum, { answers }) => sum + answers, 0);
  expect(counted).toBeGreaterThanOrEqual(seen.polls - 3);
  expect(counted).toBeLessThanOrEqual(seen.polls + 3);
  expect(measures.find(({ kind }) => kind === 'cost')).toMatchObject({ at: 'result.credits', least: 2, most: 2 });
  expect(measures.find(({ kind }) => kind === 'accepted-active')).toMatchObject({ least: 1 });
  expect(measures.map(({ kind }) => kind)).toContain('submit-seconds');
});

test('a rehearsal teaches nothing of the user’s gateway', async () => {
  const { learned } = await longNight(SIGHT, true);
  expect(learned).toEqual({ shapes: [], measures: [], durations: [] });
});
