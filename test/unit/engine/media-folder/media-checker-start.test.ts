import { expect, test, vi } from 'vitest';
import { diskFailure } from '../../../../src/engine/media-folder/disk-failure.ts';
import { threadMediaChecker } from '../../../../src/engine/media-folder/checks/media-checker.ts';
import { NoThreadError, startOwnThread } from '../../../../src/engine/own-thread.ts';

vi.mock(import('../../../../src/engine/own-thread.ts'), async (original) => {
  const actual = await original();
  return { ...actual, startOwnThread: vi.fn(actual.startOwnThread) };
});

test('a check for which no thread can be started is tried again like an error of the disk, and so is the next one', async () => {
  const none = (): never => {
    throw new NoThreadError('No thread could be started.');
  };
  vi.mocked(startOwnThread).mockImplementationOnce(none).mockImplementationOnce(none);
  const checker = threadMediaChecker();
  const checks = await Promise.allSettled([checker.check('/media/one.mp3', 10), checker.check('/media/two.mp3', 10)]);
  for (const check of checks) {
    const error: unknown = check.status === 'rejected' ? check.reason : undefined;
    expect(diskFailure(error, '/media')).toMatchObject({ code: 'DISK_DENIED', data: { code: 'NO_THREAD' } });
  }
  // The system has threads again: what is said now is about the file, which is not there.
  await expect(checker.check('/media/three.mp3', 10)).rejects.toMatchObject({ code: 'ENOENT' });
  await checker.close();
});
