import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findEntries, paletteEntries } from '../../../src/renderer/shell/commands.ts';
import { renderShownAgain } from '../../../src/renderer/state/batch/one-more-take.ts';
import { words } from '../../../src/shared/words/words.ts';
import { AppModel, type Carried } from '../../../src/renderer/state/app-model.ts';
import type { Bridge, EventName, Reply, RouteName } from '../../../src/shared/ipc/contract.ts';
import { makeBatch, makeCounts, makeRow, makeRows, makeSheet } from './make-view.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';

const SETTINGS = {
  theme: 'system',
  language: 'system',
  baseUrl: '',
  profileName: 'My gateway',
  profiles: ['My gateway'],
  defaultFolder: '/home/ada/Nocturne',
  currencies: [],
  currenciesOfAll: [],
  gateways: [],
};
const NO_KEY = { present: false, last4: '', storage: 'keyring', origin: '', kept: [] };

/** An application behind the bridge that answers from a table and tells what it was asked. */
function setUp(
  answers: Partial<Record<RouteName, (input: never) => unknown>> = {},
  lastSeenAt?: number,
  carried?: Carried,
) {
  const asked: { readonly route: RouteName; readonly input: unknown }[] = [];
  const table: Partial<Record<RouteName, (input: never) => unknown>> = {
    'app.info': () => ({ version: '0.1.0', platform: 'linux' }),
    'settings.get': () => SETTINGS,
    'key.status': () => NO_KEY,
    'batch.list': () => [],
    'rows.page': () => ({ sequence: 0, keys: Float64Array.of(0, 1, 2), rows: makeRows(3) }),
    ...answers,
  };
  let tell: (event: EventName, payload: unknown) => void = () => undefined;
  const bridge: Bridge = {
    request: async (route, input): Promise<Reply<unknown>> => {
      asked.push({ route, input });
      const answer = table[route];
      if (answer === undefined) return { ok: false, error: { code: 'refused', message: `No ${route} today.` } };
      return { ok: true, value: await answer(input as never) };
    },
    subscribe: (listener) => {
      tell = listener;
      return () => undefined;
    },
  };
  const time = new ManualSchedule();
  const model = new AppModel({
    bridge,
    schedule: time.schedule,
    carried,
    ...(lastSeenAt === undefined ? {} : { lastSeenAt }),
  });
  return {
    model,
    asked,
    time,
    emit: (event: EventName, payload: unknown) => tell(event, payload),
    timesAsked: (route: RouteName) => asked.filter((request) => request.route === route).length,
    screen: () => model.navigation.getState().screen,
    noticeTitles: () =>
      model.notices.store
        .getState()
        .notices.map((notice) => notice.title)
        .toReversed(),
  };
}

const TAKE = { id: 7, attempts: 1 };

describe('a task code that cannot be adopted', () => {
  test('says why at its field, and nowhere else', async () => {
    const { model, noticeTitles } = setUp();
    expect(await model.batchCommands.adopt('b', 'k14', TAKE, 'abc')).toBe('No batch.adopt today.');
    expect(noticeTitles()).toEqual([]);
  });

  test('and one that can, tells what came of it', async () => {
    const { model, noticeTitles } = setUp({ 'batch.adopt': () => undefined });
    expect(await model.batchCommands.adopt('b', 'k14', TAKE, 'abc')).toBeUndefined();
    expect(noticeTitles()).toHaveLength(1);
  });
});

describe('the first screen', () => {
  test('without a batch is the welcome', async () => {
    const { model, screen } = setUp();
    model.start();
    await settle();
    expect(screen()).toEqual({ kind: 'welcome', page: 'choice' });
  });

  test.each([
    ['a night that ended while no window was open', 'finished', 100, { kind: 'ledger', night: 4 }],
    ['not a night that was seen to end', 'finished', 300, { kind: 'batch', batchId: 'b' }],
    ['not while another one runs', 'running', 100, { kind: 'batch', batchId: 'b' }],
  ] as const)('is the ledger of %s', async (_, state, lastSeenAt, first) => {
    const gave = { rehearsal: false, verified: 1, requests: 1, costs: [] };
    const night = { id: 4, beganAt: 0, endedAt: 200, batchIds: ['b'], ...gave };
    const answers = { 'batch.list': () => [makeBatch({ id: 'b', state })], 'ledger.nights': () => [night] };
    const { model, screen } = setUp(answers, lastSeenAt);
    model.start();
    await settle();
    expect(screen()).toEqual(first);
  });

  test('is the batch that runs, else the newest', async () => {
    const { model, screen } = setUp({
      'batch.list': () => [
        makeBatch({ id: 'newest', state: 'finished', createdAt: 3 }),
        makeBatch({ id: 'runs', state: 'running', createdAt: 1 }),
      ],
    });
    model.start();
    await settle();
    expect(screen()).toEqual({ kind: 'batch', batchId: 'runs' });
  });

  test('after a reload is the one before, without waiting for the batches if it shows none', async () => {
    const carried = setUp().model.carried();
    for (const [screen, first] of [
      [
        { kind: 'settings', part: 'appearance' },
        { kind: 'settings', part: 'appearance' },
      ],
      [{ kind: 'batch', batchId: 'b' }, undefined],
    ] as const) {
      let list: (batches: unknown) => void = () => undefined;
      const listed = new Promise<unknown>((resolve) => (list = resolve));
      const window = setUp({ 'batch.list': () => listed }, undefined, { ...carried, screen });
      window.model.start();
      await settle();
      expect(window.screen()).toEqual(first);
      list([makeBatch({ id: 'b' })]);
      await settle();
      expect(window.screen()).toEqual(screen);
    }
  });

  test('a sheet that was opened with the application is not pushed aside', async () => {
    const { model, screen, emit } = setUp();
    model.start();
    emit('sheet.opened', { sequence: 1, sheet: makeSheet() });
    await settle();
    expect(screen()).toEqual({ kind: 'sheet' });
  });

  test('is the ledger for who clicked a notification of the night, also while another screen is open', async () => {
    const { model, screen, emit } = setUp({ 'batch.list': () => [makeBatch({ id: 'b' })] });
    model.start();
    emit('ledger.wanted', { sequence: 1 });
    await settle();
    expect(screen()).toEqual({ kind: 'ledger' });
    model.go({ kind: 'settings' });
    emit('ledger.wanted', { sequence: 2 });
    expect(screen()).toEqual({ kind: 'ledger' });
  });

  test('is the batch whose folder was opened with the application', async () => {
    const { model, screen, emit } = setUp({ 'batch.list': () => [makeBatch({ id: 'b' })] });
    model.start();
    emit('batch.wanted', { sequence: 1, batchId: 'b' });
    await settle();
    expect(screen()).toEqual({ kind: 'batch', batchId: 'b' });
  });
});

test('a sample becomes a rehearsed batch that is shown', async () => {
  const { model, screen, asked } = setUp({
    'sheet.sample': () => makeSheet({ sheetId: 'sample' }),
    'batch.create': () => makeBatch({ id: 'new' }),
  });
  model.start();
  await settle();
  await model.bringIn.openSample('night');
  expect(model.bringIn.store.getState().open).toMatchObject({ isRehearsal: true, sheet: { sheetId: 'sample' } });
  await model.newBatches.create(true);
  await settle();
  expect(screen()).toEqual({ kind: 'batch', batchId: 'new' });
  expect(asked.findLast(({ route }) => route === 'rows.page')).toMatchObject({
    input: { batchId: 'new', offset: 0, withCells: true },
  });
});

describe('events', () => {
  async function running() {
    const world = setUp({ 'batch.list': () => [makeBatch()] });
    world.model.start();
    await settle();
    return world;
  }

  test('a change reaches the head and the rows without a question', async () => {
    const { model, emit, asked } = await running();
    asked.length = 0;
    const batch = makeBatch({ counts: makeCounts({ queued: 2, done: 1 }) });
    emit('batch.changed', { sequence: 1, batch, rows: [makeRow({ row: 'row-1', status: 'done' })], rowsStale: false });
    expect(model.batches.find('batch-1')?.counts.musicgen.done).toBe(1);
    expect(model.rows.pages.rowAt(1)?.status).toBe('done');
    await settle();
    expect(asked).toEqual([]);
  });

  test('after a gap everything is asked for again', async () => {
    const { emit, timesAsked } = await running();
    emit('batch.listChanged', { sequence: 1 });
    await settle();
    const before = { rows: timesAsked('rows.page'), list: timesAsked('batch.list') };
    emit('notice', { sequence: 3, level: 'info', title: 'Hello', message: '' });
    await settle();
    expect(timesAsked('rows.page')).toBe(before.rows + 1);
    expect(timesAsked('batch.list')).toBe(before.list + 1);
  });

  test('without a gap nothing is', async () => {
    const { emit, timesAsked } = await running();
    emit('notice', { sequence: 1, level: 'info', title: 'One', message: '' });
    emit('notice', { sequence: 2, level: 'info', title: 'Two', message: '' });
    await settle();
    expect(timesAsked('rows.page')).toBe(1);
  });

  test('one that the contract does not know has everything asked for again', async () => {
    const { emit, timesAsked } = await running();
    emit('batch.changed', { sequence: 1, batch: { id: 'half a batch' } });
    await settle();
    expect(timesAsked('rows.page')).toBe(2);
  });

  test('a new engine has everything asked for again and says so', async () => {
    const { model, emit, timesAsked } = await running();
    emit('engine.stateChanged', { sequence: 1, state: 'restarted', message: 'Nothing was lost.' });
    await settle();
    expect(timesAsked('rows.page')).toBe(2);
    expect(model.app.getState().engine?.message).toBe('Nothing was lost.');
  });

  test('a change of the inspected row has its detail asked for again, once for many', async () => {
    const { model, emit, time, timesAsked } = await running();
    model.detail.look({ batchId: 'batch-1', key: 1 });
    for (let sequence = 1; sequence <= 5; sequence += 1) {
      emit('batch.changed', { sequence, batch: makeBatch(), rows: [makeRow({ row: 'row-1' })], rowsStale: false });
    }
    // Another row of the same name.
    const other = makeRow({ row: 'row-1', key: 7 });
    emit('batch.changed', { sequence: 6, batch: makeBatch(), rows: [other], rowsStale: false });
    time.runAll();
    await settle();
    expect(timesAsked('row.detail')).toBe(2);
    emit('batch.changed', { sequence: 7, batch: makeBatch(), rows: [other], rowsStale: false });
    time.runAll();
    await settle();
    expect(timesAsked('row.detail')).toBe(2);
  });
});

describe('what goes wrong', () => {
  test('of what a form is refused, a notice tells only what is about none of its fields', async () => {
    const { model, noticeTitles } = setUp();
    const refusal = { ok: false, error: { code: 'refused', message: 'The folder is full.', field: 'folder' } } as const;
    model.client.request = () => Promise.resolve(refusal);
    const input = { batchId: 'b', name: 'Night' };
    expect(await model.askFrom(['folder'], 'batch.configure', input)).toEqual(refusal);
    expect(noticeTitles()).toEqual([]);
    await model.askFrom(['gateway'], 'batch.configure', input);
    expect(noticeTitles()).toHaveLength(1);
  });

  test('is told in the application’s own words', async () => {
    const { model, noticeTitles } = setUp();
    await model.batchCommands.command('batch.start', 'batch-1');
    expect(noticeTitles()).toEqual(['The batch was not started.']);
    expect(model.notices.store.getState().notices[0]?.message).toBe('No batch.start today.');
  });

  test('an answer that the contract does not know is a bug, not a crash', async () => {
    const { model, noticeTitles } = setUp({ 'batch.list': () => [{ id: 1 }] });
    model.start();
    await settle();
    expect(noticeTitles()).toContain('A bug in Nocturne.');
    expect(model.batches.store.getState().batches).toEqual([]);
  });

  test('a bridge that breaks is an answer too', async () => {
    const model = new AppModel({
      bridge: { request: () => Promise.reject(new Error('gone')), subscribe: () => () => undefined },
      schedule: new ManualSchedule().schedule,
    });
    expect(await model.client.request('batch.list')).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  });
});

test('the cursor goes from row to row and stays at the ends', async () => {
  const { model } = setUp();
  model.go({ kind: 'batch', batchId: 'batch-1' });
  await settle();
  model.rows.inspect(model.rows.pages.rowAt(1)?.key ?? -1);
  model.rows.move(1);
  model.rows.move(1);
  expect(model.rows.store.getState().selectedRow).toBe('row-2');
});

describe('a notice', () => {
  const failed = { level: 'error', title: 'It could not be done', message: 'The disk is full.' } as const;

  test('goes by itself, later where something went wrong', () => {
    const { model } = setUp();
    const shownMs = (['info', 'warning', 'error'] as const).map((level) => {
      model.notices.show({ level, title: level, message: '' });
      return model.notices.store.getState().shown.at(-1)?.shownMs ?? Number.POSITIVE_INFINITY;
    });
    expect(shownMs).toEqual(shownMs.toSorted((a, b) => a - b));
    expect(Math.max(...shownMs)).toBeLessThanOrEqual(60_000);
  });

  test('goes soon when the user goes to another screen', () => {
    const { model } = setUp();
    model.go({ kind: 'batch', batchId: 'batch-1' });
    model.notices.show(failed);
    const shownMs = () => model.notices.store.getState().shown[0]?.shownMs ?? 0;
    const before = shownMs();
    model.go({ kind: 'batch', batchId: 'batch-1' });
    expect(shownMs()).toBe(before);
    model.go({ kind: 'settings' });
    expect(shownMs()).toBeLessThan(before / 2);
  });
});

describe('a retry', () => {
  const takes = [
    { id: 7, attempts: 1 },
    { id: 8, attempts: 1 },
  ];

  test('of nothing says so', async () => {
    const { model, noticeTitles } = setUp({ 'batch.retryable': () => ({ takes: [] }) });
    expect(await model.batchCommands.retryable('batch-1')).toBeUndefined();
    expect(noticeTitles()).toEqual(['Nothing here can be retried.']);
  });

  test('is of the takes that were shown, and says how many had changed meanwhile', async () => {
    const { model, asked } = setUp({
      'batch.retryable': () => ({ takes }),
      'batch.retry': () => ({ tasks: 1, left: 1 }),
    });
    expect(await model.batchCommands.retryable('batch-1', [3])).toEqual(takes);
    expect(asked.at(-1)?.input).toEqual({ batchId: 'batch-1', rows: [3] });
    await model.batchCommands.retry('batch-1', takes);
    expect(asked.at(-1)?.input).toEqual({ batchId: 'batch-1', takes });
    await model.batchCommands.retry('batch-1', takes, true);
    expect(asked.at(-1)?.input).toEqual({ batchId: 'batch-1', takes, isFree: true });
    expect(model.notices.store.getState().notices).toMatchObject([
      { level: 'warning', title: '1 take retried.', message: '1 take changed in the meantime and stays as it is.' },
    ]);
  });
});

describe('an engine that stands still', () => {
  test('is asked for everything again when it works again, and says once why it did not', async () => {
    const { model, emit, timesAsked, noticeTitles } = setUp();
    model.start();
    await settle();
    const asked = timesAsked('batch.list');
    emit('engine.stateChanged', { sequence: 1, state: 'failed', message: 'It stopped twice.' });
    expect(model.app.getState().engine).toEqual({ state: 'failed', message: 'It stopped twice.' });
    emit('engine.stateChanged', { sequence: 2, state: 'starting', message: '' });
    emit('engine.stateChanged', { sequence: 3, state: 'ready', message: '' });
    await settle();
    expect(model.app.getState().engine).toBeUndefined();
    expect(timesAsked('batch.list')).toBe(asked + 1);
    expect(noticeTitles()).toEqual([]);
  });

  test('shows what can be looked at', async () => {
    const { model, emit, timesAsked } = setUp();
    model.start();
    await settle();
    const asked = timesAsked('batch.list');
    emit('engine.stateChanged', { sequence: 1, state: 'read-only', message: 'The store is newer.' });
    await settle();
    expect(timesAsked('batch.list')).toBe(asked + 1);
  });
});

describe('a sheet that is read again in another encoding', () => {
  test('takes the place of its first reading, and stays a rehearsal', async () => {
    const { model, asked } = setUp({ 'sheet.reread': () => makeSheet({ encoding: 'gbk', runnableRows: 7 }) });
    model.bringIn.show(makeSheet({ encoding: 'windows-1252' }), true);
    await model.bringIn.reread('sheet-1', { encoding: 'gbk' });
    expect(asked.at(-1)).toEqual({ route: 'sheet.reread', input: { sheetId: 'sheet-1', encoding: 'gbk' } });
    const { open, isChecking } = model.bringIn.store.getState();
    expect(open).toMatchObject({ isRehearsal: true, sheet: { encoding: 'gbk', runnableRows: 7 } });
    expect(isChecking).toBe(false);
  });

  test('does not push another one aside that was dropped meanwhile', async () => {
    const { model } = setUp({ 'sheet.reread': () => makeSheet({ encoding: 'gbk' }) });
    model.bringIn.show(makeSheet({ encoding: 'windows-1252' }));
    const reading = model.bringIn.reread('sheet-1', { encoding: 'gbk' });
    expect(model.bringIn.store.getState().isChecking).toBe(true);
    model.bringIn.show(makeSheet({ sheetId: 'dropped', recentId: 'dropped' }));
    await reading;
    expect(model.bringIn.store.getState().open?.sheet.sheetId).toBe('dropped');
  });

  test('stays as it was where it cannot be read again', async () => {
    const { model, noticeTitles } = setUp();
    model.bringIn.show(makeSheet({ encoding: 'windows-1252' }));
    await model.bringIn.reread('sheet-1', { encoding: 'gbk' });
    expect(model.bringIn.store.getState()).toMatchObject({
      isChecking: false,
      open: { sheet: { encoding: 'windows-1252' } },
    });
    expect(noticeTitles()).toEqual(['The file was not read again.']);
  });
});

test('of two batches with one name that are put away, each has its own way back', async () => {
  const [one, other] = ['a', 'b'].map((id) => makeBatch({ id, name: 'Owls' }));
  const { model, asked } = setUp({
    'batch.list': () => [one, other],
    'batch.shelve': ({ batchId, to }: { readonly batchId: string; readonly to: 'archived' | 'back' }) => {
      const shelf = { is: 'archived', at: 1, until: 2 } as const;
      return makeBatch({ id: batchId, name: 'Owls', ...(to === 'back' ? {} : { shelf }) });
    },
  });
  model.start();
  await settle();
  await model.shelf.putAway('a', 'archived');
  await model.shelf.putAway('b', 'archived');
  for (const { action } of model.notices.store.getState().notices) action?.run();
  await settle();
  const back = asked.filter(({ input }) => (input as { to?: string } | undefined)?.to === 'back');
  expect(back.map(({ input }) => (input as { batchId: string }).batchId).toSorted()).toEqual(['a', 'b']);
});

test('a setting is found by words that its title lacks, and each such word belongs to a line', () => {
  // A screen without any button.
  vi.stubGlobal('document', { querySelector: () => null });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { model } = setUp();
  const titles = (search: string) => findEntries(paletteEntries(model), search).map(({ title }) => title);
  expect(titles('limit')).toContain(words.common.settingsParts.spending);
  expect(titles('monthly')).toEqual([words.common.settingsParts.spending]);
  expect(titles('语言')).toEqual([words.common.settingsParts.appearance]);
  expect(titles('rehearsal')).toContain(words.common.helpParts.words);
  const { settingsParts, helpParts } = words.common;
  for (const id of Object.keys(words.shell.alsoFinds)) {
    const [of, part] = id.split(' ');
    const there = part === undefined ? words.shell.commands : of === 'settings' ? settingsParts : helpParts;
    expect(there).toHaveProperty(part ?? id);
  }
});

describe('what is answered once the user has gone elsewhere leaves them there', () => {
  const first = { id: 1, attempts: 1, key: 7, row: 'r', take: 1, label: '' };

  /** Begins on a screen, and goes to the help while this route is being answered. */
  async function leftDuring(route: RouteName, answer: unknown, begin: (model: AppModel) => Promise<unknown>) {
    let release: (answer: unknown) => void = () => undefined;
    const held = new Promise((resolve) => (release = resolve));
    const world = setUp({ [route]: () => held });
    world.model.go({ kind: 'ledger' });
    await settle();
    const done = begin(world.model);
    await settle();
    world.model.go({ kind: 'help' });
    release(answer);
    await done;
    return world;
  }

  test.each(['openPrompt', 'inspectRow', 'showPick'] as const)('the first row of a group, by %s', async (way) => {
    const group = { batchId: 'b', group: 'pick' } as const;
    const { screen } = await leftDuring('ledger.rows', { rows: [first] }, ({ ways }) => ways.openFirst(group, way));
    expect(screen()).toEqual({ kind: 'help' });
  });

  test('the row to pick from', async () => {
    const { screen } = await leftDuring('row.detail', undefined, ({ ways }) => ways.showPick('b', 7));
    expect(screen()).toEqual({ kind: 'help' });
  });

  test.each([
    ['begun', 'sheet.new', ({ newBatches }: AppModel) => newBatches.begin('empty', 'New')],
    ['duplicated', 'batch.duplicate', ({ newBatches }: AppModel) => newBatches.duplicate('b')],
  ] as const)('a batch that is %s, which is listed', async (_, route, begin) => {
    const { model, screen } = await leftDuring(route, makeBatch({ id: 'new' }), begin);
    expect(screen()).toEqual({ kind: 'help' });
    expect(model.batches.find('new')).toBeDefined();
  });
});

test('a group of the ledger in which no row is left says so', async () => {
  const { model, noticeTitles } = setUp({ 'ledger.rows': () => ({ rows: [] }) });
  await model.ways.openFirst({ batchId: 'b', group: 'correct' }, 'openPrompt');
  expect(noticeTitles()).toEqual(['The row is no longer in its sheet.']);
});

test('the rows of files selected in the gallery are rendered again together, each once, in their batch', async () => {
  const place = { row: 'r', label: '', operation: 'videogen-b/image/generate', take: 1, flags: [] } as const;
  const { model, asked, screen } = setUp({
    'files.found': () => ({ files: Float64Array.of(1, 0, 2, 0, 3, 0) }),
    'files.get': ({ fileIds }: { readonly fileIds: readonly string[] }) => ({
      files: fileIds.map((id) => ({
        ...place,
        id,
        name: id,
        mediaType: 'image/png',
        bytes: 1,
        key: id === '3-0' ? 8 : 7,
      })),
    }),
  });
  const edits = () => asked.filter(({ route }) => route === 'sheet.edit').map(({ input }) => input);
  for (const leaves of [false, true]) {
    asked.length = 0;
    model.go({ kind: 'gallery', batchId: 'b' });
    await settle();
    model.gallery.selectAll();
    const done = renderShownAgain(model);
    if (leaves) model.go({ kind: 'batch', batchId: 'other' });
    await done;
    expect(screen()).toEqual({ kind: 'batch', batchId: leaves ? 'other' : 'b' });
    expect(edits()).toEqual([{ batchId: 'b', edit: { kind: 'render-again', rows: [7, 8] } }]);
  }
});
