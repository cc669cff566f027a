import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SettingsFile } from '../../../src/main/services/app-settings.ts';
import type { Question } from '../../../src/main/shell/desktop.ts';
import { GatewaySettings, type GatewaySettingsOptions } from '../../../src/main/services/gateway-settings.ts';
import { KeptProfiles } from '../../../src/main/services/kept-profiles.ts';
import { KeyVault } from '../../../src/main/services/key-vault.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Electron's package looks for a binary as soon as it is imported, and would download one; none is started here.
vi.hoisted(() => {
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= 'no-electron-is-started';
});

const KEY = 'sk-0123456789';

/** Questions are noted and answered in this way. */
function setUp(answer: () => boolean | Promise<boolean> = () => true) {
  const folder = temporaryFolder();
  const settings = new SettingsFile(folder, new Date(0));
  const vault = new KeyVault(join(folder, 'key.json'), {
    isSecure: () => false,
    encrypt: (text) => Buffer.from(text),
    decrypt: (bytes) => bytes.toString(),
  });
  const given: [string, string | undefined][] = [];
  const questions: Question[] = [];
  let changes = 0;
  const options: GatewaySettingsOptions = {
    settings,
    vault,
    giveKey: ({ origin, name }, key) => given.push([name === undefined ? origin : `${origin} ${name}`, key]),
    confirm: async (question) => {
      questions.push(question);
      return answer();
    },
    onChanged: () => {
      changes += 1;
    },
  };
  const [gateway, kept] = [new GatewaySettings(options), new KeptProfiles(options)];
  return { settings, vault, given, gateway, kept, questions, changes: () => changes };
}

describe('the gateway’s base URL and key', () => {
  test('a key is kept for the origin of the base URL', async () => {
    const { gateway, given, vault } = setUp();
    expect(gateway.setKey(KEY)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await gateway.setBaseUrl(' https://gateway.example/api/ ')).toEqual({ ok: true, value: { applied: true } });
    expect(gateway.isConnected()).toBe(false);
    expect(gateway.setKey(`  ${KEY}\n`)).toMatchObject({ ok: true, value: { present: true } });
    expect(given).toEqual([['https://gateway.example', KEY]]);
    expect(vault.keys).toEqual([{ origin: 'https://gateway.example', key: KEY }]);
    expect(gateway.isConnected()).toBe(true);
  });

  test('a key with a name is kept and forgotten beside the one key of its gateway', async () => {
    const { gateway, given, vault } = setUp();
    await gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    const named = gateway.setKey('sk-of-the-spare-0001', 'https://gateway.example', 'spare');
    expect(named).toMatchObject({ ok: true, value: { present: true, last4: KEY.slice(-4) } });
    expect(given.slice(-2)).toEqual([
      ['https://gateway.example', KEY],
      ['https://gateway.example spare', 'sk-of-the-spare-0001'],
    ]);
    expect(gateway.clearKey('https://gateway.example', 'spare')).toMatchObject({ ok: true, value: { present: true } });
    expect(given.at(-1)).toEqual(['https://gateway.example spare', undefined]);
    expect(vault.keys).toEqual([{ origin: 'https://gateway.example', key: KEY }]);
  });

  test('another path of the same origin keeps the key', async () => {
    const { gateway, vault } = setUp();
    await gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    await gateway.setBaseUrl('https://gateway.example/v2');
    expect(vault.of('https://gateway.example')).toBe(KEY);
    expect(gateway.isConnected()).toBe(true);
  });

  test.each(['https://other.example/api', 'http://localhost/api', 'https://gateway.example:8443/api', ''])(
    'another origin has no key, and the first one keeps its own: %o',
    async (baseUrl) => {
      const { gateway, given } = setUp();
      await gateway.setBaseUrl('https://gateway.example/api');
      gateway.setKey(KEY);
      expect((await gateway.setBaseUrl(baseUrl)).ok).toBe(true);
      expect(gateway.isConnected()).toBe(false);
      expect(gateway.keyStatus).toMatchObject({ present: false, kept: [{ origin: 'https://gateway.example' }] });
      // Batches that run on the first gateway go on.
      expect(given).toEqual([['https://gateway.example', KEY]]);
      await gateway.setBaseUrl('https://gateway.example/api');
      expect(gateway.isConnected()).toBe(true);
    },
  );

  test('a profile with another base URL has no key either', async () => {
    const { gateway, settings } = setUp();
    await gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    expect((await gateway.setProfileText('{"name":"Mine","baseUrl":"https://other.example"}')).ok).toBe(true);
    expect(settings.current.profile.name).toBe('Mine');
    expect(gateway.isConnected()).toBe(false);
  });

  test('a key can be entered for, and forgotten with, a gateway of an earlier batch', async () => {
    const { gateway, given, vault } = setUp();
    await gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    expect(gateway.setKey('sk-another-1234', 'https://other.example').ok).toBe(true);
    expect(given.at(-1)).toEqual(['https://other.example', 'sk-another-1234']);
    expect(gateway.keyStatus).toMatchObject({ present: true, origin: 'https://gateway.example' });
    expect(gateway.clearKey('https://gateway.example').ok).toBe(true);
    expect(given.at(-1)).toEqual(['https://gateway.example', undefined]);
    expect(vault.keys).toEqual([{ origin: 'https://other.example', key: 'sk-another-1234' }]);
    for (const origin of [
      'https://other.example/api',
      'ftp://other.example',
      'other.example',
      'https://OTHER.example',
    ]) {
      expect(gateway.setKey(KEY, origin)).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    }
  });

  test('the key in the base URL or the profile is refused, whichever comes first', async () => {
    const { gateway, vault, settings } = setUp();
    await gateway.setBaseUrl(`https://gateway.example/${KEY}/api`);
    expect(gateway.setKey(KEY)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(vault.keys).toEqual([]);
    await gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    expect(await gateway.setProfileText(JSON.stringify({ name: KEY }))).toMatchObject({ ok: false });
    expect(await gateway.setBaseUrl(`https://gateway.example/${KEY}`)).toMatchObject({ ok: false });
    expect(JSON.stringify(settings.current)).not.toContain(KEY);
  });

  test('plain http beyond this machine is refused', async () => {
    const { gateway } = setUp();
    for (const baseUrl of ['http://gateway.example/api', 'http://192.168.1.5/api']) {
      expect(await gateway.setBaseUrl(baseUrl)).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    }
    const allowed = { baseUrl: 'http://192.168.1.5/api', allowPlainHttp: true };
    expect((await gateway.setProfileText(JSON.stringify(allowed))).ok).toBe(true);
  });

  test.each([
    'gateway.example',
    'ftp://gateway.example',
    'https://me:secret@gateway.example',
    'https://x.example/?a=1',
  ])('what is no base URL changes nothing: %o', async (baseUrl) => {
    const { gateway, settings, changes } = setUp();
    expect(await gateway.setBaseUrl(baseUrl)).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    expect(settings.current.profile.baseUrl).toBe('');
    expect(changes()).toBe(0);
  });

  test('a profile with mistakes changes nothing and every mistake is named with its path', async () => {
    const { gateway, changes } = setUp();
    const reply = await gateway.setProfileText('{"limits":{"downloads":-1},"taskCode":{"where":"query"}}');
    expect(reply).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    const message = reply.ok ? '' : reply.error.message;
    expect(message).toContain('limits.downloads');
    expect(message).toContain('taskCode.where');
    expect((await gateway.setProfileText('{')).ok).toBe(false);
    expect(changes()).toBe(0);
  });
});

describe('what leads elsewhere or settles outcomes', () => {
  const GATEWAY = 'https://gateway.example/api';

  /** A profile's text with some of it changed, as it is typed or imported. */
  function withChange({ settings }: ReturnType<typeof setUp>, change: object): string {
    return JSON.stringify({ ...settings.current.profile, ...change });
  }

  test.each([
    ['an address', { baseUrl: 'https://other.example' }, 'https://gateway.example/api → https://other.example'],
    ['a host of media', { media: { allowHosts: ['10.0.0.5'] } }, 'media.allowHosts: added 10.0.0.5'],
    ['unencrypted http', { allowPlainHttp: true }, 'allowPlainHttp: false → true'],
    ['what failed', { status: { musicgen: { 1: 'failed' } } }, 'status.musicgen.1: added failed'],
    ['what is refused', { rejectedHttp: [400] }, 'rejectedHttp: removed 401'],
    ['a pattern', { errors: [{ match: '.*', means: 'rate' }] }, 'errors: added {"match":".*","means":"rate"}'],
    ['how the code is passed', { taskCode: { in: 'path' } }, 'taskCode.in: query → path'],
    ['a header', { userAgent: 'Mine' }, 'userAgent: Nocturne → Mine'],
  ])('takes effect when the user has seen it and agreed: %s', async (_name, change, words) => {
    let isAgreed = false;
    const set = setUp(() => isAgreed);
    const { gateway, settings, questions, changes } = set;
    await gateway.setBaseUrl(GATEWAY);
    const before = settings.current.profile;
    const text = withChange(set, change);
    expect(await gateway.setProfileText(text)).toMatchObject({ ok: true, value: { applied: false } });
    expect(settings.current.profile).toBe(before);
    expect(changes()).toBe(1);
    expect(questions).toHaveLength(1);
    expect(questions[0]?.detail).toContain(words);
    isAgreed = true;
    expect(await gateway.setProfileText(text)).toMatchObject({ ok: true, value: { applied: true } });
    expect(settings.current.profile).toMatchObject(change);
  });

  test('names and numbers that were typed are not asked about', async () => {
    const set = setUp(() => false);
    const prices = { 'musicgen/music/generate': { amount: 1, currency: 'EUR' } };
    const text = withChange(set, { name: 'Mine', limits: { requestsPerSecond: 5 }, media: { maxBytes: 9 }, prices });
    expect(await set.gateway.setProfileText(text)).toEqual({ ok: true, value: { applied: true, name: 'Mine' } });
    expect(set.questions).toEqual([]);
  });

  test('all that a file changes is shown, the address first; a file that changes nothing is not asked about', async () => {
    const set = setUp();
    const { gateway, questions } = set;
    const suggestions = { 'musicgen/music/generate.title': ['A'] };
    await gateway.importProfileText(withChange(set, { name: 'Theirs', suggestions, baseUrl: GATEWAY }));
    expect(questions[0]?.detail.split('\n').slice(0, 3)).toEqual([
      `baseUrl: (empty) → ${GATEWAY}`,
      'name: My gateway → Theirs',
      'suggestions.musicgen/music/generate.title: added A',
    ]);
    await gateway.importProfileText(withChange(set, {}));
    expect(questions).toHaveLength(1);
    await gateway.importProfileText(withChange(set, { name: 'Other' }));
    expect(questions).toHaveLength(2);
  });

  test('the first address is not asked about, every other one is', async () => {
    const { gateway, questions, settings } = setUp(() => false);
    await gateway.setBaseUrl(GATEWAY);
    expect(questions).toEqual([]);
    // The second letter is not a Latin one.
    expect(await gateway.setBaseUrl('https://g\u0430teway.example/api')).toEqual({
      ok: true,
      value: { applied: false },
    });
    expect(questions[0]?.detail).toContain('(xn--gteway-3nf.example)');
    await gateway.setBaseUrl('');
    expect(questions).toHaveLength(2);
    expect(settings.current.profile.baseUrl).toBe(GATEWAY);
  });

  test('a further gateway gets no address unasked, neither beside the others nor in their place', async () => {
    const { gateway, kept, questions, settings } = setUp(() => false);
    await gateway.setBaseUrl(GATEWAY);
    const made = kept.create();
    if (!made.ok) throw new Error(made.error.message);
    await gateway.setBaseUrl('https://thief.example', made.value);
    kept.use(made.value);
    await gateway.setBaseUrl('https://thief.example');
    expect(questions).toHaveLength(2);
    expect(settings.current.profile.baseUrl).toBe('');
  });

  test('another gateway that would keep the statuses of the one before is said to, and only that', async () => {
    const set = setUp();
    const { gateway, questions } = set;
    const asked = () => questions.at(-1)?.detail;
    await gateway.setBaseUrl(GATEWAY);
    await gateway.setBaseUrl('https://second.example');
    expect(asked()).not.toContain('“status”');
    await gateway.setProfileText(withChange(set, { status: { musicgen: { '3': 'failed' } } }));
    await gateway.setBaseUrl('https://second.example/v2');
    expect(asked()).not.toContain('“status”');
    await gateway.setBaseUrl('https://third.example');
    expect(asked()).toContain('What you said of https://second.example stays in the profile: its table “status”');
    const others = { baseUrl: GATEWAY, status: { musicgen: { '3': 'running' } } };
    await gateway.importProfileText(withChange(set, others));
    expect(asked()).not.toContain('“status”');
  });

  test('one question at a time, and no answer to an old one counts', async () => {
    let answer: (isAgreed: boolean) => void = () => {};
    const { gateway, settings } = setUp(() => new Promise((resolve) => (answer = resolve)));
    await gateway.setBaseUrl(GATEWAY);
    const asked = gateway.setBaseUrl('https://other.example');
    expect(await gateway.setBaseUrl('https://third.example')).toMatchObject({ ok: false, error: { code: 'refused' } });
    const meanwhile = JSON.stringify({ ...settings.current.profile, tags: 'one-element' });
    expect(await gateway.setProfileText(meanwhile)).toMatchObject({ ok: true, value: { applied: true } });
    answer(true);
    expect(await asked).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(settings.current.profile).toMatchObject({ baseUrl: GATEWAY, tags: 'one-element' });
  });

  test('what would not fit the box is named, the weighty never behind the rest, and nothing acts on the screen', async () => {
    const set = setUp(() => false);
    const suggestions = { 'musicgen/music/generate.title': Array.from({ length: 500 }, (_, n) => `title ${n}`) };
    const media = { allowHosts: ['10.0.0.5'] };
    await set.gateway.importProfileText(withChange(set, { suggestions, media, name: `\u202e${'x'.repeat(190)}` }));
    const lines = (set.questions[0]?.detail ?? '').split('\n');
    expect(lines[0]).toBe('media.allowHosts: added 10.0.0.5');
    expect(lines[1]).toMatch(/^name: My gateway → \\u202exxx.*…$/);
    expect(lines).toContain('And 488 more, in: suggestions');
    expect(lines.length).toBeLessThan(20);
    expect(Math.max(...lines.slice(0, -1).map((line) => line.length))).toBeLessThan(240);
  });
});

describe('what a status of the gateway means', () => {
  const ASKED = { family: 'musicgen', status: '3' } as const;
  const ORIGIN = 'https://gateway.example';

  test('is a failure when the user has agreed in a box of the system, for later batches, too', async () => {
    let isYes = false;
    const { gateway, settings, questions } = setUp(() => isYes);
    await gateway.setBaseUrl(`${ORIGIN}/api`);
    expect(await gateway.answerStatus(ORIGIN, ASKED, 'failed')).toEqual({ ok: true, value: { applied: false } });
    expect(settings.current.profile.status).toEqual({});
    isYes = true;
    expect(await gateway.answerStatus(ORIGIN, ASKED, 'failed')).toEqual({ ok: true, value: { applied: true } });
    expect(settings.current.profile.status).toEqual({ musicgen: { '3': 'failed' } });
    expect(questions).toHaveLength(2);
    expect(questions[0]?.message).toBe('Treat status 3 of Music as failed?');
    expect(questions[0]?.detail).toContain(ORIGIN);
    expect(questions[0]?.detail).toContain('new paid request');
  });

  test('is inferred on without a box, and of another gateway than that of the settings nothing is noted here', async () => {
    const { gateway, settings, questions } = setUp();
    await gateway.setBaseUrl(`${ORIGIN}/api`);
    await gateway.answerStatus(ORIGIN, ASKED, 'inferred');
    expect(await gateway.answerStatus('https://other.example', { ...ASKED, status: '4' }, 'failed')).toMatchObject({
      value: { applied: true },
    });
    expect(questions).toHaveLength(1);
    expect(settings.current.profile.status).toEqual({ musicgen: { '3': 'inferred' } });
  });

  test('stays what the profile says', async () => {
    const { gateway, settings } = setUp();
    const profile = { baseUrl: `${ORIGIN}/api`, status: { musicgen: { '3': 'running', '4': 'failed' } } };
    await gateway.setProfileText(JSON.stringify(profile));
    await gateway.answerStatus(ORIGIN, ASKED, 'failed');
    expect(settings.current.profile.status).toEqual(profile.status);
  });
});
