/** A program in one file: which one this is, and how another takes its place. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownImage, replaceImage } from '../../../../src/main/shell/own-image.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the image of this program', () => {
  const mounted = join(temporaryFolder(), 'mounted');
  mkdirSync(mounted);
  const execPath = join(mounted, 'nocturne-window');
  writeFileSync(execPath, '');

  test('is the one that is mounted around it', () => {
    expect(ownImage({ env: { APPIMAGE: '/home/u/Nocturne.AppImage', APPDIR: mounted }, execPath })).toBe(
      '/home/u/Nocturne.AppImage',
    );
  });

  test.each([
    ['of a program that started this one', { APPIMAGE: '/home/u/Other.AppImage', APPDIR: '/tmp' }, '/usr/bin/env'],
    ['of which only the name was inherited', { APPIMAGE: '/home/u/Other.AppImage' }, execPath],
    ['that is mounted beside it', { APPIMAGE: '/home/u/Other.AppImage', APPDIR: mounted.slice(0, -1) }, execPath],
    ['that is gone', { APPIMAGE: '/home/u/Other.AppImage', APPDIR: '/nowhere' }, execPath],
  ])('is not one %s', (_which, env, path) => {
    expect(ownImage({ env, execPath: path })).toBeUndefined();
  });
});

describe('a new image', () => {
  function setUp() {
    const folder = temporaryFolder();
    const image = join(folder, 'Nocturne.AppImage');
    writeFileSync(image, 'old', { mode: 0o755 });
    const fetched = join(temporaryFolder(), 'fetched');
    writeFileSync(fetched, 'new', { mode: 0o600 });
    return { folder, image, fetched };
  }

  test('takes the place of the old one, may be started, and leaves nothing beside it', () => {
    const { folder, image, fetched } = setUp();
    // Left by one that was killed.
    writeFileSync(join(folder, '.Nocturne.AppImage.new'), 'half', { mode: 0o400 });
    replaceImage(fetched, image);
    expect(readFileSync(image, 'utf8')).toBe('new');
    expect(statSync(image).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder)).toEqual(['Nocturne.AppImage']);
  });

  test('takes the place of what a link leads to', () => {
    const { folder, image, fetched } = setUp();
    const link = join(folder, 'link');
    symlinkSync(image, link);
    replaceImage(fetched, link);
    expect(readFileSync(image, 'utf8')).toBe('new');
    expect(readdirSync(folder).toSorted()).toEqual(['Nocturne.AppImage', 'link']);
  });

  test('that cannot be read leaves the old one as it was', () => {
    const { folder, image } = setUp();
    chmodSync(image, 0o755);
    expect(() => replaceImage(join(folder, 'missing'), image)).toThrow('ENOENT');
    expect(readFileSync(image, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['Nocturne.AppImage']);
  });
});
