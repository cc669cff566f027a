import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import type { OperationPath } from '../../../../src/shared/domain/operations/operations.ts';
import { OPERATION_PATHS, operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import {
  type PollAnswer,
  type PollMemory,
  FRESH_POLL_MEMORY,
  type ResultRecord,
} from '../../../../src/shared/domain/gateway/poll-answer.ts';
import { type PollVerdict, judgePoll } from '../../../../src/shared/domain/gateway/poll-outcome.ts';
import { parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';
import type { Profile } from '../../../../src/shared/domain/gateway/profile.ts';

const START = Date.UTC(2026, 2, 4, 22);
const MUSIC = 'musicgen/music/generate';
const VIDEO = 'videogen-a/video/generate';
const LYRICS = 'musicgen/music/lyrics';
const ENDED = '2026-03-04 22:01:00';
const URL_1 = 'https://media.example/a/1.mp3?sign=1';
const URL_2 = 'https://media.example/a/2.mp3?sign=1';

function profileOf(json: object = {}): Profile {
  const parsed = parseProfile(json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

const TABLE = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
const MAPPED = profileOf({ status: { musicgen: TABLE, 'videogen-a': TABLE } });

function recordOf(different: Partial<ResultRecord>): PollAnswer {
  const blank = { status: '1', message: '', urls: [], document: '{}', addTime: '', endTime: '', taskId: '', ids: {} };
  return { kind: 'record', record: { ...blank, ...different } };
}

/** One task under test: its memory goes from poll to poll, and is plain JSON on the way. */
class Asked {
  #memory: PollMemory = FRESH_POLL_MEMORY;
  readonly #path: OperationPath;
  readonly #profile: Profile;

  constructor(path: OperationPath, profile: Profile = profileOf()) {
    this.#path = path;
    this.#profile = profile;
  }

  /** The verdict on an answer so many seconds after the submit. */
  at(seconds: number, answer: PollAnswer, isOtherTasks?: (taskId: string) => boolean): PollVerdict {
    const { verdict, memory } = judgePoll({
      answer,
      memory: this.#memory,
      operation: operationOf(this.#path),
      profile: this.#profile,
      now: START + seconds * 1000,
      submittedAt: START,
      ...(isOtherTasks ? { isOtherTasks } : {}),
    });
    this.#memory = JSON.parse(JSON.stringify(memory)) as PollMemory;
    return verdict;
  }

  /** The same for a record. */
  sees(seconds: number, different: Partial<ResultRecord>): PollVerdict {
    return this.at(seconds, recordOf(different));
  }
}

const RENDERED_1 = { kind: 'rendered', outputs: [{ url: URL_1 }] };

test('an address of a million slashes is compared with the one before at once', () => {
  const task = new Asked(MUSIC);
  const slashes = '/'.repeat(1_000_000);
  for (const [seconds, sign] of [
    [10, 1],
    [20, 2],
    [30, 3],
  ] as const) {
    task.sees(seconds, { urls: [`https://media.example/a${slashes}b${slashes}?sign=${sign}`] });
  }
  const urls = [`https://media.example/a${slashes}b${slashes}?sign=4`];
  expect(task.sees(60, { urls })).toMatchObject({ kind: 'rendered', outputs: [{ url: urls[0] }] });
});

describe('1: nothing is learned from an error', () => {
  test('however often it comes, it is no failure of the task', () => {
    const task = new Asked(MUSIC);
    const answer: PollAnswer = { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'HTTP 502'), retryAfterMs: 9 };
    for (let i = 0; i < 100; i += 1) expect(task.at(i, answer)).toMatchObject({ kind: 'poll-error', retryAfterMs: 9 });
  });
});

describe('2: a refusal', () => {
  const refused = (means: 'auth' | 'balance' | 'rate' | 'not-found' | 'other'): PollAnswer => ({
    kind: 'refused',
    means,
    failure: failure('GATEWAY_UNAVAILABLE', 'in its own words'),
  });

  test.each(['auth', 'balance'] as const)('for %s pauses', (means) => {
    expect(new Asked(MUSIC).at(1, refused(means))).toMatchObject({ kind: 'pause' });
  });

  test('for its rate is a poll error, however often it comes', () => {
    const task = new Asked(MUSIC);
    for (let i = 0; i < 5; i += 1) expect(task.at(i, refused('rate'))).toMatchObject({ kind: 'poll-error' });
  });

  test('"not found" within 60 s of the submit waits', () => {
    const task = new Asked(MUSIC);
    for (const second of [1, 20, 40, 59]) expect(task.at(second, refused('not-found')).kind).toBe('running');
    expect(task.at(61, refused('not-found')).kind).toBe('poll-error');
  });

  test('is believed when it comes three times in a row, and only suspected', () => {
    const task = new Asked(MUSIC);
    expect(task.at(70, refused('other')).kind).toBe('poll-error');
    expect(task.at(80, refused('not-found')).kind).toBe('poll-error');
    expect(task.at(90, refused('other'))).toEqual({
      kind: 'failed',
      suspected: true,
      failure: failure('REMOTE_FAILED', 'in its own words'),
    });
  });

  test('is forgotten when a record comes in between', () => {
    const task = new Asked(MUSIC);
    task.at(70, refused('other'));
    task.at(80, refused('other'));
    task.sees(90, {});
    expect(task.at(100, refused('other')).kind).toBe('poll-error');
  });
});

describe('3: a status that the profile maps', () => {
  test('queued and running wait, whatever else the record shows', () => {
    const task = new Asked(VIDEO, MAPPED);
    expect(task.sees(1, { status: '0' })).toEqual({ kind: 'running', phase: 'queued' });
    expect(task.sees(200, { status: '1', urls: [URL_1], endTime: ENDED })).toEqual({
      kind: 'running',
      phase: 'running',
    });
  });

  test('succeeded with an address is rendered, not provisionally', () => {
    expect(new Asked(VIDEO, MAPPED).sees(60, { status: '2', urls: [URL_1] })).toEqual({
      ...RENDERED_1,
      provisional: false,
    });
  });

  test('a song alone waits one more interval for its second clip', () => {
    const task = new Asked(MUSIC, MAPPED);
    expect(task.sees(60, { status: '2', urls: [URL_1] })).toMatchObject({ kind: 'running', askAgainMs: 6000 });
    const both = { kind: 'rendered', outputs: [{ url: URL_1 }, { url: URL_2 }], provisional: false };
    expect(task.sees(66, { status: '2', urls: [URL_1, URL_2] }).kind).toBe('running');
    expect(task.sees(74, { status: '2', urls: [URL_1, URL_2] })).toEqual(both);
    expect(new Asked(MUSIC, MAPPED).sees(60, { status: '2', urls: [URL_1, URL_2] })).toEqual(both);
  });

  test('succeeded with data is done', () => {
    const verdict = new Asked(LYRICS, MAPPED).sees(9, { status: '2', document: '{"message":"la la"}' });
    expect(verdict).toEqual({ kind: 'data', document: '{"message":"la la"}' });
  });

  test('succeeded without an address is asked for 90 s, then suspected', () => {
    const task = new Asked(VIDEO, MAPPED);
    expect(task.sees(60, { status: '2' }).kind).toBe('running');
    expect(task.sees(149, { status: '2' }).kind).toBe('running');
    expect(task.sees(150, { status: '2' })).toMatchObject({ kind: 'failed', suspected: true });
    expect(task.sees(160, { status: '2', urls: [URL_1] })).toEqual({ ...RENDERED_1, provisional: false });
  });

  test('failed is failed, in the gateway’s words', () => {
    const task = new Asked(MUSIC, MAPPED);
    expect(task.sees(60, { status: '3', message: 'no GPU left' })).toEqual({
      kind: 'failed',
      suspected: false,
      failure: failure('REMOTE_FAILED', 'no GPU left', { status: '3' }),
    });
    const moderated = task.sees(60, { status: '3', message: 'contains sensitive words' });
    expect(moderated).toMatchObject({ failure: { code: 'MODERATED' } });
  });
});

describe('4: an address under a status that nobody mapped', () => {
  test('with an end time is tried after one more interval', () => {
    const task = new Asked(VIDEO);
    expect(task.sees(100, { urls: [URL_1], endTime: ENDED })).toMatchObject({ kind: 'running', askAgainMs: 10_000 });
    expect(task.sees(110, { urls: [URL_1], endTime: ENDED })).toEqual({ ...RENDERED_1, provisional: true });
  });

  test('without one is tried when it is the same 10 s later, also when it is signed anew', () => {
    const task = new Asked(VIDEO);
    expect(task.sees(100, { urls: [URL_1] })).toMatchObject({ kind: 'running', askAgainMs: 10_000 });
    expect(task.sees(104, { urls: [URL_1] })).toMatchObject({ kind: 'running', askAgainMs: 6000 });
    const signedAnew = URL_1.replace('/a/', '/b/').replace('sign=1', 'sign=2');
    expect(task.sees(110, { urls: [signedAnew] })).toMatchObject({ kind: 'rendered', provisional: true });
  });

  test('that changes is not tried', () => {
    const task = new Asked(VIDEO);
    for (let i = 0; i < 10; i += 1) {
      expect(task.sees(100 + 10 * i, { urls: [`https://media.example/part-${i}.mp4`] }).kind).toBe('running');
    }
  });

  test('is tried ever more rarely while its download cannot be verified', () => {
    const task = new Asked(VIDEO);
    const tried: number[] = [];
    for (let second = 100; second < 400; second += 5) {
      if (task.sees(second, { urls: [URL_1] }).kind === 'rendered') tried.push(second);
    }
    expect(tried).toEqual([110, 120, 140, 180, 260]);
  });

  test('of a data result makes it done', () => {
    const task = new Asked(LYRICS);
    task.sees(10, { urls: [URL_1] });
    expect(task.sees(20, { urls: [URL_1], document: '{"x":1}' })).toEqual({ kind: 'data', document: '{"x":1}' });
  });
});

describe('5: an end time and no address', () => {
  test('data whose only words are those of a failure is suspected 10 s later, and a late result overturns it', () => {
    const task = new Asked(LYRICS);
    const message = 'Generation failed: content violates policy';
    const refused = {
      status: '3',
      message,
      endTime: ENDED,
      document: JSON.stringify({ status: 3, message, data: {} }),
    };
    expect(task.sees(10, refused).kind).toBe('running');
    expect(task.sees(21, refused)).toMatchObject({ kind: 'failed', suspected: true, failure: { message } });
    expect(task.sees(40, { ...refused, message: 'ok', document: '{"text":"la"}' }).kind).toBe('data');
  });

  test.each([
    ['a song of many lines', { message: 'I cannot fail\nthe error of my heart' }],
    ['JSON', { message: '{"error":"I cannot fail"}' }],
    ['beside a result', { message: 'no such tag failed', text: 'la la' }],
  ])('data that only sings of failure is done: %s', (_, fields) => {
    const document = JSON.stringify({ status: 3, endTime: ENDED, ...fields });
    const seen = { status: '3', message: fields.message, endTime: ENDED, document };
    expect(new Asked(LYRICS).sees(10, seen).kind).toBe('data');
    expect(() => new Asked(LYRICS).sees(10, { ...seen, message: 'failed', document: '' })).not.toThrow();
  });

  test.each([['2099-01-01 00:00:00'], ['4070908800000'], ['2099-01-01T00:00:00Z']])(
    'a time that is still to come is no end: %s',
    (endTime) => {
      const task = new Asked(LYRICS);
      for (const second of [10, 30, 600])
        expect(task.sees(second, { message: 'running', endTime }).kind).toBe('running');
    },
  );

  test('the gateway’s clock may be days ahead of ours: what it says of the submit shows by how much', () => {
    const record = { addTime: '2026-03-07 02:00:00', endTime: '2026-03-07 02:01:00', document: '[1]' };
    expect(new Asked(LYRICS).sees(9, record).kind).toBe('data');
    expect(new Asked(LYRICS).sees(9, { ...record, endTime: '2026-03-09 02:01:00' }).kind).toBe('running');
  });

  test('data is done', () => {
    expect(new Asked(LYRICS).sees(9, { endTime: ENDED, document: '[1]' })).toEqual({ kind: 'data', document: '[1]' });
  });

  test('media is asked for 90 s more, then suspected; a late address overturns it', () => {
    const task = new Asked(VIDEO);
    expect(task.sees(100, { endTime: ENDED }).kind).toBe('running');
    expect(task.sees(189, { endTime: ENDED }).kind).toBe('running');
    expect(task.sees(190, { endTime: ENDED, message: 'sorry' })).toMatchObject({
      kind: 'failed',
      suspected: true,
      failure: { code: 'REMOTE_FAILED', message: 'sorry' },
    });
    task.sees(200, { endTime: ENDED, urls: [URL_1] });
    expect(task.sees(210, { endTime: ENDED, urls: [URL_1] })).toMatchObject({ kind: 'rendered', provisional: true });
  });

  const REFUSED = { status: '3', endTime: ENDED, message: 'prompt contains sensitive words: jellyfish' };

  test('and words of a failure are believed when they are heard twice, 10 s apart; a late address overturns it', () => {
    const task = new Asked(VIDEO);
    expect(task.sees(1, REFUSED)).toEqual({ kind: 'running', phase: 'ended-in-words', askAgainMs: 10_000 });
    expect(task.sees(10, REFUSED).kind).toBe('running');
    expect(task.sees(11, REFUSED)).toMatchObject({
      kind: 'failed',
      suspected: true,
      failure: { code: 'MODERATED', message: REFUSED.message },
    });
    task.sees(60, { endTime: ENDED, urls: [URL_1] });
    expect(task.sees(70, { endTime: ENDED, urls: [URL_1] })).toMatchObject({ kind: 'rendered' });
  });

  test('and words that are taken back, or say that all is well, are waited for as without words', () => {
    const task = new Asked(VIDEO);
    task.sees(1, REFUSED);
    expect(task.sees(11, { ...REFUSED, message: 'uploading' }).kind).toBe('running');
    expect(task.sees(21, REFUSED).kind).toBe('running');
    for (const message of ['success', 'finished without errors', '{"error":null,"failCode":""}', '任务完成']) {
      const well = new Asked(VIDEO);
      well.sees(1, { endTime: ENDED, message });
      expect(well.sees(90, { endTime: ENDED, message })).toMatchObject({ kind: 'running', phase: 'ended-in-words' });
    }
  });

  test('and words under a status that was asked about and may mean anything are judged as without a table', () => {
    const task = new Asked(VIDEO, { ...MAPPED, status: { 'videogen-a': { '3': 'inferred' } } });
    task.sees(1, REFUSED);
    expect(task.sees(11, REFUSED)).toMatchObject({ kind: 'failed', suspected: true });
    task.sees(60, { status: '3', endTime: ENDED, urls: [URL_1] });
    expect(task.sees(70, { status: '3', endTime: ENDED, urls: [URL_1] })).toMatchObject({ kind: 'rendered' });
  });

  test('and words under a status that is said to be a success are no failure yet', () => {
    const task = new Asked(VIDEO, MAPPED);
    task.sees(1, { ...REFUSED, status: '2' });
    expect(task.sees(60, { ...REFUSED, status: '2' }).kind).toBe('running');
  });

  test('the 90 s begin anew when it ran on in between; a placeholder is no end', () => {
    const task = new Asked(VIDEO);
    task.sees(100, { endTime: ENDED });
    expect(task.sees(150, { endTime: '0001-01-01T00:00:00Z' })).toEqual({ kind: 'running', phase: 'unmapped' });
    expect(task.sees(195, { endTime: ENDED }).kind).toBe('running');
    expect(task.sees(285, { endTime: ENDED }).kind).toBe('failed');
  });
});

describe('6: a status that changed, and a message that reads like a failure', () => {
  test('twice in a row is suspected, once is not', () => {
    const task = new Asked(VIDEO);
    task.sees(10, { status: '5', message: 'queued' });
    expect(task.sees(20, { status: '9', message: 'render failed' }).kind).toBe('running');
    expect(task.sees(30, { status: '9', message: 'retrying' }).kind).toBe('running');
    expect(task.sees(40, { status: '9', message: 'render failed' }).kind).toBe('running');
    expect(task.sees(50, { status: '9', message: 'render failed' })).toMatchObject({
      kind: 'failed',
      suspected: true,
      failure: { message: 'render failed' },
    });
    expect(task.sees(60, { status: '5', message: 'running again' }).kind).toBe('running');
  });

  test('a message alone is not believed', () => {
    const task = new Asked(VIDEO);
    for (let i = 0; i < 9; i += 1) expect(task.sees(i, { message: 'last error: none yet' }).kind).toBe('running');
  });
});

describe('the record of another task', () => {
  test('is set aside where its id is known to be another’s, or is not the id that this task had', () => {
    const task = new Asked(VIDEO, MAPPED);
    const done = { status: '2', urls: [URL_1] };
    const isOtherTasks = (taskId: string) => taskId === 'other';
    expect(task.at(1, recordOf({ ...done, taskId: 'other' }), isOtherTasks)).toMatchObject({
      kind: 'poll-error',
      failure: { code: 'GATEWAY_PROTOCOL' },
    });
    expect(task.sees(2, { taskId: 'internal-1' }).kind).toBe('running');
    expect(task.sees(3, { ...done, taskId: 'internal-2' }).kind).toBe('poll-error');
    expect(task.sees(4, { ...done, taskId: 'internal-1' }).kind).toBe('rendered');
  });
});

describe('7: anything else', () => {
  test('is running, whatever comes, and an outcome needs a reason', () => {
    const record = fc.record({
      status: fc.string(),
      message: fc.string(),
      urls: fc.constant([]),
      document: fc.string(),
      addTime: fc.string(),
      endTime: fc.constant(''),
      taskId: fc.constant(''),
      ids: fc.constant({}),
    });
    fc.assert(
      fc.property(fc.constantFrom(...OPERATION_PATHS), record, (path, seen) => {
        expect(new Asked(path).at(30, { kind: 'record', record: seen })).toEqual({
          kind: 'running',
          phase: 'unmapped',
        });
      }),
    );
  });
});
