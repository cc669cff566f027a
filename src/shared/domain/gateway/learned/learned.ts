/** What nights have shown about gateways, counted. */
import type { OperationPath } from '../../operations/operations.ts';
import type { AnswerShape, Measure } from './answer-look.ts';

/** How often answers looked like this. */
export interface ShapeCount {
  readonly shape: AnswerShape;
  readonly answers: number;
}

/** A number that came with the answers to an operation: how often, and between which bounds. */
export interface MeasureCount extends Omit<Measure, 'value'> {
  readonly operation: OperationPath;
  readonly count: number;
  readonly least: number;
  readonly most: number;
}

/** What is counted with one change of a task. */
export interface LearnedCounts {
  readonly shapes: readonly ShapeCount[];
  readonly measures: readonly MeasureCount[];
}

/**
 * The counts of one gateway, as the store has them. `gateway`: see `gatewayKey`. Times are milliseconds since the
 * epoch.
 */
export interface Learned {
  readonly shapes: readonly (ShapeCount & { readonly gateway: string; readonly lastAt: number })[];
  readonly measures: readonly (MeasureCount & { readonly gateway: string; readonly lastAt: number })[];
  readonly durations: readonly LearnedDuration[];
}

/** How long the latest renderings of a kind took, newest first, in milliseconds. */
export interface LearnedDuration {
  readonly gateway: string;
  readonly operation: OperationPath;
  readonly model: string;
  readonly times: readonly number[];
}

/** The same of one gateway alone. */
export function learnedOf({ shapes, measures, durations }: Learned, gateway: string): Learned {
  const isOf = (one: { readonly gateway: string }): boolean => one.gateway === gateway;
  return { shapes: shapes.filter(isOf), measures: measures.filter(isOf), durations: durations.filter(isOf) };
}

/**
 * At most this many different shapes and as many measures are kept for a gateway: one that keeps inventing must not
 * fill the disk.
 */
export const LEARNED_KEPT = 200;

/** Counts are written after this many answers, or after this long. If the process is killed, that much is forgotten. */
const WRITTEN_AFTER = 64;
const WRITTEN_AFTER_MS = 5000;

interface Tally {
  readonly shapes: Map<string, ShapeCount>;
  readonly measures: Map<string, MeasureCount>;
  /** Answers since the counts were last given out. */
  waiting: number;
  writtenAt: number;
}

/**
 * Counts answers in memory, by gateway: what is new is given out at once to be written, what repeats itself only now
 * and then. Bounded, whatever gateways send.
 */
export class AnswerTally {
  readonly #gateways = new Map<string, Tally>();

  /** Counts an answer. Returns what is to be written with it, if anything is. */
  count(gateway: string, shape: AnswerShape, measures: readonly Measure[], now: number): LearnedCounts | undefined {
    const tally = this.#of(gateway);
    let isNew = false;
    const known = tally.shapes.get(shapeKey(shape));
    if (known !== undefined || tally.shapes.size < LEARNED_KEPT) {
      isNew = known === undefined;
      tally.shapes.set(shapeKey(shape), { shape, answers: (known?.answers ?? 0) + 1 });
    }
    for (const measure of measures) {
      const { operation } = shape;
      const key = measureKey(operation, measure);
      const before = tally.measures.get(key);
      if (before === undefined && tally.measures.size >= LEARNED_KEPT) continue;
      isNew ||= before === undefined;
      tally.measures.set(key, widened(before, operation, measure));
    }
    tally.waiting += 1;
    const isDue = isNew || tally.waiting >= WRITTEN_AFTER || Math.abs(now - tally.writtenAt) >= WRITTEN_AFTER_MS;
    return isDue ? given(tally, now) : undefined;
  }

  #of(gateway: string): Tally {
    const known = this.#gateways.get(gateway);
    if (known !== undefined) return known;
    const tally = { shapes: new Map(), measures: new Map(), waiting: 0, writtenAt: 0 };
    this.#gateways.set(gateway, tally);
    return tally;
  }
}

function given(tally: Tally, now: number): LearnedCounts {
  const shapes = [...tally.shapes.values()].filter(({ answers }) => answers > 0);
  const measures = [...tally.measures.values()].filter(({ count }) => count > 0);
  // The keys stay known: only what is new is worth a write of its own.
  for (const { shape } of shapes) tally.shapes.set(shapeKey(shape), { shape, answers: 0 });
  for (const one of measures) tally.measures.set(measureKey(one.operation, one), { ...one, count: 0 });
  tally.waiting = 0;
  tally.writtenAt = now;
  return { shapes, measures };
}

function widened(
  before: MeasureCount | undefined,
  operation: OperationPath,
  { kind, at, value }: Measure,
): MeasureCount {
  const { count = 0, least = value, most = value } = before ?? {};
  return { operation, kind, at, count: count + 1, least: Math.min(least, value), most: Math.max(most, value) };
}

/** The same for answers that look alike. */
export function shapeKey(shape: AnswerShape): string {
  const { call, operation, httpStatus, content, code, fields, found, way, became } = shape;
  return JSON.stringify([call, operation, httpStatus, content, code, fields, found, way, became]);
}

function measureKey(operation: OperationPath, { kind, at }: Pick<Measure, 'kind' | 'at'>): string {
  return JSON.stringify([operation, kind, at]);
}
