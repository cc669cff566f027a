/** What becomes of the files of a task: placed, tried again, with a fresh address. */
import { describe, expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { nextAction } from '../../../../src/shared/domain/task/next-action.ts';
import { type Output, type Task } from '../../../../src/shared/domain/task/task.ts';
import { transition } from '../../../../src/shared/domain/task/task-machine.ts';
import { makeTask } from '../../../support/make-task.ts';
import { NOW, why, suspicion, file, pending, EVENTS, taskIn, after } from './task-events.ts';

describe('downloading', () => {
  const two = makeTask({ status: 'downloading', taskCode: 't1', outputs: [pending, { ...pending, index: 2 }] });

  test('done only when the last output is verified', () => {
    const first = after(two, EVENTS['output-verified']);
    expect(first.status).toBe('downloading');
    expect(after(first, { ...EVENTS['output-verified'], index: 2 })).toMatchObject({ status: 'done', finishedAt: NOW });
  });

  test('an output that cannot be had fails its task only after the others were fetched', () => {
    const lost = after(two, EVENTS.unverifiable);
    expect(lost.status).toBe('downloading');
    const ended = after(lost, { ...EVENTS['output-verified'], index: 2 });
    expect(ended).toMatchObject({ status: 'failed', failure: why });
    expect(ended.outputs[1]?.state).toBe('verified');
  });

  test('a second report of a verified output is refused', () => {
    const first = after(two, EVENTS['output-verified']);
    expect(transition(first, EVENTS['download-failed'], NOW).ok).toBe(false);
  });

  test('a new body forgets the validator of the old one, and how long that played', () => {
    const sung = { ...EVENTS['output-placing'], placement: { ...file, seconds: 42 } };
    const lost = after(two, EVENTS['output-started'], sung, EVENTS['output-started'], EVENTS['output-verified']);
    expect(after(two, EVENTS['output-started'], sung).outputs[0]).toMatchObject({ seconds: 42 });
    expect(lost.outputs[0]).not.toHaveProperty('seconds');
    const started = after(two, EVENTS['output-started']);
    expect(started.outputs[0]).toMatchObject({ generation: 1, validator: '"e1"' });
    const restarted = after(started, { ...EVENTS['output-started'], generation: 2, validator: undefined });
    expect(restarted.outputs[0]?.validator).toBeUndefined();
    const placing = after(started, { ...EVENTS['output-placing'], generation: 2 });
    expect(placing.outputs[0]).toMatchObject({ state: 'placing', generation: 2, ...file });
    expect(placing.outputs[0]).not.toHaveProperty('validator');
  });

  test('a body that was there before keeps its validator until it is placed', () => {
    const placing = after(two, EVENTS['output-started'], EVENTS['output-placing']);
    expect(placing.outputs[0]).toMatchObject({ state: 'placing', generation: 1, validator: '"e1"' });
  });
});

describe('a fresh address', () => {
  const stale: Output = { ...pending, isStale: true, dueAt: NOW, tries: 3, failure: why };
  const asking = makeTask({ status: 'downloading', taskCode: 't1', outputs: [stale], failure: why });

  test('is asked for after what came was no sound file, and after the third download that failed', () => {
    expect(after(taskIn('downloading'), EVENTS.unsound).outputs[0]).toMatchObject({ isStale: true, tries: 1 });
    const twice = after(taskIn('downloading'), EVENTS['download-failed'], EVENTS['download-failed']);
    expect(twice.outputs[0]?.isStale).toBeUndefined();
    expect(after(twice, EVENTS['download-failed']).outputs[0]).toMatchObject({ isStale: true, tries: 3 });
  });

  test('that the gateway cannot give fails nothing that it has rendered: the file is fetched where it was', () => {
    for (const event of [EVENTS['remote-failed'], EVENTS['still-running']]) {
      const task = after(asking, event);
      expect(task).toMatchObject({ status: 'downloading', dueAt: NOW });
      expect(task.outputs[0]).toMatchObject({ url: 'https://x/a', tries: 3 });
      expect(task.outputs[0]?.isStale).toBeUndefined();
    }
  });

  test('is asked for again while the gateway cannot be reached', () => {
    const task = after(asking, EVENTS['poll-failed']);
    expect(task).toMatchObject({ status: 'downloading', dueAt: NOW + 5, setbacks: 1 });
    expect(task.outputs[0]?.isStale).toBe(true);
  });

  test('that the gateway answers for without giving one, twice or with a long wait, keeps no file back', () => {
    const away = { ...EVENTS['poll-failed'], failure: failure('GATEWAY_UNAVAILABLE', 'no answer') };
    const answered = { ...EVENTS['poll-failed'], failure: failure('GATEWAY_UNAVAILABLE', '500', { httpStatus: 500 }) };
    const page = { ...EVENTS['poll-failed'], failure: failure('GATEWAY_PROTOCOL', 'a page') };
    const long = { ...answered, dueAt: NOW + 15 * 60_000 };
    const fetched = (task: Task) => nextAction(task, NOW + 5, 10 * NOW).kind === 'fetch';
    expect(fetched(after(asking, answered))).toBe(false);
    expect(fetched(after(asking, answered, answered))).toBe(true);
    expect(fetched(after(asking, page, answered))).toBe(true);
    expect(fetched(after(asking, long))).toBe(true);
    expect(fetched(after(asking, away, away, away))).toBe(false);
    expect(after(asking, answered, answered).outputs[0]).toMatchObject({ url: 'https://x/a', tries: 3 });
    // The last try is for a fresh address, and broken media may be what still renders.
    expect(fetched(after({ ...asking, outputs: [{ ...stale, tries: 12 }] }, answered, answered))).toBe(false);
    const alike = { likeness: 'ab', times: 1 };
    const early: Task = { ...asking, provisional: true, outputs: [{ ...stale, alike }] };
    expect(fetched(after(early, answered, answered))).toBe(false);
    expect(fetched(after({ ...early, outputs: [stale] }, answered, answered))).toBe(true);
    const past = { ...stale, url: 'https://x/a?Expires=1400000000' };
    const pastTask = { ...asking, outputs: [past] };
    expect(transition(pastTask, { ...long, dueAt: 2e12 }, 1.5e12)).toMatchObject({
      value: { outputs: [{ isStale: true }] },
    });
  });

  test('where the rendering was only inferred to be finished, the gateway’s word counts', () => {
    const inferred: Task = { ...asking, provisional: true };
    expect(after(inferred, EVENTS['still-running'])).toMatchObject({ status: 'rendering', dueAt: NOW + 5 });
    expect(after(inferred, EVENTS['remote-failed']).status).toBe('failed');
    const suspected = after(inferred, { ...EVENTS['remote-failed'], failure: suspicion });
    expect(suspected.status).toBe('downloading');
  });

  test.each([
    ['the same ones', ['https://x/b', 'https://x/a'], 'https://x/b'],
    ['signed anew', ['https://x/b?s=2', 'https://x/a?s=2'], 'https://x/b?s=2'],
    ['in other folders', ['https://y/2/b', 'https://y/2/a'], 'https://y/2/b'],
    ['one of them signed anew', ['https://x/b', 'https://x/a?s=2'], 'https://x/b'],
    ['the other one new', ['https://x/c', 'https://x/a'], 'https://x/c'],
    ['all of them new', ['https://x/c', 'https://x/d'], 'https://x/d'],
    ['only the other one’s', ['https://x/a'], 'https://x/b'],
    ['none', [], 'https://x/b'],
  ])('goes to the file that it is the address of, whatever its place in the list: %s', (_, urls, expected) => {
    const had: Output = { ...pending, ...file, state: 'verified' };
    const half: Task = { ...asking, outputs: [had, { ...stale, index: 2, url: 'https://x/b' }] };
    const task = after(half, { ...EVENTS.rendered, outputs: urls.map((url) => ({ url })) });
    expect(task.outputs).toHaveLength(2);
    expect(task.outputs[0]).toEqual(had);
    expect(task.outputs[1]).toMatchObject({ index: 2, url: expected });
    // Else the gateway would be asked on and on, at once.
    expect(nextAction(task, NOW, 1000)).toEqual({ kind: 'fetch', outputIndex: 2 });
  });

  test('that stands for no known file is one more, after those that are known', () => {
    const known: Task = { ...asking, outputs: [stale, { ...pending, index: 2, url: 'https://x/b' }] };
    const urls = ['https://x/c', 'https://x/b', 'https://x/a'];
    const task = after(known, { ...EVENTS.rendered, outputs: urls.map((url) => ({ url })) });
    expect(task.outputs.map(({ index, url }) => `${index} ${url}`)).toEqual([
      '1 https://x/a',
      '2 https://x/b',
      '3 https://x/c',
    ]);
  });

  test('is asked for on, and nothing is rendered anew, where one of two files is there and a record calls the task failed', () => {
    const had: Output = { ...pending, ...file, state: 'verified' };
    const half: Task = { ...asking, provisional: true, outputs: [had, { ...stale, index: 2 }] };
    const told = after(half, EVENTS['remote-failed']);
    expect(nextAction(told, NOW, 10 * NOW)).toEqual({ kind: 'fetch', outputIndex: 2 });
    const ran = after(half, EVENTS['still-running'], EVENTS['remote-failed']);
    expect(ran).toMatchObject({ status: 'failed', failure: { suspected: true } });
    const lost = after({ ...half, status: 'failed', failure: why }, EVENTS['user-retry']);
    expect(lost).toMatchObject({ status: 'rendering', taskCode: 't1', outputs: [had, { index: 2, state: 'pending' }] });
  });

  test('revives no output that was given up', () => {
    const gone: Output = { ...pending, state: 'set-aside', path: 'set-aside/a', failure: why, tries: 3 };
    const lost: Output = { ...gone, index: 2, state: 'failed' };
    const task = after(
      { ...asking, outputs: [gone, lost, { ...stale, index: 3 }] },
      {
        ...EVENTS.rendered,
        outputs: [{ url: 'https://x/1' }, { url: 'https://x/2' }, { url: 'https://x/3' }],
      },
    );
    expect(task.outputs.slice(0, 2)).toEqual([gone, lost]);
    expect(task.outputs[2]).toMatchObject({ state: 'pending', url: 'https://x/3', tries: 3 });
  });
});

describe('a file that is tried again', () => {
  const two = makeTask({ status: 'downloading', taskCode: 't1', outputs: [pending, { ...pending, index: 2 }] });

  test('does not hold up the others of its row, and its row says why it waits', () => {
    const waits = after(two, EVENTS.unsound);
    expect(waits).toMatchObject({ dueAt: NOW, failure: why });
    expect(nextAction(waits, NOW, 1)).toEqual({ kind: 'fetch', outputIndex: 2 });
    const alone = after(waits, { ...EVENTS['output-verified'], index: 2 });
    expect(alone).toMatchObject({ status: 'downloading', dueAt: NOW + 5, failure: why });
  });

  test('keeps every version that came as evidence', () => {
    const one = { path: 'set-aside/a.txt', sha256: 'aa', bytes: 1 };
    const other = { path: 'set-aside/a-2.txt', sha256: 'bb', bytes: 2 };
    const task = after(
      two,
      { ...EVENTS.unsound, kept: one },
      { ...EVENTS.unverifiable, path: other.path, kept: other },
    );
    expect(task.outputs[0]).toMatchObject({ state: 'set-aside', path: other.path, kept: [one, other] });
  });

  test('starts at its first try again at the user’s word, with a fresh address, and keeps the evidence', () => {
    const kept = [{ path: 'set-aside/a.txt', sha256: 'aa', bytes: 1 }];
    const output: Output = { ...pending, state: 'set-aside', tries: 9, dueAt: NOW + 9, failure: why, kept };
    const given = { ...output, alike: { likeness: 'aa', times: 3 } };
    const failed = makeTask({
      status: 'failed',
      taskCode: 't1',
      renderedAt: 1,
      failure: failure('OUTPUT_UNVERIFIABLE', 'a page'),
      outputs: [given],
    });
    const again = after(failed, EVENTS['user-retry']);
    expect(again).toMatchObject({ status: 'downloading', taskCode: 't1', dueAt: NOW });
    expect(again.outputs).toEqual([{ ...pending, isStale: true, kept }]);
    expect(nextAction(again, NOW, 1000)).toEqual({ kind: 'poll' });
    expect(after(again, EVENTS['remote-failed'])).toMatchObject({ status: 'downloading' });
  });
});
