import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { promptOf, requestAsCurl } from '../../../../src/shared/domain/operations/copied-request.ts';

const GENERATE = 'musicgen/music/generate';

test.skipIf(process.platform === 'win32')('a copied request says to a shell what is sent, whatever is in it', () => {
  const body = JSON.stringify({ prompt: `It's "late" \`date\` $HOME \\ $(id)\nsecond line` });
  const command = requestAsCurl("https://gateway.example/it's/v1/", GENERATE, body);
  // A shell reads it; instead of curl, the words that it would get are printed.
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: 'utf8',
    env: { ...process.env, NOCTURNE_KEY: 'of the shell' },
  });
  expect(printed.split('\0').slice(0, -1)).toEqual([
    '--globoff',
    '-X',
    'POST',
    `https://gateway.example/it's/v1/${GENERATE}`,
    '-H',
    'aiKey: of the shell',
    '-H',
    'Accept: application/json, */*',
    '-H',
    'Content-Type: application/json',
    '--data-binary',
    body,
  ]);
});

test('a request to a gateway that nobody has named leaves its place open', () => {
  expect(requestAsCurl('', GENERATE, '{}')).toContain(`"$NOCTURNE_GATEWAY/${GENERATE}"`);
});

test('the prompt is the text that a person wrote for it', () => {
  expect(promptOf(GENERATE, { prompt: 'An owl', title: 'Night' })).toBe('An owl');
  expect(promptOf(GENERATE, { title: 'Night' })).toBeUndefined();
  expect(promptOf(GENERATE, ['An owl'])).toBeUndefined();
  expect(promptOf(GENERATE, undefined)).toBeUndefined();
});
