import { listOf, present } from '../../src/shared/domain/base/result.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { EVENTS_SHOWN } from '../../src/shared/domain/task/views/full-row.ts';
import type { FileFilter, RowFilter } from '../../src/shared/domain/task/batch-view.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { FRESH_POLL_MEMORY } from '../../src/shared/domain/gateway/poll-answer.ts';
import type { Output, Task } from '../../src/shared/domain/task/task.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WAYS } from './opened-store.ts';
import { INTENT, makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';

describe.each(WAYS)('%s', (_, openIn) => {
  let opened: PromisedStore;
  beforeEach(async () => {
    opened = await openIn(temporaryFolder());
  });
  afterEach(async () => {
    await opened.close();
  });

  async function change(task: Task, different: Partial<Task>, more: Partial<TaskChange> = {}): Promise<Task> {
    const next = { ...task, ...different, revision: task.revision + 1 };
    const made = {
      expectedRevision: task.revision,
      next,
      event: { kind: 'cancel-requested' },
      at: NOW,
      ...more,
    } as const;
    expect(await opened.store.commit([made])).toEqual(['committed']);
    return next;
  }

  async function firstTask(batchId: string, rowId = 'r2'): Promise<Task> {
    return only((await opened.store.tasksOfRow(batchId, rowId))[0]);
  }

  function file(index: number, different: Partial<Output> = {}): Output {
    const path = `music/${index}.mp3`;
    const known = { path, sha256: `f${index}`, bytes: 10 + index, mediaType: 'audio/mpeg' };
    return { index, state: 'verified', generation: 1, tries: 0, ...known, ...different };
  }

  describe('a row of the grid', () => {
    test('shows its takes as one, with its files', async () => {
      const { id } = await opened.store.createBatch(newBatch({ rows: [makeRow(2, { takes: 2 })] }));
      const [first, second] = await opened.store.tasksOfRow(id, 'r2');
      await change(only(first), {
        status: 'done',
        taskCode: 'c1',
        submittedAt: 5,
        finishedAt: 9,
        outputs: [file(1, { seconds: 42.5 }), file(2)],
      });
      await change(only(second), { status: 'rendering', taskCode: 'c2', submittedAt: 7, dueAt: 50 });
      expect(await opened.views.rowsByIds(id, ['r2', 'none'])).toEqual([
        {
          key: 1,
          row: 'r2',
          line: 2,
          operation: 'musicgen/music/generate',
          label: 'prompt 2',
          status: 'rendering',
          takes: 2,
          progress: { done: 1, total: 2 },
          files: [
            { outputId: `${only(first).id}-1`, path: 'music/1.mp3', mediaType: 'audio/mpeg', bytes: 11, seconds: 42.5 },
            { outputId: `${only(first).id}-2`, path: 'music/2.mp3', mediaType: 'audio/mpeg', bytes: 12 },
          ],
          fileCount: 2,
          submittedAt: 5,
          dueAt: 50,
          cancelWanted: false,
          taskCodes: ['c1', 'c2'],
        },
      ]);
    });

    test('shows a few of many files and says how many there are', async () => {
      const { id } = await opened.store.createBatch(newBatch());
      await change(await firstTask(id), { status: 'done', outputs: Array.from({ length: 11 }, (_, i) => file(i + 1)) });
      const [view] = await opened.views.rowsByIds(id, ['r2']);
      expect([view?.files.length, view?.fileCount]).toEqual([8, 11]);
    });

    test('says what its requests cost, by the word of the gateway', async () => {
      const { id } = await opened.store.createBatch(newBatch({ rows: [makeRow(2, { takes: 2 }), makeRow(3)] }));
      const answered = { answeredAt: NOW, outcome: 'accepted' as const };
      for (const [nth, task] of (await opened.store.tasksOfRow(id, 'r2')).entries()) {
        const sent = await change(task, { status: 'submitting' }, { openAttempt: INTENT });
        const cost = { amount: (nth + 1) / 10, currency: 'EUR' };
        await change(sent, { status: 'rendering', taskCode: `c${nth}` }, { closeAttempt: { ...answered, cost } });
      }
      const views = await opened.views.rowsByIds(id, ['r2', 'r3']);
      expect(views.map(({ cost }) => cost)).toEqual([{ amount: 0.3, currency: 'EUR' }, undefined]);
    });

    test('is found by the reason for which a take of it failed, and reasons are counted by rows', async () => {
      const rows = [makeRow(2, { takes: 2 }), makeRow(3), makeRow(4), makeRow(5)];
      const { id } = await opened.store.createBatch(newBatch({ rows }));
      const failed = { status: 'failed', failure: failure('MODERATED', 'not this') } as const;
      for (const task of await opened.store.tasksOfRow(id, 'r2')) await change(task, failed);
      await change(await firstTask(id, 'r3'), { ...failed, failure: failure('INPUT_INVALID', 'no such field') });
      await change(await firstTask(id, 'r4'), failed);
      expect(await opened.views.failures(id)).toEqual([
        { code: 'MODERATED', rows: 2 },
        { code: 'INPUT_INVALID', rows: 1 },
      ]);
      const found = async (filter: RowFilter): Promise<readonly string[]> => {
        const page = await opened.views.viewPage(id, { filter, offset: 0, limit: 9 });
        return page.rows.map(({ row }) => row);
      };
      expect(await found({ failure: 'MODERATED' })).toEqual(['r2', 'r4']);
      expect(await found({ failure: 'MODERATED', text: 'prompt 4' })).toEqual(['r4']);
      expect(await found({ failure: 'INPUT_INVALID', status: ['failed'] })).toEqual(['r3']);
      expect(await found({ failure: 'FUSE_BLOWN' })).toEqual([]);
      // A take that is made again does not count any more.
      await change(await firstTask(id, 'r3'), { status: 'queued' });
      expect(await opened.views.failures(id)).toEqual([{ code: 'MODERATED', rows: 2 }]);
    });

    test('says for which row it waits: by its reference, or as the first of its kind is under way', async () => {
      const rows = [makeRow(2), makeRow(3), makeRow(4, { body: { prompt: 'another kind', tempo: 90 } })];
      const { id } = await opened.store.createBatch(newBatch({ rows, settings: settings({ canary: 'first' }) }));
      await opened.store.setBatchState(id, 'running', undefined, NOW);
      const waits = async () => (await opened.views.rowsByIds(id, ['r2', 'r3', 'r4'])).map((row) => row.waitsForFirst);
      const waitedFor = async () => (await opened.views.batchSummary(id))?.waitsForFirst;
      const fourth = await change(await firstTask(id, 'r4'), { status: 'rendering', taskCode: 'c4', submittedAt: NOW });
      // Nothing else is of its kind.
      expect(await waitedFor()).toBeUndefined();
      await change(fourth, { status: 'queued' });
      const first = await change(await firstTask(id, 'r2'), { status: 'rendering', taskCode: 'c1', submittedAt: NOW });
      expect(await waits()).toEqual([undefined, 'r2', undefined]);
      expect(await waitedFor()).toBe('r2');
      await change(first, { status: 'done', finishedAt: NOW, outputs: [file(1)] });
      const second = await firstTask(id, 'r3');
      await change(second, { status: 'rendering', taskCode: 'c2', submittedAt: NOW });
      expect(await waits()).toEqual([undefined, undefined, undefined]);
      expect(await waitedFor()).toBeUndefined();
      await change(await firstTask(id, 'r4'), { blockedBy: 'r3' });
      expect(await opened.views.rowsByIds(id, ['r4'])).toMatchObject([{ waitsForRow: 'r3' }]);
    });

    test('shows why it failed, or what is wrong with it in the sheet', async () => {
      const problem = {
        severity: 'error',
        code: 'value-type',
        line: 3,
        row: 'r3',
        message: 'wrong',
        remedy: '-',
      } as const;
      const hint = { ...problem, severity: 'warning', code: 'unknown-column' } as const;
      const { id } = await opened.store.createBatch(
        newBatch({ rows: [makeRow(2), makeRow(3)], problems: [hint, problem] }),
      );
      await change(await firstTask(id), { status: 'failed', failure: failure('MODERATED', 'not this') });
      expect(await opened.views.rowsByIds(id, ['r3', 'r2'])).toMatchObject([
        { row: 'r2', status: 'failed', failure: { code: 'MODERATED', message: 'not this' } },
        { row: 'r3', status: 'invalid', problem, progress: { done: 0, total: 0 } },
      ]);
      expect(await opened.views.problems(id, 1)).toEqual([hint]);
      expect((await rowDetailOf(opened.views, id, 'r3'))?.problems).toEqual([hint, problem]);
    });
  });

  test('finds the files that are rejected, that lie elsewhere than they belong, or of which something is left', async () => {
    const { id } = await opened.store.createBatch(newBatch({ settings: settings({ folder: '/media/one' }) }));
    const outputs = [
      file(1, { verdict: { kept: false } }),
      file(2, { path: 'rejected/2.mp3', home: 'music/2.mp3', verdict: { kept: false } }),
      file(3, { path: 'rejected/3.mp3', home: 'music/3.mp3' }),
      file(4, { path: 'music/4.mp3', leftover: 'rejected/4.mp3' }),
      file(5, { path: 'rejected/5.mp3', state: 'deleted', verdict: { kept: false } }),
      // None of the user’s words is taken for one of ours.
      file(6, { verdict: { kept: true, note: '"kept":false, "leftover":1' } }),
      file(7, { path: 'music/rejected.mp3' }),
    ];
    const done = await change(await firstTask(id), { status: 'done', outputs });
    const found = (await opened.views.filedFiles(id)).map(({ outputId, path, bytes, isRejected, isUntidy }) => [
      outputId,
      path,
      bytes,
      isRejected,
      isUntidy,
    ]);
    expect(found).toEqual([
      [`${done.id}-1`, 'music/1.mp3', 11, true, true],
      [`${done.id}-2`, 'rejected/2.mp3', 12, true, false],
      [`${done.id}-3`, 'rejected/3.mp3', 13, false, true],
      [`${done.id}-4`, 'music/4.mp3', 14, false, true],
      [`${done.id}-5`, 'rejected/5.mp3', 15, false, true],
    ]);
    // A file that is moved stays in its folder, also where the batch has another one by now.
    await opened.store.updateBatchSettings(id, settings({ folder: '/media/two' }));
    await change(done, {
      outputs: [file(1, { path: 'rejected/1.mp3', verdict: { kept: false } }), ...outputs.slice(1)],
    });
    const folders = new Set((await opened.views.filedFiles(id)).map(({ folder }) => folder));
    expect(folders).toEqual(new Set(['/media/one']));
  });

  test('a page is never longer than a thousand rows, and an unknown batch has none', async () => {
    const rows = Array.from({ length: 1_100 }, (_, i) => makeRow(i + 2));
    const { id } = await opened.store.createBatch(newBatch({ rows }));
    const page = await opened.views.rowPage(id, { offset: 50, limit: 5_000 });
    expect([page.total, page.rows.length, page.rows[0]?.row]).toEqual([1_100, 1_000, 'r52']);
    expect((await listOf(opened.views.exportRows(id))).map(({ row }) => row.id)).toEqual(rows.map((row) => row.id));
    expect(await opened.views.rowPage('none', { offset: 0, limit: 5 })).toEqual({ total: 0, rows: [] });
    expect([await opened.views.batchSummary('none'), await listOf(opened.views.exportRows('none'))]).toEqual([
      undefined,
      [],
    ]);
  });

  describe('everything about a row', () => {
    test('is its cells, its body, and each task with its attempts and events, without their bytes', async () => {
      const cells = { prompt: 'x', other: 'y' };
      const { id } = await opened.store.createBatch(newBatch({ rows: [makeRow(2, { cells, note: 'mine' })] }));
      const body = new TextEncoder().encode('SECRET BODY');
      const raw = { httpStatus: 429, headers: {}, body, truncated: false };
      const intent = { startedAt: 1, origin: 'https://g.example', keyFingerprint: 'k', body, bodySha256: 'h' };
      const started = await change(await firstTask(id), { status: 'submitting' }, { openAttempt: intent });
      const refused = failure('RATE_LIMITED', 'slow down');
      await change(
        started,
        { status: 'queued', failure: refused, outputs: [file(1, { state: 'pending', document: 'SECRET BODY' })] },
        {
          closeAttempt: { answeredAt: 2, outcome: 'rate-limited', raw, cost: { amount: 3, currency: 'credits' } },
          pollAnswer: raw,
          event: { kind: 'rate-limited', failure: refused, dueAt: 5 },
        },
      );
      const detail = await rowDetailOf(opened.views, id, 'r2');
      expect(detail).toMatchObject({
        view: { row: 'r2', status: 'queued' },
        note: 'mine',
        cells,
        body: { prompt: 'prompt 2' },
        tasks: [
          {
            take: 1,
            status: 'queued',
            failure: refused,
            attempts: [{ startedAt: 1, answeredAt: 2, outcome: 'rate-limited', httpStatus: 429, cost: { amount: 3 } }],
            events: [
              { at: NOW, kind: 'cancel-requested' },
              { at: NOW, kind: 'rate-limited', failure: refused },
            ],
          },
        ],
      });
      expect(JSON.stringify(detail)).not.toContain('SECRET');
      expect(JSON.stringify(detail)).not.toContain(JSON.stringify([...body]));
      expect(await rowDetailOf(opened.views, id, 'r9')).toBeUndefined();
    });

    test('is that of the row with this key, also where another one has its id', async () => {
      const { id } = await opened.store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3, { id: 'r2' })] }));
      const keys = (await opened.views.rowsByIds(id, ['r2'])).map(({ key }) => key);
      const details = await Promise.all(keys.map(async (key) => opened.views.rowDetail(id, key)));
      expect(details).toMatchObject([
        { view: { key: keys[0], line: 2 }, body: { prompt: 'prompt 2' } },
        { view: { key: keys[1], line: 3 }, body: { prompt: 'prompt 3' } },
      ]);
      const tasks = await Promise.all(keys.map(async (key) => opened.views.tasksEverOfKeys(id, [key])));
      expect(tasks).toEqual(details.map((detail) => detail?.tasks.map(({ taskId }) => taskId)));
      expect(await opened.views.tasksEverOfKeys(id, keys)).toEqual(tasks.flat());
    });

    test('tells a rendering that was inferred from one that the gateway stated', async () => {
      const { id } = await opened.store.createBatch(newBatch());
      const rendered = { kind: 'rendered', outputs: [], poll: FRESH_POLL_MEMORY } as const;
      const inferred = await change(await firstTask(id), {}, { event: { ...rendered, provisional: true } });
      await change(inferred, {}, { event: { ...rendered, provisional: false } });
      expect((await rowDetailOf(opened.views, id, 'r2'))?.tasks[0]?.events).toEqual([
        { at: NOW, kind: 'rendered', provisional: true },
        { at: NOW, kind: 'rendered' },
      ]);
    });

    test('has the latest of very many events', async () => {
      const { id } = await opened.store.createBatch(newBatch());
      const task = await firstTask(id);
      const changes = Array.from({ length: EVENTS_SHOWN + 5 }, (_, i): TaskChange => ({
        expectedRevision: i,
        next: { ...task, revision: i + 1 },
        event: { kind: 'cancel-requested' },
        at: i,
      }));
      await opened.store.commit(changes);
      const events = (await rowDetailOf(opened.views, id, 'r2'))?.tasks[0]?.events;
      expect([events?.length, events?.[0]?.at, events?.at(-1)?.at]).toEqual([EVENTS_SHOWN, 5, EVENTS_SHOWN + 4]);
    });
  });

  describe('the file of an output', () => {
    test('is found where it was placed, also after the batch has moved', async () => {
      const { id } = await opened.store.createBatch(newBatch({ settings: settings({ folder: '/media/night/' }) }));
      const task = await change(await firstTask(id), { outputs: [file(1)] });
      await opened.store.updateBatchSettings(id, settings({ folder: '/elsewhere' }));
      await change(task, { status: 'done', outputs: [file(1)] });
      const known = { path: 'music/1.mp3', mediaType: 'audio/mpeg', sha256: 'f1' };
      const expected = { folder: '/media/night', ...known, verified: true };
      expect(await opened.views.outputFile(`${task.id}-1`)).toEqual(expected);
    });

    test('is told from one that was set aside, and is none while it is on its way', async () => {
      const { id } = await opened.store.createBatch(newBatch());
      const { mediaType: _, ...unnamed } = file(1, { state: 'set-aside' });
      const task = await change(await firstTask(id), { outputs: [unnamed, file(2, { state: 'placing' })] });
      expect(await opened.views.outputFile(`${task.id}-1`)).toEqual({
        folder: '/media',
        path: 'music/1.mp3',
        sha256: 'f1',
        verified: false,
      });
      expect(await opened.views.outputFile(`${task.id}-2`)).toBeUndefined();
    });

    test.each(['', '1', '0-1', '1-0', '01-1', '1-1-1', '../1-1', '9-9', "1-1' OR 1=1"])(
      'is none for %j',
      async (outputId) => {
        const { id } = await opened.store.createBatch(newBatch());
        await change(await firstTask(id), { outputs: [file(1)] });
        expect(await opened.views.outputFile(outputId)).toBeUndefined();
      },
    );
  });

  describe('the files of a gallery', () => {
    const said = (different: Partial<Output>): Partial<Output> => ({ mediaType: 'image/png', ...different });
    const flagged = said({ flags: [{ gate: 'black', message: 'All of it is black.' }] });

    /** The ids of the files that pass, as they are found. */
    async function found(batchId: string, filter: FileFilter = {}): Promise<readonly string[]> {
      const pairs = await opened.views.filesFound(batchId, filter);
      return Array.from({ length: pairs.length / 2 }, (_, at) => `${pairs[2 * at]}-${pairs[2 * at + 1]}`);
    }

    async function someFiles(): Promise<{ readonly batchId: string; readonly ids: readonly string[] }> {
      const rows = [makeRow(2, { takes: 2 }), makeRow(3, { operation: 'videogen-b/image/generate' })];
      const { id: batchId } = await opened.store.createBatch(newBatch({ rows }));
      const [first, second] = await opened.store.tasksOfRow(batchId, 'r2');
      const third = await firstTask(batchId, 'r3');
      // In another order than they are shown in.
      await change(third, {
        outputs: [file(1, flagged), file(2, said({ path: 'image/x.png', state: 'placing' }))],
      });
      await change(only(second), {
        outputs: [file(3, { verdict: { kept: false, note: '"gate":"black"', pickedAt: 7 } })],
      });
      await change(only(first), {
        outputs: [
          file(1, { path: 'music/a.mp3', seconds: 185, verdict: { kept: true, rating: 4, pickedAt: 5 } }),
          file(2, { path: 'music/b.mp3', verdict: { rating: 0 }, flags: [] }),
        ],
      });
      const [one, two, three] = [only(first).id, only(second).id, third.id];
      return { batchId, ids: [`${one}-1`, `${one}-2`, `${two}-3`, `${three}-1`] };
    }

    test('are found in the order of rows, takes and outputs, each with what is said of it', async () => {
      const { batchId, ids } = await someFiles();
      expect(await found(batchId)).toEqual(ids);
      expect(await found('none')).toEqual([]);
      const [first = '', , picked = '', last = ''] = ids;
      expect(await opened.views.filesByIds(batchId, [last, '9-9', 'x', picked, first])).toEqual([
        expect.objectContaining({ outputId: last, row: 'r3', take: 1, flags: flagged.flags, mediaType: 'image/png' }),
        expect.objectContaining({ outputId: picked, row: 'r2', take: 2, flags: [], isPicked: true }),
        {
          outputId: first,
          key: 1,
          row: 'r2',
          label: 'prompt 2',
          operation: 'musicgen/music/generate',
          take: 1,
          path: 'music/a.mp3',
          mediaType: 'audio/mpeg',
          bytes: 11,
          seconds: 185,
          verdict: { kept: true, rating: 4, pickedAt: 5 },
          flags: [],
        },
      ]);
      expect(await opened.views.filesByIds('none', ids)).toEqual([]);
    });

    const FILTERED: readonly (readonly [FileFilter, readonly number[]])[] = [
      [{ verdict: 'undecided' }, [1, 3]],
      [{ verdict: 'kept' }, [0]],
      [{ verdict: 'rejected' }, [2]],
      // The latest pick of a row counts.
      [{ verdict: 'picked' }, [2]],
      [{ minRating: 0 }, [0, 1]],
      [{ minRating: 4 }, [0]],
      [{ minRating: 5 }, []],
      [{ flagged: 'any' }, [3]],
      [{ flagged: 'black' }, [3]],
      [{ flagged: 'blur' }, []],
      [{ operation: 'videogen-b/image/generate' }, [3]],
      [{ text: ' PROMPT 2 ' }, [0, 1, 2]],
      [{ text: 'prompt', verdict: 'kept', minRating: 1, operation: 'musicgen/music/generate' }, [0]],
    ];

    test('pass a filter by what is said of them, and by what their rows ask for', async () => {
      const { batchId, ids } = await someFiles();
      for (const [filter, places] of FILTERED)
        expect([filter, await found(batchId, filter)]).toEqual([filter, places.map((place) => ids[place])]);
    });

    const REVIEWED = { kind: 'reviewed', index: 3, change: {} } as const;

    test('of earlier versions come after those that took their place, each in its row, and are none that is picked', async () => {
      const { batchId, ids } = await someFiles();
      const before = only(await opened.store.batch(batchId));
      await opened.store.updateBatchSettings(batchId, { ...before.settings, gates: { on: { black: 50 }, again: 1 } });
      await opened.store.setBatchState(batchId, 'running', undefined, NOW);
      const [, second] = await opened.store.tasksOfRow(batchId, 'r2');
      // Take 2 is made again, and what is said of its file stays; the other one has a file of its own by then.
      const { verdict, ...undecided } = only(only(second).outputs[0]);
      const done = { status: 'done', outputs: [{ ...undecided, flags: flagged.flags ?? [] }] } as const;
      await change(await change(only(second), done), { superseded: true }, { event: { kind: 'made-again' } });
      const aside = only(await opened.store.task(only(second).id));
      await change(aside, { outputs: [{ ...undecided, ...present({ verdict }) }] }, { event: REVIEWED });
      const again = only((await opened.store.tasksOfRow(batchId, 'r2'))[1]);
      await change(again, { outputs: [file(4, { path: 'music/again.mp3' })] });
      const [first = '', other = '', earlier = '', last = ''] = ids;
      const now = `${again.id}-4`;
      expect(await found(batchId)).toEqual([first, other, now, earlier, last]);
      expect(await found(batchId, { version: 'now' })).toEqual([first, other, now, last]);
      expect(await found(batchId, { version: 'earlier' })).toEqual([earlier]);
      expect(await found(batchId, { version: 'earlier', verdict: 'rejected' })).toEqual([earlier]);
      expect(await found(batchId, { verdict: 'picked' })).toEqual([first]);
      const [shown, newest] = await opened.views.filesByIds(batchId, [earlier, now]);
      expect(shown).toMatchObject({ take: 2, row: 'r2', isEarlier: true, verdict: { kept: false } });
      expect(shown).not.toHaveProperty('isPicked');
      expect(newest).not.toHaveProperty('isEarlier');
    });
  });
});
