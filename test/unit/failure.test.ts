import { expect, test } from 'vitest';
import { FAILURE_POLICIES, remedyOf } from '../../src/shared/domain/failure.ts';

test('a row that is tried again by itself asks nothing of its user', () => {
  expect(remedyOf('RESULT_EXPIRED', 'rendering')).toContain('fresh address');
  expect(remedyOf('RESULT_EXPIRED', 'rendering')).not.toContain('Retry');
  expect(remedyOf('DOWNLOAD_CORRUPT', 'downloading')).toContain('Nothing to do');
});

test('a row that has failed, or a night that stands still, says what to do', () => {
  expect(remedyOf('RESULT_EXPIRED', 'failed')).toBe(FAILURE_POLICIES.RESULT_EXPIRED.remedy);
  expect(remedyOf('AUTH_REJECTED', 'rendering')).toBe(FAILURE_POLICIES.AUTH_REJECTED.remedy);
});
