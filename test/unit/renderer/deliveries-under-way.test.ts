import { expect, test } from 'vitest';
import { DeliveriesView } from '../../../src/renderer/state/under-way/deliveries-under-way.ts';
import type { NewNotice } from '../../../src/renderer/state/notices-store.ts';
import type { DeliveryView } from '../../../src/shared/ipc/batches.ts';
import type { IpcError, Reply } from '../../../src/shared/ipc/contract.ts';
import type { WorkView } from '../../../src/shared/ipc/works.ts';
import { WorksUnderWay } from '../../../src/renderer/state/under-way/works-under-way.ts';
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
const WORK: WorkView = {
  workId: 'w',
  name: 'batch.deliver',
  batchId: 'b',
  progress: { done: 1, of: 2 },
  detail: '1 of 2 files',
  isCancellable: true,
};

function rig() {
  const asked: string[] = [];
  const notices: NewNotice[] = [];
  let answer: (reply: Reply<DeliveryView>) => void = () => undefined;
  const promise = new Promise<Reply<DeliveryView>>((resolve) => (answer = resolve));
  const ask = ((route: string) => {
    asked.push(route);
    return route === 'batch.deliver' ? promise : Promise.resolve(ok(undefined));
  }) as never;
  const works = new WorksUnderWay({ request: ask });
  const deliveries = new DeliveriesView({
    ask,
    works,
    notices: { show: (notice) => notices.push(notice) },
  });
  return { deliveries, works, asked, notices, answer, standing: () => deliveries.store.getState().standings['b'] };
}

test('what came of a delivery is shown by the dialog that is open, and forgotten with it', async () => {
  const { deliveries, works, notices, answer, standing } = rig();
  const close = deliveries.opened('b');
  const delivered = deliveries.deliver('Night', WANTED);
  works.told([WORK]);
  expect(standing()).toEqual({ kind: 'under-way', work: { ...WORK, isCancelling: false } });
  // The engine says that it is over before it answers: the dialog must not go back to its fields for a moment.
  works.told([]);
  expect(standing()?.kind).toBe('under-way');
  answer(ok(VIEW));
  await delivered;
  // The answer may overtake what was told before it.
  works.told([WORK]);
  works.told([]);
  expect(standing()).toEqual({ kind: 'ended', folderId: 'f', view: VIEW });
  expect(notices).toEqual([]);
  close();
  expect(standing()).toBeUndefined();
});

test('behind a closed dialog it is told by a notice; a cancel is shown until it has come', async () => {
  const { deliveries, works, asked, notices, answer, standing } = rig();
  deliveries.opened('b')();
  const delivered = deliveries.deliver('Night', WANTED);
  works.told([WORK]);
  await works.cancel('w');
  works.told([WORK]);
  expect(standing()).toEqual({ kind: 'under-way', work: { ...WORK, isCancelling: true } });
  expect(asked).toEqual(['batch.deliver', 'work.cancel']);
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
  const { deliveries, works, answer, standing } = rig();
  const delivered = deliveries.deliver('Night', WANTED);
  answer(err<IpcError>({ code: 'refused', message: 'x' }));
  await delivered;
  expect(standing()).toBeUndefined();
  works.told([WORK]);
  expect(standing()).toEqual({ kind: 'under-way', work: { ...WORK, isCancelling: false } });
  works.told([]);
  expect(standing()).toBeUndefined();
});
