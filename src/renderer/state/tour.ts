/** The tour: a rehearsal with a hint beside each thing once it is there. What the window shows decides which is due. */
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { Screen } from './app-state.ts';
import { statusTotals } from './batch/batch-progress.ts';
import type { OpenSheet } from './opening/start-forms.ts';
import { isWhole } from './opening/sheet-understanding.ts';

/** In the order of a night. Each is also the name of its place (`tourPlace`). */
export const TOUR_STEPS = ['rows', 'problems', 'start', 'night', 'fallen', 'ledger', 'review', 'own'] as const;
export type TourStep = (typeof TOUR_STEPS)[number];

/** What decides how the tour goes on. */
export interface TourFacts {
  /**
   * `rehearsal`: a whole sheet before its rehearsal, `sheet`: any other, `batch`: the batch of the tour, `files`:
   * review or gallery.
   */
  readonly shows: 'rehearsal' | 'sheet' | 'batch' | 'ledger' | 'files' | 'other';
  /** The batch of the tour, once there is one. */
  readonly batch: BatchView | undefined;
}

interface StepRules {
  /** What the hint is about was done, or its time is over: the step is passed over. */
  readonly isDone: (facts: TourFacts) => boolean;
  /** The place of the hint is on screen, and its time has come. */
  readonly isDue: (facts: TourFacts, passed: ReadonlySet<TourStep>) => boolean;
}

const isImported = ({ batch }: TourFacts): boolean => batch !== undefined;
const isFinished = ({ batch }: TourFacts): boolean => batch?.state === 'finished';
const isMorning = (facts: TourFacts): boolean => isFinished(facts) && facts.shows === 'batch';

const RULES: Readonly<Record<TourStep, StepRules>> = {
  rows: { isDone: isImported, isDue: ({ shows }) => shows === 'rehearsal' },
  problems: { isDone: isImported, isDue: ({ shows }) => shows === 'rehearsal' },
  start: {
    isDone: ({ batch }) => batch !== undefined && batch.state !== 'ready',
    isDue: ({ shows }) => shows === 'rehearsal' || shows === 'batch',
  },
  night: { isDone: isFinished, isDue: ({ shows, batch }) => shows === 'batch' && batch?.state === 'running' },
  fallen: {
    // The ledger says the same, row by row.
    isDone: (facts) => isFinished(facts) && facts.shows === 'ledger',
    isDue: (facts) => isMorning(facts) || (facts.shows === 'batch' && hasFallen(facts.batch)),
  },
  ledger: { isDone: (facts) => isFinished(facts) && facts.shows === 'ledger', isDue: isMorning },
  review: {
    isDone: (facts) => isFinished(facts) && (facts.shows === 'files' || !hasFiles(facts.batch)),
    isDue: isMorning,
  },
  own: {
    isDone: (facts) => isFinished(facts) && (facts.shows === 'rehearsal' || facts.shows === 'sheet'),
    isDue: (facts, passed) => isFinished(facts) && TOUR_STEPS.every((step) => step === 'own' || passed.has(step)),
  },
};

/** Whether takes of a batch failed, or nobody knows what became of them. */
export function hasFallen(batch: BatchView | undefined): boolean {
  if (batch === undefined) return false;
  const { failed, 'submit-unknown': unknown } = statusTotals(batch.counts);
  return failed + unknown > 0;
}

function hasFiles(batch: BatchView | undefined): boolean {
  return batch !== undefined && statusTotals(batch.counts).done > 0;
}

/** The steps that were passed, including those that the present state passes over. */
export function passedBy(facts: TourFacts, passed: readonly TourStep[]): readonly TourStep[] {
  return TOUR_STEPS.filter((step) => passed.includes(step) || RULES[step].isDone(facts));
}

/** The step whose hint is to be shown; undefined while no step's place is on screen. */
export function dueStep(facts: TourFacts, passed: readonly TourStep[]): TourStep | undefined {
  const all = new Set(passedBy(facts, passed));
  return TOUR_STEPS.find((step) => !all.has(step) && RULES[step].isDue(facts, all));
}

interface WindowState {
  readonly screen: Screen | undefined;
  readonly open: OpenSheet | undefined;
  readonly isReviewing: boolean;
  readonly batches: readonly BatchView[];
}

/** What decides how the tour goes on, from all that the window knows. `batchId`: the batch of the tour. */
export function tourFacts({ screen, open, isReviewing, batches }: WindowState, batchId: string | undefined): TourFacts {
  // A batch that is now to be rendered for real is not a rehearsal, and nothing that the hints say about it would be
  // true.
  const batch = batches.find(({ id, rehearsal }) => id === batchId && rehearsal);
  return { batch, shows: isReviewing ? 'files' : shownOn(screen, open, batch) };
}

function shownOn(screen: Screen | undefined, open: OpenSheet | undefined, batch: BatchView | undefined) {
  switch (screen?.kind) {
    case 'sheet':
      if (open === undefined) return 'other';
      return open.isRehearsal && isWhole(open.sheet) ? 'rehearsal' : 'sheet';
    case 'batch':
      return screen.batchId === batch?.id ? 'batch' : 'other';
    case 'gallery':
      return 'files';
    case 'ledger':
      return 'ledger';
    case 'welcome':
    case 'settings':
    case 'gateway':
    case 'help':
    case undefined:
      return 'other';
  }
}

/** Marks the place of a hint, or of several. */
export function tourPlace(...steps: readonly TourStep[]): { readonly 'data-tour': string } {
  return { 'data-tour': steps.join(' ') };
}

type Side = 'below' | 'below-end' | 'above' | 'above-end' | 'left' | 'right' | 'right-down' | 'inside';

/** Where a hint is placed beside its place: on the first side that fits into the window, or as near to it as fits. */
const SIDES: Readonly<Record<TourStep, readonly [Side, ...Side[]]>> = {
  rows: ['below'],
  problems: ['right', 'above'],
  start: ['left', 'above-end', 'below-end'],
  // In the grid, where it covers the fewest cells.
  night: ['inside'],
  fallen: ['inside'],
  ledger: ['below-end'],
  review: ['below-end'],
  own: ['right-down'],
};
const GAP = 10;

interface Size {
  readonly width: number;
  readonly height: number;
}
type Place = Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>;

/** Where the hint of a step is in the window, all in pixels. */
export function hintPosition(step: TourStep, place: Place, hint: Size, view: Size) {
  const at = SIDES[step].map((side) => beside(side, place, hint));
  const [first = { left: 0, top: 0 }] = at;
  const right = view.width - hint.width - GAP;
  const bottom = view.height - hint.height - GAP;
  const found = at.find(({ left, top }) => left >= GAP && left <= right && top >= GAP && top <= bottom) ?? first;
  return { left: Math.max(GAP, Math.min(found.left, right)), top: Math.max(GAP, Math.min(found.top, bottom)) };
}

function beside(side: Side, { left, right, top, bottom }: Place, { width, height }: Size) {
  switch (side) {
    case 'below':
      return { left, top: bottom + GAP };
    case 'below-end':
      return { left: right - width, top: bottom + GAP };
    case 'above':
      return { left, top: top - height - GAP };
    case 'above-end':
      return { left: right - width, top: top - height - GAP };
    case 'left':
      return { left: left - width - GAP, top: bottom - height };
    case 'right':
      return { left: right + GAP, top: bottom - height };
    case 'right-down':
      // Past the button beside it.
      return { left: right + 52, top: top + GAP };
    case 'inside':
      return { left: right - width - 24, top: bottom - height - 24 };
  }
}

const keptTour = z.object({
  /** `new`: the user has not been asked yet whether to take the tour. */
  at: z.enum(['new', 'underWay', 'over']),
  batchId: z.string().optional(),
  passed: z.array(z.enum(TOUR_STEPS)),
});
export type TourState = z.infer<typeof keptTour>;

const NEW: TourState = { at: 'new', passed: [] };

/** How far the tour is, from the text that was kept about it; new if there is none, or none that can be read. */
export function readTour(text: string | undefined): TourState {
  if (text === undefined) return NEW;
  try {
    return keptTour.catch(NEW).parse(JSON.parse(text));
  } catch {
    return NEW;
  }
}

/** How far the tour is, kept with every change. */
export class Tour {
  readonly store;
  readonly #keep: (text: string) => void;

  constructor(kept: string | undefined, keep: (text: string) => void) {
    this.store = createStore<TourState>(() => readTour(kept));
    this.#keep = keep;
  }

  /** Whether to propose it: to a user who rehearses for the first time, and as long as it is under way. */
  isSuggested(isVeryFirst: boolean): boolean {
    const { at } = this.store.getState();
    return at === 'underWay' || (at === 'new' && isVeryFirst);
  }

  /** Begins the tour, or begins it again. */
  begin(): void {
    this.#set({ at: 'underWay', passed: [] });
  }

  leave(): void {
    this.#set({ at: 'over', passed: [] });
  }

  /** Goes on with a batch that was made in it, unless its own is still among `batches`. */
  follow({ id, rehearsal }: BatchView, batches: readonly BatchView[]): void {
    const { at, batchId, passed } = this.store.getState();
    if (at !== 'underWay' || !rehearsal || batches.some((batch) => batch.id === batchId)) return;
    this.#set({ at, batchId: id, passed });
  }

  /** The user has read a hint. After the last one the tour is over. */
  pass(step: TourStep): void {
    const { at, passed } = this.store.getState();
    if (at === 'underWay') this.#goOn([...passed, step]);
  }

  /** Passes over the steps that are done. */
  see(facts: TourFacts): void {
    const { at, passed } = this.store.getState();
    const all = passedBy(facts, passed);
    if (at === 'underWay' && all.length > passed.length) this.#goOn(all);
  }

  #goOn(passed: readonly TourStep[]): void {
    if (passed.includes('own')) this.leave();
    else this.#set({ ...this.store.getState(), passed: [...passed] });
  }

  #set(state: TourState): void {
    this.store.setState(state, true);
    this.#keep(JSON.stringify(state));
  }
}
