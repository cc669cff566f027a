import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAILURE_CODES, failure, type Failure, type FailureCode } from '../../../../src/shared/domain/base/failure.ts';
import {
  fallenAfter,
  ledgerFigures,
  type LedgerBatch,
  type LedgerTakes,
} from '../../../../src/shared/domain/ledger/ledger-figures.ts';
import { amountOf, microsOf } from '../../../../src/shared/domain/base/money.ts';
import { ledgerMoney, mainMoney, paidRequestCells } from '../../../../src/shared/domain/ledger/ledger-money.ts';
import { groupOf, stageOf, STAGES, type TakeFacts } from '../../../../src/shared/domain/ledger/take-stage.ts';
import { stepOf, timelineOf } from '../../../../src/shared/domain/ledger/night-timeline.ts';
import type { BatchPause } from '../../../../src/shared/domain/task/batch.ts';
import { ROW_VIEW_STATUSES } from '../../../../src/shared/domain/task/row-status.ts';

const MUSIC = 'musicgen/music/generate';

function batch(different: Partial<LedgerBatch> = {}): LedgerBatch {
  return { id: 'b', name: 'b', state: 'running', isAtWork: true, rehearsal: false, prices: {}, ...different };
}

function facts(status: TakeFacts['status'], different: Partial<TakeFacts> = {}): TakeFacts {
  const no = { isSuspected: false, wasSent: false, hasTaskCode: false, isRendered: false, isDownloaded: false };
  return { status, ...no, waitsForRow: false, isHeld: false, ...different };
}

function paused(code: FailureCode): Pick<LedgerBatch, 'state' | 'pause'> {
  return { state: 'paused', pause: { by: 'failure', failure: failure(code, '') } };
}

const anyTakes: fc.Arbitrary<LedgerTakes> = fc.record({
  batchId: fc.constantFrom('b', 'c', 'gone'),
  operation: fc.constant(MUSIC),
  takes: fc.nat(50),
  status: fc.constantFrom(...ROW_VIEW_STATUSES),
  code: fc.constantFrom(...FAILURE_CODES),
  isSuspected: fc.boolean(),
  wasSent: fc.boolean(),
  hasTaskCode: fc.boolean(),
  isRendered: fc.boolean(),
  isDownloaded: fc.boolean(),
  waitsForRow: fc.boolean(),
  isHeld: fc.boolean(),
});
const anyPause: fc.Arbitrary<BatchPause> = fc.oneof(
  fc.constant({ by: 'user' } as const),
  fc.constantFrom(...FAILURE_CODES).map((code) => ({ by: 'failure', failure: failure(code, '') }) as const),
);
const anyBatch = fc.record(
  {
    state: fc.constantFrom('ready', 'running', 'paused', 'finished'),
    pause: anyPause,
    isAtWork: fc.boolean(),
    waitsUntil: fc.constant(5),
    isDeleted: fc.constant(true as const),
  },
  { requiredKeys: ['state', 'pause', 'isAtWork', 'waitsUntil'] },
);

test('each figure is the one before without what fell out between, whatever the takes and batches are', () => {
  fc.assert(
    fc.property(fc.array(anyTakes), anyBatch, anyBatch, (takes, b, c) => {
      const figures = ledgerFigures([batch(b), batch({ ...c, id: 'c' })], takes);
      const known = takes.filter(({ batchId }) => batchId !== 'gone').reduce((sum, { takes: n }) => sum + n, 0);
      expect(figures.stages.planned).toBe(known);
      STAGES.forEach((stage, index) => {
        const next = STAGES[index + 1];
        const fallen = fallenAfter(figures, stage).reduce((sum, { takes: n }) => sum + n, 0);
        if (next !== undefined) expect(figures.stages[stage] - fallen).toBe(figures.stages[next]);
        else expect(fallen).toBe(0);
      });
      const grouped = figures.groups.reduce((sum, { takes: n }) => sum + n, 0);
      expect(figures.stages.planned - figures.stages.verified).toBe(grouped);
    }),
  );
});

describe('what to do', () => {
  const running = batch();

  test.each([
    ['MODERATED', 'correct'],
    ['INPUT_INVALID', 'correct'],
    ['REMOTE_FAILED', 'retry'],
    ['RESULT_EXPIRED', 'download'],
    ['DOWNLOAD_CORRUPT', 'download'],
    ['OUTPUT_UNVERIFIABLE', 'download'],
    ['OVERDUE', 'download'],
    ['DEPENDENCY_FAILED', 'settle-other-row'],
    ['WRITTEN_OFF', 'written-off'],
    // What holds batches, or is only waited for, and failed a take all the same.
    ['NETWORK_NOT_SENT', 'retry'],
    ['AUTH_REJECTED', 'retry'],
  ] as const)('a take that failed of %s: %s', (code, group) => {
    expect(groupOf(facts('failed', { code }), running)).toBe(group);
  });

  test.each([
    ['AUTH_REJECTED', 'enter-key'],
    ['CAP_REACHED', 'raise-limit'],
    ['BALANCE_EXHAUSTED', 'top-up'],
    ['DISK_FULL', 'free-disk'],
    ['FUSE_BLOWN', 'look'],
    ['PROFILE_INVALID', 'check-settings'],
  ] as const)('what waits in a batch that is paused by %s: %s', (code, group) => {
    expect(groupOf(facts('queued'), batch(paused(code)))).toBe(group);
  });

  test('what goes on during a pause needs nothing, unless no process works on it', () => {
    const atLimit = batch(paused('CAP_REACHED'));
    expect(groupOf(facts('rendering'), atLimit)).toBe('wait');
    expect(groupOf(facts('rendering'), { ...atLimit, isAtWork: false })).toBe('raise-limit');
    // Without its key nothing is asked, but what is rendered is fetched.
    expect(groupOf(facts('rendering'), batch(paused('KEY_MISSING')))).toBe('enter-key');
    expect(groupOf(facts('downloading'), batch(paused('KEY_MISSING')))).toBe('wait');
    expect(groupOf(facts('downloading'), batch(paused('DISK_FULL')))).toBe('free-disk');
    const disk = failure('DISK_FULL', '');
    expect(groupOf(facts('downloading'), batch({ state: 'paused', pause: { by: 'user', disk } }))).toBe('free-disk');
    expect(groupOf(facts('queued'), batch({ isAtWork: false }))).toBe('resume');
  });

  test.each([
    facts('queued'),
    facts('draft'),
    facts('submit-unknown'),
    facts('rendering'),
    facts('downloading'),
    facts('cancelled'),
    facts('failed', { code: 'MODERATED' }),
  ])('nothing is to be done about a take of a deleted batch: %o', (take) => {
    for (const state of ['ready', 'paused', 'finished'] as const) {
      const deleted = batch({ state, isDeleted: true });
      expect(groupOf(take, deleted)).toBe('deleted');
      const takes = [{ ...take, batchId: deleted.id, takes: 1 }];
      expect(ledgerFigures([deleted], takes).groups).toMatchObject([
        { needsYou: false, what: 'Deleted with their batch' },
      ]);
    }
    expect(groupOf(facts('done'), batch({ state: 'finished', isDeleted: true }))).toBeUndefined();
  });

  test('names the limit that holds takes, and none for what is held by something else', () => {
    const of = { ...facts('queued'), batchId: 'b', takes: 1 };
    const groupsOf = (why: Failure, take: TakeFacts = of) =>
      ledgerFigures([batch({ state: 'paused', pause: { by: 'failure', failure: why } })], [{ ...of, ...take }]).groups;
    const night = failure('CAP_REACHED', '', { cap: 'night', lacks: 'cost' });
    expect(groupsOf(night)).toMatchObject([{ group: 'raise-limit', limit: { of: 'night', lacks: 'cost' } }]);
    expect(groupsOf(failure('CAP_REACHED', ''))).toMatchObject([{ limit: { of: 'batch', lacks: 'requests' } }]);
    const unpriced = failure('PRICE_UNKNOWN', '', { cap: 'month' });
    const price = { group: 'check-settings', limit: { of: 'month', lacks: 'price' } };
    expect(groupsOf(unpriced)).toMatchObject([{ ...price, do: expect.stringContaining('remove the limit') as string }]);
    expect(groupsOf(failure('PROFILE_INVALID', ''))[0]).not.toHaveProperty('limit');
    expect(groupsOf(night, facts('failed', { code: 'MODERATED' }))[0]).not.toHaveProperty('limit');
  });

  test('after the end of a batch nothing new is under way: what waits all the same is resumed', () => {
    const finished = batch({ state: 'finished' });
    expect(groupOf(facts('queued'), finished)).toBe('resume');
    expect(groupOf(facts('queued', { isHeld: true }), finished)).toBe('held');
    expect(groupOf(facts('downloading'), finished)).toBe('wait');
    expect(groupOf(facts('downloading'), { ...finished, isAtWork: false })).toBe('resume');
    expect(groupOf(facts('submit-unknown', { isSettling: true }), { ...finished, isAtWork: false })).toBe('resume');
    expect(groupOf(facts('submit-unknown', { isSettling: true }), finished)).toBe('wait');
  });

  test('a request that has left is under way, whatever holds the others of its batch', () => {
    const atLimit = batch(paused('CAP_REACHED'));
    expect(groupOf(facts('submitting'), atLimit)).toBe('wait');
    expect(groupOf(facts('submitting'), { ...atLimit, isAtWork: false })).toBe('raise-limit');
  });

  test('what waits for the hours of its schedule is named apart from what is under way, with their beginning', () => {
    const waiting = batch({ waitsUntil: 5 });
    const takes = ['queued', 'queued', 'rendering'] as const;
    const of = { batchId: 'b', takes: 1 };
    const { groups } = ledgerFigures(
      [waiting],
      takes.map((status) => ({ ...facts(status), ...of })),
    );
    expect(groups.map(({ group, takes: n, waitsUntil }) => [group, n, waitsUntil])).toEqual([
      ['wait-hours', 2, 5],
      ['wait', 1, undefined],
    ]);
    expect(groupOf(facts('queued', { waitsForRow: true }), waiting)).toBe('settle-other-row');
    expect(groupOf(facts('queued'), batch({ waitsUntil: 5, isAtWork: false }))).toBe('resume');
  });

  test('an inferred failure is what its words say; only what has or had a file is a download', () => {
    const inferred = { isSuspected: true, hasTaskCode: true } as const;
    const groupOfInferred = (code: FailureCode, more: Partial<TakeFacts> = {}) =>
      groupOf(facts('failed', { ...inferred, code, ...more }), running);
    expect(groupOfInferred('REMOTE_FAILED')).toBe('retry');
    expect(groupOfInferred('MODERATED')).toBe('correct');
    expect(groupOfInferred('REMOTE_FAILED', { isRendered: true })).toBe('download');
    expect(groupOfInferred('MODERATED', { isRendered: true, isDownloaded: true })).toBe('download');
    // Without a task code there is nothing to ask for.
    expect(groupOfInferred('REMOTE_FAILED', { isRendered: true, hasTaskCode: false })).toBe('retry');
  });

  test('a group says of inferred failures that trying again only asks, and where the way out is', () => {
    const of = { batchId: 'b', takes: 1 };
    const groupsOf = (take: Partial<TakeFacts>) =>
      ledgerFigures([running], [{ ...facts('failed', { code: 'REMOTE_FAILED', hasTaskCode: true, ...take }), ...of }])
        .groups;
    const [inferred] = groupsOf({ isSuspected: true });
    expect(inferred).toMatchObject({ areInferred: true, do: expect.stringContaining('for free') as string });
    for (const [group] of [groupsOf({}), groupsOf({ isSuspected: true, isRendered: true })])
      expect(group).not.toHaveProperty('areInferred');
  });

  test('a group of inferred failures and others promises nothing for free to the others', () => {
    const failed = {
      ...facts('failed', { code: 'REMOTE_FAILED', hasTaskCode: true }),
      batchId: 'b',
      takes: 2,
    } as const;
    const [mixed] = ledgerFigures([running], [failed, { ...failed, isSuspected: true }]).groups;
    expect(mixed).toMatchObject({ takes: 4, areInferred: true });
    expect(mixed?.do).toMatch(/^Try again: a new paid request each, .* are only asked for once more, for free\.$/u);
  });

  test('money in doubt stands above ordinary failures', () => {
    const doubt = { ...facts('submit-unknown'), batchId: 'b', takes: 1 };
    const failed = { ...facts('failed', { code: 'MODERATED' }), batchId: 'b', takes: 1 } as const;
    expect(ledgerFigures([running], [failed, doubt]).groups.map(({ group }) => group)).toEqual([
      'check-charge',
      'correct',
    ]);
  });

  test('a group says the reason if all of it fell out for the same', () => {
    const take = { ...facts('failed', { code: 'MODERATED' }), batchId: 'b', takes: 5 } as const;
    const [alike] = ledgerFigures([running], [take]).groups;
    expect(alike).toMatchObject({ takes: 5, what: 'Refused by moderation', codes: ['MODERATED'] });
    const [mixed] = ledgerFigures([running], [take, { ...take, code: 'INPUT_INVALID' }]).groups;
    expect(mixed).toMatchObject({ takes: 10, what: 'Refused by the gateway' });
  });
});

test.each([
  ['queued', {}, 'planned'],
  ['submit-unknown', {}, 'submitted'],
  ['rendering', {}, 'accepted'],
  ['downloading', {}, 'rendered'],
  ['downloading', { isDownloaded: true }, 'downloaded'],
  ['done', {}, 'verified'],
  ['failed', { code: 'DEPENDENCY_FAILED', wasSent: true }, 'planned'],
  ['failed', { code: 'MODERATED', wasSent: true }, 'submitted'],
  ['failed', { code: 'REMOTE_FAILED', wasSent: true, hasTaskCode: true }, 'accepted'],
  ['failed', { code: 'RESULT_EXPIRED', wasSent: true, hasTaskCode: true, isRendered: true }, 'rendered'],
  ['failed', { code: 'OUTPUT_UNVERIFIABLE', isRendered: true, isDownloaded: true }, 'downloaded'],
  ['cancelled', {}, 'planned'],
  ['cancelled', { wasSent: true, hasTaskCode: true }, 'accepted'],
] as const)('%s %j has come as far as %s', (status, different, stage) => {
  expect(stageOf(facts(status, different))).toBe(stage);
});

test('an unknown outcome that settles itself is waited for, and nothing is to be checked', () => {
  const settling = facts('submit-unknown', { isSettling: true });
  expect(groupOf(settling, batch())).toBe('wait');
  expect(groupOf(facts('submit-unknown'), batch())).toBe('check-charge');
  expect(groupOf(settling, batch({ state: 'paused', pause: { by: 'user' } }))).toBe('resume');
  expect(groupOf(settling, batch({ isAtWork: false }))).toBe('resume');
});

describe('money', () => {
  const priced = batch({ prices: { [MUSIC]: { amount: 0.1, currency: 'USD' } } });
  const take = { ...facts('done'), batchId: 'b', operation: MUSIC, takes: 3 } as const;
  const request = { batchId: 'b', day: '2026-11-21', operation: MUSIC, charge: 'spent', requests: 3 } as const;

  test('adds up decimal fractions exactly, by operation and by day', () => {
    const cost = { amount: amountOf(3 * microsOf(0.1)), currency: 'USD' };
    const unknown = { ...request, charge: 'unknown', requests: 1, cost: { amount: 0.1, currency: 'USD' } } as const;
    const money = ledgerMoney([priced], [take], [{ ...request, cost }, unknown]);
    expect(mainMoney(money)).toEqual({ planned: 0.3, reserved: 0, spent: 0.3, unknown: 0.1, currency: 'USD' });
    expect(money.requests).toEqual({ planned: 3, reserved: 0, spent: 3, unknown: 1 });
    expect(money.byDay).toMatchObject([{ of: '2026-11-21', money: [{ spent: 0.3, unknown: 0.1 }] }]);
    expect(money.byOperation).toMatchObject([{ of: MUSIC, money: [{ planned: 0.3, spent: 0.3 }] }]);
  });

  test('is told of each account, where a batch has several', () => {
    const cost = { amount: 0.2, currency: 'USD' };
    const requests = [
      { ...request, account: 'spare', cost },
      { ...request, account: 'main', requests: 1, cost },
      { ...request, requests: 5 },
    ];
    expect(ledgerMoney([priced], [take], requests).byAccount).toMatchObject([
      { of: 'main', requests: { spent: 1 }, money: [{ spent: 0.2 }] },
      { of: 'spare', requests: { spent: 3 }, money: [{ spent: 0.2 }] },
    ]);
    expect(ledgerMoney([priced], [take], [request]).byAccount).toEqual([]);
  });

  test('rounds as the limits do: nothing counts for less than it costs', () => {
    const fine = batch({ prices: { [MUSIC]: { amount: 0.000_000_2, currency: 'USD' } } });
    expect(mainMoney(ledgerMoney([fine], [take], [])).planned).toBe(0.000_003);
  });

  test('says quantities where nothing has a price, and never zero', () => {
    const money = ledgerMoney([batch()], [take], [request]);
    expect(mainMoney(money)).toEqual({ planned: null, reserved: null, spent: null, unknown: null, currency: null });
    expect(money.unpriced).toEqual({ planned: 3, reserved: 0, spent: 3, unknown: 0 });
  });

  test('what was sent before it had a price costs an amount that is not known', () => {
    const money = ledgerMoney([priced], [take], [request]);
    expect(mainMoney(money)).toEqual({ planned: 0.3, reserved: 0, spent: null, unknown: 0, currency: 'USD' });
  });

  test('keeps currencies apart, and leaves rehearsals out', () => {
    const cost = { amount: 5, currency: 'EUR' };
    const { money } = ledgerMoney([priced], [take, take], [{ ...request, cost }]);
    expect(money.map(({ currency, spent }) => [currency, spent])).toEqual([
      ['USD', 0],
      ['EUR', 5],
    ]);
    expect(ledgerMoney([{ ...priced, rehearsal: true }], [take], [request]).requests.spent).toBe(0);
  });

  test('a paid request on a line', () => {
    const price = { amount: 0.25, currency: 'USD' };
    const request = { at: 0, batchId: 'b', row: '=r', take: 1, operation: MUSIC, outcome: 'accepted', price } as const;
    const cells = ['1970-01-01T00:00:00.000Z', 'b', '=r', '1', MUSIC, '', 'accepted', '0.25', '', 'USD'];
    expect(paidRequestCells(request)).toEqual([...cells, '']);
    expect(paidRequestCells({ ...request, account: 'spare' })).toEqual([...cells, 'spare']);
  });
});

describe('the timeline', () => {
  test('has a length of stretch that a person can read off, and no more of them than a screen shows', () => {
    expect(stepOf(0, 10_000)).toBe(1_000);
    expect(stepOf(0, 8 * 3_600_000)).toBe(5 * 60_000);
    expect(stepOf(0, 400 * 86_400_000)).toBe(4 * 86_400_000);
  });

  test('counts what is under way from what was before', () => {
    const counted = [
      { bucket: -1, kind: 'accepted', n: 5 },
      { bucket: -1, kind: 'ended', n: 3 },
      { bucket: 0, kind: 'accepted', n: 1 },
      { bucket: 1, kind: 'ended', n: 2 },
      { bucket: 1, kind: 'verified', n: 2 },
    ] as const;
    const { points } = timelineOf({ from: 0, to: 1_999, stepMs: 1_000 }, counted, []);
    expect(points.map(({ at, active, verified }) => [at, active, verified])).toEqual([
      [0, 3, 0],
      [1_000, 1, 2],
    ]);
  });

  test('says when a batch stood still, and why', () => {
    const changes = [
      { batchId: 'b', at: 10, state: 'running' },
      { batchId: 'b', at: 20, state: 'paused', pause: { by: 'failure', failure: failure('AUTH_REJECTED', '') } },
      { batchId: 'b', at: 30, state: 'running' },
      { batchId: 'b', at: 80, state: 'paused', pause: { by: 'user' } },
    ] as const;
    expect(timelineOf({ from: 25, to: 100, stepMs: 10 }, [], changes).pauses).toEqual([
      { batchId: 'b', from: 25, to: 30, code: 'AUTH_REJECTED' },
      { batchId: 'b', from: 80 },
    ]);
  });
});
