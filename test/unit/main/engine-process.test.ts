import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { EngineHost } from '../../../src/main/engine-process/engine-host.ts';
import type { EngineEvent } from '../../../src/main/engine-process/engine-protocol.ts';
import { FAILURE_POLICIES } from '../../../src/shared/domain/base/failure.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { backupStore } from '../../../src/engine/store/open/open-store.ts';
import { restoreStore } from '../../../src/engine/store/open/restore-store.ts';
import { openedStore } from '../../contract/opened-store.ts';
import { newBatch, NOW } from '../../contract/task-store-fixtures.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

const ENGINE = fileURLToPath(new URL('../../support/engine-process-child.ts', import.meta.url));

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function setUp(folder = temporaryFolder(), isRestoreTold = false) {
  let tick: () => void = () => undefined;
  const states: { readonly state: string; readonly message: string }[] = [];
  const news: EngineEvent[] = [];
  let stateSeen: () => void = () => undefined;
  const host = new EngineHost({
    storeFolder: join(folder, 'store'),
    incarnationFile: join(folder, 'incarnation.json'),
    isRestoreTold,
    language: () => 'en',
    spawn: () => {
      const child = fork(ENGINE, {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.push(child);
      return {
        post: (message) => child.send(message),
        onMessage: (listener) => child.on('message', listener),
        onExit: (listener) => child.once('exit', (code) => listener(code ?? 0)),
        kill: () => child.kill('SIGKILL'),
      };
    },
    spawnSheetReader: () => {
      throw new Error('no sheet is read here');
    },
    keys: () => [],
    onState: (state, message) => {
      states.push({ state, message });
      stateSeen();
    },
    onEvent: (told) => news.push(told),
    monotonicMs: () => 0,
    everyTick: (listener) => (tick = listener),
    log: () => undefined,
  });
  const until = async (state: string): Promise<void> => {
    while (host.state.state !== state) await new Promise<void>((resolve) => (stateSeen = resolve));
  };
  const ticks = (count: number): void => {
    for (let at = 0; at < count; at += 1) tick();
  };
  return { host, folder, states, news, until, ticks };
}

test('an engine that hangs is ended, another takes its store over, and the window is told', async () => {
  const { host, states, until, ticks } = setUp();
  host.start();
  await until('ready');
  const [first] = children;
  const ended = once(first ?? process, 'exit');
  first?.send('hang');
  ticks(14);
  expect(first?.killed).toBe(false);
  ticks(1);
  expect(await ended).toEqual([null, 'SIGKILL']);
  await until('restarted');
  expect(children).toHaveLength(2);
  expect(states.at(-1)?.message).toContain('did not answer for 30 seconds and was restarted');
  expect(await host.request('batch.list', undefined)).toEqual({ ok: true, value: [] });
});

test.each([
  ['is told of', false, ['The store is an older copy']],
  ['is not told of where the restore was', true, []],
])('the first opening of a restored store %s', async (_, isRestoreTold, titles) => {
  const folder = temporaryFolder();
  const dir = join(folder, 'store');
  const store = openedStore(dir);
  store.store.createBatch(newBatch());
  const backup = join(temporaryFolder(), 'all.db');
  await backupStore(dir, backup);
  store.close();
  expect(await restoreStore(dir, backup, NOW)).toMatchObject({ ok: true });
  const { host, news, until } = setUp(folder, isRestoreTold);
  host.start();
  await until('ready');
  expect(news.flatMap(({ event, payload }) => (event === 'notice' ? [payload.title] : []))).toEqual(titles);
});

test('an engine with nothing to do says all the time that it is alive', async () => {
  const { host, until, ticks } = setUp();
  host.start();
  await until('ready');
  const [first] = children;
  ticks(14);
  await once(first ?? process, 'message');
  ticks(14);
  expect(first?.killed).toBe(false);
  expect(host.state.state).toBe('ready');
});

test('what came of a command is told before its answer', async () => {
  const { host, folder, news, until } = setUp();
  host.start();
  await until('ready');
  const made = await host.request('batch.new', {
    from: { kind: 'template', template: 'lyrics', name: 'Night' },
    folder: join(folder, 'media'),
    rehearsal: true,
    profile: DEFAULT_PROFILE,
  });
  if (!made.ok) throw new Error(made.error.message);
  const { id } = made.value;
  const told = (): readonly string[] =>
    news.flatMap((item) =>
      item.event === 'batch.changed' && item.payload.batch.id === id ? [item.payload.batch.state] : [],
    );
  expect(told().at(-1)).toBe('ready');
  expect(await host.request('batch.start', { batchId: id })).toMatchObject({ ok: true });
  expect(told().at(-1)).toBe('running');
  expect(await host.request('batch.pause', { batchId: id })).toMatchObject({ ok: true });
  expect(told().at(-1)).toBe('paused');
  await host.stop();
});

test('what the user undid right before the end is undone', async () => {
  const { host, folder, until } = setUp();
  host.start();
  await until('ready');
  const from = { kind: 'template', template: 'lyrics', name: 'Night' } as const;
  const wish = { from, folder: join(folder, 'media'), rehearsal: true, profile: DEFAULT_PROFILE };
  const made = await host.request('batch.new', wish);
  if (!made.ok) throw new Error(made.error.message);
  const batchId = made.value.id;
  const edit = { kind: 'insert-rows', at: { kind: 'end' }, where: 'below', count: 3000 } as const;
  expect(await host.request('sheet.edit', { batchId, edit })).toMatchObject({ ok: true });
  const undone = host.request('sheet.undo', { batchId });
  await host.stop();
  expect(await undone).toMatchObject({ ok: true, value: { changedRows: 3000 } });
});

test('an older copy of the store is told, even if nothing runs in it', async () => {
  const { host, folder, news, until } = setUp();
  host.start();
  await until('ready');
  const from = { kind: 'template', template: 'lyrics', name: 'Night' } as const;
  const made = { from, folder: join(folder, 'media'), rehearsal: true, profile: DEFAULT_PROFILE };
  expect(await host.request('batch.new', made)).toMatchObject({ ok: true });
  await host.stop();
  expect(news.map(({ event }) => event)).not.toContain('notice');
  const note = join(folder, 'incarnation.json');
  writeFileSync(note, readFileSync(note, 'utf8').replace('"opening":1,', '"opening":9,'));
  const later = setUp(folder);
  later.host.start();
  await later.until('ready');
  const { title, remedy } = FAILURE_POLICIES.STORE_RESTORED;
  expect(later.news).toContainEqual({
    event: 'notice',
    payload: { level: 'warning', title, message: remedy, isKept: true },
  });
  expect(await later.host.request('batch.list', undefined)).toMatchObject({ value: [{ state: 'ready' }] });
  await later.host.stop();
});
