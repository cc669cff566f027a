import { describe, expect, test } from 'vitest';
import type { AnswerShape, MeasureKind } from '../../../../src/shared/domain/gateway/learned/answer-look.ts';
import type { Learned } from '../../../../src/shared/domain/gateway/learned/learned.ts';
import { proposalsFor, typicalTimes, withProposal } from '../../../../src/shared/domain/gateway/learned/proposals.ts';
import { parseProfile, type Profile, profileSchema } from '../../../../src/shared/domain/gateway/profile.ts';
import { profileChanges } from '../../../../src/shared/domain/gateway/profile-difference.ts';
import type { CountedStatus } from '../../../../src/shared/domain/gateway/seen-status.ts';
import type { OperationPath } from '../../../../src/shared/domain/operations/operations.ts';

const IMAGE: OperationPath = 'videogen-b/image/generate';
const GATEWAY = 'https://gateway.example/api';
const NOTHING: Learned = { shapes: [], measures: [], durations: [] };
const PROFILE = profileSchema.parse({ baseUrl: GATEWAY });

function shapes(...seen: readonly (Partial<AnswerShape> & { readonly answers: number })[]): Learned {
  const usual: AnswerShape = {
    call: 'poll',
    operation: IMAGE,
    httpStatus: 200,
    content: 'json',
    code: '200',
    fields: 'code:number',
    found: '',
    way: 'taskCode',
    became: 'running',
  };
  const counted = seen.map(({ answers, ...different }) => ({ shape: { ...usual, ...different }, answers }));
  return { ...NOTHING, shapes: counted.map((one) => ({ ...one, gateway: GATEWAY, lastAt: 1 })) };
}

type Measured = readonly [kind: MeasureKind, at: string, count: number, least: number, most: number];
function measures(...seen: readonly Measured[]): Learned {
  const all = seen.map(([kind, at, count, least, most]) => ({ operation: IMAGE, kind, at, count, least, most }));
  return { ...NOTHING, measures: all.map((one) => ({ ...one, gateway: GATEWAY, lastAt: 1 })) };
}

function status(value: string, became: CountedStatus['became'], tasks = 3): CountedStatus {
  const looks = { hasUrl: became === 'result', hasEnded: true, hasMessage: true };
  return { gateway: GATEWAY, operation: IMAGE, status: value, ...looks, became, tasks, lastAt: 1 };
}

/** What is proposed, as the paths and values alone. */
function proposed(learned: Learned, profile: Profile = PROFILE, statuses: readonly CountedStatus[] = []) {
  return proposalsFor(profile, learned, statuses).map(({ path, value }) => [path.join('.'), value]);
}

describe('statuses', () => {
  const of = (...statuses: readonly CountedStatus[]) => proposed(NOTHING, PROFILE, statuses);

  test('that only ended without a file mean failed, and those that only came with files, succeeded', () => {
    expect(of(status('3', 'suspected'), status('2', 'result'), status('1', 'running'))).toEqual([
      ['status.videogen-b.3', 'failed'],
      ['status.videogen-b.2', 'succeeded'],
    ]);
  });

  test('that once gave a file are never proposed as failed, nor those that once did not as succeeded', () => {
    expect(of(status('3', 'suspected', 50), status('3', 'result', 1))).toEqual([]);
    expect(of(status('2', 'result', 50), status('2', 'running', 1))).toEqual([]);
    expect(of(status('2', 'result', 2))).toEqual([]);
  });

  test('that the profile has are not proposed again', () => {
    const told = profileSchema.parse({ status: { 'videogen-b': { '3': 'inferred', '2': 'succeeded' } } });
    expect(proposed(NOTHING, told, [status('3', 'suspected'), status('2', 'result')])).toEqual([]);
  });
});

describe('the envelope', () => {
  test('a task code’s place is proposed once detection has found it', () => {
    const detect = profileSchema.parse({ taskCode: { in: 'detect' } });
    const found = shapes({ way: 'task_id', answers: 4 }, { way: 'taskCode', became: 'poll-error', answers: 2 });
    expect(proposed(found, detect)).toEqual([['taskCode', { in: 'query', name: 'task_id' }]]);
    expect(proposed(shapes({ way: '/', answers: 1 }), detect)).toEqual([
      ['taskCode', { in: 'path', name: 'taskCode' }],
    ]);
    expect(proposed(found)).toEqual([]);
    expect(proposed(shapes({ way: 'id', answers: 1 }, { way: '/', answers: 1 }), detect)).toEqual([]);
  });

  test('codes of success are proposed where refusals had others, and only if all of it was seen often', () => {
    const refused = { became: 'poll-error', code: '500', answers: 1 } as const;
    expect(proposed(shapes({ answers: 9 }, { became: 'rendered', answers: 1 }, refused))).toEqual([
      ['envelope.okCodes', [200]],
    ]);
    expect(proposed(shapes({ code: 'success', answers: 10 }, refused))).toEqual([['envelope.okCodes', ['success']]]);
    expect(proposed(shapes({ answers: 9 }, refused))).toEqual([]);
    expect(proposed(shapes({ answers: 90 }))).toEqual([]);
    expect(proposed(shapes({ answers: 90 }, { ...refused, code: '200' }))).toEqual([]);
    expect(proposed(shapes({ answers: 90, code: '(text)' }, refused))).toEqual([]);
    // Their HTTP status tells those already.
    expect(proposed(shapes({ answers: 90 }, { ...refused, httpStatus: 500 }))).toEqual([]);
  });
});

describe('limits and deadlines', () => {
  test('the strictest rate that a header names is proposed', () => {
    const rates = measures(
      ['rate-per-second', 'RateLimit-Policy', 4, 0.5, 10],
      ['rate-limit', 'X-RateLimit-Limit', 4, 9, 9],
    );
    expect(proposed(rates)).toEqual([['limits.requestsPerSecond', 0.5]]);
    expect(proposed(rates, profileSchema.parse({ limits: { requestsPerSecond: 0.5 } }))).toEqual([]);
  });

  test('a number of active tasks is proposed where all refusals came above it, and no acceptance did', () => {
    const path = 'limits.activePerFamily.videogen-b';
    expect(proposed(measures(['accepted-active', '', 9, 1, 2], ['refused-active', '', 3, 3, 3]))).toEqual([[path, 2]]);
    expect(proposed(measures(['accepted-active', '', 9, 1, 3], ['refused-active', '', 3, 3, 3]))).toEqual([]);
    expect(proposed(measures(['accepted-active', '', 9, 1, 2], ['refused-active', '', 2, 3, 3]))).toEqual([]);
    expect(proposed(measures(['refused-active', '', 5, 1, 3]))).toEqual([]);
  });

  test('deadlines that were nearly missed are proposed longer', () => {
    expect(proposed(measures(['submit-seconds', '', 9, 1, 110]))).toEqual([['deadlines.submitSeconds', 220]]);
    expect(proposed(measures(['submit-seconds', '', 9, 1, 30]))).toEqual([]);
    const slow = { gateway: GATEWAY, operation: IMAGE, model: 'x', times: [60_000, 20 * 3_600_000, 90_000] };
    expect(proposed({ ...NOTHING, durations: [slow] })).toEqual([['deadlines.taskHours', 40]]);
    expect(typicalTimes({ ...NOTHING, durations: [slow] })).toEqual([
      { operation: IMAGE, tasks: 3, median: 90, longest: 72_000 },
    ]);
  });
});

describe('costs', () => {
  test('first their place is proposed, then the highest price that was seen there', () => {
    const seen = measures(['cost', 'result.credits', 5, 0.2, 0.4], ['balance', 'result.balance', 9, 1, 9]);
    expect(proposed(seen)).toEqual([['cost', { in: 'body', path: 'result.credits', currency: 'credits' }]]);
    const cost = { in: 'body', path: 'result.credits', currency: 'credits' } as const;
    const told = profileSchema.parse({ cost });
    expect(proposed(seen, told)).toEqual([[`prices.${IMAGE}`, { amount: 0.4, currency: 'CREDITS' }]]);
    const priced = profileSchema.parse({ cost, prices: { [IMAGE]: { amount: 0.4, currency: 'USD' } } });
    expect(proposed(seen, priced)).toEqual([]);
    expect(proposed(measures(['cost', 'result.credits', 2, 0.2, 0.4]))).toEqual([]);
    // As an earlier version counted them: what is left, and more than any request costs.
    for (const at of ['credits_left', 'result.quota', 'result.remaining_credits'])
      expect(proposed(measures(['cost', at, 9, 1, 9]))).toEqual([]);
    expect(proposed(measures(['cost', 'result.credits', 9, 1, 2_000_000]), told)).toEqual([]);
  });
});

test('taking a proposal changes that setting alone, and the profile stays valid', () => {
  const statuses = [status('3.x', 'suspected')];
  const [proposal] = proposalsFor(PROFILE, NOTHING, statuses);
  if (proposal === undefined) throw new Error('nothing was proposed');
  const taken = withProposal(PROFILE, proposal);
  if (!taken.ok) throw new Error(JSON.stringify(taken.error));
  expect(taken.value.status).toEqual({ 'videogen-b': { '3.x': 'failed' } });
  expect(profileChanges(PROFILE, taken.value)).toHaveLength(1);
  expect(parseProfile(taken.value).ok).toBe(true);
  expect(withProposal(PROFILE, { path: ['__proto__', 'a'], value: 1 }).ok).toBe(false);
  expect(withProposal(PROFILE, { path: ['limits', 'requestsPerSecond'], value: -1 }).ok).toBe(false);
});
