/** What is said about a delivered file, in the file itself or beside it. */
import { readReference } from '../cells/reference.ts';
import type { JsonObject } from '../base/json.ts';
import { present } from '../base/result.ts';
import type { Row } from '../sheet/row.ts';

/** The kind of source that a file of a generation gateway has. Source: IPTC NewsCodes, Digital Source Type. */
export const DIGITAL_SOURCE_TYPE = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

/** What is known about a file's content. */
export interface MediaAbout {
  readonly title?: string;
  readonly prompt?: string;
  readonly lyrics?: string;
  readonly model?: string;
  /** From 0 to 5. */
  readonly rating?: number;
}

/** Fields that are lyrics, whatever they say. */
const LYRICS_FIELDS = ['infill_lyrics', 'continued_aligned_prompt'] as const;

/**
 * What a request says about the file that came from it. The field `prompt` of a song is its lyrics or its description:
 * it counts as lyrics if it has several lines or names its parts (`[Verse]`), unless the song is instrumental. Fields
 * that another row gives are left out: what was sent in them is not in the sheet.
 */
export function aboutOf(body: JsonObject, linked: ReadonlySet<string> = new Set()): MediaAbout {
  const text = (name: string): string | undefined => {
    const value = linked.has(name) || !Object.hasOwn(body, name) ? undefined : body[name];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const written = text('prompt');
  const isSung = body['make_instrumental'] !== true;
  const lyrics =
    LYRICS_FIELDS.map(text).find((found) => found !== undefined) ??
    (isSung && written !== undefined && isLyrics(written) ? written : undefined);
  const prompt = text('gpt_description_prompt') ?? (written === lyrics ? tagsIn(body, linked) : written);
  return present({
    title: text('title') ?? text('name'),
    prompt,
    lyrics: isSung ? lyrics : undefined,
    model: text('model') ?? text('lyrics_model'),
  });
}

function isLyrics(text: string): boolean {
  return /\[(?:verse|chorus|bridge|intro|outro|hook|refrain|pre-chorus)\b/iu.test(text) || /\S\s*\n\s*\S/u.test(text);
}

/** The styles of a song describe it where its prompt is its lyrics. */
function tagsIn(body: JsonObject, linked: ReadonlySet<string>): string | undefined {
  const tags = linked.has('tags') ? undefined : body['tags'];
  if (!Array.isArray(tags)) return undefined;
  const words = tags.filter((tag): tag is string => typeof tag === 'string' && tag !== '');
  return words.length === 0 ? undefined : words.join(', ');
}

/** A place in another row's result that a row takes its words from. */
export interface WordsOf {
  readonly row: string;
  /** Into the result, see `valueAt`. */
  readonly path: readonly string[];
}

/**
 * The field `prompt`, if all of it comes from another row's result: this is how a song takes its lyrics from a row of
 * lyrics.
 */
export function wordsLinkOf(row: Row): WordsOf | undefined {
  const field = row.links?.find(({ column }) => column === 'prompt');
  if (field?.value.kind !== 'text') return undefined;
  const [only, ...others] = field.value.text.filter((part) => typeof part !== 'string' || part.trim() !== '');
  if (only === undefined || typeof only === 'string' || others.length > 0) return undefined;
  return only.path.kind === 'result' ? { row: only.row, path: only.path.path } : undefined;
}

/** The ids that a row's cells name, also in columns that are not fields: `cover` with `{{picture.output.1.url}}`. */
export function rowsNamedIn({ cells }: Row): readonly string[] {
  const written = Object.values(cells).flatMap((cell) => [...cell.matchAll(/\{\{([^{}]+)\}\}/gu)]);
  return [...new Set(written.flatMap(([, inside = '']) => readReference(inside).map(({ row }) => row)))];
}

/**
 * What is said about a file without words of its own, such as the WAV of a song: the words of the row that it comes
 * from.
 */
export function withWordsOf(own: MediaAbout, source: MediaAbout | undefined): MediaAbout {
  return own.title === undefined && own.prompt === undefined && own.lyrics === undefined ? { ...source, ...own } : own;
}

/**
 * An XMP packet with everything that is known. The names of the prompt and the model are those of the IPTC Photo
 * Metadata Standard 2025.1. Source: ISO 16684-1, XMP.
 */
export function xmpPacket(about: MediaAbout): string {
  const { title, prompt, lyrics, model, rating } = about;
  const lines = [
    title === undefined ? '' : `<dc:title>${alternative(title)}</dc:title>`,
    prompt === undefined ? '' : `<dc:description>${alternative(prompt)}</dc:description>`,
    lyrics === undefined ? '' : `<xmpDM:lyrics>${escaped(lyrics)}</xmpDM:lyrics>`,
    prompt === undefined ? '' : `<Iptc4xmpExt:AIPromptInformation>${escaped(prompt)}</Iptc4xmpExt:AIPromptInformation>`,
    model === undefined ? '' : `<Iptc4xmpExt:AISystemUsed>${escaped(model)}</Iptc4xmpExt:AISystemUsed>`,
    rating === undefined ? '' : `<xmp:Rating>${rating}</xmp:Rating>`,
    `<Iptc4xmpExt:DigitalSourceType>${DIGITAL_SOURCE_TYPE}</Iptc4xmpExt:DigitalSourceType>`,
  ].filter((line) => line !== '');
  return `<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    xmlns:xmpDM="http://ns.adobe.com/xmp/1.0/DynamicMedia/"
    xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">
   ${lines.join('\n   ')}
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

function alternative(text: string): string {
  return `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(text)}</rdf:li></rdf:Alt>`;
}

/** XML cannot express most control characters, nor half of a surrogate pair. */
const NOT_IN_XML = /(?![\t\n\r])[\p{Cc}\p{Cs}\u{fffe}\u{ffff}]/gu;

function escaped(text: string): string {
  return text
    .replaceAll(NOT_IN_XML, '\u{fffd}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
