/** What main does for the routes of sheets: dialogs, the clipboard and the recent files are its own, the rest is the engine's. */
import { dirname, join } from 'node:path';
import type { Reply } from '../../shared/ipc/contract.ts';
import type { BatchView } from '../../shared/ipc/views.ts';
import { isUnusedFolder, makeBatchFolder, removeUnusedFolder } from '../services/batch-folder.ts';
import type { EngineInput } from '../engine-process/engine-protocol.ts';
import type { RouteHandlers } from './ipc-router.ts';
import { pathOf, recentViews, withoutSheet } from '../services/recent-sheets.ts';
import { refuse } from './reply.ts';
import type { RouteHandlersOptions } from './route-handlers.ts';
import type { SheetOpening } from '../services/sheet-opening.ts';
import type { sheetRoutes } from '../../shared/ipc/sheet-routes.ts';

export interface SheetRouteHandlersOptions extends Pick<
  RouteHandlersOptions,
  'engine' | 'settings' | 'gateway' | 'desktop' | 'documentsFolder'
> {
  readonly sheets: SheetOpening;
  /** Folders that the user chose, by the id that the window knows them by. */
  readonly chosenFolders: ReadonlyMap<string, string>;
  readonly defaultFolder: () => string;
}

/** Makes the handlers of the routes of sheets. */
export function sheetRouteHandlers(options: SheetRouteHandlersOptions): Pick<RouteHandlers, keyof typeof sheetRoutes> {
  const { engine, settings, gateway, desktop, sheets, documentsFolder, chosenFolders, defaultFolder } = options;

  const newBatch = async (
    from: EngineInput<'batch.new'>['from'],
    name: string,
    rehearsal = !gateway.isConnected,
  ): Promise<Reply<BatchView>> => {
    const folder = makeBatchFolder({ chosen: undefined, defaultFolder: defaultFolder(), batchName: name });
    if (!folder.ok) return refuse('refused', folder.error);
    const profile = settings.current.profile;
    const made = await engine.request('batch.new', { from, folder: folder.value, rehearsal, profile });
    if (!made.ok) removeUnusedFolder(folder.value, name);
    return made;
  };

  return {
    'sheet.reread': (input) => sheets.reread(input),
    'sheet.interpret': (input) => sheets.interpret(input),
    'sheet.fromClipboard': async () => sheets.openTable(await desktop.readClipboard()),
    'sheet.recent': async () => ({ ok: true, value: await recentViews(settings.current.recentSheets) }),
    'sheet.openRecent': ({ recentId }) => {
      const path = pathOf(settings.current.recentSheets, recentId);
      return path === undefined ? refuse('not-found', 'This sheet is not known any more.') : sheets.open(path);
    },
    'sheet.forgetRecent': async ({ recentId }) => {
      settings.update({ recentSheets: withoutSheet(settings.current.recentSheets, recentId) });
      return { ok: true, value: await recentViews(settings.current.recentSheets) };
    },
    'sheet.new': ({ template, name }) => newBatch({ kind: 'template', template, name }, name),
    'batch.duplicate': async ({ batchId }) => {
      const batch = await engine.request('batch.get', { batchId });
      if (!batch.ok) return batch;
      const { name, rehearsal } = batch.value;
      return newBatch({ kind: 'batch', batchId }, `${name} copy`, rehearsal || !gateway.isConnected);
    },
    'batch.configure': async ({ folderId, ...input }) => {
      const chosen = folderId === undefined ? undefined : chosenFolders.get(folderId);
      if (folderId !== undefined && chosen === undefined) return refuse('not-found', 'Choose the folder again.');
      if (input.rehearsal === false && !gateway.isConnected) {
        return refuse('refused', 'Enter the base URL and the key of your gateway first.');
      }
      const batch = await engine.request('batch.get', { batchId: input.batchId });
      if (!batch.ok) return batch;
      const { name, folder: former } = batch.value;
      const isRenamed = input.name !== undefined && input.name !== name;
      const profile = settings.current.profile;
      if (chosen === undefined && !isRenamed) return engine.request('batch.configure', { ...input, profile });
      // A folder that was made for the batch bears its name: while it is empty, one with the new name takes its place.
      if (chosen === undefined && !isUnusedFolder(former, name)) {
        return engine.request('batch.configure', { ...input, profile });
      }
      const batchName = input.name ?? name;
      const folder = makeBatchFolder({ chosen, defaultFolder: dirname(former), batchName });
      if (!folder.ok) return refuse('refused', folder.error);
      const configured = await engine.request('batch.configure', { ...input, profile, folder: folder.value });
      if (!configured.ok) {
        // A folder of the user's own stays, also where it is empty and has the batch's name.
        if (folder.value !== chosen) removeUnusedFolder(folder.value, batchName);
      } else if (folder.value !== former) removeUnusedFolder(former, name);
      return configured;
    },
    'batch.cost': (input) => engine.request('batch.cost', { ...input, prices: settings.current.profile.prices }),
    'batch.release': (input) => engine.request('batch.release', input),
    'sheet.get': (input) => engine.request('sheet.get', input),
    'sheet.problems': (input) => engine.request('sheet.problems', input),
    'sheet.cell': (input) => engine.request('sheet.cell', input),
    'sheet.preview': (input) => engine.request('sheet.preview', input),
    'sheet.place': (input) => engine.request('sheet.place', input),
    'sheet.edit': (input) => engine.request('sheet.edit', input),
    'sheet.undo': (input) => engine.request('sheet.undo', input),
    'sheet.redo': (input) => engine.request('sheet.redo', input),
    'sheet.copy': async (input) => {
      const copied = await engine.request('sheet.copy', input);
      if (!copied.ok) return copied;
      const { result, html, text } = copied.value;
      await desktop.writeClipboard({ html, text });
      return { ok: true, value: result };
    },
    'sheet.keys': (input) => engine.request('sheet.keys', input),
    'sheet.pasteSize': async () => engine.request('sheet.pasteSize', await desktop.readClipboard()),
    'sheet.paste': async (input) => engine.request('sheet.paste', { ...input, ...(await desktop.readClipboard()) }),
    'sheet.find': (input) => engine.request('sheet.find', input),
    'sheet.compare': async ({ batchId, isChosen }) => {
      const path = isChosen ? await desktop.chooseSheet() : undefined;
      if (isChosen && path === undefined) return { ok: true, value: undefined };
      return engine.request('sheet.compare', { batchId, ...(path === undefined ? {} : { path }) });
    },
    'sheet.apply': (input) => engine.request('sheet.apply', input),
    'sheet.watch': (input) => engine.request('sheet.watch', input),
    'results.write': async ({ batchId, into }) => {
      if (into !== 'chosen') return engine.request('results.write', { batchId, into: { kind: into } });
      const batch = await engine.request('batch.get', { batchId });
      if (!batch.ok) return batch;
      const sheet = await engine.request('sheet.get', { batchId });
      if (!sheet.ok) return sheet;
      // The results of a workbook are a workbook.
      const extension = /\.(?<workbook>xls[xm])$/iu.exec(sheet.value.file ?? '')?.groups?.['workbook'] ?? 'csv';
      const file = await desktop.chooseNewFile({
        title: 'Write the results',
        path: join(documentsFolder, `${batch.value.name}.results.${extension.toLowerCase()}`),
        kind: { name: 'Sheets', extension: extension.toLowerCase() },
      });
      if (file === undefined) return { ok: true, value: undefined };
      return engine.request('results.write', { batchId, into: { kind: 'file', file } });
    },
    'lists.get': () => engine.request('lists.get', undefined),
    'lists.set': (input) => engine.request('lists.set', input),
    'lists.remove': (input) => engine.request('lists.remove', input),
  };
}
