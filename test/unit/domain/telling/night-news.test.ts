import { describe, expect, test } from 'vitest';
import { messageOf } from '../../../../src/shared/domain/telling/night-message.ts';
import {
  isNightOver,
  lookAtNight,
  NOTHING_TOLD,
  type BatchFacts,
  type NightNews,
  type Told,
  warningText,
} from '../../../../src/shared/domain/telling/night-news.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';

function batch(
  id: string,
  changes: Partial<Omit<BatchFacts, 'takes'>> & { takes?: Partial<BatchFacts['takes']> } = {},
) {
  const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Record<TaskStatus, number>;
  const { takes, ...others } = changes;
  return { id, name: `secret name of ${id}`, state: 'running', ...others, takes: { ...none, ...takes } } as const;
}

const balance = { by: 'failure', failure: { code: 'BALANCE_EXHAUSTED' } } as const;

/** Looks at one state of all batches after another; gives the news, and what was told at the end. */
function night(states: readonly (readonly BatchFacts[])[], from: Told = NOTHING_TOLD) {
  let told = from;
  const news: NightNews[] = [];
  for (const batches of states) {
    const looked = lookAtNight(told, batches);
    // As it is read back from its file.
    told = JSON.parse(JSON.stringify(looked.told)) as Told;
    if (looked.news !== undefined) news.push(looked.news);
  }
  return { told, news };
}

describe('what is worth telling of a night', () => {
  test('one end for three batches, once the last of them is at rest', () => {
    const running = batch('a');
    const done = (id: string) => batch(id, { state: 'finished', takes: { done: 2 } });
    const { news } = night([
      [running, batch('b'), batch('c')],
      [done('a'), batch('b'), batch('c')],
      [done('a'), done('b'), batch('c')],
      [done('a'), done('b'), done('c')],
      [done('a'), done('b'), done('c')],
    ]);
    expect(news).toMatchObject([{ kind: 'ended', batches: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], needs: [] }]);
  });

  test('nothing of a lost answer that settles itself; once it does not, it is told', () => {
    const lost = { 'submit-unknown': 2, done: 3 };
    const { news } = night([[batch('a', { takes: lost, settling: 2 })], [batch('a', { takes: lost, settling: 1 })]]);
    expect(news).toMatchObject([{ kind: 'needs-you', needs: [{ code: 'SUBMIT_OUTCOME_UNKNOWN' }] }]);
    expect(news.map((one) => messageOf(one, false).body)).toEqual([
      'The gateway gave no clear answer to a paid request. 1 take waits for your decision.',
    ]);
  });

  test('a night is not over while requests are sent again in its pause', () => {
    const pause = { by: 'failure', failure: { code: 'CAP_REACHED' } } as const;
    const paused = batch('a', { state: 'paused', pause, takes: { 'submit-unknown': 1 } });
    expect(isNightOver([{ ...paused, settling: 1 }], ['a'])).toBe(false);
    expect(isNightOver([paused], ['a'])).toBe(true);
  });

  test('nothing twice: what was told before a restart is not told after it', () => {
    const end = [batch('a', { state: 'finished', takes: { done: 1, 'submit-unknown': 1 } })];
    const before = night([[batch('a', { takes: { 'submit-unknown': 1 } })], end]);
    expect(before.news.map(({ kind }) => kind)).toEqual(['needs-you', 'ended']);
    expect(night([end, end], before.told).news).toEqual([]);
  });

  test('what happened while nobody looked is told at the next start', () => {
    const { told } = night([[batch('a')]]);
    expect(night([[batch('a', { state: 'finished' })]], told).news).toMatchObject([{ kind: 'ended' }]);
  });

  test('a pause by failure once, for all batches of the night that have it, and again after it was resumed', () => {
    const paused = (id: string) => batch(id, { state: 'paused', pause: balance });
    const { news } = night([
      [batch('a'), batch('b')],
      [paused('a'), batch('b')],
      [paused('a'), paused('b')],
      [batch('a'), batch('b')],
      [paused('a'), paused('b')],
    ]);
    expect(news).toMatchObject([
      { kind: 'needs-you', needs: [{ code: 'BALANCE_EXHAUSTED', batches: [{ id: 'a' }] }] },
      { kind: 'needs-you', needs: [{ code: 'BALANCE_EXHAUSTED', batches: [{ id: 'a' }, { id: 'b' }] }] },
    ]);
  });

  test('a batch that pauses and lets its last renderings end is no second message', () => {
    const draining = batch('a', { state: 'paused', pause: balance, takes: { rendering: 2 } });
    const { news } = night([[batch('a')], [draining], [batch('a', { state: 'paused', pause: balance })]]);
    expect(news.map(({ kind }) => kind)).toEqual(['needs-you']);
  });

  test('of a pause by the user and of a batch that was never started, nothing', () => {
    const { news } = night([[batch('a')], [batch('a', { state: 'paused', pause: { by: 'user' } })]]);
    expect(news).toEqual([]);
    expect(night([[batch('a', { state: 'ready', takes: { 'submit-unknown': 1 } })]]).news).toEqual([]);
  });

  test('the same reason in another night is told again, beside an old batch that still has it', () => {
    const old = batch('old', { state: 'paused', pause: balance });
    const { told } = night([[batch('old')], [old]]);
    const { news } = night(
      [
        [old, batch('new')],
        [old, batch('new', { state: 'paused', pause: balance })],
      ],
      told,
    );
    expect(news).toMatchObject([{ kind: 'needs-you', batches: [{ id: 'new' }] }]);
  });

  test('a second night tells of its own batches only', () => {
    const first = batch('a', { state: 'finished', takes: { done: 1 } });
    const { told } = night([[batch('a')], [first]]);
    const { news } = night(
      [
        [first, batch('b')],
        [first, batch('b', { state: 'finished' })],
      ],
      told,
    );
    expect(news.map(({ batches }) => batches.map(({ id }) => id))).toEqual([['b']]);
  });
});

describe('the end of a night, for what is done after it', () => {
  const finished = batch('a', { state: 'finished' });
  test('is when nothing more happens by itself, whether rows failed or somebody is needed', () => {
    const failed = batch('b', { state: 'paused', pause: balance });
    expect(isNightOver([finished, failed], ['a', 'b'])).toBe(true);
    expect(isNightOver([finished, batch('b')], ['a', 'b'])).toBe(false);
    expect(isNightOver([finished, { ...failed, takes: batch('c', { takes: { rendering: 1 } }).takes }], ['a'])).toBe(
      false,
    );
  });

  test('is not when there was no night, or the user paused it', () => {
    expect(isNightOver([finished], [])).toBe(false);
    expect(isNightOver([finished, batch('b', { state: 'paused', pause: { by: 'user' } })], ['a', 'b'])).toBe(false);
  });

  test('is announced in words', () => {
    expect(warningText('shutdown', 1)).toBe('Nocturne shuts this computer down in 1 second.');
  });
});

describe('the words of a message', () => {
  const members = [
    batch('a', { state: 'finished', takes: { done: 1_200, failed: 3 } }),
    batch('b', { state: 'paused', pause: balance, takes: { queued: 4 } }),
  ];
  const news: NightNews = {
    kind: 'ended',
    batches: members,
    needs: [{ code: 'BALANCE_EXHAUSTED', batches: members.slice(1) }],
  };

  test('have counts, what is wrong and what to do, and no name unless it is wanted', () => {
    const message = messageOf(news, false);
    expect(message).toMatchObject({
      title: 'The night has ended and needs you',
      body: '1,200 of 1,207 takes are done. 3 failed.\n1 batch: The balance is used up. Top up your account at the gateway, then resume.',
      data: { batches: 2, needs: ['BALANCE_EXHAUSTED'] },
    });
    for (const kind of ['ended', 'needs-you'] as const)
      for (const batches of [members, members.slice(1)])
        expect(JSON.stringify(messageOf({ ...news, kind, batches }, false))).not.toContain('secret');
    expect(messageOf(news, true).body).toContain('“secret name of b”: The balance');
    expect(messageOf(news, true).data.names).toEqual(['secret name of a', 'secret name of b']);
  });
});
