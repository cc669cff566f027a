/** Main's handlers for the routes of sheets and their rows: main owns dialogs, the clipboard and the recent files. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ok } from '../../shared/domain/base/result.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { EngineInput, EngineOutput } from '../engine-process/engine-protocol.ts';
import type { editingRoutes } from '../../shared/ipc/editing.ts';
import type { livingRoutes } from '../../shared/ipc/living.ts';
import type { openingRoutes } from '../../shared/ipc/opening.ts';
import type { fileRoutes } from '../../shared/ipc/files.ts';
import type { rowRoutes } from '../../shared/ipc/rows.ts';
import { pathOf, recentViews, withoutSheet } from '../services/remembered-sheets.ts';
import type { SheetOpening } from '../services/sheet-opening.ts';
import { noPlace } from './batch-handlers.ts';
import { chooseDatedFile, type HandlerContext } from './app-handlers.ts';
import type { EventFeed, HandlersOf } from './bridge.ts';
import { words } from '../../shared/words/words.ts';

/** Makes the handlers of the routes that open sheets. */
export function openingHandlers(
  { settings, desktop, app, store, engine }: HandlerContext,
  sheets: SheetOpening,
): HandlersOf<typeof openingRoutes> {
  return {
    'sheet.choose': async () => {
      const path = await desktop.chooseSheet();
      return path === undefined ? ok(undefined) : sheets.open(path);
    },
    'sheet.sample': ({ sample }) =>
      sheets.openSample(join(app.folder, 'resources', 'samples', `${sample}.csv`), words.desktop.sheet.samples[sample]),
    'sheet.fromClipboard': async () => sheets.openTable(await desktop.readClipboard()),
    'sheet.recent': async () => ok(await recentViews(settings.current.recentSheets)),
    'sheet.openRecent': ({ recentId }) => {
      const path = pathOf(settings.current.recentSheets, recentId);
      return path === undefined ? refuse('not-found', words.desktop.sheet.unknown) : sheets.open(path);
    },
    'sheet.forgetRecent': async ({ recentId }) => {
      settings.update({ recentSheets: withoutSheet(settings.current.recentSheets, recentId) });
      return ok(await recentViews(settings.current.recentSheets));
    },
    'sheet.choosePlace': async (input) => {
      if (store.isShared) return noPlace();
      const path = await desktop.choosePlace();
      if (path === undefined) return ok(undefined);
      return engine.request('sheet.place', { ...input, path, prices: settings.current.profile.prices });
    },
    'sheet.interpret': (input) => sheets.interpret(input),
    'sheet.keepMapping': ({ batchId }) => sheets.keepMapping(batchId),
  };
}

/** Makes the handlers of the routes of a batch's rows, its sheet, and the file that the sheet came from. */
export function sheetHandlers(
  context: HandlerContext,
): HandlersOf<typeof rowRoutes & typeof fileRoutes & typeof editingRoutes & typeof livingRoutes> {
  const { engine, feed, desktop, documentsFolder, thumbnails } = context;
  const copyText = async (text: string): Promise<Reply<undefined>> => {
    await desktop.writeClipboard({ html: '', text });
    return ok(undefined);
  };
  /** The files that results were written to; several notices may offer to show theirs. */
  const written = new Map<string, string>();
  const writeResults = async (
    input: EngineInput<'results.write'>,
  ): Promise<Reply<EngineOutput<'results.write'> & { readonly resultsId: string }>> => {
    const reply = await engine.request('results.write', input);
    if (!reply.ok) return reply;
    const resultsId = randomUUID();
    written.set(resultsId, reply.value.file);
    return ok({ ...reply.value, resultsId });
  };
  return {
    'rows.page': async (input) => numbered(await engine.request('rows.page', input), feed),
    'rows.get': async (input) => numbered(await engine.request('rows.get', input), feed),
    'evidence.export': async (input) => {
      const kind = { name: 'JSON', extension: 'json' };
      const file = await chooseDatedFile(context, words.desktop.choose.evidence, 'nocturne-evidence', kind);
      if (file === undefined) return ok(undefined);
      const written = await engine.request('evidence.write', { ...input, file });
      return written.ok ? ok({ ...written.value, file }) : written;
    },
    'file.showInFolder': async (input) => {
      const file = await engine.request('file.locate', input);
      if (!file.ok) return file;
      desktop.reveal(file.value.path);
      return ok(undefined);
    },
    'row.copy': async ({ what, ...ref }) => {
      if (what !== 'paths') {
        const copied = await engine.request('row.text', { ...ref, what });
        return copied.ok ? copyText(copied.value.text) : copied;
      }
      const detail = await engine.request('row.detail', ref);
      if (!detail.ok) return detail;
      const files = detail.value.tasks.flatMap((task) => task.files);
      const located = await Promise.all(files.map(({ id }) => engine.request('file.locate', { fileId: id })));
      const refused = located.find((file) => !file.ok);
      if (refused !== undefined) return refused;
      const paths = located.flatMap((file) => (file.ok ? [file.value.path] : []));
      return paths.length === 0 ? refuse('not-found', words.desktop.row.noFile) : copyText(paths.join('\n'));
    },
    'file.copy': async ({ fileId, what }) => {
      if (what === 'path') {
        const file = await engine.request('file.locate', { fileId });
        return file.ok ? copyText(file.value.path) : file;
      }
      const document = await engine.request('file.words', { fileId });
      if (!document.ok) return document;
      const { title, words, problem } = document.value;
      if (problem !== undefined) return refuse('not-found', problem);
      return copyText(title === undefined ? words : `${title}\n\n${words}`);
    },
    'files.drag': async ({ batchId, fileIds }) => {
      const known = await engine.request('files.get', { batchId, fileIds });
      if (!known.ok) return known;
      // The store says where the files are, never the page.
      const all = await Promise.all(fileIds.map((fileId) => engine.request('file.locate', { fileId })));
      const files = new Map(known.value.files.map((file) => [file.id, file]));
      const paths: string[] = [];
      for (const [place, located] of all.entries()) {
        const file = files.get(fileIds[place] ?? '');
        if (file === undefined) return refuse('not-found', words.desktop.row.fileOfOther);
        if (!located.ok) return located;
        if (located.value.bytes !== file.bytes) return refuse('refused', words.desktop.row.fileChanged(file.name));
        paths.push(located.value.path);
      }
      desktop.drag(paths);
      return ok(undefined);
    },
    'file.sound': async ({ fileId }) => ok(await thumbnails.soundOf(fileId)),
    'files.inSight': ({ fileIds }) => {
      thumbnails.keepOnly(fileIds);
      return ok(undefined);
    },
    'sheet.copy': async (input) => {
      const copied = await engine.request('sheet.copy', input);
      if (!copied.ok) return copied;
      const { result, html, text } = copied.value;
      await desktop.writeClipboard({ html, text });
      return ok(result);
    },
    'sheet.compare': async ({ batchId, isChosen }) => {
      const path = isChosen ? await desktop.chooseSheet() : undefined;
      return isChosen && path === undefined ? ok(undefined) : engine.request('sheet.compare', { batchId, path });
    },
    'results.write': async ({ batchId, into }) => {
      if (into !== 'chosen') return writeResults({ batchId, into: { kind: into } });
      const batch = await engine.request('batch.get', { batchId });
      if (!batch.ok) return batch;
      const sheet = await engine.request('sheet.get', { batchId });
      if (!sheet.ok) return sheet;
      // The results of a workbook are a workbook.
      const workbook = /\.(?<extension>xls[xm])$/iu.exec(sheet.value.file ?? '')?.groups?.['extension'] ?? 'csv';
      const extension = workbook.toLowerCase();
      const file = await desktop.chooseNewFile({
        title: words.desktop.choose.results,
        path: join(documentsFolder, `${batch.value.name}.results.${extension}`),
        kind: { name: words.desktop.choose.kind.sheets, extension },
      });
      return file === undefined ? ok(undefined) : writeResults({ batchId, into: { kind: 'file', file } });
    },
    'results.show': ({ resultsId }) => {
      const file = written.get(resultsId);
      if (file === undefined) return refuse('not-found', words.desktop.row.noResults);
      desktop.reveal(file);
      return ok(undefined);
    },
  };
}

/** Messages of the engine keep their order: every change up to these rows already has its number. */
function numbered<T extends object>(
  reply: Reply<T>,
  { sequence }: EventFeed,
): Reply<T & { readonly sequence: number }> {
  return reply.ok ? ok({ sequence, ...reply.value }) : reply;
}
