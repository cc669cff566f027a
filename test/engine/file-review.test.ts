/** What the user says of one file, by its identity: what is recorded, what is refused, and what a pick lets go on. */
import { describe, expect, test } from 'vitest';
import { fileReviewEntries } from '../../src/engine/review/file-review.ts';
import type { FileReview } from '../../src/shared/domain/review/verdict.ts';
import { outputIdOf } from '../../src/shared/domain/task/task.ts';
import { NightHarness, profileWith, row } from '../support/night-harness.ts';
import { rendered } from '../support/scripted-gateway.ts';

/** A row with two takes of two files each. */
async function rendering(): Promise<{ readonly night: NightHarness; readonly id: string }> {
  const night = new NightHarness();
  night.gateway.onPoll = (code) =>
    rendered(`https://media.example/${code}-a.mp3`, `https://media.example/${code}-b.mp3`);
  const id = await night.bringIn([row('cover', 2, { takes: 2, pick: true })], {
    profile: profileWith({ requestsPerSecond: 50 }),
  });
  await night.scheduler.start(id);
  await night.untilRest(id);
  return { night, id };
}

async function fileOf(night: NightHarness, id: string, take: number, index: number): Promise<string> {
  const task = (await night.store.tasksOfRow(id, 'cover'))[take - 1];
  if (task === undefined) throw new Error(`no take ${take}`);
  return outputIdOf(task.id, index);
}

async function say(night: NightHarness, fileId: string, review: FileReview, now = 10): Promise<string> {
  const found = await fileReviewEntries(night.store, fileId, review, now);
  if (!found.ok) return found.error.message;
  expect(await night.scheduler.decide(found.value.entries)).toBe(found.value.entries.length);
  return 'recorded';
}

async function verdicts(night: NightHarness, id: string): Promise<readonly unknown[]> {
  return (await night.store.tasksOfRow(id, 'cover')).flatMap(({ outputs }) => outputs.map(({ verdict }) => verdict));
}

/** The row asks for something else from now on: all that it has is of an earlier version. */
async function supersedeAll(night: NightHarness, id: string): Promise<void> {
  const { sheets } = night.opened;
  const [stored] = await sheets.rowsByKeys(id, await sheets.keysInView(id, {}, 0, 1));
  if (stored === undefined) throw new Error('no row');
  const supersede = stored.tasks.map((task) => ({ id: task.id, revision: task.revision }));
  const content = { ...stored, isDraft: true, request: undefined, unused: [] };
  const tasks = { remove: [], supersede, unsupersede: [], add: [], update: [], keep: [] };
  const change = { rows: [{ kind: 'update' as const, key: stored.key, content, tasks }], at: 20 };
  expect(await sheets.change(id, change)).toMatchObject({ kind: 'written' });
  await night.scheduler.sheetChanged(id);
}

describe('what the user says of one file', () => {
  test('is recorded for this file alone, and taken back field by field', async () => {
    const { night, id } = await rendering();
    const file = await fileOf(night, id, 2, 1);
    await say(night, file, { kept: true, rating: 0, note: 'warm' });
    expect(await verdicts(night, id)).toEqual([
      undefined,
      undefined,
      { kept: true, rating: 0, note: 'warm' },
      undefined,
    ]);
    await say(night, file, { rating: null, note: null });
    expect(await verdicts(night, id)).toEqual([undefined, undefined, { kept: true }, undefined]);
  });

  test('a pick is later than any other, also by a clock that was set back; a rejected file that is picked is not rejected', async () => {
    const { night, id } = await rendering();
    const [first, second] = [await fileOf(night, id, 1, 1), await fileOf(night, id, 2, 2)];
    await say(night, first, { picked: true }, 50);
    await say(night, second, { kept: false });
    await say(night, second, { picked: true }, 20);
    expect(await verdicts(night, id)).toEqual([{ pickedAt: 50 }, undefined, undefined, { pickedAt: 51 }]);
  });

  test.each([{ picked: false }, { kept: false }])(
    'no earlier pick comes back when the shown one is taken back: %j',
    async (back) => {
      const { night, id } = await rendering();
      const [first, second] = [await fileOf(night, id, 1, 1), await fileOf(night, id, 2, 2)];
      await say(night, first, { picked: true }, 5);
      await say(night, second, { picked: true }, 7);
      await say(night, second, back);
      const rejected = 'kept' in back ? { kept: false } : undefined;
      expect(await verdicts(night, id)).toEqual([undefined, undefined, undefined, rejected]);
    },
  );

  test('rejecting a file that is not the pick leaves the pick', async () => {
    const { night, id } = await rendering();
    await say(night, await fileOf(night, id, 1, 1), { picked: true }, 5);
    await say(night, await fileOf(night, id, 2, 2), { kept: false });
    expect(await verdicts(night, id)).toEqual([{ pickedAt: 5 }, undefined, undefined, { kept: false }]);
  });

  test('is refused in words where there is no such file, and where it is no text of ours', async () => {
    const { night, id } = await rendering();
    const file = await fileOf(night, id, 1, 1);
    const gone = 'This file is no longer among those of its row.';
    expect(await say(night, await fileOf(night, id, 1, 3), { kept: true })).toBe(gone);
    expect(await say(night, '999999-1', { kept: true })).toBe(gone);
    expect(await say(night, '../1', { kept: true })).toBe(gone);
    const [task] = await night.store.tasksOfRow(id, 'cover');
    if (task === undefined) throw new Error('no task');
    const waiting = { ...task, outputs: task.outputs.map((one) => ({ ...one, state: 'unsound' as never })) };
    const store = { task: async () => waiting, tasksOfRow: async () => [waiting] };
    const changed = await fileReviewEntries(store, file, { kept: true }, 1);
    expect(changed).toMatchObject({ ok: false, error: { message: 'This file has changed: it is not verified now.' } });
    expect(await verdicts(night, id)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('is recorded of an earlier version like of any other file, except for a pick', async () => {
    const { night, id } = await rendering();
    const [file, other] = [await fileOf(night, id, 1, 1), await fileOf(night, id, 2, 2)];
    await say(night, file, { picked: true });
    await supersedeAll(night, id);
    expect(await say(night, file, { kept: true, rating: 4, note: 'better' })).toBe('recorded');
    expect(await say(night, other, { kept: false })).toBe('recorded');
    for (const picked of [true, false])
      expect(await say(night, file, { picked })).toContain('only a file that the row has now can be picked');
    const said = (await night.store.tasksEverOfRow(id, 'cover')).map(({ outputs }) =>
      outputs.map((one) => one.verdict),
    );
    expect(said).toEqual([
      [{ kept: true, rating: 4, note: 'better', pickedAt: 10 }, undefined],
      [undefined, { kept: false }],
    ]);
  });
});
