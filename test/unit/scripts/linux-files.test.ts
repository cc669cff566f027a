/** What the scripts of the packages do as root, in an empty folder in place of a system's root. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  AFTER_INSTALL,
  AFTER_PURGE,
  AFTER_REMOVAL,
  apparmorProfile,
  PROGRAM_FOLDER,
} from '../../../scripts/package/linux-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let root = '';
let programs = '';
const profile = (): string => join(root, 'etc/apparmor.d/nocturne');

/** AppArmor's own program, which says by its exit whether it knows what is in a profile. */
function parserThat(exits: 0 | 1): void {
  writeFileSync(join(programs, 'apparmor_parser'), `#!/bin/sh\nexit ${exits}\n`, { mode: 0o755 });
}

function run(script: string): string {
  const env = { PATH: `${programs}:/usr/bin:/bin`, root };
  return execFileSync('/bin/sh', ['-e', '-c', script], { encoding: 'utf8', env });
}

/** Has a version of the program put its files there. */
function ship(text: string): void {
  const path = join(root, PROGRAM_FOLDER, 'resources/apparmor-profile');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe.skipIf(process.platform !== 'linux')('the AppArmor profile', () => {
  beforeEach(() => {
    root = temporaryFolder();
    programs = temporaryFolder();
    parserThat(0);
    mkdirSync(join(root, 'etc/apparmor.d'), { recursive: true });
    ship(apparmorProfile());
  });

  test('is written where the system knows what is in it, and removed with the program', () => {
    run(AFTER_INSTALL);
    expect(readFileSync(profile(), 'utf8')).toBe(apparmorProfile());
    run(AFTER_REMOVAL);
    expect(existsSync(profile())).toBe(false);
  });

  test('is not written where the system does not know it', () => {
    parserThat(1);
    run(AFTER_INSTALL);
    expect(existsSync(profile())).toBe(false);
  });

  test('is written anew by an update, if nobody has changed it', () => {
    run(AFTER_INSTALL);
    const next = apparmorProfile('capability sys_admin,');
    ship(next);
    expect(run(AFTER_INSTALL)).toBe('');
    expect(readFileSync(profile(), 'utf8')).toBe(next);
  });

  test('stays as an administrator changed it, until the package is purged', () => {
    run(AFTER_INSTALL);
    appendFileSync(profile(), '# ours\n');
    const changed = readFileSync(profile(), 'utf8');
    ship(apparmorProfile('capability sys_admin,'));
    expect(run(AFTER_INSTALL)).toContain('was changed and stays');
    run(AFTER_REMOVAL);
    expect(readFileSync(profile(), 'utf8')).toBe(changed);
    run(AFTER_PURGE);
    expect(existsSync(profile())).toBe(false);
  });

  test('of somebody else’s making stays', () => {
    writeFileSync(profile(), 'profile theirs {}\n');
    run(AFTER_INSTALL);
    run(AFTER_REMOVAL);
    expect(readFileSync(profile(), 'utf8')).toBe('profile theirs {}\n');
  });
});
