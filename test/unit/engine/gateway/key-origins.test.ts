import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { KeyOrigins } from '../../../../src/engine/gateway/key-origins.ts';
import { fingerprintOf } from '../../../../src/engine/gateway/key-seal.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const KEY = 'sk-secret-key-0123456789';
const OTHER_KEY = 'sk-another-key-987654321';
const HOME = 'https://gateway.example';
const ELSEWHERE = 'https://elsewhere.example';

const originsOf = (dir: string, used: readonly string[] = []): KeyOrigins =>
  new KeyOrigins(dir, () => Promise.resolve(used));
const noteOf = (dir: string): string => path.join(dir, 'key-origins.json');

test('a key belongs to the first origin that it was used with, and others only when the user says so', async () => {
  const dir = temporaryFolder();
  expect(await originsOf(dir).find(KEY, HOME)).toEqual({ kind: 'first' });
  originsOf(dir).remember(KEY, HOME);
  expect(await originsOf(dir).find(KEY, HOME)).toEqual({ kind: 'known' });
  expect(await originsOf(dir).find(KEY, ELSEWHERE)).toEqual({ kind: 'other', origins: [HOME] });
  expect(await originsOf(dir).find(OTHER_KEY, ELSEWHERE)).toEqual({ kind: 'first' });
  originsOf(dir).remember(KEY, ELSEWHERE);
  originsOf(dir).remember(OTHER_KEY, HOME);
  for (const origin of [HOME, ELSEWHERE]) expect(await originsOf(dir).find(KEY, origin)).toEqual({ kind: 'known' });
});

test('the note holds no key, and nobody else may read it', async () => {
  const dir = temporaryFolder();
  originsOf(dir).remember(KEY, HOME);
  expect(readFileSync(noteOf(dir), 'utf8')).not.toContain(KEY);
  if (process.platform !== 'win32') expect(statSync(noteOf(dir)).mode & 0o777).toBe(0o600);
});

test('a note that was changed by hand is not believed', async () => {
  const dir = temporaryFolder();
  originsOf(dir).remember(KEY, HOME);
  const text = readFileSync(noteOf(dir), 'utf8');
  for (const changed of [
    text.replace(HOME, ELSEWHERE),
    '{"version":1',
    '',
    '[]',
    text.replace('"seal": "', '"seal": "0'),
  ]) {
    writeFileSync(noteOf(dir), changed);
    for (const origin of [HOME, ELSEWHERE]) {
      expect(await originsOf(dir).find(KEY, origin)).toEqual({ kind: 'doubtful' });
    }
  }
  originsOf(dir).remember(KEY, HOME);
  expect(await originsOf(dir).find(KEY, HOME)).toEqual({ kind: 'known' });
});

test('where the note is gone, the store still knows where the key was sent', async () => {
  const origins = originsOf(temporaryFolder(), [HOME]);
  expect(await origins.find(KEY, ELSEWHERE)).toEqual({ kind: 'other', origins: [HOME] });
  expect(await origins.find(KEY, HOME)).toEqual({ kind: 'known' });
});

test('the fingerprint tells two keys apart and nothing else', async () => {
  expect(fingerprintOf(KEY)).toMatch(/^[0-9a-f]{12}$/);
  expect(fingerprintOf(KEY)).not.toBe(fingerprintOf(OTHER_KEY));
});
