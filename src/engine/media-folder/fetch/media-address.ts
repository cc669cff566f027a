import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from '../../../shared/domain/gateway/hosts.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';

type Net = readonly [net: string, prefix: number];

/**
 * Addresses that no result may be fetched from: those that the IANA IPv4 Special-Purpose Address Registry (RFC 6890)
 * lists as not globally reachable, multicast and reserved ones, and the address at which a cloud's host answers its
 * guests. Not in the list: 198.18.0.0/15 (benchmarking), which common proxies use in place of every public address.
 */
const FORBIDDEN_V4: readonly Net[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** All global unicast addresses ever assigned (IANA IPv6 Address Space); every other address is something else. */
const GLOBAL_V6: Net = ['2000::', 3];

/** The exceptions among those in the IANA IPv6 Special-Purpose Address Registry: Teredo and similar, documentation. */
const FORBIDDEN_V6: readonly Net[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

/** Addresses where machines exchange secrets: link-local, and the metadata services of clouds. No media is there. */
const NEVER: readonly Net[] = [
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
];

const forbidden = listOf([...FORBIDDEN_V4, ...FORBIDDEN_V6]);
const globalV6 = listOf([GLOBAL_V6]);
const never = listOf(NEVER);
const loopback = listOf([
  ['127.0.0.0', 8],
  ['::1', 128],
]);

function listOf(nets: readonly Net[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of nets) list.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

/** The eight groups of an IPv6 address; the text must be one. */
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

/** The address in its real family; undefined for anything else. */
function plainAddress(address: string): { readonly text: string; readonly family: 'ipv4' | 'ipv6' } | undefined {
  switch (isIP(address)) {
    case 4:
      return { text: address, family: 'ipv4' };
    case 6: {
      const groups = groupsOf(address);
      const inner = embeddedV4(groups);
      // `::` and `::1` look like compatible addresses, but are not.
      if (inner !== undefined && !inner.startsWith('0.0.0.')) return { text: inner, family: 'ipv4' };
      return { text: groups.map((group) => group.toString(16)).join(':'), family: 'ipv6' };
    }
    default:
      return undefined;
  }
}

/** True for every address that is not globally reachable unicast, in whatever form it is written. */
export function isForbiddenAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || forbidden.check(plain.text, plain.family)) return true;
  return plain.family === 'ipv6' && !globalV6.check(plain.text, 'ipv6');
}

/** `host:port` with the default port written out, for comparison. */
function hostPort(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;
}

/** Decides whether Nocturne may fetch from a host at an address. */
export type AddressPolicy = (url: URL, address: string) => boolean;

/**
 * A global address: every host. A private address: the hosts that the profile names and its own gateway. This machine:
 * only if the gateway itself is on it, because a profile that somebody else wrote must not reach what listens here.
 * Addresses where clouds keep a machine's secrets: nobody.
 */
export function createAddressPolicy(profile: Profile): AddressPolicy {
  const hosts = new Set(profile.media.allowHosts.map((host) => host.toLowerCase()));
  const gateway = URL.canParse(profile.baseUrl) ? new URL(profile.baseUrl) : undefined;
  const isLocalGateway = gateway !== undefined && isLoopbackHost(gateway.hostname);
  return (url, address) => {
    const plain = plainAddress(address);
    if (plain === undefined || never.check(plain.text, plain.family)) return false;
    if (!isForbiddenAddress(address)) return true;
    if (loopback.check(plain.text, plain.family) && !isLocalGateway) return false;
    return (
      hosts.has(url.hostname) ||
      hosts.has(hostPort(url)) ||
      (gateway !== undefined && hostPort(url) === hostPort(gateway))
    );
  };
}

/** Parses an address and refuses what is never fetched. The error is a text for the user. */
export function checkMediaUrl(text: string, from?: URL): Result<URL, Reason> {
  const url = parsedUrl(text, from);
  if (url === undefined) return err(reason('mediaUrl.notAddress'));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return err(reason('otherScheme', url.protocol));
  }
  if (url.username !== '' || url.password !== '') return err(reason('mediaUrl.credentials'));
  if (from?.protocol === 'https:' && url.protocol === 'http:') return err(reason('mediaUrl.downgrade'));
  return ok(url);
}

/** `URL.canParse` accepts hosts of many thousand characters, some of which later turn out invalid. */
function parsedUrl(text: string, from: URL | undefined): URL | undefined {
  try {
    return new URL(text, from?.href);
  } catch {
    return undefined;
  }
}

/** The address of a host that is written as an address: known before a connection is made. */
export function literalAddress(url: URL): string | undefined {
  const literal = url.hostname.replace(/^\[|\]$/gu, '');
  return isIP(literal) === 0 ? undefined : literal;
}
