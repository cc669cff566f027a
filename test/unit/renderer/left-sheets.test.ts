/** What becomes of the answers about a sheet that is left before it is a batch. */
import { describe, expect, test } from 'vitest';
import { beginningOf } from '../../../src/renderer/state/opening/start-forms.ts';
import { understandingOf, type SheetUnderstanding } from '../../../src/renderer/state/opening/sheet-understanding.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import { type Answers, bringingInRig, column, NOT_FOUND, REFUSED, UNAVAILABLE } from './bringing-in-rig.ts';
import { makeBatch, makeBeginning, makeSheet } from './make-view.ts';
import { settle } from './manual-schedule.ts';

describe('a sheet that is left before it can be imported', () => {
  const NO_OPERATION: SheetView['problems'][number] = {
    severity: 'error',
    code: 'no-operation-column',
    message: 'No column names an operation.',
    remedy: 'Choose one.',
    count: 1,
    lines: [],
  };
  const columns = [column('Text', 'unknown'), column('Mood', 'unknown')];
  const refused = (changes: Partial<SheetView> = {}): SheetView =>
    makeSheet({ recentId: 'songs', name: 'songs.csv', columns, problems: [NO_OPERATION], runnableRows: 0, ...changes });
  /** As the application answers: what it is told is how it is. */
  const interpreted = ({ sheetId, mapping, variables, choices }: SheetUnderstanding & { sheetId: string }): SheetView =>
    refused({
      sheetId,
      variables,
      choices,
      columns: columns.map((one) =>
        one.header in mapping ? column(one.header, 'chosen', mapping[one.header] ?? '') : one,
      ),
    });
  const said = { mapping: { Text: 'prompt' }, variables: { who: 'Ada' }, choices: 'expand' } as const;
  const recent = [{ recentId: 'songs', name: 'songs.csv', folder: '/home/ada', openedAt: 1, isThere: true }];

  async function saidAll(answers: Answers = {}, sheet = refused()) {
    const { recentId, name, format, problems, preview } = sheet;
    const all = bringingInRig({
      'sheet.interpret': (input: SheetUnderstanding & { sheetId: string }) => ({
        ...interpreted(input),
        recentId,
        name,
        format,
        problems,
        preview,
      }),
      'sheet.recent': () => recent,
      ...answers,
    });
    all.bringIn.show(sheet);
    await all.bringIn.interpret(said);
    const { open } = all.bringIn.store.getState();
    if (open === undefined) throw new Error('No sheet is open.');
    all.startForms.change(sheet.sheetId, beginningOf(open, []), { name: 'My night', limitText: '3' });
    return all;
  }
  const shownIn = ({ startForms, open }: ReturnType<typeof bringingInRig>) => {
    const sheet = open();
    if (sheet === undefined) return undefined;
    const { name, limitText } = startForms.store.getState()[sheet.sheetId] ?? {};
    return { sheetId: sheet.sheetId, name, limitText, ...understandingOf(sheet) };
  };
  const all = { name: 'My night', limitText: '3', ...said };

  test('by another page is taken up as the application has it, with every answer', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const after = bringingInRig({ 'sheet.interpret': interpreted }, { kept: before.kept() });
    await after.bringIn.keeping.takeUp(true);
    await settle();
    expect(shownIn(after)).toEqual({ sheetId: 'sheet-1', ...all });
    expect(after.shown).toEqual(['sheet']);
    expect(after.notices).toEqual([]);
  });

  test('and stays behind the screen on which the language was chosen', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const after = bringingInRig({ 'sheet.interpret': interpreted }, { kept: before.kept() });
    await after.bringIn.keeping.takeUp(false);
    expect(shownIn(after)).toMatchObject(all);
    expect(after.shown).toEqual([]);
  });

  test('with the application is opened again from its file, and read and understood as it was', async () => {
    const raw = refused({ columns: [column('A', 'unknown')] });
    const before = await saidAll({ 'sheet.reread': () => refused() }, raw);
    await before.bringIn.reread('sheet-1', { headerLine: 3 });
    await before.bringIn.interpret(said);
    before.bringIn.keeping.leave();

    const again = { 'sheet.openRecent': () => ({ ...raw, sheetId: 'again' }), 'sheet.recent': () => recent };
    const reread = ({ sheetId, headerLine }: { sheetId: string; headerLine?: number }) =>
      headerLine === 3 ? refused({ sheetId }) : { ...raw, sheetId };
    const isKnown = ({ sheetId }: { sheetId: string }): boolean => sheetId === 'again';
    const after = bringingInRig(
      {
        ...again,
        'sheet.reread': reread,
        'sheet.interpret': (input: SheetUnderstanding & { sheetId: string }) =>
          isKnown(input) ? interpreted(input) : NOT_FOUND,
      },
      { kept: before.kept() },
    );
    await after.bringIn.keeping.takeUp(true);
    await settle();
    expect(shownIn(after)).toEqual({ sheetId: 'again', ...all });
    expect(after.asked.find(({ route }) => route === 'sheet.reread')?.input).toEqual({
      sheetId: 'again',
      headerLine: 3,
    });
  });

  test('with a file that is gone is told of, and what was said applies once it is opened again', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const answers = {
      'sheet.interpret': () => NOT_FOUND,
      'sheet.recent': () => recent.map((one) => ({ ...one, isThere: false })),
    };
    const after = bringingInRig(answers, { kept: before.kept() });
    await after.bringIn.keeping.takeUp(true);
    expect([after.open(), after.notices]).toEqual([undefined, ['“songs.csv” is no longer open']]);
    const later = bringingInRig({ 'sheet.interpret': interpreted }, { kept: after.kept() });
    // It was open long ago.
    await later.bringIn.keeping.takeUp(true);
    expect(later.open()).toBeUndefined();
    later.bringIn.show(refused({ sheetId: 'later' }));
    await settle();
    expect(shownIn(later)).toEqual({ sheetId: 'later', ...all });
  });

  test('gives way to another one with a word, and is as it was when it is opened again', async () => {
    const both = await saidAll();
    both.bringIn.show(makeSheet({ sheetId: 'other', recentId: 'other', name: 'other.csv' }));
    expect(both.notices).toEqual(['“songs.csv” was closed: it cannot be imported yet.']);
    expect(both.asked.map(({ route }) => route)).not.toContain('batch.create');
    both.bringIn.show(refused({ sheetId: 'again' }));
    await settle();
    expect(shownIn(both)).toEqual({ sheetId: 'again', ...all });
  });

  test('is opened once more while it is open: what was said is said of it as it is now', async () => {
    const twice = await saidAll({ 'batch.create': () => makeBatch() }, refused({ problems: [] }));
    twice.bringIn.show(refused({ sheetId: 'again', problems: [] }));
    await settle();
    expect(shownIn(twice)).toEqual({ sheetId: 'again', ...all });
    expect(twice.asked.map(({ route }) => route)).not.toContain('batch.create');
  });

  test('where it cannot be imported for another reason, is kept in the same way', async () => {
    const other = await saidAll({}, refused({ problems: [] }));
    other.bringIn.show(makeSheet({ sheetId: 'other', recentId: 'other', name: 'other.csv' }));
    await settle();
    expect(other.asked.map(({ route }) => route)).toContain('batch.create');
    other.bringIn.show(refused({ sheetId: 'again', problems: [] }));
    await settle();
    expect(shownIn(other)).toEqual({ sheetId: 'again', ...all });
  });

  test('with no answer but a variable is as it was, and keeps what is known of its columns since', async () => {
    const known = ({ sheetId }: { sheetId: string }): SheetView =>
      refused({ sheetId, columns: [column('Text', 'unknown'), column('Mood', 'chosen', 'style')] });
    const plain = bringingInRig({ 'sheet.interpret': interpreted });
    plain.bringIn.show(refused());
    await plain.bringIn.interpret({ variables: { who: 'Ada' } });
    plain.bringIn.show(makeSheet({ sheetId: 'other', recentId: 'other', name: 'other.csv' }));
    expect(plain.notices).toEqual([]);
    plain.bringIn.show(known({ sheetId: 'again' }));
    await settle();
    expect(shownIn(plain)).toMatchObject({ mapping: { Mood: 'style' }, variables: { who: 'Ada' } });
  });

  test('by “Discard” comes back when that is taken back, also in place of another one', async () => {
    const before = await saidAll();
    before.bringIn.close();
    expect([before.open(), before.notices]).toEqual([undefined, ['“songs.csv” was discarded']]);
    // It was thrown away: the next page knows nothing of it.
    const after = bringingInRig({ 'sheet.interpret': interpreted }, { kept: before.kept() });
    await after.bringIn.keeping.takeUp(true);
    expect(after.open()).toBeUndefined();

    before.bringIn.show(makeSheet({ sheetId: 'other', recentId: 'other', name: 'other.csv' }));
    before.undo();
    await settle();
    expect(shownIn(before)).toEqual({ sheetId: 'sheet-1', ...all });
  });

  test.each([
    ['asked for', () => other()],
    ['asked for, and cannot be', () => REFUSED],
  ])('comes back once another that is %s is open', async (_, answer) => {
    const rig = await saidAll({ 'sheet.openRecent': answer });
    rig.bringIn.close();
    rig.hold((route) => route === 'sheet.openRecent');
    const opening = rig.bringIn.openRecent('other');
    rig.undo();
    await settle();
    expect(rig.open()).toBeUndefined();
    rig.asked.find(({ route }) => route === 'sheet.openRecent')?.answer();
    await opening;
    await settle();
    expect(shownIn(rig)).toEqual({ sheetId: 'sheet-1', ...all });
  });

  test('comes back also if another is asked for after that', async () => {
    const rig = await saidAll({ 'sheet.openRecent': other });
    rig.bringIn.close();
    rig.hold();
    rig.undo();
    await settle();
    const opening = rig.bringIn.openRecent('other');
    rig.hold(() => false);
    for (const { answer } of rig.asked) answer();
    await opening;
    await settle();
    expect(shownIn(rig)).toEqual({ sheetId: 'sheet-1', ...all });
  });

  test('that was pasted is imported with the window, or else said again of the same table', async () => {
    const pasted = { recentId: undefined, name: 'Pasted table', format: 'clipboard' } as const;
    const whole = await saidAll({ 'batch.create': () => makeBatch() }, refused({ ...pasted, problems: [] }));
    whole.bringIn.keeping.leave();
    expect(whole.asked.at(-1)).toMatchObject({ route: 'batch.create', input: { name: 'My night', maxSubmits: 3 } });

    const before = await saidAll({}, refused(pasted));
    before.bringIn.keeping.leave();
    expect(before.asked.map(({ route }) => route)).not.toContain('batch.create');
    const after = bringingInRig({ 'sheet.interpret': interpreted }, { kept: before.kept() });
    after.bringIn.show(refused({ ...pasted, sheetId: 'again' }));
    await settle();
    expect(shownIn(after)).toMatchObject({ name: 'My night', limitText: '3' });
  });

  test('and what was kept by another version, or by nobody, is nothing', async () => {
    for (const kept of ['', '{', '[{"sheetId":1}]', '{"a":2}']) {
      const { bringIn, asked } = bringingInRig({}, { kept: kept });
      await bringIn.keeping.takeUp(true);
      expect(asked).toEqual([]);
    }
  });

  const accountsOf = ({ accounts }: SheetUnderstanding) => ({ accounts });
  const ofVariables = ({ variables }: SheetUnderstanding) => ({ variables });
  /** A pasted table with this text in its first row. */
  const pastedAs = (sheetId: string, text: string): SheetView =>
    refused({
      sheetId,
      recentId: undefined,
      name: 'Pasted table',
      preview: { headers: [], rows: [[text]], bodies: [] },
    });
  /** The same file before it is known which line is its header. */
  const raw = (changes: Partial<SheetView> = {}): SheetView =>
    refused({ columns: [column('A', 'unknown')], ...changes });
  const other = (): SheetView => makeSheet({ sheetId: 'other', recentId: 'other', name: 'other.csv' });
  const from = (rig: ReturnType<typeof bringingInRig>, answers: Answers) =>
    bringingInRig(answers, { kept: rig.kept() });
  /** The application has been started anew: it knows the file, but no sheet of before. */
  const anew = (answers: Answers = {}): Answers => ({
    'sheet.interpret': (input: SheetUnderstanding & { sheetId: string }) =>
      input.sheetId === 'again' ? interpreted(input) : NOT_FOUND,
    'sheet.recent': () => recent,
    'sheet.openRecent': () => refused({ sheetId: 'again' }),
    ...answers,
  });

  test('while a batch is being made of it is not opened again, and nothing is said of it', async () => {
    const made = await saidAll({ 'batch.create': () => makeBatch({ id: 'new' }) }, refused({ problems: [] }));
    made.hold((route) => route === 'batch.create');
    const making = made.newBatches.create(true);
    made.bringIn.keeping.leave();
    const next = from(made, anew());
    await next.bringIn.keeping.takeUp(true);
    await settle();
    expect(next.open()).toBeUndefined();

    made.bringIn.show(other());
    made.asked.at(-1)?.answer();
    await making;
    await settle();
    expect([made.open()?.sheetId, made.notices, made.shown.at(-1)]).toEqual(['other', [], ['batch', 'new']]);
    made.bringIn.show(refused({ sheetId: 'again', problems: [] }));
    expect(shownIn(made)).toMatchObject({ name: undefined, limitText: undefined });
  });

  test('while it is refused as a batch, is kept', async () => {
    const made = await saidAll({}, refused({ problems: [] }));
    made.hold((route) => route === 'batch.create');
    const making = made.newBatches.create(true);
    made.bringIn.show(other());
    made.hold(() => false);
    made.asked.at(-1)?.answer();
    await making;
    await settle();
    made.bringIn.show(refused({ sheetId: 'again', problems: [] }));
    await settle();
    expect(shownIn(made)).toEqual({ sheetId: 'again', ...all });
  });

  test('and whose file is not there comes back by hand, on screen', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const gone = recent.map((one) => ({ ...one, isThere: false }));
    const after = from(
      before,
      anew({ 'sheet.recent': () => gone, 'sheet.choose': () => refused({ sheetId: 'again' }) }),
    );
    await after.bringIn.keeping.takeUp(true);
    await settle();
    await after.bringIn.choose();
    await settle();
    expect(after.shown).toEqual(['sheet']);
    expect(shownIn(after)).toMatchObject(all);
  });

  test('while it is read again as it was is still left whole', async () => {
    const before = await saidAll({ 'sheet.reread': () => refused() }, raw());
    await before.bringIn.reread('sheet-1', { headerLine: 3 });
    await before.bringIn.interpret(said);
    before.bringIn.keeping.leave();
    const again = {
      'sheet.openRecent': () => raw({ sheetId: 'again' }),
      'sheet.reread': () => refused({ sheetId: 'again' }),
    };
    const after = from(before, anew(again));
    after.hold((route) => route === 'sheet.reread');
    await after.bringIn.keeping.takeUp(true);
    await settle();
    expect(after.asked.at(-1)?.route).toBe('sheet.reread');
    after.bringIn.keeping.leave();
    const last = from(after, anew(again));
    await last.bringIn.keeping.takeUp(true);
    await settle();
    expect(shownIn(last)).toEqual({ sheetId: 'again', ...all });
  });

  test('while its rest comes in another way than before is understood as before', async () => {
    const before = await saidAll();
    before.bringIn.keeping.leave();
    const after = from(
      before,
      anew({ 'sheet.reread': () => refused({ sheetId: 'again' }), 'batch.create': () => makeBatch() }),
    );
    after.hold((route) => route === 'sheet.openRecent');
    await after.bringIn.keeping.takeUp(true);
    await settle();
    after.bringIn.showBeginning(makeBeginning({ sheetId: 'again', recentId: 'songs', name: 'songs.csv', columns }));
    expect(shownIn(after)).toMatchObject({ name: 'My night', limitText: '3' });
    await after.bringIn.reread('again', { encoding: 'gbk' });
    expect(shownIn(after)).toEqual({ sheetId: 'again', ...all });
    // It is applied once.
    await after.newBatches.create(true);
    expect(JSON.parse(after.kept() ?? '')).toEqual([]);
  });

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
