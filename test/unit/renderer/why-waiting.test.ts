import { describe, expect, test } from 'vitest';
import { reasonOf, whyRowWaits, type HoldingUp } from '../../../src/renderer/state/batch/why-waiting.ts';
import { makeRow } from './make-view.ts';

const NOW = Date.UTC(2026, 10, 28, 22);
const RUNNING: HoldingUp = { state: 'running', requestsPerSecond: 2 };
const queued = (changes: Parameters<typeof makeRow>[0] = {}) => makeRow({ status: 'queued', dueAt: NOW, ...changes });

describe('why a row waits', () => {
  test.each<[string, Parameters<typeof makeRow>[0], Partial<HoldingUp>]>([
    ['You hold it: it waits until you release it.', { isHeld: true, waitsForRow: 'a' }, {}],
    ['Waits for you to pick a file of row a.', { waitsForPickOf: 'a' }, {}],
    ['Waits for row a.', { waitsForRow: 'a' }, { heldUntil: NOW + 9_000 }],
    ['Waits for row a, a draft until you run it.', { waitsForRow: 'a', waitsForDraft: true }, {}],
    ['Waits for the start of the batch.', {}, { state: 'ready' }],
    ['The batch is paused.', {}, { state: 'paused', pause: { by: 'user' } }],
    [
      'The batch is paused: The key was rejected.',
      { waitsForFirst: 'b' },
      { state: 'paused', pause: { by: 'failure', failure: { code: 'AUTH_REJECTED', message: '401' } } },
    ],
    ['Waits until row b, the first of its kind, is verified.', { waitsForFirst: 'b' }, {}],
    [
      'Waits for a free place: the gateway already has 3 takes of Music, its limit.',
      {},
      { fullPlaces: [{ family: 'musicgen', places: 3 }] },
    ],
    ['Waits for its turn: at most 2 requests a second.', {}, { fullPlaces: [{ family: 'videogen-a', places: 3 }] }],
    ['Waits for its turn.', {}, { requestsPerSecond: undefined }],
  ])('%s', (words, row, batch) => {
    expect(whyRowWaits(queued(row), { ...RUNNING, ...batch }, NOW)).toBe(words);
  });

  test('names a time only while it is to come', () => {
    const held = { ...RUNNING, heldUntil: NOW + 30_000 };
    expect(whyRowWaits(queued(), held, NOW)).toMatch(/^The gateway asks us to wait until \d\d:\d\d:30\.$/u);
    expect(whyRowWaits(queued(), held, NOW + 31_000)).toMatch(/^Waits for its turn/u);
    const hours = { ...RUNNING, waitsUntil: NOW + 3_600_000 };
    expect(whyRowWaits(queued(), hours, NOW)).toMatch(/^Waits until \d\d:\d\d: the batch sends only in its hours\.$/u);
    expect(whyRowWaits(queued({ dueAt: NOW + 30_000 }), RUNNING, NOW)).toMatch(
      /^Waits until \d\d:\d\d:30 to be sent\.$/u,
    );
  });

  test('is not said of a row that does not wait, nor in the place of a failure', () => {
    expect(whyRowWaits(makeRow({ status: 'done' }), RUNNING, NOW)).toBeUndefined();
    expect(reasonOf(makeRow({ status: 'done' }), RUNNING, NOW)).toBe('');
    const failure = { code: 'MODERATED', message: 'not this' } as const;
    expect(reasonOf(queued({ failure }), RUNNING, NOW)).toContain('not this');
  });
});
