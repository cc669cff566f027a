import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../../src/main/shell/log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MIB = 1024 * 1024;

describe('the log', () => {
  test('is two files that hold less than 2 MiB and a line together, whatever is written', () => {
    const path = join(temporaryFolder(), 'logs', 'nocturne.log');
    const log = openLog(path);
    const longest = 'x'.repeat(10_000);
    for (let line = 0; line < 600; line += 1) log('info', longest);
    log('warning', 'the last word');
    const bytes = statSync(path).size + statSync(`${path}.1`).size;
    expect(bytes).toBeGreaterThan(MIB);
    expect(bytes).toBeLessThan(2 * MIB + 10_000);
    expect(readFileSync(path, 'utf8')).toMatch(/ warning the last word\n$/u);
    expect(statSync(path).mode & 0o077).toBe(process.platform === 'win32' ? 0o066 : 0);
  });

  test('that is short stays one file', () => {
    const path = join(temporaryFolder(), 'nocturne.log');
    openLog(path)('info', 'one\nline');
    expect(readFileSync(path, 'utf8')).toMatch(/^\S+Z info one ⏎ line\n$/u);
    expect(existsSync(`${path}.1`)).toBe(false);
  });

  test('that cannot be written stops nothing', () => {
    const file = join(temporaryFolder(), 'a-file');
    writeFileSync(file, '');
    expect(() => openLog(join(file, 'nocturne.log'))('error', 'unheard')).not.toThrow();
  });
});
