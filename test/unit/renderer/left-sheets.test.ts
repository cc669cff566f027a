/** What becomes of the answers about a sheet that is left before it is a batch. */
import { describe, expect, test } from 'vitest';
import { type SheetUnderstanding } from '../../../src/renderer/state/opening/sheet-understanding.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import { bringingInRig, column, NOT_FOUND, REFUSED } from './bringing-in-rig.ts';
import { makeBatch, makeBeginning, makeSheet } from './make-view.ts';
import { settle } from './manual-schedule.ts';
import {
  columns,
  refused,
  interpreted,
  said,
  recent,
  saidAll,
  shownIn,
  all,
  raw,
  other,
  from,
  anew,
} from './left-sheet-rig.ts';

describe('a sheet that is left before it can be imported', () => {
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
});
