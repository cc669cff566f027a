import { expect, test } from 'vitest';
import { previewRow } from '../../../src/engine/preview-row.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { PLAIN_SHEET, type BatchRecord } from '../../../src/shared/domain/task/batch.ts';
import { row } from '../../support/night-harness.ts';

test('a row is shown as the account sends it that it names or was sent with', () => {
  const others = [{ name: 'joined', profile: { ...DEFAULT_PROFILE, name: 'joined', tags: 'one-element' as const } }];
  const profile = { ...DEFAULT_PROFILE, tags: 'array' as const };
  const settings = {
    folder: '/media',
    filename: '{row}',
    rehearsal: false,
    profile,
    accounts: { first: { name: 'first' }, others },
  };
  const batch: BatchRecord = {
    id: 'b1',
    name: 'Night',
    headers: ['row', 'operation', 'tags'],
    sheet: PLAIN_SHEET,
    settings,
    state: 'ready',
    createdAt: 0,
    rowCount: 1,
    taskCount: 1,
    revision: 0,
  };
  const tagsOf = (account?: string, sentWith?: string): unknown => {
    const shown = row('r1', 2, { body: { tags: ['calm', 'slow'] }, ...(account !== undefined && { account }) });
    const { after } = previewRow(shown, batch, {}, () => undefined, sentWith);
    return (JSON.parse(after) as { tags: unknown }).tags;
  };
  expect([tagsOf(), tagsOf('joined')]).toEqual([['calm', 'slow'], ['calm, slow']]);
  expect([tagsOf('joined', 'first'), tagsOf(undefined, 'joined')]).toEqual([['calm', 'slow'], ['calm, slow']]);
});
