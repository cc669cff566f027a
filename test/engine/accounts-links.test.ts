import { describe, expect, test } from 'vitest';
import type { LinkedField, Reference } from '../../src/shared/domain/cells/reference.ts';
import { nightOf } from '../support/accounts-night.ts';
import { row } from '../support/night-harness.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';

function links(...parts: readonly Reference[]): readonly LinkedField[] {
  return [{ column: 'title', value: { kind: 'text', text: parts } }];
}

function taskOf(rowId: string): Reference {
  return { row: rowId, path: { kind: 'task-code' }, text: `${rowId}.taskId` };
}

function fileOf(rowId: string): Reference {
  return { row: rowId, path: { kind: 'output-url', index: 1 }, text: `${rowId}.output.1.url` };
}

describe('a row that refers to the tasks of others', () => {
  const onA = row('r1', 2, { account: 'a' });
  const onB = row('r2', 3, { account: 'b' });

  test.each([
    ['of two accounts', row('r3', 4, { links: links(taskOf('r1'), taskOf('r2')) }), 'r2', 'b', 'a'],
    ['of another account than its own', row('r3', 4, { account: 'b', links: links(taskOf('r1')) }), 'r1', 'a', 'b'],
  ])('%s fails before it is paid for', async (_, referring, source, maker, goesTo) => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    const id = await night.bringIn([onA, onB, referring], settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([1, 1]);
    expect((await night.tasks(id))[2]).toMatchObject({
      status: 'failed',
      attempts: 0,
      failure: {
        code: 'DEPENDENCY_FAILED',
        message: `A row cannot refer to tasks of different accounts: row “${source}” was made on the account “${maker}”, and this row goes to “${goesTo}”, which does not know that task.`,
        data: { row: source },
      },
    });
  });

  test('goes to the account of those, wherever the files are from that it takes', async () => {
    const { night, gateways, settings } = nightOf({ a: {}, b: {} });
    const referring = row('r3', 4, { links: links(fileOf('r1'), taskOf('r2')) });
    const id = await night.bringIn([onA, onB, referring], settings);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect([gateways.a.submits.length, gateways.b.submits.length]).toEqual([1, 2]);
  });

  test('goes where the take was made that is picked last, while it was not sent', async () => {
    const { night, gateways, settings } = nightOf({ a: { places: 1 }, b: { places: 1 } });
    const cover = row('cover', 2, { takes: 2, pick: true });
    const film = row('film', 3, { links: links(taskOf('cover')) });
    // Both accounts are full until it is decided.
    const busy = [row('r4', 4, { account: 'a' }), row('r5', 5, { account: 'b' })];
    let isBusy = true;
    for (const gateway of [gateways.a, gateways.b])
      gateway.onPoll = (code) =>
        code === 'code-2' && isBusy ? RUNNING : rendered(`https://media.example/${code}.mp3`);
    const id = await night.bringIn([cover, film, ...busy], settings);
    await night.scheduler.start(id);
    await night.clock.advance(120_000);
    const takes = await night.store.tasksOfRow(id, 'cover');
    expect(takes).toMatchObject([
      { status: 'done', account: 'a' },
      { status: 'done', account: 'b' },
    ]);
    for (const [pickedAt, { id: taskId }] of takes.entries()) {
      await night.scheduler.decide([
        { taskId, event: { kind: 'reviewed', index: 1, change: { pickedAt: pickedAt + 1 } } },
      ]);
      await night.clock.advance(60_000);
      expect(await night.store.tasksOfRow(id, 'film')).toMatchObject([{ status: 'queued', account: 'a' }]);
    }
    isBusy = false;
    await night.untilRest(id);
    expect(await night.store.tasksOfRow(id, 'film')).toMatchObject([{ status: 'done', account: 'b' }]);
  });
});
