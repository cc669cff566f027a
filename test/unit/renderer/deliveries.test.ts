import { expect, test } from 'vitest';
import { DeliveriesView } from '../../../src/renderer/state/deliveries.ts';
import type { NewNotice } from '../../../src/renderer/state/notices-store.ts';
import type { DeliveryView } from '../../../src/shared/ipc/batches.ts';
import type { IpcError, Reply } from '../../../src/shared/ipc/contract.ts';
import { err, ok } from '../../../src/shared/domain/base/result.ts';

const WANTED = {
  batchId: 'b',
  folderId: 'f',
  isKeptOnly: true,
  hasTags: false,
  hasSidecars: false,
  hasTimeline: false,
  isZip: false,
};
const VIEW: DeliveryView = { place: '/out', outcome: 'delivered', lines: ['2 new files (2 B)', 'a', 'b'] };
const PROGRESS = { step: 'copying', files: 1, ofFiles: 2, bytes: 1, ofBytes: 2 } as const;

function rig() {
  const asked: string[] = [];
  const notices: NewNotice[] = [];
  let answer: (reply: Reply<DeliveryView>) => void = () => undefined;
  const promise = new Promise<Reply<DeliveryView>>((resolve) => (answer = resolve));
  const deliveries = new DeliveriesView({
    ask: ((route: string) => {
      asked.push(route);
      return route === 'batch.deliver' ? promise : Promise.resolve(ok(undefined));
    }) as never,
    notices: { show: (notice) => void notices.push(notice) },
  });
  return { deliveries, asked, notices, answer, standing: () => deliveries.store.getState().standings['b'] };
}

test('what came of a delivery is shown by the dialog that is open, and forgotten with it', async () => {
  const { deliveries, notices, answer, standing } = rig();
  const close = deliveries.opened('b');
  const delivered = deliveries.deliver('Night', WANTED);
  deliveries.told({ batchId: 'b', isUnderWay: true, progress: PROGRESS });
  expect(standing()).toEqual({ kind: 'under-way', progress: PROGRESS });
  // The engine says that it is over before it answers: the dialog must not go back to its fields for a moment.
  deliveries.told({ batchId: 'b', isUnderWay: false });
  expect(standing()?.kind).toBe('under-way');
  answer(ok(VIEW));
  await delivered;
  // The answer may overtake what was told before it.
  deliveries.told({ batchId: 'b', isUnderWay: true, progress: PROGRESS });
  deliveries.told({ batchId: 'b', isUnderWay: false });
  expect(standing()).toEqual({ kind: 'ended', folderId: 'f', view: VIEW });
  expect(notices).toEqual([]);
  close();
  expect(standing()).toBeUndefined();
});

test('behind a closed dialog it is told by a notice; a cancel is shown until it has come', async () => {
  const { deliveries, asked, notices, answer, standing } = rig();
  deliveries.opened('b')();
  const delivered = deliveries.deliver('Night', WANTED);
  await deliveries.stop('b');
  deliveries.told({ batchId: 'b', isUnderWay: true, progress: PROGRESS });
  expect(standing()).toEqual({ kind: 'under-way', progress: PROGRESS, isStopping: true });
  expect(asked).toEqual(['batch.deliver', 'batch.stopDelivery']);
  answer(ok({ ...VIEW, outcome: 'cancelled' }));
  await delivered;
  expect(standing()).toBeUndefined();
  expect(notices).toEqual([
    { level: 'info', title: 'Night: delivery cancelled', message: '2 new files (2 B). a. → /out' },
  ]);
});

test('a notice leads nowhere where nothing was delivered', async () => {
  const { deliveries, notices, answer } = rig();
  const delivered = deliveries.deliver('Night', WANTED);
  answer(ok({ place: '/out', outcome: 'nothing', lines: ['Nothing was delivered: none is kept.'] }));
  await delivered;
  expect(notices.map(({ message }) => message)).toEqual(['Nothing was delivered: none is kept.']);
});

test('one that was refused leaves nothing behind, and one of an earlier window is shown as long as it lasts', async () => {
  const { deliveries, answer, standing } = rig();
  const delivered = deliveries.deliver('Night', WANTED);
  answer(err<IpcError>({ code: 'refused', message: 'x' }));
  await delivered;
  expect(standing()).toBeUndefined();
  deliveries.told({ batchId: 'b', isUnderWay: true });
  expect(standing()).toEqual({ kind: 'under-way' });
  deliveries.told({ batchId: 'b', isUnderWay: false });
  expect(standing()).toBeUndefined();
});
