import { describe, expect, test } from 'vitest';
import { isUnencrypted, mayCarryPlainHttp, plainHttpProblem } from '../../../../src/shared/domain/gateway/hosts.ts';
import { parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';

const LOOPBACK = ['localhost', 'LOCALHOST', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[0:0:0:0:0:0:0:1]'];
const PRIVATE = ['10.0.0.1', '192.168.1.5', '172.16.0.1', '172.31.255.255', '169.254.1.1', '100.64.0.1', '[fd00::1]'];
const NAMES = ['gateway.example', 'nas', 'gateway.local', '2130706433', '0x7f000001', 'localhost.', '127.1'];
const PUBLIC = [
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.128.0.1',
  '192.169.0.1',
  '11.0.0.1',
  '[2001:db8::1]',
  '[::]',
];

describe('plain http', () => {
  test.each(LOOPBACK)('is for this machine: %s', (host) => {
    for (const url of [`http://${host}/api`, `http://${host}:8080/api`, `HTTP://${host}:8080`]) {
      expect(parseProfile({ baseUrl: url })).toMatchObject({ ok: true });
      expect(isUnencrypted(url)).toBe(false);
    }
  });

  test.each([...PRIVATE, ...NAMES])('leads elsewhere only where the profile says so: %s', (host) => {
    const baseUrl = `http://${host}:8080/api`;
    const refused = parseProfile({ baseUrl });
    expect(refused).toMatchObject({ ok: false, error: [{ path: 'baseUrl' }] });
    expect(JSON.stringify(refused)).toContain('allowPlainHttp');
    expect(parseProfile({ baseUrl, allowPlainHttp: true })).toMatchObject({
      ok: true,
      value: { allowPlainHttp: true },
    });
    expect(isUnencrypted(baseUrl)).toBe(true);
  });

  test.each(PUBLIC)('never leads across the internet: %s', (host) => {
    expect(plainHttpProblem(`http://${host}/api`, true)).toContain('https://');
    expect(parseProfile({ baseUrl: `http://${host}/api`, allowPlainHttp: true })).toMatchObject({ ok: false });
  });

  test('is no question of https', () => {
    for (const host of [...LOOPBACK, ...PRIVATE, ...NAMES, ...PUBLIC]) {
      expect(plainHttpProblem(`https://${host}/api`, false)).toBeUndefined();
      expect(isUnencrypted(`https://${host}/api`)).toBe(false);
    }
  });

  test('is judged again by the address that a name has led to', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(mayCarryPlainHttp(address, false)).toBe(true);
    for (const address of ['10.0.0.1', 'fe80::1%eth0', 'fd00::1', '::ffff:192.168.1.5']) {
      expect(mayCarryPlainHttp(address, false)).toBe(false);
      expect(mayCarryPlainHttp(address, true)).toBe(true);
    }
    for (const address of ['8.8.8.8', '2001:4860::8888', '::ffff:8.8.8.8', 'an unknown address']) {
      expect(mayCarryPlainHttp(address, true)).toBe(false);
    }
  });
});
