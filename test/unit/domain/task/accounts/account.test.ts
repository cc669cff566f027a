import { describe, expect, test } from 'vitest';
import { profileSchema, type Profile } from '../../../../../src/shared/domain/gateway/profile.ts';
import {
  accountNamed,
  accountsOf,
  accountsProblem,
  dearestPrices,
  inOrderOfChoice,
  type BatchAccounts,
} from '../../../../../src/shared/domain/task/accounts/account.ts';
import { gatewayKey, settingsWithProfile, type BatchSettings } from '../../../../../src/shared/domain/task/batch.ts';
import { transition } from '../../../../../src/shared/domain/task/task-machine.ts';
import { planTasks } from '../../../../../src/shared/domain/task/plan-tasks.ts';
import { makeTask } from '../../../../support/make-task.ts';
import { row } from '../../../../support/night-harness.ts';

function profileAt(name: string, amount?: number, currency = 'EUR'): Profile {
  const prices = amount === undefined ? {} : { 'musicgen/music/generate': { amount, currency } };
  return profileSchema.parse({ name, baseUrl: `https://${name}.example/api`, prices });
}

function settingsOf(...names: readonly string[]): BatchSettings {
  const [first = '', ...rest] = names;
  const others = rest.map((name) => ({ name, profile: profileAt(name) }));
  const accounts: BatchAccounts = { first: { name: first }, others };
  return { folder: '/media', profile: profileAt(first), filename: '{row}', rehearsal: false, accounts };
}

/** Of the profiles of its accounts; or why it does not take the corrected one. */
function userAgents(settings: ReturnType<typeof settingsWithProfile>): readonly string[] | string {
  return settings.ok ? accountsOf(settings.value).map(({ profile }) => profile.userAgent) : settings.error;
}

describe('the accounts of a batch', () => {
  test('are its profile alone, unless it has several', () => {
    const { accounts: _, ...alone } = settingsOf('a');
    expect(accountsOf(alone)).toEqual([{ name: 'a', profile: alone.profile }]);
    expect(accountsOf(settingsOf('a', 'b')).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(accountNamed(settingsOf('a', 'b'), 'b').profile.name).toBe('b');
    expect(accountNamed(settingsOf('a', 'b'), undefined).profile.name).toBe('a');
  });

  test('have gateways of their own, also in a rehearsal', () => {
    const settings = settingsOf('a', 'b');
    expect(gatewayKey('id', settings, 'b')).toBe('https://b.example/api');
    const rehearsal = { ...settings, rehearsal: true };
    expect(gatewayKey('id', rehearsal)).toBe('rehearsal id');
    expect(gatewayKey('id', rehearsal, 'b')).not.toBe(gatewayKey('id', rehearsal, 'a'));
  });

  test('each take the corrected profile of their own gateway', () => {
    const corrected = { ...profileAt('b'), userAgent: 'corrected' };
    expect(userAgents(settingsWithProfile(settingsOf('a', 'b'), corrected))).toEqual(['Nocturne', 'corrected']);
    expect(settingsWithProfile(settingsOf('a', 'b'), profileAt('c'))).toEqual({ ok: false, error: 'elsewhere' });
  });

  const at = (path: string, name: string, userAgent = path): Profile =>
    profileSchema.parse({ name, baseUrl: `https://one.example/${path}`, userAgent });
  const twoAt = (first: Profile, second: Profile): BatchSettings => ({
    ...settingsOf('a'),
    profile: first,
    accounts: { first: { name: 'a' }, others: [{ name: 'b', profile: second }] },
  });

  test.each<[string, Profile, Profile, Profile, readonly string[] | string]>([
    ['its address', at('1', 'Mine'), at('2', 'Mine'), at('1', 'Mine', 'new'), ['new', '2']],
    ['its address, called otherwise by now', at('1', 'Mine'), at('2', 'Mine'), at('2', 'Two', 'new'), ['1', 'new']],
    ['its name, where the addresses are one', at('1', 'A', 'a'), at('1', 'B', 'b'), at('1', 'B', 'new'), ['a', 'new']],
    ['its name, where the address is new', at('1', 'A'), at('2', 'B'), at('3', 'B', 'new'), ['1', 'new']],
    ['both, if they have one profile', at('1', 'Mine'), at('1', 'Mine'), at('1', 'Mine', 'new'), ['new', 'new']],
    ['neither: address and name differ', at('1', 'Mine'), at('2', 'Mine'), at('3', 'Mine', 'new'), 'ambiguous'],
    ['neither: two profiles of one name', at('1', 'M', 'a'), at('1', 'M', 'b'), at('1', 'M', 'new'), 'ambiguous'],
    ['neither: the one’s address, the other’s name', at('1', 'A'), at('2', 'B'), at('1', 'B', 'new'), 'ambiguous'],
  ])('of two at one origin a corrected profile is for %s', (_, first, second, corrected, expected) => {
    expect(userAgents(settingsWithProfile(twoAt(first, second), corrected))).toEqual(expected);
  });

  test.each([
    [['a', 'a'], 'Two accounts are called “a”.'],
    [[' a'], '“ a” is not the name of an account: 1 to 100 characters, without spaces around them.'],
    [['a', 'b'], undefined],
  ])('called %j: %s', (names, problem) => {
    expect(accountsProblem(names.map((name) => ({ name })))).toBe(problem);
  });

  test('cost at most what the dearest asks, where all have a price in one currency', () => {
    const both = [0.1, 0.3].map((amount, i) => ({ name: `${i}`, profile: profileAt(`p${i}`, amount) }));
    const [first, second] = both;
    if (first === undefined || second === undefined) throw new Error('Two');
    expect(dearestPrices([first, second])).toEqual({ 'musicgen/music/generate': { amount: 0.3, currency: 'EUR' } });
    expect(dearestPrices([first, { name: 'c', profile: profileAt('c') }])).toEqual({});
    expect(dearestPrices([first, { name: 'd', profile: profileAt('d', 1, 'USD') }])).toEqual({});
  });
});

describe('of accounts with room', () => {
  const offer = (account: string, amount?: number, currency = 'EUR') => ({
    account,
    price: amount === undefined ? undefined : { amount, currency },
  });

  test('the first is taken, or the one where it costs least', () => {
    const offers = [offer('a', 3), offer('b', 1), offer('c', 1)];
    expect(inOrderOfChoice(offers, undefined)).toEqual(['a', 'b', 'c']);
    expect(inOrderOfChoice(offers, 'cheapest')).toEqual(['b', 'c', 'a']);
  });

  test('prices that cannot be compared decide nothing', () => {
    expect(inOrderOfChoice([offer('a', 3), offer('b')], 'cheapest')).toEqual(['a', 'b']);
    expect(inOrderOfChoice([offer('a', 3), offer('b', 1, 'USD')], 'cheapest')).toEqual(['a', 'b']);
  });
});

describe('a take', () => {
  const failed = { code: 'REMOTE_FAILED', message: 'no' } as const;

  test('is bound by its submit, and by nothing else sent with another account', () => {
    const sent = transition(makeTask(), { kind: 'submit-started', account: 'a' }, 1);
    expect(sent).toMatchObject({ ok: true, value: { account: 'a' } });
    for (const account of ['b', undefined]) {
      const event = { kind: 'submit-started', ...(account === undefined ? {} : { account }) } as const;
      expect(transition(makeTask({ account: 'a' }), event, 1).ok).toBe(false);
    }
    expect(transition(makeTask({ pin: 'b' }), { kind: 'submit-started', account: 'a' }, 1).ok).toBe(false);
  });

  test.each(['rate-limited', 'held', 'outcome-unknown'] as const)('stays bound once it was %s', (kind) => {
    const event = { kind, failure: failed, dueAt: 2 };
    const next = transition(makeTask({ status: 'submitting', account: 'a' }), event, 1);
    expect(next).toMatchObject({ ok: true, value: { account: 'a' } });
  });

  test('is free again only if it was never sent', () => {
    const submitting = makeTask({ status: 'submitting', account: 'a' });
    const event = { kind: 'not-sent', failure: failed, dueAt: 2 } as const;
    const free = transition(submitting, { ...event, unbinds: true }, 1);
    expect(free.ok && free.value.account).toBeUndefined();
    expect(transition(submitting, event, 1)).toMatchObject({ value: { account: 'a' } });
  });

  test('is retried where its row says by then; resubmitted, it stays where it was', () => {
    const retried = transition(
      makeTask({ status: 'failed', failure: failed, account: 'a', pin: 'b' }),
      { kind: 'user-retry' },
      1,
    );
    expect(retried).toMatchObject({ value: { status: 'queued', account: 'b' } });
    const unknown = makeTask({ status: 'submit-unknown', account: 'a', pin: 'b' });
    expect(transition(unknown, { kind: 'user-resubmit' }, 1)).toMatchObject({ value: { account: 'a' } });
  });

  test('goes where the row that it refers to was rendered, unless it was sent or its own row says otherwise', () => {
    const event = { kind: 'unblocked', account: 'b' } as const;
    expect(transition(makeTask({ blockedBy: 'r0' }), event, 1)).toMatchObject({ value: { account: 'b' } });
    const pinned = transition(makeTask({ blockedBy: 'r0', pin: 'a' }), event, 1);
    expect(pinned.ok && pinned.value.account).toBeUndefined();
    const sent = makeTask({ blockedBy: 'r0', account: 'a', attempts: 1 });
    expect(transition(sent, event, 1)).toMatchObject({ value: { account: 'a' } });
  });

  test('follows the cell of its row while it waits, and once it has failed; not while it is rendered', () => {
    const place = { position: 1, isBlocked: false };
    const options = { batchId: 'batch', batchState: 'running', now: 1 } as const;
    const pinOf = (task: ReturnType<typeof makeTask>) => {
      const before = { row: row('r1', 2), ...place };
      const after = { row: row('r1', 2, { account: 'b' }), ...place };
      return planTasks(before, after, [task], options).tasks.update.map(({ pin }) => pin);
    };
    expect(pinOf(makeTask())).toEqual(['b']);
    expect(pinOf(makeTask({ status: 'failed', failure: failed }))).toEqual(['b']);
    expect(pinOf(makeTask({ status: 'rendering', taskCode: 'x' }))).toEqual([]);
  });
});
