import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { AccountTerms, BatchAccounts } from '../../src/shared/domain/task/accounts/account.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import { NightHarness, profileWith } from './night-harness.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

/** What a test says about an account. */
export interface GivenAccount {
  readonly limit?: AccountTerms['limit'];
  readonly places?: number;
  /** The price of a song, in euros. */
  readonly price?: number;
}

/** The profile of a gateway of its own. */
export function profileAt(name: string, { places = 2, price }: GivenAccount = {}): Profile {
  const profile = profileWith({ activePerFamily: { musicgen: places, 'videogen-a': places, 'videogen-b': places } });
  const prices = price === undefined ? {} : { 'musicgen/music/generate': { amount: price, currency: 'EUR' } };
  return { ...profile, name, baseUrl: `https://${name}.example/api`, prices };
}

/** A night in which each account has a gateway and a key of its own; what each is sent is noted. */
export function nightOf<Name extends string>(
  given: Readonly<Record<Name, GivenAccount>>,
  choice?: BatchAccounts['choice'],
) {
  const night = new NightHarness();
  const names = Object.keys(given) as Name[];
  const gateways = Object.fromEntries(
    names.map((name) => {
      const gateway = new ScriptedGateway(`https://${name}.example`);
      night.gateways.set(`https://${name}.example/api`, gateway);
      night.keys.set(name, `key-of-${name}`);
      return [name, gateway];
    }),
  ) as Record<Name, ScriptedGateway>;
  const [first, ...others] = names.map((name) => {
    const { limit } = given[name];
    return { name, keyName: name, profile: profileAt(name, given[name]), ...(limit === undefined ? {} : { limit }) };
  });
  if (first === undefined) throw new Error('No accounts');
  const { profile, ...terms } = first;
  const accounts: BatchAccounts = { first: terms, others, ...(choice === undefined ? {} : { choice }) };
  const settings: Partial<BatchSettings> = { profile, accounts };
  /** What was sent with each account: the last words of the prompts. */
  const sent = () =>
    Object.fromEntries(names.map((name) => [name, gateways[name].submits.map(lastWord)])) as Record<Name, string[]>;
  return { night, gateways, settings, sent };
}

function lastWord({ body }: { readonly body: string }): string {
  return /(\w+)"\}$/u.exec(body)?.[1] ?? body;
}
