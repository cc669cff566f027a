import { describe, expect, test } from 'vitest';
import { fitText, forgetWidths } from '../../../src/renderer/batch/grid/fit-text.ts';
import { earlierWords } from '../../../src/renderer/format/phrases.ts';
import {
  limitReached,
  isLeftAlone,
  isSaidOfAccount,
  ledgerSpan,
  openTasks,
  percentDone,
  retryWords,
  standingOf,
  statusTotals,
} from '../../../src/renderer/state/batch/batch-progress.ts';
import {
  limitForm,
  readAccountLimits,
  readLimits,
  setSpending,
} from '../../../src/renderer/state/batch/limit-change.ts';
import { groupProblems, placesOfProblem, suggestionsIn } from '../../../src/renderer/state/batch/problem-groups.ts';
import { checkProfileText, withPreset } from '../../../src/renderer/state/profile-draft.ts';
import { priceTexts, readPrice, withPrices } from '../../../src/renderer/state/profile-prices.ts';
import { settleableRows } from '../../../src/renderer/state/batch/rows-view.ts';
import { gatewayObstacle } from '../../../src/renderer/state/app-state.ts';
import { batchesLeftOver, mostUrgentBatch, windowTitle } from '../../../src/renderer/state/batches-store.ts';
import {
  readCostLimit,
  readRequestLimit,
  runOf,
  splitMoney,
  startChoice,
} from '../../../src/renderer/state/opening/start-forms.ts';
import { err, ok } from '../../../src/shared/domain/base/result.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import type { KeyStatus, SettingsView } from '../../../src/shared/ipc/app.ts';
import type { ColumnView, SameProblemsView } from '../../../src/shared/ipc/opening.ts';
import { makeBatch, makeCounts, makeRowCounts } from './make-view.ts';

test('a limit of all batches that is set leaves the others as somebody else has set them meanwhile', async () => {
  const nothing = { requests: 0, cost: [], unpriced: 0 };
  const lowered = {
    night: { limit: { requests: 40, cost: { amount: 2, currency: 'EUR' } }, spent: nothing },
    month: { limit: { requests: 900 }, spent: nothing },
  };
  const set: unknown[] = [];
  const ask = ((route: string, input: unknown) => {
    if (route === 'spending.set') set.push(input);
    return Promise.resolve(ok(lowered));
  }) as unknown as Parameters<typeof setSpending>[0];
  await setSpending(ask, { 'month cost': '50 EUR' });
  await setSpending(ask, { 'night requests': '', 'night cost': '3 EUR' });
  expect(set).toEqual([
    { night: lowered.night.limit, month: { requests: 900, cost: { amount: 50, currency: 'EUR' } } },
    { night: { cost: { amount: 3, currency: 'EUR' } }, month: { requests: 900 } },
  ]);
});

describe('progress', () => {
  test('unknown is neither ended nor lost: it waits for the user', () => {
    const totals = statusTotals(makeCounts({ done: 5, failed: 1, cancelled: 1, 'submit-unknown': 2, rendering: 1 }));
    expect(openTasks(totals)).toBe(3);
  });

  test('counts what is done alone: a retry never takes it back, and a cancelled batch is not complete', () => {
    const percent = (counts: Parameters<typeof makeCounts>[0]) => percentDone(statusTotals(makeCounts(counts)));
    expect(percent({ done: 7, cancelled: 17 })).toBe('29%');
    expect(percent({ done: 20, failed: 4 })).toBe(percent({ done: 20, queued: 4 }));
    expect(percent({ done: 5, failed: 1, rendering: 18 })).toBe('20%');
    expect(percent({ done: 24 })).toBe('100%');
  });

  test('a retry is called by what it sets going, and is not offered where nothing is to retry', () => {
    const words = (counts: Parameters<typeof makeCounts>[0]) => retryWords(statusTotals(makeCounts(counts)));
    expect(words({ done: 5 })).toBeUndefined();
    expect(words({ done: 5, failed: 2 })).toBe('Retry failed');
    expect(words({ done: 7, cancelled: 17 })).toBe('Retry cancelled');
    expect(words({ failed: 1, cancelled: 1 })).toBe('Retry failed and cancelled');
  });

  test('the window’s title says who is needed, else how far what runs is, and nothing of what is over or put away', () => {
    const runs = makeBatch({ id: 'runs', name: 'Small night', counts: makeCounts({ done: 42, queued: 58 }) });
    const other = makeBatch({ id: 'other', counts: makeCounts({ queued: 100 }) });
    const paused = makeBatch({ id: 'paused', state: 'paused', pause: { by: 'user' }, counts: makeCounts({ done: 1 }) });
    const asks = { ...runs, id: 'asks', name: 'Songs', counts: makeCounts({ 'submit-unknown': 1 }) };
    const shelf = { is: 'archived', at: 1 } as const;
    expect(windowTitle([])).toBe('Nocturne');
    expect(windowTitle([makeBatch({ state: 'ready' }), makeBatch({ id: 'b', state: 'finished' })])).toBe('Nocturne');
    expect(windowTitle([runs, paused])).toBe('42% – Small night – Nocturne');
    expect(windowTitle([runs, other])).toBe('21% – 2 batches – Nocturne');
    expect(windowTitle([runs, asks])).toBe('Needs you – Songs – Nocturne');
    expect(windowTitle([paused])).toBe('Paused at 100% – A night – Nocturne');
    expect(windowTitle([{ ...paused, shelf }])).toBe('Nocturne');
    expect(windowTitle([{ ...runs, waitsUntil: Date.now() + 60_000 }])).toMatch(/^Waits until .* – Small night/u);
  });

  test('what was put away is not what is looked at first', () => {
    const away = makeBatch({ id: 'away', state: 'paused', shelf: { is: 'deleted', at: 1 }, createdAt: 9 });
    const other = makeBatch({ id: 'other', state: 'finished', createdAt: 1 });
    expect(mostUrgentBatch([away, other])?.id).toBe('other');
    expect(mostUrgentBatch([away])).toBeUndefined();
  });

  test('the batch that needs its user is looked at before one that is done', () => {
    const done = makeBatch({ id: 'done', state: 'finished', counts: makeCounts({ done: 3 }), createdAt: 3 });
    const asking = makeBatch({
      id: 'asks',
      state: 'finished',
      counts: makeCounts({ 'submit-unknown': 1 }),
      createdAt: 2,
    });
    expect(standingOf(done).tone).toBe('done');
    expect(mostUrgentBatch([done, asking])?.id).toBe('asks');
    expect(mostUrgentBatch([done, asking, makeBatch({ id: 'runs', createdAt: 1 })])?.id).toBe('runs');
  });

  test('a single take that was cancelled does not stop a batch: it is finished, and how much was cancelled is said', () => {
    const counts = makeCounts({ done: 23, cancelled: 1 });
    const batch = makeBatch({ state: 'finished', counts });
    expect(standingOf(batch).words).toBe('Finished, 1 cancelled');
  });

  test('a batch is at its limit where resuming alone would change nothing', () => {
    const pause = { by: 'failure', failure: { code: 'CAP_REACHED', message: '' } } as const;
    const paused = makeBatch({ state: 'paused', pause, maxSubmits: 60, submitsUsed: 60 });
    expect(limitReached(paused)).toBe('batch');
    expect(limitReached({ ...paused, maxSubmits: 100 })).toBeUndefined();
    expect(limitReached({ ...paused, pause: { by: 'user' } })).toBeUndefined();
  });

  test('a limit of an account, of the night or of the month is in the way until it is raised or renewed', () => {
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    const at = (cap: object) =>
      makeBatch({
        state: 'paused',
        pause: { by: 'failure', failure: { code: 'CAP_REACHED', message: '', cap } },
        maxSubmits: 1,
        submitsUsed: 1,
        accounts: [
          {
            name: 'a',
            profile: 'A',
            gateway: '',
            limit: { requests: 2, cost: usd(0.3) },
            requests: 2,
            spent: usd(0.2),
          },
          { name: 'b', profile: 'B', gateway: '', limit: { requests: 4 }, requests: 2 },
        ],
      } as Parameters<typeof makeBatch>[0]);
    const ofAccount = (account: string, more: object = { lacks: 'requests' }) =>
      limitReached(at({ of: 'account', account, ...more }));
    expect([ofAccount('a'), ofAccount('b'), ofAccount('gone')]).toEqual(['account', undefined, undefined]);
    expect(ofAccount('a', { lacks: 'cost', next: usd(0.2) })).toBe('account');
    expect(ofAccount('a', { lacks: 'cost', next: usd(0.1) })).toBeUndefined();
    const spent = { requests: 5, cost: [usd(0.9)], unpriced: 0 };
    const none = { limit: {}, spent };
    const night = at({ of: 'night', lacks: 'requests' });
    expect(limitReached(night)).toBe('night');
    expect(limitReached(night, { night: { limit: { requests: 5 }, spent }, month: none })).toBe('night');
    expect(limitReached(night, { night: { limit: { requests: 6 }, spent }, month: none })).toBeUndefined();
    expect(limitReached(night, { night: none, month: none })).toBeUndefined();
    const month = at({ of: 'month', lacks: 'cost', next: usd(0.2) });
    expect(limitReached(month, { night: none, month: { limit: { cost: usd(1) }, spent } })).toBe('month');
    expect(limitReached(month, { night: none, month: { limit: { cost: usd(1.1) }, spent } })).toBeUndefined();
  });

  test('a batch is at its limit in money where the next request does not fit, and a limit that is too low says why', () => {
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    const cap = { of: 'batch', lacks: 'cost', next: usd(0.1) } as const;
    const pause = { by: 'failure', failure: { code: 'CAP_REACHED', message: '', cap } } as const;
    const paused = makeBatch({ state: 'paused', pause, maxCost: usd(0.15), spent: usd(0.1) });
    expect(limitReached(paused)).toBe('batch');
    expect(limitReached({ ...paused, maxCost: usd(0.2) })).toBeUndefined();
    expect(limitReached({ ...paused, maxCost: { amount: 0.15, currency: 'EUR' } })).toBeUndefined();
    const { read } = limitForm(paused, 'cost');
    expect(['', '0.12 USD', '0.18', '0.2 USD', '0.05 EUR'].map((text) => read(text))).toEqual([
      ok(undefined),
      err('Enter at least 0.20 USD: 0.10 USD is spent, and the next request costs 0.10 USD.'),
      err('Enter at least 0.20 USD: 0.10 USD is spent, and the next request costs 0.10 USD.'),
      ok({ maxCost: usd(0.2) }),
      ok({ maxCost: { amount: 0.05, currency: 'EUR' } }),
    ]);
    // Of an older version, nobody noted what the next one costs.
    const older = { ...pause, failure: { ...pause.failure, cap: { of: 'batch', lacks: 'cost' } as const } };
    expect(limitReached({ ...paused, pause: older })).toBeUndefined();
    expect(limitForm({ ...paused, pause: older }, 'cost').read('0.15')).toEqual(
      err('Enter more than 0.15 USD, which is the limit now.'),
    );
    expect(limitForm({ ...paused, submitsUsed: 3 }, 'requests').read('3')).toEqual(
      err('Enter more than 3: so many are used.'),
    );
  });

  test('an amount and its currency are shown apart, and together read as they were', () => {
    expect(['', '12', '12.5 EUR', '12,50eur', '12 E', 'x'].map((text) => splitMoney(text))).toEqual([
      { amount: '' },
      { amount: '12' },
      { amount: '12.5', currency: 'EUR' },
      { amount: '12,50', currency: 'EUR' },
      { amount: '12 E' },
      { amount: 'x' },
    ]);
    // As it is typed into the field of a known currency, key by key.
    const typed = '12.50'.split('').reduce((text, key) => `${splitMoney(text).amount}${key} EUR`, '');
    expect(splitMoney(typed)).toEqual({ amount: '12.50', currency: 'EUR' });
    expect(readCostLimit('12.5 EUR')).toEqual(ok({ amount: 12.5, currency: 'EUR' }));
  });

  test('a limit in money that no price is in is said before the start, and holds no rehearsal back', () => {
    const answers = { name: 'Night', wantsRehearsal: false, folder: undefined, limitText: '', costText: '2 USD' };
    const choose = (wantsRehearsal: boolean, currencies: readonly string[]) =>
      startChoice({ ...answers, wantsRehearsal }, { lacksGateway: false, currencies });
    const refused = choose(false, ['EUR']);
    expect(refused.ok ? '' : refused.error).toContain('No price is known in USD, only in EUR');
    const [without, known, rehearsed] = [choose(false, []), choose(false, ['EUR', 'USD']), choose(true, ['EUR'])];
    expect([without.ok, known.ok, rehearsed.ok]).toEqual([false, true, true]);
  });

  test('a forecast is asked with hours that end before they begin, and so says that nothing is sent', () => {
    const now = Date.parse('2026-11-23T12:00+01:00');
    const when = { begin: 'at', atText: '22:00', windows: [], finishText: '21:00', zone: 'Europe/Berlin' } as const;
    const answers = { name: 'Night', wantsRehearsal: false, folder: undefined, limitText: '', when };
    expect(startChoice(answers, { lacksGateway: false, currencies: [] }, now).ok).toBe(false);
    expect(runOf(answers, false, now).schedule).toMatchObject({ finishBy: Date.parse('2026-11-23T21:00+01:00') });
  });

  test('a limit that holds a batch up is changed only to what lets it go on', () => {
    const counts = makeCounts({ done: 60, queued: 40 });
    const batch = makeBatch({ counts, submitsUsed: 60, maxSubmits: 60, maxCost: { amount: 10, currency: 'USD' } });
    const requests = limitForm(batch, 'requests');
    expect(requests.label).toBe('Request limit, 100 for all rows');
    expect(['', '60', '61'].map((text) => requests.read(text))).toEqual([
      ok(undefined),
      err('Enter more than 60: so many are used.'),
      ok({ maxSubmits: 61 }),
    ]);
    const cost = limitForm(batch, 'cost');
    expect(['10', '10.50', '3 EUR'].map((text) => cost.read(text))).toEqual([
      err('Enter more than 10.00 USD, which is the limit now.'),
      ok({ maxCost: { amount: 10.5, currency: 'USD' } }),
      ok({ maxCost: { amount: 3, currency: 'EUR' } }),
    ]);
    // Without a price, more of the same money is held no better.
    const price = limitForm(batch, 'price');
    expect(price.read('20 USD')).toMatchObject({ ok: false });
    expect(price.read('20 EUR')).toEqual(ok({ maxCost: { amount: 20, currency: 'EUR' } }));
    expect([requests, cost, price].map(({ none }) => none)).toEqual([
      { maxSubmits: 0 },
      { maxCost: null },
      { maxCost: null },
    ]);
  });
});

describe('the limits of a batch, before they hold it up', () => {
  const batch = { maxSubmits: 60, maxCost: { amount: 10, currency: 'USD' } };

  test('are changed alone or together, and removed', () => {
    const change = (requests: string, cost: string) => readLimits(batch, { requests, cost }).change;
    expect(change('60', '10.00 USD')).toBeUndefined();
    expect(change('100', '10 USD')).toEqual({ maxSubmits: 100 });
    expect(change('', '')).toEqual({ maxSubmits: 0, maxCost: null });
    // Without a currency it stays in its own.
    expect(change('60', '12')).toEqual({ maxCost: { amount: 12, currency: 'USD' } });
  });

  test('stay as they are while what was typed is wrong', () => {
    const { problems, change } = readLimits(batch, { requests: 'x', cost: '12' });
    expect([problems.requests === undefined, problems.cost, change]).toEqual([false, undefined, undefined]);
  });
});

describe('the limits of the accounts of a batch', () => {
  const accounts = [
    {
      name: 'main',
      profile: 'Main',
      gateway: 'https://main.example',
      limit: { requests: 40, cost: { amount: 5, currency: 'USD' } },
    },
    { name: 'spare', profile: 'Spare', gateway: 'https://spare.example', limit: {} },
  ];

  test('change for those whose fields were changed, each as a whole', () => {
    const change = (typed: Parameters<typeof readAccountLimits>[1]) => readAccountLimits(accounts, typed).change;
    expect(change({})).toBeUndefined();
    expect(change({ main: { requests: '40', cost: '5.00 USD' }, spare: { requests: '', cost: '' } })).toBeUndefined();
    expect(change({ main: { requests: '40', cost: '7' } })).toEqual({
      accountLimits: [{ name: 'main', limit: { requests: 40, cost: { amount: 7, currency: 'USD' } } }],
    });
    expect(change({ main: { requests: '', cost: '' }, spare: { requests: '3', cost: '' } })).toEqual({
      accountLimits: [
        { name: 'main', limit: {} },
        { name: 'spare', limit: { requests: 3 } },
      ],
    });
  });

  test('stay as they are while one of them is wrong, which is said at its field', () => {
    const { problems, change } = readAccountLimits(accounts, {
      main: { requests: '50', cost: '' },
      spare: { requests: 'x', cost: '' },
    });
    expect(change).toBeUndefined();
    expect([problems['main']?.requests, problems['spare']?.requests]).toEqual([
      undefined,
      expect.stringContaining('whole number'),
    ]);
  });
});

test('what is rendering is left alone by a pause for a key, and asked about in one at a limit', () => {
  const paused = (code: 'KEY_MISSING' | 'CAP_REACHED') =>
    isLeftAlone({ state: 'paused', pause: { by: 'failure', failure: { code, message: '' } } });
  expect([paused('KEY_MISSING'), paused('CAP_REACHED')]).toEqual([true, false]);
  expect(isLeftAlone({ state: 'paused', pause: { by: 'user' } })).toBe(false);
});

test('a batch that stands still is left over until nothing of it waits for its user', () => {
  const finished = (changes: Parameters<typeof makeBatch>[0]) =>
    makeBatch({ state: 'finished', counts: makeCounts({ done: 3 }), rows: makeRowCounts({ done: 3 }), ...changes });
  const left = [
    makeBatch({ id: 'ready', state: 'ready' }),
    makeBatch({ id: 'paused', state: 'paused', pause: { by: 'user' } }),
    finished({ id: 'invalid', rows: makeRowCounts({ invalid: 1 }) }),
    finished({ id: 'drafts', rows: makeRowCounts({ draft: 1 }) }),
    finished({ id: 'takes', draftSubmits: 2 }),
    finished({ id: 'failed', counts: makeCounts({ failed: 1 }) }),
  ];
  const others = [
    finished({ id: 'done' }),
    finished({ id: 'cancelled', counts: makeCounts({ cancelled: 1 }) }),
    makeBatch({ id: 'runs', state: 'running' }),
    // These are named as needing the user.
    finished({ id: 'unknown', counts: makeCounts({ 'submit-unknown': 1, failed: 1 }) }),
    makeBatch({ id: 'away', state: 'ready', shelf: { is: 'archived', at: 1 } }),
  ];
  expect(batchesLeftOver([...left, ...others])).toEqual(left);
});

test('the ledger of a batch lasts as long as the batch says, and that of a night as long as the night', () => {
  const timeline = { from: 10, to: 70, stepMs: 1, points: [], pauses: [] };
  const ran = { runStartedAt: 5, finishedAt: 80 };
  expect(ledgerSpan({ timeline }, { state: 'finished', ...ran })).toEqual({ from: 5, to: 80 });
  expect(ledgerSpan({ timeline }, { state: 'finished', finishedAt: 80 })).toEqual({ from: 10, to: 80 });
  expect(ledgerSpan({ timeline }, { state: 'running', runStartedAt: 5 })).toEqual({ from: 5, to: undefined });
  expect(ledgerSpan({ timeline }, undefined)).toEqual({ from: 10, to: 70 });
  expect(ledgerSpan({}, { state: 'finished', ...ran })).toEqual({ from: undefined, to: 80 });
  const night = { id: 1, beganAt: 1, endedAt: 90, batchIds: [], rehearsal: true, verified: 0, requests: 0, costs: [] };
  expect(ledgerSpan({ night, timeline }, { state: 'running', runStartedAt: 5 })).toEqual({ from: 1, to: 90 });
});

describe('a file that was imported before', () => {
  const earlier = { batchId: 'b', name: 'A night', createdAt: Date.UTC(2026, 10, 21, 3, 40), isStarted: true };

  test('is paid for again', () => {
    expect(earlierWords({ ...earlier, rehearsal: false }, 1, 'UTC')).toEqual({
      title: 'Imported before as A night on Sat 21 Nov, 03:40.',
      text: 'Starting it on your gateway renders and pays for all of it again: 1 paid request.',
    });
  });

  test('and was only rehearsed, was never paid for', () => {
    const { title, text } = earlierWords({ ...earlier, rehearsal: true }, 3, 'UTC');
    expect(title).toBe('Rehearsed before as A night on Sat 21 Nov, 03:40.');
    expect(text).not.toContain('again');
  });

  test('and never started, was neither rehearsed nor paid for', () => {
    for (const rehearsal of [true, false])
      expect(earlierWords({ ...earlier, rehearsal, isStarted: false }, 3, 'UTC')).toEqual({
        title: 'Imported before as A night on Sat 21 Nov, 03:40, not started.',
        text: 'Nothing was sent for that batch. To run it, open it and start it.',
      });
  });
});

describe('problems of a sheet', () => {
  const problem = (
    severity: SameProblemsView['severity'],
    code: SameProblemsView['code'],
    line: number,
    count = 1,
  ): SameProblemsView => ({ severity, code, line, message: 'wrong', remedy: 'correct it', count, lines: [line] });

  test('stand together by kind, errors first', () => {
    const groups = groupProblems([
      problem('warning', 'unknown-column', 1),
      problem('error', 'value-type', 2),
      problem('error', 'value-range', 3, 62),
      problem('error', 'value-type', 4),
    ]);
    expect(groups.map(({ code, count, problems }) => [code, count, problems.map(({ line }) => line)])).toEqual([
      ['value-type', 2, [2, 4]],
      ['value-range', 62, [3]],
      ['unknown-column', 1, [1]],
    ]);
  });
});

describe('suggestions', () => {
  test('are those that leave no choice, for columns that the sheet has', () => {
    const found = {
      severity: 'error',
      code: 'operation-unknown',
      message: '',
      remedy: '',
      count: 2,
      lines: [2],
    } as const;
    const problems: readonly SameProblemsView[] = [
      { ...found, column: 'operation', cell: { text: 'Vidoe-A', meant: 'video-a' } },
      { ...found, column: 'operation', cell: { text: 'clip', candidates: ['video-a', 'video-b'] } },
      { ...found, column: 'operation', cell: { text: 'qqq' } },
      { ...found, column: 'operation' },
      { ...found, column: 'account', cell: { text: 'Ann', meant: 'Anna' } },
    ];
    const type: ColumnView = { header: 'Type', column: 'operation', also: [], how: 'synonym', suggestions: [] };
    const suggestions = suggestionsIn(problems, [type]);
    expect(suggestions).toEqual([{ header: 'Type', written: 'Vidoe-A', instead: 'video-a', problem: problems[0] }]);
  });
});

describe('where a problem is', () => {
  const view = (header: string, column: string, also: string[] = []): ColumnView => {
    return { header, column, also, how: 'chosen', suggestions: [] };
  };
  const columns = [
    view('Type', 'operation'),
    view('Aspect', 'aspectRatio', ['aspect_ratio']),
    view('prompt', 'lyrics'),
  ];

  test.each([
    ['operation-unknown', 'operation', 'line 2 · a · Type'],
    ['value-type', 'aspect_ratio', 'line 2 · a · Aspect'],
    ['value-type', 'seed', 'line 2 · a · seed'],
    // A header that is called like a column, and stands for another one.
    ['unknown-column', 'prompt', 'line 2 · a · prompt'],
    ['value-type', 'lyrics', 'line 2 · a · prompt'],
  ] as const)('%s of %s is said with the header of the sheet', (code, column, said) => {
    expect(placesOfProblem({ code, line: 2, row: 'a', column, count: 1, lines: [2] }, columns)).toBe(said);
  });
});

describe('the request limit', () => {
  test.each([
    ['', undefined],
    [' 40 ', 40],
    ['1,000', 1_000],
    ['1.000', 1_000],
    ['1 000 000', 1_000_000],
    ['1\u202f000', 1_000],
    ['12’000', 12_000],
  ])('%j is %j', (text, value) => {
    expect(readRequestLimit(text)).toEqual({ ok: true, value });
  });

  test.each([
    '0',
    '-3',
    '1e3',
    'many',
    '1000001',
    'NaN',
    '999999999999',
    '2.5',
    '60.0',
    '0.500',
    '1.00',
    '1,000.000',
    ',',
    '1 2',
  ])('%j is refused', (text) => {
    expect(readRequestLimit(text).ok).toBe(false);
  });
});

describe('a profile that is typed', () => {
  test('has every mistake named by its path', () => {
    const paths = checkProfileText('{"taskCode":{"in":"body"},"nam":1}').map(({ path }) => path);
    expect(paths).toEqual(['taskCode.in', 'nam']);
  });

  test('that is no JSON says so', () => {
    expect(checkProfileText('{"name":')[0]?.message).toMatch(/^This is not JSON/);
  });

  test('keeps all else when a preset is laid under a family', () => {
    const text = withPreset('{"name":"Mine","status":{"videogen-a":{"5":"failed"}}}', 'musicgen', 'words');
    expect(checkProfileText(text ?? '')).toEqual([]);
    expect(JSON.parse(text ?? '')).toMatchObject({
      name: 'Mine',
      status: { 'videogen-a': { '5': 'failed' }, musicgen: { success: 'succeeded' } },
    });
  });

  test('takes prices as they are typed, and keeps what else it says', () => {
    const [song, lyrics, film] = [
      'musicgen/music/generate',
      'musicgen/music/lyrics',
      'videogen-a/video/generate',
    ] as const;
    const text = JSON.stringify({
      name: 'Mine',
      prices: { [song]: { amount: 0.1, currency: 'eur' }, [film]: { amount: 0.000_000_1, currency: 'EUR' } },
    });
    expect(priceTexts(text)[song]).toBe('0.10 EUR');
    expect(readPrice('0,05', ['0.10 EUR', ''])).toEqual(ok({ amount: 0.05, currency: 'EUR' }));
    expect(readPrice('0 EUR', [])).toEqual(ok({ amount: 0, currency: 'EUR' }));
    expect(readPrice('￥0', ['0.10 CNY'])).toEqual(ok({ amount: 0, currency: 'CNY' }));
    expect(readPrice('0元', ['0.10 CNY'])).toEqual(ok({ amount: 0, currency: 'CNY' }));
    expect(readPrice(' ', ['0.10 EUR'])).toEqual(ok(undefined));
    for (const wrong of ['0.05', '-1 EUR', '1 ₩', '2000000 EUR', 'EUR', '00'])
      expect(readPrice(wrong, []).ok).toBe(false);
    const changed = new Map([
      [song, undefined],
      [lyrics, { amount: 0, currency: 'EUR' }],
    ]);
    expect(JSON.parse(withPrices(text, changed) ?? '')).toEqual({
      name: 'Mine',
      prices: { [lyrics]: { amount: 0, currency: 'EUR' }, [film]: { amount: 0.000_000_1, currency: 'EUR' } },
    });
    expect(withPrices('{"name":', changed)).toBeUndefined();
  });

  test('is left alone by a preset where it cannot be read', () => {
    expect(withPreset('{"name":', 'musicgen', 'words')).toBeUndefined();
  });
});

describe('the real gateway', () => {
  const settings = (baseUrl: string): SettingsView => ({
    theme: 'dark',
    language: 'en',
    baseUrl,
    profileName: '',
    profiles: [''],
    defaultFolder: '',
    currencies: [],
    currenciesOfAll: [],
    gateways: [],
  });
  const key = (present: boolean): KeyStatus => ({ present, last4: '', storage: 'memory', origin: '', kept: [] });

  test('can be used only with an address and a key', () => {
    const state = (baseUrl: string, hasKey: boolean) => ({
      settings: settings(baseUrl),
      key: key(hasKey),
      store: { kind: 'folder' as const },
    });
    expect(gatewayObstacle(state('', true))).toMatch(/connected/);
    expect(gatewayObstacle(state('https://gateway.example', false))).toMatch(/key/);
    expect(gatewayObstacle(state('https://gateway.example', true))).toBeUndefined();
    // There, workers have the key.
    const store = { kind: 'server', address: '', shown: '', hasPassword: false } as const;
    expect(gatewayObstacle({ ...state('https://gateway.example', false), store })).toBeUndefined();
    expect(gatewayObstacle({ ...state('', false), store })).toMatch(/connected/);
  });
});

describe('text in a narrow cell', () => {
  const tenEach = { measureText: (text: string) => ({ width: Array.from(text).length * 10 }) };

  test('stays whole where it fits, and ends in … where it does not', () => {
    expect(fitText(tenEach, 'a', 'owl', 30)).toBe('owl');
    expect(fitText(tenEach, 'a', 'the owl', 40)).toBe('the…');
    expect(fitText(tenEach, 'a', 'the owl', 50)).toBe('the…');
    expect(fitText(tenEach, 'a', 'owl', 0)).toBe('…');
  });

  test('is never cut through the middle of a character', () => {
    expect(fitText(tenEach, 'a', '🌙🌙🌙', 25)).toBe('🌙…');
  });

  test('is measured anew once its font has arrived', () => {
    let width = 20;
    const other = { measureText: () => ({ width }) };
    expect(fitText(other, 'b', '月亮', 30)).toBe('…');
    width = 10;
    forgetWidths();
    expect(fitText(other, 'b', '月亮', 30)).toBe('月亮');
  });
});

describe('a decision about many rows', () => {
  test('concerns the selection, else all while nothing but unknown rows is shown', () => {
    expect(settleableRows({}, [1, 2])).toEqual([1, 2]);
    expect(settleableRows({ status: ['submit-unknown'] }, [1, 2])).toEqual([1, 2]);
    expect(settleableRows({ status: ['submit-unknown'] }, [])).toBe('all');
  });

  test('never concerns rows that another filter hides', () => {
    expect(settleableRows({}, [])).toBeUndefined();
    expect(settleableRows({ status: ['submit-unknown', 'failed'] }, [])).toBeUndefined();
    expect(settleableRows({ status: ['submit-unknown'], text: 'owl' }, [])).toBeUndefined();
    const cell = { header: 'tags', text: 'jazz' };
    expect(settleableRows({ status: ['submit-unknown'], cell }, [])).toBeUndefined();
    expect(settleableRows({ status: ['submit-unknown'], isEdited: true }, [])).toBeUndefined();
    expect(settleableRows({ status: ['submit-unknown'], operation: 'musicgen/music/lyrics' }, [])).toBeUndefined();
  });
});

test('why all accounts have stopped is said once, unless only the banner of the batch offers what to do', () => {
  type Stop = Extract<NonNullable<BatchView['pause']>, { by: 'failure' }>['failure'];
  const account = (name: string, stop?: Stop) => ({
    name,
    gateway: 'https://gateway.test',
    profile: name,
    limit: {},
    ...(stop && { stop }),
  });
  const used = { code: 'BALANCE_EXHAUSTED', message: 'Top up.' } as const;
  const accounts = [account('main', { ...used, message: 'Empty.' }), account('spare', used)];
  const paused = (failure: Stop) => ({ pause: { by: 'failure', failure }, accounts }) as const;
  expect(isSaidOfAccount(paused(used))).toBe(true);
  expect(isSaidOfAccount({ ...paused(used), accounts: [account('main')] })).toBe(false);
  expect(isSaidOfAccount(paused({ code: 'DISK_FULL', message: 'Full.' }))).toBe(false);
  expect(isSaidOfAccount({ pause: { by: 'user' }, accounts })).toBe(false);
  const fuse = { code: 'CANARY_FAILED', message: 'Row a failed.' } as const;
  expect(isSaidOfAccount({ ...paused(fuse), accounts: [account('main', fuse)] })).toBe(false);
});
