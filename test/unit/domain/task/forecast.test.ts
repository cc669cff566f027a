import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE, profileSchema } from '../../../../src/shared/domain/gateway/profile.ts';
import { againWords, keptBackWords } from '../../../../src/shared/domain/task/forecast/forecast-words.ts';
import { foretell } from '../../../../src/shared/domain/task/forecast/forecast.ts';
import { NO_FACTS, type GatewayFacts } from '../../../../src/shared/domain/task/forecast/run-facts.ts';
import { termsOf, workOfRows, type RunSettings } from '../../../../src/shared/domain/task/forecast/run-terms.ts';
import type { SpendingLimits } from '../../../../src/shared/domain/task/spending.ts';
import { row, rows } from '../../../support/night-harness.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const MINUTE = 60_000;
const profile = profileSchema.parse({
  baseUrl: 'https://gateway.example',
  prices: { 'musicgen/music/generate': { amount: 0.1, currency: 'USD' } },
});
const SETTINGS: RunSettings = { profile, rehearsal: false };
const FACTS: GatewayFacts = {
  times: [{ operation: 'musicgen/music/generate', model: '', times: Array.from({ length: 20 }, () => MINUTE) }],
  sizes: [{ operation: 'musicgen/music/generate', bytes: 1_000_000 }],
  stated: [],
};

function foretold(count: number, settings: Partial<RunSettings> = {}, facts = FACTS) {
  return foretell(workOfRows(rows(count), 0), facts, termsOf({ ...SETTINGS, ...settings }, NOW));
}

describe('a forecast', () => {
  test('says requests, cost, room and end by what was learned', () => {
    const { requests, cost, unpriced, diskBytes, source, ends } = foretold(30);
    expect({ requests, cost, unpriced, diskBytes, source }).toEqual({
      requests: 30,
      cost: [{ amount: 3, currency: 'USD' }],
      unpriced: [],
      diskBytes: 30_000_000,
      source: 'learned',
    });
    // Ten rounds of three places.
    expect(((ends?.likely ?? 0) - NOW) / MINUTE).toBeCloseTo(10, 0);
    expect(ends?.earliest).toBeLessThan(ends?.likely ?? 0);
    expect(ends?.latest).toBeGreaterThan(ends?.likely ?? 0);
  });

  test('says the most that comes on top where flagged files are rendered again, by no limit but the number', () => {
    const gates = { on: { black: 50 }, again: 2 };
    const { requests, cost, again } = foretold(30, { gates, maxSubmits: 12 });
    expect({ requests, cost, again }).toEqual({
      requests: 12,
      cost: [{ amount: 1.2, currency: 'USD' }],
      again: { times: 2, requests: 24, cost: [{ amount: 2.4, currency: 'USD' }] },
    });
    expect(againWords({ again }, 'paid request')).toBe(
      'up to 24 more paid requests for 2.40 USD, if every file is flagged 2 times; the limits apply to them, too',
    );
    expect(foretold(30, { gates: { on: gates.on } })).not.toHaveProperty('again');
    // What is at the gateway, and what is done and flagged, may be rendered again, too; what was already, less often.
    const operation = 'musicgen/music/generate';
    const flaggable = [0, 1, 2].map((made) => ({ operation, made, takes: 5 }) as const);
    const work = { ...workOfRows(rows(1), 0), inFlight: [{ kind: 0, ranMs: 0 }], flaggable };
    expect(foretell(work, FACTS, termsOf({ ...SETTINGS, gates }, NOW)).again?.requests).toBe(2 + 2 + 10 + 5);
    const words = workOfRows(rows(3, { operation: 'musicgen/music/lyrics' }), 0);
    expect(foretell(words, FACTS, termsOf({ ...SETTINGS, gates }, NOW))).not.toHaveProperty('again');
  });

  test('says that it does not know what it does not know', () => {
    const { cost, unpriced, source } = foretold(3, { profile: DEFAULT_PROFILE }, NO_FACTS);
    expect({ cost, unpriced, source }).toEqual({
      cost: [],
      unpriced: [{ operation: 'musicgen/music/generate', requests: 3 }],
      source: 'defaults',
    });
  });

  test('keeps to the limit, and costs nothing in a rehearsal', () => {
    expect(foretold(30, { maxSubmits: 12 })).toMatchObject({ requests: 12, beyondLimit: 18, cost: [{ amount: 1.2 }] });
    expect(foretold(30, { rehearsal: true })).toMatchObject({ requests: 30, cost: [], unpriced: [] });
  });

  test('waits for its hours, goes on in the next ones, and says what is left where there are none', () => {
    const windows = [{ from: '22:00', to: '22:04', days: ['Thu', 'Fri'] as const }];
    const { begins, ends, windows: open } = foretold(30, { schedule: { windows, zone: 'UTC' } });
    expect(begins).toBe(NOW + 10 * HOUR);
    expect(open.map(({ from }) => (from - NOW) / HOUR)).toEqual([10, 34, 178]);
    expect(ends?.likely).toBeGreaterThan(NOW + 178 * HOUR);
    const short = foretold(30, { schedule: { windows: [], zone: 'UTC', finishBy: NOW + 4 * MINUTE } });
    expect(short.unsent).toBeGreaterThan(10);
    expect(short.ends?.likely).toBeLessThan(NOW + 6 * MINUTE);
    expect(short.requests + short.unsent).toBe(30);
  });

  test('says in finite times that nothing is sent once its finish-by has passed, whatever is at the gateway', () => {
    const terms = termsOf({ ...SETTINGS, schedule: { windows: [], zone: 'UTC', finishBy: NOW - 1 } }, NOW);
    const waiting = workOfRows(rows(3), 0);
    expect(foretell(waiting, FACTS, terms)).toMatchObject({ requests: 0, unsent: 3, closed: 'passed', begins: NOW });
    expect(foretell({ ...waiting, queue: [] }, FACTS, terms).ends).toBeUndefined();
    const underWay = foretell({ ...waiting, queue: [], inFlight: [{ kind: 0, ranMs: 0 }] }, FACTS, terms);
    expect(underWay.ends?.likely).toBeLessThan(NOW + 2 * MINUTE);
    expect(underWay.picture?.families.every(({ busy }) => busy.every(Number.isFinite))).toBe(true);
  });

  test('begins a limit for a night anew with the next night, and one for a month with the next month', () => {
    const last = Date.UTC(2026, 0, 31, 13);
    const windows = [{ from: '22:00', to: '22:03', days: ['Sat', 'Sun', 'Mon'] as const }];
    const spent = { requests: 4, micros: {}, unpriced: 0 };
    const nothing = { requests: 0, micros: {}, unpriced: 0 };
    const told = (limits: SpendingLimits) => {
      const before = { limits, batch: nothing, night: spent, month: spent, zone: 'UTC' };
      const settings = { ...SETTINGS, schedule: { windows, zone: 'UTC' } };
      return foretell(workOfRows(rows(30), 0), FACTS, termsOf(settings, last, before));
    };
    // Nine or so go in each window.
    expect(told({ night: { requests: 14 } })).toMatchObject({ requests: 30, beyondLimit: 0 });
    expect(told({ night: { requests: 10 } })).toMatchObject({ requests: 6, stop: { of: 'night' } });
    expect(told({ month: { requests: 14 } }).requests).toBeGreaterThan(14);
  });

  test('has a row of each kind go first, and rows wait for those that they refer to', () => {
    const waits = (foretold(3, { canary: 'first' }).ends?.likely ?? 0) - (foretold(3).ends?.likely ?? 0);
    expect(waits / MINUTE).toBeCloseTo(1, 0);
    const text = [{ row: 'r1', path: { kind: 'task-code' as const }, text: 'r1.taskId' }];
    const links = [{ column: 'prompt', value: { kind: 'text' as const, text } }];
    const chain = workOfRows([row('r1', 2), row('r2', 3, { links })], 0);
    const { ends } = foretell(chain, FACTS, termsOf(SETTINGS, NOW));
    expect(((ends?.likely ?? 0) - NOW) / MINUTE).toBeCloseTo(2, 0);
  });

  test('names all for which rows that it leaves out may wait', () => {
    const said = (rows: number) =>
      keptBackWords({ beyondLimit: 0, unsent: 0, held: { rows } }, 'paid request').join(' ');
    expect(said(1)).toBe('1 row is not included: held, or waiting for a held row, a draft or a pick');
    expect(said(3)).toMatch(/^3 rows are not included: /u);
    expect(said(0)).toBe('');
  });

  test('counts what is asked for twice, with its cost', () => {
    const same = { body: { prompt: 'one song' } };
    const { duplicates } = foretell(
      workOfRows([row('a', 2, same), row('b', 3, { ...same, takes: 2 })], 0),
      FACTS,
      termsOf(SETTINGS, NOW),
    );
    expect(duplicates).toEqual({ rows: 1, requests: 2, cost: [{ amount: 0.2, currency: 'USD' }] });
  });
});
