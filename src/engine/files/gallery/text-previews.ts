import { join } from 'node:path';
import type { ExportedRow } from '../../../shared/domain/batch-view.ts';
import { diskErrorCode } from '../disk-failure.ts';
import { openIfThere } from '../part-file.ts';

/** Words of JSON documents by path, for the gallery, which may not read files by itself. */
export interface TextPreviews {
  of(exported: ExportedRow): Promise<ReadonlyMap<string, string>>;
}

const MAX_DOCUMENT_BYTES = 16 * 1024;
/** All previews together: a gallery must open in a moment. */
const MAX_TOTAL_BYTES = 8 << 20;
/** Strings that say nothing to a reader: addresses, ids, digits. */
const DULL = /^(?:https?:\/\/\S*|[\w.:+-]*\d[\w.:+-]*|\S{1,2})$/u;

/** Reads short JSON documents out of a media folder, until there is enough. */
export function createTextPreviews(folder: string): TextPreviews {
  let total = 0;

  async function read(path: string): Promise<string | undefined> {
    let file;
    try {
      file = await openIfThere(join(folder, ...path.split('/')));
      return file === undefined ? undefined : await file.readFile('utf8');
    } catch (error) {
      if (diskErrorCode(error) === undefined) throw error;
      return undefined;
    } finally {
      await file?.close();
    }
  }

  return {
    async of({ tasks }) {
      const previews = new Map<string, string>();
      for (const { path, bytes, mediaType } of tasks.flatMap((task) => task.outputs)) {
        if (mediaType !== 'application/json' || bytes > MAX_DOCUMENT_BYTES || total + bytes > MAX_TOTAL_BYTES) continue;
        const text = await read(path);
        if (text === undefined) continue;
        total += bytes;
        previews.set(path, readableText(text));
      }
      return previews;
    },
  };
}

/** What a person would read of a JSON document: its longer texts; the document itself where it has none. */
function readableText(json: string): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return json;
  }
  const texts = [...textsIn(value, 0)].filter((text) => !DULL.test(text.trim()));
  return texts.length > 0 ? [...new Set(texts)].join('\n\n') : JSON.stringify(value, undefined, 2);
}

/** All strings within a value; a string that holds JSON itself is looked into. */
function* textsIn(value: unknown, depth: number): Iterable<string> {
  if (depth > 8) return;
  if (typeof value === 'string') {
    const inner = /^\s*[{[]/u.test(value) ? parsed(value) : undefined;
    if (inner === undefined) yield value;
    else yield* textsIn(inner, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) yield* textsIn(item, depth + 1);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
