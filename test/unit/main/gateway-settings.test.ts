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
    expect(gateway.setKey('sk-1')).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(gateway.setBaseUrl(' https://gateway.example/api/ ')).toEqual({ ok: true, value: undefined });
    expect(gateway.isConnected).toBe(false);
    expect(gateway.setKey('  sk-1\n')).toMatchObject({ ok: true, value: { present: true } });
    expect(given).toEqual([['https://gateway.example', 'sk-1']]);
    expect(vault.held).toEqual({ origin: 'https://gateway.example', key: 'sk-1' });
    expect(gateway.isConnected).toBe(true);
  });

  test('another path of the same origin keeps the key', () => {
    const { gateway, vault } = setUp();
    gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey('sk-1');
    gateway.setBaseUrl('https://gateway.example/v2');
    expect(vault.held?.key).toBe('sk-1');
  });

  test.each(['https://other.example/api', 'http://gateway.example/api', 'https://gateway.example:8443/api', ''])(
    'another origin forgets the key: %o',
    (baseUrl) => {
      const { gateway, vault, given } = setUp();
      gateway.setBaseUrl('https://gateway.example/api');
      gateway.setKey('sk-1');
      expect(gateway.setBaseUrl(baseUrl).ok).toBe(true);
      expect(vault.held).toBeUndefined();
      expect(given.at(-1)).toEqual(['https://gateway.example', undefined]);
      expect(gateway.isConnected).toBe(false);
    },
  );

  test('so does a profile with another base URL', () => {
    const { gateway, vault, settings } = setUp();
    gateway.setBaseUrl('https://gateway.example/api');
    gateway.setKey('sk-1');
    expect(gateway.setProfileText('{"name":"Mine","baseUrl":"https://other.example"}').ok).toBe(true);
    expect(settings.current.profile.name).toBe('Mine');
    expect(vault.held).toBeUndefined();
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
