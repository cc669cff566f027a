import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { profileWith } from '../support/night-harness.ts';
import { cameTo } from '../../src/shared/domain/ledger/ledger-money.ts';
import { accepted, rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';
import { HEADERS, ONE_AT_A_TIME, lines, prompts, waiting, statuses, untilRendering } from '../support/edited-night.ts';

describe('while a night runs', () => {
  test('rows in flight refuse an edit and say why, and waiting rows are sent with their new content, each once', async () => {
    const rig = new SheetRig();
    let isHeld = true;
    rig.night.gateway.onPoll = (code) => (isHeld ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    const batchId = await rig.bringIn(HEADERS, lines(5), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);

    const values = [1, 2, 3].map((n) => [`new ${n}`]);
    const edited = await rig.edit(batchId, await rig.block(batchId, 0, ['prompt'], values));
    expect(edited).toMatchObject({ changedRows: 2, refusedRows: 1 });
    expect(edited.refused[0]).toEqual({
      row: 's1',
      line: 2,
      reason: expect.stringContaining('being rendered') as string,
    });
    const noted = await rig.set(batchId, 0, 'note', 'a note may be written at any time');
    expect(noted.refusedRows).toBe(0);
    const removed = await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 3) });
    expect(removed).toMatchObject({ changedRows: 1, refusedRows: 0 });

    isHeld = false;
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'new 2', 'new 3', 'song 5']);
    expect(await rig.night.state(batchId)).toBe('finished');
    expect((await rig.rows(batchId))[0]).toMatchObject({ row: { note: 'a note may be written at any time' } });
    expect(rig.night.bugs).toEqual([]);
  });

  test.each([{ ids: ['S1'] }, { ids: ['x', 'S1'] }])(
    'a row whose id becomes $ids still gives what it has to the takes that are to come of a row in flight',
    async ({ ids }) => {
      const rig = new SheetRig();
      let isHeld = false;
      rig.night.gateway.onPoll = (code) => (isHeld ? RUNNING : rendered(`https://media.example/${code}.mp3`));
      const rows = [
        ['s1', 'music', 'song', '', ''],
        ['s2', 'music', 'more of {{s1.taskId}}', '2', ''],
      ];
      const batchId = await rig.bringIn(HEADERS, rows, ONE_AT_A_TIME);
      await rig.night.scheduler.start(batchId);
      await rig.night.clock.advanceUntil(async () => (await rig.night.statuses(batchId)).includes('done'));
      isHeld = true;
      await untilRendering(rig, batchId);
      for (const id of ids) expect(await rig.set(batchId, 0, 'row', id)).toMatchObject({ changedRows: 1 });
      isHeld = false;
      await rig.night.untilRest(batchId);
      expect(await statuses(rig, batchId)).toEqual(['S1 done', 's2 done']);
      expect(prompts(rig)).toHaveLength(3);
      expect(rig.night.bugs).toEqual([]);
    },
  );

  test('one more take of a sheet without a column for takes is one edit, and one undo takes it back', async () => {
    const rig = new SheetRig();
    const headers = ['row', 'operation', 'prompt'];
    const batchId = await rig.bringIn(
      headers,
      lines(3).map((line) => line.slice(0, 3)),
    );
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const takes = async () => (await rig.rows(batchId)).map(({ row, isDraft }) => [row.takes, isDraft]);
    const cells = (await rig.keys(batchId, 0, 2)).map((key) => ({ key, text: '2' }));
    const asked = await rig.edit(batchId, { kind: 'add-column', header: 'takes', after: 'prompt', cells });
    expect(asked).toMatchObject({ refusedRows: 0, undo: 'Add the column “takes”' });
    const more = [
      [2, true],
      [2, true],
      [1, false],
    ];
    expect(await takes()).toEqual(more);
    await rig.undo(batchId);
    expect(await takes()).toEqual([
      [1, false],
      [1, false],
      [1, false],
    ]);
    expect((await rig.night.store.batch(batchId))?.headers).toEqual(headers);
    expect(await rig.redo(batchId)).toMatchObject({ undo: 'Add the column “takes”' });
    expect(await takes()).toEqual(more);
    await rig.editor.release(batchId);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(rig.night.gateway.submits).toHaveLength(5);
  });

  test('an undo is named by what was done, not by what was asked for, and one that does nothing says so', async () => {
    const rig = new SheetRig();
    let isHeld = true;
    rig.night.gateway.onPoll = (code) => (isHeld ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    const batchId = await rig.bringIn(HEADERS, lines(4), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    await rig.edit(batchId, { kind: 'move-rows', rows: await rig.keys(batchId, 1, 2), to: 1, where: 'above' });
    const rows = [...(await rig.keys(batchId, 0)), ...(await rig.keys(batchId, 2))];
    expect(await rig.edit(batchId, { kind: 'remove-rows', rows })).toMatchObject({
      changedRows: 1,
      refusedRows: 1,
      // Where it is now that one of the rows above it is gone.
      refused: [{ row: 's1', line: 3 }],
      undo: 'Remove a row',
    });
    expect(await rig.undo(batchId)).toMatchObject({ changedRows: 1, redo: 'Remove a row' });
    expect(await rig.redo(batchId)).toMatchObject({ undo: 'Remove a row' });
    await rig.undo(batchId);
    const cells = await rig.block(
      batchId,
      0,
      ['prompt', 'note'],
      [
        ['x', ''],
        ['y', ''],
        ['z', ''],
      ],
    );
    expect(await rig.edit(batchId, cells)).toMatchObject({ changedCells: 2, undo: 'Paste 2 cells' });
    await rig.undo(batchId);
    isHeld = false;
    await rig.night.untilRest(batchId);
    const done = await rig.keys(batchId, 0, 2);
    await rig.edit(batchId, { kind: 'render-again', rows: done.slice(0, 1) });
    expect(await rig.edit(batchId, { kind: 'render-again', rows: done })).toMatchObject({ undo: 'Render a row again' });
    const nothing = await rig.edit(batchId, { kind: 'render-again', rows: done });
    expect(nothing).toMatchObject({ changedRows: 0, refusedRows: 2, isNothing: true, undo: 'Render a row again' });
  });

  test('a replacement reaches the waiting rows of a running batch', async () => {
    const rig = new SheetRig();
    let isHeld = true;
    rig.night.gateway.onPoll = (code) => (isHeld ? RUNNING : rendered(`https://media.example/${code}.mp3`));
    const batchId = await rig.bringIn(HEADERS, lines(4), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    const how = { isCaseSensitive: true, isWholeCell: false, isPattern: false };
    const replaced = await rig.edit(batchId, {
      kind: 'replace',
      find: 'song',
      replaceWith: 'hymn',
      ...how,
      rows: [...(await rig.sheets.keysInView(batchId, { filter: { status: ['queued'] } }, 0, 4))],
    });
    expect(replaced).toMatchObject({ changedRows: 3, refusedRows: 0, undo: 'Replace “song” in 3 rows' });
    isHeld = false;
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'hymn 2', 'hymn 3', 'hymn 4']);
  });

  test('a row that is typed into a running batch waits for the user’s word, and is sent once after it', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await rig.edit(batchId, { kind: 'insert-rows', at: { kind: 'end' }, where: 'below', count: 1 });
    await rig.set(batchId, 2, 'operation', 'music');
    await rig.set(batchId, 2, 'prompt', 'half a sen');
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'song 2']);
    expect((await statuses(rig, batchId))[2]).toContain('draft');

    await rig.set(batchId, 2, 'prompt', 'half a sentence');
    const released = await rig.editor.release(batchId);
    expect(released).toEqual({ ok: true, value: 1 });
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'song 2', 'half a sentence']);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 0 });
  });

  test.each<[string, (rig: SheetRig, batchId: string) => Promise<unknown>]>([
    ['made wrong', (rig, batchId) => rig.set(batchId, 1, 'operation', 'nonsense')],
    ['removed', async (rig, batchId) => rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 1) })],
    ['skipped', (rig, batchId) => rig.set(batchId, 1, 'skip', 'yes')],
    ['of fewer takes', (rig, batchId) => rig.set(batchId, 1, 'takes', '1')],
    [
      'one with another prompt and fewer takes',
      (rig, batchId) =>
        rig.block(batchId, 1, ['prompt', 'takes'], [['hymn', '1']]).then((edit) => rig.edit(batchId, edit)),
    ],
  ])('a row that waits and is %s waits again once that is undone, and is paid for once', async (_, change) => {
    const rig = new SheetRig();
    const rows = [
      ['s1', 'music', 'song 1', '', '', ''],
      ['s2', 'music', 'song 2', '2', '', ''],
    ];
    const batchId = await rig.bringIn([...HEADERS, 'skip'], rows, ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    await change(rig, batchId);
    expect(await waiting(rig, batchId)).toBeLessThan(2);
    for (let i = 0; i < 2; i += 1) {
      await rig.editor.undo(batchId);
      expect(await statuses(rig, batchId)).toEqual(['s1 rendering', 's2 queued']);
      expect(await waiting(rig, batchId)).toBe(2);
      if (i === 0) await rig.editor.redo(batchId);
    }
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'song 2', 'song 2']);
    expect(await rig.night.state(batchId)).toBe('finished');
  });

  test('a row that waits for one that is made wrong waits again with it once that is undone', async () => {
    const rig = new SheetRig();
    const rows = [...lines(2), ['s3', 'music', 'like {{s2.taskId}}', '', '']];
    const batchId = await rig.bringIn(HEADERS, rows, ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    for (const header of ['operation', 'row']) {
      await rig.set(batchId, 1, header, header === 'row' ? 's9' : 'nonsense');
      expect((await statuses(rig, batchId))[2]).toBe('s3 invalid');
      await rig.editor.undo(batchId);
      expect(await statuses(rig, batchId)).toEqual(['s1 rendering', 's2 queued', 's3 queued']);
    }
  });

  test('what was run after an edit is a draft again when the edit is undone and redone: that it waited is not redone', async () => {
    const rig = new SheetRig();
    const rows = [...lines(2), ['s3', 'music', 'like {{s2.taskId}}', '', '']];
    const batchId = await rig.bringIn(HEADERS, rows.with(1, ['s2', 'nonsense', 'song 2', '', '']), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    const edits = [
      () => rig.set(batchId, 1, 'operation', 'music'),
      async () => rig.edit(batchId, { kind: 'duplicate-rows', rows: await rig.keys(batchId, 0) }),
    ];
    for (const edit of edits) {
      await edit();
      const drafts = (await statuses(rig, batchId)).filter((row) => row.endsWith('draft'));
      expect(drafts.length).toBeGreaterThan(0);
      await rig.editor.release(batchId);
      const before = await statuses(rig, batchId);
      for (let i = 0; i < 2; i += 1) {
        await rig.editor.undo(batchId);
        await rig.editor.redo(batchId);
        expect((await statuses(rig, batchId)).filter((row) => row.endsWith('draft'))).toEqual(drafts);
      }
      await rig.editor.release(batchId);
      expect(await statuses(rig, batchId)).toEqual(before);
    }
  });

  test('undone once the batch has other limits or has ended, an edit that took waiting takes away leaves a draft', async () => {
    for (const since of ['limits', 'end', 'sent'] as const) {
      const rig = new SheetRig();
      const batchId = await rig.bringIn(HEADERS, lines(2), ONE_AT_A_TIME);
      await rig.night.scheduler.start(batchId);
      await untilRendering(rig, batchId);
      await rig.set(batchId, 1, 'operation', 'nonsense');
      if (since === 'limits')
        await rig.night.scheduler.configure(batchId, ({ settings }) => ({ ...settings, maxSubmits: 5 }));
      else if (since === 'end') await rig.night.untilRest(batchId);
      else {
        await rig
          .block(batchId, 1, ['operation', 'prompt'], [['music', 'hymn']])
          .then((edit) => rig.edit(batchId, edit));
        await rig.editor.release(batchId);
        await rig.night.untilRest(batchId);
        expect(prompts(rig)).toEqual(['song 1', 'hymn']);
        await rig.editor.undo(batchId);
      }
      await rig.editor.undo(batchId);
      expect((await statuses(rig, batchId))[1]).toBe('s2 draft');
    }
  });

  test('a row of which one take has ended and one waits is a draft once it is edited: nobody agreed to pay for both anew', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [['s1', 'music', 'song', '2', '']], ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    await rig.night.scheduler.pauseByUser(batchId);
    await rig.night.clock.advanceUntil(async () => (await rig.night.statuses(batchId)).includes('done'));
    expect(await rig.night.statuses(batchId)).toEqual(['done', 'queued']);

    await rig.set(batchId, 0, 'prompt', 'hymn');
    expect(await statuses(rig, batchId)).toEqual(['s1 draft']);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song']);

    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 2 });
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song', 'hymn', 'hymn']);
    // Three requests beside two takes: the ledger says what the third was for.
    const requests = await rig.night.opened.ledger.requests({ batchIds: [batchId] });
    expect(cameTo(requests, batchId)).toMatchObject({ requests: 3, earlier: 1 });
  });

  test('takes that are added to a waiting row are paid for after the user’s word, which may be given at once', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await untilRendering(rig, batchId);
    await rig.set(batchId, 1, 'takes', '3');
    expect(await rig.night.tasks(batchId)).toHaveLength(2);
    expect(await rig.night.opened.views.batchSummary(batchId)).toMatchObject({ draftSubmits: 2 });

    // It still waits with the take that was agreed to, and the others are let run all the same.
    expect((await statuses(rig, batchId))[1]).toBe('s2 queued');
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 2 });
    expect(await rig.night.opened.views.batchSummary(batchId)).toMatchObject({ draftSubmits: 0 });
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'song 2', 'song 2', 'song 2']);
  });

  test('an edit and a submit of the same moment: the row is sent with the one content or the other, never with both', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(1), ONE_AT_A_TIME);
    // The night takes the row right before the edit is written.
    const change = rig.sheets.change.bind(rig.sheets);
    let isFirst = true;
    const sheets: typeof rig.sheets = {
      ...rig.sheets,
      change: async (...input) => {
        if (isFirst) {
          isFirst = false;
          const [task] = await rig.night.store.tasksOfRow(batchId, 's1');
          if (task === undefined) throw new Error('no task');
          const next = { ...task, status: 'submitting' as const, revision: task.revision + 1 };
          const event = { kind: 'submit-started' } as const;
          await rig.night.store.commit([{ expectedRevision: task.revision, next, event, at: 1 }]);
        }
        return change(...input);
      },
    };
    Object.defineProperty(rig, 'sheets', { value: sheets });
    rig.reopen();
    const edited = await rig.set(batchId, 0, 'prompt', 'new');
    expect(edited).toMatchObject({ changedRows: 0, refusedRows: 1, refused: [{ row: 's1' }] });
    expect(await rig.texts(batchId, 'prompt')).toEqual([['song 1']]);
  });
});

test('an edit that the night cannot look at is made and told of all the same, and its batch pauses', async () => {
  const rig = new SheetRig();
  const { night } = rig;
  let isBroken = false;
  night.open((store) => ({
    ...store,
    batch: (id) => (isBroken ? Promise.reject(new Error('cannot be read')) : store.batch(id)),
  }));
  // The editor itself can read.
  night.store = night.opened.store;
  rig.reopen();
  const batchId = await rig.bringIn(HEADERS, lines(3), ONE_AT_A_TIME);
  await night.scheduler.start(batchId);
  await untilRendering(rig, batchId);
  isBroken = true;
  expect(await rig.set(batchId, 2, 'prompt', 'another song')).toMatchObject({ changedRows: 1 });
  expect(rig.changed).toEqual([batchId]);
  expect(night.bugs).toMatchObject([{ message: 'cannot be read' }]);
  expect(await night.state(batchId)).toBe('paused');
});

test('a committed edit is told of, though the night should fail', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, lines(1));
  rig.night.scheduler.sheetChanged = () => Promise.reject(new Error('a bug'));
  await expect(rig.set(batchId, 0, 'prompt', 'another song')).rejects.toThrow('a bug');
  expect(rig.changed).toEqual([batchId]);
});

test('whatever is edited during a night: nothing that was submitted is deleted, no draft is sent, nothing is sent twice', async () => {
  const place = fc.nat(9);
  const act = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('set' as const),
        at: place,
        header: fc.constantFrom('prompt', 'takes', 'operation'),
        text: fc.constantFrom('owl', 'fox', '2', '1', 'music', '', '{{s1.taskId}}'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'insert' as const,
          'remove' as const,
          'duplicate' as const,
          'again' as const,
          'keep' as const,
        ),
        at: place,
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('undo' as const, 'redo' as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 120_000 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('render' as const),
        at: fc.nat(1),
        text: fc.constantFrom('owl', 'fox'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('release' as const, 'pause' as const, 'start' as const, 'cut' as const),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 18 }), async (acts) => {
      const rig = new SheetRig();
      const { night } = rig;
      const codes = new Map<string, number>();
      const again = new Set<number>();
      night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
      const batchId = await rig.bringIn(HEADERS, lines(4), {
        settings: { profile: profileWith({ activePerFamily: { musicgen: 2 } }) },
      });
      await night.scheduler.start(batchId);
      let letRun = 4;
      for (const one of acts) {
        const count = await rig.sheets.countInView(batchId, {});
        const at = 'at' in one && count > 0 ? one.at % count : 0;
        const drafts = (await rig.rows(batchId)).filter(({ isDraft }) => isDraft);
        const submits = night.gateway.submits.length;
        const agreed = submits + (await waiting(rig, batchId));
        if (one.kind === 'wait') await night.clock.advance(one.ms);
        else if (one.kind === 'undo') await rig.editor.undo(batchId);
        else if (one.kind === 'redo') await rig.editor.redo(batchId);
        else if (one.kind === 'release') {
          await rig.editor.release(batchId);
          await night.scheduler.start(batchId);
        } else if (one.kind === 'render') {
          if (count > 0) await rig.set(batchId, at, 'prompt', one.text);
          await rig.editor.release(batchId);
          await night.scheduler.start(batchId);
          await night.clock.advance(10 * 60_000);
        } else if (one.kind === 'pause') await night.scheduler.pauseByUser(batchId);
        else if (one.kind === 'start') await night.scheduler.start(batchId);
        else if (one.kind === 'cut') {
          night.open();
          rig.reopen();
          await night.scheduler.attach(batchId);
        } else if (count > 0 && one.kind === 'set') await rig.set(batchId, at, one.header, one.text);
        else if (count > 0 && one.kind === 'insert') {
          await rig.editor.edit(batchId, {
            kind: 'insert-rows',
            at: await rig.at(batchId, at),
            where: 'below',
            count: 1,
          });
        } else if (count > 0 && one.kind === 'again') {
          const rows = await rig.keys(batchId, at);
          for (const key of rows) again.add(key);
          await rig.editor.edit(batchId, { kind: 'render-again', rows });
        } else if (count > 0 && one.kind === 'keep') {
          await rig.editor.edit(batchId, { kind: 'keep-earlier', rows: await rig.keys(batchId, at) });
        } else if (count > 0 && one.kind === 'remove') {
          await rig.editor.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, at) });
        } else if (count > 0 && one.kind === 'duplicate') {
          await rig.editor.edit(batchId, { kind: 'duplicate-rows', rows: await rig.keys(batchId, at) });
        }
        // Nothing is agreed to be paid for but by the user's word; what waited may only come back.
        const now = night.gateway.submits.length + (await waiting(rig, batchId));
        if (one.kind === 'release' || one.kind === 'render') letRun += Math.max(0, now - agreed);
        else expect(now).toBeLessThanOrEqual(one.kind === 'undo' || one.kind === 'redo' ? letRun : agreed);
        // Waiting alone lets no draft go.
        if (one.kind === 'wait' && drafts.length > 0) {
          const now = new Map((await rig.rows(batchId)).map((row) => [row.key, row]));
          for (const draft of drafts) expect(now.get(draft.key)?.tasks.length).toBe(draft.tasks.length);
        }
        expect(night.gateway.submits.length).toBeGreaterThanOrEqual(submits);
        for (let nth = 1; nth <= night.gateway.submits.length; nth += 1) {
          const code = `code-${nth}`;
          const known = await night.store.isTaskCodeKnown(batchId, code);
          // Once it is known, for ever.
          if (codes.has(code)) expect(known).toBe(true);
          if (known) codes.set(code, nth);
        }
      }
      await rig.editor.release(batchId);
      await night.scheduler.start(batchId);
      await night.untilRest(batchId);
      expect(await night.store.submitsUsed(batchId)).toBe(night.gateway.submits.length);
      const drafts = (await rig.rows(batchId)).filter(({ isDraft }) => isDraft);
      expect(drafts).toEqual([]);
      for (const { key, tasks } of await rig.rows(batchId)) {
        const earlier = [...((await rig.sheets.earlierTasks(batchId, [key])).get(key) ?? [])].map(({ task }) => task);
        const done = [...tasks, ...earlier].filter(({ status }) => status === 'done');
        const sent = await Promise.all(
          done.map(async ({ id, take, operation }) => {
            const [attempt] = await night.store.attempts(id);
            return `${operation} ${take} ${new TextDecoder().decode(attempt?.body)}`;
          }),
        );
        // What other rows gave may be something else each time; all else is paid once, unless the user wants it anew.
        const own = sent.filter((one) => !one.includes('code-'));
        if (!again.has(key)) expect(new Set(own).size).toBe(own.length);
      }
      for (const { row, tasks } of await rig.rows(batchId)) {
        expect(new Set(tasks.map(({ take }) => take)).size).toBe(tasks.length);
        // What a row shows as done was rendered of what it says.
        for (const task of tasks) {
          if (task.status !== 'done' || task.taskCode === undefined) continue;
          const sent = night.gateway.submits[Number(task.taskCode.slice('code-'.length)) - 1];
          if (row.links === undefined) expect(JSON.parse(sent?.body ?? '')).toEqual(row.body);
        }
      }
      expect(await night.opened.whole.checkIntegrity()).toEqual([]);
      expect(night.bugs).toEqual([]);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 40) },
  );
}, 120_000);
