/** Who may ask: decided from the head of a request, before any of its body is read. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What is known about a request before its body. */
export interface RequestHead {
  readonly url: string;
  /** Names and values in turn, as they came: a header may occur twice. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

export interface GuardOptions {
  readonly port: number;
  /** Origins that may be named; none by default. */
  readonly origins: readonly string[];
}

/** Why a request is refused, as a status and in words. */
export interface GuardRefusal {
  readonly status: 400 | 401 | 403 | 421;
  readonly message: string;
  readonly remedy: string;
}

/**
 * Why a request may not even ask about the health of the door: a page whose name was pointed at this machine names
 * another host (DNS rebinding), and a page of a site names its origin.
 */
export function whyNotFromHere(
  { url, rawHeaders, headers }: RequestHead,
  { port, origins }: GuardOptions,
): GuardRefusal | undefined {
  if (!url.startsWith('/') || url.startsWith('//')) {
    return {
      status: 400,
      message: 'The target of the request is not a path.',
      remedy: 'Ask for a path, such as /health.',
    };
  }
  for (const once of ['host', 'origin', 'authorization', 'content-length', 'content-type']) {
    if (timesNamed(rawHeaders, once) > 1) {
      return { status: 400, message: `The header ${once} is there twice.`, remedy: 'Send it once.' };
    }
  }
  if (!isLoopbackName(headers.host, port)) {
    return {
      status: 421,
      message: 'The request was made for another host.',
      remedy: `Ask for http://127.0.0.1:${port} or http://localhost:${port}.`,
    };
  }
  const { origin } = headers;
  if (origin !== undefined && !origins.includes(origin)) {
    return {
      status: 403,
      message: 'Requests of web pages are not answered.',
      remedy: 'Ask from a program; or the user allows this origin with --allow-origin.',
    };
  }
  return undefined;
}

function timesNamed(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length;
}

function isLoopbackName(host: string | undefined, port: number): boolean {
  const named = host?.toLowerCase();
  return ['127.0.0.1', 'localhost', '[::1]'].some((name) => named === `${name}:${port}`);
}

/** Checks whether a request carries the token, taking the same time whatever it carries. */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  return (authorization) => {
    const given = /^bearer ([^\s]+)$/iu.exec(authorization ?? '')?.[1];
    // Digests have one length, whatever the texts have.
    return timingSafeEqual(digest(given ?? ''), wanted) && given !== undefined;
  };
}

export const NO_TOKEN: GuardRefusal = {
  status: 401,
  message: 'The token is missing or wrong.',
  remedy:
    'Send the header “Authorization: Bearer TOKEN”, with the token from the file that the server named at its start.',
};
