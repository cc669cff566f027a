import { BlockList, isIP } from 'node:net';
import type { Profile } from '../../shared/domain/profile.ts';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';

/**
 * Addresses that no result may be fetched from: they belong to this machine, its network, or nobody. Not in the list:
 * 198.18.0.0/15, which common proxies hand out in place of every public address.
 */
const FORBIDDEN_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
];

const FORBIDDEN_V6: readonly (readonly [string, number])[] = [
  ['::', 127],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const forbidden = new BlockList();
for (const [net, prefix] of FORBIDDEN_V4) forbidden.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of FORBIDDEN_V6) forbidden.addSubnet(net, prefix, 'ipv6');

/** The eight groups of an IPv6 address; the text is known to be one. */
function groupsOf(address: string): readonly number[] {
  const [plain = ''] = address.split('%');
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(plain);
  const text = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : plain;
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, NAT64 or 6to4. */
function embeddedV4(groups: readonly number[]): string | undefined {
  const at = (index: number): number => groups[index] ?? 0;
  const dotted = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  if (at(0) === 0x2002) return dotted(at(1), at(2));
  const middleIsZero = at(2) === 0 && at(3) === 0 && at(4) === 0;
  const mapped = at(0) === 0 && at(1) === 0 && middleIsZero && (at(5) === 0 || at(5) === 0xffff);
  const nat64 = at(0) === 0x64 && at(1) === 0xff9b && middleIsZero && at(5) === 0;
  return mapped || nat64 ? dotted(at(6), at(7)) : undefined;
}

/** True for an address that is private, loopback, link-local, multicast or reserved, in whatever form it is written. */
export function isForbiddenAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return forbidden.check(address, 'ipv4');
    case 6: {
      const groups = groupsOf(address);
      const inner = embeddedV4(groups);
      if (inner !== undefined && forbidden.check(inner, 'ipv4')) return true;
      return forbidden.check(groups.map((group) => group.toString(16)).join(':'), 'ipv6');
    }
    default:
      return true;
  }
}

/** `host:port` with the default port written out, for comparison. */
function hostPort(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;
}

/** Tells whether a host and port may have any address: those that the profile names, and its own gateway. */
export function createAddressPolicy(profile: Profile): (url: URL) => boolean {
  const hosts = new Set(profile.media.allowHosts.map((host) => host.toLowerCase()));
  const gateway = URL.canParse(profile.baseUrl) ? hostPort(new URL(profile.baseUrl)) : undefined;
  return (url) => hosts.has(url.hostname) || hosts.has(hostPort(url)) || hostPort(url) === gateway;
}

/** Takes an address apart and refuses what is never fetched. The error is in words for the user. */
export function checkMediaUrl(text: string, from?: URL): Result<URL, string> {
  if (!URL.canParse(text, from?.href)) return err('it is not a web address');
  const url = new URL(text, from?.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return err(`only http and https addresses are fetched, and this one begins with ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') return err('it carries a user name or a password');
  if (from?.protocol === 'https:' && url.protocol === 'http:') return err('it leads from https down to http');
  return ok(url);
}

/** True when a host is written as a literal address that may not be fetched from: known before a connection is made. */
export function isForbiddenLiteral(url: URL): boolean {
  const literal = url.hostname.replace(/^\[|\]$/gu, '');
  return isIP(literal) !== 0 && isForbiddenAddress(literal);
}
