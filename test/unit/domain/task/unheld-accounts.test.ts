import { expect, test } from 'vitest';
import {
  gatewayOfLease,
  unheldAccounts,
  unheldText,
} from '../../../../src/shared/domain/task/accounts/unheld-accounts.ts';

const A = 'https://a.example';
const B = 'https://b.example';

test('what no worker has is known by how many accounts they have at each gateway', () => {
  const words = (accounts: Parameters<typeof unheldAccounts>[0], held: readonly string[]): readonly string[] =>
    unheldAccounts(accounts, held).map(unheldText);
  expect(words([{ gateway: A }], [B])).toEqual(['No worker has the key for https://a.example']);
  expect(words([{ gateway: A }], [B, A])).toEqual([]);
  const three = [
    { name: 'main', gateway: A },
    { name: 'spare', gateway: A },
    { name: 'other', gateway: B },
  ];
  expect(words(three, [])).toEqual([
    'No worker has a key of the accounts main, spare at https://a.example',
    'No worker has the key of the account other at https://b.example',
  ]);
  expect(words(three, [A, B])).toEqual([
    'Workers have only 1 of the keys of the accounts main, spare at https://a.example',
  ]);
  expect(words(three, [A, A, B])).toEqual([]);
});

test('a lease is of an account at a gateway', () => {
  expect(gatewayOfLease('https://a.example:8443 1f2e')).toBe('https://a.example:8443');
  expect(gatewayOfLease('nothing-like-it')).toBe('');
});
