import { expect, test } from 'vitest';
import {
  FAILURE_CODES,
  FAILURE_POLICIES,
  isRetryFree,
  remedyOf,
  troubleTitle,
  whatFollows,
} from '../../../../src/shared/domain/base/failure.ts';

test('a row that is tried again by itself asks nothing of its user', () => {
  expect(remedyOf('RESULT_EXPIRED', 'rendering')).toContain('fresh address');
  expect(remedyOf('RESULT_EXPIRED', 'rendering')).not.toContain('Retry');
  expect(remedyOf('DOWNLOAD_CORRUPT', 'downloading')).toContain('Nothing to do');
});

test('a file that may wait for its user is not said to ask for nothing', () => {
  // Such as a file at an address that the profile must allow first.
  const words = remedyOf('OUTPUT_UNVERIFIABLE', 'downloading');
  expect(words).not.toContain('Nothing to do');
  expect(words).toContain('profile');
  expect(words).toContain('at no charge');
});

test('a row that has failed, or a night that stands still, says what to do', () => {
  expect(remedyOf('RESULT_EXPIRED', 'failed')).toBe(FAILURE_POLICIES.RESULT_EXPIRED.remedy);
  expect(remedyOf('AUTH_REJECTED', 'rendering')).toBe(FAILURE_POLICIES.AUTH_REJECTED.remedy);
});

test('a gateway that asks to slow down pauses nothing', () => {
  expect(FAILURE_POLICIES.RATE_LIMITED.next).toBe('retry');
  expect(whatFollows('RATE_LIMITED')).not.toContain('pauses');
});

test('a file that never came is asked for again by the user’s word, one that is waited for by itself', () => {
  expect(remedyOf('GATEWAY_UNAVAILABLE', 'failed')).toContain('Retry the row');
  expect(remedyOf('GATEWAY_UNAVAILABLE', 'downloading')).toContain('Nothing to do');
});

test('a gateway that answers with what cannot be used is not said to give no answer', () => {
  expect(troubleTitle({ code: 'GATEWAY_UNAVAILABLE' })).toBe('The gateway does not answer');
  expect(troubleTitle({ code: 'GATEWAY_UNAVAILABLE', data: { httpStatus: 503 } })).toBe(
    'The gateway answers with an error',
  );
  expect(troubleTitle({ code: 'GATEWAY_PROTOCOL' })).toBe('The gateway answers with an error');
});

test.each(FAILURE_CODES)('what follows from %s and what to do about it do not contradict each other', (code) => {
  const { remedy } = FAILURE_POLICIES[code];
  const follows = whatFollows(code);
  expect(remedy.startsWith('Nothing to do')).toBe(follows === 'It is retried automatically.');
  const isRetriedByUser = /retry (the row|it)/iu.test(remedy);
  expect(isRetriedByUser && !/the row fails/iu.test(follows)).toBe(false);
  const isResumed = remedy.includes('then resume');
  expect(isResumed && !follows.includes('pauses')).toBe(false);
});

test.each(FAILURE_CODES)('what is said of a task that failed of %s agrees with what its retry costs', (code) => {
  const saysItIsFree = /asks the gateway again|asks the gateway for a fresh|downloaded again|download it again/iu.test(
    remedyOf(code, 'failed'),
  );
  expect(saysItIsFree).toBe(isRetryFree(code));
});
