/** What main does for the routes of sheets: dialogs, the clipboard and the recent files are its own, the rest is the engine's. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Reply } from '../shared/ipc/contract.ts';
import type { BatchView } from '../shared/ipc/views.ts';
import { makeBatchFolder } from './batch-folder.ts';
import type { EngineInput } from './engine-protocol.ts';
import type { RouteHandlers } from './ipc-router.ts';
import { refuse } from './reply.ts';
import type { RouteHandlersOptions } from './route-handlers.ts';
import type { sheetRoutes } from '../shared/ipc/sheet-routes.ts';

export interface SheetRouteHandlersOptions extends Pick<
  RouteHandlersOptions,
  'engine' | 'settings' | 'gateway' | 'desktop' | 'documentsFolder'
> {
  /** Folders that the user chose, by the id that the window knows them by. */
  readonly chosenFolders: ReadonlyMap<string, string>;
  readonly defaultFolder: () => string;
}

/** Makes the handlers of the routes of sheets. */
export function sheetRouteHandlers(options: SheetRouteHandlersOptions): Pick<RouteHandlers, keyof typeof sheetRoutes> {
  const { engine, settings, gateway, desktop, documentsFolder, chosenFolders, defaultFolder } = options;

  const newBatch = async (from: EngineInput<'batch.new'>['from'], name: string): Promise<Reply<BatchView>> => {
    const folder = makeBatchFolder({ chosen: undefined, defaultFolder: defaultFolder(), batchName: name });
    if (!folder.ok) return refuse('refused', folder.error);
    const profile = settings.current.profile;
    return engine.request('batch.new', { from, folder: folder.value, rehearsal: !gateway.isConnected, profile });
  };

  return {
    'sheet.reread': (input) => engine.request('sheet.reread', input),
    'sheet.interpret': (input) => engine.request('sheet.interpret', input),
    'sheet.fromClipboard': async () => {
      const content = await desktop.readClipboard();
      return engine.request('sheet.openTable', { sheetId: randomUUID(), name: 'Clipboard', ...content });
    },
    'sheet.recent': () => ({ ok: true, value: [] }),
    'sheet.openRecent': () => refuse('not-found', 'This sheet is not known any more.'),
    'sheet.forgetRecent': () => ({ ok: true, value: [] }),
    'sheet.new': ({ template, name }) => newBatch({ kind: 'template', template, name }, name),
    'batch.duplicate': async ({ batchId }) => {
      const batch = await engine.request('batch.get', { batchId });
      return batch.ok ? newBatch({ kind: 'batch', batchId }, `${batch.value.name} copy`) : batch;
    },
    'batch.configure': async ({ folderId, ...input }) => {
      const folder = folderId === undefined ? undefined : chosenFolders.get(folderId);
      if (folderId !== undefined && folder === undefined) return refuse('not-found', 'Choose the folder again.');
      if (input.rehearsal === false && !gateway.isConnected) {
        return refuse('refused', 'Enter the base URL and the key of your gateway first.');
      }
      return engine.request('batch.configure', {
        ...input,
        profile: settings.current.profile,
        ...(folder === undefined ? {} : { folder }),
      });
    },
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
      const file = await desktop.chooseNewFile({
        title: 'Write the results',
        path: join(documentsFolder, `${batch.value.name}.results.csv`),
        kind: { name: 'Sheets', extension: 'csv' },
      });
      if (file === undefined) return { ok: true, value: undefined };
      return engine.request('results.write', { batchId, into: { kind: 'file', file } });
    },
    'lists.get': () => engine.request('lists.get', undefined),
    'lists.set': (input) => engine.request('lists.set', input),
    'lists.remove': (input) => engine.request('lists.remove', input),
  };
}
