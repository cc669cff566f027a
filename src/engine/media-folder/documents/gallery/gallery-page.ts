import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rowLabel } from '../../../../shared/domain/task/row-view.ts';
import type { ExportedRow } from '../../../../shared/domain/task/views/exported-row.ts';
import { remedyOf, type Failure } from '../../../../shared/domain/base/failure.ts';
import type { Json, JsonObject } from '../../../../shared/domain/base/json.ts';
import { manifestFilesOf, type ManifestFile, type MediaFolderData } from '../../../../shared/domain/files/manifest.ts';
import type { GateFlag } from '../../../../shared/domain/gates/ask-gates.ts';
import { present } from '../../../../shared/domain/base/result.ts';
import { kindOfMediaType } from '../../../../shared/domain/files/media-type.ts';
import { columnsOf, operationOf } from '../../../../shared/domain/operations/operations.ts';
import { visibleText } from '../../../../shared/domain/base/text.ts';
import { DOMAIN_ENGLISH } from '../../../../shared/words/domain-words.ts';
import type { SongSound } from '../../../ports/file-looks.ts';
import type { GalleryBatch, GalleryFile, GalleryRequest, GalleryRow } from './gallery-row.ts';
import { PREVIEWS_FOLDER, type KeptPreview } from './kept-previews.ts';
import type { SungSong } from './sung-songs.ts';

/** The page is English, whatever its writer speaks: it is for everybody whom its folder is given to. */
const { nights, operations } = DOMAIN_ENGLISH;

/** The manifest has prompts of 100 kB; the page shows their beginning. */
const MAX_SHOWN_CHARACTERS = 4000;

/** The page's own files are in the program's folder, wherever in it this module runs, built or not. */
function folderOfPage(from = dirname(fileURLToPath(import.meta.url))): string {
  const folder = join(from, 'resources', 'gallery');
  if (existsSync(folder)) return folder;
  if (from === dirname(from)) throw new Error('Nocturne is incomplete: its folder resources/gallery is missing.');
  return folderOfPage(dirname(from));
}

/** Read when the program starts, not for each page: all pages of a night have the same version. */
function readPageFiles(): { readonly html: string; readonly style: string; readonly script: string } {
  const folder = folderOfPage();
  // As a browser reads them: the policy names the exact text.
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
  const parts = ['parts.js', 'song.js', 'player.js', 'viewer.js', 'tile.js', 'gallery.js'].map(text);
  return {
    html: text('gallery.html'),
    style: text('gallery.css'),
    script: `'use strict';\n(() => {\n${parts.join('')}})();`,
  };
}

const PAGE = readPageFiles();

/** Loads nothing but files beside the page, and runs only the script that is part of it. */
function policyFor(style: string, script: string): string {
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
  return [
    "default-src 'none'",
    "img-src 'self' file:",
    "media-src 'self' file:",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The page before and after its rows, which are JSON separated by commas. It is self-contained. */
export function galleryPage({ batch, createdAt }: MediaFolderData): { readonly head: string; readonly tail: string } {
  const { html, style, script } = PAGE;
  const values: Readonly<Record<string, string>> = {
    policy: policyFor(style, script),
    title: escapeHtml(visibleText(batch.name)),
    style,
    rehearsal: batch.settings.rehearsal ? '<span class="rehearsal">Rehearsal</span>' : '',
    batch: scriptJson({ createdAt, previews: PREVIEWS_FOLDER } satisfies GalleryBatch),
    script,
  };
  const [head = '', tail = ''] = html.split('{{rows}}').map((part) =>
    part.replace(/\{\{(\w+)\}\}/gu, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`The page of the gallery names an unknown value: ${name}`);
      return value;
    }),
  );
  return { head, tail };
}

/** What is shown about files, by their paths. */
export interface ShownOfFiles {
  /** The texts of documents. */
  readonly texts: ReadonlyMap<string, string>;
  readonly songs: ReadonlyMap<string, SungSong>;
  readonly previews: ReadonlyMap<string, KeptPreview>;
}

/** One row as JSON, safe inside a script element. */
export function galleryRow(exported: ExportedRow, { texts, songs, previews }: ShownOfFiles): string {
  const { row, status, failure, tasks } = exported;
  const listed = new Map(manifestFilesOf(exported).map((file) => [file.path, file]));
  const shownRow: GalleryRow = {
    id: visibleText(row.id),
    line: row.line,
    status,
    ...askedFor(row),
    note: shown(row.note ?? ''),
    ...(failure === undefined ? {} : { failure: shownFailure(failure, status) }),
    // The current files first, then those of earlier contents of the row, marked as such.
    files: byVersion(tasks).flatMap(
      ({ take, taskCode = '', outputs, superseded = false, operation = row.operation, request }) =>
        outputs.map(({ path, mediaType, bytes, index, sha256: hash, flags }) => ({
          path,
          url: path.split('/').map(encodeURIComponent).join('/'),
          mediaType,
          kind: kindOfMediaType(mediaType),
          bytes,
          take,
          index,
          sha256: hash,
          taskCode: visibleText(taskCode),
          text: shown(texts.get(path) ?? ''),
          ...seenOf(previews.get(path)),
          ...sungIn(songs.get(path)),
          ...saidOf(listed.get(path), flags),
          ...(superseded ? { earlier: true } : {}),
          ...(request === undefined ? {} : { asked: askedFor({ ...row, operation, body: request }) }),
        })),
    ),
  };
  return scriptJson(shownRow);
}

/** What the user and the gates say about a file. */
function saidOf({ kept, rating, note, picked }: Partial<ManifestFile> = {}, flags: readonly GateFlag[] = []) {
  const words = flags.map(({ gate, message }) => [operations.gates[gate].title, shown(message)] as const);
  return {
    ...present({ kept, rating, picked }),
    ...(note === undefined ? {} : { said: shown(note) }),
    ...(words.length === 0 ? {} : { flags: words }),
  };
}

function seenOf(preview: KeptPreview | undefined): Pick<GalleryFile, 'picture' | 'sound'> {
  switch (preview?.kind) {
    case 'picture':
      return { picture: preview.extension };
    case 'sound':
      return { sound: soundOf(preview.sound) };
    case 'none':
    case undefined:
      return {};
  }
}

const MOST_DIGIT = 35;

function soundOf({ levels, lufs, peakDb }: SongSound): NonNullable<GalleryFile['sound']> {
  const digits = levels.map((level) => Math.round(level * MOST_DIGIT).toString(MOST_DIGIT + 1));
  return { levels: digits.join(''), ...present({ lufs, peakDb }) };
}

function sungIn(song: SungSong | undefined): Pick<GalleryFile, 'sung'> {
  if (song === undefined) return {};
  const rounded = (seconds: number): number => Math.round(seconds * 100) / 100;
  const lines = song.lines.map(({ text, start }) =>
    start === undefined ? ([shown(text)] as const) : ([shown(text), rounded(start)] as const),
  );
  return { sung: { lines, beats: song.beats.map(rounded) } };
}

function byVersion(tasks: ExportedRow['tasks']): ExportedRow['tasks'] {
  return [...tasks.filter((task) => !task.superseded), ...tasks.filter((task) => task.superseded)];
}

/** A row that is invalid was never sent as it is: its failure is the problem of the sheet, with its own remedy. */
const INVALID = {
  title: 'Not sent: something is wrong with the row',
  remedy: 'Correct what each row names, then run it.',
};

function shownFailure({ code, message }: Failure, status: string): NonNullable<GalleryRow['failure']> {
  if (status === 'invalid') return { ...INVALID, message: shown(message) };
  return { title: nights.failures[code].title, remedy: remedyOf(code, status, nights), message: shown(message) };
}

type AskingRow = Pick<ExportedRow['row'], 'id' | 'operation' | 'body' | 'note'>;

/** What a row asks for, or asked for when a file was made. */
function askedFor(row: AskingRow): GalleryRequest {
  return {
    operation:
      row.operation === undefined ? 'Unknown operation' : operations.submit[operationOf(row.operation).short].title,
    label: visibleText(rowLabel(row)) || visibleText(row.id),
    prompt: promptOf(row),
    fields: shownFields(row.body),
  };
}

/** The longest of the texts that the operation calls prompts. */
function promptOf({ operation, body }: AskingRow): string {
  if (operation === undefined) return '';
  const prompts = columnsOf(operationOf(operation))
    .filter(({ field }) => field.role === 'prompt')
    .map(({ field }) => body[field.name])
    .filter((value) => typeof value === 'string');
  return shown(prompts.sort((a, b) => b.length - a.length)[0] ?? '');
}

/** The request's fields with dotted names, as text. */
function shownFields(body: JsonObject, prefix = ''): readonly (readonly [string, string])[] {
  return Object.entries(body).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (isObject(value)) return shownFields(value, `${prefix}${name}.`);
    const items: readonly Json[] = Array.isArray(value) ? value : [value];
    return [[prefix + name, shown(items.map((item) => plainText(item)).join(' | '))]];
  });
}

function plainText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(text: string): string {
  const cut = text.length > MAX_SHOWN_CHARACTERS;
  return visibleText(cut ? `${text.slice(0, MAX_SHOWN_CHARACTERS)} …` : text);
}

function scriptJson(value: object): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
