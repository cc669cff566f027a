import { expect, test, vi } from 'vitest';
import { createEngine } from '../../../src/engine/index.ts';
import { createMediaFolder } from '../../../src/engine/media-folder/media-folder.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.mock('../../../src/engine/media-folder/media-folder.ts', { spy: true });

test('parts are marked with their store, and each time with the same mark', async () => {
  const [one, another] = [temporaryFolder(), temporaryFolder()];
  for (const dataDir of [one, one, another]) {
    const created = await createEngine({ dataDir, openStore: storeAtOnce });
    if (!created.ok) throw new Error(created.error.message);
    await created.value.stop();
  }
  const [first, again, other] = vi.mocked(createMediaFolder).mock.calls.map(([{ owner }]) => owner);
  expect(first).toMatch(/^\w{8}$/u);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
