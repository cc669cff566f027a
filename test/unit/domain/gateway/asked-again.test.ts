import { describe, expect, test } from 'vitest';
import { keptUntil, meaningOfAgain, nextAsk } from '../../../../src/shared/domain/gateway/charges/asked-again.ts';
import { DEFAULT_PROFILE, parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';
import { judgeSubmit, type SubmitAnswer } from '../../../../src/shared/domain/gateway/submit-outcome.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function answer(httpStatus: number, words: string, taskCode = ''): SubmitAnswer {
  const isGood = taskCode !== '';
  return {
    httpStatus,
    bodyIs: '',
    envelope: { code: '', words, success: isGood, failure: !isGood, taskCode },
  };
}

function meaning(given: SubmitAnswer, header = 'Idempotency-Key'): string {
  const profile = { ...DEFAULT_PROFILE, idempotency: { header, onDuplicate: 'reject', keepHours: 24 } } as const;
  return meaningOfAgain(given, judgeSubmit(given, profile), profile);
}

describe('when it is sent again', () => {
  test('the pause grows, then it is sent every hour for as long as the gateway keeps keys', () => {
    const until = keptUntil(0, 3);
    const waits: number[] = [];
    let at = 0;
    for (let asks = 0; ; asks += 1) {
      const next = nextAsk({ asks, until }, at, 0);
      if (next === undefined) break;
      waits.push(next.dueAt - at);
      at = next.dueAt;
    }
    expect(waits).toEqual([MINUTE / 2, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR]);
    expect(at).toBeLessThan(until);
  });

  test('a longer wait that the gateway asked for counts, up to the end', () => {
    expect(nextAsk({ asks: 0, until: HOUR }, 0, 0, 5 * MINUTE)?.dueAt).toBe(5 * MINUTE);
    expect(nextAsk({ asks: 0, until: MINUTE }, 0, 0, 5 * MINUTE)).toBeUndefined();
    expect(nextAsk({ asks: 0, until: MINUTE / 2 }, 0, 0)).toBeUndefined();
  });
});

describe('what the answer proves about the first time', () => {
  test('a task code settles it', () => {
    expect(meaning(answer(200, '', 'code'))).toBe('settles');
  });

  test.each([
    [401, 'invalid api key'],
    [402, 'insufficient balance'],
    [403, 'forbidden'],
    [404, 'not found'],
    [429, 'too many requests'],
    [200, 'insufficient credits'],
    [200, 'too many requests'],
    [400, 'idempotency key is required'],
    [422, 'the idempotency key was used with a different request'],
    [409, 'a request with this idempotency key is in progress'],
    [500, 'duplicate key value violates unique constraint'],
    [502, ''],
    [422, 'duplicate tag'],
    [409, 'a file of this name already exists'],
    [400, 'the request has a duplicate parameter'],
    [400, '重复的标签'],
    [200, 'something went wrong'],
    [400, ''],
  ])('HTTP %s “%s” says nothing', (status, words) => {
    expect(meaning(answer(status, words))).toBe('nothing');
  });

  test.each([
    [400, 'prompt is too long'],
    [422, 'parameter model is invalid'],
    [415, ''],
    [200, 'prompt contains sensitive words'],
  ])('HTTP %s “%s” was so the first time', (status, words) => {
    expect(meaning(answer(status, words))).toBe('settles');
  });

  test.each([
    [409, 'duplicate request'],
    [422, 'Idempotency-Key was seen'],
    [400, 'this request was already submitted'],
    [200, 'duplicate submission'],
    [409, '重复提交'],
    [409, 'Duplicate'],
    [409, 'DUPLICATE_REQUEST'],
    [400, 'this request is a duplicate'],
    [400, 'key already used'],
    [409, 'a request with this id has already been used'],
  ])('HTTP %s “%s” names the duplicate', (status, words) => {
    expect(meaning(answer(status, words))).toBe('duplicate');
  });
});

test.each(['X-Request-Id invalid: expired', 'invalid request id', 'requestId is malformed'])(
  'words about the header that the profile names say nothing: %s',
  (words) => {
    expect(meaning(answer(400, words), 'X-Request-Id')).toBe('nothing');
    expect(meaning(answer(400, 'invalid prompt'), 'X-Request-Id')).toBe('settles');
  },
);

test('a profile says in which header, and what is wrong with it is said', () => {
  const problemsOf = (idempotency: object) => {
    const parsed = parseProfile({ idempotency });
    return parsed.ok ? parsed.value.idempotency : parsed.error.map(({ path, message }) => `${path}: ${message}`);
  };
  expect(problemsOf({ header: 'Idempotency-Key' })).toEqual({
    header: 'Idempotency-Key',
    onDuplicate: 'replay',
    keepHours: 24,
  });
  expect(problemsOf({ header: 'aikey' })).toEqual([
    expect.stringMatching(/^idempotency\.header: Must be a header of/u),
  ]);
  expect(problemsOf({ header: 'a b' })).toEqual([
    'idempotency.header: Must be the name of a header, such as Idempotency-Key.',
  ]);
  expect(problemsOf({ header: 'X', keepHours: 0 })).toEqual(['idempotency.keepHours: Must be at least 0.01.']);
  expect(problemsOf({})).toEqual(['idempotency.header: Must be a string.']);
});
