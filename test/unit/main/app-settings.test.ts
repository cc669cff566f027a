import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HandlerContext, appHandlers } from '../../../src/main/ipc/app-handlers.ts';
import { createIpcRouter, type IpcRouterOptions } from '../../../src/main/ipc/bridge.ts';
import { keptLanguage, SettingsFile } from '../../../src/main/services/app-settings.ts';
import { parseProfile } from '../../../src/shared/domain/gateway/profile.ts';
import { speakLanguage } from '../../../src/shared/words/catalogues.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Electron's package looks for a binary as soon as it is imported, and would download one; none is started here.
vi.hoisted(() => {
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= 'no-electron-is-started';
});

/** As each form of the settings was last written by the version that had it, with everything in it that could be set. */
const FIXTURES = join(import.meta.dirname, '../../fixtures/settings');
const FORMS = readdirSync(FIXTURES).toSorted();

const NOW = new Date('2026-01-02T03:04:05.678Z');

function folder(settings?: string): string {
  const made = temporaryFolder();
  if (settings !== undefined) writeFileSync(join(made, 'settings.json'), settings);
  return made;
}

function profile(json: unknown) {
  const parsed = parseProfile(json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

describe('settings', () => {
  test('have defaults before anything was chosen', () => {
    const { current, notice } = new SettingsFile(folder(), NOW);
    expect(current).toMatchObject({ theme: 'system', defaultFolder: '', profile: { baseUrl: '' } });
    expect(notice).toBeUndefined();
  });

  test('call the first gateway in the language of the window, and keep that name', () => {
    speakLanguage('zh-Hans');
    onTestFinished(() => speakLanguage('en'));
    const path = folder();
    const settings = new SettingsFile(path, NOW);
    expect(settings.current.profile.name).toBe('我的网关');
    settings.update({ theme: 'dark' });
    speakLanguage('en');
    expect(new SettingsFile(path, NOW).current.profile.name).toBe('我的网关');
  });

  test('say their language before they are opened, whatever else is in the file, and leave that as it is', () => {
    expect(keptLanguage(folder())).toBe('system');
    expect(keptLanguage(folder('no settings'))).toBe('system');
    const text = JSON.stringify({ language: 'zh-Hans', theme: 'plaid' });
    const path = folder(text);
    expect(keptLanguage(path)).toBe('zh-Hans');
    expect(readdirSync(path)).toEqual(['settings.json']);
    expect(readFileSync(join(path, 'settings.json'), 'utf8')).toBe(text);
  });

  test('are there again at the next start, with keys that hold dots and slashes', () => {
    const path = folder();
    const wanted = profile({
      baseUrl: 'https://gateway.example/api',
      resultPaths: { 'musicgen/music/generate': '/other.path/result' },
      suggestions: { 'musicgen/music/generate.model': ['v5.1'] },
    });
    new SettingsFile(path, NOW).update({
      theme: 'dark',
      profile: wanted,
      window: { x: -5, y: 7, width: 800, height: 600, isMaximized: true },
    });
    const { current } = new SettingsFile(path, NOW);
    expect(current.theme).toBe('dark');
    expect(current.profile).toEqual(wanted);
    expect(current.window).toEqual({ x: -5, y: 7, width: 800, height: 600, isMaximized: true });
  });

  test.each([
    ['not JSON', '{"theme": "da'],
    ['an unknown theme', '{"theme": "pink"}'],
    ['an unknown key', '{"themes": "dark"}'],
    ['a limit that is no number', '{"profile": {"limits": {"requestsPerSecond": "NaN"}}}'],
    ['a negative limit', '{"profile": {"limits": {"downloads": -1}}}'],
  ])('that hold %s are kept aside, and the defaults apply', (_what, text) => {
    const path = folder(text);
    const settings = new SettingsFile(path, NOW);
    expect(settings.current.theme).toBe('system');
    const kept = 'settings.broken-2026-01-02T03-04-05-678Z.json';
    expect(settings.notice).toContain(kept);
    expect(settings.current).toEqual(new SettingsFile(folder(), NOW).current);
    expect(readFileSync(join(path, kept), 'utf8')).toBe(text);
    settings.update({ theme: 'light' });
    expect(new SettingsFile(path, NOW).current.theme).toBe('light');
    expect(readdirSync(path).filter((name) => name.includes('broken'))).toHaveLength(1);
  });

  test('that a restore has put in place meanwhile are kept by a change of others, for the next start', () => {
    const path = folder('{"theme":"light"}');
    const open = new SettingsFile(path, NOW);
    writeFileSync(join(path, 'settings.json'), '{"theme":"dark","profile":{"baseUrl":"https://gateway.example"}}');
    open.update({ defaultFolder: '/media' });
    expect(open.current).toMatchObject({ theme: 'light', defaultFolder: '/media', profile: { baseUrl: '' } });
    const next = new SettingsFile(path, NOW).current;
    expect(next).toMatchObject({ theme: 'dark', profile: { baseUrl: 'https://gateway.example' } });
    expect(next.defaultFolder).toBe('/media');
  });

  test('that cannot be written stay as they were, and the window is told why and not of a bug', async () => {
    const path = folder();
    const settings = new SettingsFile(path, NOW);
    const log = vi.fn();
    const handlers = appHandlers({ settings } as unknown as HandlerContext) as IpcRouterOptions['handlers'];
    const isOwnAddress = (): boolean => true;
    const ask = createIpcRouter({ handlers, isOwnAddress, log } as unknown as IpcRouterOptions);
    rmSync(path, { recursive: true });
    writeFileSync(path, 'something else has its place');
    const reply = await ask({ isTopFrame: true, url: '' }, 'settings.update', { theme: 'dark' });
    expect(reply).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(JSON.stringify(reply)).toMatch(/data folder: E[A-Z]+/u);
    expect(settings.current.theme).toBe('system');
    expect(log).not.toHaveBeenCalled();
  });

  test('that hold only in part keep everything else, and say what did not hold', () => {
    const kept = {
      theme: 'dark',
      defaultFolder: '/media',
      mappings: { abc: { mapping: { Text: 'prompt' }, keptAt: 1 } },
      recentSheets: 'none',
      profile: {
        baseUrl: 'https://gateway.example/api',
        rejectedHttp: [400, 502],
        errors: [{ match: '(?=slow)', means: 'rate' }],
        limits: { downloads: 7 },
        nonsense: true,
      },
    };
    const text = JSON.stringify(kept);
    const path = folder(text);
    const { current, notice } = new SettingsFile(path, NOW);
    expect(current).toMatchObject({
      theme: 'dark',
      defaultFolder: '/media',
      mappings: kept.mappings,
      recentSheets: [],
      profile: profile({ baseUrl: 'https://gateway.example/api', limits: { downloads: 7 } }),
    });
    for (const word of [
      'profile.rejectedHttp',
      '408 or 5xx',
      'profile.errors',
      'profile.nonsense',
      'recentSheets',
      'broken-',
    ]) {
      expect(notice).toContain(word);
    }
    expect(notice).not.toContain('mappings');
    expect(readFileSync(join(path, 'settings.broken-2026-01-02T03-04-05-678Z.json'), 'utf8')).toBe(text);
    const again = new SettingsFile(path, NOW);
    expect(again.current).toEqual(current);
    expect(again.notice).toBeUndefined();
  });
});

test('of several profiles that do not hold only those go, each named by its place in the file', () => {
  const [good, better] = ['Good', 'Better'].map((name) => ({ name, baseUrl: `https://${name.toLowerCase()}.example` }));
  // The second one is found wrong only once what nobody knows in it is gone.
  const latelyWrong = { name: 7, nonsense: true };
  const path = folder(JSON.stringify({ otherProfiles: [7, good, latelyWrong, null, 'x', better, { nonsense: 1 }] }));
  const { current, notice } = new SettingsFile(path, NOW);
  expect(current.otherProfiles.map(({ name }) => name).slice(0, 3)).toEqual(['Good', 'My gateway', 'Better']);
  for (const place of [0, 2, 3, 4, 6]) expect(notice).toContain(`otherProfiles.${place}`);
  for (const place of [1, 5]) expect(notice).not.toContain(`otherProfiles.${place}`);
});

test('of thousands of wrong entries the notice names some, and says how many more there are', () => {
  const wrong = Array.from({ length: 3_000 }, (_, at) => (at === 0 ? { ['x'.repeat(5_000)]: 1 } : at));
  const { notice = '' } = new SettingsFile(folder(JSON.stringify({ otherProfiles: wrong })), NOW);
  expect(notice).toContain('And 2992 more.');
  expect(notice.length).toBeLessThan(1_500);
});

describe('settings of another version', () => {
  test.each(FORMS)('%s, of an earlier one: nothing of it is lost, and nothing said', (name) => {
    const text = readFileSync(join(FIXTURES, name), 'utf8');
    const path = folder(text);
    const settings = new SettingsFile(path, NOW);
    expect(settings.notice).toBeUndefined();
    expect(settings.current).toMatchObject(JSON.parse(text) as object);
    settings.update({ theme: 'light' });
    expect(new SettingsFile(path, NOW).current).toEqual({ ...settings.current, theme: 'light' });
    expect(readdirSync(path)).toEqual(['settings.json']);
  });

  test('the newest form is kept as a fixture, with every setting that has a default', () => {
    const text = readFileSync(join(FIXTURES, FORMS.at(-1) ?? ''), 'utf8');
    expect(new SettingsFile(folder(text), NOW).current).toEqual(JSON.parse(text));
  });

  test('of a newer one: what this version knows holds, what it does not know is said, and the file is kept whole', () => {
    const text = readFileSync(join(FIXTURES, FORMS.at(-1) ?? ''), 'utf8');
    const known = JSON.parse(text) as Record<'profile' | 'night' | 'telling', Record<string, unknown>>;
    const newer = {
      ...known,
      moons: { phase: 'full' },
      night: { ...known.night, dreams: true },
      telling: { ...known.telling, pigeon: { loft: 'north' } },
      profile: { ...known.profile, limits: { ...(known.profile['limits'] as object), perMoon: 3 } },
    };
    const path = folder(JSON.stringify(newer));
    const { current, notice } = new SettingsFile(path, NOW);
    expect(current).toEqual(known);
    for (const word of ['moons', 'dreams', 'pigeon', 'perMoon']) expect(notice).toContain(word);
    const kept = readFileSync(join(path, 'settings.broken-2026-01-02T03-04-05-678Z.json'), 'utf8');
    expect(JSON.parse(kept)).toEqual(newer);
  });
});
