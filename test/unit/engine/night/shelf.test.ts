import { expect, test } from 'vitest';
import { isStillAsked, removeDeleted } from '../../../../src/engine/night/batches/shelf.ts';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { DEFAULT_PROFILE, type Profile } from '../../../../src/shared/domain/gateway/profile.ts';
import { makeTask } from '../../../support/make-task.ts';

const HOUR_MS = 3_600_000;

test('a take is asked about for as long as its own account says', async () => {
  const asking = (name: string, taskHours: number): Profile => {
    return { ...DEFAULT_PROFILE, name, deadlines: { ...DEFAULT_PROFILE.deadlines, taskHours } };
  };
  const accounts = { first: { name: 'short' }, others: [{ name: 'long', profile: asking('long', 72) }] };
  const settings = { folder: '/media', filename: '{row}', rehearsal: false, profile: asking('short', 1), accounts };
  const isAsked = (account: string, hours: number): Promise<boolean> => {
    const suspected = { ...failure('REMOTE_FAILED', 'It said so.'), suspected: true };
    const task = makeTask({ status: 'failed', failure: suspected, taskCode: 'c1', submittedAt: 0, account });
    return isStillAsked({ watchedTasks: () => Promise.resolve([task]) }, { id: 'b1', settings }, hours * HOUR_MS);
  };
  expect(await Promise.all([isAsked('short', 2), isAsked('long', 2), isAsked('long', 73)])).toEqual([
    false,
    true,
    false,
  ]);
});

test('a deleted batch that cannot be removed keeps no other from that, and those that are gone are named', async () => {
  const shelf = { is: 'deleted', at: 0 } as const;
  const batches = ['a', 'b', 'c'].map((id) => ({ id, settings: { profile: DEFAULT_PROFILE, shelf } }));
  const store = { batches: () => Promise.resolve(batches), watchedTasks: () => Promise.resolve([]) };
  const remove = (id: string): Promise<boolean> =>
    id === 'b' ? Promise.reject(new Error('The disk is full.')) : Promise.resolve(true);
  const failed: unknown[] = [];
  const configure = (): Promise<void> => Promise.resolve();
  const parts = { store, configure, onFailed: (error: unknown) => failed.push(error) };
  const given = parts as unknown as Parameters<typeof removeDeleted>[0];
  expect(await removeDeleted(given, remove, 48 * HOUR_MS, false)).toEqual(['a', 'c']);
  expect(failed).toHaveLength(1);
});
