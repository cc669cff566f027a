import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import configuration from '../../../electron-builder.config.ts';
import { nodePackage } from '../../../scripts/package/command-line.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Electron-builder's own judgement, which it gives before each build. */
const { validateConfiguration } = createRequire(import.meta.resolve('electron-builder'))(
  'app-builder-lib/out/util/config/config',
) as { readonly validateConfiguration: (configuration: object, log: { isEnabled: boolean }) => Promise<void> };

function validate(changed: object): Promise<void> {
  return validateConfiguration({ ...configuration, ...changed }, { isEnabled: false });
}

test('what is built elsewhere is configured as electron-builder understands it', async () => {
  await expect(validate({})).resolves.toBeUndefined();
  await expect(validate({ nsis: { ...configuration.nsis, oneclick: true } })).rejects.toThrow(
    'configuration.nsis should be',
  );
});

test('there is a format for each system', () => {
  const { appImage, deb, dmg, linux, mac, nsis, rpm, win } = configuration;
  expect([...linux.target, ...mac.target, ...win.target]).toEqual(['AppImage', 'dmg', 'zip', 'nsis']);
  for (const section of [appImage, deb, dmg, nsis, rpm]) expect(section).toBeDefined();
  expect(readFileSync(join(ROOT, nsis.include), 'utf8')).toMatch(
    /customUnInstall(.|\n)*MB_DEFBUTTON2(.|\n)*IDNO keepData/u,
  );
});

test('every system gets the Node that is pinned for it', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const systems = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'] as const;
  const named = systems.map((system) => {
    const [platform = '', arch = ''] = system.split('-');
    return nodePackage(platform, arch);
  });
  expect(named.toSorted()).toEqual(Object.keys(optionalDependencies).toSorted());
});

test('the command line starts in the shell of its system', () => {
  const unix = readFileSync(join(ROOT, 'resources/package/nocturne'), 'utf8');
  expect(unix).toMatch(/^#!\/bin\/sh\n/u);
  expect(unix).not.toContain('\r');
  expect(readFileSync(join(ROOT, 'resources/package/nocturne.cmd'), 'utf8')).toMatch(/^@echo off\r\n/u);
});
