import { expect, test } from 'vitest';
import { stillMeant, type OwnChange } from '../../../../src/engine/night/batches/batch-pause.ts';
import { failure } from '../../../../src/shared/domain/base/failure.ts';

const REFUSED = failure('AUTH_REJECTED', 'The gateway refused the key.');
const NOTICED: OwnChange = {
  state: 'paused',
  pause: { by: 'failure', failure: REFUSED },
  at: 10,
  byUser: false,
  added: {},
};

test('what was noticed before the user has resumed the batch elsewhere is over', () => {
  expect(stillMeant({ state: 'running' }, NOTICED, 9)).toMatchObject({ state: 'paused' });
  expect(stillMeant({ state: 'running' }, NOTICED, 11)).toBeUndefined();
});

test('only the account that was stopped last stands still, where the user has resumed the others elsewhere', () => {
  const added = { a: REFUSED };
  const change: OwnChange = { state: 'running', stops: { b: REFUSED, a: REFUSED }, at: 10, byUser: false, added };
  expect(stillMeant({ state: 'running' }, change, 9)?.stops).toEqual(added);
  expect(stillMeant({ state: 'running', stops: { c: REFUSED } }, change, 9)?.stops).toEqual({ c: REFUSED, a: REFUSED });
});

test('an account that was resumed alone goes on, and what others have found out about the rest of them holds', () => {
  const stops = { b: REFUSED };
  const change: OwnChange = { state: 'running', stops, at: 10, byUser: true, only: ['a'], added: {} };
  expect(stillMeant({ state: 'running', stops: { a: REFUSED, c: REFUSED } }, change, 9)?.stops).toEqual({ c: REFUSED });
  expect(stillMeant({ state: 'running', stops: { a: REFUSED } }, change, 9)).not.toHaveProperty('stops');
  const { only: _, ...all } = change;
  expect(stillMeant({ state: 'running', stops: { c: REFUSED } }, all, 9)?.stops).toEqual(stops);
});
