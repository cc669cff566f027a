import { expect, test } from 'vitest';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { record } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a suspected failure whose row was edited after a restart is not asked about without end', async () => {
  const night = new NightHarness();
  night.gateway.onPoll = () => ({
    answer: { kind: 'record', record: record({ status: 'odd', endTime: '2026-01-15' }) },
  });
  const profile = { ...profileWith(), deadlines: { submitSeconds: 120, pollSeconds: 30, taskHours: 2 } };
  const id = await night.bringIn(rows(2), { profile, maxSubmits: 1 });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await night.statuses(id))[0] === 'failed');
  expect((await night.tasks(id))[0]).toMatchObject({ failure: { suspected: true } });
  await night.clock.advance(3 * HOUR);
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advance(10_000);
  const { sheets } = night.opened;
  const [key] = await sheets.keysInView(id, {}, 0, 1);
  const [stored] = await sheets.rowsByKeys(id, key === undefined ? [] : [key]);
  if (stored === undefined) throw new Error('no row');
  const supersede = stored.tasks.map((task) => ({ id: task.id, revision: task.revision }));
  const content = { ...stored, isDraft: true, request: undefined, unused: [] };
  const tasks = { remove: [], supersede, unsupersede: [], add: [], update: [], keep: [] };
  const change = { rows: [{ kind: 'update' as const, key: stored.key, content, tasks }], at: night.clock.now() };
  expect(await sheets.change(id, change)).toMatchObject({ kind: 'written' });
  await night.scheduler.sheetChanged(id);
  const before = night.gateway.polls.length;
  await night.clock.advance(10 * MINUTE);
  expect(night.gateway.polls.length - before).toBeLessThanOrEqual(2);
});
