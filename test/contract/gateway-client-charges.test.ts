import { expect, onTestFinished, test } from 'vitest';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { KEY, MUSIC, SONG, openClient, profileFor } from './gateway-client-under-test.ts';

/** What the client reads of money in the gateway's own words. */

async function openGateway(behaviour: BehaviourInput) {
  const started = await startObservedGateway({ behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

const CREDITS = { in: 'body', path: 'result.credits', currency: 'credits' };

test.each([
  [3, 3],
  ['0.10', 0.1],
  [-1, undefined],
  ['free', undefined],
  [null, undefined],
])('the answer to a submit says that it cost %s', async (amount, read) => {
  const gateway = await openGateway({ cost: { in: 'submit', amount } });
  const client = openClient(profileFor(gateway.baseUrl, { cost: CREDITS }));
  const { outcome, cost } = await client.submit(SONG);
  expect(outcome.kind).toBe('accepted');
  expect(cost).toEqual(read === undefined ? undefined : { amount: read, currency: 'CREDITS' });
});

test('a header says it, and a record says it later', async () => {
  const gateway = await openGateway({ cost: { in: 'header', name: 'X-Credits', amount: 2 } });
  const inHeader = openClient(
    profileFor(gateway.baseUrl, { cost: { in: 'header', name: 'x-credits', currency: 'CREDITS' } }),
  );
  expect((await inHeader.submit(SONG)).cost).toEqual({ amount: 2, currency: 'CREDITS' });
  gateway.setBehaviour({ cost: { in: 'poll', name: 'credits', amount: 5 } });
  const client = openClient(profileFor(gateway.baseUrl, { cost: CREDITS }));
  const { outcome, cost } = await client.submit(SONG);
  expect(cost).toBeUndefined();
  const taskCode = outcome.kind === 'accepted' ? outcome.taskCode : '';
  expect((await client.poll(MUSIC, taskCode)).cost).toEqual({ amount: 5, currency: 'CREDITS' });
  expect((await client.poll(MUSIC, 'no-such-task')).cost).toBeUndefined();
});

test('nothing is read that the profile does not name', async () => {
  const gateway = await openGateway({ cost: { in: 'submit', amount: 3 } });
  const report = await openClient(profileFor(gateway.baseUrl)).submit(SONG);
  expect(report).not.toHaveProperty('cost');
});

test('the balance is asked for where the profile says, and why it cannot be had is said', async () => {
  const gateway = await openGateway({ balance: { path: '/account', before: 12.5 }, auth: { keys: [KEY] } });
  const place = { path: '/account', field: 'result.credits', currency: 'CREDITS' };
  const client = openClient(profileFor(gateway.baseUrl, { balance: place }));
  expect(await client.balance()).toEqual({ balance: { amount: 12.5, currency: 'CREDITS' } });
  await client.submit(SONG);
  expect(await client.balance()).toEqual({ balance: { amount: 11.5, currency: 'CREDITS' } });
  const elsewhere = openClient(profileFor(gateway.baseUrl, { balance: { ...place, field: 'result.money' } }));
  expect(await elsewhere.balance()).toEqual({ problem: 'The answer holds no amount at result.money.' });
  const nowhere = openClient(profileFor(gateway.baseUrl, { balance: { ...place, path: '/wallet' } }));
  expect(await nowhere.balance()).toMatchObject({ problem: expect.stringContaining('no such path') as string });
  const stranger = openClient(profileFor(gateway.baseUrl, { balance: place }), { key: 'another-key-012345' });
  expect(await stranger.balance()).toMatchObject({ problem: expect.stringContaining('aiKey is missing') as string });
  expect(await openClient(profileFor(gateway.baseUrl)).balance()).toHaveProperty('problem');
});
