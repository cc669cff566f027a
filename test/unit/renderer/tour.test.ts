import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenSheet } from '../../../src/renderer/state/opening/start-forms.ts';
import {
  dueStep,
  hintPosition,
  passedBy,
  readTour,
  Tour,
  TOUR_STEPS,
  tourFacts,
  type TourFacts,
  type TourStep,
} from '../../../src/renderer/state/tour.ts';
import { makeBatch, makeCounts, makeSheet, makeBeginning } from './make-view.ts';

const NOTHING = { screen: undefined, open: undefined, isReviewing: false, batches: [] };
const ready = makeBatch({ state: 'ready' });
const running = makeBatch({ state: 'running' });
const finished = makeBatch({ state: 'finished', counts: makeCounts({ done: 3 }) });
const on = (shows: TourFacts['shows'], batch?: TourFacts['batch']): TourFacts => ({ shows, batch });

/** The hints that somebody sees who goes on from one to the next, and nothing else. */
function hintsAt(facts: TourFacts, passed: readonly TourStep[] = []): readonly TourStep[] {
  const step = dueStep(facts, passed);
  return step === undefined ? [] : [step, ...hintsAt(facts, [...passed, step])];
}

describe('which hint is due', () => {
  test('a sheet has its rows, its problems and the start; then nothing is left until it is started', () => {
    expect(hintsAt(on('rehearsal'))).toEqual(['rows', 'problems', 'start']);
  });

  test('who fixes a problem in the grid has seen the sheet, and goes on at the start', () => {
    expect(hintsAt(on('batch', ready))).toEqual(['start']);
  });

  test('who starts at once is not told of what is over', () => {
    expect(hintsAt(on('batch', running))).toEqual(['night']);
    expect(hintsAt(on('batch', finished))).toEqual(['fallen', 'ledger', 'review', 'own']);
  });

  test('a row that fell out is told of as soon as there is one, also while the batch stands still because of it', () => {
    const counts = makeCounts({ failed: 1, rendering: 2 });
    expect(hintsAt(on('batch', makeBatch({ counts })))).toEqual(['night', 'fallen']);
    expect(hintsAt(on('batch', makeBatch({ state: 'paused', counts })))).toEqual(['fallen']);
    const unknown = makeCounts({ 'submit-unknown': 1, rendering: 2 });
    expect(hintsAt(on('batch', makeBatch({ state: 'paused', counts: unknown })))).toEqual(['fallen']);
  });

  test('a pause without a failure says nothing', () => {
    expect(hintsAt(on('batch', makeBatch({ state: 'paused' })))).toEqual([]);
  });

  test('elsewhere there is no hint, but for the last one', () => {
    for (const batch of [undefined, ready, running, finished]) expect(hintsAt(on('other', batch))).toEqual([]);
    const before = TOUR_STEPS.filter((step) => step !== 'own');
    expect(hintsAt(on('other', finished), before)).toEqual(['own']);
    expect(hintsAt(on('other', running), before)).toEqual([]);
  });

  test('what was looked at in the morning is passed over, in any order', () => {
    const afterReview = passedBy(on('files', finished), []);
    expect(hintsAt(on('batch', finished), afterReview)).toEqual(['fallen', 'ledger', 'own']);
    const afterLedger = passedBy(on('ledger', finished), afterReview);
    expect(hintsAt(on('batch', finished), afterLedger)).toEqual(['own']);
    expect(passedBy(on('sheet', finished), afterLedger)).toEqual(TOUR_STEPS);
  });

  test('what was looked at before the morning is still told of then', () => {
    expect(passedBy(on('ledger', running), [])).toEqual(['rows', 'problems', 'start']);
  });

  test('without any file there is nothing to review', () => {
    const counts = makeCounts({ failed: 3 });
    expect(hintsAt(on('batch', makeBatch({ state: 'finished', counts })))).toEqual(['fallen', 'ledger', 'own']);
  });
});

describe('what the window shows', () => {
  const sheet = (changes: Partial<OpenSheet>): OpenSheet => ({
    sheet: makeSheet(),
    isRehearsal: true,
    hadBeginning: false,
    asksLate: false,
    ...changes,
  });
  const shows = (open: OpenSheet) => tourFacts({ ...NOTHING, screen: { kind: 'sheet' }, open }, undefined).shows;

  test('a sheet is one to rehearse once it is whole, and not if it is to be rendered for real', () => {
    expect(shows(sheet({}))).toBe('rehearsal');
    expect(shows(sheet({ isRehearsal: false }))).toBe('sheet');
    expect(shows(sheet({ sheet: makeBeginning() }))).toBe('sheet');
  });

  test('the batch is known by its id, and is none once it is to be rendered for real', () => {
    const screen = { kind: 'batch', batchId: 'batch-1' } as const;
    const batches = [makeBatch({ id: 'batch-2' }), running];
    expect(tourFacts({ ...NOTHING, screen, batches }, 'batch-1')).toEqual(on('batch', running));
    expect(tourFacts({ ...NOTHING, screen, batches }, 'batch-2')).toMatchObject({ shows: 'other' });
    const real = [makeBatch({ rehearsal: false })];
    expect(tourFacts({ ...NOTHING, screen, batches: real }, 'batch-1')).toEqual(on('other'));
  });

  test('a review lies over the batch', () => {
    const screen = { kind: 'batch', batchId: 'batch-1' } as const;
    const facts = tourFacts({ screen, open: undefined, isReviewing: true, batches: [finished] }, 'batch-1');
    expect(facts).toEqual(on('files', finished));
  });
});

describe('where the tour stands', () => {
  /** A tour that keeps what it is told to, as the window's storage does. */
  function setUp(kept?: string) {
    let text = kept;
    const open = (): Tour => new Tour(text, (next) => (text = next));
    return { tour: open(), reopened: open, state: () => readTour(text) };
  }

  test('it is suggested once: to who has rehearsed nothing yet and was not asked', () => {
    const { tour, reopened } = setUp();
    expect(tour.isSuggested(true)).toBe(true);
    expect(tour.isSuggested(false)).toBe(false);
    tour.leave();
    expect(reopened().isSuggested(true)).toBe(false);
  });

  test('it goes on after a reload where it was, with its batch', () => {
    const { tour, reopened } = setUp();
    tour.begin();
    tour.pass('rows');
    tour.follow(ready, []);
    const again = reopened();
    expect(again.store.getState()).toEqual({ at: 'underWay', batchId: 'batch-1', passed: ['rows'] });
    again.see(on('batch', running));
    expect(reopened().store.getState().passed).toEqual(['rows', 'problems', 'start']);
  });

  test('it stays with its batch while that is there, and follows no batch that is paid for', () => {
    const { tour, state } = setUp();
    tour.follow(ready, []);
    expect(state().batchId).toBeUndefined();
    tour.begin();
    tour.follow(makeBatch({ rehearsal: false }), []);
    expect(state().batchId).toBeUndefined();
    tour.follow(ready, []);
    tour.follow(makeBatch({ id: 'batch-2' }), [ready]);
    expect(state().batchId).toBe('batch-1');
    tour.follow(makeBatch({ id: 'batch-2' }), []);
    expect(state().batchId).toBe('batch-2');
  });

  test('it ends after its last hint, and begins anew from the first one', () => {
    const { tour, state } = setUp();
    tour.begin();
    for (const step of TOUR_STEPS) tour.pass(step);
    expect(state()).toEqual({ at: 'over', passed: [] });
    tour.see(on('batch', running));
    tour.pass('rows');
    expect(state()).toEqual({ at: 'over', passed: [] });
    tour.begin();
    expect(tour.isSuggested(false)).toBe(true);
    expect(state()).toEqual({ at: 'underWay', passed: [] });
  });

  test.each(['', 'null', '{"at":"underWay"}', '{"at":"underWay","passed":["a step of another version"]}'])(
    'what cannot be read is as nothing: %s',
    (text) => {
      expect(readTour(text)).toEqual({ at: 'new', passed: [] });
    },
  );
});

test('the style of the window knows the place of every hint', () => {
  const style = readFileSync(join(import.meta.dirname, '../../../src/renderer/welcome/Tour.module.css'), 'utf8');
  for (const step of TOUR_STEPS) expect(style).toContain(`:root[data-hint='${step}'] [data-tour~='${step}']`);
});

describe('where a hint lies', () => {
  const hint = { width: 320, height: 120 };
  const view = { width: 900, height: 600 };
  const box = (left: number, top: number, width: number, height: number) => ({
    left,
    top,
    right: left + width,
    bottom: top + height,
  });

  test('beside its place, and where there is no room on another side', () => {
    expect(hintPosition('rows', box(220, 120, 200, 20), hint, view)).toEqual({ left: 220, top: 150 });
    expect(hintPosition('start', box(600, 500, 300, 90), hint, view)).toEqual({ left: 270, top: 470 });
    expect(hintPosition('start', box(200, 540, 690, 60), hint, view)).toEqual({ left: 570, top: 410 });
    expect(hintPosition('start', box(780, 10, 100, 30), hint, view)).toEqual({ left: 560, top: 50 });
  });

  test('within the window, also when its place is scrolled out of it', () => {
    for (const step of TOUR_STEPS) {
      for (const top of [-5_000, -100, 0, 590, 5_000]) {
        const at = hintPosition(step, box(400, top, 300, 50), hint, view);
        expect(at.left).toBeGreaterThanOrEqual(10);
        expect(at.left).toBeLessThanOrEqual(570);
        expect(at.top).toBeGreaterThanOrEqual(10);
        expect(at.top).toBeLessThanOrEqual(470);
      }
    }
  });
});
