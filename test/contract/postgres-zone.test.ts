/** Nights and months are the same for everybody on a server's store, in whichever zone their computers are. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedOnPostgres } from './opened-store.ts';
import { change, INTENT, makeRow, newBatch, only } from './task-store-fixtures.ts';

let before: string | undefined;
beforeEach(() => {
  before = process.env['TZ'];
});
afterEach(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

test('whoever comes later counts months, nights and days by the zone of the first', async () => {
  const dir = temporaryFolder();
  postgresAddress(dir);
  process.env['TZ'] = 'Pacific/Kiritimati';
  const first = openedOnPostgres(dir);
  expect(first.zone).toBe('Pacific/Kiritimati');
  const { id } = first.store.createBatch(newBatch({ rows: [makeRow(2)] }));
  // In the evening of the last of May by UTC it is June there, and still May in Pago Pago.
  const at = Date.UTC(2026, 4, 31, 20);
  const task = only(first.store.tasksOfRow(id, 'r2')[0]);
  first.store.commit([change(task, { status: 'submitting' }, { openAttempt: { ...INTENT, startedAt: at } })]);
  first.close();
  process.env['TZ'] = 'Pacific/Pago_Pago';
  const later = openedOnPostgres(dir);
  expect(later.zone).toBe('Pacific/Kiritimati');
  expect(later.store.spending(at, []).month.requests).toBe(1);
  expect(later.store.spending(Date.UTC(2026, 4, 31, 9), []).month.requests).toBe(0);
  later.close();
});
