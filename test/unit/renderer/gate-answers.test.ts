import { expect, test } from 'vitest';
import { gatesEntered, gatesWords, readGates } from '../../../src/renderer/state/opening/gate-answers.ts';
import { USUAL_GATES } from '../../../src/shared/domain/gates/gate-settings.ts';

test('what a batch has is entered as it is, and read back as the same', () => {
  const all = [undefined, USUAL_GATES, { ...USUAL_GATES, again: 2 }, { on: { black: 30, quiet: -35.5 }, again: 1 }];
  for (const gates of all) expect(readGates(gatesEntered(gates))).toEqual({ ok: true, value: gates });
  expect(all.map((gates) => gatesWords(gatesEntered(gates)))).toEqual([
    'off',
    'usual',
    'usual, flagged files rendered again up to 2 times',
    '2 gates, flagged files rendered again up to 1 time',
  ]);
});

test('what cannot be read is named, and says nothing about gates that are off', () => {
  const chosen = gatesEntered({ on: { black: 30 } });
  const wrong = { ...chosen, values: { black: '130' } };
  expect(readGates(wrong)).toEqual({ ok: false, error: 'Correct the gate “Black picture”.' });
  expect(gatesWords(wrong)).toBe('to be corrected');
  expect(readGates({ ...wrong, which: 'off' })).toEqual({ ok: true, value: undefined });
  expect(readGates({ ...chosen, values: {} })).toEqual({ ok: false, error: 'Choose a gate, or switch gates off.' });
  for (const againText of ['11', '-1', '1.5', 'often'])
    expect(readGates({ ...chosen, againText })).toMatchObject({
      ok: false,
      error: 'Correct how often a flagged file is rendered again.',
    });
});
