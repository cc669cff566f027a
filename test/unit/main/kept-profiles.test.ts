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
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import { makeBatch } from '../renderer/make-view.ts';
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
  await set.gateway.importProfileText(JSON.stringify({ name: 'Shared', baseUrl: OTHER }));
  return set;
}

describe('profiles are kept by name', () => {
  test('an imported one is shown whole, and kept beside the others; new batches use the same one as before', async () => {
    const { names, questions, settings } = await withTwo();
    expect(questions.map(({ message }) => message)).toEqual(['Add the gateway Shared?']);
    expect(questions[0]?.detail).toContain(OTHER);
    expect(names()).toEqual(['My gateway', 'Shared']);
    expect(settings.current.profile.baseUrl).toBe(GATEWAY);
  });

  test('one that is imported again changes the one of its name, and no other', async () => {
    const { gateway, names, settings, questions } = await withTwo();
    const text = JSON.stringify({ name: 'Shared', baseUrl: `${OTHER}/v2` });
    expect(await gateway.importProfileText(text)).toMatchObject({ value: { applied: true, name: 'Shared' } });
    expect(questions.at(-1)?.detail).toContain(`${OTHER} → ${OTHER}/v2`);
    expect(names()).toEqual(['My gateway', 'Shared']);
    expect(settings.current.otherProfiles).toMatchObject([{ baseUrl: `${OTHER}/v2` }]);
  });

  test('what is declined adds nothing', async () => {
    const { names } = await withTwo(() => false);
    expect(names()).toEqual(['My gateway']);
  });

  test('each is made, copied, renamed, changed and deleted where it is; only a choice changes what new batches use', async () => {
    const { kept, names, gateway, settings, questions } = await withTwo();
    expect(kept.create()).toEqual({ ok: true, value: 'New gateway' });
    expect(kept.create()).toEqual({ ok: true, value: 'New gateway 2' });
    expect(kept.duplicate('Shared')).toEqual({ ok: true, value: 'Shared copy' });
    expect(kept.rename('Shared copy', 'My gateway')).toMatchObject({ ok: false });
    expect(kept.rename('Shared copy', ' Mine ').ok).toBe(true);
    expect(await gateway.setBaseUrl(`${OTHER}/v3`, 'Mine')).toMatchObject({ value: { applied: true } });
    expect(await gateway.takeProposal({ path: ['limits', 'requestsPerSecond'], value: 7 }, 'Mine')).toMatchObject({
      value: { applied: true },
    });
    const taken = await gateway.setProfileText(JSON.stringify({ name: 'Shared', baseUrl: GATEWAY }), 'Mine');
    expect(taken).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(settings.current.profile).toMatchObject({ name: 'My gateway', baseUrl: GATEWAY });
    const mine = settings.current.otherProfiles.find(({ name }) => name === 'Mine');
    expect(mine).toMatchObject({ baseUrl: `${OTHER}/v3`, limits: { requestsPerSecond: 7 } });

    expect(kept.use('Shared').ok).toBe(true);
    expect(kept.use('Mine').ok).toBe(true);
    expect(await kept.remove('Shared', [])).toEqual({ ok: true, value: { applied: true } });
    expect(settings.current.profile.name).toBe('Mine');
    expect(await kept.remove('Mine', [])).toEqual({ ok: true, value: { applied: true } });
    expect(questions.at(-1)?.detail).toContain('Batches that were started with it keep their own copy');
    expect(questions.at(-1)?.detail).toContain('New batches then use My gateway.');
    expect(names()).toEqual(['My gateway', 'New gateway 2', 'New gateway']);
  });

  test('one that is gone by now is named, and nothing is done to another one', async () => {
    const { kept, gateway, settings } = await withTwo();
    const before = JSON.stringify(settings.current);
    const gone = { ok: false, error: { code: 'not-found', message: expect.stringContaining('“Nobody”') as string } };
    expect(kept.use('Nobody')).toMatchObject(gone);
    expect(kept.duplicate('Nobody')).toMatchObject(gone);
    expect(kept.rename('Nobody', 'Somebody')).toMatchObject(gone);
    expect(await kept.remove('Nobody', [])).toMatchObject(gone);
    expect(await gateway.setBaseUrl(OTHER, 'Nobody')).toMatchObject(gone);
    expect(await gateway.setProfileText('{"name":"Nobody"}', 'Nobody')).toMatchObject(gone);
    expect(await gateway.takeProposal({ path: ['limits', 'downloads'], value: 1 }, 'Nobody')).toMatchObject(gone);
    expect(JSON.stringify(settings.current)).toBe(before);
  });

  test('an answer counts only for what was asked about, and what else has changed meanwhile stays', async () => {
    let meanwhile: () => void = () => undefined;
    const { kept, gateway, settings, names } = await withTwo(() => {
      meanwhile();
      return true;
    });
    // Another one was chosen for new batches, and the theme changed: the address is still the one that was asked about.
    meanwhile = () => {
      kept.use('Shared');
      settings.update({ theme: 'dark' });
    };
    expect(await gateway.setBaseUrl(`${OTHER}/v2`, 'Shared')).toMatchObject({ value: { applied: true } });
    expect(settings.current.profile).toMatchObject({ name: 'Shared', baseUrl: `${OTHER}/v2` });
    expect(settings.current.otherProfiles).toMatchObject([{ name: 'My gateway', baseUrl: GATEWAY }]);
    // It has another name, or new batches have come to use it.
    meanwhile = () => kept.rename('My gateway', 'Renamed');
    expect(await gateway.setBaseUrl(OTHER, 'My gateway')).toMatchObject({ error: { code: 'not-found' } });
    meanwhile = () => kept.use('Renamed');
    expect(await kept.remove('Renamed', [])).toMatchObject({ error: { code: 'refused' } });
    // Its name went to another one.
    meanwhile = () => kept.rename('Shared', 'Third');
    const third = JSON.stringify({ name: 'Third', baseUrl: OTHER });
    expect(await gateway.importProfileText(third)).toMatchObject({ error: { code: 'refused' } });
    expect(names()).toEqual(['Renamed', 'Third']);
  });

  test('the last one cannot be deleted, and a declined deletion deletes nothing', async () => {
    expect(await setUp().kept.remove('My gateway', [])).toMatchObject({ ok: false });
    let isAgreed = true;
    const { kept, names } = await withTwo(() => isAgreed);
    isAgreed = false;
    expect(await kept.remove('Shared', [])).toEqual({ ok: true, value: { applied: false } });
    expect(names()).toHaveLength(2);
  });

  test('the question before one is deleted counts its batches by its address, whatever its name was, and those never started', async () => {
    let isAgreed = true;
    const { kept, questions } = await withTwo(() => isAgreed);
    isAgreed = false;
    const detailOf = async (name: string, batches: Parameters<typeof kept.remove>[1]) => {
      await kept.remove(name, batches);
      return questions.at(-1)?.detail ?? '';
    };
    const at = (baseUrl: string, state: BatchView['state'], changes: Partial<BatchView> = {}) =>
      makeBatch({ gateway: new URL(baseUrl).origin, profile: 'Shared', rehearsal: false, state, ...changes });
    kept.rename('Shared', 'Renamed');
    const accounts = [GATEWAY, OTHER].map((url) => {
      return { name: url, profile: 'Shared', gateway: new URL(url).origin, limit: {} };
    });
    const batches = [
      at(OTHER, 'running'),
      at(GATEWAY, 'paused', { accounts }),
      at(OTHER, 'ready'),
      at(OTHER, 'finished'),
      at(OTHER, 'running', { rehearsal: true }),
      at(OTHER, 'paused', { shelf: { is: 'deleted', at: 0 } }),
    ];
    expect(await detailOf('Renamed', batches)).toContain('2 batches that have not finished were started with it.');
    expect(await detailOf('Renamed', batches)).toContain('1 batch for it has not been started');
    const own = await detailOf('My gateway', batches);
    expect(own).toContain('1 batch that has not finished was started with it.');
    expect(own).not.toContain('not been started');
    // One of the same address and of that name is told apart from it.
    isAgreed = true;
    kept.duplicate('Renamed');
    kept.rename('Renamed copy', 'Shared');
    isAgreed = false;
    expect(await detailOf('Renamed', batches)).toContain('Batches that were started with it keep their own copy');
    expect(await detailOf('Shared', batches)).toContain('2 batches that have not finished were started with it.');
  });

  test('they outlive the application, and an invalid setting of one costs the others nothing', async () => {
    const { folder, kept } = await withTwo();
    kept.duplicate('Shared');
    expect(setUp(undefined, folder).names()).toEqual(['My gateway', 'Shared copy', 'Shared']);
    const file = join(folder, 'settings.json');
    const document = JSON.parse(readFileSync(file, 'utf8')) as { otherProfiles: { limits?: unknown }[] };
    const [first] = document.otherProfiles;
    if (first !== undefined) first.limits = 'none';
    writeFileSync(file, JSON.stringify(document));
    const again = setUp(undefined, folder);
    expect(again.names()).toEqual(['My gateway', 'Shared copy', 'Shared']);
    expect(again.settings.current.otherProfiles[0]).toMatchObject({ baseUrl: OTHER, limits: { downloads: 4 } });
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
    kept.create();
    expect(problem([mine, { ...shared, profile: 'New gateway' }])).toContain('has no base URL');
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
