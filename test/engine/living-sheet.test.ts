import { expect, test } from 'vitest';
import { chosenOf } from '../../src/engine/edit/living/kept-rows.ts';
import type { StoredRow } from '../../src/engine/ports/sheet-store.ts';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';
import { sheet, Living, SONGS } from '../support/living.ts';

test('a prompt that was edited in a finished batch is all that is rendered again, and waits for a word', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  living.file = sheet(SONGS[0], SONGS[1], ['b', 'music', 'a fox', ''], SONGS[3]);
  const difference = await living.compare();
  expect(difference.comparison.rows.map((row) => row.kind)).toEqual(['unchanged', 'changed', 'unchanged']);
  expect([...difference.submits]).toEqual([[1, 1]]);
  const applied = await living.apply();
  expect(applied).toMatchObject({ ok: true, value: { left: [], keys: [2] } });
  expect(await living.rows()).toEqual(['a done owl', 'b draft a fox', 'c done elk']);
  expect((await living.opened.views.batchSummary(living.batchId))?.draftSubmits).toBe(1);
  await living.night.clock.advance(3_600_000);
  expect(living.night.gateway.submits).toHaveLength(3);
});

test('a comparison that is not wanted any more changes nothing; taking it over is finished once it writes', async () => {
  const living = await Living.of(sheet(...SONGS));
  living.file = sheet(SONGS[0], SONGS[1], ['b', 'music', 'a fox', ''], SONGS[3]);
  const ended = { signal: AbortSignal.abort() };
  await expect(living.sheets.compare(living.batchId, undefined, ended)).rejects.toThrow(/aborted/u);
  await expect(living.sheets.results(living.batchId, ended)).rejects.toThrow(/aborted/u);
  const { id } = await living.compare();
  const before = await living.rows();
  const options = { removed: 'keep', withDependents: false } as const;
  await expect(living.sheets.apply(id, options, ended)).rejects.toThrow(/aborted/u);
  expect(await living.rows()).toEqual(before);
  const wish = new AbortController();
  const watch = { signal: wish.signal, onBound: () => wish.abort() };
  expect(await living.sheets.apply(id, options, watch)).toMatchObject({ ok: true });
  expect((await living.rows())[1]).toContain('a fox');
});

test('warnings that are ignored stay so when the file is taken over', async () => {
  const ignored = [{ code: 'unknown-column', column: 'mood' }] as const;
  const line = (id: string) => [id, 'music', 'owl', 'calm', 'Ada'];
  const living = await Living.of(sheet(['row', 'operation', 'prompt', 'mood', 'who'], line('a')), { ignored });
  const problems = async () => (await living.opened.views.batchSummary(living.batchId))?.problems;
  expect(await problems()).toMatchObject({ warnings: 1, ignored: [{ ...ignored[0], count: 1 }] });
  living.file = sheet(['row', 'operation', 'prompt', 'mood', 'who'], line('a'), line('b'));
  await living.apply();
  expect(await living.rows()).toHaveLength(2);
  // What two rows ask for alike is another warning, and counts.
  expect(await problems()).toMatchObject({ warnings: 2, ignored: [{ ...ignored[0], count: 1 }] });
});

test('a file that asks again for what was paid for brings that back, and asks for nothing', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  const files = async () =>
    (await listOf(living.opened.views.exportRows(living.batchId))).flatMap(({ row, tasks }) =>
      tasks.flatMap(({ superseded, outputs }) =>
        outputs.map(({ path }) => `${row.id} ${path} ${superseded ? 'earlier' : ''}`),
      ),
    );
  const before = await files();
  living.file = sheet(SONGS[0], SONGS[1], ['b', 'music', 'a fox', ''], ['c', 'music', 'an elk', '']);
  const [, second, third] = await living.night.tasks(living.batchId);
  expect(await living.apply()).toMatchObject({ ok: true });
  living.file = sheet(...SONGS);
  const difference = await living.compare();
  expect([...difference.submits]).toEqual([]);
  expect(await living.apply()).toMatchObject({ ok: true });
  expect(await living.rows()).toEqual(['a done owl', 'b done fox', 'c done elk']);
  const ids = (await living.night.tasks(living.batchId)).map(({ id }) => id);
  expect(ids.slice(1)).toEqual([second?.id, third?.id]);
  expect(await files()).toEqual(before);
  expect((await living.opened.views.batchSummary(living.batchId))?.draftSubmits).toBe(0);
  expect(living.night.gateway.submits).toHaveLength(3);
});

test('of a row that is to be rendered again, a file that asks for more takes shows each that will be paid', async () => {
  const living = await Living.of(sheet(['row', 'operation', 'prompt', 'takes'], ['a', 'music', 'owl', '1']));
  await living.run();
  const rig = new SheetRig(living.night);
  const { batchId } = living;
  await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 0) });
  living.file = sheet(['row', 'operation', 'prompt', 'takes'], ['a', 'music', 'owl', '2']);
  expect([...(await living.compare()).submits.values()]).toEqual([2]);
  const applied = await living.apply();
  if (!applied.ok) throw new Error(applied.error);
  expect(await rig.editor.release(batchId, applied.value.keys)).toEqual({ ok: true, value: 2 });
  await living.run();
  expect(living.night.gateway.submits).toHaveLength(3);
});

test('the files of what was rendered before stay in the manifest', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  living.file = sheet(SONGS[0], SONGS[1], ['b', 'music', 'a fox', '']);
  await living.apply({ removed: 'remove' });
  const exported = await listOf(living.opened.views.exportRows(living.batchId));
  const files = exported.flatMap(({ tasks }) => tasks.flatMap((task) => task.outputs.map((output) => output.path)));
  expect(files).toHaveLength(3);
  expect(await living.rows()).toEqual(['a done owl', 'b draft a fox']);
});

test('rows that wait take their new content and go on waiting', async () => {
  const living = await Living.of(sheet(...SONGS));
  living.file = sheet(SONGS[0], ['c', 'music', 'an elk', ''], SONGS[1], ['d', 'music', 'bat', '']);
  await living.apply();
  expect(await living.rows()).toEqual(['c queued an elk', 'a queued owl', 'd queued bat', 'b queued fox']);
  await living.run();
  const prompts = living.night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);
  expect(prompts).toEqual(['an elk', 'owl', 'bat', 'fox']);
});

test('a row in flight stays as it is, and is named', async () => {
  const living = await Living.of(sheet(...SONGS));
  living.night.gateway.onPoll = () => RUNNING;
  await living.night.scheduler.start(living.batchId);
  await living.night.clock.advanceUntil(async () =>
    (await living.night.statuses(living.batchId)).every((s) => s === 'rendering'),
  );
  living.file = sheet(SONGS[0], ['a', 'music', 'an owl', ''], SONGS[2], SONGS[3], ['d', 'music', 'bat', '']);
  const applied = await living.apply();
  expect(applied).toMatchObject({ ok: true, value: { left: ['a'] } });
  expect(await living.rows()).toEqual(['a rendering owl', 'b rendering fox', 'c rendering elk', 'd draft bat']);
});

test('a row that was shown in flight and has ended since is not rendered again unasked', async () => {
  const living = await Living.of(sheet(...SONGS));
  living.night.gateway.onPoll = () => RUNNING;
  await living.night.scheduler.start(living.batchId);
  await living.night.clock.advanceUntil(async () =>
    (await living.night.statuses(living.batchId)).every((s) => s === 'rendering'),
  );
  living.file = sheet(SONGS[0], ['a', 'music', 'an owl', ''], SONGS[2], SONGS[3], ['d', 'music', 'bat', '']);
  const { id } = await living.compare();
  living.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
  await living.night.untilRest(living.batchId);
  const chosen = { removed: 'keep', withDependents: false } as const;
  const refused = await living.sheets.apply(id, chosen);
  expect(refused).toMatchObject({
    ok: false,
    error: expect.stringContaining('now asks for 1 paid request that the comparison did not show') as string,
  });
  expect(await living.apply()).toMatchObject({ ok: true, value: { left: [] } });
});

test('a row that is removed after the comparison is not rendered again in place of one that was shown', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  const rig = new SheetRig(living.night);
  const { batchId } = living;
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0) });
  const { id, submits } = await living.compare();
  expect([...submits]).toEqual([[0, 1]]);
  await rig.undo(batchId);
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 2) });
  const applied = await living.sheets.apply(id, { removed: 'keep', withDependents: false });
  expect(applied).toMatchObject({ ok: false, error: expect.stringContaining('1 paid request') as string });
  expect(await living.rows()).toEqual(['a done owl', 'b done fox']);
});

test('what happens while a file is taken over counts: started, it gets drafts; in flight, a row stays and is named', async () => {
  const living = await Living.of(sheet(...SONGS));
  living.night.gateway.onPoll = () => RUNNING;
  const allRows = living.opened.sheets.allRows.bind(living.opened.sheets);
  let reads = 0;
  const startedMeanwhile = async function* (batchId: string): AsyncGenerator<StoredRow> {
    yield* allRows(batchId);
    // Once for the comparison, once to take it over.
    reads += 1;
    if (reads < 2) return;
    await living.night.scheduler.start(batchId);
    const [task] = await living.night.store.tasksOfRow(batchId, 'a');
    if (task === undefined) throw new Error('Row a has no task');
    await living.night.scheduler.decide([{ taskId: task.id, event: { kind: 'submit-started' } }]);
  };
  living.opened.sheets.allRows = startedMeanwhile;
  living.file = sheet(SONGS[0], ['a', 'music', 'an owl', ''], SONGS[2], SONGS[3], ['d', 'music', 'bat', '']);
  const applied = await living.apply();
  expect(applied).toMatchObject({ ok: true, value: { left: ['a'] } });
  expect((await living.rows())[0]).toBe('a submitting owl');
  expect((await living.rows())[3]).toBe('d draft bat');
});

test('what the file says of other columns is taken over without rendering anything', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  living.file = sheet(SONGS[0], ['a', 'music', 'owl', 'my favourite'], SONGS[2], SONGS[3]);
  expect((await living.compare()).submits.size).toBe(0);
  await living.apply();
  expect(await living.rows()).toEqual(['a done owl', 'b done fox', 'c done elk']);
  expect((await living.night.store.row(living.batchId, 'a'))?.note).toBe('my favourite');
});

test('a row that refers to one that only the batch has runs if that is kept, and not if it is removed', async () => {
  const head = ['row', 'operation', 'prompt', 'clip_id'];
  const both = [
    ['next', 'wav', '', '{{wav.taskId}}'],
    ['wav', 'wav', '', '{{song.taskId}}'],
  ] as const;
  for (const removed of ['keep', 'remove'] as const) {
    const living = await Living.of(sheet(head, ['song', 'music', 'owl', '']));
    await living.run();
    living.file = sheet(head, ...both);
    const difference = await living.compare();
    const chosen = chosenOf(difference, removed);
    const isKept = removed === 'keep';
    expect([chosen.invalid.size, [...chosen.submits.values()]]).toEqual(isKept ? [0, [1, 1]] : [2, []]);
    expect(chosen.read.sheet.problems.filter(({ severity }) => severity === 'error')).toHaveLength(isKept ? 0 : 2);
    const applied = await living.sheets.apply(difference.id, { removed, withDependents: false });
    expect(applied).toMatchObject({ ok: true, value: { left: [] } });
    const status = isKept ? 'draft' : 'invalid';
    // A row that only refers to another one has no words of its own.
    const rows = [`next ${status} `, `wav ${status} `];
    expect(await living.rows()).toEqual(isKept ? [...rows, 'song done owl'] : rows);
  }
});

test('a circle through a kept row, and one that cannot run, are found', async () => {
  const head = ['row', 'operation', 'prompt', 'clip_id'];
  const living = await Living.of(
    sheet(head, ['a', 'wav', '', '{{b.taskId}}'], ['b', 'wav', '', '{{c.taskId}}'], ['c', 'music', 'owl', '']),
  );
  living.file = sheet(head, ['b', 'wav', '', '{{a.taskId}}']);
  expect(chosenOf(await living.compare(), 'keep').invalid.size).toBe(1);
  const broken = await Living.of(sheet(head, ['a', 'wav', '', '{{none.taskId}}'], ['b', 'music', 'owl', '']));
  broken.file = sheet(head, ['b', 'wav', '', '{{a.taskId}}']);
  expect(chosenOf(await broken.compare(), 'keep').invalid.size).toBe(1);
});

/** A song, and a row that is made of it. */
function chain(prompt: string, other = 'x'): RawSheet {
  return sheet(
    ['row', 'operation', 'prompt', 'clip_id'],
    ['song', 'music', prompt, ''],
    ['wav', 'wav', '', '{{song.taskId}}'],
    ['like', 'music', `${other} as {{song.taskId}}`, ''],
  );
}

test('rows that refer to a changed one are rendered again only when they are asked for', async () => {
  const first = await Living.of(chain('owl'));
  await first.run();
  first.file = chain('fox');
  const difference = await first.compare();
  expect([...difference.dependentSubmits.values()]).toEqual([1, 1]);
  await first.apply();
  expect((await first.rows()).map((row) => row.split(' ')[1])).toEqual(['draft', 'done', 'done']);
  const second = await Living.of(chain('owl'));
  await second.run();
  second.file = chain('fox');
  await second.apply({ withDependents: true });
  expect((await second.rows()).map((row) => row.split(' ')[1])).toEqual(['draft', 'draft', 'draft']);
});

test('a row that refers to one whose id the file has in other letters finds it', async () => {
  const living = await Living.of(sheet(SONGS[0], SONGS[1], ['b', 'music', 'after {{a.taskId}}', '']));
  await living.run();
  living.file = sheet(SONGS[0], ['A', 'music', 'owl', ''], ['b', 'music', 'long after {{a.taskId}}', '']);
  await living.apply();
  await new SheetRig(living.night).editor.release(living.batchId, undefined);
  await living.run();
  expect(await living.rows()).toEqual(['a done owl', expect.stringMatching(/^b done/u)]);
});

test.each<[string, (key: number) => SheetEdit]>([
  ['gets another id', (key) => ({ kind: 'set-cells', rows: [key], added: 0, headers: ['row'], values: [['z']] })],
  ['is removed', (key) => ({ kind: 'remove-rows', rows: [key] })],
])('a row whose id the file has in other letters and that %s is undone to the id of the batch', async (_, editOf) => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  living.file = sheet(SONGS[0], ['A', 'music', 'owl', ''], SONGS[2], SONGS[3]);
  await living.apply();
  const rig = new SheetRig(living.night);
  const before = await living.rows();
  expect(before[0]).toBe('a done owl');
  const [key = -1] = await rig.keys(living.batchId, 0);
  await rig.edit(living.batchId, editOf(key));
  await rig.undo(living.batchId);
  expect(await living.rows()).toEqual(before);
  expect(await rig.texts(living.batchId, 'row')).toEqual([['A'], ['b'], ['c']]);
  await rig.redo(living.batchId);
  await rig.undo(living.batchId);
  expect(await living.rows()).toEqual(before);
});

test.each([
  ['SQLite', false],
  ['PostgreSQL', true],
])(
  'rows that were to be rendered again with a changed one keep their earlier files after all, on %s',
  async (_, isOnServer) => {
    const living = await Living.of(chain('owl'), {}, { isOnServer });
    const { night, batchId } = living;
    await living.run();
    living.file = chain('fox', 'y');
    await living.apply({ withDependents: true });
    night.open();
    await night.scheduler.attach(batchId);
    const keeping = async () =>
      (await night.opened.views.rowPage(batchId, { offset: 0, limit: 9 })).rows.map(
        ({ status, keepsEarlier = 'not' }) => `${status} ${keepsEarlier}`,
      );
    // Those of the song, and of the row that asks for something else by itself, were not made for what is asked for now.
    expect(await keeping()).toEqual(['draft not', 'draft possible', 'draft not']);
    const rig = new SheetRig(night);
    const kept = await rig.edit(batchId, { kind: 'keep-earlier', rows: await rig.keys(batchId, 0, 3) });
    expect(kept).toMatchObject({ changedRows: 1, refusedRows: 2 });
    expect(await keeping()).toEqual(['draft not', 'done not', 'draft not']);
    expect(night.gateway.submits).toHaveLength(3);
    expect(await night.opened.whole.checkIntegrity()).toEqual([]);
  },
);

test('a take that was cancelled stays cancelled where the earlier files are kept after a re-import', async () => {
  const songs = (prompt: string) =>
    sheet(
      ['row', 'operation', 'prompt', 'takes'],
      ['song', 'music', prompt, '1'],
      ['like', 'music', 'as {{song.taskId}}', '2'],
    );
  const living = await Living.of(songs('owl'));
  const { night, batchId } = living;
  const rig = new SheetRig(night);
  const [, second] = await night.store.tasksOfRow(batchId, 'like');
  await night.scheduler.attach(batchId);
  await night.scheduler.decide([{ taskId: second?.id ?? -1, event: { kind: 'cancel-requested' } }]);
  await living.run();
  living.file = songs('fox');
  await living.apply({ withDependents: true });
  await rig.edit(batchId, { kind: 'keep-earlier', rows: await rig.keys(batchId, 1) });
  const takes = (await night.store.tasksOfRow(batchId, 'like')).map(({ take, status }) => `${take} ${status}`);
  expect(takes).toEqual(['1 done', '2 cancelled']);
  const sent = night.gateway.submits.length;
  await rig.editor.release(batchId);
  await living.run();
  expect(night.gateway.submits).toHaveLength(sent + 1);
});

test('a row that the new file makes invalid says so and renders nothing', async () => {
  const living = await Living.of(sheet(...SONGS));
  await living.run();
  living.file = sheet(SONGS[0], ['a', 'musick', 'owl', ''], SONGS[2], SONGS[3]);
  const difference = await living.compare();
  expect([...difference.invalid]).toEqual([0]);
  expect(difference.submits.size).toBe(0);
  await living.apply();
  expect((await living.rows())[0]).toBe('a invalid ');
  expect((await living.opened.views.batchSummary(living.batchId))?.problems.errors).toBe(1);
  const results = await living.sheets.results(living.batchId);
  expect(results.ok && results.value.results.byLine.get(2)?.[3]).toMatch(
    /^INPUT_INVALID: There is no operation “musick”/,
  );
});

test('a row that could not run for want of another runs once a file brings that one, and counts before', async () => {
  const head = ['row', 'operation', 'prompt', 'clip_id'];
  const song = ['song', 'music', 'owl', ''];
  const lost = sheet(head, ['wav', 'wav', '', '{{song.taskId}}'], ['other', 'music', 'x', '']);
  const found = sheet(head, song, ['wav', 'wav', '', '{{song.taskId}}'], ['other', 'music', 'x', '']);
  const ready = await Living.of(lost);
  ready.file = found;
  await ready.apply();
  expect(await ready.rows()).toEqual(['song queued owl', 'wav queued ', 'other queued x']);
  const living = await Living.of(lost);
  await living.run();
  expect(await living.rows()).toEqual(['wav invalid ', 'other done x']);
  // Still missing, but now there is one of nearly that name.
  living.file = sheet(
    head,
    ['wav', 'wav', '', '{{song.taskId}}'],
    ['songs', 'music', 'y', ''],
    ['other', 'music', 'x', ''],
  );
  await living.apply();
  const [problem] = await living.opened.sheets.problems(living.batchId, 1);
  expect(problem?.problem.remedy).toContain('songs');
  living.file = found;
  const difference = await living.compare();
  expect(difference.comparison.rows.map((row) => row.kind)).toEqual(['new', 'changed', 'unchanged', 'removed']);
  expect([...difference.submits]).toEqual([
    [0, 1],
    [1, 1],
  ]);
  await living.apply();
  expect(await living.rows()).toEqual(['song draft owl', 'wav draft ', 'other done x', 'songs draft y']);
});

test.each([
  ['is gone', []],
  ['is to be left out', [['song', 'music', 'owl', '', 'yes']]],
  ['cannot run', [['song', 'musick', 'owl', '', '']]],
])(
  'a row that waits for one that %s in the file says so before anything is sent, and waits again once it is back',
  async (_, song) => {
    const head = ['row', 'operation', 'prompt', 'clip_id', 'skip'];
    const rest = [
      ['wav', 'wav', '', '{{song.taskId}}', ''],
      ['other', 'music', 'x', '', ''],
    ];
    const whole = sheet(head, ['song', 'music', 'owl', '', ''], ...rest);
    const living = await Living.of(whole);
    living.file = sheet(head, ...song, ...rest);
    expect((await living.compare()).comparison.rows.map(({ kind }) => kind)).toContain('details');
    await living.apply({ removed: 'remove' });
    expect((await living.rows()).slice(-2)).toEqual(['wav invalid ', 'other queued x']);
    expect((await living.compare()).comparison.rows.every(({ kind }) => kind === 'unchanged')).toBe(true);
    expect((await living.opened.views.batchSummary(living.batchId))?.problems.errors).toBe(
      song[0]?.[1] === 'musick' ? 2 : 1,
    );
    living.file = whole;
    await living.apply();
    expect(await living.rows()).toEqual(['song queued owl', 'wav queued ', 'other queued x']);
    await living.run();
    living.file = sheet(head, ...song, ...rest);
    // What is done does not need it any more.
    await living.apply({ removed: 'remove' });
    expect((await living.rows()).slice(-2)).toEqual(['wav done ', 'other done x']);
  },
);
