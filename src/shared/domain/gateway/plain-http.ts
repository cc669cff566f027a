/**
 * Where plain http may go. Whoever is on the way reads the key and every prompt, so it is for this machine alone, and for
 * a private network where the profile says so (`allowPlainHttp`).
 */

/** `name`: where it leads is known only when it is connected to. */
type Reach = 'loopback' | 'private' | 'public' | 'name';

/** Networks that no router of the internet passes on. Source: the special-purpose registries of RFC 6890. */
const PRIVATE_V4 =
  /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;

/** What is wrong with plain http in a base URL, or undefined: for https, too. */
export function plainHttpProblem(baseUrl: string, allowPlainHttp: boolean): string | undefined {
  const host = plainHttpHost(baseUrl);
  if (host === undefined) return undefined;
  switch (reachOf(host)) {
    case 'loopback':
      return undefined;
    case 'public':
      return 'must start with https://: plain http would send your key unencrypted across the internet';
    case 'private':
    case 'name':
      if (allowPlainHttp) return undefined;
      return 'must start with https://: plain http would send your key unencrypted across the network';
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
