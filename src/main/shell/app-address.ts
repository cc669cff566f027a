import { isLoopbackHost } from '../../shared/domain/gateway/hosts.ts';

/** The window's own address: a scheme of the application, so that its files have an origin of their own. */
export const APP_SCHEME = 'app';
export const APP_ORIGIN = `${APP_SCHEME}://nocturne`;
export const MEDIA_SCHEME = 'media';

/**
 * The origin of the development server, where the start script names one (`--renderer-from-sources`) and it is on this
 * machine. The environment alone says nothing: whoever can set it could put a page of theirs into the window.
 */
export function developmentOrigin(args: readonly string[], address: string | undefined): string | undefined {
  if (!args.includes('--renderer-from-sources') || address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  return protocol === 'http:' && isLoopbackHost(hostname) ? origin : undefined;
}

/**
 * Whether an address belongs to the application's own window. `devOrigin` is the development server's, where there is
 * one. Compared by scheme and host: the origin of a scheme of our own is opaque to the URL parser.
 */
export function isOwnAddress(address: string, devOrigin: string | undefined): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  return `${url.protocol}//${url.host}` === APP_ORIGIN || url.origin === devOrigin;
}
