import { expect, test } from 'vitest';
import { tokenCheck, whyNotFromHere } from '../../../../src/cli/doors/http/guards.ts';

const GUARDS = { port: 7447, origins: ['app://notes'] };

function statusOf(headers: Readonly<Record<string, string | readonly string[]>>, url = '/v1/get_batch'): number {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  const first = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return whyNotFromHere({ url, headers: first, rawHeaders: pairs.flat() }, GUARDS)?.status ?? 200;
}

test.each(['127.0.0.1:7447', 'localhost:7447', 'LOCALHOST:7447', '[::1]:7447'])('answers %s', (host) => {
  expect(statusOf({ Host: host })).toBe(200);
});

test.each([
  'localhost',
  'localhost:80',
  'localhost.evil:7447',
  'evil.localhost:7447',
  'localhost:7447.evil',
  'localhost:7447@evil',
  ' localhost:7447',
  '127.0.0.1.nip.io:7447',
  '127.1:7447',
  '0.0.0.0:7447',
  '[::]:7447',
  '192.168.1.2:7447',
  '',
])('does not answer the name %j', (host) => {
  expect(statusOf({ Host: host })).toBe(421);
});

test('answers no request without a name, or with two', () => {
  expect(statusOf({})).toBe(421);
  expect(statusOf({ Host: ['localhost:7447', 'evil:7447'] })).toBe(400);
  expect(statusOf({ Host: 'localhost:7447', Authorization: ['Bearer a', 'Bearer b'] })).toBe(400);
});

test.each([
  'https://evil.example',
  'null',
  'http://localhost:7447',
  'http://127.0.0.1:7447',
  '',
  'app://notes.evil',
  'APP://NOTES',
])('answers no page of %j', (origin) => {
  expect(statusOf({ Host: 'localhost:7447', Origin: origin })).toBe(403);
});

test('answers a program of an origin that the user allows', () => {
  expect(statusOf({ Host: 'localhost:7447', Origin: 'app://notes' })).toBe(200);
});

test.each(['http://evil/health', '//evil/health', '*', ''])('takes no target like %j', (url) => {
  expect(statusOf({ Host: 'localhost:7447' }, url)).toBe(400);
});

test('knows its token, and nothing else', () => {
  const hasToken = tokenCheck('abcdefghijklmnop');
  expect(hasToken('Bearer abcdefghijklmnop')).toBe(true);
  expect(hasToken('bearer abcdefghijklmnop')).toBe(true);
  const others = [undefined, '', 'Bearer', 'Bearer ', 'abcdefghijklmnop', 'Basic abcdefghijklmnop'];
  const near = [
    'Bearer abcdefghijklmno',
    'Bearer abcdefghijklmnopq',
    'Bearer abcdefghijklmnoq',
    `Bearer ${'a'.repeat(9000)}`,
  ];
  for (const given of [...others, ...near, 'Bearer abcdefghijklmnop x']) expect(hasToken(given)).toBe(false);
});
