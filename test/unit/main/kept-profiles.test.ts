import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SettingsFile } from '../../../src/main/services/app-settings.ts';
import { GatewaySettings } from '../../../src/main/services/gateway-settings.ts';
import { chosenAccounts, KeptProfiles } from '../../../src/main/services/kept-profiles.ts';
import { KeyVault } from '../../../src/main/services/key-vault.ts';
import type { Question } from '../../../src/main/shell/desktop.ts';
import { profileSchema } from '../../../src/shared/domain/gateway/profile.ts';
import { accountsOf } from '../../../src/shared/domain/task/accounts/account.ts';
import { type BatchSettings, profileForBatch } from '../../../src/shared/domain/task/batch.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Electron's package looks for a binary as soon as it is imported, and would download one; none is started here.
vi.hoisted(() => {
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= 'no-electron-is-started';
});

const GATEWAY = 'https://gateway.example/api';
const OTHER = 'https://other.example/api';

function setUp(answer: () => boolean = () => true, folder = temporaryFolder()) {
  const settings = new SettingsFile(folder, new Date(0));
  const vault = new KeyVault(join(folder, 'key.json'), {
    isSecure: () => false,
    encrypt: (text) => Buffer.from(text),
    decrypt: (bytes) => bytes.toString(),
  });
  const questions: Question[] = [];
  const confirm = (question: Question): Promise<boolean> => {
    questions.push(question);
    return Promise.resolve(answer());
  };
  const options = { settings, vault, confirm, giveKey: () => undefined, onChanged: () => undefined };
  const names = (): readonly string[] => [
    settings.current.profile.name,
    ...settings.current.otherProfiles.map(({ name }) => name),
  ];
  return { folder, settings, questions, names, gateway: new GatewaySettings(options), kept: new KeptProfiles(options) };
}

async function withTwo(answer?: () => boolean) {
  const set = setUp(answer);
  await set.gateway.setBaseUrl(GATEWAY);
  await set.gateway.setProfileText(JSON.stringify({ name: 'Shared', baseUrl: OTHER }), 'imported');
  return set;
}

describe('profiles are kept by name', () => {
  test('an imported one is shown as a difference, kept beside the others, and becomes the present one', async () => {
    const { names, questions, settings } = await withTwo();
    expect(questions).toHaveLength(1);
    expect(names()).toEqual(['Shared', 'My gateway']);
    expect(settings.current.otherProfiles).toMatchObject([{ baseUrl: GATEWAY }]);
  });

  test('one that is imported again replaces the present one of its name, and no other', async () => {
    const { gateway, kept, names, settings } = await withTwo();
    await gateway.setProfileText(JSON.stringify({ name: 'Shared', baseUrl: `${OTHER}/v2` }), 'imported');
    expect(names()).toEqual(['Shared', 'My gateway']);
    expect(settings.current.profile.baseUrl).toBe(`${OTHER}/v2`);
    kept.use('My gateway');
    await gateway.setProfileText(JSON.stringify({ name: 'Shared', baseUrl: OTHER }), 'imported');
    expect(names()).toEqual(['Shared 2', 'Shared', 'My gateway']);
  });

  test('what is declined adds nothing', async () => {
    const { names } = await withTwo(() => false);
    expect(names()).toEqual(['My gateway']);
  });

  test('one is chosen, copied, renamed and deleted; names stay unique', async () => {
    const { kept, names, gateway, questions } = await withTwo();
    expect(kept.use('My gateway').ok).toBe(true);
    expect(names()).toEqual(['My gateway', 'Shared']);
    expect(kept.use('Nobody')).toMatchObject({ ok: false, error: { code: 'not-found' } });
    kept.duplicate();
    kept.use('My gateway');
    kept.duplicate();
    expect(names()).toEqual(['My gateway copy 2', 'Shared', 'My gateway copy', 'My gateway']);
    expect(kept.rename('Shared')).toMatchObject({ ok: false });
    expect(kept.rename(' Mine ').ok).toBe(true);
    const taken = await gateway.setProfileText(JSON.stringify({ name: 'Shared', baseUrl: GATEWAY }), 'typed');
    expect(taken).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await kept.remove()).toEqual({ ok: true, value: { applied: true } });
    expect(questions.at(-1)?.message).toContain('Mine');
    expect(names()).toEqual(['My gateway', 'Shared', 'My gateway copy']);
  });

  test('the last one cannot be deleted, and a declined deletion deletes nothing', async () => {
    expect(await setUp().kept.remove()).toMatchObject({ ok: false });
    let isAgreed = true;
    const { kept, names } = await withTwo(() => isAgreed);
    isAgreed = false;
    expect(await kept.remove()).toEqual({ ok: true, value: { applied: false } });
    expect(names()).toHaveLength(2);
  });

  test('they outlive the application, and an invalid setting of one costs the others nothing', async () => {
    const { folder, kept } = await withTwo();
    kept.duplicate();
    expect(setUp(undefined, folder).names()).toEqual(['Shared copy', 'My gateway', 'Shared']);
    const file = join(folder, 'settings.json');
    const document = JSON.parse(readFileSync(file, 'utf8')) as { otherProfiles: { limits?: unknown }[] };
    const [first] = document.otherProfiles;
    if (first !== undefined) first.limits = 'none';
    writeFileSync(file, JSON.stringify(document));
    const again = setUp(undefined, folder);
    expect(again.names()).toEqual(['Shared copy', 'My gateway', 'Shared']);
    expect(again.settings.current.otherProfiles[0]).toMatchObject({ baseUrl: GATEWAY, limits: { downloads: 4 } });
    expect(again.settings.notice).toContain('otherProfiles.0.limits');
  });
});

test('a proposal is taken with a yes where it settles outcomes, and at once where it does not', async () => {
  let isAgreed = false;
  const { gateway, settings, questions } = setUp(() => isAgreed);
  await gateway.setBaseUrl(GATEWAY);
  const failed = { path: ['status', 'videogen-b', '3'], value: 'failed' };
  expect(await gateway.takeProposal(failed)).toEqual({ ok: true, value: { applied: false } });
  expect(settings.current.profile.status).toEqual({});
  isAgreed = true;
  expect(await gateway.takeProposal(failed)).toEqual({ ok: true, value: { applied: true } });
  expect(settings.current.profile.status).toEqual({ 'videogen-b': { '3': 'failed' } });
  expect(questions).toHaveLength(2);
  expect(await gateway.takeProposal({ path: ['limits', 'requestsPerSecond'], value: 0.5 })).toMatchObject({ ok: true });
  expect(questions).toHaveLength(2);
  expect(settings.current.profile.limits.requestsPerSecond).toBe(0.5);
  expect(await gateway.takeProposal({ path: ['nothing'], value: 1 })).toMatchObject({ ok: false });
});

test('a batch that is resumed takes the profile of its own name and gateway, however many share the gateway', () => {
  const [present, own, elsewhere] = [
    { name: 'Fast', baseUrl: GATEWAY },
    { name: 'Mine', baseUrl: `${GATEWAY}/v2` },
    { name: 'Mine too', baseUrl: OTHER },
  ].map((profile) => profileSchema.parse(profile));
  if (present === undefined || own === undefined || elsewhere === undefined) throw new Error('no profiles');
  const profiles = [present, own, elsewhere];
  const batchWith = (name: string): BatchSettings => ({
    folder: '/media',
    filename: '{row}',
    rehearsal: false,
    profile: profileSchema.parse({ name, baseUrl: GATEWAY }),
  });
  expect(profileForBatch(batchWith('Mine'), profiles)).toBe(own);
  // One of that name leads to another gateway: its tasks are not known there.
  expect(profileForBatch(batchWith('Mine too'), profiles)).toBe(present);
  expect(profileForBatch(undefined, profiles)).toBe(present);
});

describe('the accounts of a batch', () => {
  const shared = { name: 'shared', profile: 'Shared', limit: {} };
  const mine = { name: 'mine', profile: 'My gateway', keyName: 'second', limit: { requests: 3 } };

  test('have the profiles that are kept, in the user’s order, with their limits', async () => {
    const { settings } = await withTwo();
    const chosen = chosenAccounts({ list: [mine, shared], isCheapestFirst: true }, settings.current);
    if (!chosen.ok) throw new Error(chosen.error);
    expect(chosen.value.accounts.choice).toBe('cheapest');
    expect(accountsOf(chosen.value)).toMatchObject([
      { name: 'mine', keyName: 'second', limit: { requests: 3 }, profile: { baseUrl: GATEWAY } },
      { name: 'shared', profile: { baseUrl: OTHER } },
    ]);
    expect(accountsOf(chosen.value)[1]).not.toHaveProperty('limit');
  });

  test('none is made of a profile that is gone, that leads nowhere, or under a name that another one has', async () => {
    const { settings, kept } = await withTwo();
    const problem = (list: readonly (typeof mine | typeof shared)[]) => {
      const chosen = chosenAccounts({ list }, settings.current);
      return chosen.ok ? undefined : chosen.error;
    };
    expect(problem([shared, { ...mine, profile: 'Gone' }])).toContain('no profile “Gone” any more');
    expect(problem([shared, { ...mine, name: 'shared' }])).toContain('Two accounts are called “shared”');
    kept.duplicate();
    settings.update({ profile: { ...settings.current.profile, baseUrl: '' } });
    expect(problem([mine, { ...shared, profile: 'Shared copy' }])).toContain('has no base URL');
  });

  test('each has a key, and no two the same one at one gateway', async () => {
    const { settings, gateway } = await withTwo();
    const problem = (list: readonly (typeof mine | typeof shared)[]) => {
      const chosen = chosenAccounts({ list }, settings.current);
      return chosen.ok ? gateway.problemOfKeys(accountsOf(chosen.value)) : chosen.error;
    };
    const origin = new URL(GATEWAY).origin;
    gateway.setKey('sk-shared-000000001', new URL(OTHER).origin);
    gateway.setKey('sk-mine-0000000001', origin);
    expect(problem([shared, mine])).toBe('The account “mine” has no key. Enter it first.');
    gateway.setKey('sk-mine-0000000001', origin, 'second');
    expect(problem([shared, mine])).toBeUndefined();
    const { keyName: _, ...first } = mine;
    expect(problem([{ ...first, name: 'first' }, mine])).toContain('“first” and “mine” are one');
    gateway.setKey('sk-mine-0000000002', origin, 'second');
    expect(problem([{ ...first, name: 'first' }, mine])).toBeUndefined();
  });
});
