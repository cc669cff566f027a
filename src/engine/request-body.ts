/** The body of a row's request: as it is kept, and as it is sent. */
import type { Profile } from '../shared/domain/gateway/profile.ts';
import type { Row } from '../shared/domain/sheet/row.ts';

/** The body as it is kept: UTF-8 JSON. */
export function bodyBytes(row: Row): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(row.body));
}

/**
 * The exact bytes to send for a row: its stored JSON, in the shape that the profile asks for (such as all tags as one
 * element). `stored` is UTF-8 JSON of an object.
 */
export function encodeRequestBody(profile: Profile, stored: Uint8Array): Uint8Array {
  if (profile.tags === 'array') return stored;
  const body = JSON.parse(new TextDecoder().decode(stored)) as Record<string, unknown>;
  for (const name of ['tags', 'negative_tags']) {
    const tags = body[name];
    if (Array.isArray(tags)) body[name] = [tags.join(', ')];
  }
  return new TextEncoder().encode(JSON.stringify(body));
}
