/** Warnings that an edit of their rows puts right: identical rows that become one, values that nothing uses. */
import { describe, expect, test } from 'vitest';
import { profileWith } from '../support/night-harness.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HEADERS = ['row', 'Kind', 'prompt', 'Versions', 'account'];
const MAPPED = { sheet: { mapping: { Kind: 'operation', Versions: 'takes' } } };
const OWLS = [
  ['a', 'lyrics', 'owl', '', ''],
  ['b', 'lyrics', 'fox', '', ''],
  ['c', 'lyrics', 'owl', '2', ''],
  ['d', 'lyrics', 'owl', '', ''],
];

/** What rows ask for, and what is wrong with them. */
async function sight(rig: SheetRig, batchId: string) {
  return (await rig.rows(batchId)).map(({ row: { id, takes }, tasks, problems }) => {
    return [id, takes, tasks.length, ...problems.map(({ code }) => code)].join(' ');
  });
}

async function join(rig: SheetRig, batchId: string, place: number) {
  const [row = -1] = await rig.keys(batchId, place);
  return rig.editor.edit(batchId, { kind: 'join-rows', row });
}

describe('identical rows', () => {
  test('become one row with all of their takes in one edit, which one undo takes back', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, OWLS, MAPPED);
    const before = ['a 1 1', 'b 1 1', 'c 2 2 duplicate-request', 'd 1 1'];
    expect(await sight(rig, batchId)).toEqual(before);
    expect((await rig.rows(batchId))[2]?.problems[0]?.takes).toBe(4);

    expect(await join(rig, batchId, 2)).toMatchObject({ ok: true, value: { refusedRows: 0, undo: 'Make 3 rows one' } });
    expect(await sight(rig, batchId)).toEqual(['a 4 4', 'b 1 1']);
    expect((await rig.texts(batchId, 'Versions'))[0]).toEqual(['4']);
    expect(await rig.undo(batchId)).not.toHaveProperty('undo');
    expect(await sight(rig, batchId)).toEqual(before);
    await rig.redo(batchId);
    expect(await sight(rig, batchId)).toEqual(['a 4 4', 'b 1 1']);
  });

  test('get a column of takes where the sheet has none, which goes with the undo', async () => {
    const rig = new SheetRig();
    const headers = ['row', 'operation', 'prompt'];
    const batchId = await rig.bringIn(headers, [
      ['a', 'lyrics', 'owl'],
      ['b', 'lyrics', 'owl'],
    ]);
    await join(rig, batchId, 1);
    expect(await sight(rig, batchId)).toEqual(['a 2 2']);
    expect((await rig.night.store.batch(batchId))?.headers).toEqual([...headers, 'takes']);
    expect(await rig.undo(batchId)).not.toHaveProperty('undo');
    expect(await sight(rig, batchId)).toEqual(['a 1 1', 'b 1 1 duplicate-request']);
    expect((await rig.night.store.batch(batchId))?.headers).toEqual(headers);
    await rig.redo(batchId);
    expect(await sight(rig, batchId)).toEqual(['a 2 2']);
  });

  test('stay apart where one would be missed, or another account would pay', async () => {
    const rig = new SheetRig();
    const others = [{ name: 'two', profile: profileWith() }];
    const settings = { accounts: { first: { name: 'one' }, others } };
    const lines = [
      ['a', 'lyrics', 'owl', '', ''],
      ['b', 'lyrics', 'owl', '', ''],
      ['c', 'lyrics', 'owl', '', 'two'],
      ['d', 'lyrics', 'owl', '', ''],
      ['e', 'lyrics', 'after {{b.taskId}} and {{d.taskId}}', '', ''],
    ];
    const batchId = await rig.bringIn(HEADERS, lines, { ...MAPPED, settings });
    await join(rig, batchId, 1);
    expect(await sight(rig, batchId)).toEqual(['b 2 2', 'c 1 1 duplicate-request', 'd 1 1', 'e 1 1']);
    expect(await join(rig, batchId, 1)).toMatchObject({
      ok: false,
      error: expect.stringContaining('No two') as string,
    });
  });

  test('that are more than a row may ask for stay as they are', async () => {
    const rig = new SheetRig();
    const lines = OWLS.map(([id = '', ...cells]) => [id, ...cells.with(2, '40')]);
    const batchId = await rig.bringIn(HEADERS, lines, MAPPED);
    expect(await join(rig, batchId, 2)).toEqual({
      ok: false,
      error: 'Together they have 120 takes, and a row has at most 100.',
    });
  });

  test('that were sent are no part of it, and what is asked for is paid for as often as before', async () => {
    const rig = new SheetRig();
    let isHeld = true;
    rig.night.gateway.onPoll = (code) => (isHeld ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    const profile = profileWith({ activePerFamily: { musicgen: 1 } });
    const batchId = await rig.bringIn(HEADERS, OWLS, { ...MAPPED, settings: { profile } });
    await rig.night.scheduler.start(batchId);
    await rig.night.clock.advanceUntil(async () => (await rig.night.statuses(batchId)).includes('rendering'));
    await join(rig, batchId, 2);
    expect((await rig.rows(batchId)).map(({ row, isDraft }) => [row.id, row.takes, isDraft])).toEqual([
      ['a', 1, false],
      ['b', 1, false],
      ['c', 3, true],
    ]);
    isHeld = false;
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 1 });
    await rig.night.untilRest(batchId);
    expect(rig.night.gateway.submits).toHaveLength(5);
  });

  test('that became one stay so once it was sent: taken apart, they would ask for more', async () => {
    const rig = new SheetRig();
    rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    const batchId = await rig.bringIn(HEADERS, OWLS, MAPPED);
    await join(rig, batchId, 2);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(await rig.undo(batchId)).toMatchObject({ changedRows: 0, refused: [{ row: 'a' }] });
    expect(await sight(rig, batchId)).toEqual(['a 4 4', 'b 1 1']);
    expect(rig.night.gateway.submits).toHaveLength(5);
  });

  test.each([{ status: 'submitting' }, { status: 'done' }, { status: 'queued', onHold: true }] as const)(
    'stay as they were where one is %j at that moment',
    async (taken) => {
      const rig = new SheetRig();
      const batchId = await rig.bringIn(
        HEADERS.slice(0, 3),
        OWLS.map((line) => line.slice(0, 3)),
        MAPPED,
      );
      const before = await sight(rig, batchId);
      const change = rig.sheets.change.bind(rig.sheets);
      let isFirst = true;
      const sheets: typeof rig.sheets = {
        ...rig.sheets,
        change: async (id, input) => {
          // The night takes a row right before the rows are joined.
          if (isFirst && input.rows.some(({ kind }) => kind === 'remove')) {
            isFirst = false;
            const [task] = await rig.night.store.tasksOfRow(batchId, 'd');
            if (task === undefined) throw new Error('no task');
            const next = { ...task, ...taken, revision: task.revision + 1 };
            await rig.night.store.commit([
              { expectedRevision: task.revision, next, event: { kind: 'submit-started' }, at: 1 },
            ]);
          }
          return change(id, input);
        },
      };
      Object.defineProperty(rig, 'sheets', { value: sheets });
      rig.reopen();
      const joined = await join(rig, batchId, 2);
      expect(joined).toMatchObject({ ok: true, value: { changedRows: 0, refused: [{ row: 'd' }] } });
      expect(joined).not.toHaveProperty('value.undo');
      expect(await sight(rig, batchId)).toEqual(before);
      expect((await rig.night.store.batch(batchId))?.headers).toEqual(HEADERS.slice(0, 3));
    },
  );
});

describe('values that nothing uses', () => {
  const headers = ['row', 'operation', 'prompt', 'Title', 'note'];
  const lines = [
    ['a', 'image', 'owl', 'Owl', ''],
    ['b', 'image', 'fox', 'Fox', ''],
    ['c', 'music', 'song', 'Song', ''],
    ['d', 'lyrics', 'text', 'Text', ''],
  ];
  const titles = async (rig: SheetRig, batchId: string) => (await rig.texts(batchId, 'Title')).flat();
  const clear = { kind: 'clear-unused', header: 'Title' } as const;

  test('are cleared for all operations at once, and no others', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(headers, lines, { sheet: { mapping: { Title: 'title' } } });
    const warnings = async () => (await rig.sheets.problems(batchId, 99)).map(({ problem }) => problem.code);
    expect(await warnings()).toEqual(['unused-column', 'unused-column']);
    expect(await rig.edit(batchId, clear)).toMatchObject({ changedCells: 3, undo: 'Clear 3 unused “Title”' });
    expect(await titles(rig, batchId)).toEqual(['', '', 'Song', '']);
    expect(await warnings()).toEqual([]);
    await rig.undo(batchId);
    expect(await titles(rig, batchId)).toEqual(['Owl', 'Fox', 'Song', 'Text']);
    expect(await warnings()).toEqual(['unused-column', 'unused-column']);
  });

  test('stay where a cell puts them in by name: nothing is warned of then', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(headers, lines, { sheet: { mapping: { Title: 'title' } } });
    await rig.set(batchId, 0, 'prompt', 'owl called {Title}');
    expect(await rig.editor.edit(batchId, clear)).toEqual({
      ok: false,
      error: 'No value of “Title” is unused any more.',
    });
    expect(await titles(rig, batchId)).toEqual(['Owl', 'Fox', 'Song', 'Text']);
  });
});
