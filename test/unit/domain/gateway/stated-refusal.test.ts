import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE, parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';
import type { Profile } from '../../../../src/shared/domain/gateway/profile.ts';
import { judgeSubmit } from '../../../../src/shared/domain/gateway/submit-outcome.ts';

function judged(httpStatus: number, words: string, code = String(httpStatus), profile: Profile = DEFAULT_PROFILE) {
  const envelope = { code, words, success: false, failure: true, taskCode: '' };
  return judgeSubmit({ httpStatus, envelope, bodyIs: '' }, profile).kind;
}

describe('where the HTTP status leaves open whether it was accepted', () => {
  test.each([
    [500, 'java.util.concurrent.TimeoutException: task was stored, answer of the renderer is late'],
    [504, 'java.util.concurrent.ExecutionException: Read timed out'],
    [500, 'java.util.ConcurrentModificationException'],
    [500, 'java.util.concurrent.RejectedExecutionException'],
    [500, 'Optimistic lock: concurrent update of task'],
    [409, 'Concurrent request conflict: already submitted'],
    [408, 'concurrent request timed out'],
    [500, '任务已提交，并发处理中'],
    [500, '系统繁忙，请勿频繁提交'],
    [500, 'request frequency statistics could not be written'],
    [500, 'Token bucket exceeded'],
    [503, 'Too many requests; your task was queued'],
    [500, 'Too many requests at the upstream renderer'],
    [503, 'queue is full'],
    [500, 'An unexpected error occurred'],
    [500, 'Unknown error'],
    [500, 'max retries exceeded with url'],
    [504, 'context deadline exceeded'],
    [500, 'No response from renderer: required field missing in reply'],
    [500, 'java.lang.IllegalArgumentException: invalid parameter'],
    [500, '未知异常'],
    [500, '非法状态'],
    [500, 'Failed to save task: access denied for user db@host'],
    [502, 'Authentication of webhook failed'],
    [502, 'unauthorized upstream'],
    [500, 'callback forbidden by upstream'],
    [500, 'Cannot top up cache'],
    [500, 'insufficient funds for gas of the upstream provider'],
    [500, 'task saved, notification blocked content'],
    [500, '任务已创建，处理超时'],
    [500, ''],
  ])('HTTP %i "%s" may have been charged', (httpStatus, words) => {
    expect(judged(httpStatus, words)).toBe('unknown');
  });

  test.each([
    [500, 'too many requests', 'rate-limited'],
    [503, 'Rate limit exceeded, try again later', 'rate-limited'],
    [503, 'You exceeded the quota of requests per minute', 'rate-limited'],
    [500, '请求过于频繁', 'rate-limited'],
    [500, 'Insufficient balance', 'held'],
    [500, '余额不足，请充值', 'held'],
    [500, 'aiKey is missing or not valid', 'held'],
    [500, 'Invalid API key', 'held'],
    [500, 'prompt contains sensitive words', 'rejected'],
    [500, '提示词包含敏感内容', 'rejected'],
    [500, 'parameter title is too long', 'rejected'],
    [409, '参数错误', 'rejected'],
  ])('HTTP %i "%s" excludes a charge: %s', (httpStatus, words, kind) => {
    expect(judged(httpStatus, words)).toBe(kind);
  });

  test('a number in the envelope alone excludes nothing', () => {
    expect(judged(500, 'hm', '429')).toBe('unknown');
  });

  test('the profile’s own pattern is believed, but not against words that say that it was taken', () => {
    const parsed = parseProfile({ errors: [{ match: 'node busy', means: 'rate' }] });
    if (!parsed.ok) throw new Error('not a profile');
    expect(judged(500, 'node busy', '500', parsed.value)).toBe('rate-limited');
    expect(judged(500, 'node busy, task was queued', '500', parsed.value)).toBe('unknown');
  });
});

describe('a failure in the envelope of HTTP 200', () => {
  test.each([
    'task created but concurrency high; queued',
    'Too many requests. The job has been queued.',
    'Your request was accepted, slow down',
    '任务已提交，请求过于频繁',
  ])('that says that the request was taken is unknown: "%s"', (words) => {
    expect(judged(200, words)).toBe('unknown');
  });

  test.each([
    'You have submitted too many requests',
    'Too many tasks, this one was not created',
    '请求过于频繁，任务未创建',
    'concurrency limit reached',
    '并发数已达上限',
  ])('is for its rate: "%s"', (words) => {
    expect(judged(200, words)).toBe('rate-limited');
  });

  test.each(['ConcurrentModificationException', 'sampling frequency is odd', '频率参数错误', '并发'])(
    'is not for its rate: "%s"',
    (words) => {
      expect(judged(200, words)).not.toBe('rate-limited');
    },
  );
});

test('HTTP 429 asks to slow down, whatever its words', () => {
  expect(judged(429, 'task queue: concurrent update')).toBe('rate-limited');
});

test.each([
  [429, '429', undefined],
  [200, '429', undefined],
  [200, '1002', true],
  [400, '', true],
  [503, '429', true],
])('HTTP %i with code %j says so by words alone: %s', (httpStatus, code, byWordsAlone) => {
  const envelope = { code, words: 'too many requests', success: false, failure: true, taskCode: '' };
  const outcome = judgeSubmit({ httpStatus, envelope, bodyIs: '' }, DEFAULT_PROFILE);
  expect(outcome.kind).toBe('rate-limited');
  expect('byWordsAlone' in outcome ? outcome.byWordsAlone : undefined).toBe(byWordsAlone);
});
