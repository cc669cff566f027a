/** Which hosts a profile may let media be fetched from, though their addresses are private. */

/** Whether a host of a URL (`localhost`, `127.0.0.1`, `[::1]`) is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(host);
}

/**
 * What is wrong with an entry of `media.allowHosts` (host or host:port), or undefined. Seen where an address is written
 * out; what a name leads to is looked at when it is connected to.
 */
export function allowedHostProblem(entry: string, baseUrl: string): string | undefined {
  const host = entry.toLowerCase().replace(/:\d+$/u, '');
  if (/^(?:169\.254\.|168\.63\.129\.16$|\[fe[89ab][0-9a-f]:|\[fd00:ec2::254\]$)/u.test(host)) {
    return 'must not be a link-local or metadata address: machines keep their secrets there, and nobody keeps media there';
  }
  const gateway = /^https?:\/\/(\[[^\]]*\]|[^/:?#]*)/iu.exec(baseUrl)?.[1];
  if (!isLoopbackHost(host) || gateway === undefined || isLoopbackHost(gateway)) return undefined;
  return 'must not be this machine, because the gateway is not on it';
}
