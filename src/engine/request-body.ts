/**
 * The body of a row's request: as it is kept, as it is sent, and whether what was sent is still what the row asks for.
 */
import { localFilesIn } from '../shared/domain/cells/local-file.ts';
import type { Json, JsonObject } from '../shared/domain/base/json.ts';
import type { Profile } from '../shared/domain/gateway/profile.ts';
import { operationOf, type OperationPath } from '../shared/domain/operations/operations.ts';
import type { Row } from '../shared/domain/sheet/row.ts';

/** The fields that some gateways take as one text. */
const TAGS = ['tags', 'negative_tags'];

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
  for (const name of TAGS) {
    const tags = body[name];
    if (Array.isArray(tags)) body[name] = [tags.join(', ')];
  }
  return new TextEncoder().encode(JSON.stringify(body));
}

/**
 * Whether a request, as it was sent, differs from what the row asks for now, whatever its account's profile. What comes
 * from other rows and from files on this computer is left out: only the night knows it.
 */
export function isOtherRequest(
  { operation, body, links = [] }: Pick<Row, 'operation' | 'body' | 'links'>,
  sent: { readonly operation: OperationPath; readonly request: JsonObject },
): boolean {
  if (operation !== sent.operation) return true;
  const given = [...links, ...localFilesIn(operationOf(operation), body, links)];
  const left = new Set(given.map(({ column }) => column.split('.')[0]));
  const textOf = (request: JsonObject): string => {
    const own = Object.keys(request).filter((name) => !left.has(name));
    return JSON.stringify(own.toSorted().map((name) => [name, valueOf(name, request[name])]));
  };
  return textOf(body) !== textOf(sent.request);
}

function valueOf(name: string, value: Json | undefined): Json | undefined {
  return TAGS.includes(name) && Array.isArray(value) ? value.join(', ') : value;
}
