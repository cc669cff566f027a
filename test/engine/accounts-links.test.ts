import { describe, expect, test } from 'vitest';
import type { LinkedField, Reference } from '../../src/shared/domain/cells/reference.ts';
import { nightOf } from '../support/accounts-night.ts';
import { row } from '../support/night-harness.ts';

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
});
