import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { BRING_BACK_MS } from '../../../src/shared/domain/task/batch-standing.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createBatch, NIGHT_BEGAN, openSheet, type Running, serviceOpener, value } from './engine-service-rig.ts';

const open = serviceOpener();

/** A batch that runs, and sends nothing before tomorrow. */
async function startedLater(opened: Running, folder: string): Promise<string> {
  await openSheet(opened, folder);
  const { id: batchId } = await createBatch(opened, folder);
  const schedule = { startAt: NIGHT_BEGAN + 86_400_000, windows: [], zone: 'UTC' };
  await value(opened.service.handlers['batch.schedule']({ batchId, schedule }));
  await value(opened.service.handlers['batch.start']({ batchId }));
  return batchId;
}

async function priorityOf({ engine }: Pick<Running, 'engine'>, batchId: string): Promise<number> {
  return (await engine.store.batch(batchId))?.settings.priority ?? 0;
}

describe('what the engine’s process answers', () => {
  test('a limit and a profile that change at the same time both stay changed', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine } = opened;
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    await Promise.all([
      engine.config.setCap(id, 1),
      engine.config.configure(id, ({ settings }) => ({
        ...settings,
        profile: { ...settings.profile, baseUrl: 'http://127.0.0.1:9/other' },
      })),
    ]);
    expect((await engine.store.batch(id))?.settings).toMatchObject({
      maxSubmits: 1,
      profile: { baseUrl: 'http://127.0.0.1:9/other' },
    });
  });

  test('when a batch runs, that it goes first, its tags, and what waits for picks stay as they were set until they are set otherwise', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { handlers } = opened.service;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const schedule = { windows: [{ from: '22:00', to: '06:00', days: ['Fri'] as const }], zone: 'Europe/Berlin' };
    const configured = { batchId, profile: DEFAULT_PROFILE };
    expect(await value(handlers['batch.schedule']({ batchId, schedule }))).toMatchObject({ schedule });
    expect(await value(handlers['batch.order']({ batchId, to: 'first' }))).toMatchObject({ isFirst: true });
    const tags = ['Winter'];
    expect(await value(handlers['batch.tag']({ batchId, tags: [' Winter', 'winter '] }))).toMatchObject({ tags });
    expect(await value(handlers['batch.configure']({ ...configured, name: 'Later' }))).toMatchObject({
      name: 'Later',
      schedule,
      isFirst: true,
      tags,
    });
    expect(await value(handlers['batch.configure']({ ...configured, picks: true }))).toMatchObject({ picks: true });
    const lifted = await value(handlers['batch.configure']({ ...configured, schedule: null }));
    expect(lifted.schedule).toBeUndefined();
    expect(lifted.picks).toBe(true);
    expect(await value(handlers['batch.configure']({ ...configured, picks: false }))).not.toHaveProperty('picks', true);
    expect((await value(handlers['batch.order']({ batchId, to: 'in-turn' }))).isFirst).toBeUndefined();
    expect((await value(handlers['batch.tag']({ batchId, tags: [] }))).tags).toBeUndefined();
  });

  test('of several moves at once, each sees what the one before has left', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const ids = [
      await startedLater(opened, folder),
      await startedLater(opened, folder),
      await startedLater(opened, folder),
    ];
    const order = opened.service.handlers['batch.order'];
    await Promise.all(ids.slice(0, 2).map((batchId) => value(order({ batchId, to: 'up' }))));
    expect(await Promise.all(ids.map((id) => priorityOf(opened, id)))).toEqual([1, 0.5, 0]);
  });

  test('a batch that starts anew takes turns with the first that run, unless it was told to run first before', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    const setPriority = (id: string, priority: number): Promise<void> =>
      engine.config.configure(id, ({ settings }) => ({ ...settings, priority }));
    await openSheet(opened, folder);
    const { id: again } = await createBatch(opened, folder);
    await value(service.handlers['batch.start']({ batchId: again }));
    expect((await engine.settled(again)).state).toBe('finished');
    await setPriority(again, 7);
    await setPriority(await startedLater(opened, folder), -1);
    expect(await priorityOf(opened, await startedLater(opened, folder))).toBe(-1);
    await value(service.handlers['batch.start']({ batchId: again }));
    expect(await priorityOf(opened, again)).toBe(-1);
    await openSheet(opened, folder);
    const { id: first } = await createBatch(opened, folder);
    await value(service.handlers['batch.order']({ batchId: first, to: 'first' }));
    await value(service.handlers['batch.start']({ batchId: first }));
    expect(await priorityOf(opened, first)).toBe(1);
  });

  test('a limit that changes while a rehearsal’s gateway is set up stays changed', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id } = await createBatch(opened, folder);
    const before = await engine.store.batch(id);
    if (before === undefined) throw new Error('no batch');
    const { settings } = before;
    // As after a restart on another port.
    await engine.config.configure(id, {
      ...settings,
      profile: { ...settings.profile, baseUrl: 'http://127.0.0.1:9/old' },
    });
    const started = service.handlers['batch.start']({ batchId: id });
    await engine.config.configure(id, (batch) => ({ ...batch.settings, maxSubmits: 1 }));
    await value(started);
    expect((await engine.store.batch(id))?.settings).toMatchObject({
      maxSubmits: 1,
      profile: { baseUrl: settings.profile.baseUrl },
    });
  });

  test('a batch is started for what was shown, and not for more that an edit under way asks for', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { engine, service } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const rows = [...(await engine.rows.keysInView(batchId, {}, 1, 1))];
    const edit = { kind: 'set-cells' as const, rows, added: 0, headers: ['takes'], values: [['9']] };
    const editing = service.handlers['sheet.edit']({ batchId, edit });
    expect(await service.handlers['batch.start']({ batchId, submits: 3 })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('now asks for 11 paid requests, not 3') as string },
    });
    await editing;
    expect((await engine.store.batch(batchId))?.state).toBe('ready');
    expect(await value(service.handlers['batch.start']({ batchId, submits: 11 }))).toMatchObject({ state: 'running' });
  });

  test('a rehearsal goes on at another port when its own was taken meanwhile', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    await openSheet(first, folder);
    const { id } = await createBatch(first, folder);
    await value(first.service.handlers['batch.start']({ batchId: id }));
    await first.stop();
    const { port } = JSON.parse(readFileSync(join(folder, 'rehearsal', 'gateway.json'), 'utf8')) as { port: number };

    const blocker = createServer();
    await new Promise<void>((resolve) => {
      blocker.listen(port, '127.0.0.1', resolve);
    });
    try {
      const second = await open(folder);
      await second.service.takeUp();
      await second.engine.settled(id);
      expect(await value(second.service.handlers['batch.get']({ batchId: id }))).toMatchObject({
        state: 'finished',
        submitsUsed: 3,
        files: 3,
      });
      expect((await second.engine.store.batch(id))?.settings.profile.baseUrl).not.toContain(`:${port}/`);
    } finally {
      blocker.close();
    }
  });
});

test('a batch that cannot go on after a restart is named, and holds up no other', async () => {
  const folder = temporaryFolder();
  const first = await open(folder);
  const [unchecked, broken, sound] = [
    await startedLater(first, folder),
    await startedLater(first, folder),
    await startedLater(first, folder),
  ];
  await first.kill();
  const told: unknown[] = [];
  const { engine, service } = await open(folder, { tell: (name, payload) => told.push([name, payload]) });
  const attached: string[] = [];
  const attach = engine.attach.bind(engine);
  engine.attach = (batchId) => {
    attached.push(batchId);
    return batchId === broken ? Promise.reject(new Error('no such kind of row')) : attach(batchId);
  };
  const finishChecks = engine.editor.finishChecks.bind(engine.editor);
  engine.editor.finishChecks = async (onFailed) => {
    await finishChecks(onFailed);
    onFailed?.(unchecked, new Error('no such column'));
  };
  await service.takeUp();
  expect([attached.includes(unchecked), attached.includes(sound)]).toEqual([false, true]);
  expect(told).toMatchObject([
    ['notice', { level: 'error', batchId: unchecked }],
    ['notice', { level: 'error', batchId: broken, title: expect.stringContaining('does not go on') as string }],
  ]);
});

test('a pause that comes while a start waits for an edit is the later word', async () => {
  const folder = temporaryFolder();
  const opened = await open(folder);
  const { engine, service } = opened;
  await openSheet(opened, folder);
  const { id: batchId, taskCount: submits } = await createBatch(opened, folder);
  let finish = (): void => undefined;
  const editing = new Promise<void>((resolve) => (finish = resolve));
  const edited = engine.editor.between(batchId, async () => ok(await editing));
  const started = service.handlers['batch.start']({ batchId, submits });
  await value(service.handlers['batch.pause']({ batchId }));
  finish();
  await edited;
  expect(await value(started)).toMatchObject({ state: 'ready', submitsUsed: 0 });
  // What the user asks for after it holds.
  expect(await value(service.handlers['batch.start']({ batchId, submits }))).toMatchObject({ state: 'running' });
});

describe('a batch that is put away', () => {
  const listed = ({ service }: Running) => value(service.handlers['batch.list'](undefined));

  test('stays through a restart, is brought back as it was, and is removed by a start a day after its deletion', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    await openSheet(first, folder);
    const { id: batchId } = await createBatch(first, folder);
    const deleted = await value(first.service.handlers['batch.shelve']({ batchId, to: 'deleted' }));
    expect(deleted.shelf?.until).toBe((deleted.shelf?.at ?? 0) + BRING_BACK_MS);
    await first.stop();

    const second = await open(folder, { at: (deleted.shelf?.until ?? 0) - 60_000 });
    await second.service.takeUp();
    expect(await listed(second)).toMatchObject([{ id: batchId, shelf: { is: 'deleted' }, rowCount: 5 }]);
    const back = await value(second.service.handlers['batch.shelve']({ batchId, to: 'back' }));
    expect(back.shelf).toBeUndefined();
    const again = await value(second.service.handlers['batch.shelve']({ batchId, to: 'deleted' }));
    await second.stop();

    const third = await open(folder, { at: again.shelf?.until ?? 0 });
    await third.service.takeUp();
    expect(await listed(third)).toEqual([]);
    expect(await third.service.handlers['batch.get']({ batchId })).toMatchObject({ ok: false });
    expect(await third.service.handlers['batch.start']({ batchId })).toMatchObject({ ok: false });
  });

  test('is removed a day after its deletion while the window stays open, and the window hears of it', async () => {
    const folder = temporaryFolder();
    const clock = new FakeClock(NIGHT_BEGAN);
    const told: string[] = [];
    const opened = await open(folder, { clock, tell: (name) => told.push(name) });
    await opened.service.takeUp();
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    // It is in the night of this process, and its documents are out of date.
    await opened.engine.attach(batchId);
    const { keys } = await opened.engine.views.viewPage(batchId, { offset: 0, limit: 1 });
    const edit = { kind: 'set-cells' as const, rows: [...keys], added: 0, headers: ['prompt'], values: [['Rain']] };
    await value(opened.service.handlers['sheet.edit']({ batchId, edit }));
    await clock.advance(60_000);
    await value(opened.service.handlers['batch.shelve']({ batchId, to: 'deleted' }));
    // The first look comes a minute too early.
    await clock.advance(BRING_BACK_MS);
    expect(await listed(opened)).toMatchObject([{ id: batchId }]);
    await clock.advance(BRING_BACK_MS);
    expect(await listed(opened)).toEqual([]);
    expect(told).toEqual(['batch.listChanged']);
    expect(await value(opened.stop())).toEqual({ unsaved: [] });
    expect(clock.timers()).toBe(0);
  });

  test('is brought back by its start, and cannot be put away while it runs', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    await value(service.handlers['batch.shelve']({ batchId, to: 'archived' }));
    const started = await value(service.handlers['batch.start']({ batchId }));
    expect(started).toMatchObject({ state: 'running', shelf: undefined });
    for (const to of ['archived', 'deleted'] as const) {
      const refused = await service.handlers['batch.shelve']({ batchId, to });
      expect(refused).toEqual({ ok: false, error: { code: 'refused', message: 'It is running: pause it first.' } });
    }
    await engine.settled(batchId);
    expect(await value(service.handlers['batch.shelve']({ batchId, to: 'archived' }))).toMatchObject({
      shelf: { is: 'archived' },
    });
  });

  test('while it is being started is not run by that start', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const { id: batchId } = await createBatch(opened, folder);
    const { store } = engine;
    let deleted: unknown;
    // Between the look at what waits, for the forecast, and the start itself.
    const waitingWork = vi.spyOn(store, 'waitingWork').mockImplementationOnce(async (...asked) => {
      waitingWork.mockRestore();
      deleted = await service.handlers['batch.shelve']({ batchId, to: 'deleted' });
      return store.waitingWork(...asked);
    });
    await value(service.handlers['batch.start']({ batchId }));
    expect(deleted).toMatchObject({ ok: true });
    expect(await store.batch(batchId)).toMatchObject({ state: 'ready', settings: { shelf: { is: 'deleted' } } });
  });

  test('has another name and the gateway that it had, before it was started', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const at = (baseUrl: string) => ({ ...DEFAULT_PROFILE, baseUrl });
    const own = { sheetId: 's', name: 'Own', folder: join(folder, 'own'), rehearsal: false, start: false };
    const { id: batchId } = await value(service.handlers['batch.create']({ ...own, profile: at('https://a.example') }));
    const renamed = { batchId, name: 'Other', profile: at('https://b.example') };
    expect(await value(service.handlers['batch.configure'](renamed))).toMatchObject({ name: 'Other' });
    expect((await engine.store.batch(batchId))?.settings.profile.baseUrl).toBe('https://a.example');
  });

  test('has another name once it was started, and the folder that it had', async () => {
    const folder = temporaryFolder();
    const opened = await open(folder);
    const { service, engine } = opened;
    await openSheet(opened, folder);
    const { id: batchId, folder: media } = await createBatch(opened, folder);
    await value(service.handlers['batch.start']({ batchId }));
    const renamed = await value(
      service.handlers['batch.configure']({ batchId, name: 'Harbour nights', profile: DEFAULT_PROFILE }),
    );
    expect(renamed).toMatchObject({ name: 'Harbour nights', folder: media });
    await engine.settled(batchId);
    expect((await listed(opened))[0]?.name).toBe('Harbour nights');
  });
});
