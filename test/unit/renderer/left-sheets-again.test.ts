/** What becomes of a sheet that was left: when, and in place of what, it is opened again, and for how long it is kept. */
import { describe, expect, test } from 'vitest';
import { beginningOf } from '../../../src/renderer/state/opening/start-forms.ts';
import { type SheetUnderstanding } from '../../../src/renderer/state/opening/sheet-understanding.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import { bringingInRig, column, NOT_FOUND, REFUSED, UNAVAILABLE } from './bringing-in-rig.ts';
import { makeBatch, makeBeginning } from './make-view.ts';
import { settle } from './manual-schedule.ts';
import {
  columns,
  refused,
  interpreted,
  said,
  saidAll,
  shownIn,
  all,
  accountsOf,
  ofVariables,
  pastedAs,
  raw,
  other,
  from,
  anew,
} from './left-sheet-rig.ts';

describe('a sheet that is left before it can be imported', () => {
  test('of which only the beginning was there is opened again, and read no further', async () => {
    const before = bringingInRig();
    before.hold();
    void before.bringIn.openRecent('songs');
    before.bringIn.showBeginning(makeBeginning({ recentId: 'songs', name: 'songs.csv', columns }));
    const { open } = before.bringIn.store.getState();
    if (open === undefined) throw new Error('No sheet is open.');
    before.startForms.change('sheet-1', beginningOf(open, []), { name: 'My night' });
    before.bringIn.keeping.leave();
    expect(before.asked.at(-1)).toMatchObject({ route: 'sheet.close', input: { sheetId: 'sheet-1' } });
    const after = from(before, anew());
    after.hold((route) => route === 'sheet.openRecent');
    await after.bringIn.keeping.takeUp(true);
    await settle();
    // Again the page ends, before anything of it is there.
    after.bringIn.keeping.leave();
    const last = from(after, anew());
    await last.bringIn.keeping.takeUp(true);
    await settle();
    expect(shownIn(last)).toMatchObject({ sheetId: 'again', name: 'My night' });
  });

  test('stays a rehearsal, also from its file', async () => {
    for (const answers of [{ 'sheet.interpret': interpreted }, anew()]) {
      const before = bringingInRig({ 'sheet.choose': () => refused() }, { lacksGateway: false });
      await before.bringIn.choose(true);
      before.bringIn.keeping.leave();
      const after = bringingInRig(answers, { lacksGateway: false, kept: before.kept() });
      await after.bringIn.keeping.takeUp(true);
      await settle();
      expect(after.bringIn.store.getState().open?.isRehearsal).toBe(true);
    }
  });

  test('is read as it was when it is read once more in yet another way', async () => {
    const before = await saidAll({ 'sheet.reread': () => refused() }, raw());
    await before.bringIn.reread('sheet-1', { headerLine: 3 });
    before.bringIn.keeping.leave();
    const after = from(before, { 'sheet.interpret': interpreted, 'sheet.reread': () => refused() });
    await after.bringIn.keeping.takeUp(true);
    await after.bringIn.reread('sheet-1', { delimiter: ';' });
    const reread = after.asked.find(({ route }) => route === 'sheet.reread');
    expect(reread?.input).toEqual({ sheetId: 'sheet-1', headerLine: 3, delimiter: ';' });
  });

  test('is taken up in place of nothing that the user has opened since', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const after = from(before, { 'sheet.interpret': interpreted });
    after.hold();
    const taking = after.bringIn.keeping.takeUp(true);
    after.bringIn.show(other());
    after.hold(() => false);
    after.asked[0]?.answer();
    await taking;
    expect(after.open()?.sheetId).toBe('other');
  });

  test('waits for an application that is away, and for no disk', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const away = from(before, { 'sheet.interpret': () => UNAVAILABLE });
    await away.bringIn.keeping.takeUp(true);
    const after = from(away, anew());
    after.hold((route) => route === 'sheet.recent');
    await after.bringIn.keeping.takeUp(true);
    after.hold(() => false);
    after.asked.at(-1)?.answer();
    await settle();
    expect(shownIn(after)).toMatchObject(all);
  });

  test('to another engine is opened from its file, and where it cannot be read, what was said is kept', async () => {
    const rig = await saidAll(anew());
    await rig.bringIn.openAnew();
    await settle();
    expect(shownIn(rig)).toMatchObject({ sheetId: 'again', name: 'My night', limitText: '3' });

    const read = bringingInRig(anew({ 'sheet.openRecent': () => REFUSED }));
    read.hold();
    const opening = read.bringIn.openRecent('songs');
    read.bringIn.showBeginning(makeBeginning({ recentId: 'songs', name: 'songs.csv', columns }));
    const { open } = read.bringIn.store.getState();
    if (open === undefined) throw new Error('No sheet is open.');
    read.startForms.change('sheet-1', beginningOf(open, []), { name: 'My night' });
    read.hold(() => false);
    read.asked[0]?.answer();
    await opening;
    expect([read.open(), read.notices]).toEqual([undefined, ['Refused: sheet.openRecent']]);
    read.bringIn.show(refused({ sheetId: 'again' }));
    expect(shownIn(read)).toMatchObject({ name: 'My night' });
  });

  test('by “Discard” comes back over what was opened of it since, or says why it cannot', async () => {
    const rig = await saidAll();
    rig.bringIn.close();
    rig.bringIn.show(refused({ sheetId: 'again' }));
    expect(shownIn(rig)).toMatchObject({ name: undefined });
    rig.undo();
    await settle();
    expect(shownIn(rig)).toEqual({ sheetId: 'sheet-1', ...all });

    const away = await saidAll();
    away.bringIn.close();
    const { length } = away.notices;
    const without = bringingInRig({ 'sheet.interpret': () => UNAVAILABLE });
    without.bringIn.show(refused());
    without.startForms.change(
      'sheet-1',
      { name: '', wantsRehearsal: true, folder: undefined, limitText: '' },
      { name: 'N' },
    );
    without.bringIn.close();
    without.undo();
    await settle();
    expect(without.notices).toHaveLength(length + 1);
  });

  test('by “Discard” is forgotten, also what was said of it before', async () => {
    const rig = await saidAll();
    rig.bringIn.show(other());
    rig.bringIn.showBeginning(makeBeginning({ sheetId: 'again', recentId: 'songs', name: 'songs.csv', columns }));
    rig.bringIn.close();
    expect(JSON.parse(rig.kept() ?? '')).toEqual([]);
  });

  test('is forgotten with its file', async () => {
    const rig = await saidAll();
    rig.bringIn.show(other());
    await rig.bringIn.forgetRecent('songs');
    expect(JSON.parse(rig.kept() ?? '')).toEqual([]);
  });

  test('and is another table with the same headers is not taken for it', async () => {
    const rig = await saidAll({}, pastedAs('first', 'A lighthouse'));
    rig.bringIn.show(pastedAs('second', 'A harbour'));
    await settle();
    expect(shownIn(rig)).toMatchObject({ name: undefined });
    rig.bringIn.show(pastedAs('third', 'A lighthouse'));
    await settle();
    expect(shownIn(rig)).toMatchObject({ name: 'My night' });
  });

  test('is kept as far as there is room, the newest ones first', async () => {
    const rig = bringingInRig({}, { fits: (text) => text.length < 2_000 });
    const leave = (name: string): void => {
      rig.bringIn.show(refused({ sheetId: name, recentId: name, name }));
      rig.startForms.change(name, { name, wantsRehearsal: true, folder: undefined, limitText: '' }, { limitText: '3' });
    };
    for (let count = 1; count <= 10; count += 1) leave(`sheet ${count}`);
    rig.bringIn.show(other());
    const kept = (JSON.parse(rig.kept() ?? '') as { name: string }[]).map(({ name }) => name);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.slice(0, 2)).toEqual(['sheet 10', 'sheet 9']);
    // One that nobody can read takes no other with it; what did not fit is kept by this page, and no more than eight.
    const broken = JSON.stringify([{ name: 1 }, ...(JSON.parse(rig.kept() ?? '') as unknown[])]);
    const after = bringingInRig({}, { kept: broken });
    after.bringIn.show(refused({ sheetId: 'again', recentId: 'sheet 9', name: 'sheet 9' }));
    expect(shownIn(after)).toMatchObject({ limitText: '3' });
    for (const [name, limitText] of [
      ['sheet 3', '3'],
      ['sheet 2', undefined],
    ] as const) {
      rig.bringIn.show(refused({ sheetId: `${name} again`, recentId: name, name }));
      expect(shownIn(rig)).toMatchObject({ limitText });
    }
  });

  test('by a crash of its page is taken up as it was a moment before', async () => {
    const before = await saidAll();
    const after = from(before, { 'sheet.interpret': interpreted });
    await after.bringIn.keeping.takeUp(true);
    await settle();
    expect(shownIn(after)).toEqual({ sheetId: 'sheet-1', ...all });
    // Also the next time, though nothing was said since.
    const again = from(after, { 'sheet.interpret': interpreted });
    await again.bringIn.keeping.takeUp(true);
    await settle();
    expect(shownIn(again)).toEqual({ sheetId: 'sheet-1', ...all });
    // What has become a batch is not open any more.
    const made = await saidAll({ 'batch.create': () => makeBatch() }, refused({ problems: [] }));
    await made.newBatches.create(false);
    expect(JSON.parse(made.kept() ?? '')).toEqual([]);
  });

  test('keeps what was said about columns that its file still has, and about its variables', async () => {
    const rig = await saidAll();
    await rig.bringIn.interpret({ mapping: { Text: 'prompt', Mood: 'style' } });
    const changed = [column('Text', 'unknown'), column('operation', 'exact', 'operation')];
    rig.bringIn.show(refused({ sheetId: 'again', columns: changed, problems: [] }));
    await settle();
    expect(rig.asked.at(-1)?.input).toMatchObject({ mapping: { Text: 'prompt' }, variables: { who: 'Ada' } });
    expect(rig.asked.at(-1)?.input).not.toHaveProperty('mapping.Mood');
  });

  test('keeps what was said about each tab of its workbook', async () => {
    const tabs: Readonly<Record<string, SheetView['columns']>> = { One: columns, Two: [column('Ort', 'unknown')] };
    const tabOf = ({ sheetId, sheet = 'One' }: { sheetId: string; sheet?: string }): SheetView =>
      refused({ sheetId, sheet, columns: tabs[sheet] ?? [] });
    const ofTab = (input: SheetUnderstanding & { sheetId: string }): SheetView => {
      const { sheet } = (rig.open() ?? {}) as { sheet?: string };
      return {
        ...tabOf({ sheetId: input.sheetId, ...(sheet !== undefined && { sheet }) }),
        variables: input.variables,
      };
    };
    let rig = bringingInRig({ 'sheet.interpret': ofTab, 'sheet.reread': tabOf });
    rig.bringIn.show(tabOf({ sheetId: 'sheet-1' }));
    await rig.bringIn.interpret({ variables: { place: 'Ulm' } });
    await rig.bringIn.reread('sheet-1', { sheet: 'Two' });
    await rig.bringIn.interpret({ variables: { town: 'Bern' } });
    rig.bringIn.keeping.leave();
    const kept = rig.kept();
    rig = bringingInRig(
      {
        'sheet.interpret': (input: never) => ({
          ...tabOf({ sheetId: 'sheet-1', sheet: 'Two' }),
          ...ofVariables(input),
        }),
        'sheet.reread': tabOf,
      },
      { kept },
    );
    await rig.bringIn.keeping.takeUp(true);
    await settle();
    expect(rig.open()?.variables).toEqual({ town: 'Bern' });
    await rig.bringIn.reread('sheet-1', { sheet: 'One' });
    expect(rig.asked.at(-1)?.input).toMatchObject({ variables: { place: 'Ulm' } });
  });

  test('and was pasted is imported though nothing was answered, or can be opened again', async () => {
    const pasted = { recentId: undefined, name: 'Pasted table', format: 'clipboard' } as const;
    const ofTable = (input: SheetUnderstanding & { sheetId: string }): SheetView => ({
      ...interpreted(input),
      ...pasted,
    });
    const whole = bringingInRig({
      'sheet.interpret': (input: never) => ({ ...ofTable(input), problems: [] }),
      'batch.create': () => makeBatch({ name: 'Pasted table' }),
    });
    whole.bringIn.show(refused({ ...pasted, problems: [] }));
    await whole.bringIn.interpret({ variables: { who: 'Ada' } });
    whole.bringIn.show(other());
    await settle();
    expect(whole.notices).toEqual(['“Pasted table” was imported but not started.']);

    const rig = bringingInRig({ 'sheet.interpret': ofTable });
    rig.bringIn.show(refused(pasted));
    await rig.bringIn.interpret({ variables: { who: 'Ada' } });
    rig.bringIn.show(other());
    await settle();
    expect(rig.notices).toEqual(['“Pasted table” was closed: it cannot be imported yet.']);
    rig.undo();
    await settle();
    expect(rig.open()).toMatchObject({ sheetId: 'sheet-1', variables: { who: 'Ada' } });
    // It is no longer closed.
    expect(rig.done).toEqual(rig.notices.slice(0, 1));
  });

  test('and was pasted is told of after the next start, as gone or as a batch', async () => {
    const pasted = { recentId: undefined, name: 'Pasted table', format: 'clipboard' } as const;
    const gone = await saidAll({}, refused(pasted));
    gone.bringIn.keeping.leave();
    const after = from(gone, { 'sheet.interpret': () => NOT_FOUND });
    await after.bringIn.keeping.takeUp(true);
    expect(after.notices).toEqual(['“Pasted table” is no longer open']);

    const made = await saidAll({ 'batch.create': () => makeBatch() }, refused({ ...pasted, problems: [] }));
    made.bringIn.keeping.leave();
    const batch = makeBatch({ name: 'My night', state: 'ready', sheetId: 'sheet-1' });
    const answers = { 'sheet.interpret': () => NOT_FOUND, 'batch.list': () => [makeBatch(), batch] };
    const next = bringingInRig(answers, { kept: made.kept() });
    await next.bringIn.keeping.takeUp(true);
    expect(next.notices).toEqual(['“My night” was imported but not started.']);
    expect(JSON.parse(next.kept() ?? '')).toEqual([]);
    // It was refused: the table is still open, with every answer.
    const ofTable = (input: SheetUnderstanding & { sheetId: string }) => ({ ...interpreted(input), ...pasted });
    const still = bringingInRig({ 'sheet.interpret': ofTable }, { kept: made.kept() });
    await still.bringIn.keeping.takeUp(true);
    expect(still.startForms.store.getState()['sheet-1']).toMatchObject({ name: 'My night' });
  });

  test('keeps no answer that was taken back', async () => {
    const rig = bringingInRig({ 'sheet.interpret': interpreted });
    rig.bringIn.show(refused());
    await rig.bringIn.interpret({ choices: 'expand', variables: { who: 'Ada' } });
    expect(JSON.parse(rig.kept() ?? '')).toHaveLength(1);
    await rig.bringIn.interpret({ choices: 'draw', variables: {} });
    expect(JSON.parse(rig.kept() ?? '')).toEqual([]);
  });

  test.each([REFUSED, UNAVAILABLE])('keeps what was said where it cannot be said again: $error.code', async (no) => {
    const accounts = {
      list: ['a', 'b'].map((name) => ({ name, profile: name, limit: {} })),
    };
    const before = await saidAll({
      'sheet.interpret': (input: never) => ({ ...interpreted(input), ...accountsOf(input) }),
    });
    await before.bringIn.checkFor(accounts);
    before.bringIn.show(other());
    const answers = {
      'sheet.interpret': (input: never) =>
        no === UNAVAILABLE || accountsOf(input).accounts !== undefined ? no : interpreted(input),
    };
    const after = from(before, answers);
    after.bringIn.show(refused({ sheetId: 'again' }));
    await settle();
    if (no === REFUSED) expect(shownIn(after)).toEqual({ sheetId: 'again', ...all });
    const last = from(after, { 'sheet.interpret': interpreted });
    last.bringIn.show(refused({ sheetId: 'last' }));
    await settle();
    expect(shownIn(last)).toEqual({ sheetId: 'last', ...all });
  });

  test('while a batch is being made of it, by a crash of its page, is not opened again without its user', async () => {
    const rig = await saidAll({ 'batch.create': () => makeBatch() }, refused({ problems: [] }));
    rig.hold((route) => route === 'batch.create');
    void rig.newBatches.create(true);
    const next = from(rig, anew());
    await next.bringIn.keeping.takeUp(true);
    await settle();
    expect([next.open(), next.notices]).toEqual([undefined, ['“songs.csv” is no longer open']]);
    // At the end of the page, a check that is still under way changes nothing of that.
    rig.bringIn.keeping.leave();
    await rig.bringIn.interpret({ variables: {} });
    expect(JSON.parse(rig.kept() ?? '')).toMatchObject([{ wasOpen: 'importing' }]);
  });

  test('and has become a batch is forgotten, also by a page that knows only what was kept before', async () => {
    const rig = bringingInRig({ 'batch.create': () => makeBatch() }, { isCutShort: true });
    rig.bringIn.show(refused({ problems: [] }));
    rig.hold((route) => route === 'batch.create');
    const started = rig.newBatches.create(true);
    const during = rig.kept();
    expect(JSON.parse(during ?? '')).toMatchObject([{ sheetId: 'sheet-1', wasOpen: 'importing' }]);
    rig.asked.find(({ route }) => route === 'batch.create')?.answer();
    await started;
    expect(JSON.parse(rig.kept() ?? '')).toEqual([]);

    // Killed before that was on the disk: the batch says what it was made of, whatever it is called.
    const before = await saidAll();
    for (const kept of [during, before.kept()]) {
      const batches = [
        makeBatch({ name: 'My night' }),
        makeBatch({ name: 'Renamed', state: 'running', sheetId: 'sheet-1' }),
      ];
      const next = bringingInRig({ ...anew(), 'batch.list': () => batches }, { kept });
      await next.bringIn.keeping.takeUp(true);
      await settle();
      expect([next.open(), next.notices, JSON.parse(next.kept() ?? '')]).toEqual([undefined, [], []]);
    }
    // Without an engine, nobody knows.
    const away = bringingInRig({ ...anew(), 'batch.list': () => UNAVAILABLE }, { kept: during });
    await away.bringIn.keeping.takeUp(true);
    expect([away.notices, away.kept()]).toEqual([[], during]);
  });

  test('and opened again while it is imported for another one is a new one', async () => {
    const rig = await saidAll({ 'batch.create': () => makeBatch() }, refused({ problems: [] }));
    rig.hold((route) => route === 'batch.create');
    rig.bringIn.show(other());
    rig.bringIn.show(refused({ sheetId: 'again', problems: [] }));
    expect(shownIn(rig)).toMatchObject({ name: undefined, variables: {} });
    await rig.bringIn.interpret({ variables: { who: 'Eve' } });
    rig.asked.find(({ route }) => route === 'batch.create')?.answer();
    await settle();
    expect(JSON.parse(rig.kept() ?? '')).toMatchObject([
      { sheetId: 'again', understanding: { variables: { who: 'Eve' } } },
    ]);
  });

  test('and was pasted is known again though a correction has changed its first row', async () => {
    const rig = bringingInRig({
      'sheet.interpret': ({ sheetId }: { sheetId: string }) => pastedAs(sheetId, 'A harbour'),
      'batch.create': () => makeBatch(),
    });
    rig.bringIn.show(pastedAs('first', 'A hrabour'));
    await rig.bringIn.interpret({ variables: { who: 'Ada' } });
    rig.startForms.change(
      'first',
      { name: '', wantsRehearsal: true, folder: undefined, limitText: '' },
      { limitText: '3' },
    );
    expect(JSON.parse(rig.kept() ?? '')).toMatchObject([{ firstRow: ['A hrabour'] }]);
  });

  test('keeps what is said while it is read again, and stays behind where it is not on screen', async () => {
    const rig = bringingInRig({ 'sheet.interpret': interpreted, 'sheet.reread': () => refused() });
    rig.bringIn.show(refused());
    rig.hold((route) => route === 'sheet.reread');
    const reading = rig.bringIn.reread('sheet-1', { encoding: 'gbk' });
    await rig.bringIn.interpret({ variables: { who: 'Ada' } });
    rig.asked.at(-1)?.answer();
    await reading;
    expect(rig.open()?.variables).toEqual({ who: 'Ada' });
    rig.goElsewhere();
    await rig.bringIn.interpret({ variables: { who: 'Eve' } });
    const after = from(rig, { 'sheet.interpret': interpreted });
    await after.bringIn.keeping.takeUp(true);
    expect([after.shown, after.open()?.variables]).toEqual([[], { who: 'Eve' }]);
  });

  test('by whose file another tab is shown is given nothing that was said of the one that is gone', async () => {
    const before = bringingInRig({ 'sheet.interpret': interpreted, 'sheet.reread': () => refused({ sheet: 'Two' }) });
    before.bringIn.show(refused({ sheet: 'One', columns: [column('Ort', 'unknown')] }));
    await before.bringIn.reread('sheet-1', { sheet: 'Two' });
    await before.bringIn.interpret(said);
    before.bringIn.keeping.leave();
    const one = refused({ sheetId: 'again', sheet: 'One', columns: [column('Ort', 'unknown')] });
    const after = from(before, anew({ 'sheet.openRecent': () => one, 'sheet.reread': () => REFUSED }));
    await after.bringIn.keeping.takeUp(true);
    await settle();
    expect(after.open()).toMatchObject({ sheet: 'One', variables: {} });
    await after.bringIn.reread('again', { headerLine: 2 });
    expect(after.asked.at(-1)?.input).toEqual({ sheetId: 'again', headerLine: 2 });
  });
});
