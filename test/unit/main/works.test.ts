import { expect, test } from 'vitest';
import { Works } from '../../../src/main/engine-process/works.ts';
import { err, ok } from '../../../src/shared/domain/base/result.ts';
import type { WorkView } from '../../../src/shared/ipc/works.ts';
import type { WorkWatch } from '../../../src/engine/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const REFUSED = err({ code: 'refused', message: 'no' } as const);

function rig() {
  const clock = new FakeClock();
  const told: (readonly WorkView[])[] = [];
  const works = new Works({ clock, tell: (_, payload) => void told.push((payload as { works: WorkView[] }).works) });
  return { clock, works, told };
}

/** Work that ends when it is told to; `watch` is what it heeds. */
function waiting() {
  let end: (reply: typeof REFUSED | { ok: true; value: number }) => void = () => undefined;
  const ended = new Promise<typeof REFUSED | { ok: true; value: number }>((resolve) => (end = resolve));
  let watch: WorkWatch = {};
  const work = (given: WorkWatch) => {
    watch = given;
    return ended;
  };
  return { work, end: (reply: Parameters<typeof end>[0]) => end(reply), watch: () => watch };
}

test('what takes a moment is not told; what takes longer is, with its steps, as often as anybody can read, and its end', async () => {
  const { clock, works, told } = rig();
  const short = waiting();
  const shortly = works.run('sheet.edit', { batchId: 'b' }, short.work);
  await clock.advance(499);
  short.end(ok(1));
  await shortly;
  await clock.advance(10_000);
  expect(told).toEqual([]);

  const long = waiting();
  const later = works.run('sheet.edit', { batchId: 'b' }, long.work);
  long.watch().onProgress?.(1, 10);
  await clock.advance(500);
  expect(told).toMatchObject([
    [{ name: 'sheet.edit', batchId: 'b', progress: { done: 1, of: 10 }, isCancellable: true }],
  ]);
  long.watch().onProgress?.(2, 10);
  await clock.advance(200);
  long.watch().onProgress?.(3, 10);
  expect(told.map((all) => all[0]?.progress?.done)).toEqual([1, 3]);
  expect(works.handlers['work.list']()).toMatchObject({ value: { works: [{ progress: { done: 3 } }] } });
  long.end(ok(2));
  expect(await later).toEqual(ok(2));
  expect(told.at(-1)).toEqual([]);
});

test('work that was cancelled is answered so if it ended for that; what is done all the same is done, and why it failed is said', async () => {
  const { clock, works, told } = rig();
  const cancel = (): void => {
    for (const { workId } of told.at(-1) ?? []) works.handlers['work.cancel']({ workId });
  };
  const thrown = works.run('store.backup', {}, async ({ signal }) => {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    signal?.throwIfAborted();
    return ok(1);
  });
  await clock.advance(500);
  cancel();
  expect(await thrown).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  for (const [reply, code] of [
    [REFUSED, 'refused'],
    [ok(1), undefined],
  ] as const) {
    const one = waiting();
    const answered = works.run('store.backup', {}, one.work);
    await clock.advance(500);
    cancel();
    one.end(reply);
    const answer = await answered;
    expect(answer.ok ? undefined : answer.error.code).toBe(code);
  }
  await expect(works.run('store.backup', {}, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  expect(told.at(-1)).toEqual([]);
});

test('what is past its point, or cannot be ended at all, is not cancelled; and the end of the engine spares what is kept, and waits for it', async () => {
  const { clock, works, told } = rig();
  const apply = waiting();
  const edit = waiting();
  const paste = waiting();
  const made = waiting();
  const backup = waiting();
  const release = waiting();
  const all = [
    works.run('sheet.apply', { batchId: 'b' }, apply.work),
    works.run('sheet.edit', { batchId: 'b' }, edit.work),
    works.run('sheet.paste', { batchId: 'b' }, paste.work),
    works.run('batch.create', {}, made.work),
    works.run('store.backup', {}, backup.work),
    works.run('batch.release', { batchId: 'b' }, release.work),
  ];
  await clock.advance(500);
  apply.watch().onBound?.();
  paste.watch().onBound?.();
  expect(told.at(-1)?.map(({ isCancellable }) => isCancellable)).toEqual([false, true, false, true, true, false]);
  let isEnded = false;
  const ended = works.end().then(() => (isEnded = true));
  const isAborted = [apply, edit, paste, made, backup, release].map(({ watch }) => watch().signal?.aborted);
  expect(isAborted).toEqual([false, false, false, false, true, false]);
  for (const at of [0, 5]) works.handlers['work.cancel']({ workId: told.at(-1)?.[at]?.workId ?? '' });
  for (const one of [apply, release]) expect(one.watch().signal?.aborted).toBe(false);
  let isEdited = false;
  const edited = works.kept().then(() => (isEdited = true));
  for (const one of [edit, backup, made, paste]) {
    await clock.advance(1);
    expect([isEdited, isEnded]).toEqual([false, false]);
    one.end(ok(1));
  }
  await edited;
  await ended;
  for (const one of [apply, release]) one.end(ok(1));
  await Promise.all(all);
});

test('a delivery is told at once: its own dialog shows it', async () => {
  const { works, told } = rig();
  const one = waiting();
  const delivered = works.run('batch.deliver', { batchId: 'b' }, one.work);
  expect(told).toMatchObject([[{ name: 'batch.deliver', batchId: 'b' }]]);
  one.end(ok(1));
  await delivered;
});
