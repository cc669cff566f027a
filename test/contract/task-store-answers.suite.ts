import { describe, expect, test } from 'vitest';
import type { AnswerShape } from '../../src/shared/domain/gateway/learned/answer-look.ts';
import type { LearnedCounts } from '../../src/shared/domain/gateway/learned/learned.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { DEFAULT_PROFILE, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import { SEEN_KEPT, type SeenStatus } from '../../src/shared/domain/gateway/seen-status.ts';
import { type Task } from '../../src/shared/domain/task/task.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';
import { storeForEach, type OpenTaskStore, ANSWER } from './task-store-rig.ts';

/** Attempts, and what is kept of the answers of gateways. */
export function testAnswers(openStore: OpenTaskStore): void {
  let store: TaskStore;
  const { commit, happen } = storeForEach(openStore, (opened) => {
    store = opened;
  });

  describe('attempts', () => {
    test('say which origins a key was sent to', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      await happen(task, { kind: 'submit-started' }, { openAttempt: INTENT });
      expect(await store.originsOfKey(INTENT.keyFingerprint)).toEqual([INTENT.origin]);
      expect(await store.originsOfKey('another')).toEqual([]);
    });

    test('that never left say nothing about where a key belongs', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      await commit(change(open, { status: 'queued' }, { closeAttempt: { answeredAt: NOW + 1, outcome: 'not-sent' } }));
      expect(await store.originsOfKey(INTENT.keyFingerprint)).toEqual([]);
    });

    test('are open until their answer is committed, one at a time', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      expect(await store.commit([change(open, {}, { openAttempt: INTENT })])).toEqual(['attempt-open']);
      expect(await store.task(open.id)).toEqual(open);
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, taskId: task.id }]);
      expect((await store.attempts(task.id))[0]).not.toHaveProperty('outcome');

      const answer = { answeredAt: NOW + 9, outcome: 'accepted', raw: ANSWER } as const;
      const answered = await commit(change(open, { status: 'rendering' }, { closeAttempt: answer }));
      await commit(change(answered, {}, { openAttempt: INTENT }));
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, ...answer }, INTENT]);
      expect((await store.attempts(task.id))[1]).not.toHaveProperty('answeredAt');
    });

    test('that were closed without an answer keep one that comes late, and its outcome where that excludes a charge', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      const interrupted = { answeredAt: NOW + 1, outcome: 'interrupted' } as const;
      const unknown = await commit(change(open, { status: 'submit-unknown' }, { closeAttempt: interrupted }));
      const { id: attempt } = only((await store.attempts(task.id))[0]);
      const noted = await commit(
        change(
          unknown,
          {},
          { lateAnswer: { attempt, answer: { answeredAt: NOW + 9, outcome: 'accepted', raw: ANSWER } } },
        ),
      );
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, ...interrupted, raw: ANSWER }]);
      expect(await store.submitsUsed(batchId)).toBe(1);
      await commit(
        change(noted, {}, { lateAnswer: { attempt, answer: { answeredAt: NOW + 9, outcome: 'not-sent' } } }),
      );
      expect(await store.attempts(task.id)).toMatchObject([{ outcome: 'not-sent', raw: ANSWER }]);
      expect(await store.submitsUsed(batchId)).toBe(0);
    });

    test('keep an answer that comes late also before anybody closes them without one', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      const { id: attempt } = only((await store.attempts(task.id))[0]);
      const cost = { amount: 3, currency: 'credits' };
      const answer = { answeredAt: NOW + 1, outcome: 'not-sent', raw: ANSWER, cost } as const;
      const noted = await commit(change(open, {}, { lateAnswer: { attempt, answer } }));
      // Its outcome is that of whoever closes it.
      expect(only((await store.attempts(task.id))[0])).toMatchObject({ raw: ANSWER, cost });
      expect(only((await store.attempts(task.id))[0])).not.toHaveProperty('outcome');
      expect(await store.submitsUsed(batchId)).toBe(1);
      const interrupted = { answeredAt: NOW + 9, outcome: 'interrupted' } as const;
      await commit(change(noted, { status: 'submit-unknown' }, { closeAttempt: interrupted }));
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, ...interrupted, raw: ANSWER, cost }]);
      expect(await store.submitsUsed(batchId)).toBe(1);
    });

    test('keep what they cost, by the latest answer that says so', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const credits = (amount: number) => ({ amount, currency: 'credits' });
      const first = await commit(change(task, {}, { openAttempt: INTENT }));
      const closed = await commit(
        change(first, {}, { closeAttempt: { answeredAt: NOW, outcome: 'unknown', cost: credits(1) } }),
      );
      const second = await commit(change(closed, {}, { openAttempt: INTENT }));
      const answered = await commit(change(second, {}, { closeAttempt: { answeredAt: NOW, outcome: 'accepted' } }));
      expect((await store.attempts(task.id)).map(({ cost }) => cost)).toEqual([credits(1), undefined]);
      await commit(change(answered, {}, { cost: credits(0.25) }));
      expect((await store.attempts(task.id)).map(({ cost }) => cost)).toEqual([credits(1), credits(0.25)]);
    });

    test('that repeat another under its key keep what the first has cost, and count by themselves if charged again', async () => {
      const { id: batchId } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const idempotency = { header: 'Idempotency-Key', key: 'k-1', baseUrl: 'https://gateway.example/api' };
      const price = { amount: 2, currency: 'credits' };
      const [cost, other] = [1, 5].map((amount) => ({ amount, currency: 'credits' }));
      const closing = (outcome: 'unknown' | 'accepted', more: object) => ({
        closeAttempt: { answeredAt: NOW, outcome, ...more },
      });
      const again = { openAttempt: { ...INTENT, idempotency, isAgain: true } } as const;
      let now = await commit(change(task, {}, { openAttempt: { ...INTENT, idempotency, price } }));
      now = await commit(change(now, {}, closing('unknown', { cost })));
      now = await commit(change(now, {}, again));
      now = await commit(change(now, {}, closing('accepted', { cost: other, isChargedAgain: true })));
      const seen = async () => (await store.attempts(task.id)).map((one) => [one.outcome, one.price, one.cost]);
      expect(await seen()).toEqual([
        ['accepted', price, cost],
        ['unknown', price, other],
      ]);
      expect((await store.attempts(task.id))[0]?.idempotency).toEqual(idempotency);
      expect(await store.submitsUsed(batchId)).toBe(2);
      // A record is about the task, and so about the first.
      await commit(change(now, {}, { cost: { amount: 3, currency: 'credits' } }));
      expect((await seen()).map((one) => one[2])).toEqual([{ amount: 3, currency: 'credits' }, other]);
      const second = only((await store.tasksOfRow(batchId, 'r3'))[0]);
      const idempotencyOf = { ...idempotency, key: 'k-2' };
      let then = await commit(change(second, {}, { openAttempt: { ...INTENT, idempotency: idempotencyOf } }));
      then = await commit(change(then, {}, closing('unknown', { cost })));
      then = await commit(change(then, {}, { openAttempt: { ...again.openAttempt, idempotency: idempotencyOf } }));
      await commit(change(then, {}, closing('accepted', {})));
      expect((await store.attempts(second.id)).map((one) => one.cost)).toEqual([cost, undefined]);
    });

    test('that repeat another under its key leave the charge with the first', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const idempotency = { header: 'Idempotency-Key', key: 'k-1' };
      const cost = { amount: 3, currency: 'credits' };
      const closing = (outcome: 'unknown' | 'interrupted' | 'accepted' | 'rejected', more: object = {}) => ({
        closeAttempt: { answeredAt: NOW, outcome, ...more },
      });
      const outcomes = async () => (await store.attempts(task.id)).map(({ outcome }) => outcome);
      let now = await commit(change(task, {}, { openAttempt: { ...INTENT, idempotency } }));
      now = await commit(change(now, {}, closing('unknown')));
      now = await commit(change(now, {}, { openAttempt: { ...INTENT, idempotency, isAgain: true } }));
      expect([await outcomes(), await store.submitsUsed(batchId)]).toEqual([['unknown', 'asked-again'], 1]);
      now = await commit(change(now, {}, closing('interrupted')));
      now = await commit(change(now, {}, { openAttempt: { ...INTENT, idempotency, isAgain: true } }));
      now = await commit(change(now, {}, closing('accepted', { cost })));
      expect(await outcomes()).toEqual(['accepted', 'asked-again', 'asked-again']);
      expect((await store.attempts(task.id)).map((attempt) => attempt.cost)).toEqual([cost, undefined, undefined]);
      expect((await store.attempts(task.id)).map((attempt) => attempt.idempotency)).toEqual([
        idempotency,
        idempotency,
        idempotency,
      ]);
      now = await commit(change(now, {}, { cost: { ...cost, amount: 4 } }));
      expect((await store.attempts(task.id))[0]?.cost).toEqual({ ...cost, amount: 4 });
      expect(await store.submitsUsed(batchId)).toBe(1);
      // A refusal that settles both takes the charge back.
      now = await commit(change(now, {}, { openAttempt: { ...INTENT, idempotency: { ...idempotency, key: 'k-2' } } }));
      now = await commit(change(now, {}, closing('unknown')));
      now = await commit(
        change(now, {}, { openAttempt: { ...INTENT, idempotency: { ...idempotency, key: 'k-2' }, isAgain: true } }),
      );
      expect(await store.submitsUsed(batchId)).toBe(2);
      await commit(change(now, {}, closing('rejected')));
      expect((await outcomes()).slice(3)).toEqual(['rejected', 'asked-again']);
      expect(await store.submitsUsed(batchId)).toBe(1);
    });

    test('may be closed and opened in one change', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, {}, { openAttempt: INTENT }));
      const closeAttempt = { answeredAt: NOW, outcome: 'interrupted' } as const;
      await commit(change(open, {}, { closeAttempt, openAttempt: INTENT }));
      expect((await store.attempts(task.id)).map((attempt) => attempt.outcome)).toEqual(['interrupted', undefined]);
    });

    test.each([
      ['accepted', 1],
      ['unknown', 1],
      ['interrupted', 1],
      ['not-sent', 0],
      ['rate-limited', 0],
      ['held', 0],
      ['rejected', 0],
    ] as const)('that ended as %s count %i to the submits used', async (outcome, used) => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, {}, { openAttempt: INTENT }));
      expect(await store.submitsUsed(batchId)).toBe(1);
      await commit(change(open, {}, { closeAttempt: { answeredAt: NOW, outcome } }));
      expect(await store.submitsUsed(batchId)).toBe(used);
    });
  });

  test('only the latest answer to a poll is kept, byte for byte', async () => {
    const { id: batchId } = await store.createBatch(newBatch());
    const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
    expect(await store.pollAnswer(task.id)).toBeUndefined();
    const polled = await commit(
      change(task, {}, { pollAnswer: { ...ANSWER, httpStatus: 500, body: new Uint8Array(0) } }),
    );
    await commit(change(polled, {}, { pollAnswer: ANSWER }));
    expect(await store.pollAnswer(task.id)).toEqual(ANSWER);
  });

  test('the latest 64 completion times of each operation and model are kept, newest first', async () => {
    const { id: batchId } = await store.createBatch(
      newBatch({ rows: [makeRow(2, { body: { model: 'v4' } }), makeRow(3, { body: { model: 'v5' } })] }),
    );
    let task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
    const other = only((await store.tasksOfRow(batchId, 'r3'))[0]);
    await commit(change(other, {}, { completionMs: 7.5 }));
    for (let i = 1; i <= 70; i += 1) task = await commit(change(task, {}, { completionMs: i }));
    const times = await store.completions(batchId, 'musicgen/music/generate', 'v4');
    expect(times).toEqual(Array.from({ length: 64 }, (_, i) => 70 - i));
    expect(await store.completions(batchId, 'musicgen/music/generate', 'v5')).toEqual([7.5]);
    expect(await store.completions(batchId, 'musicgen/music/generate', '')).toEqual([]);
  });

  test('task codes and completion times are those of one gateway; a rehearsal has one of its own', async () => {
    const real = async (profile: Profile): Promise<string> =>
      (await store.createBatch(newBatch({ settings: settings({ profile }) }))).id;
    const [one, same, other] = await Promise.all(
      [
        { baseUrl: 'https://a.example' },
        { baseUrl: 'https://a.example', name: 'x' },
        { baseUrl: 'https://b.example' },
      ].map(async (profile) => real({ ...DEFAULT_PROFILE, ...profile })),
    );
    const rehearsal = (await store.createBatch(newBatch({ settings: settings({ rehearsal: true }) }))).id;
    const again = (await store.createBatch(newBatch({ settings: settings({ rehearsal: true }) }))).id;
    for (const batchId of [only(one), rehearsal]) {
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      await commit(change(task, { taskCode: `code of ${batchId}` }, { completionMs: 5 }));
    }
    const seen = async (batchId: string | undefined, code: string | undefined) => [
      await store.isTaskCodeKnown(only(batchId), `code of ${code}`),
      await store.completions(only(batchId), 'musicgen/music/generate', ''),
    ];
    expect(await seen(same, one)).toEqual([true, [5]]);
    expect(await seen(other, one)).toEqual([false, []]);
    expect(await seen(rehearsal, rehearsal)).toEqual([true, [5]]);
    expect(await seen(again, rehearsal)).toEqual([false, []]);
  });

  describe('what statuses were seen to mean', () => {
    const seen: SeenStatus = {
      operation: 'musicgen/music/generate',
      status: '3',
      hasUrl: false,
      hasEnded: true,
      hasMessage: true,
      became: 'suspected',
    };
    const show = async (task: Task, more: SeenStatus): Promise<Task> => commit(change(task, {}, { seen: more }));

    test('is counted for each gateway with what looks alike, and not for rehearsals', async () => {
      const elsewhere = settings({ profile: { ...settings().profile, baseUrl: 'https://elsewhere.example' } });
      const first = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const other = await store.createBatch(newBatch({ settings: elsewhere }));
      const rehearsal = await store.createBatch(newBatch({ settings: settings({ rehearsal: true }) }));
      const task = await show(only((await store.tasksOfRow(first.id, 'r2'))[0]), {
        ...seen,
        became: 'running',
        hasEnded: false,
      });
      await show(task, seen);
      await show(only((await store.tasksOfRow(first.id, 'r3'))[0]), seen);
      await show(only((await store.tasksOfRow(other.id, 'r2'))[0]), { ...seen, status: 'Ä' });
      await show(only((await store.tasksOfRow(rehearsal.id, 'r2'))[0]), seen);
      const { gateway } = only((await store.seenStatuses(first.id))[0]);
      expect(await store.seenStatuses(first.id)).toEqual([
        { ...seen, gateway, became: 'running', hasEnded: false, tasks: 1, lastAt: NOW },
        { ...seen, gateway, tasks: 2, lastAt: NOW },
      ]);
      expect(await store.seenStatuses(other.id)).toMatchObject([
        { gateway: 'https://elsewhere.example', status: 'Ä', tasks: 1 },
      ]);
      expect(await store.seenStatuses(rehearsal.id)).toEqual([]);
      expect(await store.seenStatuses()).toHaveLength(3);
    });

    test('is not counted where the change is refused', async () => {
      const { id } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(id, 'r2'))[0]);
      await show(task, seen);
      expect(await store.commit([change(task, {}, { seen })])).toEqual(['stale']);
      expect(await store.seenStatuses(id)).toMatchObject([{ tasks: 1 }]);
    });

    test('is bounded: a gateway that invents statuses fills nothing, and what was known is counted on', async () => {
      const { id } = await store.createBatch(newBatch());
      let task = only((await store.tasksOfRow(id, 'r2'))[0]);
      for (let i = 0; i < SEEN_KEPT + 5; i += 1) task = await show(task, { ...seen, status: `s${i}` });
      await show(task, { ...seen, status: 's0' });
      const kept = await store.seenStatuses(id);
      expect(kept).toHaveLength(SEEN_KEPT);
      expect(kept.find(({ status }) => status === 's0')).toMatchObject({ tasks: 2 });
      expect(kept.some(({ status }) => status === `s${SEEN_KEPT}`)).toBe(false);
    });
  });

  describe('what answers looked like', () => {
    const shape = (code: string): AnswerShape => ({
      call: 'poll',
      operation: 'musicgen/music/generate',
      httpStatus: 200,
      content: 'json',
      code,
      fields: 'code:number',
      found: '',
      way: 'taskCode',
      became: 'running',
    });
    const cost = { operation: 'musicgen/music/generate', kind: 'cost', at: 'result.credits' } as const;

    test('is added up by gateway, with the bounds of its numbers', async () => {
      const { id } = await store.createBatch(newBatch());
      let task = only((await store.tasksOfRow(id, 'r2'))[0]);
      const learn = async (learned: LearnedCounts) => {
        const next = change(task, {}, { learned });
        await commit(next);
        task = next.next;
      };
      await learn({
        shapes: [{ shape: shape('200'), answers: 3 }],
        measures: [{ ...cost, count: 2, least: 1, most: 2 }],
      });
      await learn({
        shapes: [
          { shape: shape('200'), answers: 4 },
          { shape: shape('500'), answers: 1 },
        ],
        measures: [{ ...cost, count: 1, least: 0.5, most: 0.5 }],
      });
      const { shapes, measures } = await store.learned();
      expect(shapes.map((one) => [one.shape, one.answers, one.lastAt])).toEqual([
        [shape('200'), 7, NOW],
        [shape('500'), 1, NOW],
      ]);
      expect(measures).toMatchObject([{ ...cost, count: 3, least: 0.5, most: 2 }]);
      expect(
        await store.commit([change({ ...task, revision: 0 }, {}, { learned: { shapes: [], measures: [] } })]),
      ).toEqual(['stale']);
    });
  });
}
