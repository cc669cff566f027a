/** Serves the window's files under `app://nocturne/`, with the policy that a page loaded from disk could not carry. */
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { isLoopbackHost } from '../../shared/domain/gateway/hosts.ts';

/**
 * The grid and the floating parts position themselves with style attributes; scripts come from files only. Nothing
 * turns text into markup or code: the only Trusted Types policy (`default`, the page's own) lets no markup through.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' media: data:",
  'media-src media:',
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "webrtc 'block'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/**
 * Makes the handler of the scheme for one of its origins, by default the window's. `rendererFolder` holds what was built
 * for the window.
 */
export function createAppProtocol(
  rendererFolder: string,
  origin: string = APP_ORIGIN,
  policy = CONTENT_SECURITY_POLICY,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const path = filePathOf(request.url, rendererFolder, origin);
    const contentType = path === undefined ? undefined : CONTENT_TYPES[extname(path)];
    if (path === undefined || contentType === undefined) return new Response(null, { status: 404 });
    try {
      const bytes = await readFile(path);
      return new Response(new Uint8Array(bytes), { headers: headersFor(contentType, policy) });
    } catch {
      return new Response(null, { status: 404 });
    }
  };
}

function headersFor(contentType: string, policy: string): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

/** The file at an address, inside the folder or not at all. */
function filePathOf(address: string, folder: string, origin: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (`${url.protocol}//${url.host}` !== origin) return undefined;
  const name = decodePath(url.pathname);
  if (name === undefined) return undefined;
  const path = normalize(join(folder, name === '/' ? 'index.html' : name));
  return path.startsWith(folder + sep) ? path : undefined;
}

function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** The window's own address: a scheme of the application, so that its files have their own origin. */
export const APP_SCHEME = 'app';
export const APP_ORIGIN = `${APP_SCHEME}://nocturne`;
export const MEDIA_SCHEME = 'media';

/**
 * The origin of the development server, if the start script names one (`--renderer-from-sources`) on this machine. The
 * environment alone is not enough: whoever can set it could put their own page into the window.
 */
export function developmentOrigin(args: readonly string[], address: string | undefined): string | undefined {
  if (!args.includes('--renderer-from-sources') || address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, hostname, origin } = new URL(address);
  return protocol === 'http:' && isLoopbackHost(hostname) ? origin : undefined;
}

/**
 * Whether an address belongs to the application's own window. `devOrigin` is that of the development server, if there
 * is one. Compares scheme and host, because the URL parser treats the origin of our own scheme as opaque.
 */
export function isOwnAddress(address: string, devOrigin: string | undefined): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  return `${url.protocol}//${url.host}` === APP_ORIGIN || url.origin === devOrigin;
}
