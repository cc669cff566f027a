import type { ExportedRow } from '../../../../shared/domain/task/batch-view.ts';
import { isNestedDeeperThan, MAX_JSON_LEVELS, parseLossless } from '../../../../shared/domain/base/json.ts';

/** The words of JSON documents by path, for the gallery, which cannot read files itself. */
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
  const value = unfold(json, 0);
  if (typeof value === 'string') return isNestedDeeperThan(value, MAX_JSON_LEVELS) ? undefined : value;
  const texts = [...textsIn(value)].filter(isReadable);
  return texts.length > 0 ? [...new Set(texts)].join('\n\n') : JSON.stringify(value, undefined, 2);
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

function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* textsIn(item);
}
