/** The part of what the window may ask for that main answers itself. */
import { sayError } from '../../shared/domain/base/reason.ts';
import type { SettingsView } from '../../shared/ipc/app.ts';
import type { Reply } from '../../shared/ipc/contract.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import { isSameFolder } from '../services/new-batch-folder.ts';
import { profilesOf } from '../services/kept-profiles.ts';
import { SheetOpening } from '../services/sheet-opening.ts';
import type { Unasked } from '../services/unasked-sheet.ts';
import { appHandlers, currentSettings, type HandlerContext } from './app-handlers.ts';
import { batchHandlers } from './batch-handlers.ts';
import type { IpcRouterOptions, MainHandlers } from './bridge.ts';
import { presenceHandlers } from './presence-handlers.ts';
import { profileHandlers } from './profile-handlers.ts';
import { openingHandlers, sheetHandlers } from './sheet-handlers.ts';
import { storeHandlers } from './store-handlers.ts';
import { supportHandlers, updateHandlers } from './support-handlers.ts';
import { words } from '../../shared/words/words.ts';

/**
 * The handlers of main's routes, what main adds to those of the engine, and actions that the window did not ask for.
 */
export interface AnsweredRoutes extends Pick<IpcRouterOptions, 'handlers' | 'additions'> {
  /** Opens what was named at the start, or by the system, and tells the window. */
  readonly openUnasked: (unasked: Unasked) => Promise<void>;
  /** Opens a sheet that was dropped on the window or named at the start, and tells the window. */
  readonly openSheetUnasked: (path: string) => Promise<void>;
  /** Lets the user choose a sheet through the menu, and tells the window. */
  readonly chooseSheetUnasked: () => Promise<void>;
  /** Backs up the store through the menu, and tells the window. */
  readonly backUpUnasked: () => Promise<void>;
  /** Restores a backup through the menu, and tells the window if it cannot. */
  readonly restoreUnasked: () => Promise<void>;
  currentSettings(): SettingsView;
}

/** Makes the handlers of main's routes. */
export function createRoutes(context: HandlerContext): AnsweredRoutes {
  const { engine, settings, feed, desktop } = context;
  const sheets = new SheetOpening({ engine, settings, now: Date.now });
  const handlers: MainHandlers = {
    ...appHandlers(context),
    ...profileHandlers(context),
    ...openingHandlers(context, sheets),
    ...batchHandlers(context),
    ...sheetHandlers(context),
    ...presenceHandlers(context),
    ...supportHandlers(context),
    ...updateHandlers(context),
    ...storeHandlers(context),
  };
  const tell = (sheet: Reply<SheetView | undefined>): void => {
    if (!sheet.ok) {
      feed.emit('notice', { level: 'error', title: words.desktop.window.sheetNotOpened, message: sheet.error.message });
    } else if (sheet.value !== undefined) feed.emit('sheet.opened', { sheet: sheet.value });
  };
  const showBatchOf = async (folder: string): Promise<void> => {
    const batches = await engine.request('batch.list', undefined);
    if (!batches.ok) {
      feed.emit('notice', {
        level: 'error',
        title: words.desktop.window.folderNotShown,
        message: batches.error.message,
      });
      return;
    }
    const found = batches.value.findLast((batch) => isSameFolder(batch.folder, folder));
    if (found !== undefined) feed.emit('batch.wanted', { batchId: found.id });
    else feed.emit('notice', { level: 'warning', title: words.desktop.window.folderUnknown, message: folder });
  };
  const openSheetUnasked = async (path: string): Promise<void> => tell(await sheets.open(path));
  return {
    handlers,
    additions: {
      profile: () => ({ profile: settings.current.profile }),
      profiles: () => ({ profiles: profilesOf(settings.current) }),
      prices: () => ({ prices: settings.current.profile.prices }),
      clipboard: () => desktop.readClipboard(),
    },
    openSheetUnasked,
    openUnasked: async (unasked) => {
      switch (unasked.kind) {
        case 'sheet':
          return openSheetUnasked(unasked.path);
        case 'folder':
          return showBatchOf(unasked.path);
        case 'ledger':
          return feed.emit('ledger.wanted', {});
      }
    },
    chooseSheetUnasked: async () => tell(await handlers['sheet.choose'](undefined)),
    backUpUnasked: async () => {
      const copied = await handlers['store.backup'](undefined);
      if (!copied.ok) {
        const level = copied.error.code === 'cancelled' ? 'info' : 'error';
        feed.emit('notice', { level, title: words.desktop.store.notCopied, message: copied.error.message });
      } else if (copied.value !== undefined) {
        feed.emit('notice', { level: 'info', title: words.desktop.store.backedUp, message: copied.value.file });
      }
    },
    restoreUnasked: async () => {
      const refused = (message: string): void =>
        feed.emit('notice', { level: 'error', title: words.desktop.restore.notDone, message });
      try {
        const restored = await handlers['store.restore'](undefined);
        if (!restored.ok) refused(restored.error.message);
      } catch (error) {
        // Another question is open.
        refused(sayError(error));
      }
    },
    currentSettings: () => currentSettings(context),
  };
}
