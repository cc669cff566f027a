/**
 * Which hosts are trusted with what. With plain http, anyone on the way can read the key and every prompt, so it is
 * only allowed on this machine, and on a private network if the profile says so (`allowPlainHttp`). Media may come from
 * private addresses only if the profile names them.
 */

import { domainWords } from '../../words/domain-words.ts';

/** `name`: its address is known only on connecting. */
type Reach = 'loopback' | 'private' | 'public' | 'name';

/** Networks that no internet router forwards. Source: the special-purpose registries of RFC 6890. */
const PRIVATE_V4 =
  /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;

/** What is wrong with plain http in a base URL; undefined if nothing is, as with https. */
export function plainHttpProblem(baseUrl: string, allowPlainHttp: boolean): string | undefined {
  const host = plainHttpHost(baseUrl);
  if (host === undefined) return undefined;
  switch (reachOf(host)) {
    case 'loopback':
      return undefined;
    case 'public':
      return domainWords.problems.must.httpsForInternet;
    case 'private':
    case 'name':
      if (allowPlainHttp) return undefined;
      return domainWords.problems.must.httpsForNetwork;
  }
}

/** True for a base URL whose key and prompts cross a network unencrypted. */
export function isUnencrypted(baseUrl: string): boolean {
  const host = plainHttpHost(baseUrl);
  return host !== undefined && reachOf(host) !== 'loopback';
}

/** Whether plain http may go to the address of a connected socket. */
export function mayCarryPlainHttp(address: string, allowPlainHttp: boolean): boolean {
  const reach = reachOf(address);
  return reach === 'loopback' || (reach === 'private' && allowPlainHttp);
}

/** Whether a host of a URL (`localhost`, `127.0.0.1`, `[::1]`) is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return reachOf(hostname.replace(/^\[|\]$/g, '')) === 'loopback';
}

/**
 * What is wrong with an entry of `media.allowHosts` (host or host:port), or undefined. Checks written-out addresses;
 * the address behind a name is checked on connecting.
 */
export function allowedHostProblem(entry: string, baseUrl: string): string | undefined {
  const host = entry.toLowerCase().replace(/:\d+$/u, '');
  // There, clouds hand out the rights of the machine to whatever runs on it.
  if (/^(?:169\.254\.|168\.63\.129\.16$|\[fe[89ab][0-9a-f]:|\[fd00:ec2::254\]$)/u.test(host)) {
    return domainWords.problems.must.noMetadata;
  }
  const gateway = /^https?:\/\/(\[[^\]]*\]|[^/:?#]*)/iu.exec(baseUrl)?.[1];
  if (!isLoopbackHost(host) || gateway === undefined || isLoopbackHost(gateway)) return undefined;
  return domainWords.problems.must.notThisMachine;
}

function plainHttpHost(baseUrl: string): string | undefined {
  const authority = /^http:\/\/([^/?#\\]*)/i.exec(baseUrl)?.[1];
  return authority?.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
}

function reachOf(host: string): Reach {
  const name = host.toLowerCase().replace(/%.*$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  if (name.includes(':')) return reachOfV6(name);
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)) return 'name';
  if (name.startsWith('127.')) return 'loopback';
  return PRIVATE_V4.test(name) ? 'private' : 'public';
}

function reachOfV6(address: string): Reach {
  if (/^(?:0{0,4}:){2,7}0{0,3}1$/.test(address)) return 'loopback';
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(address)?.[1];
  if (mapped !== undefined) return reachOf(mapped);
  return /^(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/.test(address) ? 'private' : 'public';
}

/**
 * Why Nocturne must not run in this environment: certificate checks are off, so the key would go to anyone who answers.
 * Undefined if nothing is wrong.
 */
export function tlsProblem(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return undefined;
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks. Unset it, then start again.';
}
