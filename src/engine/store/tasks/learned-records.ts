import { groupBy } from '../../../shared/domain/base/result.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { AnswerShape, MeasureKind } from '../../../shared/domain/gateway/learned/answer-look.ts';
import {
  type Learned,
  LEARNED_KEPT,
  type LearnedCounts,
  type LearnedDuration,
} from '../../../shared/domain/gateway/learned/learned.ts';
import type { Database } from '../open/database.ts';

interface AnswerColumns {
  readonly gateway: string;
  readonly operation: OperationPath;
  readonly call: AnswerShape['call'];
  readonly http_status: number;
  readonly look: string;
  readonly became: AnswerShape['became'];
  readonly answers: number;
  readonly last_at: number;
}

interface MeasureColumns {
  readonly gateway: string;
  readonly operation: OperationPath;
  readonly kind: MeasureKind;
  readonly at: string;
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly last_at: number;
}

interface CompletionColumns {
  readonly gateway: string;
  readonly operation: OperationPath;
  readonly model: string;
  readonly duration_ms: number;
}

type Look = readonly [content: AnswerShape['content'], code: string, fields: string, found: string, way: string];

/**
 * What gateways' answers looked like, and the numbers in them. `timesKept`: how many times are kept of each kind of
 * rendering.
 */
export function openLearnedRecords(db: Database, timesKept: number) {
  const countAnswers = db.prepare(`
    UPDATE seen_answers SET answers = answers + ?7, last_at = max(last_at, ?8) WHERE gateway = ?1 AND operation = ?2
    AND call = ?3 AND http_status = ?4 AND look = ?5 AND became = ?6`);
  const insertAnswers = db.prepare(`
    INSERT INTO seen_answers SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
    WHERE (SELECT count(*) FROM seen_answers WHERE gateway = ?1) < ${LEARNED_KEPT}`);
  const countMeasure = db.prepare(`
    UPDATE seen_measures SET count = count + ?5, least = min(least, ?6), most = max(most, ?7), last_at = max(last_at, ?8)
    WHERE gateway = ?1 AND operation = ?2 AND kind = ?3 AND at = ?4`);
  const insertMeasure = db.prepare(`
    INSERT INTO seen_measures SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
    WHERE (SELECT count(*) FROM seen_measures WHERE gateway = ?1) < ${LEARNED_KEPT}`);
  const selectAnswers = db.prepare<AnswerColumns>('SELECT * FROM seen_answers');
  const selectMeasures = db.prepare<MeasureColumns>('SELECT * FROM seen_measures');
  const selectTimes = db.prepare<CompletionColumns>(`
    SELECT gateway, operation, model, duration_ms FROM completions WHERE gateway NOT LIKE 'rehearsal %'
    ORDER BY gateway, operation, model, seq DESC`);
  return {
    keepLearned(gateway: string, { shapes, measures }: LearnedCounts, at: number) {
      for (const { shape, answers } of shapes) {
        const { operation, call, httpStatus, content, code, fields, found, way, became } = shape;
        const look = JSON.stringify([content, code, fields, found, way] satisfies Look);
        const values = [gateway, operation, call, httpStatus, look, became, answers, at];
        if (countAnswers.run(...values) === 0) insertAnswers.run(...values);
      }
      for (const { operation, kind, at: place, count, least, most } of measures) {
        const values = [gateway, operation, kind, place, count, least, most, at];
        if (countMeasure.run(...values) === 0) insertMeasure.run(...values);
      }
    },
    learned(): Learned {
      const isThere = db.hasColumn('seen_measures', 'gateway');
      return {
        shapes: (isThere ? selectAnswers.all() : []).map(shapeOf),
        measures: (isThere ? selectMeasures.all() : []).map(({ last_at: lastAt, ...rest }) => ({ ...rest, lastAt })),
        durations: durationsOf(selectTimes.all(), timesKept),
      };
    },
  };
}

function shapeOf(columns: AnswerColumns): Learned['shapes'][number] {
  const { gateway, operation, call, http_status: httpStatus, look, became, answers, last_at: lastAt } = columns;
  const [content, code, fields, found, way] = JSON.parse(look) as Look;
  return {
    gateway,
    shape: { call, operation, httpStatus, content, code, fields, found, way, became },
    answers,
    lastAt,
  };
}

function durationsOf(columns: readonly CompletionColumns[], timesKept: number): readonly LearnedDuration[] {
  const byKind = groupBy(columns, ({ gateway, operation, model }) => JSON.stringify([gateway, operation, model]));
  return [...byKind.values()].flatMap((all): LearnedDuration[] => {
    const [first] = all;
    if (first === undefined) return [];
    const { gateway, operation, model } = first;
    return [{ gateway, operation, model, times: all.slice(0, timesKept).map(({ duration_ms: ms }) => ms) }];
  });
}
