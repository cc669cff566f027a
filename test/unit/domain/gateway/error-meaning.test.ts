import { describe, expect, test } from 'vitest';
import { errorMeaning } from '../../../../src/shared/domain/gateway/error-meaning.ts';
import { readsLikeFailure, saysNotFound } from '../../../../src/shared/domain/gateway/status-meaning.ts';
import { DEFAULT_PROFILE, parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';

describe('the built-in list', () => {
  test.each([
    ['balance', 'Insufficient balance'],
    ['balance', 'The current credits are insufficient. Please top up.'],
    ['balance', 'Too many requests: your balance is used up'],
    ['balance', 'You exceeded your current quota'],
    ['balance', '余额不足，请充值'],
    ['balance', '积分不足'],
    ['auth', 'aiKey is missing or not valid'],
    ['auth', 'Invalid API key provided'],
    ['auth', 'Unauthorized'],
    ['auth', '令牌无效'],
    ['rate', 'Too many requests, please try again later'],
    ['rate', 'rate_limit exceeded'],
    ['rate', 'You have 3 concurrent tasks already'],
    ['rate', '请求过于频繁'],
    ['moderation', 'prompt contains sensitive words'],
    ['moderation', 'Your prompt holds forbidden words'],
    ['moderation', 'This violates our content policy'],
    ['moderation', '提示词包含敏感内容'],
    ['upstream', 'Internal server error'],
    ['upstream', '系统繁忙，请稍后再试'],
    ['invalid', 'field title is too long'],
    ['invalid', 'sampling frequency not supported'],
    ['invalid', '参数错误'],
  ])('%s: %s', (means, words) => {
    expect(errorMeaning(DEFAULT_PROFILE, '', words)).toBe(means);
  });

  test('a number alone means what such gateways mean by it; words win over it', () => {
    expect(errorMeaning(DEFAULT_PROFILE, '1008', '')).toBe('balance');
    expect(errorMeaning(DEFAULT_PROFILE, '429', 'insufficient credits')).toBe('balance');
    expect(errorMeaning(DEFAULT_PROFILE, 'constructor', 'hm')).toBeUndefined();
  });
});

describe('words about permission', () => {
  test.each([
    ['400', 'You have no permission to use this voice', 'invalid'],
    ['', 'You have no permission to use this voice', 'invalid'],
    ['500', 'Unauthorized to use model x', 'invalid'],
    ['400', 'Access denied: this voice is not authorised by its owner', 'invalid'],
    ['400', '该声音未授权', 'invalid'],
    ['403', 'You have no permission to use this voice', 'auth'],
    ['401', 'permission denied', 'auth'],
    ['', 'Forbidden', 'auth'],
    ['', '无权限', 'auth'],
    ['400', 'Access denied: invalid API key', 'auth'],
    ['400', 'Permission denied, your account is suspended', 'auth'],
    ['400', 'Authorization header is missing', 'auth'],
    ['403', 'Forbidden: violates our content policy', 'moderation'],
  ])('with code %j, "%s" are about %s', (code, words, means) => {
    expect(errorMeaning(DEFAULT_PROFILE, code, words)).toBe(means);
  });
});

test('the profile’s own patterns come first, in their order, on code and words', () => {
  const parsed = parseProfile({
    errors: [
      { match: '^77 ', means: 'rate' },
      { match: 'too long', means: 'upstream' },
    ],
  });
  if (!parsed.ok) throw new Error('not a profile');
  expect(errorMeaning(parsed.value, '77', 'title too long')).toBe('rate');
  expect(errorMeaning(parsed.value, '78', 'title TOO LONG')).toBe('upstream');
});

test('a pattern of a profile takes no longer than the text is long', () => {
  const parsed = parseProfile({
    errors: [
      { match: '(a+)+$', means: 'rate' },
      { match: '(x+x+)+y', means: 'rate' },
    ],
  });
  if (!parsed.ok) throw new Error('not a profile');
  // With a matcher that goes back this would not end tonight.
  expect(errorMeaning(parsed.value, '', `${'a'.repeat(900)}!`)).toBeUndefined();
  expect(errorMeaning(parsed.value, '', 'x'.repeat(900))).toBeUndefined();
});

test('not found, in words', () => {
  expect(['task not found', 'No such task', 'the task does not exist', '任务不存在'].every(saysNotFound)).toBe(true);
  expect(saysNotFound('rendering')).toBe(false);
});

test('a message reads like a failure, or like work', () => {
  expect(['generation failed', 'Error: out of memory', '生成失败'].every(readsLikeFailure)).toBe(true);
  expect(['rendering 40 %', 'no errors so far', '排队中', ''].some(readsLikeFailure)).toBe(false);
});
