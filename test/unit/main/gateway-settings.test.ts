import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SettingsFile } from '../../../src/main/app-settings.ts';
import { GatewaySettings } from '../../../src/main/gateway-settings.ts';
import { KeyVault } from '../../../src/main/key-vault.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Electron's package looks for a binary as soon as it is imported, and would download one; none is started here.
vi.hoisted(() => {
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= 'no-electron-is-started';
});

const KEY = 'sk-0123456789';

function setUp() {
  const folder = temporaryFolder();
  const settings = new SettingsFile(folder, new Date(0));
  const vault = new KeyVault(join(folder, 'key.json'), {
    isSecure: () => false,
    encrypt: (text) => Buffer.from(text),
    decrypt: (bytes) => bytes.toString(),
  });
  const given: [string, string | undefined][] = [];
  let changes = 0;
  const gateway = new GatewaySettings({
    settings,
    vault,
    giveKey: (origin, key) => given.push([origin, key]),
    onChanged: () => {
      changes += 1;
    },
  });
  return { settings, vault, given, gateway, changes: () => changes };
}

describe('the gateway’s base URL and key', () => {
  test('a key is kept for the origin of the base URL', () => {
    const { gateway, given, vault } = setUp();
    expect(gateway.setKey(KEY)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(gateway.setBaseUrl(' https://gateway.example/api/ ')).toEqual({ ok: true, value: undefined });
    expect(gateway.isConnected).toBe(false);
    expect(gateway.setKey(`  ${KEY}\n`)).toMatchObject({ ok: true, value: { present: true } });
    expect(given).toEqual([['https://gateway.example', KEY]]);
    expect(vault.keys).toEqual([{ origin: 'https://gateway.example', key: KEY }]);
    expect(gateway.isConnected).toBe(true);
  });

  test('another path of the same origin keeps the key', () => {
    const { gateway, vault } = setUp();
    gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    gateway.setBaseUrl('https://gateway.example/v2');
    expect(vault.of('https://gateway.example')).toBe(KEY);
    expect(gateway.isConnected).toBe(true);
  });

  test.each(['https://other.example/api', 'http://localhost/api', 'https://gateway.example:8443/api', ''])(
    'another origin has no key, and the first one keeps its own: %o',
    (baseUrl) => {
      const { gateway, given } = setUp();
      gateway.setBaseUrl('https://gateway.example/api');
      gateway.setKey(KEY);
      expect(gateway.setBaseUrl(baseUrl).ok).toBe(true);
      expect(gateway.isConnected).toBe(false);
      expect(gateway.keyStatus).toMatchObject({ present: false, kept: [{ origin: 'https://gateway.example' }] });
      // Batches that run on the first gateway go on.
      expect(given).toEqual([['https://gateway.example', KEY]]);
      gateway.setBaseUrl('https://gateway.example/api');
      expect(gateway.isConnected).toBe(true);
    },
  );

  test('a profile with another base URL has no key either', () => {
    const { gateway, settings } = setUp();
    gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    expect(gateway.setProfileText('{"name":"Mine","baseUrl":"https://other.example"}').ok).toBe(true);
    expect(settings.current.profile.name).toBe('Mine');
    expect(gateway.isConnected).toBe(false);
  });

  test('a key can be entered for, and forgotten with, a gateway of an earlier batch', () => {
    const { gateway, given, vault } = setUp();
    gateway.setBaseUrl('https://gateway.example/api');
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

  test('the key in the base URL or the profile is refused, whichever comes first', () => {
    const { gateway, vault, settings } = setUp();
    gateway.setBaseUrl(`https://gateway.example/${KEY}/api`);
    expect(gateway.setKey(KEY)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(vault.keys).toEqual([]);
    gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey(KEY);
    expect(gateway.setProfileText(JSON.stringify({ name: KEY }))).toMatchObject({ ok: false });
    expect(gateway.setBaseUrl(`https://gateway.example/${KEY}`)).toMatchObject({ ok: false });
    expect(JSON.stringify(settings.current)).not.toContain(KEY);
  });

  test('plain http beyond this machine is refused', () => {
    const { gateway } = setUp();
    for (const baseUrl of ['http://gateway.example/api', 'http://192.168.1.5/api']) {
      expect(gateway.setBaseUrl(baseUrl)).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    }
    const allowed = { baseUrl: 'http://192.168.1.5/api', allowPlainHttp: true };
    expect(gateway.setProfileText(JSON.stringify(allowed)).ok).toBe(true);
  });

  test.each([
    'gateway.example',
    'ftp://gateway.example',
    'https://me:secret@gateway.example',
    'https://x.example/?a=1',
  ])('what is no base URL changes nothing: %o', (baseUrl) => {
    const { gateway, settings, changes } = setUp();
    expect(gateway.setBaseUrl(baseUrl)).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    expect(settings.current.profile.baseUrl).toBe('');
    expect(changes()).toBe(0);
  });

  test('a profile with mistakes changes nothing and every mistake is named with its path', () => {
    const { gateway, changes } = setUp();
    const reply = gateway.setProfileText('{"limits":{"downloads":-1},"taskCode":{"where":"query"}}');
    expect(reply).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    const message = reply.ok ? '' : reply.error.message;
    expect(message).toContain('limits.downloads');
    expect(message).toContain('taskCode.where');
    expect(gateway.setProfileText('{').ok).toBe(false);
    expect(changes()).toBe(0);
  });
});
