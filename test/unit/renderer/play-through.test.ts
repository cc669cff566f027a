import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { PICTURE_MS, PlayThrough } from '../../../src/renderer/state/review/play-through.ts';
import type { ReviewState } from '../../../src/renderer/state/review/review-mode.ts';
import { NO_ROWS } from '../../../src/renderer/state/review/review-rows.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { refuse } from '../../../src/shared/ipc/contract.ts';
import type { ViewedFileView } from '../../../src/shared/ipc/files.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';

/** The file of a row; its id says which: `3-1` is a file of row 3. */
function fileOf(id: string, mediaType: string): ViewedFileView {
  const key = Number.parseInt(id, 10);
  const place = { key, row: `r${key}`, label: '', operation: 'videogen-b/image/generate', take: 1 } as const;
  return { id, name: `file ${id}`, mediaType, bytes: 1, flags: [], ...place };
}

/** A review that knows the files of a row at once. */
function player(types: Readonly<Record<string, string>>) {
  const there = new Map(Object.entries(types));
  const schedule = new ManualSchedule();
  const of = (key: number) => [...there].filter(([id]) => Number.parseInt(id, 10) === key);
  const closed = {
    batchId: undefined,
    key: undefined,
    row: undefined,
    chosen: undefined,
    files: undefined,
    list: NO_ROWS,
  };
  const store = createStore<ReviewState>(() => ({
    ...closed,
    isReading: false,
    wholeLabel: undefined,
    arrivedFiles: [],
    canPick: false,
    before: undefined,
    said: undefined,
    undoable: 0,
    unstored: 0,
  }));
  const choose = (chosen: string): void => store.setState({ chosen });
  const goTo = (key: number, chosen?: string): void => {
    store.setState({ key, chosen, files: undefined });
    store.setState({ files: of(key).map(([id, type]) => ({ ...fileOf(id, type), isEarlier: false })) });
  };
  const open = (batchId: string, key?: number, chosen?: string): void => {
    store.setState(closed);
    store.setState({ batchId });
    if (key !== undefined) goTo(key, chosen);
  };
  const refusal: { words?: string } = {};
  const nothing: string[] = [];
  const through = new PlayThrough({
    tellNothing: (words) => void nothing.push(words),
    review: { store, open, goTo, choose },
    fetchFound: (_batch, { verdict }) =>
      Promise.resolve(ok({ files: verdict === undefined ? Float64Array.from([1, 1, 2, 1]) : new Float64Array() })),
    fetchFiles: (_batch, ids) => {
      if (refusal.words !== undefined) return Promise.resolve(refuse('unavailable', refusal.words));
      return Promise.resolve(
        ok({ files: ids.flatMap((id) => (there.has(id) ? fileOf(id, there.get(id) ?? '') : [])) }),
      );
    },
    schedule: schedule.schedule,
  });
  const state = () => through.store.getState();
  const chosen = () => store.getState().chosen;
  return {
    through,
    store,
    there,
    schedule,
    nothing,
    refusal,
    state,
    chosen,
    open,
    choose,
    close: () => store.setState(closed),
  };
}

const SONG = 'audio/mpeg';
const PICTURE = 'image/png';

test('songs are played to their end, a picture for some seconds, and it says where it is and when it is over', async () => {
  const { through, schedule, state, chosen } = player({ '1-1': SONG, '2-1': PICTURE, '3-1': SONG });
  await through.start('b', ['1-1', '2-1', '3-1'], undefined);
  expect([chosen(), state().at]).toEqual(['1-1', 0]);
  expect(schedule.count).toBe(0);
  // An end of what is not played means nothing.
  through.ended('3-1');
  await settle();
  expect(chosen()).toBe('1-1');
  through.ended('1-1');
  await settle();
  expect([chosen(), state().at]).toEqual(['2-1', 1]);
  expect(schedule.delays).toEqual([PICTURE_MS]);
  schedule.runAll();
  await settle();
  expect([chosen(), state().at, state().isOver]).toEqual(['3-1', 2, false]);
  through.ended('3-1');
  await settle();
  expect(state()).toMatchObject({ at: 2, isOver: true, said: 'The end: 3 files.' });
  // The way back leads to the last one again.
  await through.step(-1);
  expect([chosen(), state().isOver]).toEqual(['3-1', false]);
});

test('what cannot be played is passed over, and said', async () => {
  const { through, state, chosen, there } = player({
    '1-1': SONG,
    '2-1': 'application/json',
    '3-1': 'video/mp4',
    '4-1': SONG,
  });
  await through.start('b', ['1-1', '2-1', '9-9', '3-1', '4-1'], '1-1');
  await through.step(1);
  expect([chosen(), state().at]).toEqual(['3-1', 3]);
  expect(state().said).toBe('A file is no longer there: passed over.');
  through.failed('3-1', 'film.mp4');
  await settle();
  expect([chosen(), state().said]).toEqual(['4-1', 'film.mp4 cannot be played here: passed over.']);
  // Backwards, too; at the beginning it stays.
  there.delete('3-1');
  await through.step(-1);
  expect(chosen()).toBe('1-1');
  await through.step(-1);
  expect([chosen(), state().at, state().isOver]).toEqual(['1-1', 0, false]);
  there.delete('4-1');
  await through.step(1);
  expect(state().isOver).toBe(true);
  expect(state().said).toMatch(/^The end: 5 files, \d+ files passed over\.$/u);
});

test('a pause stops the time of a picture, and a note waits no longer than it is written', async () => {
  const { through, schedule, state } = player({ '1-1': PICTURE, '2-1': PICTURE });
  await through.start('b', ['1-1', '2-1'], undefined);
  through.setPaused(true);
  expect(schedule.count).toBe(0);
  // What was paused before a note stays so after it.
  through.hold(true);
  through.hold(false);
  expect(state().isPaused).toBe(true);
  through.setPaused(false);
  expect(schedule.count).toBe(1);
  through.hold(true);
  expect([state().isPaused, schedule.count]).toEqual([true, 0]);
  through.hold(false);
  expect([state().isPaused, schedule.count]).toEqual([false, 1]);
});

test('it goes on from a file that the user chooses, and ends with the review', async () => {
  const { through, store, state, chosen, choose, close } = player({
    '1-1': SONG,
    '1-2': SONG,
    '1-3': SONG,
    '1-4': SONG,
  });
  await through.start('b', ['1-1', '1-2', '1-3'], '1-1');
  choose('1-3');
  expect(state().at).toBe(2);
  choose('1-2');
  // A file that has come since is heard, and the list goes on where it was.
  choose('1-4');
  expect(state().at).toBe(1);
  through.ended('1-4');
  await settle();
  expect(chosen()).toBe('1-3');
  // What is said of a file does not move it.
  const { turn } = state();
  store.setState({ files: store.getState().files?.map((file) => ({ ...file, verdict: { kept: true } })) });
  expect(state().turn).toBe(turn);
  close();
  expect(state().order).toBeUndefined();
});

test('an answer that comes after another step means nothing, and a refusal is said', async () => {
  const { through, state, chosen, refusal } = player({ '1-1': SONG, '2-1': SONG, '3-1': SONG });
  await through.start('b', ['1-1', '2-1', '3-1'], undefined);
  const late = through.step(1);
  through.stop();
  await late;
  expect([chosen(), state().order]).toEqual(['1-1', undefined]);
  await through.start('b', ['1-1', '2-1', '3-1'], undefined);
  refusal.words = 'The engine restarts.';
  await through.step(1);
  expect(state()).toMatchObject({ isPaused: true, said: 'The engine restarts.', at: 0 });
});

test('in the review it begins at the chosen file, with the files that the filter shows', async () => {
  const { nothing, through, open, state, chosen, store } = player({ '1-1': SONG, '2-1': SONG });
  await through.startInReview();
  expect(state().order).toBeUndefined();
  open('b', 2, '2-1');
  await through.startInReview();
  expect([state().order, state().at, chosen()]).toEqual([['1-1', '2-1'], 1, '2-1']);
  through.stop();
  store.setState({ list: { ...NO_ROWS, filter: 'kept' } });
  await through.startInReview();
  expect([state().order, nothing]).toEqual([undefined, ['']]);
});
