import { volumesFor } from '../../../src/renderer/review/matched-loudness.ts';
import { describe, expect, test } from 'vitest';
import { reviewCommandOf, type KeyTarget } from '../../../src/renderer/review/review-keys.ts';
import {
  changeOf,
  oppositeOf,
  withReview,
  type FileDecision,
} from '../../../src/renderer/state/review/file-decision.ts';
import { ReviewMode } from '../../../src/renderer/state/review/review-mode.ts';
import { VerdictLog } from '../../../src/renderer/state/review/verdict-log.ts';
import {
  countsOf,
  filteredAnew,
  NO_ROWS,
  stepFrom,
  withRowsTold,
} from '../../../src/renderer/state/review/review-rows.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { refuse } from '../../../src/shared/ipc/contract.ts';
import type { FileView, RowDetail, RowView } from '../../../src/shared/ipc/rows.ts';

function file(id: string, verdict?: FileView['verdict']): FileView {
  return { id, name: `${id}.png`, mediaType: 'image/png', bytes: 1, ...(verdict && { verdict }) };
}

function view(key: number, said: Partial<RowView> = {}): RowView {
  return {
    key,
    row: `r${key}`,
    line: key,
    label: `Row ${key}`,
    status: 'done',
    takes: 1,
    takesDone: 1,
    fileCount: 2,
    files: [],
    ...said,
  };
}

const press = (
  key: string,
  held: { code?: string; ctrlKey?: boolean; shiftKey?: boolean; altKey?: boolean; repeat?: boolean } = {},
) => ({
  key,
  code: '',
  repeat: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('what a key does', () => {
  test.each([
    ['K', 'else', { kind: 'keep' }],
    ['0', 'else', { kind: 'rate', rating: 0 }],
    ['6', 'else', undefined],
    ['>', 'else', { kind: 'speed', by: 1 }],
    ['<', 'slider', { kind: 'speed', by: -1 }],
    ['x', 'field', undefined],
    ['Enter', 'button', undefined],
    ['k', 'button', { kind: 'keep' }],
    ['ArrowLeft', 'slider', undefined],
    ['ArrowLeft', 'button', { kind: 'file', by: -1 }],
    ['constructor', 'else', undefined],
  ] as const)('%s on %s', (key, target: KeyTarget, command) => {
    expect(reviewCommandOf(press(key), target)).toEqual(command);
  });

  test('a letter of another script is that of its place on the keyboard; a Latin one is itself, wherever it is', () => {
    expect(reviewCommandOf(press('л', { code: 'KeyK' }), 'else')).toEqual({ kind: 'keep' });
    expect(reviewCommandOf(press('Я', { code: 'KeyZ', shiftKey: true }), 'else')).toEqual({ kind: 'pixels' });
    expect(reviewCommandOf(press('я', { code: 'KeyZ', ctrlKey: true }), 'else')).toEqual({ kind: 'undo' });
    expect(reviewCommandOf(press('z', { code: 'KeyY' }), 'else')).toEqual({ kind: 'pixels' });
    expect(reviewCommandOf(press('ü', { code: 'BracketLeft' }), 'else')).toBeUndefined();
    expect(reviewCommandOf(press(',', { code: 'KeyW' }), 'else')).toEqual({ kind: 'frame', by: -1 });
  });

  test('Shift Enter goes back, Ctrl Z takes back, and Ctrl K and Alt K are not ours', () => {
    expect(reviewCommandOf(press('Enter', { shiftKey: true }), 'else')).toEqual({ kind: 'row', by: -1 });
    expect(reviewCommandOf(press('z', { ctrlKey: true }), 'else')).toEqual({ kind: 'undo' });
    expect(reviewCommandOf(press('k', { ctrlKey: true }), 'else')).toBeUndefined();
    expect(reviewCommandOf(press('k', { altKey: true }), 'else')).toBeUndefined();
    expect(reviewCommandOf(press('1', { ctrlKey: true }), 'else')).toBeUndefined();
    expect(reviewCommandOf(press('Z', { ctrlKey: true, shiftKey: true }), 'else')).toBeUndefined();
  });

  test('a key that is held decides once, and goes through rows and files', () => {
    for (const key of ['k', 'x', 'p', 'u', '3', 'n', ' '])
      expect(reviewCommandOf(press(key, { repeat: true }), 'else')).toBeUndefined();
    expect(reviewCommandOf(press('ArrowDown', { repeat: true }), 'else')).toEqual({ kind: 'row', by: 1 });
    expect(reviewCommandOf(press('ArrowLeft', { repeat: true }), 'else')).toEqual({ kind: 'file', by: -1 });
    expect(reviewCommandOf(press('.', { repeat: true }), 'slider')).toEqual({ kind: 'frame', by: 1 });
  });
});

describe('what takes a decision back', () => {
  const decisions: readonly FileDecision[] = [
    { kind: 'keep' },
    { kind: 'reject' },
    { kind: 'pick' },
    { kind: 'rate', rating: 0 },
    { kind: 'rate', rating: 3 },
    { kind: 'note', text: 'warm' },
    { kind: 'note', text: ' ' },
  ];
  const befores: readonly (readonly FileView[])[] = [
    [file('a'), file('b')],
    [file('a', { isPicked: true }), file('b')],
    [file('a'), file('b', { isPicked: true, rating: 3, note: 'thin' })],
    [file('a', { kept: true, isPicked: true }), file('b', { kept: false, rating: 0 })],
  ];

  test('leaves the row as it was, whatever was decided before', () => {
    for (const before of befores) {
      for (const decision of decisions) {
        for (const one of before) {
          const step = { fileId: one.id, change: changeOf(one, decision) };
          const after = withReview(before, step);
          const back = oppositeOf(before, step).reduce((files, undone) => withReview(files, undone), after);
          expect({ step, files: back }).toEqual({ step, files: before });
        }
      }
    }
  });

  test('one file of a row is picked, and a rejected one is not', () => {
    const [a, b] = [file('a', { isPicked: true }), file('b', { kept: false })];
    expect(withReview([a, b], { fileId: 'b', change: { picked: true } })).toEqual([
      file('a'),
      file('b', { isPicked: true }),
    ]);
    expect(withReview([a, b], { fileId: 'a', change: { kept: false } })).toEqual([file('a', { kept: false }), b]);
  });
});

describe('the rows of a review', () => {
  test('stay in their order while others come, until the user has them added', () => {
    const opened = withRowsTold(NO_ROWS, [view(1), view(2, { fileCount: 0 }), view(3)], true);
    expect(opened.order).toEqual([1, 3]);
    const later = withRowsTold(opened, [view(2), view(3, { kept: 1 })], false);
    expect(later.order).toEqual([1, 3]);
    expect([...later.arrived]).toEqual([2]);
    expect(countsOf(later)).toEqual({ files: 4, kept: 1, rejected: 0 });
    const added = filteredAnew(later, 'all');
    expect(added.order).toEqual([1, 2, 3]);
    expect(filteredAnew(added, 'undecided').order).toEqual([1, 2, 3]);
    expect(filteredAnew(added, 'kept').order).toEqual([3]);
    expect(filteredAnew(added, 'rejected').order).toEqual([]);
  });

  test('are gone through to their ends, and from its line if one is not among them', () => {
    const list = withRowsTold(NO_ROWS, [view(1), view(3)], true);
    expect(stepFrom(list, view(1), 1)).toBe(3);
    expect(stepFrom(list, view(3), 1)).toBeUndefined();
    expect([stepFrom(list, view(2), -1), stepFrom(list, view(2), 1)]).toEqual([1, 3]);
    expect([stepFrom(list, view(7), -1), stepFrom(list, view(7), 1)]).toEqual([3, undefined]);
    expect(stepFrom(list, undefined, 1)).toBe(1);
  });
});

/** A review of 1,200 rows with two files each, whose store keeps or refuses what it is told. */
function opened() {
  const asked: number[] = [];
  const recorded: unknown[] = [];
  const details: number[] = [];
  const told: string[] = [];
  let stored = [file('a'), file('b')];
  let onlyEarlier: number | undefined;
  let refusal: string | undefined;
  let agreed = 0;
  let answers = Promise.resolve();
  const all = Array.from({ length: 1_200 }, (_, at) => view(at + 1));
  const log = new VerdictLog(async (step) => {
    recorded.push(step);
    await answers;
    if (refusal !== undefined) return refuse('refused', refusal);
    stored = [...withReview(stored, step)];
    return ok(undefined);
  });
  const review = new ReviewMode({
    schedule: () => () => undefined,
    fetchPage: async (_, offset, limit) => {
      asked.push(offset);
      return ok({
        keys: Float64Array.from(all.map(({ key }) => key)),
        rows: all.slice(offset, offset + limit),
        sequence: 1,
      });
    },
    fetchDetail: async (_, key) => {
      details.push(key);
      return ok({
        row: view(key, { label: 'A lighthouse' }),
        cells: [
          { header: 'row', value: `row-${key}` },
          { header: 'prompt', value: key === 1 ? 'A\nlighthouse' : 'A  lighthouse at night' },
        ],
        earlierFiles: [file('old', { kept: true })],
        tasks: [{ files: key === onlyEarlier ? [] : stored }, ...Array.from({ length: agreed }, () => ({ files: [] }))],
      } as unknown as RowDetail);
    },
    log,
    setTakes: async (_, key, takes) => {
      recorded.push([key, takes]);
      return refusal;
    },
    tellRefused: (name, why) => void told.push(`${name}: ${why}`),
  });
  const state = () => review.store.getState();
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  };
  return {
    review,
    log,
    state,
    settled,
    asked,
    recorded,
    details,
    told,
    refuse: (words: string) => (refusal = words),
    holdAnswers: () => {
      let release = (): void => undefined;
      answers = new Promise((resolve) => (release = resolve));
      return () => release();
    },
    keepOnlyEarlier: (key: number) => {
      onlyEarlier = key;
      all[key - 1] = view(key, { fileCount: 0 });
    },
    agree: (takes: number) => (agreed = takes),
  };
}

test('a title that is only the beginning of a text is known in whole', async () => {
  const { review, state, settled } = opened();
  review.open('b', 2);
  await settled();
  expect(state().wholeLabel).toBe('A  lighthouse at night');
  review.open('b', 1);
  await settled();
  expect([state().row?.label, state().wholeLabel]).toEqual(['A lighthouse', undefined]);
});

describe('files of earlier versions', () => {
  test('are beside those of the row where it was gone to for one of them, and count for nothing', async () => {
    const { review, state, settled } = opened();
    const shown = () => state().files?.map(({ id, isEarlier }) => [id, isEarlier]);
    review.open('b', 1, 'old');
    await settled();
    expect(shown()).toEqual([
      ['a', false],
      ['b', false],
      ['old', true],
    ]);
    expect([state().chosen, state().row?.row]).toEqual(['old', 'r1']);
    review.decide({ kind: 'reject' });
    expect(state().files?.[2]).toMatchObject({ isEarlier: true, verdict: { kept: false } });
    expect(state().list.rows.get(1)).toMatchObject({ kept: 0, rejected: 0 });
    // The next row is looked at as it is now, and so is this one, gone to again.
    review.step(1);
    review.step(-1);
    await settled();
    expect(shown()).toEqual([
      ['a', false],
      ['b', false],
    ]);
  });

  test('are gone on from by the line of a row that has no other, which asks for no take and leaves the filter', async () => {
    const { review, state, settled, recorded, keepOnlyEarlier } = opened();
    keepOnlyEarlier(700);
    // Asked for before any row is read, each is made from where the row stands.
    for (const [by, to] of [
      [1, 701],
      [-1, 699],
    ] as const) {
      review.open('b', 700, 'old');
      review.step(by);
      await settled();
      expect(state().key).toBe(to);
    }
    review.open('b', 700, 'old');
    await settled();
    review.filter('undecided');
    review.goTo(700, 'old');
    await settled();
    review.askAgain();
    expect([state().said?.isProblem, recorded]).toEqual([true, []]);
    review.decide({ kind: 'reject' });
    await settled();
    review.undo();
    await settled();
    expect([state().key, state().list.filter]).toEqual([700, 'undecided']);
    review.step(-1);
    expect(state().key).toBe(699);
  });
});

describe('one more take', () => {
  test('is asked for as often as it is said, and taken back, the last first, until it is agreed to', async () => {
    const { review, state, settled, recorded, agree } = opened();
    review.open('b');
    await settled();
    review.askAgain();
    review.askAgain();
    review.undo();
    await settled();
    expect(recorded).toEqual([
      [1, 2],
      [1, 3],
      [1, 2],
    ]);
    agree(1);
    review.undo();
    await settled();
    expect(recorded).toHaveLength(3);
    expect(state().said).toMatchObject({ isProblem: true, words: expect.stringContaining('agreed') as string });
  });

  test('that is refused leaves the row as it was, and says why once', async () => {
    const { review, state, settled, told, refuse: refuseWith } = opened();
    review.open('b');
    await settled();
    refuseWith('It is being rendered.');
    review.askAgain();
    await settled();
    expect(state().said).toEqual({ words: 'r1: It is being rendered.', isProblem: true });
    expect([told, state().undoable]).toEqual([[], 0]);
  });
});

describe('a review', () => {
  test('makes a step that is asked for before its rows are read once they are', async () => {
    const { review, state, settled } = opened();
    review.open('b', 500, 'b');
    review.step(1);
    review.step(1);
    review.step(-1);
    expect(state().key).toBe(500);
    await settled();
    expect(state().key).toBe(501);
    review.open('b', 1, 'b');
    review.step(1);
    review.close();
    review.open('b', 1_200, 'b');
    await settled();
    expect(state().key).toBe(1_200);
    review.step(1);
    expect(state().key).toBe(1_200);
  });

  test('begins with its first row that has files, however many before it have none', async () => {
    const { review, state, settled, keepOnlyEarlier } = opened();
    for (let key = 1; key <= 600; key += 1) keepOnlyEarlier(key);
    review.open('b');
    await settled();
    expect(state().key).toBe(601);
  });

  test('has a row in its place that is told of before its rows are read', async () => {
    const { review, state, settled } = opened();
    review.open('b', 2, 'b');
    review.changed([view(2), view(700)], false);
    await settled();
    const { list, key } = state();
    expect([list.order.indexOf(key ?? 0), list.order.indexOf(700), list.order.length, list.arrived.size]).toEqual([
      1, 699, 1_200, 0,
    ]);
    // Once they are read, what comes waits for the user.
    review.changed([view(1_201)], false);
    expect([...state().list.arrived]).toEqual([1_201]);
  });

  test('says how many decisions are shown and not stored yet, across rows', async () => {
    const { review, state, settled } = opened();
    review.open('b');
    await settled();
    review.decide({ kind: 'keep' });
    review.decide({ kind: 'rate', rating: 4 });
    expect(state().unstored).toBe(2);
    await settled();
    expect(state().unstored).toBe(0);
  });

  test('sends all that was said when the window closes, once, and goes on if it stays open', async () => {
    const { review, log, state, settled, recorded, holdAnswers } = opened();
    review.open('b');
    await settled();
    review.decide({ kind: 'pick' }, 'a');
    review.decide({ kind: 'reject' }, 'b');
    review.decide({ kind: 'pick' }, 'b');
    await settled();
    recorded.length = 0;
    const release = holdAnswers();
    // It takes two steps to take this back, and the first is not answered yet.
    review.undo();
    review.decide({ kind: 'rate', rating: 4 }, 'a');
    await Promise.resolve();
    expect(recorded).toHaveLength(1);
    log.sendWaiting();
    log.sendWaiting();
    const sent = [
      { fileId: 'a', change: { picked: true } },
      { fileId: 'b', change: { kept: false } },
      { fileId: 'a', change: { rating: 4 } },
    ];
    expect(recorded).toEqual(sent);
    review.decide({ kind: 'rate', rating: 5 }, 'b');
    release();
    await settled();
    expect(recorded).toEqual([...sent, { fileId: 'b', change: { rating: 5 } }]);
    expect(state().unstored).toBe(0);
  });

  test('reads its rows by pages, and only the row that is looked at in full', async () => {
    const { review, state, settled, asked, details } = opened();
    review.open('b');
    await settled();
    expect(asked).toEqual([0, 500, 1_000]);
    expect(state().list.order).toHaveLength(1_200);
    expect(details).toEqual([1]);
    expect(state()).toMatchObject({ key: 1, chosen: 'a', isReading: false });
  });

  test('shows a decision at once, stores it, and takes several back, the last first', async () => {
    const { review, state, settled, recorded } = opened();
    review.open('b');
    await settled();
    review.decide({ kind: 'keep' });
    review.decide({ kind: 'rate', rating: 4 });
    expect(state().files?.[0]?.verdict).toEqual({ kept: true, rating: 4 });
    expect(countsOf(state().list)).toMatchObject({ kept: 1 });
    await settled();
    review.undo();
    review.undo();
    review.undo();
    await settled();
    expect(recorded).toEqual([
      { fileId: 'a', change: { kept: true } },
      { fileId: 'a', change: { rating: 4 } },
      { fileId: 'a', change: { rating: null } },
      { fileId: 'a', change: { kept: null } },
    ]);
    expect(state()).toMatchObject({ files: [file('a'), file('b')], undoable: 0 });
  });

  test('says what is refused, shows what is stored, and has nothing of it to take back', async () => {
    const { review, state, settled, refuse: refuseAll } = opened();
    review.open('b');
    await settled();
    refuseAll('This file is gone.');
    review.decide({ kind: 'reject' });
    expect(state().files?.[0]?.verdict).toEqual({ kept: false });
    await settled();
    expect(state().files).toMatchObject([file('a'), file('b')]);
    expect(state().files?.[0]?.verdict).toBeUndefined();
    expect(state()).toMatchObject({ undoable: 0, said: { words: 'a.png: This file is gone.', isProblem: true } });
    expect(countsOf(state().list)).toMatchObject({ rejected: 0 });
  });

  test('says what is refused also once it has gone on, or was left, and takes nothing else of that row back', async () => {
    const { review, state, settled, recorded, told, refuse: refuseAll } = opened();
    review.open('b');
    await settled();
    refuseAll('The store is away.');
    review.decide({ kind: 'keep' });
    review.decide({ kind: 'reject' });
    review.step(1);
    await settled();
    expect(told).toEqual(['a.png: The store is away.', 'a.png: The store is away.']);
    expect(state()).toMatchObject({ key: 2, undoable: 0 });
    review.undo();
    review.decide({ kind: 'keep' });
    review.close();
    await settled();
    expect([recorded.length, told.length]).toEqual([3, 3]);
  });

  test('records nothing while the files of a row are still read, and says so', async () => {
    const { review, state, settled, recorded } = opened();
    review.open('b');
    await settled();
    review.step(1);
    review.decide({ kind: 'keep' });
    expect(state().said).toMatchObject({ isProblem: true });
    await settled();
    expect(recorded).toEqual([]);
  });

  test('goes beyond the last file of a row to the next one’s first, back to the previous one’s last, and says where rows end', async () => {
    const { review, state, settled } = opened();
    review.open('b');
    await settled();
    review.chooseNext(-1);
    expect(state()).toMatchObject({ key: 1, chosen: 'a', said: { words: 'This is the first file.' } });
    // Pressed before the files of the next row are there, they are made once these are.
    for (let i = 0; i < 3; i += 1) review.chooseNext(1);
    await settled();
    expect(state()).toMatchObject({ key: 2, chosen: 'b' });
    review.chooseNext(-1);
    review.chooseNext(-1);
    await settled();
    expect(state()).toMatchObject({ key: 1, chosen: 'b' });
    review.goTo(1_200);
    await settled();
    review.chooseNext(1);
    review.chooseNext(1);
    expect(state()).toMatchObject({ key: 1_200, chosen: 'b', said: { words: 'This is the last file.' } });
  });

  test('says why nothing is picked', async () => {
    const { review, state, settled, recorded } = opened();
    review.open('b');
    await settled();
    review.pick();
    expect(state().said).toEqual({
      words: 'No row waits for a pick from this one: K keeps the file.',
      isProblem: true,
    });
    expect(recorded).toEqual([]);
  });

  test('goes back to the row of what it takes back', async () => {
    const { review, state, settled } = opened();
    review.open('b');
    await settled();
    review.chooseNext(1);
    review.decide({ kind: 'keep' });
    review.step(1);
    await settled();
    expect(state().key).toBe(2);
    review.undo();
    await settled();
    expect(state()).toMatchObject({ key: 1, chosen: 'b' });
  });
});

test('what is louder is turned down to the quietest, and nothing is turned up', () => {
  const volumes = volumesFor(
    new Map([
      ['quiet', -20],
      ['loud', -14],
    ]),
  );
  expect(volumes.get('quiet')).toBe(1);
  expect(volumes.get('loud')).toBeCloseTo(0.501, 3);
  expect(volumesFor(new Map()).size).toBe(0);
});
