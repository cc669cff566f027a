import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../src/engine/index.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import { ok } from '../../src/shared/domain/base/result.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { row } from '../support/night-harness.ts';
import { storeAtOnce } from '../support/store-at-once.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A batch without a key, so that nothing leaves, and a store whose forecast of a start can be held. */
async function opened() {
  const dir = temporaryFolder();
  let release = (): void => undefined;
  let reached: (() => void) | undefined;
  const made = await createEngine({
    dataDir: path.join(dir, 'data'),
    clock: new FakeClock(),
    openStore: async (...given) => {
      const found = await storeAtOnce(...given);
      if (!found.ok) return found;
      const { store } = found.value;
      const waitingWork: typeof store.waitingWork = async (...asked) => {
        const onReached = reached;
        reached = undefined;
        if (onReached !== undefined) {
          await new Promise<void>((resolve) => {
            release = resolve;
            onReached();
          });
        }
        return store.waitingWork(...asked);
      };
      return ok({ ...found.value, store: { ...store, waitingWork } });
    },
  });
  if (!made.ok) throw new Error(made.error.message);
  const engine = made.value;
  onTestFinished(async () => void (await engine.stop()));
  const { id } = await engine.createBatch({
    sheet: { headers: ['row', 'operation', 'prompt'], rows: [row('one', 2)], problems: [] },
    name: 'Last word',
    settings: {
      folder: path.join(dir, 'out'),
      profile: profileSchema.parse({ baseUrl: 'http://127.0.0.1:9' }),
      filename: '{row}',
      rehearsal: false,
    },
  });
  /** A start that waits for the store. */
  const beginStart = async (): Promise<() => Promise<void>> => {
    let started = Promise.resolve();
    await new Promise<void>((resolve) => {
      reached = resolve;
      started = engine.start(id);
    });
    return () => {
      release();
      return started;
    };
  };
  return { engine, id, beginStart };
}

async function standing(engine: Engine, id: string) {
  const { state, settings, startedAt } = (await engine.store.batch(id)) ?? {};
  return { state, shelf: settings?.shelf?.is, hasStarted: startedAt !== undefined };
}

const AS_IT_WAS = { state: 'ready', hasStarted: false };

test('a batch that is deleted while a start of it is under way stays deleted, and does not run', async () => {
  const { engine, id, beginStart } = await opened();
  const goOn = await beginStart();
  expect(await engine.config.shelve(id, 'deleted')).toEqual(ok(undefined));
  await goOn();
  expect(await standing(engine, id)).toEqual({ ...AS_IT_WAS, shelf: 'deleted' });
});

test('the same after a pause: what was paused and put away is not brought back by an earlier start', async () => {
  const { engine, id, beginStart } = await opened();
  const goOn = await beginStart();
  await engine.pause(id);
  const before = await standing(engine, id);
  expect(await engine.config.shelve(id, 'archived')).toEqual(ok(undefined));
  await goOn();
  expect(await standing(engine, id)).toEqual({ ...before, shelf: 'archived' });
});

test.each([['paused'], ['not paused']])(
  'a start that was asked for before a batch was put away, %s, and waited for an edit, leaves it there',
  async (how) => {
    const { engine, id } = await opened();
    const pauses = engine.pausesOf(id);
    if (how === 'paused') await engine.pause(id);
    const before = await standing(engine, id);
    await engine.config.shelve(id, 'deleted');
    await engine.startForRows(id, pauses);
    expect(await standing(engine, id)).toEqual({ ...before, shelf: 'deleted' });
  },
);

test('a start that is asked for after a batch was put away brings it back', async () => {
  const { engine, id } = await opened();
  await engine.config.shelve(id, 'deleted');
  await engine.start(id);
  expect((await engine.store.batch(id))?.settings.shelf).toBeUndefined();
  expect((await standing(engine, id)).state).not.toBe('ready');
});
