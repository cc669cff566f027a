import { expect, test } from 'vitest';
import { parseLossless } from '../../../../src/shared/domain/base/json.ts';
import { statedBalance, statedCost } from '../../../../src/shared/domain/gateway/charges/stated-amount.ts';
import { parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';
import { profileChanges } from '../../../../src/shared/domain/gateway/profile-difference.ts';

const IN_BODY = { in: 'body', path: 'result.credits', currency: 'credits' } as const;
const IN_HEADER = { in: 'header', name: 'X-Cost', currency: 'USD' } as const;
const BALANCE = { path: '/account', field: 'data.0.left', currency: 'credits' };

test.each([
  ['3', 3],
  ['0', 0],
  ['0.1', 0.1],
  ['" 0.10 "', 0.1],
  ['0.1000000000000000055511', 0.1],
  ['-1', undefined],
  ['"-1"', undefined],
  ['1e400', undefined],
  ['"1e3"', undefined],
  ['"NaN"', undefined],
  ['"0x10"', undefined],
  ['""', undefined],
  ['null', undefined],
  ['true', undefined],
  ['[3]', undefined],
  ['{"value":3}', undefined],
  ['9999999999999999999', undefined],
  ['1000000', 1_000_000],
  ['1000000.01', undefined],
  ['"10000000000"', undefined],
])('a cost of %s is read as %s', (written, amount) => {
  const answer = parseLossless(`{"result":{"credits":${written}}}`);
  expect(statedCost(IN_BODY, {}, answer)).toEqual(amount === undefined ? undefined : { amount, currency: 'credits' });
});

test('a cost that is not where the profile says is not there', () => {
  expect(statedCost(IN_BODY, {}, undefined)).toBeUndefined();
  expect(statedCost(IN_BODY, {}, {})).toBeUndefined();
  expect(statedCost({ ...IN_BODY, path: '__proto__.constructor' }, {}, {})).toBeUndefined();
  expect(statedCost(undefined, { 'x-cost': '1' }, { result: { credits: 1 } })).toBeUndefined();
  expect(statedCost(IN_HEADER, {}, {})).toBeUndefined();
});

test('a cost is read from a header, and from a list', () => {
  expect(statedCost(IN_HEADER, { 'x-cost': '0.25' }, undefined)).toEqual({ amount: 0.25, currency: 'USD' });
  expect(statedCost(IN_HEADER, { 'x-cost': '0.25, 0.25' }, undefined)).toBeUndefined();
  const inList = { ...IN_BODY, path: 'result.1.credits' };
  expect(statedCost(inList, {}, { result: [{}, { credits: 2 }] })).toEqual({ amount: 2, currency: 'credits' });
  expect(statedCost({ ...IN_BODY, path: 'result.length' }, {}, { result: ['a'] })).toBeUndefined();
});

test('a balance may be below zero, and lie in a list', () => {
  expect(statedBalance(BALANCE, { data: [{ left: '12.50' }] })).toEqual({ amount: 12.5, currency: 'credits' });
  expect(statedBalance(BALANCE, { data: [{ left: -3 }] })).toEqual({ amount: -3, currency: 'credits' });
  expect(statedBalance(BALANCE, { data: [{ left: '-0.5' }] })).toEqual({ amount: -0.5, currency: 'credits' });
  expect(statedBalance(BALANCE, { data: [] })).toBeUndefined();
});

test('a profile says where, and what is wrong with it is said', () => {
  const problemsOf = (profile: object) => {
    const parsed = parseProfile(profile);
    return parsed.ok ? [] : parsed.error.map(({ path, message }) => `${path}: ${message}`);
  };
  expect(problemsOf({ cost: IN_BODY })).toEqual([]);
  expect(problemsOf({ cost: IN_HEADER })).toEqual([]);
  expect(problemsOf({ cost: { in: 'url' } })).toEqual(['cost.in: Must be one of: body, header.']);
  expect(problemsOf({ cost: { ...IN_BODY, path: 'a..b' } })).toEqual([
    'cost.path: Must be names joined by dots, such as result.credits.',
  ]);
  expect(problemsOf({ cost: { ...IN_BODY, currency: '' } })).toEqual([
    'cost.currency: Must be a code or a word, such as USD or credits.',
  ]);
  expect(problemsOf({ cost: { ...IN_BODY, pth: 'x' } })).toEqual(['cost.pth: This key is unknown.']);
});

test('without these keys a profile is what it was', () => {
  const parsed = parseProfile({});
  expect(parsed.ok && Object.keys(parsed.value).filter((key) => /cost|idempotency|balance/u.test(key))).toEqual([]);
  const [plain, priced] = [parseProfile({}), parseProfile({ cost: IN_BODY })];
  if (!plain.ok || !priced.ok) throw new Error('not valid');
  expect(profileChanges(plain.value, priced.value).every(({ isWeighty }) => !isWeighty)).toBe(true);
});
