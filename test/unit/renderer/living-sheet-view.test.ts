import { expect, test } from 'vitest';
import { LivingSheet, shownDifference } from '../../../src/renderer/state/batch/living-sheet-view.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';

test('how the file of a batch differs is shown with that batch only, also if another one is on screen by then', async () => {
  const ask = ((_: string, { batchId }: { readonly batchId: string }) =>
    Promise.resolve(ok({ differenceId: `of ${batchId}`, batchId }))) as never;
  const living = new LivingSheet({ ask, notices: { show: () => 0 }, onBatch: () => undefined });
  const shownWith = (batchId: string) => shownDifference(living.store.getState(), batchId)?.differenceId;
  const compared = living.compare('a', false);
  // The user goes to “b” meanwhile.
  await compared;
  expect([shownWith('b'), shownWith('a')]).toEqual([undefined, 'of a']);
  living.close();
  expect(shownWith('a')).toBeUndefined();
});
