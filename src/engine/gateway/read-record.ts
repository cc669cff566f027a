import { type Json, parseLossless } from '../../shared/domain/base/json.ts';
import { RESULT_OPERATIONS, type Operation, type OutputKind } from '../../shared/domain/operations/operations.ts';
import { MOST_OUTPUTS, type ResultRecord } from '../../shared/domain/gateway/poll-answer.ts';
import type { RawAnswer } from '../ports/media-gateway.ts';
import { isObject, memberOf, readEnvelope, scalarText, type ReadBody } from './envelope.ts';

/** Values are searched no deeper than this: a body may be nested a hundred thousand times. */
const MAX_DEPTH = 12;

/** The fields that carry media in the interface (2.3). A gateway may use either for any operation. */
const MEDIA_FIELDS: ReadonlySet<string> = new Set(RESULT_OPERATIONS.map(({ mediaField }) => mediaField));

/** Identifiers that later rows may refer to (interface 2.5). */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'clip_id',
  'project_id',
  'edit_session_id',
  'persona_id',
  'artist_clip_id',
  'image_store_id',
  'videoId',
  'editId',
]);

/** The record in a stored answer, for the rows that refer to it; undefined if the answer holds none. */
export function readResult({ body, truncated }: RawAnswer): Json | undefined {
  const read = readEnvelope(body, truncated);
  return 'envelope' in read ? (recordIn(read.result) ?? undefined) : undefined;
}

/** Some gateways return a list with one record. */
function recordIn(result: Json): Json {
  return Array.isArray(result) ? ((result as readonly Json[])[0] ?? null) : result;
}

/** Reads the task's record from an answer, leniently: what the interface leaves open may come in any shape. */
export function readRecord(body: ReadBody, operation: Operation): ResultRecord {
  const record = recordIn(body.result);
  const field = (name: string) => scalarText(memberOf(record, name));
  return {
    status: field('status').trim(),
    message: field('message'),
    urls: urlsOf(record, operation.output),
    document: operation.output === 'data' ? body.resultText() : '',
    addTime: field('addTime'),
    endTime: field('endTime'),
    taskId: field('taskId'),
    ids: idsOf(record),
  };
}

/** The addresses in the media fields, or, if those hold none, in any other field. */
function urlsOf(record: Json, kind: OutputKind): readonly string[] {
  if (!isObject(record)) return [];
  const inMediaFields = new Set<string>();
  const elsewhere = new Set<string>();
  for (const [name, value] of Object.entries(record)) {
    if (MEDIA_FIELDS.has(name)) collectUrls(value, kind, true, 0, inMediaFields);
    else collectUrls(value, kind, false, 0, elsewhere);
  }
  return [...(inMediaFields.size > 0 ? inMediaFields : elsewhere)].slice(0, MOST_OUTPUTS);
}

function collectUrls(value: Json, kind: OutputKind, isMediaField: boolean, depth: number, into: Set<string>): void {
  if (depth > MAX_DEPTH || into.size >= MOST_OUTPUTS) return;
  if (typeof value === 'string') {
    const inner = jsonInside(value);
    if (inner !== undefined) collectUrls(inner, kind, isMediaField, depth + 1, into);
    else for (const url of splitUrls(value, isMediaField)) into.add(url);
  } else if (Array.isArray(value)) {
    for (const element of value as readonly Json[]) collectUrls(element, kind, isMediaField, depth + 1, into);
  } else if (isObject(value)) {
    for (const member of bestMembers(value, kind)) collectUrls(member, kind, isMediaField, depth + 1, into);
  }
}

const NAMED_AFTER_KIND: Readonly<Record<OutputKind, RegExp>> = {
  music: /audio|music|song|sound|mp3|wav|m4a|flac/i,
  video: /video|movie|mp4|webm/i,
  image: /image|img|picture|photo|png|jpe?g|webp/i,
  data: /./,
};
const SIDE_DISH = /cover|thumb|poster|preview|avatar|icon|lyric|input|source|origin/i;

/** In an object with several fields, those named after the wanted output: a song's picture is not the song. */
function bestMembers(value: { readonly [key: string]: Json }, kind: OutputKind): readonly Json[] {
  const entries = Object.entries(value);
  const main = entries.filter(([name]) => !SIDE_DISH.test(name));
  const named = main.filter(([name, member]) => NAMED_AFTER_KIND[kind].test(name) && member !== null && member !== '');
  const chosen = named.length > 0 ? named : main;
  return chosen.map(([, member]) => member);
}

/** JSON in a text (in a text …): some gateways put lists there. Numbers and words do not count as JSON here. */
function jsonInside(text: string): Json | undefined {
  const first = text.trimStart().charAt(0);
  return first === '[' || first === '{' || first === '"' ? parseLossless(text) : undefined;
}

/**
 * The addresses that a text consists of: split only before `http(s)://`, because addresses may contain commas. A text
 * that merely mentions one holds none. In a media field other schemes count too, so that they are refused by name.
 */
function splitUrls(text: string, isMediaField: boolean): readonly string[] {
  const trimmed = text.trim();
  if (/^https?:\/\/[^\s/]/i.test(trimmed)) {
    const starts = [0, ...Array.from(trimmed.matchAll(/[\s,;|]https?:\/\//gi), ({ index }) => index + 1)];
    return starts.map((start, at) => withoutSeparatorsAtEnd(trimmed.slice(start, starts[at + 1])));
  }
  return isMediaField && /^(?:file|ftps?|sftp|data|blob|s3|gs|javascript):/i.test(trimmed) ? [trimmed] : [];
}

/** Not with a pattern: one anchored at the end of the text would look at a million commas a million times. */
function withoutSeparatorsAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,;|]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function idsOf(record: Json): Readonly<Record<string, string>> {
  const ids: Record<string, string> = {};
  collectIds(record, 0, ids);
  return ids;
}

function collectIds(value: Json, depth: number, into: Record<string, string>): void {
  if (depth > MAX_DEPTH) return;
  const inner = typeof value === 'string' ? jsonInside(value) : value;
  if (Array.isArray(inner)) {
    for (const element of (inner as readonly Json[]).slice(0, MOST_OUTPUTS)) collectIds(element, depth + 1, into);
  } else if (inner !== undefined && isObject(inner)) {
    for (const [name, member] of Object.entries(inner)) {
      const text = scalarText(member);
      if (ID_FIELDS.has(name) && text !== '' && into[name] === undefined) into[name] = text;
      else collectIds(member, depth + 1, into);
    }
  }
}
