import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { StoreWriteError } from '../../src/engine/store/open/store-problem.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import { ROW_GAP, type Task } from '../../src/shared/domain/task/task.ts';
import { postgresAddress } from '../support/postgres.ts';
import { openedOnPostgres, openedStore, WAYS } from './opened-store.ts';
import { change, makeRow, NOW, only, seededRandom } from './task-store-fixtures.ts';
import { LATER, NOTHING, WRONG, sheetForEach } from './sheet-store-rig.ts';

describe.each(WAYS)('%s', (way, openIn) => {
  let dir: string;
  let opened: PromisedStore;
  let sheets: PromisedStore['sheets'];
  let id: string;
  const { reopen, edit, stored, update, insertion, taskOf, tryTask, finish, rowIds } = sheetForEach(openIn, (given) => {
    ({ dir, opened, sheets, id } = given);
  });

  describe('what was tried', () => {
    test('is never forgotten, though nothing came of it', async () => {
      const task = await tryTask(await taskOf('r3'), 'not-sent', { status: 'queued' });
      await edit([update(await stored('r3'), { cells: { body: { prompt: 'other' } } }, { remove: [task] })]);
      expect(await opened.store.attempts(task.id)).toHaveLength(1);
      expect(await opened.store.task(task.id)).toMatchObject({ status: 'cancelled' });
      expect((await opened.store.nextQueued(id, 'musicgen', 9, NOW)).map(({ rowId }) => rowId)).toEqual([
        'r2',
        'r4',
        'r5',
      ]);
    });

    test('and was superseded, or is gone, can neither be changed nor started any more', async () => {
      const done = await finish('r3');
      const waiting = await taskOf('r4');
      await edit([
        update(await stored('r3'), {}, { supersede: [done] }),
        update(await stored('r4'), { isDraft: true }, { remove: [waiting] }),
      ]);
      const late = [only(await opened.store.task(done.id)), waiting].map((task) => ({
        expectedRevision: task.revision,
        next: { ...task, status: 'queued', revision: task.revision + 1 } as const,
        event: { kind: 'user-retry' } as const,
        at: LATER,
      }));
      expect(await opened.store.commit(late)).toEqual(['stale', 'stale']);
      expect((await opened.store.nextQueued(id, 'musicgen', 9, LATER)).map(({ rowId }) => rowId)).toEqual(['r2', 'r5']);
      expect((await opened.store.counts(id)).musicgen).toMatchObject({ queued: 2, done: 0 });
    });
  });

  describe('what a night has just changed', () => {
    const touched = async (task: Task): Promise<Task> => {
      const next = { ...task, priority: task.priority + 1, revision: task.revision + 1 };
      const change = { expectedRevision: task.revision, next, event: { kind: 'user-retry' }, at: LATER } as const;
      expect(await opened.store.commit([change])).toEqual(['committed']);
      return next;
    };
    const late = async (task: Task) => {
      const next = { ...task, revision: task.revision + 1 };
      return opened.store.commit([{ expectedRevision: task.revision, next, event: { kind: 'user-retry' }, at: LATER }]);
    };

    test('is afterwards as an edit left it, or gone', async () => {
      const kept = await touched(await taskOf('r3'));
      const gone = await touched(await taskOf('r4'));
      const edited = { ...kept, model: 'v5', revision: kept.revision + 1 };
      await edit([
        update(await stored('r3'), {}, { update: [edited] }),
        update(await stored('r4'), { isDraft: true }, { remove: [gone] }),
      ]);
      expect([await late(kept), await late(gone)]).toEqual([['stale'], ['stale']]);
      expect(await opened.store.task(kept.id)).toEqual(edited);
      await touched(edited);
    });

    test('counts again once an edit takes back that it was superseded', async () => {
      const failure = { code: 'REMOTE_FAILED', message: 'perhaps', suspected: true } as const;
      const failed = await tryTask(await taskOf('r3'), 'accepted', { status: 'failed', taskCode: 'c', failure });
      await edit([update(await stored('r3'), { isDraft: true }, { supersede: [failed] })]);
      const { failure: _, ...watched } = only(await opened.store.task(failed.id));
      const next = { ...watched, status: 'downloading', revision: watched.revision + 1 } as const;
      const event = { kind: 'rendered', outputs: [], provisional: false, poll: { polls: 3 } } as const;
      const change = { expectedRevision: watched.revision, next, event, at: LATER };
      expect(await opened.store.commit([change])).toEqual(['committed']);
      await edit([update(await stored('r3'), { isDraft: false }, { unsupersede: [next] })]);
      const { superseded, ...back } = only(await opened.store.task(failed.id));
      expect(superseded).toBeUndefined();
      await touched(back);
    });
  });

  describe('what an edit has superseded', () => {
    test('takes what comes late as evidence and files of its own, and changes no count and not its row', async () => {
      const suspicion = { code: 'REMOTE_FAILED', message: 'perhaps', suspected: true } as const;
      const failed = await tryTask(await taskOf('r3'), 'accepted', {
        status: 'failed',
        taskCode: 'c',
        failure: suspicion,
      });
      await edit([update(await stored('r3'), { isDraft: true }, { supersede: [failed] })]);
      const before = [await opened.views.batchSummary(id), await opened.views.rowsByIds(id, ['r3'])];
      const [watched] = await opened.store.watchedTasks(id);
      if (watched === undefined) throw new Error('nothing is watched');
      expect(watched).toMatchObject({ id: failed.id, superseded: true });
      const { failure: _, ...rest } = watched;
      const file = { path: 'music/late.mp3', sha256: 'ab', bytes: 3, mediaType: 'audio/mpeg' };
      const output = { index: 1, url: 'https://x/a', generation: 1, tries: 0, state: 'pending', ...file } as const;
      const next = { ...rest, status: 'downloading', outputs: [output], revision: watched.revision + 1 } as const;
      const poll = { polls: 3 };
      const event = { kind: 'rendered', outputs: [{ url: 'https://x/a' }], provisional: false, poll } as const;
      expect(await opened.store.commit([{ expectedRevision: watched.revision, next, event, at: LATER }])).toEqual([
        'committed',
      ]);
      expect(await opened.store.watchedTasks(id)).toEqual([next]);
      expect((await opened.store.events(failed.id)).at(-1)).toEqual({ at: LATER, event });
      expect([await opened.views.batchSummary(id), await opened.views.rowsByIds(id, ['r3'])]).toEqual(before);
      await reopen();
      expect([await opened.views.batchSummary(id), await opened.views.rowsByIds(id, ['r3'])]).toEqual(before);
    });
  });

  describe('an edit', () => {
    test.each(['remove', 'supersede'] as const)(
      'that would %s a task that went on meanwhile writes nothing',
      async (what) => {
        const planned = await taskOf('r3');
        await tryTask(planned, 'accepted', { status: 'rendering', taskCode: 'c' });
        const before = [await rowIds(), await stored('r2'), await stored('r3'), await opened.store.batch(id)];
        const rows = [
          update(await stored('r2'), { cells: { id: 'other' } }),
          update(await stored('r3'), { cells: { body: { prompt: 'x' } } }, { [what]: [planned] }),
        ];
        expect(await sheets.change(id, { rows, headers: ['x'], at: LATER })).toEqual({ kind: 'stale' });
        expect([await rowIds(), await stored('r2'), await stored('r3'), await opened.store.batch(id)]).toEqual(before);
      },
    );

    test('that was planned before the batch was started writes nothing afterwards', async () => {
      const rows = [insertion(makeRow(9), 9 * ROW_GAP)];
      await opened.store.setBatchState(id, 'running', undefined, LATER);
      const before = await rowIds();
      expect(await sheets.change(id, { rows, plannedIn: 'ready', at: LATER })).toEqual({ kind: 'stale' });
      expect(await rowIds()).toEqual(before);
      expect(await sheets.change(id, { rows, plannedIn: 'running', at: LATER })).toMatchObject({ kind: 'written' });
    });

    test('of a row that there is no more writes nothing', async () => {
      const row = await stored('r3');
      await edit([{ kind: 'remove', key: row.key, tasks: { ...NOTHING, remove: row.tasks } }]);
      expect(await sheets.change(id, { rows: [update(row, {})], at: LATER })).toEqual({ kind: 'stale' });
    });

    test('that would remove a row in flight is a bug', async () => {
      const { key } = await stored('r3');
      await expect(async () =>
        sheets.change(id, { rows: [{ kind: 'remove', key, tasks: NOTHING }], at: LATER }),
      ).rejects.toThrow('count');
      expect(await rowIds()).toEqual(['r2', 'r3', 'r4', 'r5']);
      expect((await opened.views.batchSummary(id))?.rows.queued).toBe(4);
    });

    test('of a waiting task changes what it waits with', async () => {
      const task = await taskOf('r3');
      const next = { ...task, priority: 7, revision: task.revision + 1, model: 'v9', blockedBy: 'r2' };
      await edit([update(await stored('r3'), {}, { update: [next] })]);
      expect(await opened.store.task(task.id)).toEqual(next);
      expect(await opened.store.taskIdsBlockedBy(id, 'r2')).toEqual([task.id]);
    });

    test('of the columns and settings is kept', async () => {
      const sheet = { ...PLAIN_SHEET, mapping: { a: 'prompt' }, isWatched: true };
      await edit([], {
        headers: ['a', 'b'],
        sheet,
        sheetProblems: [{ severity: 'warning', code: 'header-missing', message: 'm', remedy: '-' }],
      });
      await reopen();
      expect(await opened.store.batch(id)).toMatchObject({ headers: ['a', 'b'], sheet });
      expect((await opened.views.batchSummary(id))?.problems).toMatchObject({ errors: 0, warnings: 1 });
      expect(await sheets.sheetProblems(id)).toMatchObject([{ code: 'header-missing' }]);
    });

    test('of a batch that is unknown, or by somebody who only looks, is a bug', async () => {
      await expect(async () => sheets.change('none', { rows: [], at: 1 })).rejects.toThrow('none');
      const server = way === 'on PostgreSQL' ? postgresAddress(dir) : undefined;
      const reader = openStore(dir, { random: seededRandom(), owner: false, server });
      if (!reader.ok) throw new Error(reader.error.message);
      await expect(async () => only(reader.value.sheets).change(id, { rows: [], at: 1 })).rejects.toThrow(
        StoreWriteError,
      );
      expect(reader.value.sheets.countInView(id, {})).toBe(4);
      reader.value.close();
    });
  });

  test('parts of an edit that are replaced give their place to others, all at once', async () => {
    await sheets.noteParts(
      id,
      [0, 1, 2].map((part) => ({ part, text: `wish ${part}` })),
    );
    await edit([], { part: 0 });
    expect(await sheets.firstPart(id)).toEqual({ part: 1, text: 'wish 1' });
    await sheets.replaceParts(id, [{ part: 0, text: 'take back' }]);
    expect(await sheets.firstPart(id)).toEqual({ part: 0, text: 'take back' });
    await expect(
      sheets.replaceParts(
        id,
        [0, 0].map((part) => ({ part, text: 'twice' })),
      ),
    ).rejects.toThrow(/unique/iu);
    expect(await sheets.firstPart(id)).toEqual({ part: 0, text: 'take back' });
    await edit([], { part: 0 });
    expect(await sheets.firstPart(id)).toBeUndefined();
  });

  describe('a take of which a gate flags a file', () => {
    /** The take of a row as it is once its file is in its place, and flagged. */
    async function flaggedTake(rowId: string): Promise<Task> {
      const task = await taskOf(rowId);
      const flags = [{ gate: 'black' as const, message: '100 % of it is black.' }];
      const path = `${task.id}.mp4`;
      const outputs = [{ index: 1, state: 'verified' as const, generation: 1, tries: 0, path, flags }];
      return tryTask(task, 'accepted', { status: 'done', taskCode: `code-${task.id}`, outputs });
    }

    async function run(again: number): Promise<void> {
      const before = only(await opened.store.batch(id));
      const gates = { on: { black: 50 }, again };
      await opened.store.updateBatchSettings(id, { ...before.settings, gates });
      await opened.store.setBatchState(id, 'running', undefined, NOW);
    }

    /** What is wrong with what the store has and counts. */
    async function reopenedIntegrity(): Promise<readonly string[]> {
      await opened.close();
      const looked = (way === 'on PostgreSQL' ? openedOnPostgres : openedStore)(dir);
      const found = looked.checkIntegrity();
      looked.close();
      await reopen();
      return found;
    }

    function makeAgain(task: Task): ReturnType<PromisedStore['store']['commit']> {
      return opened.store.commit([change(task, { superseded: true }, { event: { kind: 'made-again' } })]);
    }

    test('is set aside for another one, in one transaction, and once', async () => {
      const [task, other] = [await flaggedTake('r2'), await flaggedTake('r3')];
      expect(await makeAgain(task)).toEqual(['not-wanted']);
      await run(1);
      // As two processes would decide it at once.
      expect([await makeAgain(task), await makeAgain(task)]).toEqual([['committed'], ['stale']]);
      const made = await taskOf('r2');
      expect(made).toMatchObject({ take: 1, status: 'queued', attempts: 0, madeAgain: 1, outputs: [], rowId: 'r2' });
      expect(made.id).not.toBe(task.id);
      expect(await opened.store.task(task.id)).toMatchObject({
        superseded: true,
        status: 'done',
        taskCode: task.taskCode,
      });
      const shown = await opened.views.rowsByIds(id, ['r2', 'r3']);
      expect(shown.map(({ status }) => status)).toEqual(['queued', 'done']);
      expect((await opened.store.counts(id)).musicgen).toMatchObject({ queued: 3, done: 1 });
      // Behind all that has no file yet.
      const next = await opened.store.nextQueued(id, 'musicgen', 9, NOW + 1);
      expect(next.map(({ rowId }) => rowId)).toEqual(['r4', 'r5', 'r2']);
      expect(await reopenedIntegrity()).toEqual([]);
      expect(await taskOf('r2')).toEqual(made);
      expect((await opened.store.counts(id)).musicgen).toMatchObject({ queued: 3, done: 1 });
      expect(await makeAgain(other)).toEqual(['committed']);
      // The one in its place was the last: this batch renders a take again once.
      const last = await flaggedTake('r2');
      expect([last.madeAgain, await makeAgain(last)]).toEqual([1, ['not-wanted']]);
    });

    test('stays where nobody asks for it any more', async () => {
      const takes = [
        await flaggedTake('r2'),
        await flaggedTake('r3'),
        await flaggedTake('r4'),
        await flaggedTake('r5'),
      ];
      await run(3);
      await edit([
        update(await stored('r2'), { cells: { skip: true } }),
        update(await stored('r3'), { problems: [{ ...WRONG, line: 3, row: 'r3' }] }),
        { kind: 'remove', key: (await stored('r4')).key, tasks: { ...NOTHING, supersede: (await stored('r4')).tasks } },
      ]);
      await opened.store.setTurn(id, { ids: ['r5'] }, { kind: 'put-on-hold' });
      const outcomes = [];
      for (const task of takes) outcomes.push(...(await makeAgain(task)));
      expect(outcomes).toEqual(['not-wanted', 'not-wanted', 'stale', 'not-wanted']);
      await opened.store.setTurn(id, { ids: ['r5'] }, { kind: 'released' });
      await opened.store.setBatchState(id, 'paused', { by: 'user' }, NOW);
      expect(await makeAgain(only(takes[3]))).toEqual(['not-wanted']);
      expect(await reopenedIntegrity()).toEqual([]);
    });
  });
});
