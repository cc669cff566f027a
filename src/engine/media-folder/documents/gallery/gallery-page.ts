import { createHash } from 'node:crypto';
import { rowLabel } from '../../../../shared/domain/task/row-view.ts';
import type { ExportedRow } from '../../../../shared/domain/task/batch-view.ts';
import { FAILURE_POLICIES, remedyOf } from '../../../../shared/domain/task/failure.ts';
import type { Failure } from '../../../../shared/domain/task/failure.ts';
import type { Json, JsonObject } from '../../../../shared/domain/base/json.ts';
import type { MediaFolderData } from '../../../../shared/domain/files/manifest.ts';
import { kindOfMediaType } from '../../../../shared/domain/files/media-type.ts';
import { columnsOf, operationOf } from '../../../../shared/domain/operations/operations.ts';
import { visibleText } from '../../../../shared/domain/base/text.ts';
import { GALLERY_SCRIPT } from './gallery-script.ts';
import { GALLERY_STYLE } from './gallery-style.ts';

/** The manifest has prompts of 100 kB; the page shows their beginning. */
const MAX_SHOWN_CHARACTERS = 4000;

function sha256(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** Loads nothing but files beside the page, and runs only the script that is part of it. */
const POLICY = [
  "default-src 'none'",
  "img-src 'self' file:",
  "media-src 'self' file:",
  `style-src ${sha256(GALLERY_STYLE)}`,
  `script-src ${sha256(GALLERY_SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const MARK =
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M1.6 16.9C2.2 9.9 6.5 5.2 12 5.2s9.8 4.7 10.4 11.7c.05.6-.75.85-1.03.32C19.3 13.2 16 11 12 11s-7.3 2.2-9.37 6.22c-.28.53-1.08.28-1.03-.32Z"/><circle cx="12" cy="16.9" r="2.35"/></svg>';

/** The page before its rows, which are JSON separated by commas. */
export function galleryHead(data: MediaFolderData): string {
  const { batch } = data;
  const title = escapeHtml(visibleText(batch.name));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="Nocturne">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Nocturne</title>
<style>${GALLERY_STYLE}</style>
</head>
<body>
<a class="skip" href="#files">Skip to the files</a>
<header class="top">
  <div class="name">${MARK}<div><h1>${title}</h1><p id="summary"></p></div>${batch.settings.rehearsal ? '<span class="rehearsal">Rehearsal</span>' : ''}</div>
  <div class="tools">
    <label class="search"><span class="hidden">Search</span><input id="search" type="search" placeholder="Search prompts, titles and ids" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></label>
    <label><span class="hidden">Operation</span><select id="operation"><option value="">All operations</option></select></label>
    <button id="theme" type="button" class="quiet" aria-label="Switch between dark and light"></button>
  </div>
  <div class="chips" id="chips" role="group" aria-label="Status and kind"></div>
</header>
<noscript><p class="notice">This page needs its own script to show the files. They are beside it, in the folders <a href="music/">music</a>, <a href="video/">video</a>, <a href="image/">image</a> and <a href="data/">data</a>, and listed in <a href="manifest.csv">manifest.csv</a>.</p></noscript>
<main>
  <section id="exceptions" aria-labelledby="exceptions-title" hidden><h2 id="exceptions-title"></h2><div id="exception-groups"></div></section>
  <section aria-labelledby="files-title"><h2 id="files-title">Files</h2><p class="hidden" id="count" role="status"></p><div id="files" class="files"></div><p id="empty" class="notice" hidden></p><div id="more"></div></section>
</main>
<footer><p><a href="manifest.json">manifest.json</a> proves every file by its sha256 · <a href="manifest.csv">manifest.csv</a> · <a href="sheet.results.csv">sheet.results.csv</a></p><p class="keys"><kbd>/</kbd> search <kbd>← ↑ ↓ →</kbd> move <kbd>Enter</kbd> open <kbd>Space</kbd> play or pause</p></footer>
<dialog id="viewer" aria-labelledby="viewer-title"></dialog>
<div id="player" class="player" role="region" aria-label="Player" hidden></div>
<script type="application/json" id="batch">${scriptJson({ createdAt: data.createdAt })}</script>
<script type="application/json" id="rows">[`;
}

/** The page after its rows. */
export function galleryTail(): string {
  return `\n]</script>\n<script>${GALLERY_SCRIPT}</script>\n</body>\n</html>\n`;
}

/** One row as JSON, safe inside a script element. `previews` holds the words of its documents by path. */
export function galleryRow(exported: ExportedRow, previews: ReadonlyMap<string, string>): string {
  const { row, status, failure, tasks } = exported;
  return scriptJson({
    id: visibleText(row.id),
    line: row.line,
    status,
    ...askedFor(row),
    note: shown(row.note ?? ''),
    ...(failure === undefined ? {} : { failure: shownFailure(failure, status) }),
    // The current files first, then those of earlier contents of the row, marked as such.
    files: byVersion(tasks).flatMap(
      ({ take, taskCode = '', outputs, superseded = false, operation = row.operation, request }) =>
        outputs.map(({ path, mediaType, bytes, index, sha256: hash }) => ({
          path,
          url: path.split('/').map(encodeURIComponent).join('/'),
          mediaType,
          kind: kindOfMediaType(mediaType),
          bytes,
          take,
          index,
          sha256: hash,
          taskCode: visibleText(taskCode),
          text: shown(previews.get(path) ?? ''),
          ...(superseded ? { earlier: true } : {}),
          ...(request === undefined ? {} : { asked: askedFor({ ...row, operation, body: request }) }),
        })),
    ),
  });
}

function byVersion(tasks: ExportedRow['tasks']): ExportedRow['tasks'] {
  return [...tasks.filter((task) => !task.superseded), ...tasks.filter((task) => task.superseded)];
}

function shownFailure({ code, message }: Failure, status: string): JsonObject {
  return { title: FAILURE_POLICIES[code].title, remedy: remedyOf(code, status), message: shown(message) };
}

type AskingRow = Pick<ExportedRow['row'], 'id' | 'operation' | 'body' | 'note'>;

/** What a row asks for, or asked for when a file was made. */
function askedFor(row: AskingRow): JsonObject {
  return {
    operation: row.operation === undefined ? 'Unknown operation' : operationOf(row.operation).title,
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

function scriptJson(value: Json): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
