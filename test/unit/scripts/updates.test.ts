/** The feed of releases as maintainers make it: in a copy of the repository, with keys of their own. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  digestOf,
  newestFor,
  previousFor,
  readFeed,
  type Installation,
} from '../../../src/main/updates/release-feed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FEED = 'https://nocturne.example/releases/latest/download/releases.json';
const PAGE = 'https://nocturne.example/releases/tag/v0.1.0';
const BASE = 'https://nocturne.example/releases/download/v0.1.0/';

describe('the feed of releases', () => {
  let copy = '';
  let packages = '';
  let keyFile = '';

  beforeAll(() => {
    copy = temporaryFolder();
    for (const path of [
      'scripts',
      'src',
      'resources/package',
      'electron-builder.config.ts',
      'package.json',
      'CHANGELOG.md',
    ]) {
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    keyFile = join(temporaryFolder(), 'update-key.pem');
    packages = temporaryFolder();
    mkdirSync(packages, { recursive: true });
    for (const name of [
      'Nocturne-x86_64.AppImage',
      'Nocturne-Setup-0.1.0-x64.exe',
      'Nocturne-0.1.0-arm64.zip',
      'SHA256SUMS',
      // None of these is one of this version.
      'Nocturne-Setup-0.0.9-x64.exe',
      'elevate-x64.exe',
      'samples-x64.zip',
    ]) {
      writeFileSync(join(packages, name), `what is in ${name}`);
    }
  });

  function run(...args: readonly string[]) {
    const key = existsSync(keyFile) ? { NOCTURNE_UPDATE_KEY: readFileSync(keyFile, 'utf8') } : {};
    return spawnSync(process.execPath, [join(copy, 'scripts/updates.ts'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...key },
    });
  }
  const known = () =>
    JSON.parse(readFileSync(join(copy, 'resources/package/updates.json'), 'utf8')) as { feed: string; keys: string[] };
  const feedIn = (folder: string) => {
    const feed = readFeed(readFileSync(join(folder, 'releases.json')), known().keys);
    if (!feed.ok) throw feed.error;
    return feed.value;
  };
  const newer: Installation = { version: '0.0.9', platform: 'linux', arch: 'x64', format: 'AppImage', share: 0.05 };

  test('without a key nothing is signed, and a key wants to know where the feed will be', () => {
    expect(run('sign', packages, '--base', BASE, '--page', PAGE)).toMatchObject({ status: 2 });
    expect(run('key', keyFile)).toMatchObject({ status: 2, stderr: expect.stringContaining('--feed') as string });
    expect(existsSync(keyFile)).toBe(false);
    const inside = join(copy, 'docs', 'key.pem');
    expect(run('key', inside, '--feed', FEED)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('outside') as string,
    });
  });

  test('a key is its owner’s alone, and never replaces another', () => {
    expect(run('key', keyFile, '--feed', FEED).status).toBe(0);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(known()).toMatchObject({ feed: FEED, keys: [expect.any(String)] });
    const before = readFileSync(keyFile, 'utf8');
    expect(run('key', keyFile, '--feed', FEED).status).not.toBe(0);
    expect(readFileSync(keyFile, 'utf8')).toBe(before);
    expect(known().keys).toHaveLength(1);
  });

  test('names each package that updates itself by what it is, with its digest, for a part of all at first', () => {
    expect(run('sign', packages, '--base', BASE, '--page', PAGE)).toMatchObject({ status: 0, stderr: '' });
    const [release] = feedIn(packages).releases;
    expect(release).toMatchObject({ version: '0.1.0', rollout: 10, page: PAGE });
    expect(release?.files.map(({ format, platform, arch }) => [format, platform, arch].join())).toEqual([
      'zip,darwin,arm64',
      'nsis,win32,x64',
      'AppImage,linux,x64',
    ]);
    const offer = newestFor(feedIn(packages), newer, false);
    expect(offer?.file).toMatchObject({
      url: `${BASE}Nocturne-x86_64.AppImage`,
      sha512: digestOf(readFileSync(join(packages, 'Nocturne-x86_64.AppImage'))),
    });
    expect(newestFor(feedIn(packages), { ...newer, share: 0.11 }, false)).toBeUndefined();
  });

  test('is offered to more, keeps the releases before, and loses one that is withdrawn', () => {
    const file = join(packages, 'releases.json');
    expect(run('rollout', file, '100').status).toBe(0);
    expect(newestFor(feedIn(packages), { ...newer, share: 0.99 }, false)).toBeDefined();

    expect(run('sign', packages, '--base', BASE, '--page', PAGE, '--previous', file)).toMatchObject({ status: 2 });
    expect(run('sign', packages, '--base', BASE.slice(0, -1), '--page', PAGE)).toMatchObject({ status: 2 });
    const manifest = join(copy, 'package.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version": "0.1.0"', '"version": "0.2.0"'));
    writeFileSync(join(copy, 'CHANGELOG.md'), '## [Unreleased]\n\n## 0.2.0 - 2026-12-01\n\n### Added\n\n- Dawn.\n');
    const next = temporaryFolder();
    cpSync(join(packages, 'Nocturne-x86_64.AppImage'), join(next, 'Nocturne-x86_64.AppImage'));
    expect(run('sign', next, '--base', BASE, '--page', PAGE, '--previous', file, '--rollout', '100').status).toBe(0);
    expect(feedIn(next).releases.map(({ version }) => version)).toEqual(['0.2.0', '0.1.0']);
    expect(newestFor(feedIn(next), newer, false)?.release.notes).toContain('Dawn.');
    expect(previousFor(feedIn(next), { ...newer, version: '0.2.0' })?.release.version).toBe('0.1.0');

    expect(run('withdraw', join(next, 'releases.json'), '0.2.0').status).toBe(0);
    expect(feedIn(next).releases.map(({ version }) => version)).toEqual(['0.1.0']);
    expect(run('withdraw', join(next, 'releases.json'), '0.2.0').status).toBe(2);
  });
});
