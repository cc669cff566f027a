import type { ExportedRow } from '../../../../shared/domain/task/views/exported-row.ts';
import { isNestedDeeperThan, MAX_JSON_LEVELS, parseLossless } from '../../../../shared/domain/base/json.ts';

/** The texts of JSON documents by path, for the gallery, which cannot read files itself. */
export interface TextPreviews {
  of(exported: ExportedRow): Promise<ReadonlyMap<string, string>>;
}

const MAX_DOCUMENT_BYTES = 16 * 1024;
/** For all previews together: a gallery must open in a moment. */
const MAX_TOTAL_BYTES = 8 << 20;
/** Texts that mean something to a reader: a few letters, and neither an address nor an id or a time. */
function isReadable(text: string): boolean {
  const word = text.trim();
  if (!/\p{L}{2}/u.test(word) || /^https?:\/\/\S*$/u.test(word)) return false;
  return !/^[\w.:+-]+$/u.test(word) || !/\d/u.test(word);
}

/** Reads short JSON documents of a media folder, until there are enough previews. */
export function createTextPreviews(read: (path: string) => Promise<string | undefined>): TextPreviews {
  let total = 0;

  return {
    async of({ tasks }) {
      const previews = new Map<string, string>();
      for (const { path, bytes, mediaType } of tasks.flatMap((task) => task.outputs)) {
        if (mediaType !== 'application/json' || bytes > MAX_DOCUMENT_BYTES || total + bytes > MAX_TOTAL_BYTES) continue;
        const text = await read(path);
        if (text === undefined) continue;
        total += bytes;
        const preview = readableText(text);
        if (preview !== undefined) previews.set(path, preview);
      }
      return previews;
    },
  };
}

/**
 * What a person would read in a JSON document: its texts, or the document itself if it has none. Empty for a document
 * that cannot be traversed: the gallery still shows all other rows.
 */
export function readableText(json: string): string | undefined {
  const document = readDocument(json);
  return document?.title === undefined ? document?.text : `${document.title}\n\n${document.text}`.trimEnd();
}

/**
 * The same with its title separate, if it has exactly one: two songs in one document keep their titles where they are.
 */
export function readDocument(json: string): { readonly title?: string; readonly text: string } | undefined {
  const value = unfold(json, 0);
  if (typeof value === 'string') return isNestedDeeperThan(value, MAX_JSON_LEVELS) ? undefined : { text: value };
  const named = [...textsIn(value)].filter(({ text }) => isReadable(text));
  if (!named.some(({ text }) => /\s/u.test(text.trim()))) {
    // Single words, such as those of a song with their times, mean nothing without their context.
    return { text: JSON.stringify(value, undefined, 2) };
  }
  const texts = (found: typeof named): string => [...new Set(found.map(({ text }) => text))].join('\n\n');
  const [title, ...more] = new Set(named.filter(({ name }) => name === 'title').map(({ text }) => text));
  if (title === undefined || more.length > 0) return { text: texts(named) };
  return { title: title.trim(), text: texts(named.filter(({ name }) => name !== 'title')) };
}

/** The value with the JSON inside its strings parsed: gateways like to wrap it. */
function unfold(value: unknown, depth: number): unknown {
  if (depth > 8) return value;
  if (typeof value === 'string' && /^\s*[{[]/u.test(value)) {
    const inner = parseLossless(value);
    return inner === undefined ? value : unfold(inner, depth + 1);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => unfold(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unfold(item, depth + 1)]));
}

function* textsIn(value: unknown, name = ''): Iterable<{ readonly name: string; readonly text: string }> {
  if (typeof value === 'string') yield { name: name.toLowerCase(), text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, Array.isArray(value) ? name : key);
}
