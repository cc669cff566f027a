import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { nightOf, type GivenAccount } from '../support/accounts-night.ts';
import { row } from '../support/night-harness.ts';
import { accepted, notSent, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;
const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];

/** What an account answers to a submit. */
const ANSWERS = ['accepted', 'rejected', 'held', 'rate-limited', 'not-sent', 'unknown'] as const;
type Answer = (typeof ANSWERS)[number];

function reportOf(answer: Answer, code: string): SubmitReport {
  switch (answer) {
    case 'accepted':
      return accepted(code);
    case 'rejected':
      return { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') } };
    case 'held':
      return { outcome: { kind: 'held', failure: failure('BALANCE_EXHAUSTED', 'no') } };
    case 'rate-limited':
      return { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'slowly', { httpStatus: 429 }) } };
    case 'not-sent':
      return notSent();
    case 'unknown':
      return unknownOutcome();
  }
}

const account = fc.record({
  answers: fc.array(fc.constantFrom(...ANSWERS), { maxLength: 8 }),
  places: fc.integer({ min: 1, max: 3 }),
  limit: fc.option(fc.integer({ min: 1, max: 6 })),
});
const plan = fc.record({
  accounts: fc.record({ a: account, b: account, c: account }),
  pins: fc.array(fc.option(fc.constantFrom(...NAMES)), { minLength: 1, maxLength: 12 }),
  most: fc.option(fc.integer({ min: 1, max: 10 })),
  deeds: fc.array(fc.constantFrom('wait', 'kill', 'resume'), { maxLength: 6 }),
});

test('whatever accounts answer, and whenever the process is killed: no row leaves with two of them, no limit is passed, no cell is ignored', async () => {
  const isNeverBroken = fc.asyncProperty(plan, async ({ accounts, pins, most, deeds }) => {
    const given = Object.fromEntries(
      NAMES.map((name): [Name, GivenAccount] => {
        const { places, limit } = accounts[name];
        return [name, { places, ...(limit === null ? {} : { limit: { requests: limit } }) }];
      }),
    ) as Record<Name, GivenAccount>;
    const { night, gateways, settings } = nightOf(given);
    /** With which accounts each request has left. */
    const left = new Map<string, Set<Name>>();
    const charges: Record<Name, number> = { a: 0, b: 0, c: 0 };
    for (const name of NAMES) {
      gateways[name].onSubmit = ({ body }, nth) => {
        const answer = accounts[name].answers[nth - 1] ?? 'accepted';
        if (answer !== 'not-sent') left.set(body, (left.get(body) ?? new Set()).add(name));
        if (answer === 'accepted' || answer === 'unknown') charges[name] += 1;
        return reportOf(answer, `${name}-${nth}`);
      };
    }
    const all = pins.map((pin, i) => row(`r${i + 1}`, i + 2, pin === null ? {} : { account: pin }));
    const id = await night.bringIn(all, { ...settings, ...(most === null ? {} : { maxSubmits: most }) });
    await night.scheduler.start(id);
    for (const deed of [...deeds, 'resume', 'resume']) {
      await night.clock.advance(deed === 'kill' ? 700 : 2 * MINUTE);
      if (deed === 'kill') {
        night.open();
        await night.scheduler.attach(id);
      }
      if (deed === 'resume') await night.scheduler.start(id);
    }
    await night.clock.advance(5 * MINUTE);
    expect(night.bugs).toEqual([]);
    for (const [body, names] of left) {
      const pin = pins[Number(/r(\d+)"\}$/u.exec(body)?.[1]) - 1] ?? undefined;
      expect([body, [...names]]).toEqual([body, [pin ?? [...names][0]]]);
    }
    for (const name of NAMES) expect(charges[name]).toBeLessThanOrEqual(accounts[name].limit ?? Infinity);
    expect(charges.a + charges.b + charges.c).toBeLessThanOrEqual(most ?? Infinity);
    night.close();
  });
  await fc.assert(isNeverBroken, { numRuns: 30 });
}, 120_000);
