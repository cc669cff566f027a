/**
 * Files of this computer in cells for which the interface expects addresses. Only what the user's own cells say can be
 * such a file: what another row gave, and so what a gateway said, is never read from the disk.
 */
import { columnsOf, type AddressedMedia, type Operation } from '../operations/operations.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { LinkedField, LinkedText } from './reference.ts';

/** A file that a row names. */
export interface LocalFile {
  readonly column: string;
  readonly media: AddressedMedia;
  /** As the cell has it. */
  readonly written: string;
}

/** What a text in a field of addresses is; `other` goes to the gateway as it is. */
export type AddressKind = 'address' | 'file' | 'other';

const ADDRESS = /^https?:\/\/[^\s/]/iu;
/** One letter before a colon is a Windows drive. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/iu;
const PATH = /^(?:[a-z]:|\\\\|~|\.{0,2}[\\/](?!\/))/iu;
/** Endings that distinguish a relative path from any other word. */
const MEDIA_NAME =
  /\.(?:png|jpe?g|webp|gif|bmp|tiff?|hei[cf]|avif|svg|mp3|wav|flac|ogg|oga|opus|m4a|aac|aiff?|mp4|mov|m4v|webm|mkv|avi)$/iu;

/** Distinguishes an address from a file of this computer. */
export function addressKindOf(text: string): AddressKind {
  if (ADDRESS.test(text)) return 'address';
  if (/^file:/iu.test(text) || PATH.test(text)) return 'file';
  if (SCHEME.test(text) || text.startsWith('//')) return 'other';
  return MEDIA_NAME.test(text) ? 'file' : 'other';
}

/** The files that a row names, each as often as it names it; `body` and `links` as its row has them. */
export function localFilesIn(
  operation: Operation,
  body: JsonObject,
  links: readonly LinkedField[] | undefined,
): readonly LocalFile[] {
  const found: LocalFile[] = [];
  withAddresses(operation, body, links, (file) => {
    found.push(file);
    return file.written;
  });
  return found;
}

/** What is to be sent once the files have addresses; the same as before if there are no files. */
export function withAddresses(
  operation: Operation,
  body: JsonObject,
  links: readonly LinkedField[] | undefined,
  addressOf: (file: LocalFile) => string,
): { readonly body: JsonObject; readonly links: readonly LinkedField[] } {
  const sent: Record<string, Json> = { ...body };
  let linked = links ?? [];
  for (const column of columnsOf(operation)) {
    const { media, name } = column.field;
    if (media === undefined || column.object !== undefined) continue;
    const placed = (text: string): string =>
      addressKindOf(text) === 'file' ? addressOf({ column: column.column, media, written: text }) : text;
    const link = linked.find((one) => one.column === column.column);
    if (link !== undefined) linked = linked.map((one) => (one === link ? withOwnItems(link, placed) : one));
    else if (body[name] !== undefined) sent[name] = valueWith(body[name], placed);
  }
  return { body: sent, links: linked };
}

function valueWith(value: Json, placed: (text: string) => string): Json {
  if (typeof value === 'string') return placed(value);
  if (!Array.isArray(value)) return value;
  return (value as readonly Json[]).map((item) => (typeof item === 'string' ? placed(item) : item));
}

/** An item with anything of another row in it stays as it is. */
function withOwnItems(link: LinkedField, placed: (text: string) => string): LinkedField {
  if (link.value.kind === 'text') return link;
  const items = link.value.items.map((item): LinkedText => {
    const [only] = item;
    return item.length === 1 && typeof only === 'string' ? [placed(only)] : item;
  });
  return { ...link, value: { kind: 'list', items } };
}
