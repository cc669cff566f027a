import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProfile } from '../../../../src/engine/gateway/profile-file.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

function fileWith(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'profile.json');
  writeFileSync(path, content);
  return path;
}

function firstMessage(path: string): string | undefined {
  const loaded = loadProfile(path);
  return loaded.ok ? undefined : loaded.error[0]?.message;
}

test('a profile is read with its byte order mark, or without', () => {
  for (const mark of ['', '\uFEFF']) {
    const loaded = loadProfile(fileWith(`${mark}{"name":"Nachtgerät"}`));
    expect(loaded).toMatchObject({ ok: true, value: { name: 'Nachtgerät' } });
  }
});

describe('what is wrong is said with its place', () => {
  test.each([
    ['{"name": "x",}', '“}” is unexpected at line 1, column 14'],
    ['{\n  "name": x\n}', '“x” is unexpected at line 2, column 11'],
    ['{\r\n  "limits": {\r\n    "downloads": 4\r\n  "deadlines": {} }', '“"” is unexpected at line 4, column 3'],
    ['{"name": "x"', 'it ends too early at line 1, column 13'],
    ['', 'it ends too early at line 1, column 1'],
    ["{'name': 1}", "“'” is unexpected at line 1, column 2"],
    ['{"name": "x"} more', '“m” is unexpected at line 1, column 15'],
    ['{"rejectedHttp": [400, 0401]}', '“4” is unexpected at line 1, column 25'],
  ])('%j', (content, place) => {
    expect(firstMessage(fileWith(content))).toBe(`The file is not JSON: ${place}.`);
  });

  test.skipIf(process.platform === 'win32')('a pipe, which is not waited for', () => {
    const path = join(temporaryFolder(), 'profile.json');
    execFileSync('mkfifo', [path]);
    expect(firstMessage(path)).toBe('This is not a regular file.');
  });

  test('a missing file, a folder, something that is not text', () => {
    expect(firstMessage(join(tmpdir(), 'no-such-profile.json'))).toBe('There is no such file.');
    expect(firstMessage(tmpdir())).toBe('This is a folder.');
    expect(firstMessage(fileWith(new Uint8Array([0xff, 0xfe, 0x7b, 0x00])))).toBe('The file is not UTF-8 text.');
  });

  test('a file of brackets alone, without end', () => {
    expect(firstMessage(fileWith('['.repeat(200_000)))).toMatch(/^The file is not JSON/);
  });
});
