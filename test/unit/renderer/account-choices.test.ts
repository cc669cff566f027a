import { describe, expect, test } from 'vitest';
import {
  accountsOfBatch,
  accountWords,
  checkedFor,
  currenciesFor,
  keyChoices,
  leadsThere,
  nameProblem,
  newKeyName,
  otherAccounts,
  placed,
  withAccount,
  withoutAccount,
} from '../../../src/renderer/state/account-choices.ts';
import type { ChosenAccount } from '../../../src/shared/ipc/accounts.ts';
import type { KeyStatus, SettingsView } from '../../../src/shared/ipc/app.ts';
import { makeBatch, makeGateway } from './make-view.ts';

const HERE = 'https://here.example';
const THERE = 'https://there.example';

const SETTINGS = {
  theme: 'dark',
  language: 'en',
  baseUrl: `${HERE}/api`,
  profileName: 'Here',
  profiles: ['Here', 'There'],
  currencies: ['EUR'],
  gateways: [
    makeGateway({ profile: 'Here', baseUrl: `${HERE}/api`, currencies: ['EUR'] }),
    makeGateway({ profile: 'There', baseUrl: `${THERE}/api`, currencies: ['USD'] }),
  ],
  currenciesOfAll: ['EUR', 'USD'],
  defaultFolder: '/x',
} satisfies SettingsView;

const KEYS = {
  present: true,
  last4: '1111',
  storage: 'keyring',
  origin: HERE,
  kept: [
    { origin: HERE, last4: '1111' },
    { origin: HERE, name: 'spare', last4: '2222' },
    { origin: THERE, name: 'spare', last4: '3333' },
  ],
} satisfies KeyStatus;

const main: ChosenAccount = { name: 'Main', profile: 'Here', limit: {} };
const spare: ChosenAccount = { name: 'Spare', profile: 'Here', keyName: 'spare', limit: { requests: 4 } };

describe('the keys that an account may have', () => {
  test('are those of its gateway that no other account of the batch has', () => {
    const names = (others: readonly ChosenAccount[], origin = HERE) =>
      keyChoices(origin, KEYS, SETTINGS, others).map(({ name, last4 }) => [name, last4]);
    expect(names([])).toEqual([
      [undefined, '1111'],
      ['spare', '2222'],
    ]);
    expect(names([main])).toEqual([['spare', '2222']]);
    expect(names([spare])).toEqual([[undefined, '1111']]);
    expect(names([main, spare])).toEqual([]);
    // The one key of a gateway can be entered here, too.
    expect(names([main], THERE)).toEqual([
      [undefined, undefined],
      ['spare', '3333'],
    ]);
  });

  test('a new one has a name of its own: none that is stored is replaced, nor one that another account waits for', () => {
    expect(newKeyName(' fresh ', KEYS, [])).toBe('fresh');
    expect(newKeyName('spare', KEYS, [])).toBe('spare 2');
    expect(newKeyName('wanted', KEYS, [{ ...main, keyName: 'wanted' }])).toBe('wanted 2');
  });
});

test('one account that is left is no choice: the rows go to the settings’ gateway', () => {
  const both = withAccount({ list: [main] }, spare);
  expect(both.list).toEqual([main, spare]);
  expect(withoutAccount(both, 'Main')).toBeUndefined();
  const three = withAccount(both, { ...spare, name: 'Third' });
  expect(withoutAccount({ ...three, isCheapestFirst: true }, 'Spare')).toEqual({
    list: [main, { ...spare, name: 'Third' }],
    isCheapestFirst: true,
  });
  expect(withAccount(three, { ...spare, name: 'Second' }, 'Spare').list.map(({ name }) => name)).toEqual([
    'Main',
    'Second',
    'Third',
  ]);
  expect(placed(three.list, 2, 0).map(({ name }) => name)).toEqual(['Third', 'Main', 'Spare']);
});

test('a name is one of the batch alone', () => {
  expect(nameProblem('Spare', [main])).toBeUndefined();
  expect(nameProblem('Main', [main])).toContain('Two accounts are called “Main”');
  expect(nameProblem('', [main])).toContain('1 to 100 characters');
});

test('a sheet is checked anew for other names or gateways, not for another limit', () => {
  const both = { list: [main, spare] };
  expect(checkedFor({ list: [{ ...main, limit: { requests: 1 } }, spare] })).toBe(checkedFor(both));
  for (const other of [
    { ...main, name: 'Other' },
    { ...main, profile: 'There' },
  ]) {
    expect(checkedFor({ list: [other, spare] })).not.toBe(checkedFor(both));
  }
  expect(checkedFor(undefined)).not.toBe(checkedFor(both));
});

test('an account says where it is, whose key it has, and its limits; and a limit of the batch has the prices of all', () => {
  expect(accountWords(spare, SETTINGS, KEYS)).toBe(`${HERE} · key ends in 2222 · at most 4 requests`);
  expect(accountWords({ ...main, profile: 'There' }, SETTINGS, KEYS)).toBe(`${THERE} · no key yet`);
  expect(accountWords({ ...main, profile: 'Gone' }, SETTINGS, KEYS)).toContain('is gone');
  // The batch that has it knows where it leads.
  expect(accountWords({ ...main, profile: 'Gone' }, SETTINGS, KEYS, THERE)).toBe(`${THERE} · no key yet`);
  // Its profile may have another address by now.
  expect(accountWords({ ...main, profile: 'Here' }, SETTINGS, KEYS, THERE)).toBe(`${THERE} · no key yet`);
  expect([undefined, HERE, THERE].map((own) => leadsThere(main, SETTINGS, own))).toEqual([true, true, false]);
  expect(currenciesFor(SETTINGS, undefined)).toEqual(['EUR']);
  expect(currenciesFor(SETTINGS, { list: [main, { ...main, profile: 'There' }] })).toEqual(['EUR', 'USD']);
});

test('a batch keeps the accounts that it has until others are chosen, or none', () => {
  const alone = makeBatch();
  const limit = { requests: 4 };
  const shared = makeBatch({
    accounts: [
      { name: 'Main', profile: 'Here', gateway: HERE, limit: {}, requests: 3 },
      { name: 'Spare', profile: 'Here', gateway: HERE, keyName: 'spare', limit },
    ],
    isCheapestFirst: true,
  });
  const own = accountsOfBatch(shared);
  expect([accountsOfBatch(alone), own]).toEqual([undefined, { list: [main, spare], isCheapestFirst: true }]);
  expect([otherAccounts(alone, undefined), otherAccounts(shared, own)]).toEqual([undefined, undefined]);
  expect([otherAccounts(alone, own), otherAccounts(shared, undefined)]).toEqual([own, null]);
  expect(otherAccounts(shared, { list: [main, spare] })).toEqual({ list: [main, spare] });
});
