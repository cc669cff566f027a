/** The window's own address: a scheme of the application, so that its files have an origin of their own. */
export const APP_SCHEME = 'app';
export const APP_ORIGIN = `${APP_SCHEME}://nocturne`;
export const MEDIA_SCHEME = 'media';

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
