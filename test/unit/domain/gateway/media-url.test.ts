import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkMediaUrl,
  createAddressPolicy,
  isForbiddenAddress,
} from '../../../../src/engine/media-folder/fetch/media-address.ts';
import { urlExpiresAt } from '../../../../src/shared/domain/gateway/media-url.ts';
import { profileSchema } from '../../../../src/shared/domain/gateway/profile.ts';

describe('when an address expires', () => {
  const at = Date.UTC(2025, 6, 25, 16, 7, 43);

  test.each([
    [`https://m.example/a?Expires=${at / 1000}&Signature=x`],
    [`https://m.example/a?expires=${at}`],
    ['https://m.example/a?sv=2022&se=2025-07-25T16%3A07%3A43Z&sig=x'],
    ['https://m.example/a?X-Amz-Date=20250725T150743Z&X-Amz-Expires=3600&X-Amz-Signature=x#t=1'],
    ['https://m.example/a?X-Goog-Date=20250725T150743Z&X-Goog-Expires=3600'],
    [`https://m.example/a?Expires=4000000000&X-Amz-Date=20250725T150743Z&X-Amz-Expires=3600`],
  ])('%s', (url) => {
    expect(urlExpiresAt(url)).toBe(at);
  });

  test.each([
    'https://m.example/a',
    'https://m.example/a?Expires=never',
    'https://m.example/a?Expires=12',
    'https://m.example/a?se=%E0%A4%A',
    'https://m.example/a?X-Amz-Expires=3600',
    'https://m.example/a#?Expires=1753459663',
    'no address',
  ])('%s does not say', (url) => {
    expect(urlExpiresAt(url)).toBeUndefined();
  });
});

test('an address with a host of many thousand characters is refused like any other that is none', () => {
  const address = `https://media.example${'*'.repeat(20_000)}S/a.mp3`;
  expect(checkMediaUrl(address)).toEqual({ ok: false, error: { text: 'mediaUrl.notAddress' } });
});

describe('addresses inside a private network', () => {
  test.each([
    '10.1.2.3',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '2002:7f00:1::',
    'fe80::1%eth0',
    'fd12:3456::1',
    'ff02::1',
    '168.63.129.16',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '192.88.99.1',
    '::ffff:0:7f00:1',
    '::ffff:0:808:808',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '2002:a83f:8110::',
    '3fff::1',
    '100::1',
    '5f00::1',
    '4000::1',
    '64:ff9b::168.63.129.16',
    'no address',
  ])('%s is one', (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });

  test.each([
    '8.8.8.8',
    '172.32.0.1',
    '198.18.0.5',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s is none', (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });
});

describe('an address, however it is written', () => {
  const octet = fc.integer({ min: 0, max: 255 });

  test('is judged by what it stands for', () => {
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const dotted = octets.join('.');
        const hex = octets.map((one) => one.toString(16).padStart(2, '0')).join('');
        const [high, low] = [hex.slice(0, 4), hex.slice(4)];
        const expected = isForbiddenAddress(dotted);
        for (const written of [
          `::ffff:${dotted}`,
          `::FFFF:${high}:${low}`,
          `64:ff9b::${dotted}`,
          `2002:${hex.slice(0, 4)}:${low}::5`,
        ]) {
          expect([written, isForbiddenAddress(written)]).toEqual([written, expected]);
        }
      }),
    );
  });

  test('outside of global unicast is forbidden', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const outside = group.filter((first) => (first < 0x2000 || first > 0x3fff) && first !== 0x64 && first !== 0);
    fc.assert(
      fc.property(outside, fc.array(group, { minLength: 7, maxLength: 7 }), (first, rest) => {
        expect(isForbiddenAddress([first, ...rest].map((one) => one.toString(16)).join(':'))).toBe(true);
      }),
    );
  });
});

describe('a host that a profile lets in', () => {
  const policy = (baseUrl: string, ...allowHosts: string[]) =>
    createAddressPolicy(profileSchema.parse({ baseUrl, media: { allowHosts } }));
  const url = new URL('https://nas.lan/a.mp3');

  test('may be at a private address', () => {
    expect(policy('https://gateway.example', 'nas.lan')(url, '192.168.1.5')).toBe(true);
    expect(policy('https://gateway.example')(url, '192.168.1.5')).toBe(false);
    expect(policy('https://gateway.example')(url, '8.8.8.8')).toBe(true);
  });

  test.each(['169.254.169.254', '168.63.129.16', 'fe80::1%eth0', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'is never at %s, whatever its name says',
    (address) => {
      expect(policy('http://127.0.0.1:8080', 'nas.lan')(url, address)).toBe(false);
      expect(policy('https://nas.lan')(url, address)).toBe(false);
    },
  );

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
    'is on this machine (%s) only where the gateway is',
    (address) => {
      expect(policy('https://gateway.example', 'nas.lan')(url, address)).toBe(false);
      expect(policy('', 'nas.lan')(url, address)).toBe(false);
      expect(policy('http://localhost:8080', 'nas.lan')(url, address)).toBe(true);
    },
  );
});

describe('a redirect', () => {
  test.each([
    ['https://a.example/x', '/y', 'https://a.example/y'],
    ['http://a.example/x', 'https://b.example/', 'https://b.example/'],
    ['https://a.example/x/z', '../y?q', 'https://a.example/y?q'],
  ])('from %s to %s is followed', (from, to, expected) => {
    expect(checkMediaUrl(to, new URL(from))).toMatchObject({ ok: true, value: { href: expected } });
  });

  test.each([
    ['https://a.example/x', 'http://a.example/y'],
    ['https://a.example/x', 'file:///etc/passwd'],
    ['http://a.example/x', '//user:secret@b.example/'],
    ['http://a.example/x', 'http://['],
  ])('from %s to %s is refused', (from, to) => {
    expect(checkMediaUrl(to, new URL(from)).ok).toBe(false);
  });
});
